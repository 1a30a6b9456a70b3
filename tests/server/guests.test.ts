/**
 * Tips of guests, where the operator takes them: who has no account gives a tip, and has the right of its
 * giver by the token of the receipt alone.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { call, DOORS, type Door, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { payoutAccountOf } from '#tests/support/payment-steps.ts';
import { START_MS } from '#tests/support/people.ts';
import { startStripe } from '#tests/support/stripe/stand-in.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

const KEY = '7f9c24e8-3b6a-4d1f-9b8e-2c1d5a6f7e80';
const TOKEN = /^https:\/\/[^/]+\/r\/([0-9a-hjkmnp-tv-z]{52})$/;

async function openScene(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp({ ...options, config: { takesGuestTips: true, ...options.config } });
  const provider = await enter(t, 'pat', ['bartender']);
  const other = await enter(t, 'sam', ['dj']);
  const tip = {
    amountCents: 2_000,
    receiverQrId: provider.codes[0] ?? '',
    serviceCategory: 'bartender',
  } as const;
  const give = (idempotencyKey?: string, amountCents = 2_000) =>
    t.trpc().transactions.create.mutate({
      ...tip,
      amountCents,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
  return { t, provider, other, tip, give };
}

const tokenIn = (receiptUrl: string | null) => TOKEN.exec(receiptUrl ?? '')?.[1] ?? '';

test('where guests are not taken, whoever is not logged in is told to login', async () => {
  const { give } = await openScene({ config: { takesGuestTips: false } });
  await expect(give()).rejects.toThrow('Please login to send tips');
});

describe.each(DOORS)('a tip of a guest (%s)', (door: Door) => {
  test('is completed, and named to nobody; its link tells what became of it, and its id does not', async () => {
    const { t, provider, other, give } = await openScene();
    const given = await give(KEY);
    expect(given).toMatchObject({
      status: 'completed',
      giverId: null,
      receiptUrl: expect.stringMatching(TOKEN),
    });
    const token = tokenIn(given.receiptUrl);
    const look = (id: string, bearer?: string) =>
      call(door, t, 'transactions.get', { id }, { token: bearer });
    expect(resultOf(await look(token))).toMatchObject({ id: given.id });
    expect(refusedBy(door, await look(given.id)).code).toBe('not_logged_in');
    expect(refusedBy(door, await look(given.id, other.token)).code).toBe('transaction_not_found');
    const [seen] = (await provider.trpc.transactions.list.query({})).transactions;
    expect(seen).toMatchObject({ id: given.id, giverId: null, receiptUrl: null, undoUntil: null });
    const forged = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    expect(refusedBy(door, await look(forged)).code).toBe('not_logged_in');
    expect(refusedBy(door, await look(forged, other.token)).code).toBe('transaction_not_found');
  });

  test('is answered by its key where guests are not taken any more, and no other is given', async () => {
    const { t, provider, tip, give } = await openScene();
    const given = await give(KEY);
    const after = await createTestApp({ data: t.data, config: { takesGuestTips: false } });
    const send = (idempotencyKey?: string) =>
      call(door, after, 'transactions.create', { ...tip, idempotencyKey }, {});
    expect(resultOf(await send(KEY))).toMatchObject({ id: given.id, status: 'completed' });
    for (const key of [undefined, 'one', `${KEY}0`])
      expect(refusedBy(door, await send(key)).code).toBe('login_to_tip');
    expect((await provider.trpc.transactions.list.query({})).transactions).toHaveLength(1);
  });

  test('can be taken back by its link, and refunded by its receiver', async () => {
    const { t, provider, give } = await openScene();
    const [first, second] = [await give(), await give()];
    const back = (id: string, token?: string) => call(door, t, 'transactions.refund', { id }, { token });
    expect(resultOf(await back(tokenIn(first.receiptUrl)))).toMatchObject({ status: 'refunded' });
    expect(refusedBy(door, await back(second.id)).code).toBe('not_logged_in');
    expect(resultOf(await back(second.id, provider.token))).toMatchObject({ status: 'refunded' });
    const { totalTipsReceivedCents } = await provider.trpc.transactions.summary.query({ timeZone: 'UTC' });
    expect(totalTipsReceivedCents).toBe(0);
  });
});

test('the same unguessable key gives the same tip, however often and at once; a short one is refused', async () => {
  const { provider, give } = await openScene();
  const given = await Promise.all(Array.from({ length: 8 }, () => give(KEY)));
  expect(new Set(given.map(({ id }) => id)).size).toBe(1);
  await expect(give(KEY, 3_000)).rejects.toThrow('idempotency key');
  await expect(give('one')).rejects.toThrow('at least 16 characters');
  const ids = await Promise.all(Array.from({ length: 4 }, () => give()));
  expect(new Set(ids.map(({ id }) => id)).size).toBe(4);
  expect((await provider.trpc.transactions.list.query({})).transactions).toHaveLength(5);
});

test('guests are limited by their address', async () => {
  const { give } = await openScene({ config: { isRateLimited: true } });
  for (let count = 0; count < 30; count += 1) await give();
  await expect(give()).rejects.toThrow('Too many');
});

test('whose pages have used up the looks of their address, a guest takes a tip back all the same', async () => {
  const { t, give } = await openScene({ config: { isRateLimited: true } });
  const [looked, taken] = [tokenIn((await give()).receiptUrl), tokenIn((await give()).receiptUrl)];
  const look = () => t.trpc().transactions.get.query({ id: looked });
  for (let count = 0; count < 300; count += 1) await look();
  await expect(look()).rejects.toThrow('Too many');
  expect(await t.trpc().transactions.refund.mutate({ id: taken })).toMatchObject({ status: 'refunded' });
  const again = () => t.trpc().transactions.refund.mutate({ id: taken });
  for (let count = 1; count < 120; count += 1) await expect(again()).rejects.toThrow('refunded already');
  await expect(again()).rejects.toThrow('Too many');
});

test('guests at one address take back 30 tips an hour', async () => {
  const { t, give } = await openScene({ config: { isRateLimited: true } });
  const takeBack = async () => {
    const id = tokenIn((await give()).receiptUrl);
    t.clock.nowMs += 3_000;
    return t.trpc().transactions.refund.mutate({ id });
  };
  for (let count = 0; count < 30; count += 1) await takeBack();
  await expect(takeBack()).rejects.toThrow('Too many');
});

test('a guest pays at the payment service, comes back by the token, and is given back what was paid', async () => {
  const stripe = await startStripe({ nowMs: () => START_MS });
  onTestFinished(() => stripe.stop());
  const { t, provider, give } = await openScene({
    paymentService: (now) => createStripe(stripe.settings, now),
  });
  const account = { ...payoutAccountOf(provider.user.id), accountId: 'acct_pat', platform: stripe.platform };
  stripe.addAccount({ id: 'acct_pat', chargesEnabled: true });
  await t.storage.payments.savePayoutAccount(account, START_MS);
  const pending = await give(KEY);
  const id = tokenIn(pending.receiptUrl);
  expect(pending).toMatchObject({ status: 'pending', paymentUrl: expect.stringContaining('/pay/') });
  expect(await give(KEY)).toEqual(pending);
  const [session] = stripe.sessions.values();
  if (!session) throw new Error('there is no session');
  expect(session.successUrl).toMatch(new RegExp(`/tip/[0-9A-Z]{10}\\?payment=${id}$`));
  stripe.pay(session.id);
  expect(await t.trpc().transactions.get.query({ id })).toMatchObject({
    status: 'pending',
    paymentUrl: null,
    capturesAt: expect.any(String),
  });
  expect(await t.trpc().transactions.refund.mutate({ id })).toMatchObject({
    status: 'refunded',
    refundedBy: 'giver',
  });
  // The money was held only, so that nothing was charged.
  expect([...stripe.charges.values()]).toMatchObject([{ state: 'canceled', refundedCents: 0 }]);
});
