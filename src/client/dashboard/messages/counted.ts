import { lengthOf, MAX_WORDS_LENGTH } from '#shared/plain-words.ts';

/** How much of its room a text takes. */
export function counted(text: string): string {
  return `${lengthOf(text)} of ${MAX_WORDS_LENGTH} characters`;
}
