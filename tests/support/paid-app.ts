/** The app with a payment service: the stand-in for Stripe, whose clock is that of the app. */
import { onTestFinished } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { type StandInNotice, startStripe } from './stripe/stand-in.ts';
import { createTestApp, type TestApp } from './test-app.ts';

type Options = Omit<NonNullable<Parameters<typeof createTestApp>[0]>, 'paymentService'>;
type Provider = Awaited<ReturnType<TestApp['setTheScene']>>['provider'];

export async function createPaidApp(options: Options = {}) {
  const stripe = await startStripe({ nowMs: () => t.clock.nowMs });
  onTestFinished(() => stripe.stop());
  const t = await createTestApp({ ...options, paymentService: (now) => createStripe(stripe.settings, now) });

  async function deliver(notice: StandInNotice | undefined): Promise<void> {
    if (!notice) throw new Error('there is no notice');
    const { body, signature } = stripe.sign(notice);
    const { status } = await t.send('/api/payments/stripe/webhook', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
      body,
    });
    if (status !== 204) throw new Error(`a notice was answered with ${status}`);
  }

  return {
    t,
    stripe,
    /** Has a provider open an account, and tell Stripe all that it asks for. @returns how Stripe names the account. */
    async makePayable({ trpc }: Pick<Provider, 'trpc'>): Promise<string> {
      const { url } = await trpc.payments.onboard.mutate();
      const [, accountId = ''] = /onboarding\/([^?]+)/.exec(url) ?? [];
      stripe.enable(accountId);
      await deliver(stripe.notices.at(-1));
      return accountId;
    },
    /** Pays on the page on which somebody was asked to, as its giver does. */
    async pay(paymentUrl: string | null): Promise<void> {
      stripe.pay(paymentUrl?.split('/').at(-1) ?? '');
      await deliver(stripe.notices.at(-1));
    },
  };
}
