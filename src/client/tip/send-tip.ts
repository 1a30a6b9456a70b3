/**
 * The only place where a tip is sent. It goes out under its attempt's key until the outcome is known.
 */
import { type Cents, feesFor } from '#shared/money.ts';
import { call, type Outcome } from '../calls.ts';
import { type Attempt, markSent, settleAttempt } from './attempt.ts';
import type { Provider } from './provider.ts';
import type { Receipt } from './tip-flow.ts';

const DEMO_PAYMENT_MS = 2_000;
/** Longer than any answer takes, shorter than anybody waits at a bar. */
const ANSWER_PATIENCE_MS = 15_000;

/** What came of a payment, and whether it ever left this device. */
export type Payment = Outcome<Receipt> & { readonly wasSent: boolean };

/** Pays, or plays at it for a demo. Never rejects. */
export async function sendTip(provider: Provider, attempt: Attempt): Promise<Payment> {
  const payment = await (provider.isDemo ? payDemo(attempt.amountCents) : payTip(provider, attempt));
  // 429 and 5xx may pass, and no answer says nothing; the attempt stays open for them. Any other answer is final.
  const status = payment.failure === null ? 200 : payment.failure.status;
  if (status !== null && status < 429) settleAttempt(provider.qrId);
  return payment;
}

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
