/** The form that changes the password. The rules for the new one are the server's. */
import { useForm } from 'react-hook-form';
import { api, holdCallsFor, unanswered } from '../../api-client/api.ts';
import { beginSession } from '../../session/session.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { PasswordField } from '../../ui/later/account-fields.tsx';
import { useSending } from '../form.ts';
import styles from './account-care.module.css';

const FIELDS = ['currentPassword', 'newPassword'] as const;
const NO_ANSWER = `${unanswered('your password was changed')} If you are logged out, log in with the new one.`;

interface ChangePasswordProps {
  readonly email: string;
  /** Of somebody whose password the operator made, and who may have come by a passkey, without it. */
  readonly currentHint?: string;
  readonly onChanged?: () => void;
}

export function ChangePassword({ email, currentHint, onChanged }: ChangePasswordProps) {
  const isOptional = currentHint !== undefined;
  const form = useForm({ defaultValues: { currentPassword: '', newPassword: '' } });
  const { errors } = form.formState;
  const { field, isUnderWay, submit } = useSending(form, {
    fields: FIELDS,
    fallback: NO_ANSWER,
    async send({ currentPassword, newPassword }) {
      await withPassword(() =>
        holdCallsFor(
          api.auth.changePassword
            .mutate({
              newPassword,
              currentPassword: isOptional ? currentPassword || undefined : currentPassword,
            })
            .then(({ accessToken, user }) => beginSession(accessToken, user)),
        ),
      );
      toastSuccess('Password changed. Your other devices are logged out.');
      form.reset();
      onChanged?.();
    },
  });

  return (
    <form className={styles.part} noValidate onSubmit={submit}>
      {/* Password managers learn from this field whose password is changed. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        {...(isOptional && { hint: currentHint })}
        autoComplete="current-password"
        required={!isOptional}
        {...field('currentPassword', { required: isOptional ? false : 'Current password is required.' })}
      />
      <PasswordField
        label="New password"
        hint="At least 8 characters. Your other devices will be logged out."
        autoComplete="new-password"
        required
        {...field('newPassword', { required: 'New password is required.' })}
      />
      {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
      <Button type="submit" className={styles.action} aria-disabled={isUnderWay}>
        {isUnderWay ? 'Changing...' : 'Change Password'}
      </Button>
    </form>
  );
}
