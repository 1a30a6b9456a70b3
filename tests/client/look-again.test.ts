/** How often an open page looks what became of a tip. */
import { expect, it } from 'vitest';
import { lookAgainMs } from '#client/giving/look-again.ts';

const createdAt = '2026-05-15T12:00:00.000Z';
const after = (seconds: number) => Date.parse(createdAt) + seconds * 1_000;

it.each([
  ['pending', null, true, 600, 3_000],
  ['failed', null, true, 0, null],
  ['expired', null, true, 0, null],
  ['refunded', null, true, 0, null],
  ['completed', null, true, 0, 5_000],
  ['completed', null, true, 119, 5_000],
  ['completed', null, true, 120, 15_000],
  ['completed', createdAt, true, 10, 15_000],
  ['completed', null, false, 10, 15_000],
] as const)('a tip that is %s, thanked %s, to its giver %s, after %i s: %s', (status, thankedAt, isGiver, seconds, ms) => {
  expect(lookAgainMs({ status, createdAt, thankedAt }, isGiver, after(seconds))).toBe(ms);
});
