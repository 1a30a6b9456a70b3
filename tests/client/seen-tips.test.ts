/** Which tips count as new on a device. */
import { afterEach, expect, it, vi } from 'vitest';
import { newTips, remember, seenBy } from '#client/dashboard/live/seen-tips.ts';
import { newUserId } from '#shared/ids.ts';
import { fill, stubStorage } from './browser.ts';
import { transaction } from './transaction.ts';

const tips = ['third', 'second', 'first'].map((id) => ({ id }));

afterEach(() => {
  vi.unstubAllGlobals();
});

it('what came after the newest tip that was seen is new', () => {
  expect(newTips(tips, 'third')).toEqual([]);
  expect(newTips(tips, 'first')).toEqual(tips.slice(0, 2));
  expect(newTips(tips, 'older than the loaded ones')).toEqual(tips);
  expect(newTips(tips, 'none')).toEqual(tips);
});

it('a device that remembers nothing shows what came last, and not a whole history', () => {
  expect(newTips(tips, null)).toEqual(tips.slice(0, 1));
  expect(newTips([], null)).toEqual([]);
});

it('the tip that was seen last is remembered by the page itself where the storage is full', () => {
  const storage = stubStorage('localStorage');
  const somebody = newUserId((size) => Buffer.alloc(size, 3));
  remember(somebody, transaction(10));
  fill(storage);
  const newest = transaction(20);
  remember(somebody, newest);
  expect(seenBy(somebody)).toBe(newest.id);
});

it.each([false, true])('no older tip is remembered than was seen, by the same person (%s)', (isForbidden) => {
  stubStorage('localStorage', isForbidden);
  const [one, other] = [1, 2].map((byte) => newUserId((size) => Buffer.alloc(size, byte)));
  if (!one || !other) throw new Error('nobody');
  const [first, second] = ['00', '01'].map((second) =>
    transaction(10, { createdAt: `2026-05-15T12:00:${second}.000Z` }),
  );
  remember(one, undefined);
  expect(seenBy(one)).toBe('none');
  remember(one, second);
  // The list of another tab may be behind, or empty.
  remember(one, first);
  remember(one, undefined);
  expect(seenBy(one)).toBe(second?.id);
  remember(other, first);
  expect([seenBy(one), seenBy(other)]).toEqual([null, first?.id]);
});
