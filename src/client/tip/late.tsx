/** The screens of a code that takes no tips, and of a missing receipt, fetched on demand: few people see them. */
import { useEffect, useRef, useState } from 'react';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { CODE_FORM_PATH } from '#shared/page-paths.ts';
import { drawnInstallation, paymentMode } from '../installation.ts';
import { PAID, PAYMENT, paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { ScreenHeading } from '../ui/heading.tsx';
import { RetryIcon } from '../ui/icons.tsx';
import { CodeField } from '../ui/later/code-field.tsx';
import { Screen } from '../ui/screen.tsx';
import states from '../ui/states.module.css';
import styles from './code-not-found.module.css';
import type { Entry } from './history-entries.ts';
import { LateReceipt, NoReceipt } from './late-receipt.tsx';

export interface LateProps {
  readonly why: 'unknown' | 'replaced' | 'retired' | 'paused' | 'unpayable' | 'no-receipt';
  readonly typed: string;
  readonly isSignedIn: boolean;
  readonly onRetry: () => void;
}

export function Late({ why, typed, isSignedIn, onRetry }: LateProps) {
  // The query is read here, because a later chunk must not split the modules of the tip page.
  const query = new URLSearchParams(useSearch());
  const transactionId = query.get(PAID) || query.get(PAYMENT) || null;
  if (why === 'no-receipt') {
    return <NoReceipt isPayment={query.has(PAYMENT)} name={transactionId} onRetry={onRetry} />;
  }
  if (why === 'paused' || why === 'unpayable') return <Closed why={why} onRetry={onRetry} />;
  if (why === 'unknown') return <CodeNotFound typed={typed} isSignedIn={isSignedIn} />;
  const gone = <CodeGone why={why} />;
  return transactionId === null ? (
    gone
  ) : (
    <LateReceipt
      key={transactionId}
      qrId={typed}
      isPayment={query.has(PAYMENT)}
      transactionId={transactionId}
      gone={gone}
    />
  );
}

const CLOSED = {
  paused: {
    title: 'Not taking tips right now',
    text: 'This code is paused. Check back in a moment.',
  },
  unpayable: {
    title: 'Not taking tips yet',
    // They may have to set up payouts, or the service is one that the payment service does not serve.
    text: 'This code can’t take tips for now. Its owner’s dashboard says why.',
  },
  maintenance: {
    title: 'Not taking tips right now',
    text: 'Check back when maintenance is over.',
  },
} as const;

/** Without a payment service nobody has to set up payouts, also when this page came before the maintenance. */
function isMaintenance(): boolean {
  if (import.meta.env.SSR) return drawnInstallation().maintenance !== null;
  return document.documentElement.dataset['maintenance'] !== undefined || paymentMode() === 'simulated';
}

interface ClosedProps {
  readonly why: 'paused' | 'unpayable';
  readonly onRetry: () => void;
}

function Closed({ why, onRetry }: ClosedProps) {
  const isHeld = why === 'unpayable' && isMaintenance();
  const { title, text } = CLOSED[isHeld ? 'maintenance' : why];
  return (
    <section className={[card.card, states.problem].join(' ')}>
      <h2>{title}</h2>
      <p>{text}</p>
      {/* Another page says whether maintenance is over, or how long it goes on. */}
      <Button onClick={isHeld ? () => window.location.reload() : onRetry}>
        <RetryIcon /> Retry
      </Button>
    </section>
  );
}

const GONE = {
  replaced: {
    title: 'This code was replaced',
    text: 'This print is out of date and no longer works. Ask for the new code.',
  },
  retired: {
    title: 'This code is no longer in use',
    text: 'It no longer works. If somebody shows it to you, ask for their new code.',
  },
} as const;

/** It names nobody and leads to no other code, so that an old print can be trusted. */
function CodeGone({ why }: { readonly why: keyof typeof GONE }) {
  const { title, text } = GONE[why];
  const [isUncharged, setUncharged] = useState(false);
  useEffect(() => {
    // The page is rendered for everybody, also for those who have just pressed Pay.
    const entry: Entry | null = history.state;
    setUncharged(entry?.step === 'select-amount' && entry.isUncharged === true);
  }, []);
  return (
    <Screen title={title} width="column">
      <section className={[card.card, states.problem].join(' ')}>
        <ScreenHeading className={states.title}>{title}</ScreenHeading>
        <p>
          {text}
          {isUncharged && ' Nothing was charged.'}
        </p>
        <ButtonLink look="quiet" href={paths.home}>
          Go Home
        </ButtonLink>
      </section>
    </Screen>
  );
}

const REDIRECT_AFTER_MS = 4_000;
const ACTS = ['pointerdown', 'keydown', 'input'] as const;

interface CodeNotFoundProps {
  readonly typed: string;
  readonly isSignedIn: boolean;
}

/** Without any act a signed-in person is led to the dashboard after a moment. */
function CodeNotFound({ typed, isSignedIn }: CodeNotFoundProps) {
  const field = useRef<HTMLInputElement>(null);
  const [hasActed, setActed] = useState(false);
  useEffect(() => {
    // The page is rendered once for all unknown codes, and gets its text here, unless a person has typed already.
    if (field.current?.value === '') field.current.value = typed;
    else if (field.current?.value !== typed) setActed(true);
  }, [typed]);
  const isLeaving = isSignedIn && !hasActed;
  useEffect(() => {
    if (!isLeaving) return;
    const timer = setTimeout(() => navigate(paths.dashboard), REDIRECT_AFTER_MS);
    const stay = () => setActed(true);
    for (const act of ACTS) window.addEventListener(act, stay);
    return () => {
      clearTimeout(timer);
      for (const act of ACTS) window.removeEventListener(act, stay);
    };
  }, [isLeaving]);
  return (
    <Screen title="QR Code Not Found" width="column">
      <ScreenHeading className={styles.title}>QR Code Not Found</ScreenHeading>
      <p>
        Check the ten characters under the picture, or scan it again. I and L are the digit 1, and O is the
        digit 0.
      </p>
      {isLeaving && <p>You will be taken to your dashboard in a moment.</p>}
      {/* The browser sends this form by itself, and the server reads the code or the link and leads to its page. */}
      <form className={styles.again} action={CODE_FORM_PATH}>
        <CodeField ref={field} name="code" />
        <Button type="submit">Process QR Code</Button>
        <ButtonLink look="quiet" href={paths.home}>
          Go Home
        </ButtonLink>
      </form>
    </Screen>
  );
}
