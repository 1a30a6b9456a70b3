/** The receipt to hold up across the bar. Unlike a picture, its clock moves and it shows the age of the tip. */

import { useEffect, useRef, useState } from 'react';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { isPageUsername } from '#shared/usernames.ts';
import { Button } from '../ui/button.tsx';
import { timeOf } from '../ui/later/time-of.ts';
import { Money } from '../ui/money.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { Check } from './check.tsx';
import type { Provider } from './provider.ts';
import styles from './receipt-screen.module.css';
import type { Receipt } from './tip-flow.ts';

const LONG_CENTS = 100_000;
const JUST_NOW_MS = 5_000;
const MINUTE_MS = 60_000;
const FRESH_MS = 15 * MINUTE_MS;

interface ReceiptScreenProps {
  readonly receipt: Receipt;
  readonly provider: Provider;
  readonly onClose: () => void;
}

export function ReceiptScreen({ receipt, provider, onClose }: ReceiptScreenProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const now = useNow();
  const paidAt = new Date(receipt.paidAt);
  const ageMs = Math.max(0, now.getTime() - paidAt.getTime());
  return (
    <dialog
      ref={dialog}
      className={styles.screen}
      data-fresh={ageMs < FRESH_MS}
      aria-labelledby="receipt-screen"
      onClose={onClose}
    >
      <header className={styles.head}>
        <span className={styles.wordmark}>{brand.name}</span>
        <Button look="quiet" onClick={() => dialog.current?.close()}>
          Close
        </Button>
      </header>
      <div className={styles.receipt}>
        <div className={styles.check}>
          <Check />
        </div>
        <h2 id="receipt-screen" className={styles.amount} data-long={receipt.amountCents >= LONG_CENTS}>
          <Money amountCents={receipt.amountCents} />
        </h2>
        <p className={styles.name}>
          to <bdi>{provider.fullName}</bdi>
        </p>
        <p>
          {!isPageUsername(provider.username) && (
            <>
              <bdi>@{provider.username}</bdi> ·{' '}
            </>
          )}
          {CATEGORY_LABELS[provider.serviceCategory]}
        </p>
      </div>
      <footer className={styles.foot}>
        <p role="timer" className={styles.clock}>
          {now.toLocaleTimeString(PAGE_LANGUAGE, { timeStyle: 'medium' })}
        </p>
        <p>
          Sent <time dateTime={receipt.paidAt}>{timeOf(paidAt, now)}</time>, {agoOf(ageMs)}
        </p>
        <SimulatedMoney mode={receipt.paymentMode} />
      </footer>
    </dialog>
  );
}

const words = new Intl.RelativeTimeFormat('en');

function agoOf(ageMs: number): string {
  const minutes = Math.floor(ageMs / MINUTE_MS);
  if (ageMs < JUST_NOW_MS) return 'just now';
  if (minutes < 1) return words.format(-Math.floor(ageMs / 1_000), 'second');
  if (minutes < 60) return words.format(-minutes, 'minute');
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? words.format(-hours, 'hour') : words.format(-Math.floor(hours / 24), 'day');
}

const SECOND_MS = 1_000;

/**
 * By the server's clock: on a device that is hours off a fresh receipt would look old, and an old one fresh. That clock
 * is there with the API's client, which whoever only chooses an amount does not load.
 */
function useNow(): Date {
  const clock = useRef(() => new Date());
  const [now, setNow] = useState(clock.current);
  useEffect(() => {
    import('../api-client/server-clock.ts').then(
      ({ serverNow }) => {
        clock.current = () => new Date(serverNow());
        setNow(clock.current());
      },
      () => {},
    );
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => setNow(clock.current()), SECOND_MS - now.getMilliseconds());
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}
