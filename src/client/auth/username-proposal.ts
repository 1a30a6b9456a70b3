/** Makes a username of somebody's full name, so that most people need not think of one. */
import { isPossibleUsername, MAX_USERNAME_LENGTH } from '#shared/usernames.ts';

/** Letters that Unicode does not decompose into a letter of a to z and an accent. */
const FOLDED = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ħ: 'h',
    ŧ: 't',
    ı: 'i',
  }),
);

/** Marks over letters, and apostrophes, which separate no words. */
const WITHIN_WORDS = /[\p{M}'’ʼ`]/gu;

/** No more of a name than this can come to stand in a username; decomposing a long pile of accents takes the square of its length. */
const MAX_READ_LENGTH = 4 * MAX_USERNAME_LENGTH;

/**
 * The words of a name in letters of a to z and digits, joined by dots: "Zoë O’Malley" becomes `zoe.omalley`. A name that is too
 * long loses its last words.
 * @param suffix the letters or digits that end the username.
 * @returns a username that somebody could have, or an empty text when the name makes none.
 */
export function proposeUsername(fullName: string, suffix = ''): string {
  const words = fold(fullName).match(/[a-z0-9]+/g) ?? [];
  const username = shorten(words.join('.'), MAX_USERNAME_LENGTH - suffix.length) + suffix;
  return words.length > 0 && isPossibleUsername(username) ? username : '';
}

/**
 * Four digits that tell apart people of one name.
 * @param random is any whole number from 0 on.
 */
export function fourDigits(random: number): string {
  return String(random % 10_000).padStart(4, '0');
}

function fold(fullName: string): string {
  return fullName
    .slice(0, MAX_READ_LENGTH)
    .toLowerCase()
    .normalize('NFKD')
    .replace(WITHIN_WORDS, '')
    .replace(/\P{ASCII}/gu, (letter) => FOLDED.get(letter) ?? letter);
}

/** Cuts a name between two words where it can. */
function shorten(joined: string, maxLength: number): string {
  if (joined.length <= maxLength) return joined;
  return joined
    .slice(0, maxLength + 1)
    .replace(/\.[^.]*$/, '')
    .slice(0, maxLength);
}
