/**
 * The username that the sign-up form proposes while nobody has typed one. Like the form it belongs to the
 * screen, so that it outlives a change of tab.
 */
import { useEffect, useRef } from 'react';
import { isPossibleUsername, MAX_USERNAME_LENGTH } from '#shared/usernames.ts';
import type { SignUpFormState } from './forms.ts';

export interface ProposedUsername {
  /**
   * Takes over what a person has typed into the field; a field that they emptied is open to proposals again.
   */
  readonly takeTyped: () => void;
  /** Writes the proposal for the full name into the field, unless a person has typed there. */
  readonly propose: () => void;
  /** Writes the proposal into an empty field. */
  readonly fillIn: () => void;
  /**
   * Writes another proposal into the field, because the last one is taken.
   * @returns the proposal; an empty text when the username is a person's own, or when there is no other.
   */
  readonly proposeAnother: () => string;
}

export function useProposedUsername(form: SignUpFormState): ProposedUsername {
  const isTyped = useRef(false);

  function write(suffix: string): string {
    if (isTyped.current) return '';
    const username = proposeUsername(form.getValues('fullName'), suffix);
    form.setValue('username', username);
    if (username !== '') form.clearErrors('username');
    return username;
  }
  function takeTyped() {
    isTyped.current = Boolean(form.getValues('username'));
  }
  function propose() {
    write('');
  }
  function fillIn() {
    if (form.getValues('username') === '') propose();
  }
  function proposeAnother() {
    const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
    return write(fourDigits(random));
  }

  // A person may have typed both names before the script came, and browsers fill in again what stood in a
  // form.
  useEffect(() => {
    const { fullName = '', username = '' } = form.getValues();
    const proposal = proposeUsername(fullName);
    isTyped.current = username !== '' && username !== proposal;
    if (username === '' && proposal !== '') form.setValue('username', proposal);
  }, [form]);

  return { takeTyped, propose, fillIn, proposeAnother };
}

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

/**
 * No more of a name than this can come to stand in a username; decomposing a long pile of accents takes the
 * square of its length.
 */
const MAX_READ_LENGTH = 4 * MAX_USERNAME_LENGTH;

/**
 * The words of a name in letters of a to z and digits, joined by dots: "Zoë O’Malley" becomes `zoe.omalley`.
 * A name that is too long loses its last words.
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
