/**
 * The attempt to pay, with its idempotency key. It survives a reload until its outcome is known, and leaves one tip,
 * however often it is sent.
 * The giver's message is part of it, because the server refuses a key that comes with another message. A giver can
 * change it until the attempt is sent: a new key for a new message might pay twice. Once it is certain that nothing was
 * paid, the next attempt gets a new key and the message.
 */
import type { FieldError } from '#shared/errors.ts';
import { type Cents, cents } from '#shared/money.ts';
import type { NewTip } from '#shared/tips.ts';
import { newIdempotencyKey } from '../giving/idempotency-key.ts';
import { read, remove, write } from '../giving/tab-storage.ts';
import { GUEST } from './payer.ts';

export interface TipMessage {
  readonly message: string;
  readonly withName: boolean;
  /** The mistakes in its fields, found by the server or by this page. */
  readonly complaints: readonly FieldError[];
}

export interface Attempt {
  readonly key: string;
  /** The id of the account that pays, or GUEST. */
  readonly userId: string;
  readonly amountCents: Cents;
  readonly wasSent: boolean;
  /** The name of the transaction that the payment service has a page for. */
  readonly transactionId?: string;
  readonly words?: TipMessage;
}

/** The open attempt for this amount, else a new one with the message that was written for another amount. */
export function openAttempt(qrId: string, payerId: string, amountCents: Cents): Attempt {
  const attempts = attemptsAt(qrId);
  const open = unsettledAttempt(qrId, payerId);
  if (open?.amountCents === amountCents) return open;
  // A guest's message stays theirs after a login; nobody gets the message of another account.
  const before = open ?? attempts.find(({ userId }) => userId === GUEST);
  const next = newAttempt({ userId: payerId, amountCents }, before?.words);
  keepAll(qrId, [...attempts.filter((other) => other.userId !== payerId && isSentByAccount(other)), next]);
  return next;
}

/** False for the key of an attempt that has ended or was replaced by another one. */
export function isAttemptOpen(qrId: string, key: string): boolean {
  return attemptsAt(qrId).some((attempt) => attempt.key === key);
}

/** Replaces or removes the message, unless the attempt was sent. */
export function reword(qrId: string, attempt: Attempt, words: TipMessage | undefined): Attempt {
  const { key, wasSent } = attempt;
  if (wasSent || attemptsAt(qrId).some((kept) => kept.key === key && kept.wasSent)) return attempt;
  const { words: _, ...wordless } = attempt;
  return keep(qrId, { ...wordless, ...(words && { words }) });
}

/** Remembers that the attempt was sent; called before it is sent. */
export function markSent(qrId: string, attempt: Attempt): void {
  keep(qrId, { ...attempt, wasSent: true });
}

/** Remembers the page on which an attempt is paid, unless its payer has another attempt by now. */
export function markBegun(qrId: string, attempt: Attempt, transactionId: string): void {
  if (isAttemptOpen(qrId, attempt.key)) keep(qrId, { ...attempt, wasSent: true, transactionId });
}

/** @param key of the attempt, whose outcome is known. */
export function settleAttempt(qrId: string, key: string): void {
  keepAll(
    qrId,
    attemptsAt(qrId).filter((other) => other.key !== key),
  );
}

/**
 * The next attempt after one of which it is certain that nothing was paid. It takes the place of that one alone.
 * @returns null when another one has its place by now.
 */
export function nextAttempt(qrId: string, attempt: Attempt, words = attempt.words): Attempt | null {
  return isAttemptOpen(qrId, attempt.key) ? keep(qrId, newAttempt(attempt, words)) : null;
}

/** Settles an attempt of which it is certain that nothing was paid. Only a message leaves another one. */
export function giveUpAttempt(qrId: string, attempt: Attempt): void {
  if (attempt.words) nextAttempt(qrId, attempt);
  else settleAttempt(qrId, attempt.key);
}

/**
 * An attempt that a guest has sent belongs to everybody in this tab: whoever logs in before its outcome is known goes
 * on with it, because another attempt might pay twice. What an account has sent is its own again when it returns.
 */
export function unsettledAttempt(qrId: string, payerId: string): Attempt | null {
  const attempts = attemptsAt(qrId);
  return (
    attempts.find(({ userId }) => userId === payerId) ??
    attempts.find(({ userId, wasSent }) => userId === GUEST && wasSent) ??
    null
  );
}

/** True when an account has sent an attempt here whose outcome is unknown: a guest might pay it twice. */
export function awaitsLogin(qrId: string): boolean {
  return attemptsAt(qrId).some(isSentByAccount);
}

/** True when anybody has sent an attempt here whose outcome is unknown: it may have been charged. */
export function wasAnySent(qrId: string): boolean {
  return attemptsAt(qrId).some(({ wasSent }) => wasSent);
}

function isSentByAccount({ userId, wasSent }: Attempt): boolean {
  return wasSent && userId !== GUEST;
}

function newAttempt(
  { userId, amountCents }: Pick<Attempt, 'userId' | 'amountCents'>,
  words: TipMessage | undefined,
): Attempt {
  return { key: newIdempotencyKey(), userId, amountCents, wasSent: false, ...(words && { words }) };
}

/** In the place of the attempt that its payer had before. */
function keep(qrId: string, attempt: Attempt): Attempt {
  keepAll(qrId, [...attemptsAt(qrId).filter(({ userId }) => userId !== attempt.userId), attempt]);
  return attempt;
}

function keepAll(qrId: string, attempts: readonly Attempt[]): void {
  if (attempts.length > 0) write(nameFor(qrId), attempts);
  else remove(nameFor(qrId));
}

/** At most one of each payer. */
function attemptsAt(qrId: string): readonly Attempt[] {
  // Version 0.2.0 kept one, without a list; answers are lost while a server is upgraded.
  return [read(nameFor(qrId))].flat().flatMap((stored) => readAttempt(stored) ?? []);
}

const nameFor = (qrId: string) => `tip-attempt:${qrId}`;

function readAttempt(stored: unknown): Attempt | null {
  if (!isRecord(stored)) return null;
  const { key, userId, amountCents, wasSent, transactionId } = stored;
  const words = readMessage(stored['words']);
  if (typeof key !== 'string' || typeof userId !== 'string') return null;
  if (typeof amountCents !== 'number' || !Number.isSafeInteger(amountCents)) return null;
  return {
    key,
    userId,
    amountCents: cents(amountCents),
    wasSent: wasSent === true,
    ...(typeof transactionId === 'string' && { transactionId }),
    ...(words && { words }),
  };
}

/** An unreadable message is dropped: if the server knows the key, it refuses it without the message. */
function readMessage(stored: unknown): TipMessage | null {
  if (!isRecord(stored)) return null;
  const { message, withName, complaints } = stored;
  if (typeof message !== 'string' || typeof withName !== 'boolean') return null;
  return { message, withName, complaints: Array.isArray(complaints) ? complaints.filter(isComplaint) : [] };
}

function isComplaint(value: unknown): value is FieldError {
  return isRecord(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export const NO_MESSAGE: TipMessage = { message: '', withName: false, complaints: [] };

/** The field of the complaint that the code takes no messages any more. */
export const NOT_TAKEN = 'words';

const FIELDS: readonly string[] = ['message', 'withName'] satisfies readonly (keyof NewTip)[];

export function isMessageField(field: string): boolean {
  return FIELDS.includes(field);
}

export function complaintAbout(field: string, words: TipMessage | undefined): string | undefined {
  return words?.complaints.find((complaint) => complaint.field === field)?.message;
}

export function sentMessage({ words }: Attempt): { readonly message?: string; readonly withName?: true } {
  if (!words) return {};
  const { message, withName } = words;
  return { ...(message.trim() !== '' && { message }), ...(withName && { withName: true }) };
}
