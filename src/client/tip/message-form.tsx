/** The form for a message, fetched when a giver wants to write one. */
import { useEffect, useId, useRef } from 'react';
import type { FieldError } from '#shared/errors.ts';
import { lengthOf, MAX_MESSAGE_LENGTH, problemWith } from '#shared/message-rules.ts';
import { Choice } from '../controls/choice.tsx';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/later/text-area.tsx';
import type { TipMessage } from './attempt.ts';
import { complaintAbout } from './attempt.ts';
import styles from './message-form.module.css';

export interface MessageFormProps {
  readonly words: TipMessage;
  readonly receiver: string;
  readonly giverName: string | null;
  readonly isLocked: boolean;
  /** True when a person has just opened the form, false after a reload. */
  readonly takesFocus: boolean;
  readonly onChange: (words: TipMessage) => void;
  readonly onRemove: () => void;
}

function complaintsAbout({ message }: TipMessage): readonly FieldError[] {
  const problem = problemWith('The message', message);
  return problem === null ? [] : [{ field: 'message', message: problem }];
}

function MessageForm(props: MessageFormProps) {
  const { words, receiver, giverName, isLocked, takesFocus, onChange, onRemove } = props;
  const { message, withName, complaints } = words;
  const field = useRef<HTMLTextAreaElement>(null);
  const names = useRef<HTMLFieldSetElement>(null);
  const nameErrorId = useId();
  const problemOfName = complaintAbout('withName', words);

  useEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);

  const seen = useRef(complaints);
  useEffect(() => {
    if (seen.current === complaints) return;
    seen.current = complaints;
    if (complaints.some((complaint) => complaint.field === 'message')) field.current?.focus();
    else if (complaints.length > 0) names.current?.querySelector<HTMLInputElement>('input:checked')?.focus();
  }, [complaints]);

  function write(text: string) {
    const others = complaints.filter((complaint) => complaint.field !== 'message');
    // Mistakes are shown from the first attempt to pay, and from then on with each letter.
    const isChecked = others.length < complaints.length;
    const next = { ...words, message: text };
    onChange({ ...next, complaints: isChecked ? [...others, ...complaintsAbout(next)] : complaints });
  }

  function choose(isNamed: boolean) {
    const others = complaints.filter((complaint) => complaint.field !== 'withName');
    onChange({
      ...words,
      withName: isNamed,
      // An unchanged list does not move the focus.
      complaints: others.length < complaints.length ? others : complaints,
    });
  }

  return (
    <div className={styles.form}>
      <TextArea
        ref={field}
        label="Message"
        hint={`Only \u2068${receiver}\u2069 sees it.`}
        counter={`${lengthOf(message)}/${MAX_MESSAGE_LENGTH}`}
        error={complaintAbout('message', words)}
        rows={3}
        value={message}
        readOnly={isLocked}
        onChange={({ target }) => write(target.value)}
      />
      {giverName !== null && (
        <fieldset ref={names} className={styles.names} aria-describedby={nameErrorId}>
          <legend className={styles.legend}>Your name</legend>
          {[false, true].map((isNamed) => (
            <Choice
              key={String(isNamed)}
              type="radio"
              name="given-name"
              checked={withName === isNamed}
              disabled={isLocked}
              onChange={() => choose(isNamed)}
            >
              {isNamed ? <bdi>{giverName}</bdi> : 'No name'}
            </Choice>
          ))}
          <p id={nameErrorId} className={styles.error} aria-live="polite">
            {problemOfName}
          </p>
        </fieldset>
      )}
      <Button
        look="quiet"
        className={styles.remove}
        aria-disabled={isLocked}
        onClick={() => isLocked || onRemove()}
      >
        Remove Message
      </Button>
    </div>
  );
}

export const messageForm = { MessageForm, complaintsAbout };
