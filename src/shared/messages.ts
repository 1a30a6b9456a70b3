/** Schemas of messages between giver and receiver and of other texts that are shown as they are. */
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

/** A text that is shown as it is; blank for none. The typed length is checked before the slow normalisation. */
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
