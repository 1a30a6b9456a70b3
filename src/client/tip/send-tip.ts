/**
 * Sends a tip under the idempotency key of its attempt; nothing else sends one.
 */
import { type Cents, feesFor, formatUsd } from '#shared/money.ts';
import { call, type Outcome } from '../calls.ts';
import { toastError, toastSuccess } from '../toasts.ts';
import { type Attempt, markSent, settleAttempt } from './attempt.ts';
import type { Provider } from './provider.ts';
import type { Receipt, TipEvent } from './tip-flow.ts';

const PAYMENT_FAILED = 'Payment failed. Please try again.';
const DEMO_PAYMENT_MS = 2_000;
/** How long an answer may take: longer than any does, shorter than anybody waits at a bar. */
const ANSWER_PATIENCE_MS = 15_000;

/** The outcome of a payment, and whether its attempt was sent. */
type Payment = Outcome<Receipt> & { readonly wasSent: boolean };

/** Pays, or pretends to for a demo, and toasts the outcome. It never rejects. */
export async function sendTip(
  provider: Provider,
  attempt: Attempt,
): Promise<{ readonly event: TipEvent; readonly mustLogIn: boolean }> {
  const { isDemo, qrId, fullName } = provider;
  const payment = await (isDemo ? payDemo(attempt.amountCents) : payTip(provider, attempt));
  if (payment.failure === null) {
    settleAttempt(qrId);
    toastSuccess(
      `${isDemo ? 'Demo tip' : 'Tip'} sent successfully! ${formatUsd(attempt.amountCents)} sent to ${fullName}`,
    );
    return { event: { type: 'paid', receipt: payment.answer }, mustLogIn: false };
  }
  const { status, detail, code } = payment.failure;
  toastError(detail ?? PAYMENT_FAILED);
  if (status === null) {
    const interruption = payment.wasSent ? 'no-answer' : 'not-sent';
    return { event: { type: 'failed', interruption }, mustLogIn: false };
  }
  // The attempt stays open after a 429 or a 5xx, which may pass, and after a 401, which says nothing of what was sent
  // before; any other answer is final.
  if (status < 429 && !(status === 401 && attempt.wasSent)) settleAttempt(qrId);
  const mustLogIn = code === 'session_ended' || code === 'login_to_tip';
  return { event: { type: 'failed', interruption: null }, mustLogIn };
}

async function payTip({ qrId, serviceCategory }: Provider, attempt: Attempt): Promise<Payment> {
  let { wasSent } = attempt;
  const outcome = await call(async (api) => {
    // Without a connection the attempt must not count as sent.
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
