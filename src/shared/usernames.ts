/** Rules of usernames. Without schemas, whose library the tip page does not load. */
import { brand } from './brand.ts';

export const MIN_USERNAME_LENGTH = 3;
export const MAX_USERNAME_LENGTH = 30;

/** Typed in any case, stored in lower case. */
export const USERNAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*[A-Za-z0-9]$/;

/**
 * Offices of a site. A name with one of these as a part seems to speak for it: `support-joe`, `admin1`,
 * `the_official`.
 */
const OFFICES: ReadonlySet<string> = new Set(
  (
    'admin administrator billing help helpdesk moderator official payment ' +
    'payments postmaster security staff support sysadmin webmaster'
  ).split(' '),
);

/**
 * Names that pass for an address of the site, for nobody or for everybody. Only as a whole: names such as
 * `service.dog`, `joes-tips`, `sound_system` or `team.rocket` fool no one.
 */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'about account accounts anonymous api auth contact customerservice dashboard demo docs ' +
    'everyone healthz info login logout mail me nobody null owner readyz register root scan ' +
    'service settings signup system team tip tips trpc undefined user users www'
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
 * Whether a username would pass for the site itself, or for one of its addresses: it contains the software's
 * name, however it is separated; it is one that a tip page has; one of its parts, between separators and without
 * digits around it, is an office; or it is as a whole, without separators, a reserved word. Case does not
 * matter.
 */
export function isReservedUsername(username: string): boolean {
  const parts = username.toLowerCase().split(/[._-]+/);
  const joined = parts.join('');
  return (
    joined.includes(brand.linkScheme) ||
    RESERVED_WORDS.has(joined) ||
    isPageUsername(username.toLowerCase()) ||
    parts.some((part) => OFFICES.has(part.replace(/^\d+|\d+$/g, '')))
  );
}

/** Whether somebody could have this username, typed in any case. */
export function isPossibleUsername(text: string): boolean {
  return (
    text.length >= MIN_USERNAME_LENGTH &&
    text.length <= MAX_USERNAME_LENGTH &&
    USERNAME.test(text) &&
    !isReservedUsername(text)
  );
}
