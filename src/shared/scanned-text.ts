/**
 * What a scanned or pasted text means: the code it leads to, or why it leads nowhere. Pure, and free of schemas and of
 * the page.
 */
import { brand } from './brand.ts';
import { DEMO_PREFIX } from './ids.ts';
import { TIP_PREFIX } from './page-paths.ts';

export const BLANK_TEXT = 'Please enter a QR code or link';
export const NO_CODE = 'Invalid QR code format';

export type ScannedText =
  | { readonly code: string; readonly problem: null }
  | { readonly code: null; readonly problem: typeof BLANK_TEXT | typeof NO_CODE };

/** A link of the product's own scheme; schemes know no case. */
const OWN_LINK = new RegExp(`^${brand.linkScheme}://tip/(.*)$`, 'isu');
const SEGMENT_AFTER_TIP = new RegExp(`${TIP_PREFIX}([^/?#]*)`, 'i');

/**
 * Reads a code, a `tipwell://tip/{userId}/{category}` link, or any address with `/tip/{code}` in it, of whichever
 * site: only the code is taken from it.
 */
export function readScannedText(text: string): ScannedText {
  const trimmed = text.trim();
  if (trimmed === '') return { code: null, problem: BLANK_TEXT };
  const code = wellFormed(codeIn(trimmed));
  // A dot or two would lead out of /tip/ (https://url.spec.whatwg.org/#single-dot-path-segment).
  return /^\.{0,2}$/.test(code) ? { code: null, problem: NO_CODE } : { code, problem: null };
}

/** The code in a text; empty when there is none. */
function codeIn(text: string): string {
  const ownPath = OWN_LINK.exec(text)?.[1];
  if (ownPath !== undefined) {
    const segments = ownPath
      .replace(/[?#].*$/s, '')
      .replace(/\/$/, '')
      .split('/')
      .map(decoded);
    const [userId, category] = segments;
    return segments.length === 2 && userId && category ? `${DEMO_PREFIX}${userId}-${category}` : '';
  }
  const segment = SEGMENT_AFTER_TIP.exec(text)?.[1];
  return segment === undefined ? text : decoded(segment);
}

/** A segment without its percent-encoding, or as it stands when that is broken. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment).trim();
  } catch {
    return segment.trim();
  }
}

/** Half a surrogate pair cannot stand in an address. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}
