/** Debts of payments that an operator ends: written off, or paid in another way. */
import type { DebtKind } from '#shared/console/transactions.ts';
import { type Cents, cents } from '#shared/money.ts';
import type { Adjustment } from '../port/ledger.ts';
import type { PaymentRecord, Payments } from '../port/payments.ts';
import { partOf, RELEASED } from './adjustments.ts';

const SUMS = {
  owed_by_receiver: { owed: 'owedByReceiverCents', settled: 'settledByReceiverCents' },
  owed_to_giver: { owed: 'owedToGiverCents', settled: 'settledToGiverCents' },
  owed_to_receiver: { owed: 'owedToReceiverCents', settled: 'settledToReceiverCents' },
} as const satisfies Readonly<Record<DebtKind, Readonly<Record<'owed' | 'settled', keyof PaymentRecord>>>>;

/** The sums that a reading of the charge decides. */
export const DEBTS = [
  'owedByReceiverCents',
  'owedToGiverCents',
  'owedToReceiverCents',
  'settledByReceiverCents',
] as const;

/** The payment without a debt that an operator has ended; null when nothing is owed, or another sum than was seen. */
export function settledPayment(
  payment: PaymentRecord,
  debt: DebtKind,
  nowMs: number,
  seenCents?: number,
): PaymentRecord | null {
  const { owed, settled } = SUMS[debt];
  const owedCents = payment[owed];
  if (owedCents === 0 || (seenCents ?? owedCents) !== owedCents) return null;
  return {
    ...payment,
    [owed]: cents(0),
    [settled]: cents(payment[settled] + owedCents),
    changedAtMs: nowMs,
  };
}

/**
 * The payment service refunds all that has not reached the giver: also what an operator has paid to them in another way
 * since, because a refund had failed.
 */
export function mayRefundAll({ settledToGiverCents }: Pick<PaymentRecord, 'settledToGiverCents'>): boolean {
  return settledToGiverCents === 0;
}

/** Whether what was decided on `known` still holds: neither its money nor a debt has changed since. */
export function isAsKnown(payment: KnownPayment, known: KnownPayment): boolean {
  return (
    known.state === payment.state &&
    known.adjustments.length === payment.adjustments.length &&
    DEBTS.every((debt) => known[debt] === payment[debt]) &&
    known.settledToGiverCents === payment.settledToGiverCents &&
    known.settledToReceiverCents === payment.settledToReceiverCents
  );
}

type KnownPayment = Parameters<Payments['adjustPayment']>[1]['known'];

/**
 * The receiver's part, after fees, of a debt: the difference of two cumulated parts, as the ledger has it. By the ledger
 * alone, which has the rest of a partial capture as a refund.
 */
export function receiverPartOf(
  payment: Pick<PaymentRecord, 'state' | 'netAmountCents' | 'amountCents' | 'giverFeeCents' | 'adjustments'>,
  debtCents: number,
  debt: 'owed_by_receiver' | 'owed_to_receiver',
): Cents {
  const { state, netAmountCents, adjustments } = payment;
  const rest = adjustments.find(isRest);
  const whole = paidOf(payment) + (rest ? paidOf(rest) : 0);
  const net = netAmountCents + (rest?.netAmountCents ?? 0);
  // A refund that failed has gone back from the receiver all the same.
  const moved = adjustments.filter((one) => !isRest(one) && one.kind !== 'refund_failed');
  const returned = moved.reduce((left, one) => left - paidOf(one), 0);
  const back = state === 'refunded' ? whole : Math.min(whole, returned);
  const [from, to] = debt === 'owed_by_receiver' ? [back - debtCents, back] : [back, back + debtCents];
  return cents(partOf(net, to, whole) - partOf(net, from, whole));
}

function isRest({ kind, source }: Adjustment): boolean {
  return kind === 'refund' && source.endsWith(RELEASED);
}

function paidOf({ amountCents, giverFeeCents }: Pick<Adjustment, 'amountCents' | 'giverFeeCents'>): number {
  return amountCents + giverFeeCents;
}
