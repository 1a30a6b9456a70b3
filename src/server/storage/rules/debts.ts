/** Debts of payments that an operator ends: written off, or paid in another way. */
import { cents } from '#shared/money.ts';
import type { PaymentRecord, Payments } from '../port/payments.ts';

/** The payment without a debt that an operator has ended; null when nothing is owed. */
export function settledPayment(
  payment: PaymentRecord,
  debt: Parameters<Payments['settleDebt']>[1],
  nowMs: number,
): PaymentRecord | null {
  const { owedByReceiverCents, owedToGiverCents, settledByReceiverCents, settledToGiverCents } = payment;
  const isByReceiver = debt === 'owed_by_receiver';
  if ((isByReceiver ? owedByReceiverCents : owedToGiverCents) === 0) return null;
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
