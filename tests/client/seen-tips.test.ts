/** Which tips count as new on a device. */
import { expect, it } from 'vitest';
import { newTips } from '#client/dashboard/live/seen-tips.ts';

const tips = ['third', 'second', 'first'].map((id) => ({ id }));

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
