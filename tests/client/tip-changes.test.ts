/** What is said of money that moved after a tip was paid: it holds only for as long as it is so. */
import { describe, expect, it } from 'vitest';
import { toldChanges } from '#client/ui/later/tip-changes.ts';
import { cents } from '#shared/money.ts';
import type { TipChange } from '#shared/tips.ts';
import { transaction } from './transaction.ts';

const change = (kind: TipChange['kind'], amountCents: number, isOver = false): TipChange => ({
  kind,
  at: '2026-05-15T12:00:00.000Z',
  amountCents: cents(amountCents),
  isOver,
});
const told = (changes: TipChange[], isGiver = true) =>
  toldChanges({ ...transaction(20), changes }, isGiver).map(({ sentence }) => sentence);

describe('the changes of a tip', () => {
  it('have somebody ask for a failed refund only while it is owed to them', () => {
    expect(told([change('refund_failed', 525)])).toEqual([
      'A refund of $5.25 didn’t reach your card. It’s still yours: ask Tipwell for it.',
    ]);
    expect(told([change('refund_failed', 525, true), change('refund', -525)])).toEqual([
      'A refund of $5.25 didn’t reach your card. It has been paid to you since.',
      '$5.25 of your payment came back to you.',
    ]);
  });

  it('tell of a dispute that goes on though another one has ended', () => {
    const both = [change('dispute', -500, true), change('dispute', -700), change('dispute_won', 500)];
    expect(told(both)).toEqual([
      'Your bank took $5.00 back.',
      'Your bank took $7.00 back for you. It decides who gets it.',
      'Your bank decided that the tip stands, and charged you $5.00 again.',
    ]);
    expect(told(both, false)[0]).toBe('The customer’s bank took back $5.00.');
  });
});
