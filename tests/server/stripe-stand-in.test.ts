/**
 * The stand-in for Stripe keeps Stripe's rules about money: whatever happens, no cent comes from nowhere or is
 * lost. The official package asks it.
 */
import Stripe from 'stripe';
import { expect, onTestFinished, test } from 'vitest';
import { createChance } from '#tests/support/chance.ts';
import { startStripe } from '#tests/support/stripe/stand-in.ts';
import { cardFee, DISPUTE_FEE } from '#tests/support/stripe/stand-in-money.ts';

async function openBooks(startingBalance?: number) {
  let nowMs = Date.UTC(2026, 0, 5);
  const stripe = await startStripe({
    nowMs: () => nowMs,
    ...(startingBalance !== undefined && { startingBalance }),
  });
  onTestFinished(() => stripe.stop());
  const { hostname: host, port } = new URL(stripe.url);
  const api = new Stripe(stripe.settings.secretKey, {
    host,
    port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
  });
  const pass = (days: number) => {
    nowMs += days * 86_400_000;
  };

  async function pay(destination: string, amount: number, isHeld = false) {
    const page = await api.checkout.sessions.create({
      mode: 'payment',
      line_items: [
        { quantity: 1, price_data: { currency: 'usd', unit_amount: amount, product_data: { name: 'Tip' } } },
      ],
      payment_intent_data: {
        application_fee_amount: Math.round(amount * 0.08),
        transfer_data: { destination },
        ...(isHeld && { capture_method: 'manual' }),
      },
      expires_at: Math.floor(nowMs / 1_000) + 3_600,
      success_url: 'https://tips.example.com',
    });
    stripe.pay(page.id);
    return stripe.sessions.get(page.id)?.intentId ?? '';
  }

  /** What went in and out of Stripe, told by its objects, and what its balances and payouts say. */
  function sums() {
    const charges = [...stripe.charges.values()].filter(({ isCaptured }) => isCaptured);
    const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
    const disputes = charges.flatMap((charge) => charge.disputes);
    const out = [
      ...charges.map(({ refundedCents }) => refundedCents),
      ...charges.map(({ amount }) => cardFee(amount)),
      ...disputes.map(({ amount, status }) => (status === 'won' ? 0 : amount) + DISPUTE_FEE),
    ];
    const balances = [stripe.platform, ...stripe.accounts.keys()].map((id) => {
      const { available, pending } = stripe.balanceOf(id);
      return available + pending;
    });
    return {
      charged: sum(charges.map(({ amount }) => amount)),
      out: sum(out),
      held: sum(balances) + sum(stripe.payouts.map(({ amount }) => amount)),
    };
  }

  return { stripe, api, pass, pay, sums };
}

test('all that givers were charged lies on balances, was paid out, went back or is a fee, to the cent', async () => {
  const STARTING = 2_000_000;
  const { stripe, api, pass, pay, sums } = await openBooks(STARTING);
  const chance = createChance(7);
  const providers = ['US', 'DE'].map((country) => stripe.addAccount({ country }).id);
  for (const id of providers) stripe.enable(id);
  const intents: string[] = [];
  const disputes: string[] = [];
  const refunds: string[] = [];
  const one = () => chance.pick(intents);
  const cents = () => 1 + chance.below(3_000);
  const steps: readonly (() => unknown)[] = [
    async () =>
      intents.push(await pay(chance.pick(providers), 1_000 + chance.below(50_000), chance.below(2) === 0)),
    () => api.paymentIntents.capture(one()),
    () => api.paymentIntents.cancel(one()),
    () => api.refunds.create({ payment_intent: one(), reverse_transfer: true, refund_application_fee: true }),
    () => refunds.push(stripe.refundPart(one(), cents(), { reverseTransfer: chance.below(2) === 0 })),
    () => stripe.failRefund(chance.pick(refunds)),
    () => disputes.push(stripe.openDispute(one())),
    () => stripe.closeDispute(chance.pick(disputes), chance.pick(['won', 'lost'])),
    () => stripe.reverseTransfer(one(), cents(), chance.below(2) === 0),
    () => api.transfers.create({ amount: cents(), currency: 'usd', destination: chance.pick(providers) }),
    () => stripe.payOut(chance.below(9) === 0 ? undefined : chance.pick(providers)),
    () => pass(chance.below(3)),
  ];
  const done = new Set<number>();
  for (let count = 0; count < 600; count += 1) {
    const step = chance.below(steps.length);
    try {
      await steps[step]?.();
      done.add(step);
    } catch {
      // Refused, or there is nothing yet to do it with: what was refused may have moved nothing either.
    }
    const { charged, out, held } = sums();
    expect(held, `after step ${step}`).toBe(STARTING + charged - out);
  }
  expect([...done].toSorted((a, b) => a - b)).toEqual(steps.map((_, step) => step));
});

test('money is pending for two days, and what is not there cannot be taken or sent', async () => {
  const { stripe, api, pass, pay } = await openBooks(0);
  const provider = stripe.addAccount().id;
  stripe.enable(provider);
  const of = { stripeAccount: provider };
  const intent = await pay(provider, 1_000);
  expect(await api.balance.retrieve({}, of)).toMatchObject({
    available: [{ amount: 0 }],
    pending: [{ amount: 920, currency: 'usd' }],
  });
  expect(stripe.payOut(provider)).toBeNull();
  // The operator has 80 cents of fees, less 59 of Stripe's.
  expect(stripe.balanceOf()).toEqual({ available: 0, pending: 21 });
  await expect(
    api.transfers.create({ amount: 1, currency: 'usd', destination: provider }),
  ).rejects.toMatchObject({ code: 'balance_insufficient', statusCode: 400 });
  await expect(api.refunds.create({ payment_intent: intent })).rejects.toMatchObject({
    code: 'balance_insufficient',
  });
  pass(2);
  expect(stripe.payOut(provider)).toMatchObject({ amount: 920 });
  const { transferId } = stripe.charges.get(intent) ?? {};
  await expect(api.transfers.createReversal(transferId ?? '', {})).rejects.toMatchObject({
    code: 'balance_insufficient',
    statusCode: 400,
  });
  expect((await api.payouts.list({ status: 'in_transit' }, of)).data).toMatchObject([{ amount: 920 }]);
  pass(2);
  expect((await api.payouts.list({ status: 'in_transit' }, of)).data).toEqual([]);
});

test('a hold lapses after seven days, is captured or cancelled once, and then refuses the other', async () => {
  const { stripe, api, pass, pay } = await openBooks();
  const provider = stripe.addAccount().id;
  stripe.enable(provider);
  const [captured, cancelled, lapsed] = [
    await pay(provider, 1_000, true),
    await pay(provider, 1_000, true),
    await pay(provider, 1_000, true),
  ];
  const unexpected = { code: 'payment_intent_unexpected_state', statusCode: 400 };
  expect(await api.paymentIntents.retrieve(lapsed)).toMatchObject({ status: 'requires_capture' });
  expect(await api.paymentIntents.capture(captured)).toMatchObject({ status: 'succeeded' });
  await expect(api.paymentIntents.cancel(captured)).rejects.toMatchObject(unexpected);
  expect(await api.paymentIntents.cancel(cancelled)).toMatchObject({ status: 'canceled' });
  await expect(api.paymentIntents.capture(cancelled)).rejects.toMatchObject(unexpected);
  pass(7);
  await expect(api.paymentIntents.capture(lapsed)).rejects.toMatchObject(unexpected);
  expect(await api.paymentIntents.retrieve(lapsed)).toMatchObject({ cancellation_reason: 'automatic' });
  expect(stripe.webhookEvents.map(({ type }) => type)).toContain('charge.expired');
});

test('what another platform has is unknown, in the words that fit where it is named', async () => {
  const { stripe, api, pay } = await openBooks();
  const provider = stripe.addAccount().id;
  stripe.enable(provider);
  const intent = await pay(provider, 1_000);
  stripe.forgetAccount(provider);
  await expect(pay(provider, 1_000)).rejects.toMatchObject({ statusCode: 400, code: 'resource_missing' });
  await expect(api.v2.core.accounts.retrieve(provider)).rejects.toMatchObject({ statusCode: 404 });
  await expect(api.balance.retrieve({}, { stripeAccount: provider })).rejects.toMatchObject({
    statusCode: 403,
    code: 'account_invalid',
  });
  const other = await openBooks();
  await expect(other.api.paymentIntents.retrieve(intent)).rejects.toMatchObject({ statusCode: 404 });
  expect((await other.api.accounts.retrieveCurrent()).id).not.toBe((await api.accounts.retrieveCurrent()).id);
});
