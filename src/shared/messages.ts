/**
 * The schema of what giver and receiver write to each other, and of other texts that are shown as they are.
 */
import { z } from 'zod';
import { isShowable } from './display-names.ts';
import {
  hasLinks,
  isLink,
  MAX_MESSAGE_LENGTH,
  MAX_TYPED_MESSAGE_LENGTH,
  notShowable,
  onOneLine,
  tooLong,
} from './message-rules.ts';

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
    .refine(isShowable, { error: notShowable(label), abort: true });
}

/** Words of somebody to somebody else: what `shownText` is, on one line, and never a link. */
export function messageText(label: string) {
  const bounds = { maxTyped: MAX_TYPED_MESSAGE_LENGTH, max: MAX_MESSAGE_LENGTH, tooLong: tooLong(label) };
  return z
    .string({ error: `${label} must be text.` })
    .max(MAX_TYPED_MESSAGE_LENGTH, { error: bounds.tooLong, abort: true })
    .transform(onOneLine)
    .pipe(shownText(label, bounds))
    .refine((text) => !isLink(text), { error: hasLinks(label) })
    .meta({ maxLength: MAX_MESSAGE_LENGTH });
}
