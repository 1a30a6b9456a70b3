/** When something happens or ends, in the time zone of the device. */
import { expect, test } from 'vitest';
import { atTime, timeOf } from '#client/ui/later/time-of.ts';

const MOMENT = new Date(2026, 4, 15, 15, 12);
const [MORNING, DAY_BEFORE] = [new Date(2026, 4, 15, 8), new Date(2026, 4, 14, 15, 12)];
const spaced = (text: string) => text.replace(/\s/g, ' ');

test('is told by the time today, and by the date as well on another day', () => {
  expect(spaced(timeOf(MOMENT, MORNING))).toBe('3:12 PM');
  expect(spaced(timeOf(MOMENT, DAY_BEFORE))).toBe('May 15, 2026, 3:12 PM');
  expect(spaced(atTime(MOMENT.toISOString(), MORNING))).toBe('at 3:12 PM');
  expect(spaced(atTime(MOMENT.toISOString(), DAY_BEFORE))).toBe('on May 15, 2026, 3:12 PM');
});
