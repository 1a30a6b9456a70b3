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
  const open = unsettledAttempt(qrId, payerId);
  if (open?.amountCents === amountCents) return open;
  const kept = keptAttempt(qrId);
  // A guest's message stays theirs after a login; nobody gets the message of another account.
  const words = kept?.userId === payerId || kept?.userId === GUEST ? kept.words : undefined;
  return beginAttempt(qrId, { userId: payerId, amountCents }, words);
}

/** False for the key of an attempt that has ended or was replaced by another one. */
export function isAttemptOpen(qrId: string, key: string): boolean {
  return keptAttempt(qrId)?.key === key;
}

/** Replaces or removes the message, unless the attempt was sent. */
export function reword(qrId: string, attempt: Attempt, words: TipMessage | undefined): Attempt {
  if (attempt.wasSent || keptAttempt(qrId)?.wasSent) return attempt;
  const { words: _, ...wordless } = attempt;
  const reworded = { ...wordless, ...(words && { words }) };
  write(attemptName(qrId), reworded);
  return reworded;
}

export function giveUpAttempt(qrId: string, attempt: Attempt): void {
  settleAttempt(qrId, attempt.key);
  if (attempt.words && keptAttempt(qrId) === null) beginAttempt(qrId, attempt, attempt.words);
}

/** Remembers that the attempt was sent; called before it is sent. */
export function markSent(qrId: string, attempt: Attempt): void {
  write(attemptName(qrId), { ...attempt, wasSent: true });
}

export function markBegun(qrId: string, attempt: Attempt, transactionId: string): void {
  write(attemptName(qrId), { ...attempt, wasSent: true, transactionId });
}

/** @param key of the attempt; another account may have opened one here while its outcome was on the way. */
export function settleAttempt(qrId: string, key = keptAttempt(qrId)?.key): void {
  const others = attemptsSetAside(qrId).filter((other) => other.key !== key);
  if (keptAttempt(qrId)?.key === key) remove(attemptName(qrId));
  else write(othersName(qrId), others);
}

/**
 * An attempt that a guest has sent belongs to everybody in this tab: whoever logs in before its outcome is known goes
 * on with it, because another attempt might pay twice. What an account has sent is its own again when it returns.
 */
export function unsettledAttempt(qrId: string, payerId: string): Attempt | null {
  const attempt = keptAttempt(qrId);
  if (attempt?.userId === payerId || (attempt?.userId === GUEST && attempt.wasSent)) return attempt;
  const others = attemptsSetAside(qrId);
  const own = others.find(({ userId }) => userId === payerId);
  if (own === undefined) return null;
  write(
    othersName(qrId),
    others.filter((other) => other !== own),
  );
  setAside(qrId, payerId);
  write(attemptName(qrId), own);
  return own;
}

/** True when an account has sent an attempt here whose outcome is unknown: a guest might pay it twice. */
export function awaitsLogin(qrId: string): boolean {
  return attemptsSetAside(qrId).length > 0 || isSentByAccount(keptAttempt(qrId));
}

/** Keeps what another account than `userId` has sent, before an attempt of `userId` takes its place. */
function setAside(qrId: string, userId: string): void {
  const kept = keptAttempt(qrId);
  if (isSentByAccount(kept) && kept.userId !== userId)
    write(othersName(qrId), [...attemptsSetAside(qrId), kept]);
}

function isSentByAccount(attempt: Attempt | null): attempt is Attempt {
  return attempt?.wasSent === true && attempt.userId !== GUEST;
}

function attemptsSetAside(qrId: string): Attempt[] {
  const stored = read(othersName(qrId));
  return Array.isArray(stored) ? stored.map(readAttempt).filter(isSentByAccount) : [];
}

function keptAttempt(qrId: string): Attempt | null {
  return readAttempt(read(attemptName(qrId)));
}

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

export function beginAttempt(
  qrId: string,
  { userId, amountCents }: Pick<Attempt, 'userId' | 'amountCents'>,
  words: TipMessage | undefined,
): Attempt {
  setAside(qrId, userId);
  const attempt = {
    key: newIdempotencyKey(),
    userId,
    amountCents,
    wasSent: false,
    ...(words && { words }),
  };
  write(attemptName(qrId), attempt);
  return attempt;
}

const attemptName = (qrId: string) => `tip-attempt:${qrId}`;
const othersName = (qrId: string) => `tip-attempts-of-others:${qrId}`;

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
