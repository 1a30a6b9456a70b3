import type { Transaction } from '#shared/tips.ts';
import { nameOf } from '../giving/guest-receipt.ts';
import type { Receipt } from './tip-flow.ts';

export function receiptOf(transaction: Transaction): Receipt {
  const { amountCents, giverFeeCents, createdAt: paidAt, paymentMode, thankYou } = transaction;
  const { undoUntil, capturesAt } = transaction;
  const transactionId = nameOf(transaction);
  return { amountCents, giverFeeCents, paidAt, transactionId, paymentMode, thankYou, undoUntil, capturesAt };
}

/** True for a tip of this giver to this code. Only the guest who gave a tip receives the link to its receipt. */
export function isOf({ giverId, qrCodeId, receiptUrl }: Transaction, qrId: string, payerId: string): boolean {
  return (giverId === payerId || receiptUrl !== null) && qrCodeId === qrId;
}
