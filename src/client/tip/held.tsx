import { PAGE_LANGUAGE } from '#shared/language.ts';
import styles from './success-step.module.css';

/** Until when the money of a tip is only held on the card; nothing where it is not. */
export function Held({ capturesAt }: { readonly capturesAt: string | null }) {
  if (capturesAt === null) return null;
  return (
    <p className={styles.held}>
      Your card is charged at {timeOf(capturesAt)}. Until then you can take your tip back at no cost.
    </p>
  );
}

export function timeOf(iso: string): string {
  return new Date(iso).toLocaleTimeString(PAGE_LANGUAGE, { timeStyle: 'short' });
}
