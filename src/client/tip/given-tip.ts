/** What a transaction tells its giver. */
import type { Transaction } from '#shared/tips.ts';
import { nameOf } from '../giving/guest-receipt.ts';
import type { Receipt } from './tip-flow.ts';

/** The receipt of a transaction that was paid. */
export function receiptOf(transaction: Transaction): Receipt {
  const { amountCents, giverFeeCents, createdAt: paidAt, paymentMode, thankYou } = transaction;
  return { amountCents, giverFeeCents, paidAt, transactionId: nameOf(transaction), paymentMode, thankYou };
}

/**
 * Whether it is a tip of this giver to this code. Only the guest who gave a tip is told the link to its
 * receipt.
 */
export function isOf({ giverId, qrCodeId, receiptUrl }: Transaction, qrId: string, payerId: string): boolean {
  return (giverId === payerId || receiptUrl !== null) && qrCodeId === qrId;
}

/** Whether its giver has paid it, also when the money went back since. */
export function wasPaid({ status }: Pick<Transaction, 'status'>): boolean {
  return status === 'completed' || status === 'refunded';
}
