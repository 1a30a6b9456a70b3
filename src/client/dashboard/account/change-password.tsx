/** The form that changes the password; the server checks the new one and says what is wrong with it. */
import type { SubmitEvent } from 'react';
import { useForm } from 'react-hook-form';
import { changePassword } from '../../api/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { showFailure } from '../../ui/later/failures.ts';
import { PasswordField } from '../../ui/later/password-field.tsx';
import styles from './account-care.module.css';

const FIELDS = ['currentPassword', 'newPassword'] as const;
const CHANGE_FAILED = 'Failed to change the password';

interface ChangePasswordProps {
  readonly email: string;
  /** The hint under the field of the current password. */
  readonly currentHint?: string;
  readonly onChanged?: () => void;
}

export function ChangePassword({ email, currentHint, onChanged }: ChangePasswordProps) {
  const form = useForm({ defaultValues: { currentPassword: '', newPassword: '' } });
  const { errors } = form.formState;
  const attempts = useAttempts();

  function submit(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      try {
        await form.handleSubmit(async (values) => {
          await changePassword(values);
          toastSuccess('Password changed. Your other devices are logged out.');
          form.reset();
          onChanged?.();
        })(event);
      } catch (error) {
        showFailure(form, FIELDS, error, CHANGE_FAILED);
      }
    });
  }

  return (
    <form className={[card.card, styles.part].join(' ')} noValidate onSubmit={submit}>
      <h2 className={styles.heading}>Change password</h2>
      {/* Password managers learn from this field whose password is changed. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        {...(currentHint !== undefined && { hint: currentHint })}
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
