/** Sends a tip under the idempotency key of its attempt; nothing else sends one. */
import { type Cents, cents, feesFor, formatMoney, putInForce, type Terms, terms } from '#shared/money.ts';
import { amountOutOfBounds, isWithinBounds } from '#shared/tip-amount.ts';
import { isKept, wasGiven } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import type { Failure } from '../api-client/api.ts';
import { call, type Outcome, verifySession } from '../calls.ts';
import { callerId, readToken } from '../session/session.ts';
import { toastError, toastMessage, toastSuccess } from '../toasts.ts';
import {
  type Attempt,
  giveUpAttempt,
  isMessageField,
  markBegun,
  markSent,
  NO_MESSAGE,
  NOT_TAKEN,
  nextAttempt,
  sentMessage,
  settleAttempt,
  type TipMessage,
} from './attempt.ts';
import { receiptOf } from './given-tip.ts';
import { GUEST } from './payer.ts';
import type { Provider } from './provider.ts';
import type { Receipt, TipEvent } from './tip-flow.ts';

export const LOGIN_FIRST = 'Please login to send tips';
const NOT_ARRIVED = 'Your last payment did not arrive: nothing was charged.';
export const PAYMENT_FAILED = 'Payment failed. Please try again.';
export const OTHER_ACCOUNT =
  'Another account is logged in now. Nothing was charged to it: proceed to pay with it.';
const DEMO_PAYMENT_MS = 2_000;

type Paid = Pick<Transaction, 'status' | 'paymentUrl'> & { readonly receipt: Receipt };

type Payment = Outcome<Paid> & { readonly wasSent: boolean };

export interface PaymentPage {
  readonly transactionId: string;
  readonly url: string;
}

export interface SentTip {
  readonly event: TipEvent;
  /** Where it leads besides: to the login, to the page of its code as it is by now, or to that of its receipt. */
  readonly next: 'login' | 'other-page' | 'receipt' | null;
}

/** A demo pays nothing. The outcome is toasted, unless the answer is the page on which to pay. It never rejects. */
export async function sendTip(
  provider: Provider,
  attempt: Attempt,
): Promise<SentTip | { readonly page: PaymentPage }> {
  const { isDemo, qrId } = provider;
  const isOfAccount = !isDemo && attempt.userId !== GUEST;
  const refused = isOfAccount ? await refuseOtherPayer(attempt) : null;
  if (refused !== null) return refused;
  const payment = await (isDemo ? payDemo(attempt.amountCents) : payTip(provider, attempt));
  if (payment.failure === null) {
    const { receipt, status, paymentUrl: url } = payment.answer;
    const { transactionId } = receipt;
    if (status === 'pending' && url !== null && transactionId !== null) {
      markBegun(qrId, attempt, transactionId);
      return { page: { transactionId, url } };
    }
    const given = { status, capturesAt: receipt.capturesAt };
    if (wasGiven(given)) {
      settleAttempt(qrId, attempt.key);
      // The answer to an attempt that was sent before tells of its tip as it is by now, which may have gone back.
      if (!isKept(given)) return { event: { type: 'paid', receipt }, next: 'receipt' };
      toastSent(provider, attempt.amountCents);
      return { event: { type: 'paid', receipt }, next: null };
    }
    // The key of an ended payment, or of one without a page, would return that payment, and can pay nothing.
    if (status !== 'pending' || url === null) giveUpAttempt(qrId, attempt);
    toastError(PAYMENT_FAILED);
    return { event: { type: 'failed', interruption: null }, next: null };
  }
  const { status, detail, code } = payment.failure;
  if (code === 'terms_changed') return showNewTerms(qrId, attempt);
  const isGuestRefused = code === 'login_to_tip' && attempt.userId === GUEST;
  const isPaused = code === 'qr_code_paused';
  if (isGuestRefused) toastNotTaken(attempt);
  else if (isPaused || code === 'provider_not_payable') toastError(`${detail} Nothing was charged.`);
  else toastError(detail ?? PAYMENT_FAILED);
  if (status === null) {
    const interruption = payment.wasSent ? 'no-answer' : 'not-sent';
    return { event: { type: 'failed', interruption }, next: null };
  }
  // The attempt stays open after a 429 or a 5xx, which may pass, and after a 401 or a 403, which refuse the account
  // before they look for an earlier attempt. Any other answer is final. So is the refusal of a guest, before which the
  // server has looked for the tip.
  const saysNothing = attempt.wasSent && (status === 401 || status === 403) && !isGuestRefused;
  const isFinal = status < 429 && !saysNothing;
  const words = isFinal ? withoutRefused(attempt.words, payment.failure) : null;
  const revised = words && nextAttempt(qrId, attempt, words);
  if (revised) return { event: { type: 'revised', attempt: revised }, next: null };
  if (isFinal) giveUpAttempt(qrId, attempt);
  const mustLogIn = code === 'session_ended' || code === 'login_to_tip';
  const hasEnded = code === 'qr_code_replaced' || code === 'qr_code_retired';
  return {
    event: { type: 'failed', interruption: isPaused ? 'paused' : null },
    next: mustLogIn ? 'login' : hasEnded ? 'other-page' : null,
  };
}

/** For an attempt that the server has looked for; whoever resumes it may be logged in by now. */
function toastNotTaken({ wasSent }: Attempt): void {
  if (!wasSent) toastMessage(LOGIN_FIRST);
  else toastMessage(readToken() === null ? `${NOT_ARRIVED} ${LOGIN_FIRST}` : NOT_ARRIVED);
}

/**
 * An attempt of an account must not become a guest's tip, nor that of another account, because another tab has ended
 * the session or begun another one: its amount and its message are not theirs. @returns null for its own account.
 */
async function refuseOtherPayer({ userId, wasSent }: Attempt): Promise<SentTip | null> {
  if (callerId() === null) await verifySession();
  const callerIdNow = callerId();
  if (callerIdNow === userId) return null;
  const isLoggedOut = readToken() === null;
  toastError(isLoggedOut ? LOGIN_FIRST : callerIdNow === null ? PAYMENT_FAILED : OTHER_ACCOUNT);
  const lost = wasSent ? 'no-answer' : 'not-sent';
  const interruption = isLoggedOut || callerIdNow !== null ? null : lost;
  return { event: { type: 'failed', interruption }, next: isLoggedOut ? 'login' : null };
}

/** Keeps the amount with a new key: the server has charged nothing under the old one. One tap pays the new total. */
async function showNewTerms(qrId: string, attempt: Attempt): Promise<SentTip> {
  const outcome = await call<Terms>((api) => api.transactions.terms.query());
  const next = nextAttempt(qrId, attempt);
  const failed: SentTip = { event: { type: 'failed', interruption: null }, next: null };
  if (outcome.failure !== null) {
    toastError('The fees have changed, and the new ones could not be loaded. Nothing was charged.');
    return failed;
  }
  // The figures of another currency name another amount, and the amounts of this page are in the former one.
  if (outcome.answer.currency !== terms().currency) return { ...failed, next: 'other-page' };
  putInForce(outcome.answer);
  const { amountCents } = attempt;
  if (!isWithinBounds(amountCents)) {
    toastError(amountOutOfBounds());
    return failed;
  }
  if (next === null) return failed;
  const total = cents(amountCents + feesFor(amountCents).giverFeeCents);
  toastMessage(`The fees have changed. Nothing was charged. The total is ${formatMoney(total)} now.`);
  return { event: { type: 'revised', attempt: next }, next: null };
}

/** @returns the message for the next attempt when the server has refused the message alone; else null. */
function withoutRefused(
  words: TipMessage | undefined,
  { code, detail, fieldErrors }: Failure,
): TipMessage | null {
  if (!words) return null;
  if (code === 'words_not_taken')
    return { ...NO_MESSAGE, complaints: [{ field: NOT_TAKEN, message: detail ?? '' }] };
  const complaints = fieldErrors.filter(({ field }) => isMessageField(field));
  return code === 'invalid_input' && complaints.length > 0 ? { ...words, complaints } : null;
}

export function toastSent({ isDemo, fullName }: Provider, amountCents: Cents): void {
  toastSuccess(
    `${isDemo ? 'Demo tip' : 'Tip'} sent successfully! ${formatMoney(amountCents)} sent to ${fullName}`,
  );
}

async function payTip({ qrId, serviceCategory }: Provider, attempt: Attempt): Promise<Payment> {
  let { wasSent } = attempt;
  const payer = attempt.userId === GUEST ? 'guestApi' : 'api';
  const outcome = await call(async (api) => {
    // Without a connection the attempt must not count as sent.
    if (!navigator.onLine) throw new Error('offline');
    wasSent = true;
    markSent(qrId, attempt);
    const sent = await api.transactions.create.mutate({
      receiverQrId: qrId,
      amountCents: attempt.amountCents,
      serviceCategory,
      idempotencyKey: attempt.key,
      termsVersion: terms().version,
      ...sentMessage(attempt),
    });
    return { status: sent.status, paymentUrl: sent.paymentUrl, receipt: receiptOf(sent) };
  }, payer);
  return { ...outcome, wasSent };
}

async function payDemo(amountCents: Cents): Promise<Payment> {
  await new Promise((resolve) => setTimeout(resolve, DEMO_PAYMENT_MS));
  const { giverFeeCents } = feesFor(amountCents);
  const receipt: Receipt = {
    amountCents,
    giverFeeCents,
    paidAt: new Date().toISOString(),
    transactionId: null,
    paymentMode: 'simulated',
    thankYou: null,
    undoUntil: null,
    capturesAt: null,
  };
  return { answer: { status: 'completed', paymentUrl: null, receipt }, failure: null, wasSent: true };
}
