/**
 * What stands against words of somebody to somebody else: they are plain text of one line, bounded, say nothing hidden, and lead nowhere.
 * The schema in messages.ts says the same of what arrives; this needs no library, so that a page can say it before anything is sent.
 */
import { isShowable } from './display-names.ts';

/** The longest message, and the longest thank-you, in characters (code points), once it is trimmed and composed. */
export const MAX_MESSAGE_LENGTH = 140;
/** In characters, as they are typed. */
export const MAX_TYPED_MESSAGE_LENGTH = 4 * MAX_MESSAGE_LENGTH;

export const tooLong = (label: string) => `${label} may have up to ${MAX_MESSAGE_LENGTH} characters.`;
export const notShowable = (label: string) => `${label} has characters that cannot be shown.`;
export const hasLinks = (label: string) => `${label} must not have links.`;

/** The ends of host names that are no words: "thanks.it was" has a full stop and no link. */
const HOST_ENDS =
  'com|net|org|info|biz|app|dev|io|co|ly|gg|tv|cc|xyz|site|online|shop|store|link|club|page|web|cam|xxx|onlyfans|eu|uk|ru|cn|jp|kr|br|cz|pl|ua|tr|gr|mx|рф|укр';

/** What people, or their programs, take for a link: an address with a scheme, `www.`, an email, the name of a host, a path at a host. */
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

/** Whether a text has a link in it, also one that is written with letters of another width or with a full stop of another script. */
export function isLink(text: string): boolean {
  return LINK.test(text.normalize('NFKC').replace(/[\u3002\uFF61]/gu, '.'));
}

/** A text without its breaks of lines, and with one space where there were several. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/gu, ' ');
}

/** The length of words as it is bounded. What is too long already as it was typed is not normalised, because that takes its time. */
export function lengthOf(typed: string): number {
  const text = onOneLine(typed).trim();
  return [...(typed.length > MAX_TYPED_MESSAGE_LENGTH ? text : text.normalize('NFC'))].length;
}

/** What stands against words as they were typed; null when nothing does. */
export function problemWith(label: string, typed: string): string | null {
  if (typed.length > MAX_TYPED_MESSAGE_LENGTH || lengthOf(typed) > MAX_MESSAGE_LENGTH) return tooLong(label);
  const text = onOneLine(typed).trim().normalize('NFC');
  if (!isShowable(text)) return notShowable(label);
  return isLink(text) ? hasLinks(label) : null;
}
