/**
 * The attempt to pay, with its idempotency key. It survives a reload until its outcome is known, and leaves one tip, however
 * often it is sent.
 */
import { type Cents, cents } from '#shared/money.ts';
import { newIdempotencyKey } from '../idempotency-key.ts';
import { read, remove, write } from '../tab-storage.ts';

export interface Attempt {
  readonly key: string;
  readonly userId: string;
  readonly amountCents: Cents;
  /** Whether it was sent; its outcome is not known then. */
  readonly wasSent: boolean;
  /** The transaction that is to be paid at a payment service, once that has a page for it. */
  readonly transactionId?: string;
}

/** The attempt to pay this amount: the open one if there is one, else a new one. */
export function openAttempt(qrId: string, userId: string, amountCents: Cents): Attempt {
  const open = unsettledAttempt(qrId, userId);
  if (open?.amountCents === amountCents) return open;
  const attempt = { key: newIdempotencyKey(), userId, amountCents, wasSent: false };
  write(attemptName(qrId), attempt);
  return attempt;
}

/** Remembers that the attempt was sent; to be called before it is sent. */
export function markSent(qrId: string, attempt: Attempt): void {
  write(attemptName(qrId), { ...attempt, wasSent: true });
}

/** Remembers the transaction that the attempt has begun at a payment service. */
export function markBegun(qrId: string, attempt: Attempt, transactionId: string): void {
  write(attemptName(qrId), { ...attempt, wasSent: true, transactionId });
}

/** Forgets the attempt, because its outcome is known. */
export function settleAttempt(qrId: string): void {
  remove(attemptName(qrId));
}

/** The open attempt of this user at this code; null without one. */
export function unsettledAttempt(qrId: string, userId: string): Attempt | null {
  const stored = read(attemptName(qrId));
  if (!isRecord(stored)) return null;
  const { key, amountCents, wasSent, transactionId } = stored;
  if (typeof key !== 'string' || typeof amountCents !== 'number' || !Number.isSafeInteger(amountCents))
    return null;
  if (stored['userId'] !== userId) return null;
  return {
    ...{ key, userId, amountCents: cents(amountCents), wasSent: wasSent === true },
    ...(typeof transactionId === 'string' && { transactionId }),
  };
}

const attemptName = (qrId: string) => `tip-attempt:${qrId}`;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
