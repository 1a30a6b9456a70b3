/** An app that is paid at the stand-in for Stripe, with a provider who can be paid and a customer. */
import { onTestFinished } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { START_MS } from '../people.ts';
import { createTestApp, type TestApp } from '../test-app.ts';
import { enter } from '../test-ledger.ts';
import { type StandInNotice, type StripeStandIn, startStripe } from './stand-in.ts';

export type PaymentScene = Awaited<ReturnType<typeof openPaymentScene>>;

/** The app's clock is that of the stand-in as well. */
export async function openPaymentScene() {
  let nowMs = () => START_MS;
  const stripe = await startStripe({ nowMs: () => nowMs() });
  onTestFinished(() => stripe.stop());
  const t = await createTestApp({ paymentService: (clock) => createStripe(stripe.settings, clock) });
  nowMs = () => t.clock.nowMs;
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  await provider.trpc.payments.onboard.mutate();
  const [account] = stripe.accounts.values();
  if (!account) throw new Error('no account was opened');
  stripe.enable(account.id);
  await deliver(t, stripe, newestNotice(stripe));

  return {
    t,
    stripe,
    provider,
    customer,
    accountId: account.id,
    give: (amountCents = 2_000, idempotencyKey?: string) =>
      customer.trpc.transactions.create.mutate({
        ...{ receiverQrId: provider.codes[0] ?? '', amountCents, serviceCategory: 'bartender' },
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      }),
    /** Pays the page that was made last. @returns the notice of it, and how Stripe names the charge. */
    pay() {
      const session = [...stripe.sessions.values()].at(-1);
      if (!session || !stripe.pay(session.id) || session.intentId === null)
        throw new Error('there is no page to pay on');
      return { session, notice: newestNotice(stripe), chargeId: session.intentId };
    },
    deliver: (notice = newestNotice(stripe)) => deliver(t, stripe, notice),
    newestNotice: () => newestNotice(stripe),
  };
}

function newestNotice({ notices }: StripeStandIn): StandInNotice {
  const notice = notices.at(-1);
  if (!notice) throw new Error('there is no notice');
  return notice;
}

/** Sends a notice as Stripe does, with the signature of this moment. */
function deliver(t: TestApp, stripe: StripeStandIn, notice: StandInNotice): Promise<Response> {
  const { body, signature } = stripe.sign(notice);
  return sendNotice(t, body, signature);
}

/** Sends whatever claims to be a notice. */
export function sendNotice(
  { send }: Pick<TestApp, 'send'>,
  body: NonNullable<RequestInit['body']>,
  signature: string | null,
): Promise<Response> {
  return send('/api/payments/stripe/webhook', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      ...(signature !== null && { 'Stripe-Signature': signature }),
    },
    body,
  });
}
