/**
 * The three steps, and the only place where a tip is sent. An attempt is sent under one idempotency key until its
 * outcome is known, so that a lost answer, a reload or a second tap never pays twice.
 */
import { useEffect, useLayoutEffect, useReducer, useRef } from 'react';
import { useLocation } from 'wouter';
import { type Cents, feesFor, formatUsd } from '#shared/money.ts';
import { call, type Outcome, verifySession } from '../calls.ts';
import { authFor, currentPath } from '../paths.ts';
import { useAddress } from '../rendered.ts';
import { presentSession, useSession } from '../session.ts';
import { toastError, toastSuccess } from '../toasts.ts';
import {
  type Attempt,
  keepAmount,
  markSent,
  openAttempt,
  settleAttempt,
  takeKeptAmount,
  unsettledAttempt,
} from './attempt.ts';
import { PaymentStep } from './payment-step.tsx';
import type { Provider } from './provider.ts';
import { SelectAmountStep } from './select-amount-step.tsx';
import { SuccessStep } from './success-step.tsx';
import { beginFlow, figuresOf, type Receipt, readChoice, tipFlow, withoutAmount } from './tip-flow.ts';

const LOGIN_FIRST = 'Please login to send tips';
const PAYMENT_FAILED = 'Payment failed. Please try again.';
const DEMO_PAYMENT_MS = 2_000;
/** Longer than any answer takes, shorter than anybody waits at a bar. */
const ANSWER_PATIENCE_MS = 15_000;

export function TipSteps({ provider }: { readonly provider: Provider }) {
  const { qrId, isDemo } = provider;
  const session = useSession();
  const [, navigate] = useLocation();
  const { pathname, search } = useAddress();
  const [flow, dispatch] = useReducer(tipFlow, search, beginFlow);
  /** Outlives the moment between a tap and the next drawing. */
  const isPaying = useRef(false);

  // What was kept or came by the address is read once and forgotten at once: a later visit begins with nothing chosen.
  useLayoutEffect(() => {
    const figures = takeKeptAmount(qrId);
    if (figures !== '') dispatch({ type: 'restored', figures });
  }, [qrId]);
  useEffect(() => {
    const rest = withoutAmount(search);
    if (rest !== search) navigate(pathname + rest, { replace: true });
  }, [pathname, search, navigate]);

  /** Coming back to the first step takes the focus along; beginning there leaves it where it is. */
  const stepsSeen = useRef(0);
  useEffect(() => {
    stepsSeen.current += flow.step === 'select-amount' ? 0 : 1;
  }, [flow.step]);

  const userId = session.status === 'signed-in' ? session.user.id : null;
  useEffect(() => {
    const attempt = userId === null || isDemo ? null : unsettledAttempt(qrId, userId);
    if (attempt?.wasSent) dispatch({ type: 'resumed', attempt });
  }, [qrId, userId, isDemo]);

  function leaveForLogin() {
    if (flow.step !== 'success') keepAmount(qrId, figuresOf(flow.choice));
    navigate(authFor(currentPath()));
  }

  async function proceed(): Promise<Attempt | null> {
    if (flow.step !== 'select-amount') return null;
    if (presentSession().status === 'checking' || presentSession().status === 'unreachable')
      await verifySession();
    const present = presentSession();
    if (present.status === 'unreachable') {
      dispatch({ type: 'failed', interruption: 'not-sent' });
      return null;
    }
    if (present.status !== 'signed-in') {
      toastError(LOGIN_FIRST);
      leaveForLogin();
      return null;
    }
    dispatch({ type: 'checked' });
    const reading = readChoice(flow.choice);
    if (reading.cents === null) {
      toastError(reading.problem);
      return null;
    }
    const attempt = openAttempt(qrId, present.user.id, reading.cents);
    dispatch({ type: 'proceeded', attempt });
    return attempt;
  }

  async function pay(attempt: Attempt) {
    if (isPaying.current) return;
    isPaying.current = true;
    dispatch({ type: 'paying' });
    const outcome = await (isDemo ? payDemo(attempt.amountCents) : payTip(provider, attempt));
    isPaying.current = false;
    if (outcome.failure === null) {
      settleAttempt(qrId);
      dispatch({ type: 'paid', receipt: outcome.answer });
      toastSuccess(
        `${isDemo ? 'Demo tip' : 'Tip'} sent successfully! ${formatUsd(attempt.amountCents)} sent to ${provider.fullName}`,
      );
      return;
    }
    const { status, detail, code } = outcome.failure;
    toastError(detail ?? PAYMENT_FAILED);
    if (status === null) {
      dispatch({ type: 'failed', interruption: outcome.wasSent ? 'no-answer' : 'not-sent' });
      return;
    }
    // 429 and 5xx may pass; the attempt stays open for them. Any other answer is final.
    if (status < 429) settleAttempt(qrId);
    dispatch({ type: 'failed', interruption: null });
    if (code === 'session_ended' || code === 'login_to_tip') leaveForLogin();
  }

  async function retry() {
    const attempt = await proceed();
    if (attempt) await pay(attempt);
  }

  switch (flow.step) {
    case 'select-amount':
      return (
        <SelectAmountStep
          flow={flow}
          dispatch={dispatch}
          onProceed={proceed}
          onRetry={retry}
          takesFocus={stepsSeen.current > 0}
        />
      );
    case 'payment':
      return (
        <PaymentStep
          flow={flow}
          provider={provider}
          onPay={() => pay(flow.attempt)}
          onChangeAmount={() => dispatch({ type: 'amount-changed' })}
        />
      );
    case 'success':
      return (
        <SuccessStep
          receipt={flow.receipt}
          provider={provider}
          onAnother={() => dispatch({ type: 'another' })}
        />
      );
  }
}

/** What came of a payment, and whether it ever left this device. */
type Payment = Outcome<Receipt> & { readonly wasSent: boolean };

async function payTip({ qrId, serviceCategory }: Provider, attempt: Attempt): Promise<Payment> {
  let wasSent = false;
  const outcome = await call(async (api) => {
    // The device itself may say that it has no connection.
    if (!navigator.onLine) throw new Error('offline');
    wasSent = true;
    markSent(qrId, attempt);
    const { id, amountCents, giverFeeCents, createdAt } = await api.transactions.create.mutate(
      { receiverQrId: qrId, amountCents: attempt.amountCents, serviceCategory, idempotencyKey: attempt.key },
      { signal: AbortSignal.timeout(ANSWER_PATIENCE_MS) },
    );
    return { amountCents, giverFeeCents, paidAt: createdAt, transactionId: id };
  });
  return { ...outcome, wasSent };
}

async function payDemo(amountCents: Cents): Promise<Payment> {
  await new Promise((resolve) => setTimeout(resolve, DEMO_PAYMENT_MS));
  const { giverFeeCents } = feesFor(amountCents);
  const receipt = { amountCents, giverFeeCents, paidAt: new Date().toISOString(), transactionId: null };
  return { answer: receipt, failure: null, wasSent: true };
}
