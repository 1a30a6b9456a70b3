import { useEffect, useEffectEvent } from 'react';
import { type Day, dayAround } from '#shared/calendar.ts';

/** Timers stand still while a machine sleeps, so that a single long one would be late by that time. */
const LONGEST_WAIT_MS = 60_000;
/** The server's clock may be this much behind; a question before its midnight would count the old day. */
const CLOCK_DIFFERENCE_MS = 2_000;

/** Calls `onNewDay` when a calendar day begins in the viewer's time zone; after a sleep within a minute. */
export function useNewDay(onNewDay: () => void): void {
  const tell = useEffectEvent(onNewDay);
  useEffect(() => watchDays(() => tell()), []);
}

/** Calls `tell` for each new day until the returned function is called. */
export function watchDays(tell: () => void): () => void {
  let today = dayOf(new Date());
  let timer: ReturnType<typeof setTimeout>;
  function wait() {
    const now = new Date();
    const leftMs = () => today.endMs + CLOCK_DIFFERENCE_MS - now.getTime();
    // The second condition holds when the clock was set back.
    if (leftMs() <= 0 || now.getTime() < today.startMs) {
      today = dayOf(now);
      tell();
    }
    timer = setTimeout(wait, Math.min(leftMs(), LONGEST_WAIT_MS));
  }
  wait();
  return () => clearTimeout(timer);
}

function dayOf(time: Date): Day {
  return dayAround(time.getTime(), Intl.DateTimeFormat().resolvedOptions().timeZone);
}
