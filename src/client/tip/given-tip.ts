/** What a transaction tells its giver. */
import type { Transaction } from '#shared/tips.ts';
import type { Receipt } from './tip-flow.ts';

/** The receipt of a transaction that was paid. */
export function receiptOf(transaction: Transaction): Receipt {
  const { id: transactionId, amountCents, giverFeeCents, createdAt: paidAt, paymentMode } = transaction;
  return { amountCents, giverFeeCents, paidAt, transactionId, paymentMode };
}

/** Whether it is a tip of this giver to this code. */
export function isOf({ giverId, qrCodeId }: Transaction, qrId: string, userId: string): boolean {
  return giverId === userId && qrCodeId === qrId;
}

/** Whether its giver has paid it, also when the money went back since. */
export function wasPaid({ status }: Pick<Transaction, 'status'>): boolean {
  return status === 'completed' || status === 'refunded';
}
