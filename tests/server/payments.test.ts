/**
 * Tips that are paid at Stripe, as its stand-in plays it: what the giver and the receiver are told, what the ledger says, and that
 * whatever is heard twice, late, or not at all gives one tip for each payment.
 */
import { expect, onTestFinished, test } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { START_MS } from '#tests/support/people.ts';
import { startStripe } from '#tests/support/stripe/stand-in.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

async function openScene() {
  const clock = { nowMs: START_MS };
  const stripe = await startStripe({ nowMs: () => clock.nowMs });
  onTestFinished(() => stripe.stop());
  const t = await createTestApp({ paymentService: (now) => createStripe(stripe.settings, now) });
  Object.defineProperty(clock, 'nowMs', { get: () => t.clock.nowMs });
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  const { url } = await provider.trpc.payments.onboard.mutate();
  const [, accountId = ''] = /onboarding\/([^?]+)/.exec(url) ?? [];
  const give = (amountCents = 2_000, idempotencyKey?: string) =>
    customer.trpc.transactions.create.mutate({
      ...{ receiverQrId: provider.codes[0] ?? '', amountCents, serviceCategory: 'bartender' },
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
  async function deliver(notice: (typeof stripe.notices)[number] | undefined) {
    if (!notice) throw new Error('there is no notice');
    const { body, signature } = stripe.sign(notice);
    return t.send('/api/payments/stripe/webhook', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Stripe-Signature': signature },
      body,
    });
  }
  return { t, stripe, provider, customer, accountId, give, deliver };
}

test('a provider is payable once Stripe says so, and a tip is completed once it was paid', async () => {
  const { t, stripe, provider, customer, accountId, give, deliver } = await openScene();
  await expect(give()).rejects.toThrow('Tips cannot be taken here yet.');
  stripe.enable(accountId);
  expect((await deliver(stripe.notices.at(-1))).status).toBe(204);
  const pending = await give(2_000, 'one');
  expect(pending).toMatchObject({
    status: 'pending',
    paymentMode: 'test',
    paymentUrl: expect.stringMatching(/\/pay\/cs_/),
  });
  expect(await give(2_000, 'one')).toEqual(pending);
  expect(stripe.sessions.size).toBe(1);
  const [session] = stripe.sessions.values();
  if (!session) throw new Error('there is no session');
  expect(session).toMatchObject({ amountTotal: 2_100, applicationFee: 160, destination: accountId });
  stripe.pay(session.id);
  for (let times = 0; times < 3; times += 1) expect((await deliver(stripe.notices.at(-1))).status).toBe(204);
  const { id } = pending;
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({
    id,
    status: 'completed',
    paymentUrl: null,
  });
  expect(await t.storage.findNewestEntry(provider.user.id)).toMatchObject({ position: 1 });
  expect(await customer.trpc.transactions.refund.mutate({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: 'giver',
  });
  const [charge] = stripe.charges.values();
  expect(charge).toMatchObject({ refundedCents: 2_100, isTransferReversed: true });
});
