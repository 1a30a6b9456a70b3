/**
 * What may be a username. Free of schemas, because the tip page asks it of demo codes and need not load their library.
 */
import { brand } from './brand.ts';

export const MIN_USERNAME_LENGTH = 3;
export const MAX_USERNAME_LENGTH = 30;

/** In either case, as people type it; it is kept in lower case. */
export const USERNAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*[A-Za-z0-9]$/;

const BRAND = brand.name.toLowerCase();

/** Who speaks for a site. With one of these as a part, a name seems to as well: `support-joe`, `admin1`, `the_official`. */
const OFFICES: ReadonlySet<string> = new Set([
  ...['admin', 'administrator', 'billing', 'help', 'helpdesk', 'moderator', 'official', 'payment'],
  ...['payments', 'postmaster', 'security', 'staff', 'support', 'sysadmin', 'webmaster'],
]);

/**
 * Names that would be taken for an address of the site, for nobody or for everybody. Only alone: as a part they stand in
 * names that fool no one, such as `service.dog`, `joes-tips`, `sound_system` or `team.rocket`.
 */
const RESERVED_WORDS: ReadonlySet<string> = new Set([
  ...['about', 'account', 'accounts', 'anonymous', 'api', 'auth', 'contact', 'customerservice'],
  ...['dashboard', 'demo', 'docs', 'everyone', 'healthz', 'info', 'login', 'logout', 'mail', 'me'],
  ...['nobody', 'null', 'owner', 'readyz', 'register', 'root', 'scan', 'service', 'settings', 'signup'],
  ...['system', 'team', 'tip', 'tips', 'trpc', 'undefined', 'user', 'users', 'www'],
]);

/** The usernames of tip pages with a name of their own. */
const OF_PAGE = /^code-[0-9a-hjkmnp-tv-z]{10}$/;

/** The username of a tip page with a name of its own; nobody can have it. */
export function pageUsername(id: string): string {
  return `code-${id.toLowerCase()}`;
}

/** Whether a username is one of a tip page's own, which names nobody. */
export function isPageUsername(username: string): boolean {
  return OF_PAGE.test(username);
}

/**
 * Whether a username would pass for the site itself, or for one of its addresses: it contains the brand, however it is
 * separated; it is one that a tip page has; one of its parts, between separators and without digits around it, is an office; or it is as a whole,
 * without separators, a reserved word. Case does not matter.
 */
export function isReservedUsername(username: string): boolean {
  const parts = username.toLowerCase().split(/[._-]+/);
  const joined = parts.join('');
  return (
    joined.includes(BRAND) ||
    RESERVED_WORDS.has(joined) ||
    isPageUsername(username.toLowerCase()) ||
    parts.some((part) => OFFICES.has(part.replace(/^\d+|\d+$/g, '')))
  );
}

/** Whether somebody could have this username, in whichever case it is typed; not whether anybody has. */
export function isPossibleUsername(text: string): boolean {
  return (
    text.length >= MIN_USERNAME_LENGTH &&
    text.length <= MAX_USERNAME_LENGTH &&
    USERNAME.test(text) &&
    !isReservedUsername(text)
  );
}
