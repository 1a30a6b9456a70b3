/**
 * Keeps the chosen amount while somebody logs in.
 */
import { read, remove, write } from './tab-storage.ts';

/** @param figures the amount as somebody would type it. */
export function keepAmount(qrId: string, figures: string): void {
  write(amountName(qrId), figures);
}

/** Takes the kept amount away and returns it; an empty text without one. */
export function takeKeptAmount(qrId: string): string {
  const figures = read(amountName(qrId));
  remove(amountName(qrId));
  return typeof figures === 'string' ? figures : '';
}

const amountName = (qrId: string) => `tip-amount:${qrId}`;
