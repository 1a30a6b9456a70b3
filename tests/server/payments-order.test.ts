/**
 * What becomes of a payment when news of it come in an order that nobody meant, or when one that was asked
 * for is never answered: one story for each of the orders that chance would meet too rarely.
 */
import { expect, test } from 'vitest';
import { captured, openPaymentScene, type PaymentScene } from '#tests/support/stripe/payment-scene.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

async function statesOf({ t }: PaymentScene) {
  const { payments = [] } = await t.data.dump();
  return payments.map(({ state }) => state);
}

test.each([
  ['a refund at Stripe', 'refundAtStripe', 'refunded'],
  ['a dispute', 'dispute', 'disputed'],
] as const)('%s that is heard of before the payment is told, and taken back from the receiver', async (_, what, status) => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { id } = await scene.give();
  const { chargeId, webhookEvent } = scene.pay();
  scene.stripe[what](chargeId);
  expect((await scene.deliver()).status).toBe(200);
  expect(await scene.customer.trpc.transactions.get.query({ id })).toMatchObject({
    status,
    refundedBy: null,
  });
  expect((await scene.deliver(webhookEvent)).status).toBe(200);
  expect(await statesOf(scene)).toEqual([status === 'refunded' ? 'refunded' : 'succeeded']);
  expect([...scene.stripe.charges.values()]).toMatchObject([
    { isTransferReversed: true, isFeeRefunded: true },
  ]);
});

test('a refund at Stripe takes the part of the receiver back, as one that was asked for here does', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { id } = await scene.give();
  const { chargeId } = scene.pay();
  await scene.deliver();
  scene.stripe.refundAtStripe(chargeId);
  await scene.deliver();
  expect(await scene.customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'refunded' });
  expect([...scene.stripe.charges.values()]).toMatchObject([
    { isTransferReversed: true, isFeeRefunded: true },
  ]);
  expect(scene.t.logLines.join('')).not.toContain('the receiver still has');
});

test('a refund that was asked for here is not taken back a second time by its own webhook event', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { id } = await scene.give();
  scene.pay();
  await scene.deliver();
  const isRefund = ({ path }: { readonly path: string }) => path === '/refunds';
  scene.stripe.fail((request) => (isRefund(request) ? { is: 'cut', when: 'after' } : null));
  await expect(scene.provider.trpc.transactions.refund.mutate({ id })).rejects.toThrow();
  scene.stripe.fail(() => null);
  expect(await statesOf(scene)).toEqual(['succeeded']);
  await scene.deliver();
  expect(await scene.customer.trpc.transactions.get.query({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: 'receiver',
  });
  expect(scene.stripe.requests.filter(({ path }) => path.endsWith('/reversals'))).toEqual([]);
});

test('a refund that nobody answered is done by a sweep', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t, stripe } = scene;
  const { id } = await scene.give();
  scene.pay();
  await scene.deliver();
  stripe.fail(() => ({ is: 'status', status: 429 }));
  await expect(scene.provider.trpc.transactions.refund.mutate({ id })).rejects.toThrow();
  stripe.fail(() => null);
  await t.app.sweepPayments();
  expect(await statesOf(scene)).toEqual(['succeeded']);
  t.clock.nowMs += 2 * MINUTE_MS;
  await t.app.sweepPayments();
  expect(await scene.customer.trpc.transactions.get.query({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: 'receiver',
  });
});

test.each([
  20,
  5 * 24,
])('what Stripe told nobody is found after a clock that was %i hours ahead', async (hours) => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const { id, chargeId } = await captured(scene);
  t.clock.nowMs += hours * HOUR_MS;
  await t.app.sweepPayments();
  t.clock.nowMs -= hours * HOUR_MS;
  await scene.pass(15);
  stripe.refundAtStripe(chargeId);
  await scene.pass(30);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'refunded' });
});

test('what was looked at in vain while the clock was days ahead is captured once it is right', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const { id } = await scene.give();
  scene.pay();
  await scene.deliver();
  stripe.fail(() => ({ is: 'cut', when: 'before' }));
  t.clock.nowMs += 9 * 24 * HOUR_MS;
  await t.app.sweepPayments();
  t.clock.nowMs -= 9 * 24 * HOUR_MS;
  stripe.fail(() => null);
  await scene.pass(15);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'completed' });
});

test('what was found paid while the clock was days ahead is captured before what is held lapses', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const { id } = await scene.give();
  scene.pay();
  const turnBy = (days: number) => {
    t.clock.nowMs += days * 24 * HOUR_MS;
    // Stripe's own clock stays right.
    stripe.advance(-days);
  };
  turnBy(9);
  await customer.trpc.transactions.get.query({ id });
  turnBy(-9);
  await scene.pass(24 * 60);
  expect([...stripe.charges.values()]).toMatchObject([{ state: 'succeeded' }]);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'completed' });
});

test('what needs an operator is told within minutes, also after a clock that was ahead', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, accountId } = scene;
  const { chargeId } = await captured(scene);
  t.clock.nowMs += 20 * HOUR_MS;
  await t.app.sweepPayments();
  t.clock.nowMs -= 20 * HOUR_MS;
  stripe.emptyAccount(accountId);
  stripe.refundPart(chargeId, 500);
  await scene.deliver();
  await scene.pass(6);
  expect(await (await t.send('/readyz')).text()).toContain('has not been taken back from its receiver');
});

test('a payment that Stripe never gives a page to expires', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t, stripe } = scene;
  stripe.fail(() => ({ is: 'refused', status: 403, message: 'No such destination' }));
  await expect(scene.give()).rejects.toThrow();
  expect(await statesOf(scene)).toEqual(['created']);
  for (let minute = 0; minute < 120; minute += 1) {
    t.clock.nowMs += MINUTE_MS;
    await t.app.sweepPayments();
  }
  expect(await statesOf(scene)).toEqual(['expired']);
});

test('a payment that gets its page while a sweep gives it up is paid', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t, stripe, customer } = scene;
  stripe.fail(() => ({ is: 'cut', when: 'before' }));
  await expect(scene.give(2_000, 'one')).rejects.toThrow();
  stripe.fail(() => null);
  t.clock.nowMs += HOUR_MS;
  scene.endAt({ name: 'movePayment', meanwhile: () => scene.give(2_000, 'one') });
  await t.app.sweepPayments();
  expect(await statesOf(scene)).toEqual(['pending']);
  scene.pay();
  await scene.deliver();
  const { id } = await scene.give(2_000, 'one');
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'completed' });
});

test('a sweep goes on after a payment that cannot be dealt with', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t } = scene;
  await scene.give();
  scene.pay();
  // Another payment has the charge of this one already, which cannot be.
  await scene.give(3_000);
  const [first, second] = [...scene.stripe.sessions.values()];
  if (!first || !second) throw new Error('there are no pages');
  scene.pay();
  await scene.deliver();
  const { intentId } = first;
  first.intentId = second.intentId;
  await scene.give(4_000);
  scene.pay();
  t.clock.nowMs += 3 * MINUTE_MS;
  await t.app.sweepPayments();
  expect(await statesOf(scene).then((states) => states.sort())).toEqual([
    'pending',
    'succeeded',
    'succeeded',
  ]);
  first.intentId = intentId;
  t.clock.nowMs += 3 * MINUTE_MS;
  await t.app.sweepPayments();
  expect(await statesOf(scene)).toEqual(['succeeded', 'succeeded', 'succeeded']);
});

test('a tip that was paid is answered as the ledger has it, also to its key and to who gives it up', async () => {
  const scene = await openPaymentScene();
  const { t, customer } = scene;
  const { id } = await scene.give(2_000, 'key');
  t.clock.nowMs += MINUTE_MS;
  scene.pay();
  await scene.deliver();
  t.clock.nowMs += MINUTE_MS;
  const answers = async () => [
    await scene.give(2_000, 'key'),
    await customer.trpc.transactions.giveUp.mutate({ id }),
  ];
  const paid = await customer.trpc.transactions.get.query({ id });
  expect(paid).toMatchObject({ status: 'pending', capturesAt: expect.any(String) });
  expect(await answers()).toEqual([paid, paid]);
  const refunded = await customer.trpc.transactions.refund.mutate({ id });
  expect(await answers()).toEqual([refunded, refunded]);
});

test('a payment that is given up once it was paid stays paid', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { id } = await scene.give();
  scene.pay();
  expect(await scene.customer.trpc.transactions.giveUp.mutate({ id })).toMatchObject({ status: 'completed' });
  await scene.deliver();
  expect(await statesOf(scene)).toEqual(['succeeded']);
});

test('a page that a giver was shown stays theirs when a second request of the same key makes another', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { stripe, t } = scene;
  const give = () => scene.give(2_000, 'key');
  stripe.fail(() => ({ is: 'cut', when: 'after' }));
  await expect(give()).rejects.toThrow('The payment service does not answer');
  // Nobody knows whether there is a page, which could be paid all the same.
  const [{ id = '' } = {}] = (await t.data.dump())['payments'] ?? [];
  const givingUp = scene.customer.trpc.transactions.giveUp.mutate({ id: String(id) });
  await expect(givingUp).rejects.toMatchObject({ data: { errorCode: 'payment_unavailable' } });
  // Too late for the same page, which would end before it is half an hour old.
  t.clock.nowMs += 31 * MINUTE_MS;
  let failures = 1;
  stripe.fail(() => (failures-- > 0 ? { is: 'status', status: 500 } : null));
  const answers = await Promise.all([give(), give()]);
  const [shown, ...others] = [...new Set(answers.map(({ paymentUrl }) => paymentUrl))];
  expect([shown, others]).toEqual([expect.stringContaining('/pay/'), []]);
  expect(stripe.sessions.size).toBeGreaterThan(1);
  expect(await statesOf(scene)).toEqual(['pending']);
  stripe.pay(shown?.split('/').at(-1) ?? '');
  await scene.deliver();
  expect(await statesOf(scene)).toEqual(['succeeded']);
});

test('a page that Stripe made and nobody was told of is not made again for a receiver of another name: the tip fails', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { stripe, t } = scene;
  stripe.fail(() => ({ is: 'cut', when: 'after' }));
  await expect(scene.give(2_000, 'key')).rejects.toThrow('The payment service does not answer');
  stripe.fail(() => null);
  await t.storage.updateAccount(scene.provider.user.id, { fullName: 'Another Name' });
  expect(await scene.give(2_000, 'key')).toMatchObject({ status: 'failed', paymentUrl: null });
  expect(stripe.sessions.size).toBe(1);
  expect(await scene.give(2_000, 'another')).toMatchObject({ status: 'pending' });
});
