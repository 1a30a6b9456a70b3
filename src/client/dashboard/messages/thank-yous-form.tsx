/** The form of the ready thank-yous, which are saved together. */
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { api, failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { useTellUnsaved } from '../../ui/later/unsaved.tsx';
import styles from './messages.module.css';
import { counted, PROPOSED } from './thank-yous.ts';

interface ThankYousFormProps {
  readonly texts: readonly string[];
  /** Whether a button has opened the form, so that the first field takes the focus. */
  readonly isOpened?: boolean;
  readonly onUnsavedChange: (isUnsaved: boolean) => void;
  readonly onSaved: () => void;
  readonly onCancel?: () => void;
}

export function ThankYousForm(props: ThankYousFormProps) {
  const { texts, isOpened = false, onUnsavedChange, onSaved, onCancel } = props;
  /** Null until somebody types, so that texts that were saved elsewhere are filled in. */
  const [typed, setTyped] = useState<string[] | null>(null);
  const present = PROPOSED.map((_, index) => texts[index] ?? '');
  const fields = typed ?? present;
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map());
  const form = useRef<HTMLFormElement>(null);
  const attempts = useAttempts();
  const utils = trpc.useUtils();
  useTellUnsaved(
    fields.some((text, index) => text !== present[index]),
    onUnsavedChange,
  );

  useEffect(() => {
    if (isOpened) form.current?.querySelector('input')?.focus();
  }, [isOpened]);

  async function save() {
    setErrors(new Map());
    try {
      utils.messages.thankYous.setData(undefined, await api.messages.saveThankYous.mutate({ texts: fields }));
      setTyped(null);
      onSaved();
    } catch (error) {
      const { detail, fieldErrors } = failureOf(error);
      const [first] = fieldErrors;
      if (first === undefined) {
        setErrors(new Map([['texts', detail ?? unanswered('they were saved')]]));
        return;
      }
      setErrors(new Map(fieldErrors.map(({ field, message }) => [field, message])));
      form.current?.querySelectorAll('input')[Number(first.field.split('.')[1])]?.focus();
    }
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(save);
  }

  return (
    <form ref={form} className={styles.form} method="dialog" noValidate onSubmit={submit}>
      {fields.map((text, index) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: there are three, which keep their places
          key={index}
          label={`Thank-you ${index + 1}`}
          hint={counted(text)}
          dir="auto"
          autoComplete="off"
          value={text}
          readOnly={attempts.isUnderWay}
          onChange={({ target }) => setTyped(fields.with(index, target.value))}
          error={errors.get(`texts.${index}`)}
        />
      ))}
      <p className={styles.note}>Leave all three empty to use the suggested ones.</p>
      {errors.has('texts') && (
        <p role="alert" className={styles.failure}>
          {errors.get('texts')}
        </p>
      )}
      <div className={styles.actions}>
        <Button type="submit" aria-disabled={attempts.isUnderWay}>
          {attempts.isUnderWay ? 'Saving...' : 'Save'}
        </Button>
        {onCancel && (
          <Button
            look="quiet"
            aria-disabled={attempts.isUnderWay}
            onClick={() => attempts.isUnderWay || onCancel()}
          >
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}
