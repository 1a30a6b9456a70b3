/**
 * The amount that waits while somebody logs in.
 */
import { read, remove, write } from './tab-storage.ts';

/** Keeps what was chosen, as it would be typed, while somebody logs in. */
export function keepAmount(qrId: string, text: string): void {
  write(amountName(qrId), text);
}

/** What was chosen before logging in; it is handed out once. */
export function takeKeptAmount(qrId: string): string {
  const text = read(amountName(qrId));
  remove(amountName(qrId));
  return typeof text === 'string' ? text : '';
}

const amountName = (qrId: string) => `tip-amount:${qrId}`;
