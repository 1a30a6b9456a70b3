/** Sends forms to the server, one attempt at a time. */
import type { SubmitEvent } from 'react';
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
  const attempts = useAttempts();
  return {
    isUnderWay: attempts.isUnderWay,
    field: <Name extends FieldPath<Values>>(name: Name, options?: RegisterOptions<Values, Name>) => ({
      ...form.register(name, options),
      error: form.getFieldState(name, form.formState).error?.message,
    }),
    submit(event: SubmitEvent): void {
      event.preventDefault();
      void attempts.run(async () => {
        try {
          await form.handleSubmit(send, onInvalid)(event);
        } catch (error) {
          showFailure(form, fields, error, fallback);
        }
      });
    },
  };
}
