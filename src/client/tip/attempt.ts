/**
 * One idempotency key for each attempt to pay, which survives a reload until its outcome is known. Sent again, however
 * often, the same attempt leaves one tip.
 */
import { type Cents, cents } from '#shared/money.ts';
import { read, remove, write } from './tab-storage.ts';

export interface Attempt {
  readonly key: string;
  readonly userId: string;
  readonly amountCents: Cents;
  /** It went out, and nobody knows yet what became of it. */
  readonly wasSent: boolean;
}

/** The attempt to pay this amount: the one that is still open for it, or a new one. */
export function openAttempt(qrId: string, userId: string, amountCents: Cents): Attempt {
  const open = unsettledAttempt(qrId, userId);
  if (open?.amountCents === amountCents) return open;
  const attempt = { key: newKey(), userId, amountCents, wasSent: false };
  write(attemptName(qrId), attempt);
  return attempt;
}

/** Remembers that the attempt is on its way, before it is. */
export function markSent(qrId: string, attempt: Attempt): void {
  write(attemptName(qrId), { ...attempt, wasSent: true });
}

/** The outcome is known: the next payment is a new one. */
export function settleAttempt(qrId: string): void {
  remove(attemptName(qrId));
}

/** The attempt of this user at this code whose outcome is not known, if there is one. */
export function unsettledAttempt(qrId: string, userId: string): Attempt | null {
  const stored = read(attemptName(qrId));
  if (!isRecord(stored)) return null;
  const { key, amountCents, wasSent } = stored;
  if (typeof key !== 'string' || typeof amountCents !== 'number' || !Number.isSafeInteger(amountCents))
    return null;
  if (stored['userId'] !== userId) return null;
  return { key, userId, amountCents: cents(amountCents), wasSent: wasSent === true };
}

const attemptName = (qrId: string) => `tip-attempt:${qrId}`;

/** 128 random bits; `crypto.randomUUID` does not exist on plain http, where a phone on the same network tries this. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
