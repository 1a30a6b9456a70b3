/** The field for a printed code, or for a link to its page. */
import { Field, type FieldProps } from '../field.tsx';

/** In characters; far more than any link to a tip page has. */
const MAX_LENGTH = 2_000;

export function CodeField(props: Omit<FieldProps, 'label'>) {
  return (
    <Field
      label="QR code or link"
      maxLength={MAX_LENGTH}
      autoComplete="off"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      enterKeyHint="go"
      required
      {...props}
    />
  );
}
