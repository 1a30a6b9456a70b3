/**
 * Typed ids, and the printed id of a QR code: ten characters of Crockford's base 32
 * (https://www.crockford.com/base32.html), which lacks I, L, O and U so that it can be read aloud and typed.
 */
import type { $brand } from 'zod';
import { brand } from './brand.ts';
import { TIP_PREFIX } from './page-paths.ts';

export type UserId = string & $brand<'UserId'>;
/** A giver's stable name for one receiver, different for every other. */
export type GiverPseudonym = string & $brand<'GiverPseudonym'>;
export type TransactionId = string & $brand<'TransactionId'>;
/** Identifies a guest's tip and proves the right of its giver. */
export type ReceiptToken = string & $brand<'ReceiptToken'>;
/** Made from the hash of the token, which it does not reveal. */
export type SessionId = string & $brand<'SessionId'>;
export type DeviceId = string & $brand<'DeviceId'>;
export type MailId = string & $brand<'MailId'>;
export type InvitationId = string & $brand<'InvitationId'>;
export type EventId = string & $brand<'EventId'>;
export type ApiKeyId = string & $brand<'ApiKeyId'>;
export type WebhookId = string & $brand<'WebhookId'>;
export type OperatorId = string & $brand<'OperatorId'>;
export type PasskeyId = string & $brand<'PasskeyId'>;
/** The stored form: upper case, without a hyphen. */
export type QrCodeId = string & $brand<'QrCodeId'>;

/** The file name of a tip page's photo, never used for another photo. */
export type PhotoName = string & $brand<'PhotoName'>;

export type RandomBytes = (size: number) => Uint8Array;

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const QR_CODE_ID_LENGTH = 10;
export const QR_CODE_ID = /^[0-9A-HJKMNP-TV-Z]{10}$/;
/** Letters, digits and single hyphens, without a part that reads as a printed code under any reading of I, L and O. */
const PLAIN_WORDS = /^(?!.*\b[^u-]{5}-?[^u-]{5}\b)(-?[a-z0-9])+$/i;

/** The event id before an account's first transaction. */
export const BEGINNING = 'beginning';

/** UTF-16 units, twice the longest id; longer texts are not read. */
export const MAX_ID_LENGTH = 64;

/** The case-insensitive prefix of codes that exist on the page only and are never looked up. */
export const DEMO_PREFIX = 'demo-';

export function newUserId(random: RandomBytes): UserId {
  return `usr_${idText(random(26))}` as UserId;
}

export function newDeviceId(random: RandomBytes): DeviceId {
  return `dev_${idText(random(26))}` as DeviceId;
}

export function newMailId(random: RandomBytes): MailId {
  return `mail_${idText(random(26))}` as MailId;
}

export function newWebhookId(random: RandomBytes): WebhookId {
  return `whk_${idText(random(26))}` as WebhookId;
}

export function newOperatorId(random: RandomBytes): OperatorId {
  return `opr_${idText(random(26))}` as OperatorId;
}

export function newPasskeyId(random: RandomBytes): PasskeyId {
  return `psk_${idText(random(26))}` as PasskeyId;
}

/** Short, because an operator types it. */
export function newInvitationId(random: RandomBytes): InvitationId {
  return `inv_${idText(random(10))}` as InvitationId;
}

/** Names a key to its owner; the text that is sent as a credential is made apart. */
export function newApiKeyId(random: RandomBytes): ApiKeyId {
  return `key_${idText(random(26))}` as ApiKeyId;
}

export function newTransactionId(random: RandomBytes): TransactionId {
  return `txn_${idText(random(26))}` as TransactionId;
}

export const EVENT_ID =
  /* @__PURE__ */ /^evt_(?:[0-2][0-9a-hjkmnp-tv-z]{26}|3[0-9a-hjkmnp-tv-z]{26}[1-9][0-9]{0,5})$/;

/** The digit says what an event is of: a tip, its reversal, a change of it with its number behind, or another thing. */
const EVENT_OF_TIP = 'evt_1';
const EVENT_OF_REVERSAL = 'evt_2';
const EVENT_OF_CHANGE = 'evt_3';
const OTHER_EVENT = 'evt_0';

interface EventOfTip {
  readonly transactionId: TransactionId;
  readonly isReversal: boolean;
  readonly changeNumber: number | null;
}

export function eventIdOf({ transactionId, isReversal, changeNumber }: EventOfTip): EventId {
  const name = transactionId.slice('txn_'.length);
  if (changeNumber !== null) return `${EVENT_OF_CHANGE}${name}${changeNumber}` as EventId;
  return ((isReversal ? EVENT_OF_REVERSAL : EVENT_OF_TIP) + name) as EventId;
}

/** @param digest of at least 26 bytes. */
export function eventIdFrom(digest: Uint8Array): EventId {
  return (OTHER_EVENT + idText(digest.subarray(0, 26))) as EventId;
}

export function isEventId(text: string): text is EventId {
  return text.length <= MAX_ID_LENGTH && EVENT_ID.test(text);
}

/** The transaction that an event's id names; null for an event that is no entry of the ledger. */
export function transactionOfEvent(id: EventId): EventOfTip | null {
  if (id.startsWith(OTHER_EVENT)) return null;
  const [name, number] = [id.slice(EVENT_OF_TIP.length), id.slice(EVENT_OF_TIP.length + 26)];
  const transactionId = `txn_${name.slice(0, 26)}` as TransactionId;
  const changeNumber = id.startsWith(EVENT_OF_CHANGE) ? Number(number) : null;
  return { transactionId, isReversal: id.startsWith(EVENT_OF_REVERSAL), changeNumber };
}

/** @param digest a keyed digest of at least 26 bytes. */
export function transactionIdFrom(digest: Uint8Array): TransactionId {
  return `txn_${idText(digest.subarray(0, 26))}` as TransactionId;
}

/** The id of the transaction and a keyed digest of it, of at least 26 bytes. */
export function receiptTokenFrom(id: TransactionId, digest: Uint8Array): ReceiptToken {
  return (id.slice('txn_'.length) + idText(digest.subarray(0, 26))) as ReceiptToken;
}

/** @param digest a keyed digest of the pair of people, of at least 26 bytes. */
export function giverPseudonymFrom(digest: Uint8Array): GiverPseudonym {
  return `gvr_${idText(digest.subarray(0, 26))}` as GiverPseudonym;
}

const PHOTO_NAME = /* @__PURE__ */ /^[0-9a-hjkmnp-tv-z]{26}\.jpg$/;

/** 130 random bits. */
export function newPhotoName(random: RandomBytes): PhotoName {
  return `${idText(random(26))}.jpg` as PhotoName;
}

export function isPhotoName(text: string): text is PhotoName {
  return PHOTO_NAME.test(text);
}

export function idPattern(prefix: 'usr' | 'gvr' | 'txn' | 'ses' | 'dev' | 'key' | 'whk' | 'psk'): RegExp {
  return new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`);
}

const isIdOf = <Id extends string>(prefix: Parameters<typeof idPattern>[0]) => {
  const pattern = idPattern(prefix);
  return (text: string): text is Id => text.length <= MAX_ID_LENGTH && pattern.test(text);
};

// Marked as pure, so that the tip page's build leaves them out.
export const isTransactionId = /* @__PURE__ */ isIdOf<TransactionId>('txn');
export const isDeviceId = /* @__PURE__ */ isIdOf<DeviceId>('dev');
export const isWebhookId = /* @__PURE__ */ isIdOf<WebhookId>('whk');
export const isUserId = /* @__PURE__ */ isIdOf<UserId>('usr');
export const isApiKeyId = /* @__PURE__ */ isIdOf<ApiKeyId>('key');
export const isPasskeyId = /* @__PURE__ */ isIdOf<PasskeyId>('psk');

/** 100 random bits in four groups of five characters that can be read aloud. */
export function newPassword(random: RandomBytes): string {
  return (base32(random(20)).match(/.{5}/g) ?? []).join('-');
}

const RECOVERY_CODE = /* @__PURE__ */ /^[0-9A-HJKMNP-TV-Z]{16}$/;

/** 80 random bits in four groups of four characters. */
export function newRecoveryCode(random: RandomBytes): string {
  return (base32(random(16)).match(/.{4}/g) ?? []).join('-');
}

/** @returns the code in capitals without hyphens; null for a text that can be none. */
export function readRecoveryCode(text: string): string | null {
  if (text.length > MAX_ID_LENGTH) return null;
  const code = asPrinted(text);
  return RECOVERY_CODE.test(code) ? code : null;
}

/** @param digest derived from the session's stored hash. */
export function sessionIdFrom(digest: Uint8Array): SessionId {
  return `ses_${idText(digest.subarray(0, 26))}` as SessionId;
}

/** 50 random bits; whoever stores it must check that it is not taken. */
export function newQrCodeId(random: RandomBytes): QrCodeId {
  return base32(random(QR_CODE_ID_LENGTH)) as QrCodeId;
}

export function isDemoCode(text: string): boolean {
  return text.trimStart().slice(0, DEMO_PREFIX.length).toLowerCase() === DEMO_PREFIX;
}

/** @returns null unless it can be a printed code. */
export function readQrCodeId(text: string): QrCodeId | null {
  if (text.length > MAX_ID_LENGTH || isDemoCode(text)) return null;
  const id = asPrinted(text);
  return QR_CODE_ID.test(id) ? (id as QrCodeId) : null;
}

/**
 * Whether an address may make a demo of this text. Other texts could be taken for a code that they are not: an
 * invisible sign, such as a zero-width space, must not put another name on an existing code.
 */
export function isDemoText(text: string): boolean {
  return isDemoCode(text) || readQrCodeId(text) !== null || PLAIN_WORDS.test(text.trim());
}

/** The form printed under a picture: `XXXXX-XXXXX`. */
export function showQrCodeId(id: QrCodeId): string {
  return `${id.slice(0, 5)}-${id.slice(5)}`;
}

/** The address in a QR code. @param publicUrl without a trailing slash. */
export function tipPageUrl(publicUrl: string, id: QrCodeId): string {
  return publicUrl + TIP_PREFIX + id;
}

/** A link of the product's own scheme, which the scan screen turns into a demo code. */
export function tipLink(userId: string, category: string): string {
  return `${brand.linkScheme}://tip/${userId}/${category}`;
}

/** Reads what somebody typed off paper (any case, spaces, hyphens, I, L and O for 1 and 0) as it was printed. */
function asPrinted(text: string): string {
  return text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');
}

function idText(bytes: Uint8Array): string {
  return base32(bytes).toLowerCase();
}

/** One character for each byte; 32 divides 256, so dropping three bits keeps all equally likely. */
function base32(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += ALPHABET.charAt(byte & 31);
  return text;
}
