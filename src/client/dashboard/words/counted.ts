import type { MAX_WORDS_LENGTH } from '#shared/words.ts';

/** Its type says that it is the shared one, whose module brings the library of schemas. */
const MAX: typeof MAX_WORDS_LENGTH = 140;

/** How much of its room a text takes; counted as the schema counts it. */
export function counted(text: string): string {
  const { length } = [...text.replace(/\s+/gu, ' ').trim().normalize('NFC')];
  return `${length} of ${MAX} characters`;
}
