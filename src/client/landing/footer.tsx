import { brand } from '#shared/brand.ts';
import type { PaymentMode } from '#shared/payments.ts';
import { paymentMode } from '../installation.ts';
import styles from './footer.module.css';

const OF_PAYMENTS: Readonly<Record<PaymentMode, string>> = {
  simulated: 'Payments are simulated for now: no money moves.',
  test: 'Test mode: no real money moves.',
  live: 'Tips are paid by card through Stripe.',
};

export function Footer() {
  return (
    <footer className={styles.footer}>
      <p>© 2024 {brand.name}. All rights reserved.</p>
      <p>{OF_PAYMENTS[paymentMode()]}</p>
      <noscript>
        <p>Logging in and sending tips take JavaScript. Please switch it on and load this page again.</p>
      </noscript>
    </footer>
  );
}
