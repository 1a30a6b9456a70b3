/** The Profile tab: the account's data, payouts, alerts, notifications, services, password and sessions. */
import { Pencil } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { paymentMode } from '../../installation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Boundary } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { AlertSettings } from '../live/alert-settings.tsx';
import { accountTypeOf } from '../shared/labels.ts';
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
      <Entry term="Full name">
        <bdi>{user.fullName}</bdi>
      </Entry>
      <Entry term="Username">
        <bdi>@{user.username}</bdi>
      </Entry>
      <Entry term="Email">
        <bdi>{user.email}</bdi>
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
