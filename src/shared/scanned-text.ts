/** Reads a scanned or pasted text: the code that it leads to, or why it leads nowhere. Without schemas and DOM. */
import { brand } from './brand.ts';
import { DEMO_PREFIX, isDemoCode, MAX_ID_LENGTH, QR_CODE_ID, readQrCodeId } from './ids.ts';
import { TIP_PREFIX } from './page-paths.ts';

export const BLANK_TEXT = 'Please enter a QR code or link';
export const NO_CODE = 'Invalid QR code format';

export type ScannedText =
  | { readonly code: string; readonly problem: null }
  | { readonly code: null; readonly problem: typeof BLANK_TEXT | typeof NO_CODE };

/** A link of the product's own, case-insensitive scheme with two segments, anywhere in a text. */
const OWN_LINK = new RegExp(
  `(?:^|[^a-z0-9+.-])${brand.linkScheme}://tip/([^\\s/?#]+)/([^\\s/?#]+)(?![^\\s/?#])(?!/[\\w%])`,
  'i',
);
/** The segment after the first `/tip/`, whose slashes are percent-encoded in a link within a link. */
const SEGMENT_AFTER_TIP = new RegExp(`${TIP_PREFIX.replaceAll('/', '(?:/|%2F)')}([^\\s/?#]*)`, 'i');
const WORD = /[a-z0-9]+(?:[._-]+[a-z0-9]+)*/i;
const WORDS = new RegExp(WORD, 'gi');
const SURROUNDINGS = /^[^a-z0-9]+|[^a-z0-9]+$/gi;
const DEMO_CODE = new RegExp(`^${DEMO_PREFIX}[\\w.-]+-\\w+$`, 'i');
const TWO_GROUPS = /^[a-z0-9]{5}-?[a-z0-9]{5}$/i;

/**
 * Reads the first link or code in a text: a `tipwell://tip/{userId}/{category}` link; else an address with
 * `/tip/{code}`, of any site; else a code by itself. Takes time linear in the text's length.
 */
export function readScannedText(text: string): ScannedText {
  const trimmed = text.trim();
  if (trimmed === '') return { code: null, problem: BLANK_TEXT };
  const code = demoOfOwnLink(trimmed) ?? codeIn(trimmed);
  return code === null ? { code, problem: NO_CODE } : { code, problem: null };
}

function demoOfOwnLink(text: string): string | null {
  const [, userId, category] = (OWN_LINK.exec(text) ?? []).map(decoded);
  const [word] = WORD.exec(category ?? '') ?? [];
  if (!userId || word === undefined) return null;
  const code = wellFormed(`${DEMO_PREFIX}${userId}-${word}`);
  return code.length <= MAX_ID_LENGTH ? code : null;
}

function codeIn(text: string): string | null {
  const segment = SEGMENT_AFTER_TIP.exec(text)?.[1];
  if (segment !== undefined) {
    const decodedSegment = decoded(segment);
    return wholeCode(decodedSegment) ?? wholeCode(WORD.exec(decodedSegment)?.[0] ?? '');
  }
  const whole = wholeCode(text);
  if (whole !== null) return whole;
  for (const [word] of text.matchAll(WORDS)) if (isUnmistakable(word)) return word;
  return null;
}

function wholeCode(text: string): string | null {
  // Removing punctuation takes the square of the length.
  if (text.length > MAX_ID_LENGTH) return null;
  const bare = text.replace(SURROUNDINGS, '');
  return DEMO_CODE.test(bare) || readQrCodeId(bare) !== null ? bare : null;
}

/** Whether a word among others can only be a code: it has a digit, or is written as codes are printed. */
function isUnmistakable(word: string): boolean {
  if (wholeCode(word) === null) return false;
  if (isDemoCode(word)) return true;
  const isPrinted = word.includes('-') && QR_CODE_ID.test(word.replace('-', '').toUpperCase());
  return TWO_GROUPS.test(word) && (isPrinted || /\d/.test(word));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment).trim();
  } catch {
    return segment.trim();
  }
}

/** Lone surrogates cannot stand in an address. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
