import { brand } from '#shared/brand.ts';
import styles from './footer.module.css';

export function Footer() {
  return (
    <footer className={styles.footer}>
      <p>© 2024 {brand.name}. All rights reserved.</p>
      <p>Payments are simulated for now: no money moves.</p>
      <noscript>
        <p>Logging in and sending tips take JavaScript. Please switch it on and load this page again.</p>
      </noscript>
    </footer>
  );
}
