/**
 * The three steps of the tip flow. An attempt keeps its idempotency key until its outcome is known, so that a lost answer, a
 * reload or a second tap never pays twice.
 */
import { lazy, Suspense, useEffect, useLayoutEffect, useReducer, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { verifySession } from '../calls.ts';
import { authFor, currentPath } from '../paths.ts';
import { presentSession, useSession } from '../session/session.ts';
import { toastError } from '../toasts.ts';
import { Loading } from '../ui/states.tsx';
import { keepTip, takeWaitingTip } from '../waiting-tip.ts';
import type { Attempt } from './attempt.ts';
import type { Provider } from './provider.ts';
import { SelectAmountStep } from './select-amount-step.tsx';
import { beginFlow, figuresOf, readChoice, tipFlow, withoutAmount } from './tip-flow.ts';

const fetchPaying = () => import('./paying.ts').then(({ paying }) => paying);
const PayingSteps = lazy(() => fetchPaying().then(({ PayingSteps }) => ({ default: PayingSteps })));
/** Null without a connection; a later call fetches again. */
const fetchPayingIfPossible = () => fetchPaying().catch(() => null);

const LOGIN_FIRST = 'Please login to send tips';

export function TipSteps({ provider }: { readonly provider: Provider }) {
  const { qrId, isDemo } = provider;
  const session = useSession();
  const [pathname] = useLocation();
  const search = useSearch();
  const [flow, dispatch] = useReducer(tipFlow, search, beginFlow);
  /** Stops a second tap before the next render does. */
  const isPaying = useRef(false);

  // A kept amount and that of the address are taken once, so that a later visit begins without an amount.
  useLayoutEffect(() => {
    const waiting = takeWaitingTip(qrId);
    if (waiting !== null) dispatch({ type: 'restored', figures: waiting.figures });
  }, [qrId]);
  useEffect(() => {
    const rest = withoutAmount(search);
    if (rest !== search) navigate(pathname + rest, { replace: true });
  }, [pathname, search]);

  const isAmountChosen = flow.step === 'select-amount' && readChoice(flow.choice).amountCents !== null;
  useEffect(() => {
    if (isAmountChosen) void fetchPayingIfPossible();
  }, [isAmountChosen]);

  /** How many later steps were shown: the first step takes the focus when somebody returns to it, not at the beginning. */
  const stepsSeen = useRef(0);
  useEffect(() => {
    stepsSeen.current += flow.step === 'select-amount' ? 0 : 1;
  }, [flow.step]);

  const userId = session.status === 'signed-in' ? session.user.id : null;
  useEffect(() => {
    if (userId === null || isDemo) return;
    void fetchPayingIfPossible().then((paying) => {
      const attempt = paying?.unsettledAttempt(qrId, userId);
      if (attempt?.wasSent) dispatch({ type: 'resumed', attempt });
    });
  }, [qrId, userId, isDemo]);

  function leaveForLogin() {
    if (flow.step !== 'success')
      keepTip(qrId, { figures: figuresOf(flow.choice), receiver: provider.fullName });
    navigate(authFor(currentPath()));
  }

  async function proceed() {
    if (flow.step !== 'select-amount') return;
    if (presentSession().status === 'checking' || presentSession().status === 'unreachable')
      await verifySession();
    const present = presentSession();
    if (present.status === 'unreachable') {
      dispatch({ type: 'failed', interruption: flow.interruption ?? 'not-sent' });
      return;
    }
    if (present.status !== 'signed-in') {
      toastError(LOGIN_FIRST);
      leaveForLogin();
      return;
    }
    dispatch({ type: 'checked' });
    const reading = readChoice(flow.choice);
    if (reading.amountCents === null) {
      toastError(reading.problem);
      return;
    }
    const paying = await fetchPayingIfPossible();
    if (paying === null) {
      dispatch({ type: 'failed', interruption: flow.interruption ?? 'not-sent' });
      return;
    }
    dispatch({ type: 'proceeded', attempt: paying.openAttempt(qrId, present.user.id, reading.amountCents) });
  }

  async function pay(attempt: Attempt) {
    if (isPaying.current) return;
    isPaying.current = true;
    dispatch({ type: 'paying' });
    const { sendTip } = await fetchPaying();
    const { event, mustLogIn } = await sendTip(provider, attempt);
    isPaying.current = false;
    dispatch(event);
    if (mustLogIn) leaveForLogin();
  }

  if (flow.step === 'select-amount') {
    return (
      <SelectAmountStep
        isDemo={isDemo}
        flow={flow}
        dispatch={dispatch}
        onProceed={proceed}
        takesFocus={stepsSeen.current > 0}
      />
    );
  }
  return (
    <Suspense fallback={<Loading />}>
      <PayingSteps
        flow={flow}
        provider={provider}
        onPay={() => flow.step === 'payment' && void pay(flow.attempt)}
        onChangeAmount={() => dispatch({ type: 'amount-changed' })}
        onAnother={() => dispatch({ type: 'another' })}
      />
    </Suspense>
  );
}
