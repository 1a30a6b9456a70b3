import { counted } from '#shared/counted.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A duration in words, rounded up; the last minute in seconds. */
export function timeLeft(ms: number): string {
  const inUnits = (unitMs: number, unit: string) => counted(Math.ceil(ms / unitMs), unit);
  if (ms <= MINUTE_MS) return inUnits(1_000, 'second');
  return ms <= 90 * MINUTE_MS ? inUnits(MINUTE_MS, 'minute') : inUnits(HOUR_MS, 'hour');
}
