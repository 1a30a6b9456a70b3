/** Whether the email is confirmed and takes mails, and the monthly statement of a provider. */
import type { User } from '#shared/accounts.ts';
import type { MailSettings } from '#shared/mail.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { Choice } from '../../controls/choice.tsx';
import { trpc } from '../../signed-in/api-hooks.ts';
import { FRESH } from '../../signed-in/part.ts';
import { timeZoneHere } from '../../signed-in/time-here.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import styles from './account-care.module.css';

export function EmailCare({ user }: { readonly user: User }) {
  const settings = trpc.auth.mailSettings.useQuery(undefined, FRESH);
  if (!settings.data) return null;
  return (
    <section className={styles.part} aria-labelledby="emails">
      <h3 className={styles.heading} id="emails">
        Emails
      </h3>
      <AddressState settings={settings.data} />
      {user.isServiceProvider && <MonthlyStatement settings={settings.data} />}
    </section>
  );
}

function AddressState({ settings: { confirmedAt, refusal } }: { readonly settings: MailSettings }) {
  const { isUnderWay, run } = useAttempts();
  const send = trpc.auth.sendConfirmation.useMutation();

  function ask() {
    void run(async () => {
      try {
        await send.mutateAsync();
        toastSuccess('Check your email for the link.');
      } catch (error) {
        toastError(failureOf(error).detail ?? unanswered('the link was sent'));
      }
    });
  }

  if (confirmedAt !== null && refusal === null) return <p>Your email is confirmed.</p>;
  return (
    <>
      {refusal === null ? (
        <p>Your email isn’t confirmed yet. Confirm it to hear about logins and to get receipts.</p>
      ) : (
        <p className={styles.failure}>
          Emails don’t reach you. The mail server says: <bdi>{refusal}</bdi>
        </p>
      )}
      <Button look="quiet" className={styles.action} aria-disabled={isUnderWay} onClick={ask}>
        {isUnderWay ? 'Sending...' : 'Send Me the Link'}
      </Button>
    </>
  );
}

function MonthlyStatement({ settings }: { readonly settings: MailSettings }) {
  const { isUnderWay, run } = useAttempts();
  const cache = trpc.useUtils().auth.mailSettings;
  const change = trpc.auth.changeMailSettings.useMutation();

  function choose(monthlyStatement: boolean) {
    void run(async () => {
      try {
        cache.setData(undefined, await change.mutateAsync({ monthlyStatement, timeZone: timeZoneHere() }));
      } catch (error) {
        toastError(failureOf(error).detail ?? unanswered('that was saved'));
      }
    });
  }

  return (
    <Choice
      checked={change.isPending ? change.variables.monthlyStatement : settings.monthlyStatement}
      aria-disabled={isUnderWay}
      onChange={(event) => choose(event.currentTarget.checked)}
    >
      Email me a statement each month
    </Choice>
  );
}
