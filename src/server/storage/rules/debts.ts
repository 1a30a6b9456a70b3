/** Debts of payments that an operator ends: written off, or paid in another way. */
import { cents } from '#shared/money.ts';
import type { PaymentRecord, Payments } from '../port/payments.ts';

/** The payment without a debt that an operator has ended; null when nothing is owed, or another sum than was seen. */
export function settledPayment(
  payment: PaymentRecord,
  debt: Parameters<Payments['settleDebt']>[1],
  nowMs: number,
  seenCents?: number,
): PaymentRecord | null {
  const { owedByReceiverCents, owedToGiverCents, settledByReceiverCents, settledToGiverCents } = payment;
  const isByReceiver = debt === 'owed_by_receiver';
  const owedCents = isByReceiver ? owedByReceiverCents : owedToGiverCents;
  if (owedCents === 0 || (seenCents ?? owedCents) !== owedCents) return null;
  return {
    ...payment,
    ...(isByReceiver && {
      owedByReceiverCents: cents(0),
      settledByReceiverCents: cents(settledByReceiverCents + owedByReceiverCents),
    }),
    ...(!isByReceiver && {
      owedToGiverCents: cents(0),
      settledToGiverCents: cents(settledToGiverCents + owedToGiverCents),
    }),
    changedAtMs: nowMs,
  };
}
