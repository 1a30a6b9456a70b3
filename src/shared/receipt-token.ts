/** Reads tokens of `receiptTokenFrom`. Apart from ids.ts, which every page loads. */
import type { TransactionId } from './ids.ts';

export const RECEIPT_TOKEN = /^([0-9a-hjkmnp-tv-z]{26})[0-9a-hjkmnp-tv-z]{26}$/;

/** Null for a text of another form. Whether the server has made the token is not known by it. */
export function transactionOfToken(text: string): TransactionId | null {
  const [, id] = RECEIPT_TOKEN.exec(text) ?? [];
  return id === undefined ? null : (`txn_${id}` as TransactionId);
}
