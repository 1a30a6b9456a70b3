/** Proposes a username while nobody has typed one. It belongs to the screen, to survive a change of tab. */
import { useEffect, useRef } from 'react';
import { isPossibleUsername } from '#shared/later/reserved-usernames.ts';
import { MAX_USERNAME_LENGTH } from '#shared/usernames.ts';
import type { SignUpFormState } from './forms.ts';

export interface ProposedUsername {
  /** Keeps what a person has typed; an emptied field takes proposals again. */
  readonly takeTyped: () => void;
  readonly propose: () => void;
  readonly fillIn: () => void;
  /** Writes another proposal, because the last one is taken. @returns an empty text when none was written. */
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

  // A person may have typed both names before the script loaded, and browsers restore the fields of a form.
  useEffect(() => {
    const { fullName = '', username = '' } = form.getValues();
    const proposal = proposeUsername(fullName);
    isTyped.current = username !== '' && username !== proposal;
    if (username === '' && proposal !== '') form.setValue('username', proposal);
  }, [form]);

  return { takeTyped, propose, fillIn, proposeAnother };
}

/** Unicode does not decompose these letters into a letter of a to z and an accent. */
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

/** No username holds more of a name; decomposing a long pile of accents takes the square of its length. */
const MAX_READ_LENGTH = 4 * MAX_USERNAME_LENGTH;

/** "Zoë O’Malley" becomes `zoe.omalley`; a long name loses its last words. @returns an empty text for no username. */
export function proposeUsername(fullName: string, suffix = ''): string {
  const words = fold(fullName).match(/[a-z0-9]+/g) ?? [];
  const username = shorten(words.join('.'), MAX_USERNAME_LENGTH - suffix.length) + suffix;
  return words.length > 0 && isPossibleUsername(username) ? username : '';
}

/** Four digits that distinguish people of one name. @param random is any whole number from 0 on. */
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

function shorten(joined: string, maxLength: number): string {
  if (joined.length <= maxLength) return joined;
  return joined
    .slice(0, maxLength + 1)
    .replace(/\.[^.]*$/, '')
    .slice(0, maxLength);
}
