/** Rules of messages. Without the schema library, so that a page can check before sending (schema: messages.ts). */
import { isShowable } from './display-names.ts';

/** Code points, trimmed and composed, for messages and thank-yous. */
export const MAX_MESSAGE_LENGTH = 140;
/** UTF-16 units as typed. */
export const MAX_TYPED_MESSAGE_LENGTH = 4 * MAX_MESSAGE_LENGTH;

/** The thank-yous of an account that has saved none. */
export const PROPOSED_THANK_YOUS = ['Thank you!', 'Thanks a lot, see you soon!', 'You made my day!'] as const;

export const tooLong = (label: string) => `${label} may have up to ${MAX_MESSAGE_LENGTH} characters.`;
export const notShowable = (label: string) => `${label} has characters that cannot be shown.`;
export const hasLinks = (label: string) => `${label} must not have links.`;

/** Top-level domains that are not also words: "thanks.it was" has no link. */
const HOST_ENDS =
  'com|net|org|info|biz|app|dev|io|co|ly|gg|tv|cc|xyz|site|online|shop|store|link|club|page|web|cam|xxx|onlyfans|eu|uk|ru|cn|jp|kr|br|cz|pl|ua|tr|gr|mx|рф|укр';

/** What people or programs take for a link: a scheme, `www.`, an email, a host name, a path on a host. */
const LINK = new RegExp(
  [
    String.raw`[a-z][a-z0-9+-]*:\/\/`,
    String.raw`\b(?:mailto|tel|javascript|data):[^\s]`,
    String.raw`\bwww\.`,
    String.raw`[\p{L}\p{N}._%+-]@[\p{L}\p{N}-]+\.\p{L}`,
    String.raw`[\p{L}\p{N}-]\.(?:${HOST_ENDS})(?![\p{L}\p{N}])`,
    String.raw`[\p{L}\p{N}-]\.\p{L}{2,}\/`,
  ].join('|'),
  'iu',
);

/** Also finds links in full-width letters or with full stops of other scripts. */
export function isLink(text: string): boolean {
  return LINK.test(text.normalize('NFKC').replace(/[\u3002\uFF61]/gu, '.'));
}

export function onOneLine(text: string): string {
  return text.replace(/\s+/gu, ' ');
}

/** The bounded length in code points. A text too long as typed is not normalised, which takes long. */
export function lengthOf(typed: string): number {
  const text = onOneLine(typed).trim();
  return [...(typed.length > MAX_TYPED_MESSAGE_LENGTH ? text : text.normalize('NFC'))].length;
}

/** @returns what is wrong with the text, in a sentence that begins with the label; null when nothing is. */
export function problemWith(label: string, typed: string): string | null {
  if (typed.length > MAX_TYPED_MESSAGE_LENGTH || lengthOf(typed) > MAX_MESSAGE_LENGTH) return tooLong(label);
  const text = onOneLine(typed).trim().normalize('NFC');
  if (!isShowable(text)) return notShowable(label);
  return isLink(text) ? hasLinks(label) : null;
}
