import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import type { PaymentMode } from '#shared/payments.ts';
import { paymentMode } from '../installation.ts';
import { paths } from '../paths.ts';
import { Badge } from '../ui/badge.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { NO_NEW_ACCOUNTS, registrationMode } from '../ui/later/registration-mode.ts';
import { Screen } from '../ui/screen.tsx';
import { CardLink, CardStand } from './card-stand.tsx';
import { Features } from './features.tsx';
import { Hero } from './hero.tsx';
import { HowItWorks } from './how-it-works.tsx';
import { JoinLink } from './join-link.tsx';
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

function Closing() {
  const isClosed = registrationMode() === 'closed';
  return (
    <section className={[section.bar, styles.closing].join(' ')} aria-labelledby="join">
      <div className={styles.words}>
        <h2 id="join" className={section.heading}>
          {isClosed ? 'Have an account?' : 'On the bar by tonight'}
        </h2>
        <p className={styles.text}>
          {isClosed ? NO_NEW_ACCOUNTS : 'Your first code can stand there before the first order.'}
        </p>
        <JoinLink className={styles.join}>Join {brand.name} Today</JoinLink>
      </div>
      <div className={styles.card}>
        <svg viewBox="0 0 252 325" aria-hidden="true">
          <CardStand title="Tip me" text="Scan or tap" />
        </svg>
        <CardLink className={styles.try} />
      </div>
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
