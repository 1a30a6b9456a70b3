/** The money of a tip is held on the card until it can no longer be taken back, and captured exactly once then. */
import { expect, test } from 'vitest';
import { compareWithStripe } from '#tests/support/stripe/compare.ts';
import { captured, openPaymentScene, type PaymentScene } from '#tests/support/stripe/payment-scene.ts';
import { enter } from '#tests/support/test-ledger.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The package asks no second time at once. */
const NO_ANSWER = { is: 'status', status: 429 } as const;

/** A tip that was given and paid, whose money is held. */
async function held(scene: PaymentScene) {
  const { id } = await scene.give();
  const { chargeId } = scene.pay();
  expect((await scene.deliver()).status).toBe(200);
  return { id, chargeId };
}

const movesOf = ({ stripe }: PaymentScene) => stripe.movements.filter(({ type }) => type !== 'topup');
/** What the provider is told of this day. */
async function today({ provider }: PaymentScene) {
  const { receivedTodayCents, receivedTodayArrivingCents } = await provider.trpc.transactions.summary.query({
    timeZone: 'UTC',
  });
  return { receivedTodayCents, receivedTodayArrivingCents };
}
const capturesOf = ({ stripe }: PaymentScene) =>
  stripe.requests.filter(({ path }) => path.endsWith('/capture')).length;

test('a tip that is taken back in time was never charged, and costs the operator nothing', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer, provider } = scene;
  const before = stripe.balanceOf();
  const { id } = await held(scene);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({
    status: 'pending',
    capturesAt: new Date(t.clock.nowMs + 10 * MINUTE_MS).toISOString(),
  });
  expect(await provider.trpc.transactions.get.query({ id })).toMatchObject({ status: 'pending' });
  expect(await today(scene)).toEqual({ receivedTodayCents: 1_940, receivedTodayArrivingCents: 1_940 });
  await scene.pass(5);
  expect(await customer.trpc.transactions.refund.mutate({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: 'giver',
  });
  await scene.pass(60);
  await scene.deliverAll();
  expect(await today(scene)).toEqual({ receivedTodayCents: 0, receivedTodayArrivingCents: 0 });
  expect(movesOf(scene)).toEqual([]);
  expect(stripe.balanceOf()).toEqual(before);
  expect(capturesOf(scene)).toBe(0);
  compareWithStripe(stripe, await t.data.dump());
});

test('a tip is captured once, when its giver can no longer take it back', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const { id } = await held(scene);
  await scene.pass(9);
  expect(capturesOf(scene)).toBe(0);
  await scene.pass(2);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({
    status: 'completed',
    capturesAt: null,
  });
  expect(await today(scene)).toEqual({ receivedTodayCents: 1_940, receivedTodayArrivingCents: 0 });
  await expect(customer.trpc.transactions.refund.mutate({ id })).rejects.toThrow('was refunded already, or');
  await scene.pass(120);
  await scene.deliverAll();
  expect(capturesOf(scene)).toBe(1);
  compareWithStripe(stripe, await t.data.dump());
});

test('what is arriving of the total is told beyond the end of its day', async () => {
  const scene = await openPaymentScene();
  const { t, provider } = scene;
  t.clock.nowMs = Math.ceil(t.clock.nowMs / DAY_MS) * DAY_MS - 2 * MINUTE_MS;
  await held(scene);
  const sums = () => provider.trpc.transactions.summary.query({ timeZone: 'UTC' });
  expect(await sums()).toMatchObject({
    receivedTodayArrivingCents: 1_940,
    totalTipsReceivedArrivingCents: 1_940,
  });
  await scene.pass(3);
  expect(await sums()).toMatchObject({
    totalTipsReceivedCents: 1_940,
    totalTipsReceivedArrivingCents: 1_940,
    receivedTodayCents: 0,
    receivedTodayArrivingCents: 0,
  });
  await scene.pass(10);
  expect(await sums()).toMatchObject({ totalTipsReceivedCents: 1_940, totalTipsReceivedArrivingCents: 0 });
});

test('all tips that are due are captured by one sweep', async () => {
  const scene = await openPaymentScene();
  for (let tip = 0; tip < 12; tip += 1) await held(scene);
  scene.t.clock.nowMs += 11 * MINUTE_MS;
  await scene.t.app.sweepPayments();
  expect(capturesOf(scene)).toBe(12);
  compareWithStripe(scene.stripe, await scene.t.data.dump());
});

test('tips that Stripe does not let anybody capture keep no other tip waiting', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer, makePayable } = scene;
  const other = await enter(t, 'sam', ['bartender']);
  await makePayable(other);
  for (let tip = 0; tip < 12; tip += 1) await held(scene);
  stripe.changeQuietly(scene.accountId, { chargesEnabled: false });
  t.clock.nowMs += MINUTE_MS;
  const { id } = await customer.trpc.transactions.create.mutate({
    receiverQrId: other.codes[0] ?? '',
    amountCents: 2_000,
    serviceCategory: 'bartender',
  });
  scene.pay();
  await scene.deliver();
  t.clock.nowMs += 11 * MINUTE_MS;
  await t.app.sweepPayments();
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'completed' });
});

test('an arriving tip that its receiver refunds is not charged', async () => {
  const scene = await openPaymentScene();
  const { id } = await held(scene);
  expect(await scene.provider.trpc.transactions.refund.mutate({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: 'receiver',
  });
  expect(movesOf(scene)).toEqual([]);
  for (const { trpc, token } of [scene.provider, scene.customer]) {
    const { entries } = await trpc.transactions.entries.query({ only: 'changes' });
    expect(entries).toMatchObject([{ kind: 'canceled', transaction: { id, status: 'refunded' } }]);
    const headers = { Accept: 'text/csv', Authorization: `Bearer ${token}` };
    const csv = await scene.t.send('/api/transactions', { headers });
    const kinds = (await csv.text()).split('\r\n').map((line) => line.split(','));
    expect(kinds.map((cells) => [cells[12], cells[16]])).toEqual([
      ['Status', 'Entry'],
      ['Canceled before charge', 'Canceled before charge'],
      ['Canceled before charge', 'Tip'],
      [undefined, undefined],
    ]);
  }
});

test('a tip that was captured in the moment in which it is taken back is refunded', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const { id, chargeId } = await held(scene);
  const answer = await fetch(`${stripe.url}/v1/payment_intents/${chargeId}/capture`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stripe.settings.secretKey}` },
  });
  expect(answer.status).toBe(200);
  expect(await customer.trpc.transactions.refund.mutate({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: 'giver',
  });
  await scene.deliverAll();
  compareWithStripe(stripe, await t.data.dump());
});

test('a refund that waits for Stripe is not captured meanwhile, but given up', async () => {
  const scene = await openPaymentScene();
  const { stripe, customer } = scene;
  const { id } = await held(scene);
  stripe.fail(({ path }) => (path.endsWith('/cancel') ? NO_ANSWER : null));
  await expect(customer.trpc.transactions.refund.mutate({ id })).rejects.toThrow('does not answer');
  await scene.pass(30);
  expect(capturesOf(scene)).toBe(0);
  stripe.fail(() => null);
  await scene.pass(60);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: 'giver',
  });
  expect(movesOf(scene)).toEqual([]);
});

test('money that was held for longer than seven days is reversed, and named in the log', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const { id } = await held(scene);
  t.clock.nowMs += 8 * DAY_MS;
  await t.app.sweepPayments();
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: null,
  });
  expect(t.logLines.join('')).toContain('what a giver had authorised could not be captured any more');
  compareWithStripe(stripe, await t.data.dump());
});

test('without an undo window the money is captured at once', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t, stripe, customer } = scene;
  const { id } = await held(scene);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({
    status: 'completed',
    capturesAt: null,
  });
  await scene.deliverAll();
  await scene.pass(60);
  expect(capturesOf(scene)).toBe(0);
  compareWithStripe(stripe, await t.data.dump());
});

test('during maintenance nothing is captured, given up or adjusted, and all of it is done afterwards', async () => {
  const scene = await openPaymentScene();
  const { stripe, t, customer } = scene;
  const before = await captured(scene);
  const { id } = await held(scene);
  const paused = await scene.start({ config: { maintenance: { untilMs: null } } });
  stripe.refundPart(before.chargeId, 1_050);
  const asked = stripe.requests.length;
  const stored = await t.data.dump();
  await scene.deliverAll(paused);
  await scene.pass(60, paused);
  await expect(paused.trpc(customer.token).transactions.refund.mutate({ id })).rejects.toThrow();
  expect(stripe.requests.slice(asked)).toEqual([]);
  expect((await t.data.dump())['payments']).toEqual(stored['payments']);
  const next = await scene.start();
  await scene.pass(60, next);
  expect(await next.trpc(customer.token).transactions.get.query({ id })).toMatchObject({
    status: 'completed',
  });
  compareWithStripe(stripe, await t.data.dump());
});

test.each([
  ['held', held, '/cancel'],
  ['captured', captured, '/refunds'],
] as const)('a second refund of a tip that is %s while one is under way gets the same answer, through both doors', async (_, make, path) => {
  const scene = await openPaymentScene();
  const { t, stripe, provider } = scene;
  const { id } = await make(scene);
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  stripe.fail((request) => (request.path.endsWith(path) ? { is: 'held', until } : null));
  const answers = Promise.all([
    t.rest('POST', `/transactions/${id}/refund`, { token: provider.token, body: {} }),
    provider.trpc.transactions.refund.mutate({ id }),
    t.rest('POST', `/transactions/${id}/refund`, { token: provider.token, body: {} }),
  ]);
  await expect.poll(scene.refundsAsked).toBe(3);
  letGo();
  const [rest, trpc, again] = await answers;
  expect([rest.status, again.status]).toEqual([200, 200]);
  expect(again.body).toEqual(rest.body);
  expect(rest.body).toMatchObject({ status: 'refunded', refunded_by: 'receiver' });
  expect(trpc).toMatchObject({ status: 'refunded', refundedBy: 'receiver' });
  expect(stripe.requests.filter((request) => request.path.endsWith(path))).toHaveLength(1);
  await scene.deliverAll();
  compareWithStripe(stripe, await t.data.dump());
});

test('a refund that nobody answered is joined by whoever asks next, also on another process', async () => {
  const scene = await openPaymentScene();
  const { stripe, provider, customer } = scene;
  const { id } = await held(scene);
  stripe.fail(() => NO_ANSWER);
  const first = { id, idempotencyKey: 'first' };
  await expect(customer.trpc.transactions.refund.mutate(first)).rejects.toThrow('does not answer');
  stripe.fail(() => null);
  const next = await scene.start();
  const joining = () =>
    next.trpc(provider.token).transactions.refund.mutate({ id, idempotencyKey: 'second' });
  const refunded = { status: 'refunded', refundedBy: 'giver' };
  expect(await joining()).toMatchObject(refunded);
  // The refund has the key with which it was asked for, and no other one.
  expect(await customer.trpc.transactions.refund.mutate(first)).toMatchObject(refunded);
  await expect(joining()).rejects.toMatchObject({ data: { errorCode: 'not_refundable' } });
});
