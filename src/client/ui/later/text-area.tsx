import { type ComponentProps, useId } from 'react';
import styles from '../field.module.css';
import own from './text-area.module.css';

interface TextAreaProps extends ComponentProps<'textarea'> {
  readonly label: string;
  readonly hint: string;
  readonly error: string | undefined;
  readonly counter?: string;
}

export function TextArea({ label, hint, error, counter, ...input }: TextAreaProps) {
  const id = useId();
  const notes = [`${id}-hint`, counter && `${id}-counter`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.box} data-invalid={error !== undefined}>
        <textarea
          id={id}
          className={[styles.input, styles.area].join(' ')}
          aria-invalid={error !== undefined}
          aria-describedby={notes}
          {...input}
        />
      </div>
      <p id={`${id}-hint`} className={styles.hint}>
        {hint}
      </p>
      <p
        id={`${id}-error`}
        className={[styles.error, counter && own.beside].filter(Boolean).join(' ')}
        aria-live="polite"
      >
        {error}
      </p>
      {counter && (
        <p id={`${id}-counter`} className={own.counter}>
          {counter}
        </p>
      )}
    </div>
  );
}
