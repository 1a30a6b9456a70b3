/**
 * The username that the sign-up form proposes while nobody has typed one. Like the form it belongs to the screen, so that it
 * outlives a change of tab.
 */
import { useEffect, useRef } from 'react';
import type { SignUpFormState } from './forms.ts';
import { fourDigits, proposeUsername } from './username-proposal.ts';

export interface ProposedUsername {
  /** Takes over what a person has typed into the field; a field that they emptied is open to proposals again. */
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

  // A person may have typed both names before the script came, and browsers fill in again what stood in a form.
  useEffect(() => {
    const { fullName = '', username = '' } = form.getValues();
    const proposal = proposeUsername(fullName);
    isTyped.current = username !== '' && username !== proposal;
    if (username === '' && proposal !== '') form.setValue('username', proposal);
  }, [form]);

  return { takeTyped, propose, fillIn, proposeAnother };
}
