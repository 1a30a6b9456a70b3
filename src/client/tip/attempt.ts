/**
 * What must survive a reload, per tab: the amount while somebody logs in, and one idempotency key for each attempt to
 * pay, kept until its outcome is known. Sent again, however often, the same attempt leaves one tip.
 */

import type { Cents } from '#shared/money.ts';
import { cents } from '#shared/money.ts';

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

const attemptName = (qrId: string) => `tip-attempt:${qrId}`;
const amountName = (qrId: string) => `tip-amount:${qrId}`;

/** 128 random bits; `crypto.randomUUID` does not exist on plain http, where a phone on the same network tries this. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Where storage is forbidden, the page's own memory does: a reload forgets, a double tap does not. */
const memory = new Map<string, string>();

function write(name: string, value: unknown): void {
  const text = JSON.stringify(value);
  memory.set(name, text);
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // See memory.
  }
}

function read(name: string): unknown {
  let text = memory.get(name) ?? null;
  try {
    text = sessionStorage.getItem(name) ?? text;
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

function remove(name: string): void {
  memory.delete(name);
  try {
    sessionStorage.removeItem(name);
  } catch {
    // See memory.
  }
}
