import { lazy, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { cents } from '#shared/money.ts';
import { isKept } from '#shared/tip-states.ts';
import { isPageUsername } from '#shared/usernames.ts';
import { BAR, isOfOpenDemo } from '../giving/demo-tips.ts';
import { callAbout, idOf, isGuests, receiptPage } from '../giving/guest-receipt.ts';
import { lookForThanksMs, restMs } from '../giving/look-again.ts';
import { dashboardTab } from '../later/addresses.ts';
import { currentPath } from '../paths.ts';
import { useSession } from '../session/session.ts';
import { Later } from '../ui/boundary.tsx';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { Quote } from '../ui/later/quote.tsx';
import { Money } from '../ui/money.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { Check } from './check.tsx';
import { Held } from './held.tsx';
import { isLongSum } from './long-sum.ts';
import type { Provider } from './provider.ts';
import { ReceiptScreen } from './receipt-screen.tsx';
import { StepHeading } from './step-heading.tsx';
import styles from './success-step.module.css';
import type { Receipt } from './tip-flow.ts';

const JUST_GIVEN_MS = 5_000;

/** In characters; a toast with such a name has twice the lines on a narrow phone. */
const LONG_NAME = 24;

/** Few sites send mail, and few people ask. */
const MailReceipt = lazy(() =>
  import('../ui/later/mail-receipt.tsx').then(({ MailReceipt }) => ({ default: MailReceipt })),
);

/** It knows the server's clock, with the client of the API, which whoever only chooses an amount does not load. */
const Undo = lazy(() => import('./undo.tsx').then(({ Undo }) => ({ default: Undo })));

interface SuccessStepProps {
  readonly receipt: Receipt;
  readonly provider: Provider;
  readonly onAnother: (() => void) | null;
}

export function SuccessStep({ receipt, provider, onAnother }: SuccessStepProps) {
  const { amountCents, transactionId, paymentMode } = receipt;
  const isGuest = transactionId !== null && isGuests(transactionId);
  const [isHeldUp, setHeldUp] = useState(false);
  const thankYou = useThankYou(receipt);
  // What was below on the step before would lie below the toast.
  useEffect(() => {
    window.scrollTo({ top: 0, behavior: 'instant' });
  }, []);
  return (
    <section
      className={[card.card, styles.success].join(' ')}
      data-long={provider.fullName.length > LONG_NAME}
    >
      <div className={styles.check}>
        <Check />
      </div>
      <StepHeading>{provider.isDemo ? 'Demo tip sent!' : 'Tip sent!'}</StepHeading>
      <p className={styles.amount} data-long={isLongSum(amountCents)}>
        <Money amountCents={amountCents} />
      </p>
      <p>
        to <bdi>{provider.fullName}</bdi>
        {!isPageUsername(provider.username) && (
          <>
            {' '}
            (<bdi>@{provider.username}</bdi>)
          </>
        )}
      </p>
      {provider.isDemo ? (
        <p>This was a demo: nothing was recorded or paid.</p>
      ) : (
        <SimulatedMoney mode={paymentMode} />
      )}
      <Later meanwhile={<UndoPlace receipt={receipt} />}>
        <Undo receipt={receipt} provider={provider} />
      </Later>
      {/* It is there before it says something, because screen readers announce what changes. */}
      <div className={styles.thanks} aria-live="polite">
        {thankYou !== null && (
          <Quote text={thankYou}>
            <bdi>{provider.fullName}</bdi>
          </Quote>
        )}
      </div>
      <div className={styles.actions}>
        {!provider.isDemo && <Button onClick={() => setHeldUp(true)}>Show Full Screen</Button>}
        <WaysOn receipt={receipt} provider={provider} onAnother={onAnother} />
      </div>
      {isGuest && <p>Save the link to your receipt. Without an account, it’s the only way back to it.</p>}
      <Facts receipt={receipt} />
      {transactionId !== null && !isGuest && (
        <Link className={styles.link} href={receiptPage(transactionId)}>
          Receipt
        </Link>
      )}
      {transactionId !== null && document.documentElement.dataset['mail'] && (
        <Later>
          <MailReceipt name={transactionId} isGuest={isGuest} />
        </Later>
      )}
      {isHeldUp && <ReceiptScreen receipt={receipt} provider={provider} onClose={() => setHeldUp(false)} />}
    </section>
  );
}

function WaysOn({ receipt: { transactionId }, provider, onAnother }: SuccessStepProps) {
  const [pathname] = useLocation();
  const isVisitors = useSession().status === 'signed-out' && provider.isDemo;
  const isGuest = transactionId !== null && isGuests(transactionId);
  return (
    <>
      {/* The landing page shows the tips that visitors give to the open demo. */}
      {isVisitors && isOfOpenDemo(provider) && <ButtonLink href={BAR}>See It Arrive</ButtonLink>}
      {isGuest && (
        <ButtonLink look="quiet" href={receiptPage(transactionId)}>
          Receipt
        </ButtonLink>
      )}
      {!isVisitors && !isGuest && (
        <ButtonLink look={provider.isDemo ? 'primary' : 'quiet'} href={dashboardTab('transactions')}>
          View Transactions
        </ButtonLink>
      )}
      {/* The address of a demo says what it is a demo of. */}
      {onAnother && (
        <ButtonLink look="quiet" href={provider.isDemo ? currentPath() : pathname} onClick={onAnother}>
          Send Another Tip
        </ButtonLink>
      )}
    </>
  );
}

function Facts({ receipt }: { readonly receipt: Receipt }) {
  const { amountCents, giverFeeCents, paidAt, transactionId } = receipt;
  return (
    <dl className={styles.facts}>
      {giverFeeCents > 0 && (
        <div>
          <dt>Service fee</dt>
          <dd>
            <Money amountCents={giverFeeCents} />
          </dd>
        </div>
      )}
      <div>
        <dt>Total</dt>
        <dd>
          <Money amountCents={cents(amountCents + giverFeeCents)} />
        </dd>
      </div>
      <div>
        <dt>When</dt>
        <dd>
          <time dateTime={paidAt}>
            {new Date(paidAt).toLocaleString(PAGE_LANGUAGE, { dateStyle: 'medium', timeStyle: 'short' })}
          </time>
        </dd>
      </div>
      {transactionId !== null && (
        <div>
          <dt>Transaction</dt>
          <dd className={styles.id}>{idOf(transactionId)}</dd>
        </div>
      )}
    </dl>
  );
}

/** As high as the offer to take the tip back, so that nothing moves under a finger when that comes. */
function UndoPlace({ receipt: { undoUntil, capturesAt } }: Pick<SuccessStepProps, 'receipt'>) {
  if (undoUntil === null || msSince(new Date(undoUntil)) >= 0) return null;
  return (
    <div className={styles.undoPlace}>
      <Held capturesAt={capturesAt} />
      <Button look="quiet">Undo</Button>
    </div>
  );
}

/**
 * The receiver's thank-you. A visible page asks for it, and goes on asking: a tip that went back has no success that
 * could be held up, and its own page says what became of it.
 */
function useThankYou({ transactionId, thankYou, paidAt }: Receipt): string | null {
  const [told, setTold] = useState<{ readonly name: string; readonly thankYou: string | null } | null>(null);
  useEffect(() => {
    if (transactionId === null) return;
    const name = transactionId;
    const beganAt = new Date();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLooking = false;
    let isThanked = false;
    let isOver = false;

    const look = async () => {
      // A hidden page asks again when somebody returns to it.
      if (isLooking || isOver || document.hidden) return;
      isLooking = true;
      clearTimeout(timer);
      const outcome = await callAbout(name, (api) => api.transactions.get.query({ id: name }));
      isLooking = false;
      if (isOver) return;
      if (outcome.failure === null) {
        if (!isKept(outcome.answer)) return navigate(receiptPage(name), { replace: true });
        setTold({ name, thankYou: outcome.answer.thankYou });
        isThanked = outcome.answer.thankedAt !== null;
      }
      wait(restMs(outcome.failure));
    };
    const wait = (leastMs = 0) => {
      const sinceMs = isThanked ? Number.POSITIVE_INFINITY : msSince(beganAt);
      timer = setTimeout(() => void look(), Math.max(leastMs, lookForThanksMs(sinceMs)));
    };
    const lookWhenSeen = () => void look();

    // Who comes back to an earlier tip, by Back or a reload, may have taken it back.
    if (msSince(new Date(paidAt)) > JUST_GIVEN_MS) void look();
    else wait();
    document.addEventListener('visibilitychange', lookWhenSeen);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', lookWhenSeen);
    };
  }, [transactionId, paidAt]);
  return (told?.name === transactionId && told?.thankYou) || thankYou;
}

function msSince(moment: Date, now = new Date()): number {
  return now.getTime() - moment.getTime();
}
