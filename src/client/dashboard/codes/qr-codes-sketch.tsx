/** The skeleton of the QR Codes tab while it loads. */
import type { User } from '#shared/accounts.ts';
import { Skeleton } from '../../ui/states.tsx';
import styles from './qr-codes.module.css';

/** One card for each service. */
export function QrCodesSketch({ user }: { readonly user: User }) {
  return (
    <div className={styles.codes}>
      {user.serviceCategories.map((category) => (
        <Skeleton key={category} height="tall" />
      ))}
    </div>
  );
}
