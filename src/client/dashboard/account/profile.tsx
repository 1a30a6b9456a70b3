/** The Profile tab: the data of the account, the alerts and notices of new tips, services, password and sessions. */
import { Pencil } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { paymentMode } from '../../installation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Boundary } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { AlertSettings } from '../live/alert-settings.tsx';
import { accountTypeOf } from './account-type.ts';
import styles from './profile.module.css';

const AccountCare = lazy(() =>
  import('./account-care.tsx').then(({ AccountCare }) => ({ default: AccountCare })),
);

const Payouts = lazy(() => import('../payouts/payouts.tsx').then(({ Payouts }) => ({ default: Payouts })));
const loadQuestion = () => import('../../signed-in/later/password-again.ts');

const ThisDevice = lazy(() =>
  import('../notifications/this-device.tsx').then(({ ThisDevice }) => ({ default: ThisDevice })),
);

const EditDetails = lazy(() =>
  import('./edit-details.tsx').then(({ EditDetails }) => ({ default: EditDetails })),
);

export function Profile({ user }: { readonly user: User }) {
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
        <Boundary fallback={<Unreachable title="The form could not be loaded" />}>
          <Suspense fallback={<Skeleton height="tall" />}>
            <EditDetails user={user} onDone={() => setEditing(false)} />
          </Suspense>
        </Boundary>
      ) : (
        <div className={[card.card, styles.profile].join(' ')}>
          <Details user={user} />
          <Button ref={edit} look="quiet" className={styles.edit} onClick={() => setEditing(true)}>
            <Pencil aria-hidden /> Edit Profile
          </Button>
        </div>
      )}
      {user.isServiceProvider && paymentMode() !== 'simulated' && (
        <div className={styles.payouts}>
          <Boundary>
            <Suspense>
              <Payouts user={user} place="profile" loadQuestion={loadQuestion} />
            </Suspense>
          </Boundary>
        </div>
      )}
      <div className={styles.care}>
        <div className={styles.device}>
          <AlertSettings />
          <Boundary fallback={<Unreachable title="Notices could not be loaded" />}>
            <Suspense fallback={user.isServiceProvider && <Skeleton height="tall" />}>
              <ThisDevice user={user} />
            </Suspense>
          </Boundary>
        </div>
        <Boundary fallback={<Unreachable title="Services, password and sessions could not be loaded" />}>
          <Suspense fallback={<Skeleton height="tall" />}>
            <AccountCare user={user} />
          </Suspense>
        </Boundary>
      </div>
    </>
  );
}

/** Browsers do not fetch a failed module again until the page is reloaded. */
function Unreachable({ title }: { readonly title: string }) {
  return (
    <Problem title={title} onRetry={() => window.location.reload()}>
      <p>Check your connection and try again.</p>
    </Problem>
  );
}

function Details({ user }: { readonly user: User }) {
  return (
    <dl>
      <div className={styles.entry}>
        <dt>Full name</dt>
        <dd>
          <bdi>{user.fullName}</bdi>
        </dd>
      </div>
      <div className={styles.entry}>
        <dt>Username</dt>
        <dd>
          <bdi>@{user.username}</bdi>
        </dd>
      </div>
      <div className={styles.entry}>
        <dt>Email</dt>
        <dd>
          <bdi>{user.email}</bdi>
        </dd>
      </div>
      <div className={styles.entry}>
        <dt>Phone</dt>
        <dd>{user.phone === null ? 'Not provided' : <bdi>{user.phone}</bdi>}</dd>
      </div>
      <div className={styles.entry}>
        <dt>Account type</dt>
        <dd>
          <Badge>{accountTypeOf(user)}</Badge>
        </dd>
      </div>
      {user.isServiceProvider && (
        <div className={styles.entry}>
          <dt>Services provided</dt>
          <dd className={styles.services}>
            {user.serviceCategories.map((category) => (
              <Badge key={category}>{CATEGORY_LABELS[category]}</Badge>
            ))}
          </dd>
        </div>
      )}
    </dl>
  );
}
