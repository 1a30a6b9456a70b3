/** What shift mode makes of tips: what guests are shown of those that arrive. */
import { describe, expect, it } from 'vitest';
import { givenSum, guestsOf, momentWith } from '#client/dashboard/shift/moment.ts';
import { newTransactionId, newUserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';

let count = 0;
/** @param giver a number for each; null for a guest without an account. */
function tip(dollars: number, giver: number | null) {
  count += 1;
  return {
    id: newTransactionId((size) => Buffer.alloc(size, count)),
    amountCents: cents(dollars * 100),
    giverId: giver === null ? null : newUserId((size) => Buffer.alloc(size, giver)),
  };
}

describe('guests are thanked', () => {
  it('for the sum as it was given, together when there are several', () => {
    expect(givenSum([tip(25, 1)])).toBe('$25.00');
    expect(guestsOf([tip(25, 1)])).toBeNull();
    const tips = [tip(25, 1), tip(10, 2), tip(1_000, null), tip(12.5, null)];
    expect(givenSum(tips)).toBe('$1,047.50');
    expect(guestsOf(tips)).toBe('from 4 guests');
    expect(guestsOf([tip(25, 1), tip(10, 1)])).toBeNull();
  });

  it('together while the screen glows, and on their own afterwards', () => {
    const [first, second, third] = [tip(10, 1), tip(20, 2), tip(30, 3)];
    const one = momentWith(null, [first], 1_000);
    expect(one).toEqual({ tips: [first], sinceMs: 1_000, lastMs: 1_000, isGlowing: true });
    const two = momentWith(one, [second], 2_500);
    expect(two).toEqual({ tips: [first, second], sinceMs: 1_000, lastMs: 2_500, isGlowing: true });
    expect(momentWith({ ...two, isGlowing: false }, [third], 5_000).tips).toEqual([third]);
  });

  it('for a sum that does not grow for ever while tips flood in, and the glow goes on', () => {
    const tips = Array.from({ length: 60 }, () => tip(10, null));
    let moment = momentWith(null, tips.slice(0, 1), 0);
    for (const [index, next] of tips.entries()) {
      moment = momentWith(moment, [next], index * 1_000);
      expect(moment.isGlowing).toBe(true);
      expect(moment.tips.length).toBeLessThanOrEqual(21);
    }
  });
});
