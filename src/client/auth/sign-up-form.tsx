import type { SubmitEvent } from 'react';
import { useWatch } from 'react-hook-form';
import type { Credentials, Registration } from '#shared/accounts.ts';
import { api } from '../api.ts';
import { toastError, toastSuccess } from '../toasts.ts';
import type { Attempts } from '../ui/attempts.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { showFailure } from '../ui/failures.ts';
import { Field } from '../ui/field.tsx';
import { PasswordField } from '../ui/password-field.tsx';
import styles from './auth.module.css';
import { SIGN_UP_FIELDS, type SignUpFormState } from './forms.ts';
import { ServicePicker } from './service-picker.tsx';

interface SignUpFormProps {
  readonly form: SignUpFormState;
  readonly attempts: Attempts;
  /** Is called when the account exists; never rejects. */
  readonly onCreated: (credentials: Credentials) => Promise<void>;
}

async function register(registration: Registration): Promise<Credentials> {
  await api.auth.register.mutate(registration);
  toastSuccess('Account created successfully! Please login.');
  return { email: registration.email, password: registration.password };
}

export function SignUpForm({ form, attempts, onCreated }: SignUpFormProps) {
  const { errors } = form.formState;
  const isServiceProvider = useWatch({ control: form.control, name: 'isServiceProvider' });

  function signUp(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      try {
        const credentials = await form.handleSubmit(register, ({ serviceCategories }) => {
          if (serviceCategories?.message !== undefined) toastError(serviceCategories.message);
        })(event);
        if (credentials) await onCreated(credentials);
      } catch (error) {
        showFailure(form, SIGN_UP_FIELDS, error, 'Registration failed. Please try again.');
      }
    });
  }

  function clearServicesOfCustomer() {
    if (form.getValues('isServiceProvider')) return;
    form.setValue('serviceCategories', []);
    form.clearErrors('serviceCategories');
  }

  return (
    <form className={styles.form} noValidate onSubmit={signUp}>
      <Field
        label="Full name"
        autoComplete="name"
        autoCapitalize="words"
        required
        error={errors.fullName?.message}
        {...form.register('fullName')}
      />
      <Field
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        required
        error={errors.username?.message}
        {...form.register('username', { deps: 'password' })}
      />
      <Field
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="email"
        required
        error={errors.email?.message}
        {...form.register('email', { deps: 'password' })}
      />
      <Field
        label="Phone (optional)"
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        error={errors.phone?.message}
        {...form.register('phone')}
      />
      <PasswordField
        label="Password"
        hint="At least 8 characters."
        autoComplete="new-password"
        required
        error={errors.password?.message}
        {...form.register('password')}
      />
      <div className={styles.provider}>
        <Choice {...form.register('isServiceProvider', { onChange: clearServicesOfCustomer })}>
          I am a service provider (will receive tips)
        </Choice>
        {isServiceProvider && <ServicePicker form={form} />}
      </div>
      {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
      <Button type="submit" aria-disabled={attempts.isUnderWay}>
        {attempts.isUnderWay ? 'Creating Account...' : 'Create Account'}
      </Button>
    </form>
  );
}
