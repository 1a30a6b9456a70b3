import { PAGE_LANGUAGE } from '#shared/language.ts';

/** A number of tips or refunds, with thousands set apart as in amounts of money. */
export function showCount(count: number): string {
  return count.toLocaleString(PAGE_LANGUAGE);
}
