/**
 * The only place where a tip is sent. It goes out under its attempt's key until the outcome is known.
 */
import { type Cents, feesFor, formatUsd } from '#shared/money.ts';
import { call, type Outcome } from '../calls.ts';
import { toastError, toastSuccess } from '../toasts.ts';
import { type Attempt, markSent, settleAttempt } from './attempt.ts';
import type { Provider } from './provider.ts';
import type { Receipt, TipEvent } from './tip-flow.ts';

const PAYMENT_FAILED = 'Payment failed. Please try again.';
const DEMO_PAYMENT_MS = 2_000;
/** Longer than any answer takes, shorter than anybody waits at a bar. */
const ANSWER_PATIENCE_MS = 15_000;

/** What came of a payment, and whether its attempt ever left this device. */
type Payment = Outcome<Receipt> & { readonly wasSent: boolean };

/** Pays, or plays at it for a demo, and tells what came of it. Never rejects. */
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
  // 429 and 5xx may pass, and a 401 says nothing of what was sent before; the attempt stays open for them. Any other
  // answer is final.
  if (status < 429 && !(status === 401 && attempt.wasSent)) settleAttempt(qrId);
  const mustLogIn = code === 'session_ended' || code === 'login_to_tip';
  return { event: { type: 'failed', interruption: null }, mustLogIn };
}

async function payTip({ qrId, serviceCategory }: Provider, attempt: Attempt): Promise<Payment> {
  let { wasSent } = attempt;
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
