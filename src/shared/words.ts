/**
 * What giver and receiver write to each other: plain text of one line, which is bounded, says nothing hidden, and leads nowhere.
 */
import { z } from 'zod';
import { isShowable } from './display-names.ts';

/** The longest message, and the longest thank-you, in characters (code points), once it is trimmed and composed. */
export const MAX_WORDS_LENGTH = 140;

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

/** A text that is shown as it is, or nothing where it is blank. Its length as typed is checked first, because normalising takes its time. */
export function shownText(
  label: string,
  { maxTyped, max, tooLong }: { maxTyped: number; max: number; tooLong: string },
) {
  return z
    .string({ error: `${label} must be text.` })
    .trim()
    .max(maxTyped, { error: tooLong, abort: true })
    .normalize('NFC')
    .refine((text) => [...text].length <= max, { error: tooLong, abort: true })
    .refine(isShowable, { error: `${label} has characters that cannot be shown.`, abort: true });
}

/** Words of somebody to somebody else: what `shownText` is, on one line, and never a link. */
export function words(label: string) {
  const tooLong = `${label} may have up to ${MAX_WORDS_LENGTH} characters.`;
  return z
    .string({ error: `${label} must be text.` })
    .max(4 * MAX_WORDS_LENGTH, { error: tooLong, abort: true })
    .transform((text) => text.replace(/\s+/gu, ' '))
    .pipe(shownText(label, { maxTyped: 4 * MAX_WORDS_LENGTH, max: MAX_WORDS_LENGTH, tooLong }))
    .refine((text) => !isLink(text), { error: `${label} must not have links.` })
    .meta({ maxLength: MAX_WORDS_LENGTH });
}

/** Whether a text has a link in it, also one that is written with letters of another width or with a full stop of another script. */
function isLink(text: string): boolean {
  return LINK.test(text.normalize('NFKC').replace(/[\u3002\uFF61]/gu, '.'));
}
