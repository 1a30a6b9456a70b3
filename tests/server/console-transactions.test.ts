/**
 * What operators do about tips: they find one by whatever somebody reads to them, and refund it for somebody who
 * cannot, in one step with its row in the audit log.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { linesOfTroubles } from '#server/commands/tip-lines.ts';
import { createRefundRequests } from '#server/payments/refund-requests.ts';
import type { Act } from '#server/storage/port/audit.ts';
import { readSecrets } from '#server/storage/port/secrets.ts';
import { createGuestReceipts } from '#server/tips/guest-receipts.ts';
import { createTipSupport } from '#server/tips/tip-support.ts';
import { newTransactionId } from '#shared/ids.ts';
import { SPECIFIED_TERMS } from '#shared/money.ts';
import { createOperator } from '#tests/support/operators.ts';
import { captured, openPaymentScene } from '#tests/support/stripe/payment-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MINUTES = 24 * 60;
const MESSAGE = 'You were wonderful';
const OPERATOR = 'ops@example.com';

/** The console of an operator who has just proved the second factor, whatever the clock says by then. */
const consoleParts = (t: TestApp) => ({
  find: async (name: string) => (await createOperator(t)).console.transactions.find.query({ name }),
  refund: async (name: string, reason = 'Asked by phone') =>
    (await createOperator(t)).console.transactions.refund.mutate({ name, reason }),
  listTroubles: async () => (await createOperator(t)).console.transactions.troubles.query(),
  readLog: () => t.storage.audit.list({ after: 0, sinceMs: 0, atMost: 99 }),
});

/** What the command works with, which has keys of this mode. */
async function commandOf({ storage, clock }: TestApp, mode: 'simulated' | 'test' | 'live') {
  const { giver_pseudonym } = await readSecrets(storage, randomBytes);
  return createTipSupport({
    storage,
    payments: createRefundRequests(storage, { mode, platform: null }),
    receipts: createGuestReceipts(giver_pseudonym),
    deadlines: null,
    clock: () => clock.nowMs,
    terms: () => SPECIFIED_TERMS,
  });
}

function actOf({ clock }: TestApp, subject: string, reason: string | null = null): Act {
  const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
  return { actor, action: 'tip_refunded', subject, reason, atMs: clock.nowMs };
}

const refusedAs = (errorCode: string) => ({ data: { errorCode } });

async function openScene() {
  const t = await createTestApp({ config: { takesGuestTips: true } });
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  const tip = {
    receiverQrId: provider.codes[0] ?? '',
    amountCents: 2_000,
    serviceCategory: 'bartender',
    message: MESSAGE,
  } as const;
  return {
    t,
    provider,
    customer,
    give: () => customer.trpc.transactions.create.mutate({ ...tip, withName: true }),
    giveAsGuest: () => t.trpc().transactions.create.mutate({ ...tip, idempotencyKey: 'a-key-of-a-guest' }),
    ...consoleParts(t),
  };
}

test('a tip is found by its id and by any link to its receipt, with its people and amounts, and without its message', async () => {
  const { t, provider, customer, give, giveAsGuest, find } = await openScene();
  const { id } = await give();
  const people = {
    giver: {
      id: customer.user.id,
      fullName: 'Name of cam',
      username: 'cam',
      email: 'cam@example.com',
      state: 'open',
    },
    receiver: {
      id: provider.user.id,
      fullName: 'Name of pat',
      username: 'pat',
      email: 'pat@example.com',
      state: 'open',
    },
  };
  const found = await find(id);
  expect(found).toEqual({
    id,
    status: 'completed',
    paymentMode: 'simulated',
    ...people,
    qrCodeId: provider.codes[0],
    serviceCategory: 'bartender',
    amountCents: 2_000,
    giverFeeCents: 100,
    receiverFeeCents: 60,
    netAmountCents: 1_940,
    currency: 'USD',
    exponent: 2,
    createdAt: new Date(t.clock.nowMs).toISOString(),
    refundedAt: null,
    refundedBy: null,
    payment: null,
    changes: [],
    debts: [],
    acts: [],
  });
  for (const name of [
    ` ${id} `,
    `/transactions/${id}`,
    `https://tips.example.com/transactions/${id}?from=mail#top`,
    `http://an-earlier-name.example/transactions/${id}/`,
  ])
    expect(await find(name), name).toEqual(found);

  const guest = await giveAsGuest();
  const link = guest.receiptUrl ?? '';
  expect(await find(link)).toMatchObject({ id: guest.id, giver: null, receiver: people.receiver });
  expect(await find(link.replace(/.*\/r\//, ''))).toMatchObject({ id: guest.id });
  // A link that somebody made up from the id, which the receiver knows, is no receipt.
  const forged = link.slice(0, -1) + (link.endsWith('0') ? '1' : '0');
  for (const name of [forged, newTransactionId(randomBytes), 'txn_0', '/', 'cs_1', "x' OR 1=1", '\u0000'])
    expect(await find(name), name).toBeNull();
});

test('an operator refunds once, for an account that is closed, and both parties see a refund by neither of them', async () => {
  const { t, provider, customer, give, find, readLog } = await openScene();
  const { id } = await give();
  t.clock.nowMs += 20 * 24 * HOUR_MS;
  await t.storage.closeAccount(provider.user.id, t.clock.nowMs, false);
  const closed = { id: provider.user.id, fullName: 'Closed account', username: null, email: null };
  expect(await find(id)).toMatchObject({ receiver: closed });

  const { console } = await createOperator(t, { email: OPERATOR });
  const refund = () => console.transactions.refund.mutate({ name: id, reason: 'Asked by phone' });
  const answers = await Promise.allSettled(Array.from({ length: 4 }, refund));
  const done = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  expect(done).toMatchObject([
    { outcome: 'refunded', tip: { id, status: 'refunded', refundedBy: 'operator' } },
  ]);
  for (const answer of answers)
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject(refusedAs('not_refundable'));
  const at = new Date(t.clock.nowMs).toISOString();
  expect(await find(id)).toMatchObject({
    refundedAt: at,
    acts: [{ text: 'Refunded a tip', by: 'ops@example.com', reason: 'Asked by phone', at }],
  });
  expect(await readLog()).toMatchObject([{ action: 'tip_refunded', subject: id, reason: 'Asked by phone' }]);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({
    status: 'refunded',
    refundedAt: at,
    refundedBy: null,
  });
  expect(await t.storage.readTotals(customer.user.id, 0, 0)).toMatchObject({ totalTipsGivenCents: 0 });
});

test('what went back before is not refunded again, and leaves no row', async () => {
  const { provider, give, find, refund, readLog } = await openScene();
  const { id } = await give();
  await provider.trpc.transactions.refund.mutate({ id });
  await expect(refund(id)).rejects.toMatchObject(refusedAs('not_refundable'));
  const unknown = newTransactionId(randomBytes);
  await expect(refund(unknown)).rejects.toMatchObject(refusedAs('transaction_not_found'));
  expect(await readLog()).toEqual([]);
  expect(await find(id)).toMatchObject({ refundedBy: 'receiver', acts: [] });
});

test('a refund whose row cannot be written is none', async () => {
  const { t, give, find } = await openScene();
  const { id } = await give();
  const act = actOf(t, id, 'x'.repeat(501));
  const reversal = { transactionId: id, createdAtMs: t.clock.nowMs, act };
  await expect(t.storage.reverseTip(reversal)).rejects.toThrow();
  expect(await find(id)).toMatchObject({ status: 'completed' });
});

test('payments that are simulated never wait', async () => {
  const { listTroubles } = await openScene();
  expect(await listTroubles()).toEqual({
    paymentMode: 'simulated',
    currency: 'USD',
    exponent: 2,
    stuck: [],
    arriving: { count: 0, paidCents: 0 },
    debts: [],
    disputes: [],
    returned: [],
  });
});

test('a paid tip is found by its names at the payment service, and refunded there', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t, stripe, customer } = scene;
  const { find, refund, readLog } = consoleParts(t);
  const { id } = await scene.give();
  const { session, chargeId } = scene.pay();
  expect(await find(session.id)).toMatchObject({ id, status: 'pending', payment: { state: 'pending' } });
  await expect(refund(id)).rejects.toMatchObject(refusedAs('not_refundable'));
  await scene.deliver();
  for (const name of [id, session.id, chargeId])
    expect(await find(name)).toMatchObject({
      id,
      status: 'completed',
      payment: { chargeId, checkoutId: session.id },
    });

  stripe.fail(({ path }) => (path === '/refunds' ? { is: 'cut', when: 'before' } : null));
  expect(await refund(id, 'The bar has closed')).toMatchObject({
    outcome: 'asked',
    tip: { status: 'completed', payment: { refundAskedAt: new Date(t.clock.nowMs).toISOString() } },
  });
  expect(await refund(id)).toMatchObject({ outcome: 'asked', tip: { status: 'completed' } });
  const command = await commandOf(t, 'test');
  const byCommand = () => command.refund(id, (subject) => actOf(t, subject));
  expect(await byCommand()).toMatchObject({ outcome: 'asked' });
  stripe.fail(() => null);
  t.clock.nowMs += 3 * MINUTE_MS;
  await t.app.sweepPayments();
  expect(await find(id)).toMatchObject({
    status: 'refunded',
    refundedBy: 'operator',
    payment: { refundAskedAt: null },
  });
  await expect(byCommand()).rejects.toMatchObject({ code: 'not_refundable' });
  expect([...stripe.charges.values()]).toMatchObject([{ refundedCents: 2_100, isTransferReversed: true }]);
  expect(await readLog()).toMatchObject([
    { action: 'tip_refunded', subject: id, reason: 'The bar has closed' },
  ]);
  expect(await customer.trpc.transactions.get.query({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: null,
  });
});

test('a refund that a command notes is carried out by the next sweep of the server', async () => {
  const scene = await openPaymentScene();
  const { t } = scene;
  const { find, readLog } = consoleParts(t);
  const { id } = await scene.give();
  scene.pay();
  await scene.deliver();
  const refund = async (mode: 'test' | 'live') =>
    (await commandOf(t, mode)).refund(id, (subject) => actOf(t, subject));
  await expect(refund('live')).rejects.toMatchObject({ code: 'other_keys' });
  expect(await readLog()).toEqual([]);
  expect(await refund('test')).toMatchObject({ outcome: 'asked' });
  await t.app.sweepPayments();
  expect(await find(id)).toMatchObject({ status: 'refunded', refundedBy: 'operator' });
});

test('payments that wait too long are listed with the reason, and what went back by itself', async () => {
  const scene = await openPaymentScene({ isUndoable: false });
  const { t, stripe, provider } = scene;
  const { listTroubles } = consoleParts(t);
  const giveAndPay = async () => {
    const { id } = await scene.give();
    const { chargeId } = scene.pay();
    await scene.deliver();
    return { id, chargeId };
  };
  const disputed = await giveAndPay();
  stripe.dispute(disputed.chargeId);
  expect((await scene.deliver()).status).toBe(200);
  const wentBack = {
    id: disputed.id,
    kind: 'dispute',
    paidCents: -2_100,
    at: new Date(t.clock.nowMs).toISOString(),
  };
  t.clock.nowMs += MINUTE_MS;
  const asked = await giveAndPay();
  stripe.fail(() => ({ is: 'cut', when: 'before' }));
  await expect(provider.trpc.transactions.refund.mutate({ id: asked.id })).rejects.toThrow('does not answer');
  await expect(scene.give()).rejects.toThrow('does not answer');
  stripe.fail(() => null);
  const open = await scene.give();
  expect(await listTroubles()).toMatchObject({ paymentMode: 'test', stuck: [], returned: [wentBack] });
  const since = new Date(t.clock.nowMs).toISOString();
  t.clock.nowMs += 61 * MINUTE_MS;
  const { stuck } = await listTroubles();
  expect(stuck.map(({ id: _, ...one }) => one).sort((one, other) => (one.why < other.why ? -1 : 1))).toEqual(
    (['no_end', 'no_page', 'refund'] as const).map((why) => ({
      why,
      since,
      paidCents: 2_100,
      paymentMode: 'test',
    })),
  );
  expect(stuck.find(({ why }) => why === 'no_end')?.id).toBe(open.id);
  expect(stuck.find(({ why }) => why === 'refund')?.id).toBe(asked.id);
  const withoutKeys = await commandOf(t, 'simulated');
  expect((await withoutKeys.listTroubles()).stuck.map(({ why }) => why)).toEqual(Array(3).fill('other_keys'));
});

test('disputes have their deadline, debts end by an act with its row, and what is held counts as arriving', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, accountId } = scene;
  const { find, listTroubles, readLog } = consoleParts(t);
  const giveAndPay = async () => {
    const { id } = await scene.give();
    const { chargeId } = scene.pay();
    await scene.deliver();
    return { id, chargeId };
  };
  const { id, chargeId } = await giveAndPay();
  expect(await find(id)).toMatchObject({ status: 'pending', payment: { state: 'authorised' } });
  expect((await listTroubles()).arriving).toEqual({ count: 1, paidCents: 2_100 });
  await scene.pass(15);
  expect((await listTroubles()).arriving).toEqual({ count: 0, paidCents: 0 });
  stripe.emptyAccount(accountId);
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  const found = await find(id);
  expect(found).toMatchObject({
    status: 'disputed',
    changes: [{ kind: 'dispute', paidCents: -2_100, netAmountCents: -1_940, source: dispute }],
    debts: [{ kind: 'owed_by_receiver', cents: 2_100, dueCents: 1_940 }],
    payment: { url: `https://dashboard.stripe.com/test/payments/${chargeId}` },
  });
  const troubles = await listTroubles();
  expect(troubles.disputes).toMatchObject([
    {
      id,
      paidCents: 2_100,
      isDeadlineKnown: true,
      url: `https://dashboard.stripe.com/test/disputes/${dispute}`,
    },
  ]);
  expect(Date.parse(troubles.disputes[0]?.answerBy ?? '')).toBeGreaterThan(t.clock.nowMs);
  expect(troubles.debts).toMatchObject([{ id, kind: 'owed_by_receiver', cents: 2_100 }]);
  expect(linesOfTroubles(troubles).join('\n')).toContain('The server takes it when it can.');
  const withoutKeys = linesOfTroubles(await (await commandOf(t, 'simulated')).listTroubles()).join('\n');
  expect(withoutKeys).toContain('with other keys than the server has now');
  expect(withoutKeys).not.toContain('when it can');
  const { console } = await createOperator(t);
  const settle = (debt: 'owed_by_receiver' | 'owed_to_giver') =>
    console.transactions.settle.mutate({ name: id, debt, cents: 2_100, reason: 'The provider has left' });
  await expect(settle('owed_to_giver')).rejects.toMatchObject(refusedAs('nothing_owed'));
  expect(await settle('owed_by_receiver')).toMatchObject({ id, debts: [] });
  await expect(settle('owed_by_receiver')).rejects.toMatchObject(refusedAs('nothing_owed'));
  expect(await readLog()).toMatchObject([
    { action: 'debt_written_off', subject: id, reason: 'The provider has left' },
  ]);
  // Whatever is heard of the charge later brings the debt not back.
  stripe.closeDispute(dispute, 'lost');
  await scene.deliver();
  expect((await listTroubles()).debts).toEqual([]);
  expect((await listTroubles()).disputes).toEqual([]);
});

test('a provider whom the operator has paid what was won is paid no more, and the act leaves its row', async () => {
  const scene = await openPaymentScene();
  const { t, stripe } = scene;
  const { id, chargeId } = await captured(scene);
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  stripe.fail(({ method, path }) =>
    method === 'POST' && path === '/transfers'
      ? { is: 'refused', status: 400, message: 'No account', code: 'account_invalid' }
      : null,
  );
  stripe.closeDispute(dispute, 'won');
  await scene.deliver();
  const { find, readLog } = consoleParts(t);
  expect(await find(id)).toMatchObject({
    debts: [{ kind: 'owed_to_receiver', cents: 2_100, dueCents: 1_940 }],
  });
  const { console } = await createOperator(t);
  const act = { name: id, debt: 'owed_to_receiver', cents: 2_100, reason: 'In cash' } as const;
  expect(await console.transactions.settle.mutate(act)).toMatchObject({ id, debts: [] });
  expect(await readLog()).toMatchObject([
    { action: 'dispute_paid_otherwise', subject: id, reason: 'In cash' },
  ]);
});

test('a debt that has grown since the operator looked is not ended, but looked at again', async () => {
  const scene = await openPaymentScene();
  const { t, stripe } = scene;
  const { id, chargeId } = await captured(scene);
  stripe.emptyAccount(scene.accountId);
  stripe.refundPart(chargeId, 500);
  await scene.deliver();
  const { console } = await createOperator(t);
  const debts = async () => (await console.transactions.find.query({ name: id }))?.debts;
  const settle = (cents: number) =>
    console.transactions.settle.mutate({ name: id, debt: 'owed_by_receiver', cents, reason: 'A gift' });
  expect(await debts()).toMatchObject([{ kind: 'owed_by_receiver', cents: 500 }]);
  stripe.refundPart(chargeId, 1_000);
  await scene.deliver();
  await expect(settle(500)).rejects.toMatchObject(refusedAs('debt_changed'));
  expect(await debts()).toMatchObject([{ kind: 'owed_by_receiver', cents: 1_500 }]);
  expect(await consoleParts(t).readLog()).toEqual([]);
  expect(await settle(1_500)).toMatchObject({ debts: [] });
});

test('readyz and Health tell what payments leave to the operator, until it is over', async () => {
  const scene = await openPaymentScene();
  const { t, stripe, accountId } = scene;
  const troubles = () => [...t.troubles.begun().keys()].sort();
  const look = async () => {
    t.clock.nowMs += 6 * MINUTE_MS;
    await t.app.sweepPayments();
    return troubles();
  };
  expect(await look()).toEqual([]);
  t.clock.nowMs += HOUR_MS;
  const { id } = await scene.give();
  const { chargeId } = scene.pay();
  // The giver comes back, and no event ever does.
  await scene.customer.trpc.transactions.get.query({ id });
  await look();
  // The server captures, and lists what Stripe has told nobody, which is not heard.
  await scene.pass(12);
  expect(await look()).toEqual(['unheard']);
  await scene.deliver();
  expect(await look()).toEqual([]);
  await scene.pass(15);
  stripe.emptyAccount(accountId);
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  expect(await look()).toEqual(['dispute', 'owed']);
  const { console } = await createOperator(t);
  const { problems } = await console.health.read.query();
  expect(problems.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      '21.00 USD went back to customers, and providers still have their part of it.',
      expect.stringMatching(/^1 payment is disputed\. Answer by 2026-/),
    ]),
  );
  stripe.closeDispute(dispute, 'won');
  await scene.deliver();
  expect(await look()).toEqual([]);
  const later = stripe.openDispute((await captured(scene)).chargeId);
  await scene.deliver();
  stripe.fail(({ method, path }) =>
    method === 'POST' && path === '/transfers'
      ? { is: 'refused', status: 400, message: 'Insufficient funds', code: 'balance_insufficient' }
      : null,
  );
  stripe.closeDispute(later, 'won');
  await scene.deliver();
  expect(await look()).toEqual(['undelivered']);
  stripe.fail(() => null);
  await scene.pass(DAY_MINUTES);
  expect(await look()).toEqual([]);
});
