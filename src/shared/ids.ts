/**
 * Typed identifiers, and the printed code of a QR code: ten characters of Crockford's base 32
 * (https://www.crockford.com/base32.html), which leaves out I, L, O and U so that it can be read aloud and typed.
 */
import type { $brand } from 'zod';
import { brand } from './brand.ts';
import { TIP_PREFIX } from './page-paths.ts';

export type UserId = string & $brand<'UserId'>;
/** Names a giver to one receiver, the same at each tip, and to nobody else. */
export type GiverPseudonym = string & $brand<'GiverPseudonym'>;
export type TransactionId = string & $brand<'TransactionId'>;
/** Stands for a guest's tip, and for the right of its giver. */
export type ReceiptToken = string & $brand<'ReceiptToken'>;
/** Names a session to its owner; it says nothing about the token. */
export type SessionId = string & $brand<'SessionId'>;
/** Names a device that gets notices to its owner. */
export type DeviceId = string & $brand<'DeviceId'>;
/** Ten characters of Crockford's base 32, upper case, without a hyphen: the form that is stored and linked to. */
export type QrCodeId = string & $brand<'QrCodeId'>;

/** The file name of a tip page's photo; another photo has another name. */
export type PhotoName = string & $brand<'PhotoName'>;

/** A source of `size` unpredictable bytes. */
export type RandomBytes = (size: number) => Uint8Array;

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const QR_CODE_ID_LENGTH = 10;
/** A printed code in the form in which it is stored. */
export const QR_CODE_ID = /^[0-9A-HJKMNP-TV-Z]{10}$/;
/** Letters, digits and single hyphens, but no word that is a printed code as it is stored or shown, whatever I, L and O mean. */
const PLAIN_WORDS = /^(?!.*\b[^u-]{5}-?[^u-]{5}\b)(-?[a-z0-9])+$/i;
// The tip page asks for no transaction, and leaves out what is marked as pure.
const TRANSACTION_ID = /* @__PURE__ */ idPattern('txn');
const DEVICE_ID = /* @__PURE__ */ idPattern('dev');

/** The id of the event that stands before the first transaction of an account. */
export const BEGINNING = 'beginning';

/** In UTF-16 units; twice as long as any id, so that a text which is longer is none and need not be read. */
export const MAX_ID_LENGTH = 64;

/** Ids of codes that exist on the page only and are never looked up begin with this, in any case. */
export const DEMO_PREFIX = 'demo-';

export function newUserId(random: RandomBytes): UserId {
  return `usr_${base32(random(26)).toLowerCase()}` as UserId;
}

export function newDeviceId(random: RandomBytes): DeviceId {
  return `dev_${base32(random(26)).toLowerCase()}` as DeviceId;
}

export function newTransactionId(random: RandomBytes): TransactionId {
  return `txn_${base32(random(26)).toLowerCase()}` as TransactionId;
}

/** The id of a transaction that has this keyed digest, of at least 26 bytes. */
export function transactionIdFrom(digest: Uint8Array): TransactionId {
  return `txn_${base32(digest.subarray(0, 26)).toLowerCase()}` as TransactionId;
}

/** The token of a guest's receipt: the id of the transaction, and this keyed digest of it, of at least 26 bytes. */
export function receiptTokenFrom(id: TransactionId, digest: Uint8Array): ReceiptToken {
  return (id.slice('txn_'.length) + base32(digest.subarray(0, 26)).toLowerCase()) as ReceiptToken;
}

/** The pseudonym of a pair of people that has this keyed digest, of at least 26 bytes. */
export function giverPseudonymFrom(digest: Uint8Array): GiverPseudonym {
  return `gvr_${base32(digest.subarray(0, 26)).toLowerCase()}` as GiverPseudonym;
}

const PHOTO_NAME = /* @__PURE__ */ /^[0-9a-hjkmnp-tv-z]{26}\.jpg$/;

/** A new name with 130 random bits. */
export function newPhotoName(random: RandomBytes): PhotoName {
  return `${base32(random(26)).toLowerCase()}.jpg` as PhotoName;
}

/** Whether a text has the form of a photo's name. */
export function isPhotoName(text: string): text is PhotoName {
  return PHOTO_NAME.test(text);
}

/** What ids with this prefix look like. */
export function idPattern(prefix: 'usr' | 'gvr' | 'txn' | 'ses' | 'dev'): RegExp {
  return new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`);
}

/** Whether a text has the form of a transaction's id. */
export function isTransactionId(text: string): text is TransactionId {
  return text.length <= MAX_ID_LENGTH && TRANSACTION_ID.test(text);
}

/** Whether a text has the form of a device's id. */
export function isDeviceId(text: string): text is DeviceId {
  return text.length <= MAX_ID_LENGTH && DEVICE_ID.test(text);
}

/** A password of 100 random bits that can be read aloud: four groups of five characters. */
export function newPassword(random: RandomBytes): string {
  return (base32(random(20)).match(/.{5}/g) ?? []).join('-');
}

/** The name of the session whose stored hash has this digest. */
export function sessionIdFrom(digest: Uint8Array): SessionId {
  return `ses_${base32(digest.subarray(0, 26)).toLowerCase()}` as SessionId;
}

/** A new printed code with 50 random bits; whoever stores it must still make sure that it is not taken. */
export function newQrCodeId(random: RandomBytes): QrCodeId {
  return base32(random(QR_CODE_ID_LENGTH)) as QrCodeId;
}

/** Whether a code, as somebody typed it, stands for a demo and for nobody's printed code. */
export function isDemoCode(text: string): boolean {
  return text.trimStart().slice(0, DEMO_PREFIX.length).toLowerCase() === DEMO_PREFIX;
}

/**
 * Reads a code as people type it: case, spaces and hyphens do not matter, I and L read as 1, O as 0.
 * @returns the stored form, or null when the text cannot be a printed code. A demo code never is one.
 */
export function readQrCodeId(text: string): QrCodeId | null {
  if (text.length > MAX_ID_LENGTH || isDemoCode(text)) return null;
  const id = text.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');
  return QR_CODE_ID.test(id) ? (id as QrCodeId) : null;
}

/**
 * Whether an address may make a demo of this text: a demo code; what reads as a printed code, which counts only if there
 * is none; or words, none of them a printed code. Any other text could be taken for a code that it is not: a sign that
 * nobody sees or minds, such as a zero-width space, must not put another name on a code that exists.
 */
export function isDemoText(text: string): boolean {
  return isDemoCode(text) || readQrCodeId(text) !== null || PLAIN_WORDS.test(text.trim());
}

/** The form that is printed under a picture and read aloud: `XXXXX-XXXXX`. */
export function showQrCodeId(id: QrCodeId): string {
  return `${id.slice(0, 5)}-${id.slice(5)}`;
}

/** The address that a QR code carries. `publicUrl` has no trailing slash. */
export function tipPageUrl(publicUrl: string, id: QrCodeId): string {
  return publicUrl + TIP_PREFIX + id;
}

/** The custom-scheme link of a provider's service, which the scan screen turns into a demo code. */
export function tipLink(userId: string, category: string): string {
  return `${brand.linkScheme}://tip/${userId}/${category}`;
}

/** One character for each byte: 32 divides 256, so that dropping the upper three bits keeps them all equally likely. */
function base32(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += ALPHABET.charAt(byte & 31);
  return text;
}
