/** What a form says that the server refused, and where. */
import { createFormControl } from 'react-hook-form';
import { expect, it } from 'vitest';
import * as toasts from '#client/toasts.ts';
import { showFailure } from '#client/ui/later/failures.ts';
import { refusedWith, toastsOf } from './browser.ts';

const FALLBACK = 'Registration failed. Please try again.';

/** A form with these fields, and what is to be seen of it. */
function openForm() {
  const toastsBefore = toastsOf(toasts).length;
  let focused: string | null = null;
  const form = createFormControl({ defaultValues: { email: '', username: '', phone: '' } });
  let said: Record<string, string | undefined> = {};
  form.subscribe({
    formState: { errors: true },
    callback: ({ errors = {} }) => {
      said = Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, error?.message]));
    },
  });
  const fields = ['email', 'username', 'phone'] as const;
  for (const name of fields) form.register(name).ref({ name, focus: () => (focused = name) });
  return {
    fail: (error: unknown) =>
      showFailure({ ...form, formState: form.control._formState }, fields, error, FALLBACK),
    shown: async () => {
      // The library lets the focus wait for a turn of the event loop.
      await new Promise((resolve) => setTimeout(resolve));
      return { said, focused, toasts: toastsOf(toasts).slice(toastsBefore) };
    },
  };
}

it('says the fallback under the form when nobody answered', async () => {
  const form = openForm();
  form.fail(new TypeError('fetch failed'));
  expect(await form.shown()).toEqual({ said: { root: FALLBACK }, focused: null, toasts: [FALLBACK] });
});

it('says under the form what the server says of no field', async () => {
  const form = openForm();
  form.fail(refusedWith('wrong_credentials'));
  const sentence = 'Incorrect email or password.';
  expect(await form.shown()).toEqual({ said: { root: sentence }, focused: null, toasts: [sentence] });
});

it.each([
  ['email_taken', 'email', 'An account with this email already exists.'],
  ['username_taken', 'username', 'This username is already taken.'],
] as const)('says of %s under the field %s, which takes the focus', async (code, field, sentence) => {
  const form = openForm();
  form.fail(refusedWith(code));
  expect(await form.shown()).toEqual({ said: { [field]: sentence }, focused: field, toasts: [sentence] });
});

it('says under each field what the server says of it, and the first field takes the focus', async () => {
  const form = openForm();
  const fieldErrors = [
    { field: 'phone', message: 'No phone.' },
    { field: 'username.2', message: 'No username.' },
    { field: 'elsewhere', message: 'Not here.' },
  ];
  form.fail(refusedWith('invalid_input', { fieldErrors }));
  expect(await form.shown()).toEqual({
    said: { username: 'No username.', phone: 'No phone.' },
    focused: 'username',
    toasts: ['No phone.'],
  });
});

it('says under the form what the server says of a field that the form has not', async () => {
  const form = openForm();
  form.fail(refusedWith('invalid_input', { fieldErrors: [{ field: 'elsewhere', message: 'Not here.' }] }));
  expect(await form.shown()).toMatchObject({ said: { root: 'Not here.' }, focused: null });
});
