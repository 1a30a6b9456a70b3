/**
 * Money that moves at Stripe after a tip was paid: refunds in part, disputes, refunds that do not arrive, and what
 * an account cannot give back. The ledger tells each to both people, and what cannot be moved stays owed.
 */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { callRest } from '#tests/support/both-doors.ts';
import { compareWithStripe } from '#tests/support/stripe/compare.ts';
import { captured, openPaymentScene, type PaymentScene } from '#tests/support/stripe/payment-scene.ts';

const DAY_MINUTES = 24 * 60;

/** A scene, and what its books say. */
async function openBooks() {
  const scene = await openPaymentScene();
  const { t, stripe } = scene;
  return {
    ...scene,
    async totals(): Promise<readonly [given: number, received: number]> {
      const { accounts = [] } = await t.data.dump();
      const sum = (column: string) => accounts.reduce((total, row) => total + Number(row[column]), 0);
      return [sum('total_tips_given_cents'), sum('total_tips_received_cents')];
    },
    async debts() {
      const { payments = [] } = await t.data.dump();
      return payments.map((row) => [
        Number(row['owed_by_receiver_cents']),
        Number(row['owed_to_receiver_cents']),
        Number(row['owed_to_giver_cents']),
      ]);
    },
    compare: async () => compareWithStripe(stripe, await t.data.dump()),
  };
}

/** A tip of $20.00 that was captured, and what its two people are told of it. */
async function openCaptured() {
  const scene = await openBooks();
  const { customer, provider } = scene;
  const tip = await captured(scene);
  return {
    ...scene,
    ...tip,
    toGiver: () => customer.trpc.transactions.get.query({ id: tip.id }),
    toReceiver: () => provider.trpc.transactions.get.query({ id: tip.id }),
  };
}

const kindsOf = ({ changes }: { readonly changes: readonly { readonly kind: string }[] }) =>
  changes.map(({ kind }) => kind);

test('a refund of a part at Stripe goes back to the giver, and the same part from the receiver, to the cent', async () => {
  const scene = await openCaptured();
  const { stripe, chargeId } = scene;
  stripe.refundPart(chargeId, 333);
  await scene.deliver();
  stripe.refundPart(chargeId, 1_000, { reverseTransfer: true });
  await scene.deliver();
  expect(await scene.toGiver()).toMatchObject({ status: 'completed', amountCents: 2_000 });
  expect(kindsOf(await scene.toGiver())).toEqual(['refund', 'refund']);
  expect(kindsOf(await scene.toReceiver())).toEqual(['refund', 'refund']);
  expect(await scene.totals()).toEqual([
    2_000 - Math.round((2_000 * 1_333) / 2_100),
    1_940 - Math.round((1_940 * 1_333) / 2_100),
  ]);
  await scene.compare();
  stripe.refundPart(chargeId, 767);
  await scene.deliver();
  expect(await scene.toGiver()).toMatchObject({ status: 'refunded', refundedBy: null });
  expect(await scene.totals()).toEqual([0, 0]);
  await scene.compare();
});

test('neither the order nor the number of events changes what the ledger says in the end', async () => {
  const orders: ((webhookEvents: unknown[]) => unknown[])[] = [
    (webhookEvents) => webhookEvents,
    (webhookEvents) => webhookEvents.toReversed(),
    (webhookEvents) => [...webhookEvents, ...webhookEvents.toReversed()],
    (webhookEvents) => webhookEvents.slice(-1),
  ];
  const scene = await openBooks();
  const { stripe } = scene;
  const ends: unknown[] = [];
  for (const order of orders) {
    const [given, received] = await scene.totals();
    const { chargeId } = await captured(scene);
    const before = stripe.webhookEvents.length;
    stripe.refundPart(chargeId, 333);
    stripe.refundPart(chargeId, 777, { reverseTransfer: true });
    const dispute = stripe.openDispute(chargeId);
    stripe.closeDispute(dispute, 'won');
    const webhookEvents = stripe.webhookEvents.slice(before);
    for (const webhookEvent of order(webhookEvents)) {
      const meant = webhookEvents.find((one) => one === webhookEvent);
      if (meant) expect((await scene.deliver(meant)).status).toBe(200);
    }
    const [givenThen, receivedThen] = await scene.totals();
    ends.push([givenThen - given, receivedThen - received]);
  }
  for (const differing of [ends, await scene.debts()])
    expect(new Set(differing.map((end) => JSON.stringify(end))).size).toBe(1);
  await scene.compare();
});

test('a dispute adjusts a tip to nothing and says so, and when it is won both have their money again', async () => {
  const scene = await openCaptured();
  const { stripe, chargeId, accountId } = scene;
  const before = stripe.balanceOf(accountId);
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  expect(await scene.toReceiver()).toMatchObject({ status: 'disputed' });
  expect(await scene.totals()).toEqual([0, 0]);
  const { available, pending } = stripe.balanceOf(accountId);
  expect(available + pending).toBe(0);
  await scene.compare();
  stripe.closeDispute(dispute, 'won');
  await scene.deliverAll();
  expect(await scene.toReceiver()).toMatchObject({ status: 'completed' });
  expect(kindsOf(await scene.toGiver())).toEqual(['dispute', 'dispute_won']);
  expect(await scene.totals()).toEqual([2_000, 1_940]);
  const after = stripe.balanceOf(accountId);
  expect(after.available + after.pending).toBe(before.available + before.pending);
  await scene.compare();
});

test('a dispute that is lost is told, and moves nothing more', async () => {
  const scene = await openCaptured();
  const { stripe, chargeId } = scene;
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  stripe.closeDispute(dispute, 'lost');
  await scene.deliver();
  expect(kindsOf(await scene.toReceiver())).toEqual(['dispute', 'dispute_lost']);
  expect(await scene.toGiver()).toMatchObject({ status: 'disputed' });
  expect(await scene.totals()).toEqual([0, 0]);
  await scene.compare();
});

test('an inquiry of the bank leaves a tip as it is', async () => {
  const scene = await openCaptured();
  scene.stripe.openDispute(scene.chargeId, true);
  await scene.deliver();
  expect(await scene.toGiver()).toMatchObject({ status: 'completed', changes: [] });
  await scene.compare();
});

test('a refund that does not reach its giver is taken back from the books, and owed to them by the operator', async () => {
  const scene = await openCaptured();
  const { stripe, chargeId } = scene;
  const refund = stripe.refundPart(chargeId, 1_050, { isPending: true });
  await scene.deliver();
  expect(await scene.totals()).toEqual([1_000, 970]);
  stripe.failRefund(refund);
  await scene.deliver();
  expect(kindsOf(await scene.toGiver())).toEqual(['refund', 'refund_failed']);
  expect(await scene.totals()).toEqual([2_000, 970]);
  expect(await scene.debts()).toEqual([[0, 0, 1_050]]);
  await scene.compare();
});

test('what did not reach its giver and was paid to them in another way is not paid once more by a refund of the rest', async () => {
  const scene = await openCaptured();
  const { t, stripe, provider, chargeId, id } = scene;
  const failed = stripe.refundPart(chargeId, 1_050, { isPending: true });
  await scene.deliver();
  stripe.failRefund(failed);
  await scene.deliver();
  const refunds = () => stripe.charges.get(chargeId)?.refunds.length;
  const settle = () =>
    t.storage.payments.settleDebt(id, 'owed_to_giver', t.clock.nowMs, {
      actor: { kind: 'command', name: 'ops', host: 'bar' },
      action: 'refund_paid_otherwise',
      subject: id,
      reason: null,
      atMs: t.clock.nowMs,
    });
  // Also when it was asked for before, and the payment service did not answer.
  stripe.fail(({ path }) => (path === '/refunds' ? { is: 'status', status: 500 } : null));
  await expect(provider.trpc.transactions.refund.mutate({ id })).rejects.toThrow('does not answer');
  expect(await settle()).toBe(true);
  expect(await scene.toGiver()).toMatchObject({
    changes: [{ kind: 'refund' }, { kind: 'refund_failed', isOver: true }],
  });
  stripe.fail(() => null);
  await scene.pass(DAY_MINUTES);
  expect(refunds()).toBe(1);
  await expect(provider.trpc.transactions.refund.mutate({ id })).rejects.toThrow(/refunded/);
  expect(refunds()).toBe(1);
  expect(await scene.totals()).toEqual([2_000, 970]);
});

test('a refund in full that does not reach its giver is told after its reversal', async () => {
  const scene = await openCaptured();
  const { stripe, chargeId } = scene;
  const refund = stripe.refundPart(chargeId, 2_100, { isPending: true });
  await scene.deliver();
  expect(await scene.toGiver()).toMatchObject({ status: 'refunded' });
  stripe.failRefund(refund);
  await scene.deliver();
  expect(await scene.totals()).toEqual([2_000, 0]);
  expect(await scene.debts()).toEqual([[0, 0, 2_100]]);
  await scene.compare();
  expect(await scene.toGiver()).toMatchObject({ changes: [{ kind: 'refund_failed', isOver: false }] });
  // The operator refunds it once more at Stripe, which is none of the receiver's money.
  stripe.refundPart(chargeId, 2_100);
  await scene.deliver();
  expect(await scene.debts()).toEqual([[0, 0, 0]]);
  expect(await scene.toGiver()).toMatchObject({
    changes: [{ kind: 'refund_failed', isOver: true }, { kind: 'refund' }],
  });
  expect(await scene.toReceiver()).toMatchObject({ status: 'refunded', changes: [] });
});

test('a refund that fails while the rest of its tip is refunded leaves the tip what did not arrive', async () => {
  const scene = await openCaptured();
  const { stripe, chargeId, provider, id } = scene;
  const first = stripe.refundPart(chargeId, 1_050, { isPending: true, reverseTransfer: true });
  await scene.deliver();
  const isRest = () => stripe.charges.get(chargeId)?.refunds.length === 2;
  stripe.fail(() => {
    if (isRest()) stripe.failRefund(first);
    return null;
  });
  await provider.trpc.transactions.refund.mutate({ id }).catch(() => {});
  stripe.fail(() => null);
  await scene.deliverAll();
  expect(await scene.totals()).toEqual([1_000, 0]);
  expect(await scene.debts()).toEqual([[0, 0, 1_050]]);
  await scene.compare();
});

test('a reversal that was decided before a refund failed is not made after it', async () => {
  const scene = await openCaptured();
  const { stripe, chargeId } = scene;
  const other = await scene.start();
  const first = stripe.refundPart(chargeId, 1_050, { isPending: true, reverseTransfer: true });
  await scene.deliver();
  stripe.refundPart(chargeId, 1_050, { reverseTransfer: true });
  const meanwhile = async () => {
    stripe.failRefund(first);
    await scene.deliverAll(other);
  };
  scene.endAt({ name: 'movePayment', kind: 'refunded', meanwhile });
  await scene.deliverAll();
  expect(await scene.totals()).toEqual([1_000, 0]);
  expect(await scene.debts()).toEqual([[0, 0, 1_050]]);
  await scene.compare();
});

test('what the operator takes from a receiver at Stripe is told to the receiver alone', async () => {
  const scene = await openCaptured();
  scene.stripe.reverseTransfer(scene.chargeId, 1_050);
  await scene.deliver();
  expect(kindsOf(await scene.toReceiver())).toEqual(['debit']);
  expect(await scene.totals()).toEqual([2_000, 970]);
  await scene.compare();
  const { t, customer, provider } = scene;
  const booksOf = async ({ trpc }: Pick<typeof customer, 'trpc'>) =>
    (await trpc.transactions.entries.query({})).entries.map(({ kind, netAmountCents, source }) => [
      kind,
      netAmountCents,
      source,
    ]);
  // A debit has no id that anybody finds at the payment service.
  expect(await booksOf(provider)).toEqual([
    ['debit', -970, null],
    ['tip', 1_940, null],
  ]);
  expect(await booksOf(customer)).toEqual([['tip', 1_940, null]]);
  const csv = await callRest(t, 'GET', '/transactions', undefined, {
    token: customer.token,
    headers: { Accept: 'text/csv' },
  });
  expect(csv.text.trim().split('\n')).toHaveLength(2);
  scene.stripe.refundAtStripe(scene.chargeId);
  await scene.deliver();
  for (const person of [provider, customer]) {
    const rows = await booksOf(person);
    expect(rows[0]?.[0]).toBe('reversal');
    expect(rows.reduce((sum, [, netCents]) => sum + Number(netCents), 0)).toBe(0);
  }
});

test('the events of a receiver have nothing that moved for the giver alone', async () => {
  const scene = await openCaptured();
  const { provider, stripe, chargeId } = scene;
  const later = await captured(scene, 5_000);
  const eventsOf = async (transactionId: string) => {
    const { events } = await provider.trpc.webhooks.events.query({});
    return events.flatMap(({ type, data }) =>
      'transactionId' in data && data.transactionId === transactionId && 'netAmountCents' in data
        ? [['change' in data ? data.change : type, data.amountCents, data.netAmountCents]]
        : [],
    );
  };
  const failed = stripe.refundPart(chargeId, 1_050, { isPending: true });
  await scene.deliver();
  stripe.failRefund(failed);
  await scene.deliver();
  const known = [
    ['tip.received', 2_000, 1_940],
    ['captured', 0, 0],
    ['refund', -1_000, -970],
  ];
  expect(await eventsOf(scene.id)).toEqual(known);
  const whole = stripe.refundPart(later.chargeId, 5_250, { isPending: true });
  await scene.deliver();
  stripe.failRefund(whole);
  await scene.deliver();
  stripe.openDispute(later.chargeId);
  await scene.deliver();
  // After it all went back, nothing more of the receiver's moves.
  expect(await eventsOf(later.id)).toEqual([
    ['tip.received', 5_000, 4_850],
    ['captured', 0, 0],
    ['tip.refunded', 5_000, 4_850],
    ['dispute', 0, 0],
  ]);
});

describe('what a receiver’s account cannot give back', () => {
  const takings = ({ stripe }: PaymentScene) =>
    stripe.requests.filter(({ path }) => path.endsWith('/reversals')).length;

  test('is owed, asked for at most once a day, and taken as soon as it is there', async () => {
    const scene = await openCaptured();
    const { t, stripe, chargeId, accountId } = scene;
    stripe.emptyAccount(accountId);
    stripe.refundAtStripe(chargeId);
    await scene.deliver();
    expect(await scene.toGiver()).toMatchObject({ status: 'refunded' });
    expect(await scene.totals()).toEqual([0, 0]);
    expect(await scene.debts()).toEqual([[2_100, 0, 0]]);
    await scene.compare();
    // The pauses grow until they are of a day.
    await scene.pass(3 * DAY_MINUTES);
    const asked = takings(scene);
    await scene.pass(4 * DAY_MINUTES);
    expect(takings(scene) - asked).toBeGreaterThan(2);
    expect(takings(scene) - asked).toBeLessThan(6);
    expect(await scene.debts()).toEqual([[2_100, 0, 0]]);

    await captured(scene, 5_000);
    await scene.pass(2 * DAY_MINUTES);
    expect((await scene.debts()).toSorted()).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    const { available, pending } = stripe.balanceOf(accountId);
    expect(available + pending).toBe(4_850 - 1_940);
    await scene.compare();
    expect(t.logLines.join('')).toContain('the receiver still has what went back');
  });

  test.each([
    ['is read', 1],
    ['is read once more before anything is taken', 2],
  ])('is not taken once an operator has written it off while its charge %s', async (_, reading) => {
    const scene = await openCaptured();
    const { t, stripe, chargeId, id } = scene;
    const isTaking = ({ method, path }: { readonly method: string; readonly path: string }) =>
      method === 'POST' && path.endsWith('/reversals');
    stripe.fail((request) =>
      isTaking(request)
        ? { is: 'refused', status: 400, message: 'Insufficient funds', code: 'balance_insufficient' }
        : null,
    );
    stripe.refundPart(chargeId, 1_050);
    await scene.deliver();
    expect(await scene.debts()).toEqual([[1_050, 0, 0]]);
    const act = {
      actor: { kind: 'command', name: 'ops', host: 'bar' },
      action: 'debt_written_off',
      subject: id,
      reason: null,
      atMs: t.clock.nowMs,
    } as const;
    const [paid] = await t.storage.payments.listDebts(1);
    if (!paid) throw new Error('nothing is owed');
    let readings = 0;
    stripe.requests.length = 0;
    stripe.fail(({ method, path }) => {
      if (method !== 'GET' || !path.startsWith('/payment_intents/')) return null;
      readings += 1;
      return readings === reading
        ? {
            is: 'held',
            until: t.storage.payments.settleDebt(paid.id, 'owed_by_receiver', t.clock.nowMs, act),
          }
        : null;
    });
    await scene.pass(2 * DAY_MINUTES);
    expect(stripe.requests.filter(isTaking)).toEqual([]);
    expect(await scene.debts()).toEqual([[0, 0, 0]]);
    expect(await t.storage.payments.findPayment({ id: paid.id })).toMatchObject({
      settledByReceiverCents: 1_050,
    });
    await scene.compare();
  });

  test('is no debt any more when the dispute that it is about is won', async () => {
    const scene = await openCaptured();
    const { stripe, chargeId, accountId } = scene;
    stripe.emptyAccount(accountId);
    const dispute = stripe.openDispute(chargeId);
    await scene.deliver();
    expect(await scene.debts()).toEqual([[2_100, 0, 0]]);
    stripe.closeDispute(dispute, 'won');
    await scene.deliver();
    expect(await scene.debts()).toEqual([[0, 0, 0]]);
    expect(await scene.totals()).toEqual([2_000, 1_940]);
    expect(stripe.requests.filter(({ method, path }) => method === 'POST' && path === '/transfers')).toEqual(
      [],
    );
    await scene.compare();
  });
});

describe('while a part is being taken back from the receiver', () => {
  /** The first request to take back waits for what happens meanwhile. */
  async function openTaking() {
    const scene = await openCaptured();
    const { stripe, chargeId } = scene;
    const asked = new EventTarget();
    let isFirst = true;
    stripe.fail(({ method, path }) => {
      if (!isFirst || method !== 'POST' || !path.endsWith('/reversals')) return null;
      isFirst = false;
      asked.dispatchEvent(new Event('asked'));
      return { is: 'slow', ms: 300 };
    });
    stripe.refundPart(chargeId, 500);
    const webhookEvent = scene.newestWebhookEvent();
    const isAsked = once(asked, 'asked');
    const answered = scene.deliver(webhookEvent);
    await isAsked;
    return { ...scene, webhookEvent, answered };
  }

  async function expectTaken(scene: Awaited<ReturnType<typeof openTaking>>, cents: number): Promise<void> {
    await scene.pass(2 * DAY_MINUTES);
    expect([...scene.stripe.transfers.values()]).toMatchObject([{ reversed: cents }]);
    expect(new Set(kindsOf(await scene.toReceiver()))).toEqual(new Set(['refund']));
    expect(await scene.debts()).toEqual([[0, 0, 0]]);
    await scene.compare();
  }

  test('a further part that goes back is taken once', async () => {
    const scene = await openTaking();
    scene.stripe.refundPart(scene.chargeId, 300);
    await Promise.all([scene.answered, scene.deliver()]);
    await expectTaken(scene, 800);
  });

  test('another process that hears of a further part takes it once', async () => {
    const scene = await openTaking();
    const other = await scene.start();
    scene.stripe.refundPart(scene.chargeId, 300);
    await Promise.all([scene.answered, scene.deliverAll(other)]);
    await expectTaken(scene, 800);
  });

  test('the beginning of another hour takes it no second time', async () => {
    const scene = await openTaking();
    const { id, payload } = scene.webhookEvent;
    scene.t.clock.nowMs += 60 * 60_000;
    const again = { ...scene.webhookEvent, id: `${id}2`, payload: payload.replaceAll(id, `${id}2`) };
    await Promise.all([scene.answered, scene.deliver(again)]);
    await expectTaken(scene, 500);
  });
});

test('what an operator cannot give back after a dispute was won stays owed to the receiver until it is there', async () => {
  const scene = await openCaptured();
  const { stripe, chargeId } = scene;
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  stripe.closeDispute(dispute, 'won');
  stripe.fail(({ method, path }) =>
    method === 'POST' && path === '/transfers'
      ? { is: 'refused', status: 400, message: 'Insufficient funds', code: 'balance_insufficient' }
      : null,
  );
  await scene.deliver();
  expect(await scene.totals()).toEqual([2_000, 1_940]);
  expect(await scene.debts()).toEqual([[0, 2_100, 0]]);
  await scene.compare();
  stripe.fail(() => null);
  await scene.pass(2 * DAY_MINUTES);
  expect(await scene.debts()).toEqual([[0, 0, 0]]);
  await scene.compare();
});

test('what an operator has paid to the receiver in another way is given no more, and what goes back later is owed', async () => {
  const scene = await openCaptured();
  const { t, stripe, chargeId, accountId } = scene;
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  stripe.closeDispute(dispute, 'won');
  // As when the provider has closed their account.
  let isClosed = true;
  stripe.fail(({ method, path }) =>
    isClosed && method === 'POST' && path === '/transfers'
      ? { is: 'refused', status: 400, message: 'No such destination', code: 'account_invalid' }
      : null,
  );
  await scene.deliver();
  expect(await scene.debts()).toEqual([[0, 2_100, 0]]);
  const [{ id } = { id: null }] = await t.storage.payments.listDebts(9);
  if (id === null) throw new Error('nothing is owed');
  const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
  const act = {
    actor,
    action: 'dispute_paid_otherwise',
    subject: id,
    reason: null,
    atMs: t.clock.nowMs,
  } as const;
  expect(await t.storage.payments.settleDebt(id, 'owed_to_receiver', t.clock.nowMs, act)).toBe(true);
  isClosed = false;
  const balance = () => {
    const { available, pending } = stripe.balanceOf(accountId);
    return available + pending;
  };
  const before = balance();
  await scene.pass(2 * DAY_MINUTES);
  await scene.deliverAll();
  expect(await scene.debts()).toEqual([[0, 0, 0]]);
  expect(balance()).toBe(before);
  expect(await scene.totals()).toEqual([2_000, 1_940]);
  await scene.compare();
  stripe.refundPart(chargeId, 1_050);
  await scene.deliver();
  await scene.pass(2 * DAY_MINUTES);
  expect(await scene.totals()).toEqual([1_000, 970]);
  expect(await scene.debts()).toEqual([[1_050, 0, 0]]);
  await scene.compare();
});

test('what Stripe gives in the moment in which an operator notes it as paid comes back, and is debited to nobody', async () => {
  const scene = await openCaptured();
  const { t, stripe, chargeId, accountId, id } = scene;
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  stripe.closeDispute(dispute, 'won');
  const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
  const act = {
    actor,
    action: 'dispute_paid_otherwise',
    subject: id,
    reason: null,
    atMs: t.clock.nowMs,
  } as const;
  const [paid] = await t.storage.payments.listPaidPayments(
    { fromMs: 0, untilMs: t.clock.nowMs + 1 },
    null,
    1,
  );
  if (!paid) throw new Error('nothing was paid');
  const settled: Promise<boolean>[] = [];
  stripe.fail(({ method, path }) => {
    if (method !== 'POST' || path !== '/transfers') return null;
    const until = t.storage.payments.settleDebt(paid.id, 'owed_to_receiver', t.clock.nowMs, act);
    settled.push(until);
    return { is: 'held', until };
  });
  await scene.deliver();
  expect(await Promise.all(settled)).toEqual([true]);
  await scene.pass(2 * DAY_MINUTES);
  await scene.deliverAll();
  expect(await scene.debts()).toEqual([[0, 0, 0]]);
  const { available, pending } = stripe.balanceOf(accountId);
  expect(available + pending).toBe(0);
  expect(await scene.totals()).toEqual([2_000, 1_940]);
  expect(kindsOf(await scene.toReceiver())).toEqual(['dispute', 'dispute_won']);
  await scene.compare();
});

describe('two disputes on one charge that are won', () => {
  /** Each has taken a part of the receiver's money; the operator's balance gives nothing until it is told to. */
  async function openWon() {
    const scene = await openCaptured();
    const { stripe, chargeId } = scene;
    const gifts = () =>
      stripe.requests.filter(({ method, path }) => method === 'POST' && path === '/transfers').length;
    const refuse = (isRefused: boolean) =>
      stripe.fail(({ method, path }) =>
        isRefused && method === 'POST' && path === '/transfers'
          ? { is: 'refused', status: 400, message: 'Insufficient funds', code: 'balance_insufficient' }
          : null,
      );
    async function win() {
      const dispute = stripe.openDispute(chargeId);
      await scene.deliver();
      stripe.closeDispute(dispute, 'won');
      await scene.deliver();
    }
    return { ...scene, gifts, refuse, win };
  }

  test('give back what is owed once, though each is of the whole', async () => {
    const scene = await openWon();
    const { stripe, accountId, gifts, refuse, win } = scene;
    const before = stripe.balanceOf(accountId);
    refuse(true);
    await win();
    await win();
    expect(await scene.debts()).toEqual([[0, 2_100, 0]]);
    refuse(false);
    stripe.requests.length = 0;
    await scene.pass(2 * DAY_MINUTES);
    expect(gifts()).toBe(1);
    expect(await scene.debts()).toEqual([[0, 0, 0]]);
    const after = stripe.balanceOf(accountId);
    expect(after.available + after.pending).toBe(before.available + before.pending);
    await scene.compare();
  });

  test('are each given back, one after the other, and a refusal is asked again by the sweep alone', async () => {
    const scene = await openWon();
    const { stripe, gifts, refuse, win } = scene;
    await win();
    expect(gifts()).toBe(1);
    refuse(true);
    stripe.requests.length = 0;
    await win();
    expect(gifts()).toBe(1);
    expect(await scene.debts()).toEqual([[0, 2_100, 0]]);
    refuse(false);
    await scene.pass(2 * DAY_MINUTES);
    expect(await scene.debts()).toEqual([[0, 0, 0]]);
    await scene.compare();
  });
});

test('a charge that no payment knows is named in the log, and changes nothing', async () => {
  const scene = await openCaptured();
  const { t, stripe, chargeId } = scene;
  stripe.refundPart(chargeId, 100);
  const webhookEvent = scene.newestWebhookEvent();
  const books = async () => {
    const { payment_notices: _, ...rest } = await t.data.dump();
    return rest;
  };
  const before = await books();
  // Another program may use the same account at Stripe.
  const foreign = { ...webhookEvent, payload: webhookEvent.payload.replaceAll(chargeId, 'pi_of_another') };
  expect((await scene.deliver(foreign)).status).toBe(200);
  expect(await books()).toEqual(before);
  const lines = t.logLines.map((line) => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'money has moved of a charge that no payment here knows',
      charge: 'pi_of_another',
    }),
  );
});
