/** Who is signed in, in their own words. */
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { Badge } from '../ui/badge.tsx';
import card from '../ui/card.module.css';
import { accountTypeOf } from './account-type.ts';
import styles from './profile.module.css';

export function Profile({ user }: { readonly user: User }) {
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
