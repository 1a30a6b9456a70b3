import type { Transaction } from '#shared/tips.ts';
import { nameOf } from '../giving/guest-receipt.ts';
import type { Receipt } from './tip-flow.ts';

export function receiptOf(transaction: Transaction): Receipt {
  const { amountCents, giverFeeCents, createdAt: paidAt, paymentMode, thankYou, undoUntil } = transaction;
  const transactionId = nameOf(transaction);
  return { amountCents, giverFeeCents, paidAt, transactionId, paymentMode, thankYou, undoUntil };
}

/**
 * True for a tip of this giver to this code. Only the guest who gave a tip receives the link to its receipt.
 */
export function isOf({ giverId, qrCodeId, receiptUrl }: Transaction, qrId: string, payerId: string): boolean {
  return (giverId === payerId || receiptUrl !== null) && qrCodeId === qrId;
}

/** True also for a tip that was refunded after its payment. */
export function wasPaid({ status }: Pick<Transaction, 'status'>): boolean {
  return status === 'completed' || status === 'refunded';
}
