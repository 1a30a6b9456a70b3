/** The return from a payment service: asks for the payment and shows its state. It is fetched on the return. */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { navigate } from 'wouter/use-browser-location';
import { formatMoney } from '#shared/money.ts';
import { isKept, wasGiven } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import type { Outcome } from '../calls.ts';
import { callAbout, isUnknown, nameOf } from '../giving/guest-receipt.ts';
import { restMs } from '../giving/look-again.ts';
import { read, write } from '../giving/tab-storage.ts';
import { LEFT, receiptAt } from '../paths.ts';
import { presentSession } from '../session/session.ts';
import { toastError } from '../toasts.ts';
import { Button } from '../ui/button.tsx';
import card from '../ui/card.module.css';
import { Money } from '../ui/money.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { giveUpAttempt, settleAttempt, unsettledAttempt } from './attempt.ts';
import { isOf, receiptOf } from './given-tip.ts';
import { markEntry } from './history-entries.ts';
import { askerOf } from './payer.ts';
import styles from './payment-step.module.css';
import type { Provider } from './provider.ts';
import { PAYMENT_FAILED, toastSent } from './send-tip.ts';
import { StepHeading } from './step-heading.tsx';
import { type OpenPayment, paidIn, type TipEvent } from './tip-flow.ts';

const LOOK_AGAIN_MS = 2_000;
const NOT_GIVEN_UP = 'The payment could not be given up. Please try again.';

type Dispatch = (event: TipEvent) => void;

/** A payment that its giver has left is given up first, and may have been paid all the same. It never rejects. */
export async function recallPayment(
  provider: Provider,
  payerId: string,
  transactionId: string,
  dispatch: Dispatch,
): Promise<TipEvent> {
  const { pathname, search } = window.location;
  const hasLeft = new URLSearchParams(search).has(LEFT);
  const givenUp = hasLeft ? await giveUp(transactionId) : null;
  const outcome = givenUp?.failure === null ? givenUp : await lookAt(transactionId);
  // A person who has gone elsewhere meanwhile stays there, and sees no toast.
  const isHere = window.location.pathname === pathname && paidIn(window.location.search) === transactionId;
  if (!isHere) return { type: 'recall-failed' };
  if (outcome.failure !== null && !isUnknown(outcome.failure, transactionId))
    return { type: 'recall-failed' };
  if (outcome.failure !== null || !isOf(outcome.answer, provider.qrId, payerId)) {
    toastError('There is no payment of yours at this address');
    return returnToAmount('', dispatch);
  }
  return follow(outcome.answer, provider, payerId, dispatch);
}

/** Acts on an answer. Each toast is shown once, however often somebody returns. */
function follow(
  transaction: Transaction,
  provider: Provider,
  payerId: string,
  dispatch: Dispatch,
  isFailure = true,
): TipEvent {
  const { amountCents, paymentUrl, status } = transaction;
  const transactionId = nameOf(transaction);
  const isPaid = wasGiven(transaction);
  // One that began with keys that are gone stays pending when it is given up, and has no page.
  if (status === 'pending' && !isPaid && (isFailure || paymentUrl !== null))
    return { type: 'waiting', payment: { transactionId, amountCents, paymentUrl } };
  const { qrId } = provider;
  const attempt = unsettledAttempt(qrId, payerId);
  if (attempt?.transactionId === transactionId) {
    if (isPaid) settleAttempt(qrId, attempt.key);
    else giveUpAttempt(qrId, attempt);
  }
  const isNews = read(toldName(transactionId)) === null;
  write(toldName(transactionId), true);
  if (isPaid) {
    if (isNews && isKept(transaction)) toastSent(provider, amountCents);
    navigate(receiptAt(window.location.pathname, transactionId), { replace: true });
    return { type: 'recalled', receipt: receiptOf(transaction) };
  }
  if (isNews && isFailure) toastError(PAYMENT_FAILED);
  return returnToAmount(formatMoney(amountCents), dispatch);
}

function returnToAmount(figures: string, dispatch: Dispatch): TipEvent {
  const event: TipEvent = { type: 'restored', figures };
  // The step comes first: Back from a receipt, which an address without one means, would forget the amount.
  flushSync(() => dispatch(event));
  markEntry({ step: 'select-amount', figures }, window.location.pathname);
  return event;
}

const toldName = (transactionId: string) => `told:${transactionId}`;

function lookAt(id: string): Promise<Outcome<Transaction>> {
  return callAbout(id, (api) => api.transactions.get.query({ id }));
}

function giveUp(id: string): Promise<Outcome<Transaction>> {
  return callAbout(id, (api) => api.transactions.giveUp.mutate({ id }));
}

interface WaitingStepProps {
  readonly payment: OpenPayment;
  readonly provider: Provider;
  readonly dispatch: Dispatch;
}

export function WaitingStep({ payment, provider, dispatch }: WaitingStepProps) {
  const { transactionId, amountCents, paymentUrl } = payment;
  const [isGivingUp, setGivingUp] = useState(false);
  const [isCutOff, setCutOff] = useState(false);
  const [waitMs, setWaitMs] = useState(LOOK_AGAIN_MS);
  const looking = useRef<Promise<void> | null>(null);

  const isHere = () => paidIn(window.location.search) === transactionId;

  async function ask(question: typeof lookAt, isFailure: boolean) {
    const present = presentSession();
    const payerId = askerOf(present, transactionId);
    if (!isHere()) return;
    if (payerId === null) {
      if (present.status === 'signed-out') dispatch({ type: 'recall-failed' });
      return;
    }
    const outcome = await question(transactionId);
    if (!isHere()) return;
    setCutOff(outcome.failure?.status === null);
    if (question === lookAt) setWaitMs(Math.max(LOOK_AGAIN_MS, restMs(outcome.failure)));
    if (outcome.failure === null) {
      dispatch(follow(outcome.answer, provider, payerId, dispatch, isFailure));
    } else if (outcome.failure.status === 401 || outcome.failure.status === 404) {
      dispatch({ type: 'recall-failed' });
    } else if (question === giveUp && outcome.failure.status !== null) {
      // Without an answer it may have been given up: the next look says so.
      toastError(outcome.failure.detail ?? NOT_GIVEN_UP);
    }
  }

  const look = useEffectEvent(() => {
    if (document.hidden || isGivingUp || looking.current !== null) return;
    looking.current = ask(lookAt, true).finally(() => {
      looking.current = null;
    });
  });
  useEffect(() => {
    const timer = setInterval(() => look(), waitMs);
    const lookNow = () => look();
    document.addEventListener('visibilitychange', lookNow);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', lookNow);
    };
  }, [waitMs]);

  async function chooseAnother() {
    if (isGivingUp) return;
    setGivingUp(true);
    // An older answer must not replace a newer one.
    await looking.current;
    await ask(giveUp, false);
    setGivingUp(false);
  }

  return (
    <section className={[card.card, styles.payment].join(' ')} aria-busy={isGivingUp}>
      <StepHeading>Waiting for your payment</StepHeading>
      <p>
        Your tip of <Money amountCents={amountCents} /> to <bdi>{provider.fullName}</bdi> is not paid yet. If
        you have just paid, this page shows it in a moment.
      </p>
      <SimulatedMoney />
      <p role="status" className={isCutOff ? styles.note : 'visually-hidden'}>
        {isCutOff ? 'There is no connection. Nothing is lost: this page looks again by itself.' : ''}
      </p>
      <div className={styles.actions}>
        {paymentUrl !== null && (
          <Button aria-disabled={isGivingUp} onClick={() => isGivingUp || window.location.assign(paymentUrl)}>
            Go On to Payment
          </Button>
        )}
        <Button look="quiet" aria-disabled={isGivingUp} onClick={() => void chooseAnother()}>
          {isGivingUp ? 'Giving the payment up...' : 'Choose Another Amount'}
        </Button>
      </div>
    </section>
  );
}
