/** Shows the refusal of a form, under its fields where it names any. */
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import type { ErrorCode, FieldError } from '#shared/errors.ts';
import { failureOf } from '../../api-client/api.ts';
import { toastError } from '../../toasts.ts';

/** Some refusals concern one field without naming it. */
const FIELD_OF_REFUSAL: Readonly<Partial<Record<ErrorCode, string>>> = {
  email_taken: 'email',
  username_taken: 'username',
  username_changed_often: 'username',
  wrong_password: 'currentPassword',
  invitation_for_another: 'email',
};

/** Toasts the failure and shows it under the fields that it names, else under the form. The first takes the focus. */
export function showFailure<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  fields: readonly FieldPath<Values>[],
  error: unknown,
  fallback: string,
): void {
  const sentence = failureOf(error).detail ?? fallback;
  const fieldErrors = fieldErrorsOf(error);
  toastError(sentence);
  const named = fields.filter((field) => {
    const message = fieldErrors.find((fieldError) => fieldError.field.split('.')[0] === field)?.message;
    if (message !== undefined) form.setError(field, { type: 'server', message });
    return message !== undefined;
  });
  if (named[0] === undefined) form.setError('root', { type: 'server', message: sentence });
  else form.setFocus(named[0]);
}

function fieldErrorsOf(error: unknown): readonly FieldError[] {
  const { code, detail, fieldErrors } = failureOf(error);
  const field = code === null ? undefined : FIELD_OF_REFUSAL[code];
  return field === undefined || detail === null ? fieldErrors : [{ field, message: detail }];
}
