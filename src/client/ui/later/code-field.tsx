import { Field, type FieldProps } from '../field.tsx';

/** In characters; any link to a tip page is far shorter. */
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
