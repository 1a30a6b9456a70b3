/**
 * Stripe that fails, keeps saying so under the idempotency key for a day, and may have done what it was asked
 * all the same; and news that it had and nobody heard of. Each step of a payment gets over it, and nothing is
 * done twice.
 */
import { describe, expect, test } from 'vitest';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { captured, openPaymentScene, type PaymentScene } from '#tests/support/stripe/payment-scene.ts';
import type { Fault, StandInRequest } from '#tests/support/stripe/stand-in.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';
import { enter } from '#tests/support/test-ledger.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** For what is about the pages of Stripe's lists alone. */
const testOnSqlite = test.runIf(isOnSqlite());

async function statesOf({ t }: PaymentScene) {
  const { payments = [] } = await t.data.dump();
  return payments.map(({ state }) => state);
}

/** Lets the first request that is made of a path fail. */
function failOnce({ stripe }: PaymentScene, meant: (request: StandInRequest) => boolean, fault: Fault): void {
  let hasFailed = false;
  stripe.fail((request) => {
    if (hasFailed || request.method !== 'POST' || !meant(request)) return null;
    hasFailed = true;
    return fault;
  });
}

test('a refund that Stripe refuses is said to be refused by it, and may be asked for again', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { stripe, provider, t } = scene;
  const { id } = await captured(scene);
  stripe.fail(({ path }) =>
    path === '/refunds'
      ? { is: 'refused', status: 400, message: 'Insufficient funds', code: 'balance_insufficient' }
      : null,
  );
  await expect(provider.trpc.transactions.refund.mutate({ id })).rejects.toMatchObject({
    message: 'The payment service has refused to give this tip back. Please try again later.',
    data: { errorCode: 'not_refundable' },
  });
  stripe.fail(() => null);
  t.clock.nowMs += MINUTE_MS;
  expect(await provider.trpc.transactions.refund.mutate({ id })).toMatchObject({ status: 'refunded' });
});

describe.each([
  ['and had not done it', false],
  ['and had done it', true],
])('Stripe that has failed %s', (_, isDone) => {
  const failed: Fault = { is: 'status', status: 500, isDone };

  test('gives a page all the same, which is the only one that anybody is shown', async () => {
    const scene = await openPaymentScene({ isUndoable: false });
    const { stripe, t, customer } = scene;
    failOnce(scene, ({ path }) => path === '/checkout/sessions', failed);
    const begun = await scene.give(2_000, 'key');
    expect(begun).toMatchObject({ status: 'pending' });
    expect(await scene.give(2_000, 'key')).toEqual(begun);
    expect(stripe.sessions.size).toBe(isDone ? 2 : 1);
    const [shown] = [...stripe.sessions.values()].filter(({ id }) => begun.paymentUrl?.endsWith(id));
    // The page in vain runs out first, and its webhook event comes before that of the other.
    for (const { id } of stripe.sessions.values()) if (id !== shown?.id) stripe.expire(id);
    if (isDone) expect((await scene.deliver()).status).toBe(200);
    expect(await customer.trpc.transactions.get.query({ id: begun.id })).toMatchObject({ status: 'pending' });
    scene.pay();
    expect((await scene.deliver()).status).toBe(200);
    expect(await customer.trpc.transactions.get.query({ id: begun.id })).toMatchObject({
      status: 'completed',
    });
    expect(t.logLines.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  test('opens one account that a provider is led to', async () => {
    const scene = await openPaymentScene({ isUndoable: false });
    const { stripe, t } = scene;
    const newcomer = await enter(t, 'kim', ['dj']);
    failOnce(scene, ({ path }) => path === '/v2/core/accounts', failed);
    const urls = [
      await newcomer.trpc.payments.onboard.mutate({ country: 'US' }),
      await newcomer.trpc.payments.onboard.mutate({}),
    ];
    const accounts = [...stripe.accounts.values()].filter(({ email }) => email === newcomer.user.email);
    // The second version of the API does what has failed again, or answers what it has done.
    expect(accounts).toHaveLength(1);
    const ledTo = urls.map(({ url }) => /onboarding\/([^?]+)/.exec(url)?.[1]);
    expect(new Set(ledTo).size).toBe(1);
  });

  test('refunds once, and takes the part of the receiver back', async () => {
    const scene = await openPaymentScene({ isUndoable: false });
    const { stripe, provider } = scene;
    const { id } = await scene.give();
    scene.pay();
    await scene.deliver();
    failOnce(scene, ({ path }) => path === '/refunds', failed);
    expect(await provider.trpc.transactions.refund.mutate({ id })).toMatchObject({
      status: 'refunded',
      refundedBy: 'receiver',
    });
    expect([...stripe.charges.values()]).toMatchObject([
      { refundedCents: 2_100, isTransferReversed: true, isFeeRefunded: true },
    ]);
  });

  test('takes back once what has gone back to the giver', async () => {
    const scene = await openPaymentScene({ isUndoable: false });
    const { stripe, customer, t } = scene;
    const { id } = await scene.give();
    const { chargeId } = scene.pay();
    await scene.deliver();
    failOnce(scene, ({ path }) => path.endsWith('/reversals'), failed);
    stripe.refundAtStripe(chargeId);
    await scene.deliver();
    t.clock.nowMs += 20 * MINUTE_MS;
    await t.app.sweepPayments();
    expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'refunded' });
    expect([...stripe.charges.values()]).toMatchObject([{ isTransferReversed: true, isFeeRefunded: true }]);
    const [taken] = stripe.charges.values();
    expect(taken?.transfer?.reversals).toHaveLength(1);
  });
});

describe('Stripe that is away while somebody wants to pay', () => {
  test.each([1, 58])('for %i minutes takes the tip afterwards, once', async (minutes) => {
    const scene = await openPaymentScene({ isUndoable: false });
    const { stripe, t, customer } = scene;
    stripe.fail(({ path }) => (path === '/checkout/sessions' ? { is: 'cut', when: 'before' } : null));
    await expect(scene.give(2_000, 'key')).rejects.toThrow('does not answer');
    await scene.pass(minutes);
    stripe.fail(() => null);
    const begun = await scene.give(2_000, 'key');
    expect(begun).toMatchObject({ status: 'pending' });
    // Who comes late has half an hour as well.
    t.clock.nowMs += 30 * MINUTE_MS;
    scene.pay();
    expect((await scene.deliver()).status).toBe(200);
    expect(await customer.trpc.transactions.get.query({ id: begun.id })).toMatchObject({
      status: 'completed',
    });
    expect(await statesOf(scene)).toEqual(['succeeded']);
  });

  test('is no reason that a clock that is 90 seconds slow fails a tip', async () => {
    const scene = await openPaymentScene({ isUndoable: false });
    scene.stripe.advance(90 / 86_400);
    const { id } = await scene.give();
    scene.pay();
    await scene.deliver();
    expect(await scene.customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'completed' });
  });

  test('for longer than an hour has taken nothing', async () => {
    const scene = await openPaymentScene({ isUndoable: false });
    const { stripe, t } = scene;
    stripe.fail(({ path }) => (path === '/checkout/sessions' ? { is: 'cut', when: 'before' } : null));
    await expect(scene.give(2_000, 'key')).rejects.toThrow('does not answer');
    t.clock.nowMs += 61 * MINUTE_MS;
    await t.app.sweepPayments();
    stripe.fail(() => null);
    expect(await scene.give(2_000, 'key')).toMatchObject({ status: 'expired' });
    expect(stripe.sessions.size).toBe(0);
  });
});

describe('that Stripe makes no pages', () => {
  const REFUSED = 'The payment service has refused to begin a payment';
  async function openRefusing(status: 400 | 403) {
    const scene = await openPaymentScene();
    const { stripe, t } = scene;
    const troubles = async () => (await (await t.send('/readyz')).text()).split('\n').slice(1);
    const refuse = () =>
      stripe.fail(({ method, path }) =>
        method === 'POST' && path === '/checkout/sessions' ? { is: 'refused', status, message: 'No' } : null,
      );
    return { ...scene, troubles, refuse };
  }

  test.each([400, 403] as const)('is told by readyz after %d, until one is made', async (status) => {
    const { stripe, refuse, give, pass, troubles } = await openRefusing(status);
    await give();
    expect(await troubles()).toEqual([]);
    refuse();
    await Promise.allSettled([give(2_000, 'k'.repeat(24))]);
    await pass(1);
    expect(await troubles()).toEqual([expect.stringContaining(REFUSED)]);
    stripe.fail(() => null);
    await give(2_000, 'l'.repeat(24));
    expect(await troubles()).toEqual([]);
  });

  test('is told to the provider alone where their account cannot be charged', async () => {
    const { stripe, accountId, refuse, give, troubles } = await openRefusing(400);
    stripe.changeQuietly(accountId, { chargesEnabled: false });
    refuse();
    await expect(give()).rejects.toThrow('Tips cannot be taken here yet.');
    expect(await troubles()).toEqual([]);
  });
});

test('that no webhook event is heard of what is paid is told by readyz, until one is heard', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t } = scene;
  const lines = async () => (await (await t.send('/readyz')).text()).split('\n').slice(1);
  const giveUnheard = async () => {
    await scene.give();
    scene.pay();
    t.clock.nowMs += 3 * MINUTE_MS;
    await t.app.sweepPayments();
  };
  // The event about the provider's account was heard an hour before.
  await giveUnheard();
  expect(await lines()).toEqual([]);
  t.clock.nowMs += 60 * MINUTE_MS;
  await giveUnheard();
  expect(await lines()).toEqual([
    expect.stringMatching(/^The payment service has told nothing of payments that were paid, .* since 2026-/),
  ]);
  expect((await scene.deliver()).status).toBe(200);
  t.clock.nowMs += MINUTE_MS;
  await t.app.sweepPayments();
  expect(await lines()).toEqual([]);
});

describe('money that has gone back, of which no webhook event ever came,', () => {
  /** A tip that was paid, and whose money has gone back. */
  async function goneBack(what: 'refundAtStripe' | 'dispute') {
    const scene = await openPaymentScene({ isUndoable: false });
    const { id } = await scene.give();
    const { chargeId } = scene.pay();
    await scene.deliver();
    scene.stripe[what](chargeId);
    return { ...scene, id };
  }

  test.each([
    ['refundAtStripe', 'refunded'],
    ['dispute', 'disputed'],
  ] as const)('is asked for by a sweep (%s)', async (what, status) => {
    const scene = await goneBack(what);
    scene.t.clock.nowMs += 15 * MINUTE_MS;
    await scene.t.app.sweepPayments();
    expect(await scene.customer.trpc.transactions.get.query({ id: scene.id })).toMatchObject({
      status,
      refundedBy: null,
    });
    expect([...scene.stripe.charges.values()]).toMatchObject([
      { isTransferReversed: true, isFeeRefunded: true },
    ]);
  });

  test('is found by a process that begins weeks later', async () => {
    const scene = await goneBack('refundAtStripe');
    scene.t.clock.nowMs += 29 * DAY_MS;
    await scene.t.app.sweepPayments();
    expect(await statesOf(scene)).toEqual(['refunded']);
  });

  test('waits until Stripe tells of it again', async () => {
    const scene = await goneBack('refundAtStripe');
    const { stripe, t } = scene;
    stripe.fail(({ path }) => (path === '/events' ? { is: 'refused', status: 403, message: 'No' } : null));
    t.clock.nowMs += 15 * MINUTE_MS;
    await t.app.sweepPayments();
    expect(await statesOf(scene)).toEqual(['succeeded']);
    // Whoever runs it learns that, as when the keys have expired.
    const troubles = async () => (await (await t.send('/readyz')).text()).split('\n').slice(1);
    expect(await troubles()).toEqual([
      expect.stringMatching(/^The payment service has not answered, or has/),
    ]);
    stripe.fail(() => null);
    t.clock.nowMs += MINUTE_MS;
    await t.app.sweepPayments();
    expect(await troubles()).toEqual([]);
    expect(await statesOf(scene)).toEqual(['refunded']);
  });

  test('is asked for each minute until it is answered, without the lists, which are read every ten', async () => {
    const scene = await openPaymentScene({ isUndoable: false });
    const { stripe, t } = scene;
    const paid = async () => {
      await scene.give();
      const { chargeId } = scene.pay();
      await scene.deliver();
      return chargeId;
    };
    const silent = await paid();
    const other = await paid();
    for (const chargeId of [silent, other]) stripe.refundAtStripe(chargeId);
    const asked = (end: string) => stripe.requests.filter(({ path }) => path.endsWith(end)).length;
    stripe.fail(({ path }) => (path.endsWith(silent) ? { is: 'status', status: 500 } : null));
    t.clock.nowMs += 15 * MINUTE_MS;
    await t.app.sweepPayments();
    const lists = () => [asked('/events'), asked('/checkout/sessions')];
    const before = lists();
    for (let minute = 1; minute < 10; minute += 1) {
      const ofSilent = asked(silent);
      t.clock.nowMs += MINUTE_MS;
      await t.app.sweepPayments();
      expect(asked(silent)).toBeGreaterThan(ofSilent);
    }
    expect(lists()).toEqual(before);
    expect((await statesOf(scene)).toSorted()).toEqual(['refunded', 'succeeded']);
    expect(await (await t.send('/readyz')).text()).toContain('The payment service has not answered, or has');
    t.clock.nowMs += MINUTE_MS;
    await t.app.sweepPayments();
    expect(lists()).not.toEqual(before);
    stripe.fail(() => null);
    t.clock.nowMs += MINUTE_MS;
    await t.app.sweepPayments();
    expect(await statesOf(scene)).toEqual(['refunded', 'refunded']);
    expect(await (await t.send('/readyz')).text()).not.toContain('The payment service has not answered');
  });

  test('has been answered where Stripe leaves one page undecided, and no trouble says otherwise', async () => {
    const scene = await openPaymentScene({ isUndoable: false });
    const { stripe, t } = scene;
    await scene.give();
    scene.pay();
    const [page = ''] = stripe.sessions.keys();
    const asked = () => stripe.requests.filter(({ path }) => path.endsWith(page)).length;
    stripe.fail(({ path }) =>
      path.endsWith(page) ? { is: 'refused', status: 404, message: 'No such page' } : null,
    );
    t.clock.nowMs += 15 * MINUTE_MS;
    await t.app.sweepPayments();
    expect(asked()).toBeGreaterThan(1);
    expect(await (await t.send('/readyz')).text()).not.toContain('The payment service has not answered');
  });

  test('is entered once the database takes anything again', async () => {
    const scene = await goneBack('refundAtStripe');
    const { t } = scene;
    t.clock.nowMs += 5 * DAY_MS;
    scene.endAt({ name: 'movePayment', error: new StorageUnavailable(new Error('the disk is full')) });
    await t.app.sweepPayments().catch(() => {});
    scene.endAt(null);
    expect(await statesOf(scene)).toEqual(['succeeded']);
    t.clock.nowMs += MINUTE_MS;
    await t.app.sweepPayments();
    expect(await statesOf(scene)).toEqual(['refunded']);
  });

  test('keeps nothing that has become due from being captured, however long it takes to catch up', async () => {
    const scene = await openPaymentScene();
    const { stripe, t } = scene;
    const { chargeId } = await captured(scene);
    stripe.refundAtStripe(chargeId);
    t.clock.nowMs += 15 * MINUTE_MS;
    const { id } = await scene.give();
    scene.pay();
    await scene.deliver();
    stripe.fail(({ path }) => {
      if (path === '/events') t.clock.nowMs += 11 * MINUTE_MS;
      return null;
    });
    await t.app.sweepPayments();
    expect(await scene.customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'completed' });
    expect(stripe.requests.findLastIndex(({ path }) => path.endsWith('/capture'))).toBeLessThan(
      stripe.requests.findLastIndex(({ path }) => path.endsWith('/reversals')),
    );
  });

  testOnSqlite(
    'is found among hundreds of others, once each, and the list is asked for every ten minutes at most',
    async () => {
      const scene = await openPaymentScene({ isUndoable: false });
      const { stripe, t } = scene;
      for (let index = 0; index < 120; index += 1) {
        await scene.give();
        const { chargeId } = scene.pay();
        await scene.deliver();
        stripe.refundAtStripe(chargeId);
      }
      t.clock.nowMs += 15 * MINUTE_MS;
      await t.app.sweepPayments();
      expect(new Set(await statesOf(scene))).toEqual(new Set(['refunded']));
      const asked = () => stripe.requests.filter(({ path }) => path === '/events').length;
      expect(asked()).toBe(2);
      t.clock.nowMs += 5 * MINUTE_MS;
      await t.app.sweepPayments();
      expect(asked()).toBe(2);
      t.clock.nowMs += 5 * MINUTE_MS;
      await t.app.sweepPayments();
      expect(asked()).toBeGreaterThan(2);
      expect(stripe.requests.filter(({ path }) => path.endsWith('/reversals'))).toHaveLength(120);
    },
  );
});

test('a page that was paid and belongs to no payment here is named in the log, once', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  await scene.give();
  const { session } = scene.pay();
  const unknown = `txn_${'0'.repeat(26)}`;
  Object.assign(session, { clientReferenceId: unknown, metadata: {} });
  const webhookEvent = { ...scene.newestWebhookEvent(), id: 'evt_unknown' };
  const event = { ...JSON.parse(webhookEvent.payload), id: webhookEvent.id };
  event.data.object.client_reference_id = unknown;
  expect((await scene.deliver({ ...webhookEvent, payload: JSON.stringify(event) })).status).toBe(200);
  await scene.pass(15);
  const named = scene.t.logLines.map((line) => JSON.parse(line)).filter(({ page }) => page === session.id);
  expect(named).toMatchObject([{ msg: 'a page was paid that no payment here knows', payment: unknown }]);
});

test('a page on which another sum was paid than was due gives no tip, and is named in the log', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t, stripe, customer } = scene;
  const { id } = await scene.give();
  for (const session of stripe.sessions.values()) session.amountTotal = 2_000;
  scene.pay();
  expect((await scene.deliver()).status).toBe(200);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'pending' });
  expect((await t.data.dump())['transactions']).toEqual([]);
  const errors = t.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors)
    expect(error).toMatchObject({
      msg: 'another sum was paid than was due',
      payment: id,
      dueCents: 2_100,
      chargedCents: 2_000,
    });
});

test('while the database takes nothing, nothing is asked of Stripe, its webhook events come again, and all goes on afterwards', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t, stripe, customer, provider } = scene;
  const isOut = async (step: () => Promise<unknown>) => {
    await t.data.setReadOnly(true);
    await expect(step()).rejects.toThrow('Nothing can be saved right now.');
    await t.data.setReadOnly(false);
  };
  await isOut(() => scene.give(2_000, 'key'));
  expect(stripe.sessions.size).toBe(0);
  const { id } = await scene.give(2_000, 'key');
  scene.pay();
  await t.data.setReadOnly(true);
  expect((await scene.deliver()).status).toBe(503);
  await t.data.setReadOnly(false);
  await isOut(() => customer.trpc.transactions.get.query({ id }));
  expect(await statesOf(scene)).toEqual(['pending']);
  expect((await scene.deliver()).status).toBe(200);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({ status: 'completed' });
  await isOut(() => provider.trpc.transactions.refund.mutate({ id }));
  expect([...stripe.charges.values()]).toMatchObject([{ refundedCents: 0 }]);
  expect(await provider.trpc.transactions.refund.mutate({ id })).toMatchObject({ status: 'refunded' });
});

test('a card that was declined on a page that was left is no charge that nobody knows', async () => {
  const { t, stripe, accountId: destination, give, deliver } = await openPaymentScene();
  const { id } = await give();
  const declined = stripe.charge({
    amount: 2_100,
    applicationFee: 160,
    destination,
    metadata: { transaction: id },
    isHeld: true,
  });
  stripe.expireAuthorisation(declined.intentId);
  expect((await deliver()).status).toBe(200);
  expect(t.logLines.filter((line) => line.includes('no payment here knows'))).toEqual([]);
});
