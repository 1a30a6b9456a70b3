/** A page that stays open is told when a calendar day has begun where its viewer is. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchDays } from '#client/signed-in/new-day.ts';

const DAY_MS = 86_400_000;
/** As much as a clock of the server's may be behind. */
const LATENESS_MS = 2_000;

let days = 0;
let stop = () => {};

/** Opens a page at this time where the viewer is. */
function openPageAt(
  year: number,
  month: number,
  day: number,
  hours: number,
  { minutes = 0, startHour = 0 } = {},
): void {
  vi.setSystemTime(new Date(year, month - 1, day, hours, minutes));
  stop = watchDays(() => {
    days += 1;
  }, startHour);
}

beforeEach(() => {
  vi.useFakeTimers();
  days = 0;
});

afterEach(() => {
  stop();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('tells once of each day that begins, as soon as the server knows of it too', () => {
  openPageAt(2026, 5, 15, 23, { minutes: 59 });
  vi.advanceTimersByTime(60_000 + LATENESS_MS - 1);
  expect(days).toBe(0);
  vi.advanceTimersByTime(1);
  expect(days).toBe(1);
  vi.advanceTimersByTime(DAY_MS - 1);
  expect(days).toBe(1);
  vi.advanceTimersByTime(1);
  expect(days).toBe(2);
});

it('tells within a minute after a sleep in which nothing that waits went on', () => {
  openPageAt(2026, 5, 15, 12);
  vi.advanceTimersByTime(30_000);
  vi.setSystemTime(Date.now() + 3 * DAY_MS);
  expect(days).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(days).toBe(1);
});

it('tells of nights that begin at another hour than days do', () => {
  openPageAt(2026, 5, 15, 4, { minutes: 59, startHour: 5 });
  vi.advanceTimersByTime(60_000 + LATENESS_MS - 1);
  expect(days).toBe(0);
  vi.advanceTimersByTime(1);
  expect(days).toBe(1);
  vi.advanceTimersByTime(DAY_MS - 1);
  expect(days).toBe(1);
  vi.advanceTimersByTime(1);
  expect(days).toBe(2);
});

it('tells when a clock is set back to an earlier day', () => {
  openPageAt(2026, 5, 15, 0, { minutes: 30 });
  vi.setSystemTime(new Date(2026, 4, 14, 23, 30));
  vi.advanceTimersByTime(60_000);
  expect(days).toBe(1);
});

it('tells within a minute when the device has come to another time zone, and when it is back', () => {
  openPageAt(2026, 5, 15, 12);
  const elsewhere = new Intl.DateTimeFormat('en-US', { timeZone: 'Pacific/Auckland' });
  vi.spyOn(Intl, 'DateTimeFormat').mockReturnValueOnce(elsewhere);
  vi.advanceTimersByTime(60_000);
  expect(days).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(days).toBe(2);
  vi.advanceTimersByTime(60_000);
  expect(days).toBe(2);
});

it('tells nothing any more once it was stopped', () => {
  openPageAt(2026, 5, 15, 12);
  stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(2 * DAY_MS);
  expect(days).toBe(0);
});
