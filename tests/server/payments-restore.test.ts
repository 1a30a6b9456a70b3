/**
 * A backup that was restored lacks what was paid since. The tips are entered again from what was written to their
 * pages, with everything that became of them, or named for the operator.
 */
import { expect, test } from 'vitest';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { sendWebhookEvent } from '#tests/support/paid-app.ts';
import { compareWithStripe } from '#tests/support/stripe/compare.ts';
import { captured, openPaymentScene, type PaymentScene } from '#tests/support/stripe/payment-scene.ts';
import type { TestApp } from '#tests/support/test-app.ts';
import { createTestData, type TestData } from '#tests/support/test-data.ts';
import { enter } from '#tests/support/test-ledger.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NAMED = 'a page was paid that no payment here knows';

test('what was given and paid since the backup is entered again, as it stands at Stripe by now', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer, provider } = scene;
  const earlier = await captured(scene);
  const { id: open } = await scene.give(6_000);
  const atBackup = scene.pay();
  await scene.deliver(atBackup.webhookEvent);
  const contents = await t.data.readContents();

  const kept = await captured(scene, 3_000);
  const partly = await captured(scene, 4_000);
  stripe.refundPart(partly.chargeId, 2_100, { reverseTransfer: true });
  const back = await captured(scene, 5_000);
  stripe.refundAtStripe(back.chargeId);
  stripe.refundAtStripe(earlier.chargeId);
  const disputed = await captured(scene, 7_000);
  stripe.openDispute(disputed.chargeId);
  const { id: takenBack } = await scene.give(8_000);
  scene.pay();
  await scene.deliver();
  await customer.trpc.transactions.refund.mutate({ id: takenBack });
  const { id: arriving } = await scene.give(9_000);
  scene.pay();
  await scene.deliver();

  const data = await createTestData({ contents });
  const restored = await scene.start({ data });
  await scene.pass(1, restored);
  const of = (id: string) => restored.trpc(customer.token).transactions.get.query({ id });
  expect(await of(kept.id)).toMatchObject({ status: 'completed', amountCents: 3_000 });
  expect(await of(partly.id)).toMatchObject({ status: 'completed', changes: [{ kind: 'refund' }] });
  expect(await of(back.id)).toMatchObject({ status: 'refunded' });
  expect(await of(disputed.id)).toMatchObject({ status: 'disputed' });
  expect(await of(arriving)).toMatchObject({ status: 'pending', capturesAt: expect.any(String) });
  // Nobody was charged, and there is nothing to say of it.
  await expect(of(takenBack)).rejects.toThrow();
  expect(await restored.trpc(provider.token).transactions.get.query({ id: kept.id })).toMatchObject({
    netAmountCents: 2_910,
  });
  await scene.pass(60, restored);
  expect(await of(open)).toMatchObject({ status: 'completed' });
  expect(await of(earlier.id)).toMatchObject({ status: 'refunded' });
  expect(await of(arriving)).toMatchObject({ status: 'completed' });
  stripe.charges.delete(
    [...stripe.sessions.values()].find(({ clientReferenceId }) => clientReferenceId === takenBack)
      ?.intentId ?? '',
  );
  compareWithStripe(stripe, await data.dump());
});

test('a charge of which Stripe tells nothing keeps no other page from being entered again', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const contents = await t.data.readContents();
  const older = await captured(scene, 3_000);
  const newer = await captured(scene, 4_000);
  const restored = await scene.start({ data: await createTestData({ contents }) });
  const of = (id: string) => restored.trpc(customer.token).transactions.get.query({ id });
  stripe.fail(({ path }) => (path.includes(newer.chargeId) ? { is: 'status', status: 500 } : null));
  await scene.pass(1, restored);
  expect(await of(older.id)).toMatchObject({ status: 'completed' });
  stripe.refundAtStripe(newer.chargeId);
  stripe.fail(() => null);
  await scene.pass(1, restored);
  expect(await of(newer.id)).toMatchObject({ status: 'refunded' });
});

test('several events of a charge of which Stripe tells nothing keep no older one from being heard of', async () => {
  const scene = await openPaymentScene();
  const { stripe, customer } = scene;
  const older = await captured(scene, 3_000);
  const newer = await captured(scene, 4_000);
  stripe.refundAtStripe(older.chargeId);
  for (let part = 0; part < 4; part += 1) stripe.refundPart(newer.chargeId, 500);
  stripe.fail(({ path }) => (path.includes(newer.chargeId) ? { is: 'status', status: 500 } : null));
  await scene.pass(30);
  expect(await customer.trpc.transactions.get.query({ id: older.id })).toMatchObject({ status: 'refunded' });
  stripe.fail(() => null);
  await scene.pass(30);
  expect(await customer.trpc.transactions.get.query({ id: newer.id })).toMatchObject({
    changes: Array.from({ length: 4 }, () => ({ kind: 'refund' })),
  });
});

test('while pages cannot be read, events of a tip that is missing have their list read no more often', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const contents = await t.data.readContents();
  const { id, chargeId } = await captured(scene);
  stripe.refundPart(chargeId, 1_050, { reverseTransfer: true });
  await scene.pass(5);
  const restored = await scene.start({ data: await createTestData({ contents }) });
  stripe.fail(({ path }) => (path.startsWith('/checkout/sessions') ? { is: 'status', status: 500 } : null));
  const earlier = stripe.requests.length;
  await scene.pass(5, restored);
  const asked = stripe.requests.slice(earlier).map(({ path }) => path);
  expect(asked.filter((path) => path.includes(chargeId)).length).toBeGreaterThan(0);
  expect(asked.filter((path) => path.startsWith('/events'))).toHaveLength(1);
  stripe.fail(() => null);
  await scene.pass(1, restored);
  expect(await restored.trpc(customer.token).transactions.get.query({ id })).toMatchObject({
    changes: [{ kind: 'refund' }],
  });
});

test('what begins before the first look does not hide what is missing', async () => {
  const scene = await openPaymentScene();
  const { t, customer } = scene;
  const contents = await t.data.readContents();
  const { id } = await captured(scene);
  t.clock.nowMs += 5 * DAY_MS;
  const restored = await scene.start({ data: await createTestData({ contents }) });
  await scene.give(2_500, undefined, restored);
  await scene.pass(1, restored);
  expect(await restored.trpc(customer.token).transactions.get.query({ id })).toMatchObject({
    status: 'completed',
  });
});

/** Tips of six days after a backup, the oldest first, and a process that stops once it has entered the newest. */
async function stopWhileEntering(meanwhile: (data: TestData, scene: PaymentScene) => Promise<unknown>) {
  const scene = await openPaymentScene();
  const { t, customer } = scene;
  const contents = await t.data.readContents();
  const ids: string[] = [];
  for (let day = 0; day < 3; day += 1) {
    ids.push((await captured(scene)).id);
    t.clock.nowMs += 2 * DAY_MS;
  }
  const data = await createTestData({ contents });
  const first = await scene.start({ data });
  scene.endAt({
    name: 'enterFoundPayment',
    madeBefore: 1,
    async meanwhile() {
      await meanwhile(data, scene);
      throw new StorageUnavailable(new Error('this process has ended'));
    },
  });
  await expect(first.app.sweepPayments()).rejects.toThrow();
  return {
    ...scene,
    data,
    statusesBy: (app: TestApp) =>
      Promise.all(
        ids.map(async (id) => (await app.trpc(customer.token).transactions.get.query({ id })).status),
      ),
  };
}

test('a process that ends while it enters what is missing leaves the rest to the next one', async () => {
  const scene = await stopWhileEntering(async () => {});
  const next = await scene.start({ data: scene.data });
  await scene.pass(1, next);
  expect(await scene.statusesBy(next)).toEqual(['completed', 'completed', 'completed']);
  compareWithStripe(scene.stripe, await scene.data.dump());
});

test('a second process reads as far back as the first one, which has entered a part of what is missing', async () => {
  let second: TestApp | undefined;
  const scene = await stopWhileEntering(async (data, { start, pass }) => {
    second = await start({ data });
    await pass(1, second);
  });
  if (!second) throw new Error('there is no second process');
  expect(await scene.statusesBy(second)).toEqual(['completed', 'completed', 'completed']);
  compareWithStripe(scene.stripe, await scene.data.dump());
});

test('what was paid under a key is entered again, though another payment has begun under it since the restore', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const contents = await t.data.readContents();
  const { id } = await scene.give(2_000, 'one');
  scene.pay();
  await scene.deliver();
  await scene.pass(12);

  const data = await createTestData({ contents });
  const restored = await scene.start({ data });
  const { transactions } = restored.trpc(customer.token);
  const again = await scene.give(2_000, 'one', restored);
  expect(again).toMatchObject({ status: 'pending', paymentUrl: expect.any(String) });
  await scene.pass(150, restored);
  expect(await transactions.get.query({ id })).toMatchObject({ status: 'completed' });
  expect(await transactions.get.query({ id: again.id })).toMatchObject({ status: 'expired' });
  compareWithStripe(stripe, await data.dump());
});

/** A backup of the moment in which a page was made, and was not stored yet. */
async function backUpWhileBeginning(scene: PaymentScene): Promise<Buffer> {
  scene.endAt({ name: 'movePayment', kind: 'pending' });
  await expect(scene.give(2_000, 'one')).rejects.toThrow();
  scene.endAt(null);
  return scene.t.data.readContents();
}

test.each<[first: string, happens: (scene: PaymentScene, restored: TestApp) => Promise<void>]>([
  ['the sweep comes', async () => {}],
  ['the webhook events come', (scene, restored) => scene.deliverAll(restored)],
  [
    'the webhook events of its charge come',
    async (scene, restored) => {
      for (const webhookEvent of scene.stripe.webhookEvents) {
        if (webhookEvent.type.startsWith('checkout.')) continue;
        const { body, signature } = scene.stripe.sign(webhookEvent);
        expect((await sendWebhookEvent(restored, body, signature)).status).toBe(200);
      }
    },
  ],
])('a payment that had just begun at the backup has what became of the page that was paid since, when %s first', async (_, happens) => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const contents = await backUpWhileBeginning(scene);
  const { id } = await scene.give(2_000, 'one');
  const { chargeId } = scene.pay();
  await scene.deliver();
  await scene.pass(12);
  stripe.refundPart(chargeId, 1_050, { reverseTransfer: true });

  t.clock.nowMs += DAY_MS;
  const data = await createTestData({ contents });
  const restored = await scene.start({ data });
  await happens(scene, restored);
  await scene.pass(60, restored);
  expect(await restored.trpc(customer.token).transactions.get.query({ id })).toMatchObject({
    status: 'completed',
    changes: [{ kind: 'refund' }],
  });
  compareWithStripe(stripe, await data.dump());
});

test('who is asked to pay again after a restore is led to the page that they have open', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const contents = await backUpWhileBeginning(scene);
  t.clock.nowMs += 28 * MINUTE_MS;
  const { id, paymentUrl } = await scene.give(2_000, 'one');

  t.clock.nowMs += 20 * MINUTE_MS;
  const data = await createTestData({ contents });
  const restored = await scene.start({ data });
  const { transactions } = restored.trpc(customer.token);
  const again = await scene.give(2_000, 'one', restored);
  expect(again).toMatchObject({ id, paymentUrl });
  scene.pay();
  await scene.pass(60, restored);
  expect(await transactions.get.query({ id })).toMatchObject({ status: 'completed' });
  compareWithStripe(stripe, await data.dump());
});

test('what a guest has paid under a key is named when another payment under it stands in its place since the restore', async () => {
  const scene = await openPaymentScene();
  const { t, provider } = scene;
  const contents = await t.data.readContents();
  const tip = {
    receiverQrId: provider.codes[0] ?? '',
    amountCents: 2_000,
    serviceCategory: 'bartender',
    idempotencyKey: 'the-key-of-one-guest',
  } as const;
  const config = { takesGuestTips: true };
  const before = await scene.start({ config });
  await before.trpc().transactions.create.mutate(tip);
  const { session } = scene.pay();
  await scene.pass(12, before);

  const restored = await scene.start({ data: await createTestData({ contents }), config });
  await restored.trpc().transactions.create.mutate(tip);
  await scene.pass(30, restored);
  const named = restored.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === NAMED);
  expect(named).toMatchObject([{ page: session.id, payment: session.clientReferenceId }]);
});

test('what could not be entered while the database took nothing is entered once it does', async () => {
  const scene = await openPaymentScene();
  const { t, customer } = scene;
  const contents = await t.data.readContents();
  const { id } = await captured(scene);
  t.clock.nowMs += 5 * DAY_MS;
  const restored = await scene.start({ data: await createTestData({ contents }) });
  scene.endAt({ name: 'enterFoundPayment', error: new StorageUnavailable(new Error('the disk is full')) });
  await restored.app.sweepPayments().catch(() => {});
  scene.endAt(null);
  await scene.pass(1, restored);
  expect(await restored.trpc(customer.token).transactions.get.query({ id })).toMatchObject({
    status: 'completed',
  });
});

test('what became of a charge is entered though its events came before its payment, and the process ended between both', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, customer } = scene;
  const contents = await t.data.readContents();
  const { id, chargeId } = await captured(scene);
  stripe.refundPart(chargeId, 1_050, { reverseTransfer: true });
  const data = await createTestData({ contents });
  const first = await scene.start({ data });
  await scene.deliverAll(first);
  scene.endAt({ name: 'adjustPayment', error: new StorageUnavailable(new Error('this process has ended')) });
  await expect(first.app.sweepPayments()).rejects.toThrow();

  const next = await scene.start({ data });
  await scene.pass(60, next);
  expect(await next.trpc(customer.token).transactions.get.query({ id })).toMatchObject({
    changes: [{ kind: 'refund' }],
  });
  compareWithStripe(stripe, await data.dump());
});

test('what cannot be entered again is named at each start, and changes nothing', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, provider } = scene;
  const contents = await t.data.readContents();
  const newcomer = await enter(t, 'kim');
  await newcomer.trpc.transactions.create.mutate({
    receiverQrId: provider.codes[0] ?? '',
    amountCents: 2_000,
    serviceCategory: 'bartender',
  });
  const { session } = scene.pay();
  await scene.deliver();
  const data = await createTestData({ contents });
  for (let starts = 0; starts < 2; starts += 1) {
    const restored = await scene.start({ data });
    await scene.pass(30, restored);
    const named = restored.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === NAMED);
    expect(named).toMatchObject([{ page: session.id, payment: session.clientReferenceId }]);
  }
  expect((await data.dump())['payments']).toEqual([]);
  expect(stripe.charges.size).toBe(1);
});

test('pages that something else has made at the same account are none of ours', async () => {
  const scene = await openPaymentScene();
  const { t, stripe } = scene;
  const { id } = await captured(scene);
  for (const session of stripe.sessions.values()) Object.assign(session, { clientReferenceId: 'order-17' });
  await scene.pass(30);
  expect(t.logLines.join('')).not.toContain(NAMED);
  expect((await t.data.dump())['payments']).toMatchObject([{ id, state: 'succeeded' }]);
});
