/** How often an open page looks what became of a tip. */
import { expect, it } from 'vitest';
import { lookAgainMs } from '#client/giving/look-again.ts';

const createdAt = '2026-05-15T12:00:00.000Z';
const after = (seconds: number) => Date.parse(createdAt) + seconds * 1_000;

it.each([
  ['pending', null, true, 600, 3_000],
  ['arriving', null, true, 119, 5_000],
  ['arriving', null, true, 120, 15_000],
  ['arriving', null, false, 10, 15_000],
  ['disputed', null, true, 0, null],
  ['failed', null, true, 0, null],
  ['expired', null, true, 0, null],
  ['refunded', null, true, 0, null],
  ['completed', null, true, 0, 5_000],
  ['completed', null, true, 119, 5_000],
  ['completed', null, true, 120, 15_000],
  ['completed', createdAt, true, 10, 15_000],
  ['completed', null, false, 10, 15_000],
] as const)('a tip that is %s, thanked %s, to its giver %s, after %i s: %s', (state, thankedAt, isGiver, seconds, ms) => {
  const isArriving = state === 'arriving';
  const status = isArriving ? 'pending' : state;
  const capturesAt = isArriving ? '2026-05-15T12:10:00.000Z' : null;
  expect(lookAgainMs({ status, createdAt, thankedAt, capturesAt }, isGiver, after(seconds))).toBe(ms);
});
