/** The time of the server is known from its answers, whatever the device says. */
import { expect, test } from 'vitest';
import { learnTime, serverNow } from '#client/api-client/server-clock.ts';

const noon = new Date('2026-05-15T12:00:00.000Z');
const told = (date: string) => new Response(null, { headers: { Date: date } });

test('is the time of the device until an answer tells it', () => {
  learnTime(new Response(), noon);
  learnTime(told('yesterday'), noon);
  expect(serverNow(noon)).toBe(noon.getTime());
});

test('is never behind what the last answer told, in whole seconds', () => {
  learnTime(told('Fri, 15 May 2026 07:30:00 GMT'), noon);
  expect(new Date(serverNow(noon)).toISOString()).toBe('2026-05-15T07:30:01.000Z');
  learnTime(told('Fri, 15 May 2026 18:00:00 GMT'), noon);
  expect(new Date(serverNow(noon)).toISOString()).toBe('2026-05-15T18:00:01.000Z');
});
