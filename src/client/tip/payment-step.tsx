/** The second step: amount and receiver, with the button that pays. */
import { type MouseEvent, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { amountInWords } from '#shared/amount-in-words.ts';
import { type Cents, cents, feesFor, formatMoney, terms } from '#shared/money.ts';
import type { PaymentMode } from '#shared/payments.ts';
import { paymentMode } from '../installation.ts';
import { authFor } from '../later/addresses.ts';
import { currentPath } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import card from '../ui/card.module.css';
import { Money } from '../ui/money.tsx';
import { reword, type TipMessage } from './attempt.ts';
import bar from './bar.module.css';
import { Parts } from './cost.tsx';
import { isLongSum } from './long-sum.ts';
import { type MessageForm, MessagePart } from './message-part.tsx';
import { GUEST } from './payer.ts';
import styles from './payment-step.module.css';
import type { Provider } from './provider.ts';
import { StepHeading } from './step-heading.tsx';
import type { TipEvent, TipFlow } from './tip-flow.ts';

/** Apple's devices call the wallet Apple Pay. */
const wallet = () =>
  /iPhone|iPad|iPod|Macintosh/.test(navigator.userAgent) ? 'Apple Pay' : 'a mobile wallet';

const NOTES: Readonly<Record<PaymentMode, string>> = {
  simulated: 'This is a simulated payment; no money moves.',
  test: 'Next you pay at Stripe with test money: no real money moves.',
  live: 'Next you pay at Stripe, by card or mobile wallet, and come back here.',
};

const ROOMY = '(min-width: 40rem) and (min-height: 40rem)';

interface PaymentStepProps {
  readonly flow: Extract<TipFlow, { step: 'payment' }>;
  readonly provider: Provider;
  readonly onPay: () => void;
  readonly onChangeAmount: () => void;
  readonly onLogIn: () => void;
  readonly dispatch: (event: TipEvent) => void;
}

export function PaymentStep(props: PaymentStepProps) {
  const { flow, provider, onPay, onChangeAmount, onLogIn, dispatch } = props;
  const { attempt, isPaying } = flow;
  const { amountCents } = attempt;
  const mode = provider.isDemo ? 'simulated' : paymentMode();
  const how = mode === 'simulated' ? `with ${wallet()}` : 'at Stripe';
  const totalCents = cents(amountCents + feesFor(amountCents).giverFeeCents);

  const [form, setForm] = useState<MessageForm | null>(null);
  const [isUnfolded] = useState(() => window.matchMedia(ROOMY).matches);
  useAboveKeyboard();

  function changeMessage(words: TipMessage | undefined) {
    // A message that is being sent stays as it is.
    if (!isPaying) dispatch({ type: 'revised', attempt: reword(provider.qrId, attempt, words) });
  }

  function pay() {
    const { words, wasSent } = attempt;
    const complaints = (!wasSent && words && form?.complaintsAbout(words)) || [];
    if (words && complaints.length > 0) changeMessage({ ...words, complaints });
    else onPay();
  }

  function logIn(event: MouseEvent) {
    event.preventDefault();
    onLogIn();
  }

  return (
    <section className={styles.step} aria-busy={isPaying}>
      <div className={[card.card, styles.payment].join(' ')}>
        <StepHeading>
          Tip <bdi>{provider.fullName}</bdi>
        </StepHeading>
        {isLarge(amountCents) && (
          <p className={styles.large}>
            <span className={styles.figures} data-long={isLongSum(amountCents)}>
              <Money amountCents={amountCents} />
            </span>
            <span>{amountInWords(amountCents)}</span>
          </p>
        )}
        {attempt.wasSent && !isPaying && (
          <p className={styles.note}>
            Your last payment was cut off. It is safe to pay again: you are never charged twice.
          </p>
        )}
        <MessagePart
          attempt={attempt}
          provider={provider}
          isPaying={isPaying}
          form={form}
          onForm={setForm}
          onChange={changeMessage}
        />
        <p className={styles.note}>
          {provider.isDemo ? 'This is a demo: nothing is recorded. ' : ''}
          {NOTES[mode]}
        </p>
        {/* An attempt that was sent as a guest is settled as a guest. */}
        {attempt.userId === GUEST && !provider.isDemo && (isPaying || !attempt.wasSent) && (
          <p className={styles.note}>
            You pay without an account.{' '}
            <Link href={authFor(currentPath())} onClick={logIn}>
              Log in
            </Link>{' '}
            to keep your tips in your history.
          </p>
        )}
        <Button look="quiet" aria-disabled={isPaying} onClick={onChangeAmount}>
          Change Amount
        </Button>
      </div>
      <div className={[bar.bar, styles.bar].join(' ')}>
        <details className={styles.total} open={isUnfolded}>
          <summary>
            <span>Total</span>{' '}
            <span className={styles.sum}>
              <Money amountCents={totalCents} />
            </span>
          </summary>
          <Parts amountCents={amountCents} />
        </details>
        <Button look="money" className={bar.act} aria-disabled={isPaying} onClick={pay}>
          {isPaying ? 'Processing payment...' : `Pay ${formatMoney(totalCents)} ${how}`}
        </Button>
      </div>
      <p className="visually-hidden" role="status">
        {isPaying ? 'Processing payment...' : ''}
      </p>
    </section>
  );
}

/** Lifts the bar above a keyboard that covers the window instead of making it lower. */
function useAboveKeyboard(): void {
  useEffect(() => {
    const { style } = document.documentElement;
    const view = window.visualViewport;
    if (!view) return;
    const lift = () => {
      // A page that two fingers have enlarged is cut off at the bottom without a keyboard.
      const coveredPx = view.scale > 1.01 ? 0 : window.innerHeight - view.offsetTop - view.height;
      style.setProperty('--keyboard', `${Math.max(0, coveredPx)}px`);
    };
    lift();
    view.addEventListener('resize', lift);
    view.addEventListener('scroll', lift);
    return () => {
      view.removeEventListener('resize', lift);
      view.removeEventListener('scroll', lift);
      style.removeProperty('--keyboard');
    };
  }, []);
}

/** Such an amount is repeated in words, because it may be a typing error: $500 where up to $200 are offered. */
function isLarge(amountCents: Cents): boolean {
  return amountCents >= 2.5 * Math.max(...terms().quickAmountsCents);
}
