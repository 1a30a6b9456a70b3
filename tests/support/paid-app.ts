/** The app with a payment service: the stand-in for Stripe, whose clock is that of the app. */
import { onTestFinished } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { START_MS } from './people.ts';
import { type StandInWebhookEvent, startStripe } from './stripe/stand-in.ts';
import { createTestApp, type TestApp } from './test-app.ts';

type Options = Omit<NonNullable<Parameters<typeof createTestApp>[0]>, 'paymentService'> &
  Pick<NonNullable<Parameters<typeof startStripe>[0]>, 'secretKey'> & {
    /** How long a call to Stripe may take. */
    readonly patienceMs?: number;
  };
type Provider = Awaited<ReturnType<TestApp['setTheScene']>>['provider'];

export async function createPaidApp({ secretKey, patienceMs, ...options }: Options = {}) {
  let nowMs = () => START_MS;
  const stripe = await startStripe({ nowMs: () => nowMs(), ...(secretKey !== undefined && { secretKey }) });
  onTestFinished(() => stripe.stop());
  const settings = { ...stripe.settings, ...(patienceMs !== undefined && { patienceMs }) };
  const t = await createTestApp({ ...options, paymentService: (now) => createStripe(settings, now) });
  nowMs = () => t.clock.nowMs;

  function newestWebhookEvent(): StandInWebhookEvent {
    const webhookEvent = stripe.webhookEvents.at(-1);
    if (!webhookEvent) throw new Error('there is no webhook event');
    return webhookEvent;
  }

  /** Sends a webhook event as Stripe does, with the signature of this moment. */
  function deliver(webhookEvent = newestWebhookEvent()): Promise<Response> {
    const { body, signature } = stripe.sign(webhookEvent);
    return sendWebhookEvent(t, body, signature);
  }

  async function deliverNewest(): Promise<void> {
    const { status } = await deliver();
    if (status !== 200) throw new Error(`a webhook event was answered with ${status}`);
  }

  return {
    t,
    stripe,
    newestWebhookEvent,
    deliver,
    /**
     * Has a provider open an account, and tell Stripe all that it asks for. @returns how Stripe names the
     * account.
     */
    async makePayable(provider: Pick<Provider, 'trpc'>): Promise<string> {
      const accountId = await openAccount(provider);
      stripe.enable(accountId);
      await deliverNewest();
      return accountId;
    },
    async pay(paymentUrl: string | null): Promise<void> {
      stripe.pay(paymentUrl?.split('/').at(-1) ?? '');
      await deliverNewest();
    },
  };
}

/** Has a provider begin with an account at Stripe. @returns how Stripe names it. */
export async function openAccount({ trpc }: Pick<Provider, 'trpc'>): Promise<string> {
  const { url } = await trpc.payments.onboard.mutate({ country: 'US' });
  const [, accountId = ''] = /onboarding\/([^?]+)/.exec(url) ?? [];
  return accountId;
}

export function sendWebhookEvent(
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
