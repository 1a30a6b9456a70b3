/** Until when a login reopens the account that was closed in this tab, for the login page, where no toast is left. */
import { brand } from '#shared/brand.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';

const KEY = `${brand.linkScheme}_closed_account`;
const day = new Intl.DateTimeFormat(PAGE_LANGUAGE, { dateStyle: 'long' });

/** @param closesAt ISO 8601; null once somebody has logged in. */
export function noteClosedAccount(closesAt: string | null): void {
  try {
    if (closesAt === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, closesAt);
  } catch {
    // Without storage the toast says it alone.
  }
}

/** @returns the day in the page's language; null when none was closed, or it is too late. */
export function dayOfClosing(): string | null {
  try {
    const closesAt = new Date(sessionStorage.getItem(KEY) ?? Number.NaN);
    return closesAt > new Date() ? day.format(closesAt) : null;
  } catch {
    return null;
  }
}
