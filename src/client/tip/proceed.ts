/** The actions of two buttons: Proceed, which asks for a login first, and Pay, which never pays twice (attempt.ts). */
import { startTransition } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { formatMoney } from '#shared/money.ts';
import { readTipAmount } from '#shared/tip-amount.ts';
import { verifySession } from '../calls.ts';
import { isOfOpenDemo, sendDemoTip } from '../giving/demo-tips.ts';
import { receiptPage } from '../giving/guest-receipt.ts';
import { keepTip, takeWaitingTip } from '../giving/waiting-tip.ts';
import { type AuthTab, authFor } from '../later/addresses.ts';
import { currentPath } from '../paths.ts';
import { presentSession } from '../session/session.ts';
import { toastError, toastMessage } from '../toasts.ts';
import { registrationMode } from '../ui/later/registration-mode.ts';
import { awaitsLogin, isAttemptOpen, openAttempt, unsettledAttempt, wasAnySent } from './attempt.ts';
import { type Entry, markEntry, presentEntry } from './history-entries.ts';
import { GUEST, payerOf } from './payer.ts';
import { enterPayment, enterReturn, enterSuccess, leavePayment } from './payment-entries.ts';
import type { Provider } from './provider.ts';
import { LOGIN_FIRST, OTHER_ACCOUNT, type PaymentPage, type SentTip, sendTip } from './send-tip.ts';
import { type Choice, figuresOf, readChoice, type TipEvent, type TipFlow } from './tip-flow.ts';

type Dispatch = (event: TipEvent) => void;

type PaymentEntry = Extract<Entry, { step: 'payment' }>;

const NOTHING_PAID: TipEvent = { type: 'failed', interruption: null };

const LAST_TIP_FIRST = 'Please login to see what became of your last tip';

interface Place {
  /** That of the tip page; whoever has left it while something was fetched stays where they are. */
  readonly pathname: string;
  /** Its entry when Proceed was pressed, which may be that of a payment that has ended. */
  readonly entry: Entry;
}

export async function proceed(
  provider: Provider,
  flow: Extract<TipFlow, { step: 'select-amount' }>,
  dispatch: Dispatch,
  { pathname, entry }: Place,
): Promise<void> {
  const { choice, interruption } = flow;
  if (presentSession().status === 'checking' || presentSession().status === 'unreachable')
    await verifySession();
  if (window.location.pathname !== pathname) return;
  const present = presentSession();
  if (present.status === 'unreachable') {
    dispatch({
      type: 'failed',
      interruption: interruption ?? (wasAnySent(provider.qrId) ? 'no-answer' : 'not-sent'),
    });
    return;
  }
  const begunKey = entry.step === 'payment' ? withChoice(entry, figuresOf(choice), null).key : null;
  if (begunKey !== null && !isAttemptOpen(provider.qrId, begunKey)) {
    // The amount was shown before it was known that its payment has ended, and is none for another one.
    forgetAmount(dispatch);
    return;
  }
  const payerId = payerOf(present) ?? payerOfDemo(provider);
  if (payerId === null && payerAt(provider.qrId) === GUEST) {
    await continuePayment(provider, dispatch, pathname, flow);
    return;
  }
  if (payerId === null) {
    toastMessage(LOGIN_FIRST);
    // Without an invitation, where one is needed, only a login leads on.
    leaveForLogin(provider, choice, registrationMode() === 'open' ? 'sign-up' : 'login', null);
    return;
  }
  if (payerId === GUEST && awaitsLogin(provider.qrId)) {
    toastMessage(LAST_TIP_FIRST);
    leaveForLogin(provider, choice, 'login', null);
    return;
  }
  dispatch({ type: 'checked' });
  const { amountCents, problem } = readChoice(choice);
  if (amountCents === null) {
    toastError(problem);
    return;
  }
  // An earlier payment may still be paid, so that it is given up first.
  const begun = provider.isDemo ? null : unsettledAttempt(provider.qrId, payerId);
  if (begun?.transactionId) {
    enterReturn(begun.transactionId);
    return;
  }
  const attempt = openAttempt(provider.qrId, payerId, amountCents);
  await enterPayment(figuresOf(choice), attempt);
  dispatch({ type: 'proceeded', attempt });
}

/** Pays. A person who has left the page meanwhile stays where they are. */
export async function pay(
  provider: Provider,
  { attempt, choice }: Extract<TipFlow, { step: 'payment' }>,
  dispatch: Dispatch,
): Promise<void> {
  const { pathname } = window.location;
  const sent = await sendTip(provider, attempt);
  const present = presentSession();
  const isKnown = present.status === 'signed-in' || present.status === 'signed-out';
  const isOfOther = isKnown && attempt.userId !== GUEST && payerOf(present) !== attempt.userId;
  const entry = presentEntry();
  const isAtPayment = entry.step === 'payment' && entry.key === attempt.key;
  // Whoever has come back to this page meanwhile may be at another payment.
  const isElsewhere = window.location.pathname !== pathname || (entry.step === 'payment' && !isAtPayment);
  const isPage = 'page' in sent;
  if (isPage && !(isOfOther && present.status === 'signed-in')) {
    if (!isElsewhere) await leaveForPayment(sent.page);
    return;
  }
  // The payment waits for its own account, and another one would pay what it cannot see afterwards.
  if (isPage && !isElsewhere) toastError(OTHER_ACCOUNT);
  const { event: outcome, next }: SentTip = isPage ? { event: NOTHING_PAID, next: null } : sent;
  // After a step Back the refused message is shown at the next payment.
  const event = outcome.type === 'revised' && !isAtPayment ? NOTHING_PAID : outcome;
  if (event.type === 'paid' && isOfOpenDemo(provider)) sendDemoTip(attempt.amountCents);
  // What its account is told is no news to another one that has been logged in meanwhile: its amount is another tip.
  if (event.type === 'failed' && isOfOther) dispatch(NOTHING_PAID);
  else if (event.type === 'failed' && event.interruption === 'paused') showPaused(dispatch);
  else dispatch(event);
  if (isElsewhere) return;
  if (event.type === 'revised' && isAtPayment) markEntry({ ...entry, key: event.attempt.key });
  const { transactionId = null } = event.type === 'paid' ? event.receipt : {};
  if (next === 'receipt' && transactionId !== null)
    navigate(receiptPage(transactionId), { replace: isAtPayment });
  else if (event.type === 'paid') enterSuccess(event.receipt);
  else if (next === 'login') leaveForLogin(provider, choice, 'login', attempt.userId);
  else if (event.type !== 'revised') await leavePayment();
  if (next !== 'other-page' || window.location.pathname !== pathname) return;
  markEntry({ step: 'select-amount', figures: figuresOf(choice), isUncharged: true });
  // The page of an ended code says what its holder can do.
  window.location.reload();
}

function forgetAmount(dispatch: Dispatch): void {
  dispatch({ type: 'restored', figures: '' });
  markEntry({ step: 'select-amount', figures: '' });
}

/** The screen of a paused code is fetched; what is on the screen stays until it has come. */
function showPaused(dispatch: Dispatch): void {
  startTransition(() => dispatch({ type: 'failed', interruption: 'paused' }));
}

/** A guest asks what became of their tip also where the site takes none without a login any more. */
function payerAt(qrId: string): string | null {
  const present = presentSession();
  const isGuests = present.status === 'signed-out' && unsettledAttempt(qrId, GUEST)?.wasSent;
  return payerOf(present) ?? (isGuests ? GUEST : null);
}

/** The payer of the open demo without a login; null for every other code. */
function payerOfDemo(provider: Provider): string | null {
  return isOfOpenDemo(provider) ? GUEST : null;
}

/** It never resolves, so that nothing can be tapped meanwhile. Back from there leads to the state of the payment. */
function leaveForPayment({ transactionId, url }: PaymentPage): Promise<never> {
  enterReturn(transactionId);
  // A step through the history while that page loads gives the load up.
  window.addEventListener('popstate', () => window.location.reload());
  // A page from the browser's cache would return unchanged.
  window.addEventListener('pageshow', ({ persisted }) => persisted && window.location.reload());
  window.location.assign(url);
  return new Promise(() => {});
}

export async function payWithAccount(provider: Provider, choice: Choice): Promise<void> {
  const { pathname } = window.location;
  await leavePayment();
  // A second tap waits for the same step back, and comes too late.
  if (window.location.pathname === pathname) leaveForLogin(provider, choice, 'login', GUEST);
}

function leaveForLogin(
  { qrId, fullName }: Provider,
  choice: Choice,
  tab: AuthTab,
  preparedBy: string | null,
): void {
  const figures = figuresOf(choice);
  keepTip(qrId, { figures, receiver: fullName, preparedBy });
  markEntry({ step: 'select-amount', figures });
  navigate(authFor(currentPath(), tab));
}

/** Whoever is back at the amounts without a login chooses anew. @param pathname that of the tip page */
export function forgetTip({ qrId }: Provider, pathname: string): void {
  const present = presentSession();
  const mustLogIn = present.status === 'signed-out' && payerOf(present) === null;
  if (mustLogIn && window.location.pathname === pathname) takeWaitingTip(qrId);
}

/** The entry of a payment, with what the payer has chosen since. */
function withChoice(entry: PaymentEntry, chosen: string, payerId: string | null): PaymentEntry {
  const { amountCents } = readTipAmount(chosen);
  // A typed amount may be one of the offered ones, and is written otherwise then.
  const isSame =
    amountCents === null
      ? chosen === entry.figures
      : amountCents === readTipAmount(entry.figures).amountCents;
  return chosen === '' || isSame ? entry : { ...entry, figures: chosen, preparedBy: payerId, key: null };
}

/** True for what an account has prepared that is not the present payer's. A guest may go on with it, and is told so. */
function isOthers(preparedBy: string | null, payerId: string): boolean {
  return isAccount(preparedBy) && payerId !== GUEST && preparedBy !== payerId;
}

function isAccount(payerId: string | null): boolean {
  return payerId !== null && payerId !== GUEST;
}

/**
 * Resumes a tip after a login, a reload or a step through the history, or restores an amount that cannot be paid.
 * @param pathname that of the tip page; nothing is resumed for whoever has left it. Without a payer the amounts return.
 * @param flow before it is resumed: an amount that was chosen after a step Back takes the place of that of the entry.
 */
export async function continuePayment(
  { qrId, isDemo, closed }: Provider,
  dispatch: Dispatch,
  pathname: string,
  flow: TipFlow,
): Promise<void> {
  if (window.location.pathname !== pathname) return;
  const present = presentSession();
  const payerId = payerAt(qrId);
  const entry = presentEntry();
  const chosen = flow.step === 'select-amount' ? figuresOf(flow.choice) : '';
  const begun = entry.step === 'payment' ? withChoice(entry, chosen, payerId) : null;
  if (begun) dispatch({ type: 'restored', figures: begun.figures });
  if (payerId === null) {
    if (present.status !== 'signed-out' || begun === null) return;
    dispatch({ type: 'amount-changed' });
    markEntry({ step: 'select-amount', figures: begun.figures });
    return;
  }
  const unsettled = isDemo ? null : unsettledAttempt(qrId, payerId);
  if (unsettled?.transactionId) {
    enterReturn(unsettled.transactionId);
    return;
  }
  if (unsettled?.wasSent) {
    const figures = formatMoney(unsettled.amountCents);
    if (entry.step !== 'payment') await enterPayment(figures, unsettled);
    else markEntry({ ...entry, figures, preparedBy: unsettled.userId, key: unsettled.key });
    // The payment that is on the screen may be another account's, with its message.
    dispatch({ type: 'amount-changed' });
    dispatch({ type: 'resumed', attempt: unsettled });
    return;
  }
  // A waiting tip waits until the code takes tips again.
  if (closed) return;
  const waiting = takeWaitingTip(qrId);
  const prepared = waiting ?? begun;
  // Mostly another payer was refused, or does not know what became of their tip. Another try is refused anew.
  const isOthersPause = flow.step === 'select-amount' && flow.interruption === 'paused';
  if (isOthersPause || (prepared === null && payerId !== GUEST && awaitsLogin(qrId))) dispatch(NOTHING_PAID);
  if (entry.step === 'success' || prepared === null) return;
  // Its tip was sent while its giver was elsewhere, or another attempt took its place: it is not paid once more.
  if (prepared === begun && begun.key !== null && !isAttemptOpen(qrId, begun.key)) {
    dispatch({ type: 'amount-changed' });
    forgetAmount(dispatch);
    return;
  }
  const { figures, preparedBy } = prepared;
  dispatch({ type: 'amount-changed' });
  dispatch({ type: 'restored', figures });
  const { amountCents } = readTipAmount(figures);
  const isOfOther = isOthers(preparedBy, payerId);
  if (amountCents === null || isOfOther || (payerId === GUEST && awaitsLogin(qrId))) {
    markEntry({ step: 'select-amount', figures });
    if (isOfOther) toastError(OTHER_ACCOUNT);
    return;
  }
  const attempt = openAttempt(qrId, payerId, amountCents);
  // A guest who logs in elsewhere before paying pays under the account. What an account has prepared stays its own.
  markEntry({
    step: 'payment',
    figures,
    preparedBy: isAccount(preparedBy) ? preparedBy : payerId,
    key: attempt.key,
    // After a login the entry below belongs to the tip page that led to it.
    isAboveAmount: waiting === null && begun?.isAboveAmount === true,
  });
  dispatch({ type: 'proceeded', attempt });
}
