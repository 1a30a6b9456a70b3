/**
 * What the ledger gets of the money of a charge: whatever happens to it at the payment service, and however often
 * and late it is read, the sums are those of where the money is.
 */
import { describe, expect, test } from 'vitest';
import type { ChargeState } from '#server/storage/port/payments.ts';
import { decideAdjustments, dueToReceiver, RELEASED } from '#server/storage/rules/adjustments.ts';
import { receiverPartOf } from '#server/storage/rules/debts.ts';
import type { TransactionId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { createChance } from '#tests/support/chance.ts';

const NOW = 1_000_000;

type Payment = Parameters<typeof decideAdjustments>[0];
type Refund = ChargeState['refunds'][number];
type Dispute = ChargeState['disputes'][number];

function paymentOf(amountCents: number, giverFeeCents: number, receiverFeeCents: number): Payment {
  return {
    state: 'succeeded',
    amountCents: cents(amountCents),
    giverFeeCents: cents(giverFeeCents),
    netAmountCents: cents(amountCents - receiverFeeCents),
    adjustments: [],
    owedByReceiverCents: cents(0),
    owedToGiverCents: cents(0),
    owedToReceiverCents: cents(0),
    settledByReceiverCents: cents(0),
    settledToGiverCents: cents(0),
    settledToReceiverCents: cents(0),
  };
}

const TIP = paymentOf(10_000, 500, 300);
const WHOLE = 10_500;

function chargeOf(changes: Partial<ChargeState> = {}): ChargeState {
  return {
    chargeId: 'pi_1',
    transactionId: 'txn_1' as TransactionId,
    state: 'captured',
    chargedCents: WHOLE,
    refunds: [],
    disputes: [],
    transfer: { cents: WHOLE, reversedCents: 0 },
    ...changes,
  };
}

const refundOf = (id: string, refunded: number, hasFailed = false, createdAtMs = 1): Refund => ({
  id,
  cents: refunded,
  hasFailed,
  createdAtMs,
});
const disputeOf = (
  id: string,
  disputed: number,
  state: Dispute['state'] = 'open',
  openedAtMs = 2,
): Dispute => ({
  id,
  cents: disputed,
  state,
  openedAtMs,
  answerByMs: null,
  givenBackCents: 0,
});

interface Ledger {
  readonly payment: Payment;
  /** What the entries of the two people come to, and what the giver paid in all. */
  readonly given: number;
  readonly received: number;
  readonly paid: number;
}

const begun = (payment: Payment): Ledger => ({
  payment,
  given: payment.amountCents,
  received: payment.netAmountCents,
  paid: payment.amountCents + payment.giverFeeCents,
});

/** Enters what a reading shows, as the storage does; nothing is below zero in between. */
function read(ledger: Ledger, charge: ChargeState): Ledger {
  const { adjustments, isRefunded, ...owed } = decideAdjustments(ledger.payment, charge, NOW);
  let { given, received, paid } = ledger;
  for (const one of adjustments) {
    expect(one.netAmountCents + one.receiverFeeCents).toBe(one.amountCents);
    expect(Object.is(one.netAmountCents, -0)).toBe(false);
    given += one.amountCents;
    received += one.netAmountCents;
    paid += one.amountCents + one.giverFeeCents;
    expect(Math.min(given, received, paid)).toBeGreaterThanOrEqual(0);
  }
  const payment: Payment = {
    ...ledger.payment,
    ...owed,
    adjustments: [...ledger.payment.adjustments, ...adjustments],
  };
  const names = payment.adjustments.map(({ kind, source }) => `${kind} ${source}`);
  expect(new Set(names).size).toBe(names.length);
  if (!isRefunded) return { payment, given, received, paid };
  return read({ payment: { ...payment, state: 'refunded' }, given: 0, received: 0, paid: 0 }, charge);
}

const kindsIn = ({ payment }: Ledger) => payment.adjustments.map(({ kind }) => kind);
const sumsIn = ({ given, received, paid }: Ledger) => ({ given, received, paid });

describe('a charge that was read', () => {
  test('leaves nothing to do when nothing happened to it, or when it is read again', () => {
    expect(decideAdjustments(TIP, chargeOf(), NOW)).toEqual({
      adjustments: [],
      isRefunded: false,
      owedByReceiverCents: 0,
      owedToGiverCents: 0,
      owedToReceiverCents: 0,
      settledByReceiverCents: 0,
    });
    const charge = chargeOf({ refunds: [refundOf('re_1', 100)], disputes: [disputeOf('dp_1', 200)] });
    const ledger = read(begun(TIP), charge);
    expect(read(ledger, charge)).toEqual(ledger);
  });

  test('leaves nothing to do before its money was captured, and without a charge', () => {
    const refunds = [refundOf('re_1', WHOLE)];
    for (const state of ['authorised', 'cancelled'] as const)
      expect(decideAdjustments(TIP, chargeOf({ state, refunds }), NOW)).toMatchObject({ adjustments: [] });
    for (const state of ['pending', 'authorised', 'cancelled'] as const)
      expect(decideAdjustments({ ...TIP, state }, chargeOf({ refunds }), NOW)).toMatchObject({
        adjustments: [],
        isRefunded: false,
      });
  });

  test('of which a part was refunded gives the proportional parts back, dated when it is read', () => {
    const refunds = [refundOf('re_1', 2_000)];
    const due = decideAdjustments(TIP, chargeOf({ refunds }), NOW);
    expect(due.adjustments).toEqual([
      {
        kind: 'refund',
        source: 're_1',
        // Of 2,000 cents 10,000 in 10,500 are the amount, and of these 9,700 in 10,000 reached the receiver.
        amountCents: -1_905,
        giverFeeCents: -95,
        netAmountCents: -1_848,
        receiverFeeCents: -57,
        createdAtMs: NOW,
      },
    ]);
    expect(due).toMatchObject({ isRefunded: false, owedByReceiverCents: 2_000, owedToGiverCents: 0 });
    const taken = chargeOf({ refunds, transfer: { cents: WHOLE, reversedCents: 2_000 } });
    expect(decideAdjustments(TIP, taken, NOW)).toMatchObject({ owedByReceiverCents: 0 });
  });

  test('of which all was refunded is reversed, which leaves nothing of either side', () => {
    const partial = chargeOf({ refunds: [refundOf('re_1', 3_333)] });
    const full = chargeOf({ refunds: [refundOf('re_1', 3_333), refundOf('re_2', WHOLE - 3_333)] });
    for (const ledger of [read(begun(TIP), full), read(read(begun(TIP), partial), full)]) {
      expect(ledger.payment.state).toBe('refunded');
      expect(kindsIn(ledger)).toEqual(['refund']);
      expect(sumsIn(ledger)).toEqual({ given: 0, received: 0, paid: 0 });
    }
  });

  test('that is disputed is gone, and back when the dispute is won', () => {
    const opened = read(begun(TIP), chargeOf({ disputes: [disputeOf('dp_1', WHOLE)] }));
    expect(opened.payment.state).toBe('succeeded');
    expect(sumsIn(opened)).toEqual({ given: 0, received: 0, paid: 0 });
    expect(opened.payment.owedByReceiverCents).toBe(WHOLE);
    const lost = read(opened, chargeOf({ disputes: [disputeOf('dp_1', WHOLE, 'lost')] }));
    expect(kindsIn(lost)).toEqual(['dispute', 'dispute_lost']);
    expect(sumsIn(lost)).toEqual(sumsIn(opened));
    const transfer = { cents: WHOLE, reversedCents: WHOLE };
    const won = read(opened, chargeOf({ disputes: [disputeOf('dp_1', WHOLE, 'won')], transfer }));
    expect(kindsIn(won)).toEqual(['dispute', 'dispute_won']);
    expect(sumsIn(won)).toEqual(sumsIn(begun(TIP)));
    expect(won.payment).toMatchObject({ owedByReceiverCents: 0, owedToReceiverCents: WHOLE });
    const back = read(won, chargeOf({ disputes: [disputeOf('dp_1', WHOLE, 'won')] }));
    expect(back.payment).toMatchObject({ owedByReceiverCents: 0, owedToReceiverCents: 0 });
    expect(kindsIn(back)).toEqual(kindsIn(won));
  });

  test('of which a part was refunded before it was disputed loses what was left', () => {
    const refunds = [refundOf('re_1', 4_000)];
    // Banks also take the whole of a charge of which a part went back.
    for (const disputed of [WHOLE - 4_000, WHOLE]) {
      const opened = read(begun(TIP), chargeOf({ refunds, disputes: [disputeOf('dp_1', disputed)] }));
      expect(sumsIn(opened)).toEqual({ given: 0, received: 0, paid: 0 });
      const won = read(opened, chargeOf({ refunds, disputes: [disputeOf('dp_1', disputed, 'won')] }));
      expect(sumsIn(won)).toEqual(sumsIn(read(begun(TIP), chargeOf({ refunds }))));
    }
  });

  test('whose refund failed leaves the receiver without it and the giver with a claim, also after a reversal', () => {
    const failed = refundOf('re_1', 2_000, true);
    const ledger = read(begun(TIP), chargeOf({ refunds: [failed] }));
    expect(kindsIn(ledger)).toEqual(['refund', 'refund_failed']);
    expect(sumsIn(ledger)).toEqual({ given: 10_000, received: 9_700 - 1_848, paid: WHOLE });
    expect(ledger.payment.owedToGiverCents).toBe(2_000);
    const reversed = read(begun(TIP), chargeOf({ refunds: [refundOf('re_1', WHOLE)] }));
    const later = read(reversed, chargeOf({ refunds: [refundOf('re_1', WHOLE, true)] }));
    expect(kindsIn(later)).toEqual(['refund_failed']);
    expect(sumsIn(later)).toEqual({ given: 10_000, received: 0, paid: WHOLE });
    expect(later.payment.owedToGiverCents).toBe(WHOLE);
  });

  test('from whose receiver the operator took is debited, unless a refund or a dispute explains it', () => {
    const transfer = { cents: WHOLE, reversedCents: 1_000 };
    const debited = read(begun(TIP), chargeOf({ transfer }));
    expect(kindsIn(debited)).toEqual(['debit']);
    expect(sumsIn(debited)).toEqual({ given: 10_000, received: 9_700 - 924, paid: WHOLE });
    const refunds = [refundOf('re_1', 1_000)];
    const explained = read(begun(TIP), chargeOf({ transfer, refunds }));
    expect(kindsIn(explained)).toEqual(['refund']);
    expect(explained.payment.owedByReceiverCents).toBe(0);
    // It was taken before the refund was made, and read in between.
    const later = read(debited, chargeOf({ transfer, refunds }));
    expect(kindsIn(later)).toEqual(['debit', 'refund']);
    expect(later.payment.adjustments.at(-1)).toMatchObject({ netAmountCents: 0 });
    expect(sumsIn(later)).toEqual(sumsIn(explained));
    const disputed = chargeOf({ transfer, disputes: [disputeOf('dp_1', 1_000, 'won')] });
    expect(kindsIn(read(begun(TIP), disputed))).toEqual(['dispute', 'dispute_won']);
  });

  test('from whose receiver the operator took what was won and given back is debited, and gets it no second time', () => {
    const disputes = [{ ...disputeOf('dp_1', WHOLE, 'won'), givenBackCents: WHOLE }];
    const won = read(begun(TIP), chargeOf({ disputes }));
    const debited = read(won, chargeOf({ disputes, transfer: { cents: WHOLE, reversedCents: 1_000 } }));
    expect(kindsIn(debited)).toEqual(['dispute', 'dispute_won', 'debit']);
    expect(sumsIn(debited)).toEqual({ given: 10_000, received: 9_700 - 924, paid: WHOLE });
    expect(debited.payment).toMatchObject({ owedByReceiverCents: 0, owedToReceiverCents: 0 });
  });

  test('of which a dispute of the whole was won after a refund is given back what was taken, and no later debit', () => {
    const refunds = [refundOf('re_1', 2_000)];
    const dispute = disputeOf('dp_1', WHOLE, 'won');
    const taken = chargeOf({
      refunds,
      disputes: [dispute],
      transfer: { cents: WHOLE, reversedCents: WHOLE },
    });
    expect(dueToReceiver(TIP, taken)).toEqual([{ id: 'dp_1', cents: WHOLE - 2_000, givenBackCents: 0 }]);
    const disputes = [{ ...dispute, givenBackCents: WHOLE - 2_000 }];
    const debited = chargeOf({ refunds, disputes, transfer: { cents: WHOLE, reversedCents: 3_000 } });
    const ledger = read(read(begun(TIP), taken), debited);
    expect(kindsIn(ledger)).toEqual(['refund', 'dispute', 'dispute_won', 'debit']);
    expect(ledger.payment).toMatchObject({ owedByReceiverCents: 0, owedToReceiverCents: 0 });
  });

  test('of which more was taken while a part of a won dispute was given back leaves the receiver the rest, without a debit', () => {
    const refunds = [refundOf('re_1', 100, false, 9)];
    const disputes = [{ ...disputeOf('dp_1', 1_000, 'won'), givenBackCents: 900 }];
    const late = chargeOf({ refunds, disputes, transfer: { cents: WHOLE, reversedCents: 200 } });
    const ledger = read(begun(TIP), late);
    expect(kindsIn(ledger)).toEqual(['dispute', 'dispute_won', 'refund']);
    expect(ledger.payment.owedToReceiverCents).toBe(100);
    expect(dueToReceiver(TIP, late)).toEqual([{ id: 'dp_1', cents: 100, givenBackCents: 900 }]);
  });

  test('whose tip an earlier version reversed for a dispute stays as it is, and what its receiver kept is owed', () => {
    const reversed = { ...TIP, state: 'refunded' } as const;
    const disputed = chargeOf({ disputes: [disputeOf('dp_1', WHOLE, 'lost')] });
    expect(decideAdjustments(reversed, disputed, NOW)).toMatchObject({
      adjustments: [],
      isRefunded: false,
      owedByReceiverCents: WHOLE,
    });
    const taken = chargeOf({ ...disputed, transfer: { cents: WHOLE, reversedCents: WHOLE } });
    expect(decideAdjustments(reversed, taken, NOW)).toMatchObject({
      adjustments: [],
      owedByReceiverCents: 0,
    });
  });
});

describe('what an operator has written off', () => {
  /** Whatever the receiver owes at the moment. */
  const writeOff = (ledger: Ledger): Ledger => {
    const { owedByReceiverCents, settledByReceiverCents } = ledger.payment;
    const settled = cents(settledByReceiverCents + owedByReceiverCents);
    const payment = { ...ledger.payment, owedByReceiverCents: cents(0), settledByReceiverCents: settled };
    return { ...ledger, payment };
  };
  const debtsIn = ({ payment }: Ledger) => ({
    owes: payment.owedByReceiverCents,
    gets: payment.owedToReceiverCents,
    writtenOff: payment.settledByReceiverCents,
  });
  const debts = (owes: number, gets: number, writtenOff: number) => ({ owes, gets, writtenOff });
  const opened = disputeOf('dp_1', 4_000);
  const won = disputeOf('dp_1', 4_000, 'won');
  const refunds = [refundOf('re_1', 2_000)];

  test('for a dispute is over when it is won: the receiver has kept what is theirs, and owes whatever goes back later', () => {
    const gone = read(begun(TIP), chargeOf({ disputes: [disputeOf('dp_1', WHOLE)] }));
    const disputes = [disputeOf('dp_1', WHOLE, 'won')];
    const back = read(writeOff(gone), chargeOf({ disputes }));
    expect(debtsIn(back)).toEqual(debts(0, 0, 0));
    expect(sumsIn(back)).toEqual(sumsIn(begun(TIP)));
    expect(debtsIn(read(back, chargeOf({ disputes, refunds: [refundOf('re_1', 5_000, false, 9)] })))).toEqual(
      debts(5_000, 0, 0),
    );
  });

  test('for a dispute counts for nothing else when it is won', () => {
    const written = writeOff(read(begun(TIP), chargeOf({ disputes: [opened] })));
    const later = [refundOf('re_1', 2_000, false, 9)];
    const owing = read(written, chargeOf({ disputes: [opened], refunds: later }));
    expect(debtsIn(owing)).toEqual(debts(2_000, 0, 4_000));
    expect(debtsIn(read(owing, chargeOf({ disputes: [won], refunds: later })))).toEqual(debts(2_000, 0, 0));
    const transfer = { cents: WHOLE, reversedCents: 2_000 };
    expect(debtsIn(read(owing, chargeOf({ disputes: [won], refunds: later, transfer })))).toEqual(
      debts(0, 0, 0),
    );
  });

  test('for a refund stays written off when a dispute of the same tip is won', () => {
    const written = writeOff(read(begun(TIP), chargeOf({ refunds })));
    const owing = read(written, chargeOf({ refunds, disputes: [opened] }));
    expect(debtsIn(owing)).toEqual(debts(4_000, 0, 2_000));
    expect(debtsIn(read(owing, chargeOf({ refunds, disputes: [won] })))).toEqual(debts(0, 0, 2_000));
    const both = writeOff(owing);
    expect(debtsIn(read(both, chargeOf({ refunds, disputes: [won] })))).toEqual(debts(0, 0, 2_000));
  });

  test('is not given a second time with what was won and had been taken back', () => {
    const transfer = { cents: WHOLE, reversedCents: 4_000 };
    const taken = read(begun(TIP), chargeOf({ disputes: [disputeOf('dp_1', 4_000, 'open', 0)], transfer }));
    const written = writeOff(read(taken, chargeOf({ disputes: [opened], refunds, transfer })));
    expect(debtsIn(written)).toEqual(debts(0, 0, 2_000));
    const ledger = read(written, chargeOf({ disputes: [won], refunds, transfer }));
    // They have 6,500 of 8,500.
    expect(debtsIn(ledger)).toEqual(debts(0, 2_000, 0));
    const given = { cents: WHOLE, reversedCents: 2_000 };
    expect(debtsIn(read(ledger, chargeOf({ disputes: [won], refunds, transfer: given })))).toEqual(
      debts(0, 0, 0),
    );
  });
});

test('of a debt the receiver’s part is after fees, which a partial capture keeps whole', () => {
  expect(receiverPartOf({ ...TIP, state: 'refunded' }, 5_250, 'owed_by_receiver')).toBe(4_850);
  const captured = 5_250;
  const part = chargeOf({
    partlyCaptured: { cents: captured, netCents: captured - 800 },
    refunds: [refundOf(`pi_1${RELEASED}`, WHOLE - captured)],
    disputes: [disputeOf('dp_1', captured)],
    transfer: { cents: WHOLE, reversedCents: WHOLE - captured },
  });
  const { payment } = read(begun(TIP), part);
  expect(payment.owedByReceiverCents).toBe(captured);
  expect(receiverPartOf(payment, payment.owedByReceiverCents, 'owed_by_receiver')).toBe(captured - 800);
});

test.each([
  ['a refund failed and all was disputed', [600], 1_000, 0, 950],
  ['a part was taken back of it', [600], 1_000, 600, 380],
  ['two refunds of all failed', [1_000, 1_000], 0, 0, 950],
])('of a debt the receiver’s part is no smaller where %s', (_, failed, disputed, reversedCents, part) => {
  const refunds = failed.map((refunded, place) => refundOf(`re_${place}`, refunded, true));
  const disputes = disputed > 0 ? [disputeOf('dp_1', disputed)] : [];
  const transfer = { cents: 1_000, reversedCents };
  const charge = chargeOf({ chargedCents: 1_000, refunds, disputes, transfer });
  const { payment } = read(begun(paymentOf(1_000, 0, 50)), charge);
  expect(payment.owedByReceiverCents).toBe(1_000 - reversedCents);
  expect(receiverPartOf(payment, payment.owedByReceiverCents, 'owed_by_receiver')).toBe(part);
});

test('of a debt the receiver’s part is what the ledger has of it, to the cent, whatever went back before', () => {
  const firsts = Array.from({ length: Math.ceil(WHOLE / 131) }, (_, place) => 1 + place * 131);
  for (const [first, hasFailed] of firsts.flatMap((cents) => [
    [cents, false] as const,
    [cents, true] as const,
  ]))
    for (const second of [1, 333, 1_050, 3_500]) {
      // What failed has gone back from the receiver once, whatever goes back to the giver after it.
      if (!hasFailed && first + second >= WHOLE) continue;
      const refund = refundOf('re_1', first, hasFailed);
      const transfer = { cents: WHOLE, reversedCents: first };
      const before = read(begun(TIP), chargeOf({ refunds: [refund], transfer }));
      const refunds = [refund, refundOf('re_2', second, false, 2)];
      const owing = read(before, chargeOf({ refunds, transfer })).payment;
      expect(receiverPartOf(owing, owing.owedByReceiverCents, 'owed_by_receiver')).toBe(
        0 - (owing.adjustments.at(-1)?.netAmountCents ?? 0),
      );
      const taken = {
        refunds: [refund],
        transfer: { cents: WHOLE, reversedCents: Math.min(WHOLE, first + second) },
      };
      const disputed = read(before, chargeOf({ ...taken, disputes: [disputeOf('dp_1', second)] }));
      const won = read(
        disputed,
        chargeOf({ ...taken, disputes: [disputeOf('dp_1', second, 'won')] }),
      ).payment;
      expect(receiverPartOf(won, won.owedToReceiverCents, 'owed_to_receiver')).toBe(
        won.adjustments.at(-1)?.netAmountCents,
      );
    }
});

describe('what an operator has paid to the receiver of won disputes', () => {
  const pay = (ledger: Ledger): Ledger => {
    const { owedToReceiverCents, settledToReceiverCents } = ledger.payment;
    const settled = cents(settledToReceiverCents + owedToReceiverCents);
    const payment = { ...ledger.payment, owedToReceiverCents: cents(0), settledToReceiverCents: settled };
    return { ...ledger, payment };
  };
  const debtsIn = ({ payment }: Ledger) => ({
    owes: payment.owedByReceiverCents,
    gets: payment.owedToReceiverCents,
    writtenOff: payment.settledByReceiverCents,
  });
  const debts = (owes: number, gets: number, writtenOff = 0) => ({ owes, gets, writtenOff });
  const transfer = { cents: WHOLE, reversedCents: WHOLE };
  const won = [disputeOf('dp_1', WHOLE, 'won')];
  const paid = () => {
    const opened = read(begun(TIP), chargeOf({ disputes: [disputeOf('dp_1', WHOLE)], transfer }));
    const due = read(opened, chargeOf({ disputes: won, transfer }));
    expect(debtsIn(due)).toEqual(debts(0, WHOLE));
    return pay(due);
  };

  test('is not due again', () => {
    const again = read(paid(), chargeOf({ disputes: won, transfer }));
    expect(debtsIn(again)).toEqual(debts(0, 0));
    expect(sumsIn(again)).toEqual(sumsIn(begun(TIP)));
    expect(dueToReceiver(again.payment, chargeOf({ disputes: won }))).toEqual([]);
  });

  test('and what rounded parts have left of no transfer is neither owed nor debited', () => {
    const transfer = { cents: WHOLE, reversedCents: 999, unmovableCents: 1 };
    const refunds = [refundOf('re_1', 1_000, false, 9)];
    const taken = read(begun(TIP), chargeOf({ refunds, transfer }));
    expect(debtsIn(taken)).toEqual(debts(0, 0));
    expect(kindsIn(taken)).toEqual(['refund']);
  });

  test('and what was given at the payment service as well comes back, without a debit', () => {
    const disputes = won.map((dispute) => ({ ...dispute, givenBackCents: WHOLE }));
    const twice = read(paid(), chargeOf({ disputes }));
    expect(debtsIn(twice)).toEqual(debts(WHOLE, 0));
    const back = read(twice, chargeOf({ disputes, transfer }));
    expect(debtsIn(back)).toEqual(debts(0, 0));
    expect(kindsIn(back)).toEqual(['dispute', 'dispute_won']);
    expect(sumsIn(back)).toEqual(sumsIn(begun(TIP)));
  });

  test('is owed like the rest when it goes back to the giver later, and may be written off', () => {
    const refunded = chargeOf({ disputes: won, refunds: [refundOf('re_1', 5_000, false, 9)], transfer });
    expect(debtsIn(read(paid(), refunded))).toEqual(debts(5_000, 0));
    const whole = chargeOf({ disputes: won, refunds: [refundOf('re_1', WHOLE, false, 9)], transfer });
    const all = read(paid(), whole);
    expect(debtsIn(all)).toEqual(debts(WHOLE, 0));
    expect(sumsIn(all)).toEqual({ given: 0, received: 0, paid: 0 });
    const disputes = [...won, disputeOf('dp_2', WHOLE, 'open', 9)];
    const gone = read(paid(), chargeOf({ disputes, transfer }));
    expect(debtsIn(gone)).toEqual(debts(WHOLE, 0));
    const payment = { ...gone.payment, owedByReceiverCents: cents(0), settledByReceiverCents: cents(WHOLE) };
    const kept = chargeOf({ disputes: [...won, disputeOf('dp_2', WHOLE, 'won', 9)], transfer });
    expect(debtsIn(read({ ...gone, payment }, kept))).toEqual(debts(0, 0));
  });

  test('is for the disputes of then: the money of a later one is due', () => {
    const taken = (reversedCents: number) => ({ cents: WHOLE, reversedCents });
    const first = disputeOf('dp_1', 4_000);
    const firstWon = disputeOf('dp_1', 4_000, 'won');
    const opened = read(begun(TIP), chargeOf({ disputes: [first], transfer: taken(4_000) }));
    const settled = pay(read(opened, chargeOf({ disputes: [firstWon], transfer: taken(4_000) })));
    const second = chargeOf({
      disputes: [firstWon, disputeOf('dp_2', 3_000, 'won', 9)],
      transfer: taken(7_000),
    });
    const due = read(settled, second);
    expect(debtsIn(due)).toEqual(debts(0, 3_000));
    expect(dueToReceiver(due.payment, second)).toEqual([{ id: 'dp_2', cents: 3_000, givenBackCents: 0 }]);
    expect(kindsIn(due)).not.toContain('debit');
  });
});

/** A charge to which things happen, as the payment service would let them. */
function createHistory(chance: ReturnType<typeof createChance>, whole: number) {
  let refunds: readonly Refund[] = [];
  let disputes: readonly Dispute[] = [];
  let reversedCents = 0;
  let atMs = 0;
  const left = () =>
    whole -
    refunds.filter(({ hasFailed }) => !hasFailed).reduce((sum, one) => sum + one.cents, 0) -
    disputes.filter(({ state }) => state !== 'won').reduce((sum, one) => sum + one.cents, 0);
  const part = (of: number) => (chance.below(3) === 0 ? of : 1 + chance.below(of));
  return {
    state: (): ChargeState =>
      chargeOf({ chargedCents: whole, refunds, disputes, transfer: { cents: whole, reversedCents } }),
    happen(): void {
      atMs += chance.below(2);
      const id = `${refunds.length + disputes.length}`;
      const [open, settled] = [
        disputes.find(({ state }) => state === 'open'),
        refunds.find(({ hasFailed }) => !hasFailed),
      ];
      const won = disputes.find(
        ({ state, cents, givenBackCents }) => state === 'won' && givenBackCents < cents,
      );
      switch (chance.below(6)) {
        case 0:
          if (left() > 0) refunds = [...refunds, refundOf(`re_${id}`, part(left()), false, atMs)];
          break;
        case 1:
          if (left() > 0) disputes = [...disputes, disputeOf(`dp_${id}`, part(left()), 'open', atMs)];
          break;
        case 2:
          disputes = disputes.map((one) =>
            one === open ? { ...one, state: chance.below(2) === 0 ? 'won' : 'lost' } : one,
          );
          break;
        case 3:
          if (chance.below(3) === 0)
            refunds = refunds.map((one) => (one === settled ? { ...one, hasFailed: true } : one));
          break;
        case 4:
          if (won && reversedCents > 0) {
            const given = part(Math.min(won.cents - won.givenBackCents, reversedCents));
            disputes = disputes.map((one) =>
              one === won ? { ...one, givenBackCents: one.givenBackCents + given } : one,
            );
            reversedCents -= given;
          }
          break;
        default:
          if (reversedCents < whole) reversedCents += part(whole - reversedCents);
      }
    },
  };
}

test('of 4,000 random histories each comes to the same however often it was read', () => {
  const chance = createChance(20_261_126);
  const seen = new Set<string>();
  for (let round = 0; round < 4_000; round += 1) {
    const amount = chance.pick([1, 7, 1_000, 1_000 + chance.below(9_000), 100_000_000_000]);
    const tip = paymentOf(amount, chance.below(Math.ceil(amount / 5)), chance.below(Math.ceil(amount / 5)));
    const whole = tip.amountCents + tip.giverFeeCents;
    const history = createHistory(chance, whole);
    let often = begun(tip);
    let seldom = begun(tip);
    for (let count = 1 + chance.below(9); count > 0; count -= 1) {
      history.happen();
      if (chance.below(3) > 0) often = read(often, history.state());
      if (chance.below(8) === 0) seldom = read(seldom, history.state());
    }
    often = read(often, history.state());
    seldom = read(seldom, history.state());
    const once = read(begun(tip), history.state());
    const wasReversed = [often, seldom, once].some(({ payment }) => payment.state === 'refunded');
    // A reversal leaves the receiver nothing, also when a refund fails later whose tip another reading adjusted.
    const compared = ({ given, received, paid, payment }: Ledger) => ({
      given,
      paid,
      received: wasReversed ? 'nothing is left' : received,
      owed: [payment.owedByReceiverCents, payment.owedToGiverCents, payment.owedToReceiverCents],
    });
    expect(compared(seldom), JSON.stringify(history.state())).toEqual(compared(often));
    expect(compared(once), JSON.stringify(history.state())).toEqual(compared(often));
    for (const kind of [...kindsIn(often), often.payment.state]) seen.add(kind);
  }
  expect([...seen].sort()).toEqual(
    [
      'debit',
      'dispute',
      'dispute_lost',
      'dispute_won',
      'refund',
      'refund_failed',
      'refunded',
      'succeeded',
    ].sort(),
  );
});
