/**
 * An unguessable token identifies a guest's tip and gives its giver's rights. It consists of the tip's id and a keyed
 * digest, so that nothing is stored, and the receiver, who knows the id, cannot make it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type ReceiptToken, receiptTokenFrom, type TransactionId, transactionIdFrom } from '#shared/ids.ts';
import { transactionOfToken } from '#shared/receipt-token.ts';

export interface GuestReceipts {
  /** The same key gives the same tip. All guests share one space of keys, which therefore must be unguessable. */
  idFor(idempotencyKey: string): TransactionId;
  tokenOf(id: TransactionId): ReceiptToken;
  read(text: string): TransactionId | null;
}

/** @param key the installation's; another key invalidates every token. */
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
