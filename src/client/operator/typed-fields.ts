/** What was typed into the fields of a form, and what is wrong with them. */
import { type InputEvent, type SubmitEvent, useState } from 'react';
import type { FieldError } from '#shared/errors.ts';
import { useUnsaved } from '../ui/later/unsaved.tsx';

export type Complaints = Readonly<Record<string, string>>;

/** @returns the texts by the names of their fields, without spaces around them. */
export function typedIn({ currentTarget }: SubmitEvent<HTMLFormElement>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...new FormData(currentTarget)].map(([name, value]) => [name, String(value).trim()]),
  );
}

/** Asks before what was typed into a form is lost. */
export function useTypedForm() {
  const [isTyped, setTyped] = useState(false);
  const forget = () => setTyped(false);
  const unsaved = useUnsaved(isTyped, forget);
  const onInput = ({ currentTarget }: InputEvent<HTMLFormElement>) => setTyped(isChanged(currentTarget));
  return { unsaved, forget, onInput };
}

/** Whether a field has another text than the form had at first. */
function isChanged(form: HTMLFormElement): boolean {
  return [...form.elements].some(
    (element) =>
      (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) &&
      element.value !== element.defaultValue,
  );
}

/** Focuses the first field with a complaint. @returns the first complaint of each field. */
export function complain(form: HTMLFormElement, errors: readonly FieldError[]): Complaints {
  const complaints = Object.fromEntries(errors.toReversed().map(({ field, message }) => [field, message]));
  const first = [...form.elements].find(
    (element) =>
      element instanceof HTMLElement && Object.hasOwn(complaints, element.getAttribute('name') ?? ''),
  );
  if (first instanceof HTMLElement) first.focus();
  return complaints;
}

/** A time of which only a part was typed has no value, and would count as an empty field. */
export function unfinishedIn(
  { currentTarget }: SubmitEvent<HTMLFormElement>,
  message = 'Enter both the date and the time, or clear the field.',
): readonly FieldError[] {
  return [...currentTarget.elements].flatMap((element) =>
    element instanceof HTMLInputElement && element.validity.badInput
      ? [{ field: element.name, message }]
      : [],
  );
}

/** Reads a `datetime-local` field in the operator's zone. @returns ISO 8601; undefined for an empty field. */
export function timeTyped(text = ''): string | undefined {
  const time = new Date(text);
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
