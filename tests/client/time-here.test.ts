/**
 * Where the browser is in time is told in words that the server takes, whatever the browser calls its time
 * zone.
 */
import { afterEach, expect, it, vi } from 'vitest';
import { formatHere } from '#client/signed-in/format-here.ts';
import { hourName, timeZoneHere, todayHere } from '#client/signed-in/time-here.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

function nameTimeZone(timeZone: string): void {
  const resolved = new Intl.DateTimeFormat().resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ ...resolved, timeZone });
}

it.each([
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['+05:30', 'UTC'],
  ['Etc/Unknown', 'UTC'],
])('a browser in %s asks in %s', (named, asked) => {
  nameTimeZone(named);
  expect(timeZoneHere()).toBe(asked);
});

it('today is the date of the browser’s time zone', () => {
  nameTimeZone('Pacific/Auckland');
  vi.useFakeTimers({ now: Date.parse('2026-11-24T12:00:00Z') });
  expect(todayHere()).toBe('2026-11-25');
  // It is one in the morning there, which is of the night before for whoever works until two.
  expect([todayHere(1), todayHere(2)]).toEqual(['2026-11-25', '2026-11-24']);
});

it('times are written in the time zone that the device is in now', () => {
  vi.stubEnv('TZ', 'Europe/Vienna');
  const write = formatHere({ hour: 'numeric', minute: '2-digit' });
  const noon = new Date('2026-11-24T12:00:00Z');
  expect(write(noon)).toMatch(/^1:00\sPM$/);
  vi.stubEnv('TZ', 'Asia/Tokyo');
  expect(write(noon)).toMatch(/^9:00\sPM$/);
});

it('the hours of the clock are named as people say them', () => {
  expect([0, 1, 11, 12, 13, 23].map(hourName)).toEqual([
    'midnight',
    '1 AM',
    '11 AM',
    'noon',
    '1 PM',
    '11 PM',
  ]);
});
