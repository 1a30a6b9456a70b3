import type { SubmitEvent } from 'react';
import type { Attempts } from '../controls/attempts.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { showFailure } from '../ui/later/failures.ts';
import { PasswordField } from '../ui/later/password-field.tsx';
import styles from './auth.module.css';
import { enter, LOGIN_FAILED } from './enter.ts';
import { LOGIN_FIELDS, type LoginFormState } from './forms.ts';

interface LoginFormProps {
  readonly form: LoginFormState;
  readonly attempts: Attempts;
}

export function LoginForm({ form, attempts }: LoginFormProps) {
  const { errors } = form.formState;

  function logIn(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      try {
        await form.handleSubmit(enter)(event);
      } catch (error) {
        showFailure(form, LOGIN_FIELDS, error, LOGIN_FAILED);
      }
    });
  }

  return (
    // Only the script sends this form: a browser does nothing with the method "dialog" where there is no dialog.
    <form className={styles.form} method="dialog" noValidate onSubmit={logIn}>
      <Field
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="email"
        required
        error={errors.email?.message}
        {...form.register('email')}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        required
        error={errors.password?.message}
        {...form.register('password')}
      />
      {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
      <Button type="submit" aria-disabled={attempts.isUnderWay}>
        {attempts.isUnderWay ? 'Logging in...' : 'Login'}
      </Button>
    </form>
  );
}
