/**
 * Counts that are kept in memory: exact, bounded in what they remember, and true to the clock that they are
 * given, also when that is turned back.
 */
import { expect, test } from 'vitest';
import { createMemoryCounts } from '#server/limits/memory-counts.ts';

const MINUTE_MS = 60_000;
const MAX_REMEMBERED = 50_000;

const countOf = (account: string, limit = 'tip', maxCount = 2) => ({
  limit,
  account,
  address: '',
  maxCount,
  windowMs: MINUTE_MS,
});

test('attempts count within a window that begins with the first, for each subject of each limit by itself', () => {
  const counts = createMemoryCounts();
  const take = (account: string, nowMs: number, limit?: string) =>
    counts.takeAttempt([countOf(account, limit)], nowMs);
  expect([take('cam', 0), take('cam', 50_000)]).toEqual([{ outcome: 'taken' }, { outcome: 'taken' }]);
  expect(take('cam', 59_999)).toEqual({ outcome: 'used_up', freeAtMs: MINUTE_MS });
  expect(take('dan', 59_999)).toEqual({ outcome: 'taken' });
  expect(take('cam', 59_999, 'stream')).toEqual({ outcome: 'taken' });
  expect(take('cam', MINUTE_MS)).toEqual({ outcome: 'taken' });
});

test('an attempt is taken from all of several limits or from none', () => {
  const counts = createMemoryCounts();
  const [one, both] = [[countOf('cam')], [countOf('cam'), countOf('cam', 'stream')]];
  counts.takeAttempt(one, 0);
  expect(counts.takeAttempt(both, 0)).toEqual({ outcome: 'taken' });
  expect(counts.takeAttempt(both, 0)).toEqual({ outcome: 'used_up', freeAtMs: MINUTE_MS });
  counts.returnAttempt([countOf('cam')]);
  expect(counts.takeAttempt(both, 0)).toEqual({ outcome: 'taken' });
  expect(counts.takeAttempt([countOf('cam', 'stream')], 0).outcome).toBe('used_up');
});

test('a clock that is turned back keeps nobody waiting for longer than a window', () => {
  const counts = createMemoryCounts();
  const dayMs = 86_400_000;
  for (let turn = 0; turn < 2; turn++) counts.takeAttempt([countOf('cam')], dayMs);
  expect(counts.takeAttempt([countOf('cam')], 0)).toEqual({ outcome: 'used_up', freeAtMs: MINUTE_MS });
  expect(counts.takeAttempt([countOf('cam')], MINUTE_MS)).toEqual({ outcome: 'taken' });
});

test('what has ended is forgotten, and of too many the one whose window ends first', () => {
  const counts = createMemoryCounts();
  for (let index = 0; index < MAX_REMEMBERED; index++)
    counts.takeAttempt([countOf(`a${index}`, 'tip', 1)], 0);
  expect(counts.size('tip')).toBe(MAX_REMEMBERED);
  counts.takeAttempt([countOf('one more', 'tip', 1)], 0);
  expect(counts.size('tip')).toBe(MAX_REMEMBERED);
  expect(counts.takeAttempt([countOf('a1', 'tip', 1)], 0).outcome).toBe('used_up');
  expect(counts.takeAttempt([countOf('a0', 'tip', 1)], 0).outcome).toBe('taken');
  counts.takeAttempt([countOf('later', 'tip', 1)], MINUTE_MS);
  expect(counts.size('tip')).toBe(1);
});
