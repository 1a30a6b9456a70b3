/** Who somebody is: the data of the account, payouts, and the app on this device. */
import { Pencil } from 'lucide-react';
import { lazy, type ReactNode, useEffect, useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { paymentMode } from '../../installation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Later } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { sendsMail } from '../../ui/later/sends-mail.ts';
import { Skeleton } from '../../ui/states.tsx';
import { Fetched } from '../shared/fetched.tsx';
import { accountTypeOf } from '../shared/labels.ts';
import { Install } from './install.tsx';
import styles from './profile.module.css';

const Payouts = lazy(() => import('../payouts/payouts.tsx').then(({ Payouts }) => ({ default: Payouts })));
const loadQuestion = () => import('../../signed-in/later/password-again.ts');

const EditDetails = lazy(() =>
  import('./edit-details.tsx').then(({ EditDetails }) => ({ default: EditDetails })),
);

const EmailCare = lazy(() => import('./email-care.tsx').then(({ EmailCare }) => ({ default: EmailCare })));

export function Me({ user }: { readonly user: User }) {
  const [isEditing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);

  useEffect(() => {
    // The form is gone with what had the focus.
    if (wasEditing.current && !isEditing) edit.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);

  return (
    <>
      {isEditing ? (
        <Fetched sketch={<Skeleton height="tall" />}>
          <EditDetails user={user} onDone={() => setEditing(false)} />
        </Fetched>
      ) : (
        <div>
          <Details user={user} />
          <Button ref={edit} look="quiet" className={styles.edit} onClick={() => setEditing(true)}>
            <Pencil aria-hidden /> Edit Profile
          </Button>
        </div>
      )}
      {user.isServiceProvider && paymentMode() !== 'simulated' && (
        <Later>
          <Payouts user={user} place="profile" loadQuestion={loadQuestion} />
        </Later>
      )}
      {sendsMail() && (
        <Later>
          <EmailCare user={user} />
        </Later>
      )}
      <Install />
    </>
  );
}

function Details({ user }: { readonly user: User }) {
  // A long address goes on in the next line with its domain.
  const at = user.email.lastIndexOf('@');
  return (
    <dl className={styles.details}>
      <Entry term="Full name">
        <bdi>{user.fullName}</bdi>
      </Entry>
      <Entry term="Username">
        <bdi>@{user.username}</bdi>
      </Entry>
      <Entry term="Email">
        <bdi>
          {user.email.slice(0, at)}
          <wbr />
          {user.email.slice(at)}
        </bdi>
      </Entry>
      <Entry term="Phone">{user.phone === null ? 'Not provided' : <bdi>{user.phone}</bdi>}</Entry>
      <Entry term="Account type">
        <Badge>{accountTypeOf(user)}</Badge>
      </Entry>
      {user.isServiceProvider && (
        <Entry term="Services provided">
          <span className={styles.services}>
            {user.serviceCategories.map((category) => (
              <Badge key={category}>{CATEGORY_LABELS[category]}</Badge>
            ))}
          </span>
        </Entry>
      )}
    </dl>
  );
}

function Entry({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className={styles.entry}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
