/** Invitations that can still be used, and the form for another one. Its link is shown once. */
import { type SubmitEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type AskedInvitation, askedInvitation, type OpenInvitation } from '#shared/console/installation.ts';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { LeaveQuestion } from '../../ui/later/unsaved.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { consoleApi, consoleHooks } from '../console-api.ts';
import { LinkOnce } from '../link-once.tsx';
import { Loaded } from '../loaded.tsx';
import { type Complaints, complain, typedIn, useTypedForm } from '../typed-fields.ts';
import { When } from '../when.tsx';
import styles from './installation.module.css';

export function Invitations() {
  const query = consoleHooks.installation.invitations.useQuery();
  const heading = useRef<HTMLHeadingElement>(null);
  const [revoking, setRevoking] = useState<OpenInvitation>();
  const [made, setMade] = useState<MadeInvitation>();

  function endWithRevoked(isRevoked: boolean) {
    flushSync(() => {
      setRevoking(undefined);
      if (revoking?.id === made?.id) setMade(undefined);
    });
    heading.current?.focus();
    toastSuccess(isRevoked ? 'The link no longer works.' : 'The link had ended already.');
  }

  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        Invitations
      </h3>
      <Loaded query={query}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p className={styles.soft}>No invitation is open.</p>
          ) : (
            <ul className={styles.rows}>
              {invitations.map((invitation) => (
                <li key={invitation.id} className={styles.row}>
                  <Invitation invitation={invitation} />
                  <Button
                    look="quiet"
                    aria-label={`Revoke ${invitation.id}`}
                    onClick={() => setRevoking(invitation)}
                  >
                    Revoke
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <NewInvitation made={made} onMade={setMade} />
      {revoking && (
        <ActDialog
          title={`Revoke ${revoking.id}?`}
          confirm="Revoke"
          act={(reason) => consoleApi.installation.revokeInvitation.mutate({ id: revoking.id, reason })}
          onDone={endWithRevoked}
          onClose={() => setRevoking(undefined)}
        >
          <p>Nobody can sign up by this link any more. Accounts that were made by it stay.</p>
        </ActDialog>
      )}
    </>
  );
}

function Invitation({ invitation }: { readonly invitation: OpenInvitation }) {
  const { id, email, usesLeft, maxUses, expiresAt } = invitation;
  return (
    <p className={styles.words}>
      <bdi>{email ?? 'Anybody with the link'}</bdi>
      <br />
      <span className={styles.soft}>
        {usesLeft} of {accounts(maxUses)} left, until <When at={expiresAt} /> · <code>{id}</code>
      </span>
    </p>
  );
}

const accounts = (count: number) => `${count} ${count === 1 ? 'account' : 'accounts'}`;

interface MadeInvitation {
  readonly id: string;
  readonly link: string;
}

function NewInvitation({
  made,
  onMade,
}: {
  readonly made: MadeInvitation | undefined;
  readonly onMade: (made: MadeInvitation) => void;
}) {
  const [complaints, setComplaints] = useState<Complaints>({});
  const [asked, setAsked] = useState<AskedInvitation>();
  const { unsaved, forget, onInput } = useTypedForm();

  function ask(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const { email = '', maxUses, days } = typedIn(event);
    const { data, error } = askedInvitation.safeParse({
      email: email === '' ? null : email,
      maxUses: Number(maxUses),
      days: Number(days),
    });
    const errors = error?.issues.map(({ path, message }) => ({ field: String(path[0]), message })) ?? [];
    setComplaints(complain(event.currentTarget, errors));
    setAsked(data);
  }

  function endWith(invitation: MadeInvitation) {
    setAsked(undefined);
    forget();
    onMade(invitation);
  }

  return (
    <div>
      <form className={styles.form} noValidate onSubmit={ask} onInput={onInput}>
        <div className={styles.fields}>
          <Field
            label="Email"
            hint="Empty for anybody"
            type="email"
            name="email"
            autoComplete="off"
            error={complaints['email']}
          />
          <Field
            label="Accounts"
            inputMode="numeric"
            name="maxUses"
            defaultValue="1"
            error={complaints['maxUses']}
          />
          <Field label="Days" inputMode="numeric" name="days" defaultValue="7" error={complaints['days']} />
        </div>
        <Button type="submit" look="quiet" className={styles.action}>
          Make Invitation
        </Button>
      </form>
      {/* A screen reader announces only what comes into a region that was there before. */}
      <div role="status">
        {made && (
          <div className={styles.link}>
            <p>Here is the link. It is shown this once.</p>
            <LinkOnce key={made.id} link={made.link} />
          </div>
        )}
      </div>
      {asked && (
        <ActDialog
          title="Make this invitation?"
          confirm="Make Invitation"
          act={(reason) => consoleApi.installation.invite.mutate({ ...asked, reason })}
          onDone={endWith}
          onClose={() => setAsked(undefined)}
        >
          <p>
            {accounts(asked.maxUses)}, {asked.email === null ? 'for anybody with the link' : asked.email},
            within {asked.days} {asked.days === 1 ? 'day' : 'days'}.
          </p>
        </ActDialog>
      )}
      <LeaveQuestion unsaved={unsaved}>
        <p>The invitation as you typed it is lost.</p>
      </LeaveQuestion>
    </div>
  );
}
