/** The Profile tab: the data of the account, the alerts of new tips, password and sessions. */
import { lazy, Suspense } from 'react';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { Badge } from '../../ui/badge.tsx';
import { Boundary } from '../../ui/boundary.tsx';
import card from '../../ui/card.module.css';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { AlertSettings } from '../live/alert-settings.tsx';
import { accountTypeOf } from './account-type.ts';
import styles from './profile.module.css';

const AccountCare = lazy(() =>
  import('./account-care.tsx').then(({ AccountCare }) => ({ default: AccountCare })),
);

export function Profile({ user }: { readonly user: User }) {
  return (
    <>
      <Details user={user} />
      <div className={styles.care}>
        <AlertSettings />
        <Boundary fallback={<CareUnreachable />}>
          <Suspense fallback={<Skeleton height="tall" />}>
            <AccountCare user={user} />
          </Suspense>
        </Boundary>
      </div>
    </>
  );
}

/** Browsers do not fetch a failed module again until the page is reloaded. */
function CareUnreachable() {
  return (
    <Problem title="Password and sessions could not be loaded" onRetry={() => window.location.reload()}>
      <p>Check your connection and try again.</p>
    </Problem>
  );
}

function Details({ user }: { readonly user: User }) {
  return (
    <dl className={[card.card, styles.profile].join(' ')}>
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
