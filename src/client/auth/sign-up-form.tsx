import { type SubmitEvent, useEffect, useRef } from 'react';
import type { FieldErrors } from 'react-hook-form';
import type { Credentials, Registration } from '#shared/accounts.ts';
import type { InvitationLink } from '#shared/invitations.ts';
import { api, failureOf } from '../api-client/api.ts';
import type { Attempts } from '../controls/attempts.ts';
import { Choice } from '../controls/choice.tsx';
import { drawnInstallation } from '../installation.ts';
import { clearToasts, toastError, toastSuccess } from '../toasts.ts';
import { Button } from '../ui/button.tsx';
import {
  EmailField,
  FullNameField,
  PasswordField,
  PhoneField,
  UsernameField,
} from '../ui/later/account-fields.tsx';
import { showFailure } from '../ui/later/failures.ts';
import { ServicePicker } from '../ui/later/service-picker.tsx';
import styles from './auth.module.css';
import { ACCOUNT, enter, type SignUpFormState, type SignUpValues, signUpFields } from './forms.ts';
import { Invited } from './invitation-needed.tsx';
import type { ProposedUsername } from './proposed-username.ts';

const MAX_OTHER_PROPOSALS = 3;

interface SignUpFormProps {
  readonly form: SignUpFormState;
  readonly username: ProposedUsername;
  readonly isForGiver: boolean;
  readonly isByInvitation: boolean;
  /** Null on the page that the server renders, and where none is needed. */
  readonly invitation: InvitationLink | null;
  readonly attempts: Attempts;
  /** Called when the account exists; never rejects. */
  readonly onCreated: (credentials: Credentials) => Promise<void>;
}

export function SignUpForm({
  form,
  username,
  isForGiver,
  isByInvitation,
  invitation,
  attempts,
  onCreated,
}: SignUpFormProps) {
  const { errors } = form.formState;
  const fields = signUpFields(isForGiver);
  /** The email of a sign-up that had no answer. */
  const unanswered = useRef<string | null>(null);
  const invitedEmail = invitation?.email;
  useEffect(() => {
    if (invitedEmail && !form.getValues('email')) form.setValue('email', invitedEmail);
  }, [form, invitedEmail]);

  function signUp(event: SubmitEvent) {
    event.preventDefault();
    username.fillIn();
    void attempts.run(async () => {
      try {
        const credentials = await form.handleSubmit(register, showInvalid)(event);
        if (credentials) await onCreated(credentials);
      } catch (error) {
        showFailure(form, fields, error, 'Registration failed. Please try again.');
      }
    });
  }

  /** @returns null when this has logged in already. */
  async function register(registration: Registration): Promise<Credentials | null> {
    const { email, password } = registration;
    try {
      await createAccount({ ...registration, invitation: invitation?.token }, username);
    } catch (error) {
      const isAnswered = failureOf(error).status !== null;
      if (!isAnswered) unanswered.current = email;
      if (!isAnswered || unanswered.current !== email) throw error;
      // The account is there when the answer alone was lost, and what its owner typed opens it.
      await enter({ email, password }).catch(() => Promise.reject(error));
      return null;
    }
    clearToasts();
    toastSuccess('Account created successfully! Please login.', ACCOUNT);
    return { email, password };
  }

  function showInvalid(invalid: FieldErrors<SignUpValues>) {
    if (invalid.serviceCategories?.message !== undefined) toastError(invalid.serviceCategories.message);
    const first = fields.find((field) => invalid[field] !== undefined);
    if (first !== undefined) form.setFocus(first);
  }

  return (
    <form className={styles.form} method="dialog" noValidate onSubmit={signUp}>
      {isByInvitation && <Invited email={invitation?.email ?? null} />}
      {!isForGiver && <ServicesOfProvider form={form} />}
      <FullNameField
        error={errors.fullName?.message}
        {...form.register('fullName', { onChange: username.propose })}
      />
      <UsernameField
        error={errors.username?.message}
        {...form.register('username', {
          deps: 'password',
          onChange: username.takeTyped,
          onBlur: username.fillIn,
        })}
      />
      <EmailField
        autoComplete="username"
        error={errors.email?.message}
        {...form.register('email', { deps: 'password' })}
      />
      <PhoneField error={errors.phone?.message} {...form.register('phone')} />
      <PasswordField
        label="Password"
        hint="At least 8 characters."
        autoComplete="new-password"
        required
        error={errors.password?.message}
        {...form.register('password')}
      />
      {isForGiver && <ServicesOfProvider form={form} />}
      {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
      <AcceptedTerms />
      <Button type="submit" aria-disabled={attempts.isUnderWay}>
        {attempts.isUnderWay ? 'Creating Account...' : 'Create Account'}
      </Button>
    </form>
  );
}

function ServicesOfProvider({ form }: Pick<SignUpFormProps, 'form'>) {
  // Unlike `useWatch`, `watch` sees a box that was ticked before the script loaded.
  const isServiceProvider = form.watch('isServiceProvider');

  function clearServicesOfCustomer() {
    if (form.getValues('isServiceProvider')) return;
    form.setValue('serviceCategories', []);
    form.clearErrors('serviceCategories');
  }

  return (
    <div className={styles.provider}>
      <Choice {...form.register('isServiceProvider', { onChange: clearServicesOfCustomer })}>
        I am a service provider (will receive tips)
      </Choice>
      {isServiceProvider && (
        <ServicePicker
          legend="Select all services you provide:"
          field={form.register('serviceCategories')}
          chosen={form.watch('serviceCategories')}
          error={form.formState.errors.serviceCategories?.message}
        />
      )}
    </div>
  );
}

function AcceptedTerms() {
  const hasTerms = import.meta.env.SSR
    ? drawnInstallation().hasTerms
    : document.documentElement.dataset['terms'] === 'on';
  if (!hasTerms) return null;
  return (
    <p>
      By creating an account you accept the{' '}
      {/* A new tab, because this one has a form that may be half filled in. */}
      <a href="/terms" target="_blank" rel="noopener noreferrer">
        terms of use
      </a>
      .
    </p>
  );
}

async function createAccount(
  registration: Registration,
  username: ProposedUsername,
  proposalsLeft = MAX_OTHER_PROPOSALS,
): Promise<void> {
  try {
    await api.auth.register.mutate(registration);
  } catch (error) {
    const isTaken = failureOf(error).code === 'username_taken';
    const other = isTaken && proposalsLeft > 0 ? username.proposeAnother() : '';
    if (other === '') throw error;
    await createAccount({ ...registration, username: other }, username, proposalsLeft - 1);
  }
}
