/** Rules of usernames. Without schemas, whose library the tip page does not load. */
import { brand } from './brand.ts';

export const MIN_USERNAME_LENGTH = 3;
export const MAX_USERNAME_LENGTH = 30;

/** Typed in any case, stored in lower case. */
export const USERNAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*[A-Za-z0-9]$/;

/** Offices of a site. A name with one as a part seems to speak for it: `support-joe`, `admin1`, `the_official`. */
const OFFICES: ReadonlySet<string> = new Set(
  (
    'admin administrator billing help helpdesk moderator official payment ' +
    'payments postmaster security staff support sysadmin webmaster'
  ).split(' '),
);

const OF_PAGE = /^code-[0-9a-hjkmnp-tv-z]{10}$/;

/** The username of a tip page with a name of its own; nobody can have it. */
export function pageUsername(id: string): string {
  return `code-${id.toLowerCase()}`;
}

export function isPageUsername(username: string): boolean {
  return OF_PAGE.test(username);
}

/**
 * Whether a username would speak for the site, in any case: it contains the software's name, however it is separated,
 * is one that a tip page has, or has an office as a part, without digits around it.
 */
export function speaksForSite(username: string): boolean {
  const parts = username.toLowerCase().split(/[._-]+/);
  return (
    parts.join('').includes(brand.linkScheme) ||
    isPageUsername(username.toLowerCase()) ||
    parts.some((part) => OFFICES.has(part.replace(/^\d+|\d+$/g, '')))
  );
}

export function mayStandForPerson(text: string): boolean {
  return (
    text.length >= MIN_USERNAME_LENGTH &&
    text.length <= MAX_USERNAME_LENGTH &&
    USERNAME.test(text) &&
    !speaksForSite(text)
  );
}
