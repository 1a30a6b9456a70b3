/** The viewer's calendar day changes while a page stays open; whatever counts by it is told. */
import { useEffect, useEffectEvent } from 'react';
import { type Day, dayAround } from '#shared/calendar.ts';

/** Whatever waits stands still while a machine sleeps, and would be late by its whole sleep. */
const LONGEST_WAIT_MS = 60_000;
/** The server's clock may be a little behind, and has to agree that the day is new. */
const CLOCK_DIFFERENCE_MS = 2_000;

/** Calls `onNewDay` when a calendar day has begun where the viewer is; after a sleep within a minute. */
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
    // A clock may be set back, too.
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
