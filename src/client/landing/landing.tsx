import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import type { PaymentMode } from '#shared/payments.ts';
import { paymentMode } from '../installation.ts';
import { paths } from '../paths.ts';
import { Badge } from '../ui/badge.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { Screen } from '../ui/screen.tsx';
import { Closing } from './closing.tsx';
import { Features } from './features.tsx';
import { Hero } from './hero.tsx';
import { HowItWorks } from './how-it-works.tsx';
import styles from './landing.module.css';
import section from './section.module.css';

export function Landing() {
  return (
    <>
      <Screen
        actions={
          <ButtonLink look="quiet" href={paths.auth}>
            Login
          </ButtonLink>
        }
      >
        <Hero />
        <HowItWorks />
        <Features />
        <Services />
        <Closing />
      </Screen>
      <Footer />
    </>
  );
}

const SHOWN: readonly ServiceCategory[] = [
  'bartender',
  'barber',
  'nailtech',
  'esthetician',
  'server',
  'dj',
  'live_event',
];

function Services() {
  return (
    <section className={[section.section, styles.services].join(' ')} aria-labelledby="services">
      <h2 id="services">For everyone who lives on tips</h2>
      <ul className={styles.badges}>
        {SHOWN.map((category) => (
          <li key={category}>
            <Badge>{CATEGORY_LABELS[category]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}

const OF_PAYMENTS: Readonly<Record<PaymentMode, string>> = {
  simulated: 'Payments are simulated for now: no money moves.',
  test: 'Test mode: no real money moves.',
  live: 'Tips are paid by card through Stripe.',
};

function Footer() {
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
