/** Reads what `receiptTokenFrom` writes; apart from ids.ts, which every page has. */
import type { TransactionId } from './ids.ts';

export const RECEIPT_TOKEN = /^([0-9a-hjkmnp-tv-z]{26})[0-9a-hjkmnp-tv-z]{26}$/;

/** The transaction that a text would be the token of; null when it has not the form of one. */
export function transactionOfToken(text: string): TransactionId | null {
  const [, id] = RECEIPT_TOKEN.exec(text) ?? [];
  return id === undefined ? null : (`txn_${id}` as TransactionId);
}
