/**
 * The receipts of guests, who have no account: an unguessable token stands for a guest's tip and for the
 * right of its giver. It is made of the tip's id and a keyed digest, so that nothing of it is stored, and the
 * receiver, who knows the id, cannot make it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ReceiptToken, receiptTokenFrom, type TransactionId, transactionIdFrom } from '#shared/ids.ts';
import { transactionOfToken } from '#shared/receipt-token.ts';

export interface GuestReceipts {
  /**
   * The id of the tip that a guest gives under an idempotency key: the same key gives the same id, and so the
   * same tip. Guests share all keys, which therefore have to be unguessable.
   */
  idFor(idempotencyKey: string): TransactionId;
  tokenOf(id: TransactionId): ReceiptToken;
  /** The tip that a token stands for; null for any other text. */
  read(text: string): TransactionId | null;
}

/** @param key of the installation; another key makes every token useless. */
export function createGuestReceipts(key: Uint8Array): GuestReceipts {
  const digest = (what: 'tip' | 'receipt', text: string) =>
    createHmac('sha256', key).update(`guest ${what} ${text}`).digest();
  const tokenOf = (id: TransactionId) => receiptTokenFrom(id, digest('receipt', id));
  return {
    idFor: (idempotencyKey) => transactionIdFrom(digest('tip', idempotencyKey)),
    tokenOf,
    read(text) {
      const id = transactionOfToken(text);
      if (id === null) return null;
      return timingSafeEqual(Buffer.from(text), Buffer.from(tokenOf(id))) ? id : null;
    },
  };
}
