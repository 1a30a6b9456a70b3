/** Sends forms to the server, one attempt at a time. */
import type { MouseEvent, SubmitEvent } from 'react';
import type { FieldPath, FieldValues, RegisterOptions, UseFormReturn } from 'react-hook-form';
import { useAttempts } from '../controls/attempts.ts';
import { showFailure } from '../ui/later/failures.ts';

interface SendingOptions<Values extends FieldValues, Output> {
  /** The fields that a refusal may name, in the order in which they take the focus. */
  readonly fields: readonly FieldPath<Values>[];
  readonly fallback: string;
  /** An error that it throws is shown under the fields that it names, else under the form. */
  readonly send: (values: Output) => Promise<void>;
  readonly onInvalid?: () => void;
}

export function useSending<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  { fields, fallback, send, onInvalid }: SendingOptions<Values, Output>,
) {
  const { isUnderWay, run } = useAttempts();

  /** It cannot be changed while it is being sent: the answer closes or resets the form. */
  function register<Name extends FieldPath<Values>>(name: Name, options?: RegisterOptions<Values, Name>) {
    return {
      ...form.register(name, options),
      readOnly: isUnderWay,
      // Browsers know no box that is read-only.
      'aria-disabled': isUnderWay,
      onClick: (event: MouseEvent) => isUnderWay && event.preventDefault(),
    };
  }

  return {
    isUnderWay,
    register,
    field: <Name extends FieldPath<Values>>(name: Name, options?: RegisterOptions<Values, Name>) => ({
      ...register(name, options),
      error: form.getFieldState(name, form.formState).error?.message,
    }),
    submit(event: SubmitEvent): void {
      event.preventDefault();
      void run(async () => {
        try {
          await form.handleSubmit(send, onInvalid)(event);
        } catch (error) {
          showFailure(form, fields, error, fallback);
        }
      });
    },
  };
}
