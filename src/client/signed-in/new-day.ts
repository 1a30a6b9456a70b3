import { useEffect, useEffectEvent, useReducer } from 'react';
import { dayAround } from '#shared/calendar.ts';
import { timeZoneHere, todayHere } from './time-here.ts';

/** Timers stand still while a machine sleeps, so that a single long one would be late by that time. */
const LONGEST_WAIT_MS = 60_000;
/** The server's clock may be this much behind: a query before its midnight would count the old day. */
const CLOCK_DIFFERENCE_MS = 2_000;

/**
 * Draws again and then calls `onNewDay` when a day begins in the viewer's time zone, after a sleep within a minute, so
 * that it meets what asks for the day that has begun.
 */
export function useNewDay(onNewDay: () => void, startHour = 0): void {
  const [begun, begin] = useReducer((count: number) => count + 1, 0);
  const tell = useEffectEvent(onNewDay);
  useEffect(() => watchDays(begin, startHour), [startHour]);
  useEffect(() => {
    if (begun) tell();
  }, [begun]);
}

/** The date of the present day in the viewer's time zone, which changes when a day begins. */
export function useToday(startHour: number): string {
  useNewDay(() => {}, startHour);
  return todayHere(startHour);
}

/** Calls `tell` for each new day until the returned function is called. */
export function watchDays(tell: () => void, startHour: number): () => void {
  const dayOf = (time: Date) => dayAround(time.getTime(), timeZone, startHour);
  let timeZone = timeZoneHere();
  let today = dayOf(new Date());
  let timer: ReturnType<typeof setTimeout>;
  function wait() {
    const now = new Date();
    const leftMs = () => today.endMs + CLOCK_DIFFERENCE_MS - now.getTime();
    const zoneNow = timeZoneHere();
    // The clock may have been set back, and the device may have come to another time zone.
    if (leftMs() <= 0 || now.getTime() < today.startMs || zoneNow !== timeZone) {
      timeZone = zoneNow;
      today = dayOf(now);
      tell();
    }
    timer = setTimeout(wait, Math.min(leftMs(), LONGEST_WAIT_MS));
  }
  wait();
  return () => clearTimeout(timer);
}
