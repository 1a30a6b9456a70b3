/**
 * The attempt to pay, with its idempotency key. It survives a reload until its outcome is known, and leaves
 * one tip, however often it is sent.
 *
 * The giver's words are part of it: the server takes a key with the words with which it was sent first, and
 * refuses it with others. So they can be changed until it is sent. From then on they stay, because another
 * key for other words might pay twice; once it is known that nothing was paid, the next attempt begins with
 * them under a new key, and they can be changed again.
 */
import type { FieldError } from '#shared/errors.ts';
import { type Cents, cents } from '#shared/money.ts';
import type { NewTip } from '#shared/tips.ts';
import { newIdempotencyKey } from '../giving/idempotency-key.ts';
import { read, remove, write } from '../giving/tab-storage.ts';
import { GUEST } from './payer.ts';

/** What a giver says to the receiver. */
export interface TipMessage {
  /** As it was typed. */
  readonly message: string;
  /** Whether the receiver is told the giver's name. */
  readonly withName: boolean;
  /** What stands against them, field by field, as the server or this page has found. */
  readonly complaints: readonly FieldError[];
}

export interface Attempt {
  readonly key: string;
  /** The id of the account that pays, or GUEST. */
  readonly userId: string;
  readonly amountCents: Cents;
  /** Whether it was sent; its outcome is not known then. */
  readonly wasSent: boolean;
  /** The name of the transaction that is to be paid at a payment service, once that has a page for it. */
  readonly transactionId?: string;
  /** Left out where the giver says nothing. */
  readonly words?: TipMessage;
}

/**
 * The attempt to pay this amount: the open one if there is one, else a new one, with the words that were
 * written for another amount.
 */
export function openAttempt(qrId: string, payerId: string, amountCents: Cents): Attempt {
  const open = unsettledAttempt(qrId, payerId);
  if (open?.amountCents === amountCents) return open;
  const kept = keptAttempt(qrId);
  // Whoever logs in to pay brings along what they wrote as a guest; nobody gets the words of another account.
  const words = kept?.userId === payerId || kept?.userId === GUEST ? kept.words : undefined;
  return beginAttempt(qrId, { userId: payerId, amountCents }, words);
}

/** The attempt with other words, or with none; the same one where it was sent. */
export function reword(qrId: string, attempt: Attempt, words: TipMessage | undefined): Attempt {
  if (attempt.wasSent || keptAttempt(qrId)?.wasSent) return attempt;
  const { words: _, ...wordless } = attempt;
  const reworded = { ...wordless, ...(words && { words }) };
  write(attemptName(qrId), reworded);
  return reworded;
}

/** Forgets an attempt with which nothing was paid, nor can be any more, but not the words. */
export function giveUpAttempt(qrId: string, attempt: Attempt): void {
  if (attempt.words) beginAttempt(qrId, attempt, attempt.words);
  else settleAttempt(qrId);
}

/** Remembers that the attempt was sent; to be called before it is sent. */
export function markSent(qrId: string, attempt: Attempt): void {
  write(attemptName(qrId), { ...attempt, wasSent: true });
}

/** Remembers the transaction that the attempt has begun at a payment service. */
export function markBegun(qrId: string, attempt: Attempt, transactionId: string): void {
  write(attemptName(qrId), { ...attempt, wasSent: true, transactionId });
}

/** Forgets the attempt and its words, because its outcome is known. */
export function settleAttempt(qrId: string): void {
  remove(attemptName(qrId));
}

/**
 * The open attempt of this payer at this code; null without one. What a guest has sent is everybody's in this
 * tab: whoever logs in before its outcome is known goes on with it, because another attempt might pay twice.
 */
export function unsettledAttempt(qrId: string, payerId: string): Attempt | null {
  const attempt = keptAttempt(qrId);
  const isOwn = attempt?.userId === payerId || (attempt?.userId === GUEST && attempt.wasSent);
  return isOwn ? attempt : null;
}

/**
 * Whether an account has sent an attempt at this code whose outcome is not known: a guest would perhaps pay
 * it twice.
 */
export function awaitsLogin(qrId: string): boolean {
  const attempt = keptAttempt(qrId);
  return attempt?.wasSent === true && attempt.userId !== GUEST;
}

function keptAttempt(qrId: string): Attempt | null {
  const stored = read(attemptName(qrId));
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

/**
 * A message that cannot be read is left out of their attempt: the server refuses its key without them,
 * where it knows it.
 */
function readMessage(stored: unknown): TipMessage | null {
  if (!isRecord(stored)) return null;
  const { message, withName, complaints } = stored;
  if (typeof message !== 'string' || typeof withName !== 'boolean') return null;
  return { message, withName, complaints: Array.isArray(complaints) ? complaints.filter(isComplaint) : [] };
}

function isComplaint(value: unknown): value is FieldError {
  return isRecord(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string';
}

/** Begins an attempt under a new key; also after one with which nothing was paid, nor can be any more. */
export function beginAttempt(
  qrId: string,
  { userId, amountCents }: Pick<Attempt, 'userId' | 'amountCents'>,
  words: TipMessage | undefined,
): Attempt {
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

export const NO_MESSAGE: TipMessage = { message: '', withName: false, complaints: [] };

/** Stands for the field of a complaint about all words: the code takes none any more. */
export const NOT_TAKEN = 'words';

/** The fields of a new tip that hold words. */
const FIELDS: readonly string[] = ['message', 'withName'] satisfies readonly (keyof NewTip)[];

export function isMessageField(field: string): boolean {
  return FIELDS.includes(field);
}

/** What is wrong with one of the fields; undefined when nothing is. */
export function complaintAbout(field: string, words: TipMessage | undefined): string | undefined {
  return words?.complaints.find((complaint) => complaint.field === field)?.message;
}

/** The fields of a new tip that an attempt fills with words; none without words. */
export function sentMessage({ words }: Attempt): { readonly message?: string; readonly withName?: true } {
  if (!words) return {};
  const { message, withName } = words;
  return { ...(message.trim() !== '' && { message }), ...(withName && { withName: true }) };
}
