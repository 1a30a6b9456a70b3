/** The form that changes names, email and phone. Only changed values are sent. */
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { ProfileChange, User } from '#shared/accounts.ts';
import { unanswered } from '../../api-client/api.ts';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import {
  EmailField,
  FullNameField,
  PasswordField,
  PhoneField,
  UsernameField,
} from '../../ui/later/account-fields.tsx';
import { LeaveQuestion, useUnsaved } from '../../ui/later/unsaved.tsx';
import { useSending } from '../form.ts';
import styles from './account-care.module.css';
import { resolveDetails, useChangeProfile } from './profile-change.ts';

const FIELDS = ['fullName', 'username', 'email', 'currentPassword', 'phone'] as const;

interface EditDetailsProps {
  readonly user: User;
  readonly onDone: () => void;
}

export function EditDetails({ user: present, onDone }: EditDetailsProps) {
  // What another tab or device changes meanwhile is not changed back.
  const [user] = useState(present);
  const { fullName, username, email, phone } = user;
  const change = useChangeProfile();
  const form = useForm({
    resolver: resolveDetails(email),
    defaultValues: { fullName, username, email, phone: phone ?? '', currentPassword: '' },
  });
  const { field, isUnderWay, submit } = useSending(form, {
    fields: FIELDS,
    fallback: unanswered('your profile was saved'),
    send: save,
  });
  const { errors, dirtyFields } = form.formState;
  // A password that was typed for another email is no change once the email is what it was.
  const { currentPassword: _, ...changed } = dirtyFields;
  const unsaved = useUnsaved(Object.keys(changed).length > 0, onDone);
  const isOtherEmail = form.watch('email').trim() !== email;
  const isOtherUsername = form.watch('username').trim().toLowerCase() !== username;

  useEffect(() => form.setFocus('fullName'), [form]);

  async function save(values: ProfileChange) {
    const changed = changedOf(user, values);
    if (Object.keys(changed).length > 0) await change(changed);
    toastSuccess('Saved');
    unsaved.finish(onDone);
  }

  return (
    <>
      <form className={styles.part} method="dialog" noValidate onSubmit={submit}>
        <h3 className={styles.heading}>Edit profile</h3>
        <div className={styles.fields}>
          <FullNameField {...field('fullName')} />
          <UsernameField
            hint={
              isOtherUsername
                ? `@${username} stays reserved for you.`
                : 'If you change it, this one stays reserved for you.'
            }
            {...field('username')}
          />
          <EmailField {...field('email')} />
          {isOtherEmail && (
            <PasswordField
              label="Your password"
              hint="Needed for another email."
              autoComplete="current-password"
              required
              {...field('currentPassword')}
            />
          )}
          <PhoneField {...field('phone')} />
        </div>
        {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
        <div className={styles.actions}>
          <Button type="submit" aria-disabled={isUnderWay}>
            {isUnderWay ? 'Saving...' : 'Save'}
          </Button>
          {/* A call that was sent cannot be withdrawn. */}
          <Button look="quiet" aria-disabled={isUnderWay} onClick={() => isUnderWay || onDone()}>
            Cancel
          </Button>
        </div>
      </form>
      <LeaveQuestion unsaved={unsaved}>
        <p>Your profile has changes that are not saved.</p>
      </LeaveQuestion>
    </>
  );
}

function changedOf(user: User, values: ProfileChange): ProfileChange {
  const { fullName, username, email, phone, currentPassword } = values;
  return {
    ...(fullName !== user.fullName && { fullName }),
    ...(username !== user.username && { username }),
    ...(email !== user.email && { email, currentPassword }),
    ...(phone !== user.phone && { phone }),
  };
}
