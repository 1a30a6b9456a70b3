/** The form that changes names, email and phone. Only what was changed is sent. */
import { type SubmitEvent, useEffect } from 'react';
import { useForm } from 'react-hook-form';
import type { ProfileChange, User } from '#shared/accounts.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Field } from '../../ui/field.tsx';
import { showFailure } from '../../ui/later/failures.ts';
import { PasswordField } from '../../ui/later/password-field.tsx';
import styles from './account-care.module.css';
import { useChangeProfile } from './change-profile.ts';
import { resolveDetails } from './profile-rules.ts';

const FIELDS = ['fullName', 'username', 'email', 'currentPassword', 'phone'] as const;

interface EditDetailsProps {
  readonly user: User;
  readonly onDone: () => void;
}

export function EditDetails({ user, onDone }: EditDetailsProps) {
  const { fullName, username, email, phone } = user;
  const change = useChangeProfile();
  const attempts = useAttempts();
  const form = useForm({
    resolver: resolveDetails(email),
    defaultValues: { fullName, username, email, phone: phone ?? '', currentPassword: '' },
  });
  const { errors } = form.formState;
  const isOtherEmail = form.watch('email').trim() !== email;
  const isOtherUsername = form.watch('username').trim().toLowerCase() !== username;

  useEffect(() => form.setFocus('fullName'), [form]);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      try {
        await form.handleSubmit(save)(event);
      } catch (error) {
        showFailure(form, FIELDS, error, 'Failed to save your profile');
      }
    });
  }

  async function save(values: ProfileChange) {
    const changed = changedOf(user, values);
    if (Object.keys(changed).length > 0) await change(changed);
    toastSuccess('Saved');
    onDone();
  }

  return (
    // Only the script sends this form.
    <form className={[card.card, styles.part].join(' ')} method="dialog" noValidate onSubmit={submit}>
      <h2 className={styles.heading}>Edit profile</h2>
      <div className={styles.fields}>
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
          hint={
            isOtherUsername
              ? `@${username} stays reserved for you.`
              : 'If you change it, this one stays reserved for you.'
          }
          autoComplete="username"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          required
          error={errors.username?.message}
          {...form.register('username')}
        />
        <Field
          label="Email"
          type="email"
          inputMode="email"
          autoComplete="email"
          required
          error={errors.email?.message}
          {...form.register('email')}
        />
        {isOtherEmail && (
          <PasswordField
            label="Your password"
            hint="Needed for another email."
            autoComplete="current-password"
            required
            error={errors.currentPassword?.message}
            {...form.register('currentPassword')}
          />
        )}
        <Field
          label="Phone (optional)"
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          error={errors.phone?.message}
          {...form.register('phone')}
        />
      </div>
      {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
      <div className={styles.actions}>
        <Button type="submit" aria-disabled={attempts.isUnderWay}>
          {attempts.isUnderWay ? 'Saving...' : 'Save'}
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** What differs from the account, and the password where it is needed. */
function changedOf(user: User, values: ProfileChange): ProfileChange {
  const { fullName, username, email, phone, currentPassword } = values;
  return {
    ...(fullName !== user.fullName && { fullName }),
    ...(username !== user.username && { username }),
    ...(email !== user.email && { email, currentPassword }),
    ...(phone !== user.phone && { phone }),
  };
}
