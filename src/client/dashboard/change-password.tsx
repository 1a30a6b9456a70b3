/** A new password for whoever knows the present one. The server's rules apply, in the server's words. */
import type { SubmitEvent } from 'react';
import { useForm } from 'react-hook-form';
import { useAttempts } from '../ui/attempts.ts';
import { Button } from '../ui/button.tsx';
import card from '../ui/card.module.css';
import { showFailure } from '../ui/failures.ts';
import { PasswordField } from '../ui/password-field.tsx';
import styles from './account-care.module.css';
import { useChangePassword } from './queries.ts';

const FIELDS = ['currentPassword', 'newPassword'] as const;
const CHANGE_FAILED = 'Failed to change the password';

export function ChangePassword({ email }: { readonly email: string }) {
  const form = useForm({ defaultValues: { currentPassword: '', newPassword: '' } });
  const { errors } = form.formState;
  const attempts = useAttempts();
  const change = useChangePassword();

  function submit(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      try {
        await form.handleSubmit(async (values) => {
          await change(values);
          form.reset();
        })(event);
      } catch (error) {
        showFailure(form, FIELDS, error, CHANGE_FAILED);
      }
    });
  }

  return (
    <form className={[card.card, styles.part].join(' ')} noValidate onSubmit={submit}>
      <h2 className={styles.heading}>Change password</h2>
      {/* Tells a password manager whose password it is. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        required
        error={errors.currentPassword?.message}
        {...form.register('currentPassword', { required: 'Current password is required.' })}
      />
      <PasswordField
        label="New password"
        hint="At least 8 characters. Your other devices will be logged out."
        autoComplete="new-password"
        required
        error={errors.newPassword?.message}
        {...form.register('newPassword', { required: 'New password is required.' })}
      />
      {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
      <Button type="submit" className={styles.action} aria-disabled={attempts.isUnderWay}>
        {attempts.isUnderWay ? 'Changing...' : 'Change Password'}
      </Button>
    </form>
  );
}
