/** Drives the tip flow: acts of the giver and steps of the browser's history become events of the state machine. */
import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useReducer, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { presentSession, type Session, useSession } from '../session/session.ts';
import { clearToasts } from '../toasts.ts';
import { markEntry, presentEntry } from './history-entries.ts';
import { askerOf, GUEST, payerOf } from './payer.ts';
import type { Provider } from './provider.ts';
import {
  beginFlow,
  figuresOf,
  paidIn,
  readChoice,
  type TipEvent,
  type TipFlow,
  tipFlow,
  withoutAmount,
} from './tip-flow.ts';

/** Acts of a giver, which make toasts about earlier ones outdated. */
const ACTS: readonly TipEvent['type'][] = ['quick-chosen', 'custom-typed', 'checked', 'paying'];

export const fetchPaying = () => import('./paying.tsx').then(({ paying }) => paying);
/** Null without a connection; a later call fetches again. */
const fetchPayingIfPossible = () => fetchPaying().catch(() => null);

export interface TipFlowActions {
  readonly flow: TipFlow;
  readonly dispatch: (event: TipEvent) => void;
  /** True while `proceed` fetches what it needs, which takes seconds on a slow connection. */
  readonly isProceeding: boolean;
  /** @param figures chooses this amount first. */
  readonly proceed: (figures?: string) => Promise<void>;
  readonly pay: () => Promise<void>;
  readonly changeAmount: () => Promise<void>;
}

export function useTipFlow(provider: Provider): TipFlowActions {
  const session = useSession();
  const [pathname] = useLocation();
  const search = useSearch();
  const [flow, change] = useReducer(tipFlow, search, beginFlow);
  const dispatch = useCallback((event: TipEvent) => {
    if (ACTS.includes(event.type)) clearToasts();
    change(event);
  }, []);
  // The amount of the address is taken once, so that a later visit begins without an amount.
  useEffect(() => {
    const rest = withoutAmount(search);
    if (rest !== search) navigate(pathname + rest, { replace: true, state: history.state });
  }, [pathname, search]);

  const isAmountChosen = flow.step === 'select-amount' && readChoice(flow.choice).amountCents !== null;
  useEffect(() => {
    if (isAmountChosen) void fetchPayingIfPossible();
  }, [isAmountChosen]);

  const presentFlow = useEffectEvent(() => flow);
  /** @param isStep is false when the page was loaded. */
  const followHistory = useEffectEvent((isStep: boolean) => {
    const entry = presentEntry();
    const transactionId = paidIn(window.location.search);
    if (entry.step === 'success') {
      dispatch({ type: 'recalled', receipt: entry.receipt });
    } else if (transactionId !== null) {
      dispatch({ type: 'recall', transactionId });
    } else if (entry.step === 'payment') {
      // On a slow connection it takes seconds until the payment is there.
      dispatch({ type: 'kept', figures: entry.figures });
      void goOn();
    } else if (flow.step === 'payment') {
      // A failed payment, which goes back by itself, keeps its toast.
      if (!flow.isPaying) clearToasts();
      dispatch({ type: 'amount-changed' });
    } else if (flow.step !== 'select-amount') {
      // Back from a success must not lead to an amount that could be paid again.
      if (flow.step === 'success') clearToasts();
      markEntry({ step: 'select-amount', figures: '' });
      dispatch({ type: 'another' });
    } else {
      if (entry.figures !== '') dispatch({ type: isStep ? 'restored' : 'kept', figures: entry.figures });
      if (mayKeepAttempt())
        void fetchPayingIfPossible().then((paying) => paying?.forgetTip(provider, pathname));
    }
  });
  const paid = paidIn(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link to a receipt, or from it, changes no more than the query
  useLayoutEffect(() => {
    const follow = (step?: PopStateEvent) => {
      if (window.location.pathname === pathname) followHistory(step !== undefined);
    };
    follow();
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, [pathname, paid]);

  const payerId = payerOf(session);
  const goOn = useEffectEvent(async () => {
    // The outcome of a running payment comes first, whoever is logged in meanwhile.
    if (flow.step === 'payment' && flow.isPaying) return;
    if (paidIn(window.location.search) !== null) return;
    const payerId = payerOf(presentSession());
    const mayGoOn = payerId !== null && (payerId !== GUEST || mayKeepAttempt());
    if (!mayGoOn && presentEntry().step !== 'payment') return;
    const paying = await fetchPayingIfPossible();
    await paying?.continuePayment(provider, dispatch, pathname, presentFlow());
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is signed in decides whether it goes on
  useEffect(() => void goOn(), [session.status, payerId]);

  useRecalledReceipt(provider, flow, dispatch, session);

  return { flow, dispatch, ...useActs(provider, flow, dispatch) };
}

/** The acts that fetch what comes after the choice of an amount. */
function useActs(
  provider: Provider,
  flow: TipFlow,
  dispatch: TipFlowActions['dispatch'],
): Omit<TipFlowActions, 'flow' | 'dispatch'> {
  /** Stops a second tap before the next render does. */
  const isBusy = useRef(false);
  const [isProceeding, setProceeding] = useState(false);
  return {
    isProceeding,

    async proceed(figures) {
      const event = figures === undefined ? null : ({ type: 'restored', figures } as const);
      const chosen = event ? tipFlow(flow, event) : flow;
      if (chosen.step !== 'select-amount' || isBusy.current) return;
      isBusy.current = true;
      setProceeding(true);
      if (event) dispatch(event);
      const { pathname } = window.location;
      const entry = presentEntry();
      try {
        const paying = await fetchPayingIfPossible();
        if (paying) await paying.proceed(provider, chosen, dispatch, { pathname, entry });
        else if (chosen.interruption && (await isAnswered()) && window.location.pathname === pathname)
          loadAnew(chosen);
        else {
          const present = mayKeepAttempt() ? 'no-answer' : 'not-sent';
          dispatch({ type: 'failed', interruption: chosen.interruption ?? present });
        }
      } finally {
        isBusy.current = false;
        setProceeding(false);
      }
    },

    async pay() {
      if (flow.step !== 'payment' || isBusy.current) return;
      isBusy.current = true;
      dispatch({ type: 'paying' });
      await (await fetchPaying()).pay(provider, flow, dispatch);
      isBusy.current = false;
    },

    async changeAmount() {
      // The step changes after the history, so that a quick Back leads past the amount.
      await (await fetchPaying()).leavePayment();
      dispatch({ type: 'amount-changed' });
    },
  };
}

/** Whether the server has this page, so that a script which it lacks was replaced by one of a new version. */
const isAnswered = async () => (await fetch(window.location.href, { method: 'HEAD' }).catch(() => null))?.ok;

/** Browsers do not fetch a failed script again until the page is loaded anew, which has this amount then. */
function loadAnew({ choice }: Extract<TipFlow, { step: 'select-amount' }>): void {
  const entry = presentEntry();
  if (entry.step !== 'success') markEntry({ ...entry, figures: figuresOf(choice) });
  window.location.reload();
}

/** Asks for the receipt of the step `recall`, again after each login or logout. */
function useRecalledReceipt(
  provider: Provider,
  flow: TipFlow,
  dispatch: TipFlowActions['dispatch'],
  session: Session,
): void {
  const recalledId = flow.step === 'recall' && !flow.hasFailed ? flow.transactionId : null;
  const recall = useEffectEvent(async (transactionId: string): Promise<TipEvent> => {
    const payerId = askerOf(presentSession(), transactionId);
    const paying = payerId === null ? null : await fetchPayingIfPossible();
    if (payerId === null || paying === null) return { type: 'recall-failed' };
    return paying.recallReceipt(provider, payerId, transactionId, dispatch);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is signed in decides what is shown
  useEffect(() => {
    if (recalledId === null || presentSession().status === 'checking') return;
    let isWanted = true;
    void recall(recalledId).then((event) => isWanted && dispatch(event));
    return () => {
      isWanted = false;
    };
  }, [recalledId, session.status, askerOf(session, recalledId ?? '')]);

  const askerId = askerOf(session, flow.step === 'recall' ? flow.transactionId : '');
  const askAgain = useEffectEvent(() => {
    if (flow.step !== 'recall' || !flow.hasFailed || askerId === null) return;
    dispatch({ type: 'recall', transactionId: flow.transactionId });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: somebody may have logged in, in another tab as well
  useEffect(() => askAgain(), [askerId]);
}

/** Most tabs keep no tip that a guest could resume, and find out without a fetch. */
function mayKeepAttempt(): boolean {
  try {
    return sessionStorage.length > 0;
  } catch {
    // Where storage is forbidden, nothing survives a reload.
    return false;
  }
}
