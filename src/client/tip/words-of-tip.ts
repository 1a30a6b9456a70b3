/** The words of an attempt: what is sent of them, and what was said against them. */
import type { NewTip } from '#shared/tips.ts';
import type { Attempt, Words } from './attempt.ts';

export const NO_WORDS: Words = { message: '', withName: false, complaints: [] };

/** Stands for the field of a complaint about all words: the code takes none any more. */
export const NOT_TAKEN = 'words';

/** The fields of a new tip that hold words. */
const FIELDS: readonly string[] = ['message', 'withName'] satisfies readonly (keyof NewTip)[];

export function isWordsField(field: string): boolean {
  return FIELDS.includes(field);
}

/** What is wrong with one of the fields; undefined when nothing is. */
export function complaintAbout(field: string, words: Words | undefined): string | undefined {
  return words?.complaints.find((complaint) => complaint.field === field)?.message;
}

/** The fields of a new tip that an attempt fills with words; none without words. */
export function sentWords({ words }: Attempt): { readonly message?: string; readonly withName?: true } {
  if (!words) return {};
  const { message, withName } = words;
  return { ...(message.trim() !== '' && { message }), ...(withName && { withName: true }) };
}
