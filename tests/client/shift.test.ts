/** What shift mode makes of tips: what guests are shown of them, and what a night comes to at its end. */
import { describe, expect, it } from 'vitest';
import { givenSum, guestsOf, momentWith } from '#client/dashboard/shift/moment.ts';
import { endOf } from '#client/dashboard/shift/night.ts';
import { MAX_AT_ONCE, thankAll } from '#client/dashboard/shift/thank-all.ts';
import { dayAround } from '#shared/calendar.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { type GiverPseudonym, giverPseudonymFrom, newTransactionId, newUserId } from '#shared/ids.ts';
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

describe('the end of a night', () => {
  const ZONE = 'America/New_York';
  const night = dayAround(Date.parse('2026-05-16T03:00:00.000Z'), ZONE, 5);
  interface Written {
    readonly thanked?: boolean;
    readonly message?: string;
    readonly status?: 'completed' | 'refunded' | 'disputed';
    readonly isArriving?: boolean;
    readonly hidden?: boolean;
    readonly reported?: boolean;
    readonly giver?: GiverPseudonym;
  }
  const NOBODY = new Set<GiverPseudonym>();
  /** @param at in UTC, four hours ahead of New York. */
  function given(at: string, dollars: number, written: Written = {}) {
    const { thanked, message, giver = null, isArriving = false, hidden = false, reported = false } = written;
    return {
      amountCents: cents(dollars * 100),
      giverId: giver,
      createdAt: `2026-05-${at}:00.000Z`,
      status: isArriving ? ('pending' as const) : (written.status ?? 'completed'),
      capturesAt: isArriving ? '2026-05-16T09:00:00.000Z' : null,
      thankedAt: thanked ? '2026-05-16T05:00:00.000Z' : null,
      message: message ?? null,
      wordsHidden: hidden,
      reportedAt: reported ? '2026-05-16T05:00:00.000Z' : null,
    };
  }
  const afterClosing = given('16T09:30', 500);
  const late = given('16T06:10', 10, { isArriving: true });
  const busy = [given('16T03:50', 20), given('16T03:10', 30, { message: 'Best Negroni' })];
  const early = given('15T22:00', 40, { thanked: true });
  const refunded = given('15T23:00', 900, { status: 'refunded' });
  const disputed = given('15T23:10', 900, { status: 'disputed' });
  const lastNight = given('15T08:59', 700);
  const all = [afterClosing, late, ...busy, disputed, refunded, early, lastNight];

  it('has the hour in which the most was given, by the clock of the place', () => {
    expect(endOf(all, night, ZONE, NOBODY).bestHour).toBe(23);
    expect(endOf([late, early, given('15T22:30', 0)], night, ZONE, NOBODY).bestHour).toBe(18);
    expect(endOf([given('16T05:10', 40), early], night, ZONE, NOBODY).bestHour).toBe(18);
    expect(endOf([afterClosing, disputed, refunded, lastNight], night, ZONE, NOBODY).bestHour).toBeNull();
  });

  it('leaves those to thank who were not thanked yet, first those who wrote', () => {
    expect(endOf(all, night, ZONE, NOBODY).toThank).toEqual([busy[1], late, busy[0]]);
  });

  it('thanks nobody for a message that was hidden or reported', () => {
    const hidden = given('16T04:00', 10, { hidden: true });
    const reported = given('16T04:10', 10, { hidden: true, reported: true });
    const shownAgain = given('16T04:20', 10, { message: 'Sorry', reported: true });
    expect(endOf([hidden, reported, shownAgain, late], night, ZONE, NOBODY).toThank).toEqual([late]);
  });

  it('thanks nobody who is blocked', () => {
    const giver = (byte: number) => giverPseudonymFrom(new Uint8Array(32).fill(byte));
    const blocked = giver(1);
    const tips = [
      given('16T04:10', 10, { giver: blocked, message: 'Hey' }),
      given('16T04:00', 10, { giver: giver(2) }),
    ];
    const { toThank, bestHour } = endOf(tips, night, ZONE, new Set([blocked]));
    expect([toThank, bestHour]).toEqual([[tips[1]], 0]);
  });
});

describe('everybody is thanked', () => {
  const failing = (code: ErrorCode | null) => ({
    detail: null,
    code,
    status: code ? 409 : null,
    fieldErrors: [],
    retryAfterSeconds: null,
  });
  class Refusal extends Error {
    readonly errorCode: ErrorCode | null;
    constructor(errorCode: ErrorCode | null) {
      super(errorCode ?? 'no answer');
      this.errorCode = errorCode;
    }
  }
  /** @param codes the refusal of each tip that is refused. */
  async function run(count: number, codes: Readonly<Record<number, ErrorCode | null>>) {
    const tried: number[] = [];
    const outcome = await thankAll([...Array(count).keys()], {
      async thank(tip) {
        tried.push(tip);
        const code = codes[tip];
        if (code !== undefined) throw new Refusal(code);
      },
      failureOf: (error) => failing(error instanceof Refusal ? error.errorCode : null),
    });
    return { tried: tried.length, ...outcome };
  }

  it('also when some were thanked elsewhere, or have taken their tip back', async () => {
    expect(await run(23, { 2: 'thanked_already', 15: 'transaction_not_found' })).toEqual({
      tried: 23,
      thankedCount: 21,
      skippedCount: 2,
      failure: null,
    });
  });

  it('until something fails that the rest would meet as well, and what was sent counts', async () => {
    for (const code of [null, 'too_many_requests'] as const) {
      expect(await run(MAX_AT_ONCE, { 14: code, 3: 'thanked_already' })).toEqual({
        tried: 20,
        thankedCount: 18,
        skippedCount: 1,
        failure: failing(code),
      });
    }
  });
});
