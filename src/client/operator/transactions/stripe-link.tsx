import styles from './troubles.module.css';

/** Leads to the dashboard of Stripe, in another tab. */
export function StripeLink({ href }: { readonly href: string }) {
  return (
    <a className={styles.link} href={href} target="_blank" rel="noreferrer">
      Open in Stripe
    </a>
  );
}
