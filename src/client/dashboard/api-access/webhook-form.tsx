/** The form for the address of a webhook and the events that it is told. */
import { useId } from 'react';
import { useForm } from 'react-hook-form';
import { EVENT_TYPES, type EventType, MAX_WEBHOOK_URL_LENGTH } from '#shared/event-types.ts';
import { Choice } from '../../controls/choice.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { useTellUnsaved } from '../../ui/later/unsaved.tsx';
import care from '../account/account-care.module.css';
import { useSending } from '../form.ts';
import styles from './api-access.module.css';
import { EVENT_LABELS } from './webhook-words.ts';

const FIELDS = ['url', 'events'] as const;

interface AskedWebhook {
  url: string;
  events: EventType[];
}

interface WebhookFormProps {
  readonly initial: AskedWebhook;
  readonly button: string;
  readonly buttonUnderWay: string;
  readonly fallback: string;
  readonly send: (asked: AskedWebhook) => Promise<void>;
  readonly onUnsavedChange: (isUnsaved: boolean) => void;
}

export function WebhookForm(props: WebhookFormProps) {
  const { initial, button, buttonUnderWay, fallback, send, onUnsavedChange } = props;
  const id = useId();
  const form = useForm<AskedWebhook>({ defaultValues: initial });
  const { errors, isDirty } = form.formState;
  useTellUnsaved(isDirty, onUnsavedChange);
  const { field, isUnderWay, submit } = useSending(form, { fields: FIELDS, fallback, send });
  const url = field('url', { required: 'Enter the address of your program.' });
  const { error: noEvent, ...events } = field('events', { required: 'Choose what to send.' });

  return (
    <form className={care.part} noValidate onSubmit={submit}>
      <Field
        label="Address"
        hint="Such as https://example.com/tips"
        type="url"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={MAX_WEBHOOK_URL_LENGTH}
        required
        {...url}
      />
      <fieldset aria-describedby={noEvent === undefined ? undefined : `${id}-events`}>
        <legend className={styles.legend}>What should we send?</legend>
        <div className={styles.scopes}>
          {EVENT_TYPES.map((type) => (
            <Choice key={type} value={type} aria-invalid={noEvent !== undefined} {...events}>
              {EVENT_LABELS[type]} <code className={styles.scope}>{type}</code>
            </Choice>
          ))}
        </div>
        <p id={`${id}-events`} className={styles.failure} aria-live="polite">
          {noEvent}
        </p>
      </fieldset>
      {errors.root && <p className={care.failure}>{errors.root.message}</p>}
      <Button type="submit" className={care.action} aria-disabled={isUnderWay}>
        {isUnderWay ? buttonUnderWay : button}
      </Button>
    </form>
  );
}
