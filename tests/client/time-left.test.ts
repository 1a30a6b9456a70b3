/** The time in which a tip can be taken back is told in words that are never too short. */
import { expect, test } from 'vitest';
import { countdown } from '#client/giving/later/left.ts';
import { timeLeft } from '#client/receipt/reversal.tsx';

test.each([
  [1, '1 second'],
  [59_001, '60 seconds'],
  [60_001, '2 minutes'],
  [599_000, '10 minutes'],
  [90 * 60_000, '90 minutes'],
  [24 * 3_600_000, '24 hours'],
])('%i ms are %s', (ms, words) => {
  expect(timeLeft(ms)).toBe(words);
});

test.each([
  [1, '0:01'],
  [597_001, '9:58'],
  [600_000, '10:00'],
  [3_599_001, '1:00:00'],
  [24 * 3_600_000, '24:00:00'],
])('%i ms count down as %s', (ms, clock) => {
  expect(countdown(ms)).toBe(clock);
});
