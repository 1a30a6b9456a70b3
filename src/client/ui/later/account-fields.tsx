/** The fields of an account, as the sign-up, the login and the profile show them. */
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { Field, type FieldProps } from '../field.tsx';
import styles from './account-fields.module.css';

type AccountFieldProps = Omit<FieldProps, 'label' | 'type' | 'end'>;

export function FullNameField(props: AccountFieldProps) {
  return <Field label="Full name" autoComplete="name" autoCapitalize="words" required {...props} />;
}

export function UsernameField(props: AccountFieldProps) {
  return (
    <Field
      label="Username"
      // Password managers would keep it as the name of the login, which takes the email.
      autoComplete="nickname"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      required
      {...props}
    />
  );
}

/** @param props.autoComplete is `username` where the email names the login. */
export function EmailField(props: AccountFieldProps) {
  return <Field label="Email" type="email" inputMode="email" autoComplete="email" required {...props} />;
}

export function PhoneField(props: AccountFieldProps) {
  return <Field label="Phone (optional)" type="tel" inputMode="tel" autoComplete="tel" {...props} />;
}

export function PasswordField(props: Omit<FieldProps, 'type' | 'end'>) {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Field
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      end={
        <button
          type="button"
          className={styles.toggle}
          aria-label={isShown ? 'Hide password' : 'Show password'}
          onClick={() => setShown(!isShown)}
        >
          <Icon aria-hidden />
        </button>
      }
    />
  );
}
