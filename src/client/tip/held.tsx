import { atTime } from '../ui/later/time-of.ts';
import styles from './success-step.module.css';

/** Until when the money of a tip is only held on the card; nothing where it is not. */
export function Held({ capturesAt }: { readonly capturesAt: string | null }) {
  if (capturesAt === null) return null;
  return (
    <p className={styles.held}>
      Your card is charged {atTime(capturesAt)}. Until then you can take your tip back at no cost.
    </p>
  );
}
