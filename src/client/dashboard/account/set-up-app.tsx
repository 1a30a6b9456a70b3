/** Sets up an authenticator app: a code to scan, the same as text, and what the app then shows. */
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import type { User } from '#shared/accounts.ts';
import type { TotpSetup } from '#shared/second-factors.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Dialog } from '../../ui/later/dialog.tsx';
import { useUnsaved } from '../../ui/later/unsaved.tsx';
import { Loading, Skeleton } from '../../ui/states.tsx';
import { useSending } from '../form.ts';
import { useIsOpen } from '../is-open.ts';
import styles from './account-care.module.css';
import { LOOK_AT_LIST, RecoveryCodes, WaitQuestion } from './recovery-codes.tsx';

const TITLE = 'Set up an authenticator app';
const FIELDS = ['code'] as const;
const FAILED = 'The app was not set up. Please try again.';
/** The newest setup of an account is the one that counts. */
const BEGUN_ANEW = 'If you began this again in another tab, go on there.';
const NO_ANSWER = `${unanswered('the app was set up')} ${LOOK_AT_LIST}`;

export function SetUpApp({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const [setup, setSetup] = useState<TotpSetup | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const { client } = trpc.useUtils();
  const isOpen = useIsOpen();
  const form = useForm({ defaultValues: { code: '' } });
  const { field, isUnderWay, submit } = useSending(form, {
    fields: FIELDS,
    fallback: NO_ANSWER,
    async send({ code }) {
      const confirmed = await confirm(code);
      if (confirmed === null) return;
      const { recoveryCodes } = confirmed;
      toastSuccess('Authenticator app set up');
      unsaved.finish(recoveryCodes === null ? onClose : () => setCodes(recoveryCodes));
    },
  });
  const unsaved = useUnsaved(isUnderWay && codes === null, onClose);
  const {
    errors: { root },
    submitCount,
  } = form.formState;

  /** @returns null for a wrong code, which it shows under its field. */
  async function confirm(code: string) {
    try {
      return await withPassword(() => client.secondFactors.confirmTotp.mutate({ code }));
    } catch (error) {
      const { code: refusal, detail } = failureOf(error);
      if (refusal !== 'wrong_code' || detail === null) throw error;
      const message = submitCount > 0 ? `${detail} ${BEGUN_ANEW}` : detail;
      form.setError('code', { type: 'server', message }, { shouldFocus: true });
      return null;
    }
  }

  /** @returns null when the dialog was closed meanwhile, which then asks for no password. */
  async function begin(): Promise<TotpSetup | null> {
    try {
      return await client.secondFactors.beginTotp.mutate();
    } catch (error) {
      if (isOpen.current) throw error;
      return null;
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: one secret for each time that it is opened
  useEffect(() => {
    withPassword(begin).then(setSetup, (error: unknown) => {
      if (!isOpen.current) return;
      toastError(failureOf(error).detail ?? FAILED);
      onClose();
    });
  }, []);

  if (codes) return <RecoveryCodes user={user} codes={codes} onClose={onClose} />;
  if (!setup)
    return (
      <Dialog title={TITLE} size="column" onClose={onClose}>
        <Loading>
          <Skeleton height="tall" />
        </Loading>
      </Dialog>
    );
  const { secret, qr } = setup;
  return (
    <Dialog title={TITLE} size="column" onClose={() => isUnderWay || onClose()}>
      <form className={styles.part} noValidate onSubmit={submit}>
        <p>Scan this with your authenticator app:</p>
        <svg
          className={styles.appCode}
          viewBox={`0 0 ${qr.size} ${qr.size}`}
          shapeRendering="crispEdges"
          role="img"
          aria-label="QR code for your authenticator app"
        >
          <path d={qr.path} />
        </svg>
        <p>
          Or type this key into it:
          <br />
          <code className={styles.secret}>{secret.match(/.{4}/g)?.join(' ')}</code>
        </p>
        <Field
          label="Code that the app shows"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          {...field('code', { required: 'Enter the code.' })}
        />
        {root && <p className={styles.failure}>{root.message}</p>}
        <Button type="submit" className={styles.action} aria-disabled={isUnderWay}>
          {isUnderWay ? 'One moment...' : 'Finish Setup'}
        </Button>
      </form>
      <WaitQuestion unsaved={unsaved} />
    </Dialog>
  );
}
