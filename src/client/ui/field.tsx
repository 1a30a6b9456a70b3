/** A text field with its label, its hint and its error; screen readers announce the error when it appears. */
import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';

export interface FieldProps extends ComponentProps<'input'> {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly end?: ReactNode;
}

export function Field({ label, hint, error, end, ...input }: FieldProps) {
  const id = useId();
  const notes = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.box} data-invalid={error !== undefined}>
        <input
          id={id}
          className={styles.input}
          aria-invalid={error !== undefined}
          aria-describedby={notes || undefined}
          {...input}
        />
        {end}
      </div>
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      <p id={`${id}-error`} className={styles.error} aria-live="polite">
        {error}
      </p>
    </div>
  );
}
