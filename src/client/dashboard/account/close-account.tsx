/** The dialog that closes the account: what follows, and the form that asks for the password and a word. */
import { type ReactNode, useState } from 'react';
import { flushSync } from 'react-dom';
import { useForm } from 'react-hook-form';
import { CLOSING_GRACE_DAYS, CLOSING_WORD, type Closing, type User } from '#shared/accounts.ts';
import { api, unanswered } from '../../api-client/api.ts';
import { noteClosedAccount } from '../../session/closed-account.ts';
import { leaveBy } from '../../signed-in/logout.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { PasswordField } from '../../ui/later/account-fields.tsx';
import confirmation from '../../ui/later/confirmation.module.css';
import { Dialog } from '../../ui/later/dialog.tsx';
import { useSending } from '../form.ts';
import { useIsOpen } from '../is-open.ts';
import styles from './account-care.module.css';
import type { DataDownload } from './download-data.ts';
import { resolveClosing } from './profile-change.ts';

const FIELDS = ['currentPassword', 'confirmation'] as const;
const NO_DATA = 'Your account was not closed, because your data could not be downloaded.';
const NO_ANSWER =
  `${unanswered('your account was closed')} ` +
  'Try again with the same password. If you are logged out, it is closed.';

interface CloseAccountProps {
  readonly user: User;
  /** The account is not closed before a download that is under way has its file. */
  readonly data: DataDownload;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

export function CloseAccount({ user, data, onCancel, children }: CloseAccountProps) {
  const form = useForm({
    resolver: resolveClosing,
    defaultValues: { currentPassword: '', confirmation: '' },
  });
  const { errors } = form.formState;
  const { field, isUnderWay, submit } = useSending(form, {
    fields: FIELDS,
    fallback: NO_ANSWER,
    send: close,
  });
  const [isSent, setSent] = useState(false);
  const isOpen = useIsOpen();

  async function close(values: Closing) {
    const hasData = await data.finish();
    if (!isOpen.current) return;
    if (!hasData) {
      // The download shows the reason, but may be out of sight.
      form.setError('root', { message: NO_DATA });
      return;
    }
    // A click before the next render could still cancel.
    flushSync(() => setSent(true));
    try {
      const { closesAt } = await leaveBy(api.auth.close.mutate(values), true);
      noteClosedAccount(closesAt);
      toastSuccess(`Your account is closed. A login until ${shortDateTime(closesAt)} brings it back.`);
    } finally {
      setSent(false);
    }
  }

  function cancel() {
    // A request that was sent cannot be called back.
    if (!isSent) onCancel();
  }

  return (
    <Dialog title="Close your account?" size="question" onClose={cancel}>
      <Course user={user} />
      {children}
      <form className={styles.part} noValidate onSubmit={submit}>
        {/* Password managers learn from this field whose password is asked for. */}
        <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          required
          {...field('currentPassword')}
        />
        <Field
          label={`The word “${CLOSING_WORD}”`}
          hint={`Type “${CLOSING_WORD}” to show that you mean it.`}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          required
          {...field('confirmation')}
        />
        {errors.root && (
          <p role="alert" className={styles.failure}>
            {errors.root.message}
          </p>
        )}
        <div className={confirmation.answers}>
          <Button type="submit" aria-disabled={isUnderWay}>
            {labelOf(isUnderWay, data.isUnderWay && !isSent)}
          </Button>
          <Button look="quiet" aria-disabled={isSent} onClick={cancel}>
            Keep Account
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function labelOf(isUnderWay: boolean, isWaiting: boolean): string {
  if (!isUnderWay) return 'Close Account';
  return isWaiting ? 'Waiting for your data...' : 'Closing...';
}

function Course({ user }: { readonly user: User }) {
  const { isServiceProvider, username } = user;
  return (
    <dl className={styles.course}>
      <div>
        <dt>At once</dt>
        <dd>
          You are logged out everywhere
          {isServiceProvider
            ? ', your devices get no more notifications, API keys end for good, ' +
              'and your QR codes take no more tips.'
            : ', and API keys end for good.'}
        </dd>
      </div>
      <div>
        <dt>For {CLOSING_GRACE_DAYS} days</dt>
        <dd>A login brings everything else back.</dd>
      </div>
      <div>
        <dt>After that</dt>
        <dd>
          {isServiceProvider
            ? 'Your name, email, phone, photos, greetings and password are erased for good, ' +
              'and your QR codes stop working.'
            : 'Your name, email, phone and password are erased for good.'}{' '}
          Nobody can ever have <bdi>@{username}</bdi> again.
        </dd>
      </div>
      <div>
        <dt>What stays</dt>
        <dd>
          The amounts of your tips, under “Closed account”. Download your data first if you want to keep it.
        </dd>
      </div>
    </dl>
  );
}
