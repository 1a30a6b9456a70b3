/**
 * Tips that are paid at Stripe, as its stand-in plays it: what the giver and the receiver are told, what the
 * ledger says, and that whatever is heard twice, late, or not at all gives one tip for each payment.
 */
import { afterEach, expect, test } from 'vitest';
import type { TransactionId } from '#shared/ids.ts';
import { cents, putInForce, SPECIFIED_TERMS } from '#shared/money.ts';
import { createPaidApp, openAccount } from '#tests/support/paid-app.ts';
import { compareWithStripe } from '#tests/support/stripe/compare.ts';
import { captured, openPaymentScene } from '#tests/support/stripe/payment-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

afterEach(() => putInForce(SPECIFIED_TERMS));

test('a provider is payable once Stripe says so, and a tip is given once it was paid, and completed once its money was captured', async () => {
  const { t, stripe, deliver } = await createPaidApp();
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  const accountId = await openAccount(provider);
  const tip = {
    receiverQrId: provider.codes[0] ?? '',
    amountCents: 2_000,
    serviceCategory: 'bartender',
    idempotencyKey: 'one',
  } as const;
  const give = () => customer.trpc.transactions.create.mutate(tip);
  await expect(give()).rejects.toThrow('Tips cannot be taken here yet.');
  stripe.enable(accountId);
  expect((await deliver()).status).toBe(200);
  const pending = await give();
  expect(pending).toMatchObject({
    status: 'pending',
    paymentMode: 'test',
    paymentUrl: expect.stringMatching(/\/pay\/cs_/),
  });
  expect(await give()).toEqual(pending);
  expect(stripe.sessions.size).toBe(1);
  const [session] = stripe.sessions.values();
  if (!session) throw new Error('there is no session');
  expect(session).toMatchObject({ amountTotal: 2_100, applicationFee: 160, destination: accountId });
  stripe.pay(session.id);
  for (let times = 0; times < 3; times += 1) expect((await deliver()).status).toBe(200);
  const { id } = pending;
  const tell = () => customer.trpc.transactions.get.query({ id });
  const [charge] = stripe.charges.values();
  expect(await tell()).toMatchObject({ id, status: 'pending', paymentUrl: null });
  expect(await t.storage.findNewestEntry(provider.user.id)).toMatchObject({ position: 1 });
  expect(charge).toMatchObject({ state: 'requires_capture' });
  t.clock.nowMs += 3_600_000;
  await t.app.sweepPayments();
  expect(charge).toMatchObject({ state: 'succeeded' });
  expect(await tell()).toMatchObject({ id, status: 'completed' });
  expect(await provider.trpc.transactions.refund.mutate({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: 'receiver',
  });
  expect(charge).toMatchObject({ refundedCents: 2_100, isTransferReversed: true });
});

test('a giver who waits is told of the payment also after the clock was turned back', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer, give } = scene;
  const { id } = await give();
  const ask = () => customer.trpc.transactions.get.query({ id });
  const asked = async () => {
    stripe.requests.length = 0;
    await ask();
    return stripe.requests.length > 0;
  };
  expect([await asked(), await asked()]).toEqual([true, false]);
  t.clock.nowMs -= 3_600_000;
  expect([await asked(), await asked()]).toEqual([true, false]);
});

test('whoever asks about many payments at once has Stripe asked about a few of them at a time', async () => {
  const { t, stripe, customer, give } = await openPaymentScene();
  const ids: TransactionId[] = [];
  for (let count = 0; count < 8; count += 1) ids.push((await give()).id);
  const asked = async () => {
    stripe.requests.length = 0;
    await Promise.all(ids.map((id) => customer.trpc.transactions.get.query({ id })));
    return stripe.requests.length;
  };
  expect([await asked(), await asked()]).toEqual([5, 0]);
  t.clock.nowMs += 3_001;
  expect(await asked()).toBe(5);
});

test('a payment stays what was quoted when the terms change before it is paid, and so does its refund', async () => {
  const { t, stripe, makePayable, pay } = await createPaidApp();
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  await makePayable(provider);
  const now = { fromMs: t.clock.nowMs, createdAtMs: t.clock.nowMs };
  // Stripe counts krónur in hundredths, which they no longer have.
  const krona = { currency: 'ISK', exponent: 0, minTipCents: cents(100), giverFeeRate: 0 };
  expect(await t.storage.addTerms({ ...SPECIFIED_TERMS, ...krona, ...now, version: 1 })).toBe('added');
  await t.app.tick();
  const tip = {
    receiverQrId: provider.codes[0] ?? '',
    amountCents: 1_250,
    serviceCategory: 'bartender',
    idempotencyKey: 'one',
    termsVersion: 1,
  } as const;
  const pending = await customer.trpc.transactions.create.mutate(tip);
  const [session] = stripe.sessions.values();
  expect(session).toMatchObject({ currency: 'isk', amountTotal: 125_000, applicationFee: 3_800 });
  const dearer = { ...SPECIFIED_TERMS, ...krona, ...now, version: 2, giverFeeRate: 2_000 };
  expect(await t.storage.addTerms(dearer)).toBe('added');
  await t.app.tick();
  await pay(pending.paymentUrl);
  const paid = { amountCents: 1_250, giverFeeCents: 0, netAmountCents: 1_212, termsVersion: 1 };
  const { id } = pending;
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({ ...paid, status: 'pending' });
  expect(await customer.trpc.transactions.create.mutate(tip)).toMatchObject({ ...paid, id });
  t.clock.nowMs += 3_600_000;
  await t.app.sweepPayments();
  // A refund returns the fees, of which Stripe has taken its own.
  stripe.topUp(10_000, 'isk');
  await provider.trpc.transactions.refund.mutate({ id });
  const [charge] = stripe.charges.values();
  expect(charge).toMatchObject({ refundedCents: 125_000, isTransferReversed: true });
});

test('a key under which a tip was simulated names that tip and its thank-you, and begins no payment of it', async () => {
  const simulated = await createTestApp();
  const provider = await enter(simulated, 'pat', ['bartender']);
  const customer = await enter(simulated, 'cam');
  const tip = {
    receiverQrId: provider.codes[0] ?? '',
    amountCents: 2_000,
    serviceCategory: 'bartender',
    idempotencyKey: 'one',
  } as const;
  const { id } = await customer.trpc.transactions.create.mutate(tip);
  await provider.trpc.messages.thank.mutate({ id, text: 'See you on Friday!' });
  const { t, stripe } = await createPaidApp({ data: simulated.data });
  expect(await t.trpc(customer.token).transactions.create.mutate(tip)).toMatchObject({
    id,
    status: 'completed',
    paymentMode: 'simulated',
    thankYou: 'See you on Friday!',
  });
  expect(stripe.sessions.size).toBe(0);
});

test('where nobody pays a fee, Stripe is asked for none, and all that goes back is the tip', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer, provider } = scene;
  const none = { giverFeeRate: 0, receiverFeeRate: 0, fromMs: t.clock.nowMs, createdAtMs: t.clock.nowMs };
  expect(await t.storage.addTerms({ ...SPECIFIED_TERMS, ...none, version: 1 })).toBe('added');
  await t.app.tick();
  const kept = await captured(scene);
  stripe.refundPart(kept.chargeId, 500);
  await scene.deliverAll();
  const back = await captured(scene);
  expect(await provider.trpc.transactions.refund.mutate({ id: back.id })).toMatchObject({
    status: 'refunded',
  });
  expect(await customer.trpc.transactions.get.query({ id: kept.id })).toMatchObject({
    status: 'completed',
    giverFeeCents: 0,
    netAmountCents: 2_000,
  });
  expect(JSON.stringify(stripe.requests.map(({ parameters }) => parameters))).not.toContain(
    'application_fee',
  );
  compareWithStripe(stripe, await t.data.dump());
});
