/** Usernames that nobody can have. Apart from usernames.ts, because the tip page loads that. */
import { mayStandForPerson, speaksForSite } from '../usernames.ts';

/** Names that pass for an address of the site, for nobody or for everybody, as a whole: `joes-tips` fools no one. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'about account accounts anonymous api auth contact customerservice dashboard demo docs ' +
    'everyone healthz info login logout mail me nobody null owner readyz register root scan ' +
    'service settings signup system team tip tips trpc undefined user users www'
  ).split(' '),
);

/** Whether a username would pass for the site or for one of its addresses, in any case and with any separators. */
export function isReservedUsername(username: string): boolean {
  return speaksForSite(username) || RESERVED_WORDS.has(username.toLowerCase().replace(/[._-]+/g, ''));
}

/** Whether somebody could have this username, typed in any case. */
export function isPossibleUsername(text: string): boolean {
  return mayStandForPerson(text) && !isReservedUsername(text);
}
