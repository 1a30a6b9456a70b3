/**
 * The attempt to pay, with its idempotency key. It survives a reload until its outcome is known, and leaves one tip, however
 * often it is sent.
 */
import { type Cents, cents } from '#shared/money.ts';
import { newIdempotencyKey } from '../idempotency-key.ts';
import { read, remove, write } from '../tab-storage.ts';
import { GUEST } from './payer.ts';

export interface Attempt {
  readonly key: string;
  /** The id of the account that pays, or GUEST. */
  readonly userId: string;
  readonly amountCents: Cents;
  /** Whether it was sent; its outcome is not known then. */
  readonly wasSent: boolean;
  /** The name of the transaction that is to be paid at a payment service, once that has a page for it. */
  readonly transactionId?: string;
}

/** The attempt to pay this amount: the open one if there is one, else a new one. */
export function openAttempt(qrId: string, payerId: string, amountCents: Cents): Attempt {
  const open = unsettledAttempt(qrId, payerId);
  if (open?.amountCents === amountCents) return open;
  const attempt = { key: newIdempotencyKey(), userId: payerId, amountCents, wasSent: false };
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

/**
 * The open attempt of this payer at this code; null without one. What a guest has sent is everybody's in this tab: whoever logs in
 * before its outcome is known goes on with it, because another attempt might pay twice.
 */
export function unsettledAttempt(qrId: string, payerId: string): Attempt | null {
  const attempt = keptAttempt(qrId);
  const isOwn = attempt?.userId === payerId || (attempt?.userId === GUEST && attempt.wasSent);
  return isOwn ? attempt : null;
}

/** Whether an account has sent an attempt at this code whose outcome is not known: a guest would perhaps pay it twice. */
export function awaitsLogin(qrId: string): boolean {
  const attempt = keptAttempt(qrId);
  return attempt?.wasSent === true && attempt.userId !== GUEST;
}

function keptAttempt(qrId: string): Attempt | null {
  const stored = read(attemptName(qrId));
  if (!isRecord(stored)) return null;
  const { key, userId, amountCents, wasSent, transactionId } = stored;
  if (typeof key !== 'string' || typeof userId !== 'string') return null;
  if (typeof amountCents !== 'number' || !Number.isSafeInteger(amountCents)) return null;
  return {
    ...{ key, userId, amountCents: cents(amountCents), wasSent: wasSent === true },
    ...(typeof transactionId === 'string' && { transactionId }),
  };
}

const attemptName = (qrId: string) => `tip-attempt:${qrId}`;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
