/** Usernames that nobody can have. Apart from usernames.ts, because the tip page loads that. */
import { mayStandForPerson, speaksForSite } from '../usernames.ts';

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

/**
 * Whether a username would pass for the site itself, or for one of its addresses: it speaks for the site, or
 * it is as a whole, without separators, a reserved word. Case does not matter.
 */
export function isReservedUsername(username: string): boolean {
  return speaksForSite(username) || RESERVED_WORDS.has(username.toLowerCase().replace(/[._-]+/g, ''));
}

/** Whether somebody could have this username, typed in any case. */
export function isPossibleUsername(text: string): boolean {
  return mayStandForPerson(text) && !isReservedUsername(text);
}
