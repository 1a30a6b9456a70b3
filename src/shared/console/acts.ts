/** Why an operator does something: a reason is asked for with every act. */
import { z } from 'zod';

/** In characters; a reason is a sentence or two. */
export const MAX_REASON_LENGTH = 500;

/** A reason is kept for good, so that it must hold nothing that an account's owner may have erased. */
const reason = z
  .string()
  .transform((written) => written.replace(/\s+/gu, ' ').trim())
  .pipe(
    z
      .string()
      .min(1, 'Say why.')
      .refine((text) => [...text].length <= MAX_REASON_LENGTH, `Use at most ${MAX_REASON_LENGTH} characters.`)
      // Signs that turn the direction around would show a line of the log in another order than it has.
      .refine((text) => !/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(text), 'Use plain text.')
      .refine(
        (text) => !/\S@\S/.test(text),
        'Leave emails out: the reason is kept even when the account is closed.',
      ),
  );

export const actInput = z.object({ reason });
