/**
 * Payments of people who close their accounts: whatever was paid is in the ledger, whatever goes back leaves
 * it again, and nothing is heard or kept of an account at the payment service whose owner is closed.
 */
import { describe, expect, test } from 'vitest';
import type { UserId } from '#shared/ids.ts';
import { openPaymentScene } from '#tests/support/stripe/payment-scene.ts';
import type { TestApp } from '#tests/support/test-app.ts';

const MINUTE_MS = 60_000;

/** Lets the time pass in which a tip may be taken back, so that its money is captured. */
async function capture({ clock, app }: Pick<TestApp, 'clock' | 'app'>): Promise<void> {
  clock.nowMs += 60 * MINUTE_MS;
  await app.sweepPayments();
}

async function openScene() {
  const scene = await openPaymentScene();
  const { t, provider, customer } = scene;
  const entriesOf = async (id: UserId) =>
    (await t.storage.listEntriesSince(id, 0, 9)).map(({ kind, transaction }) => [kind, transaction.id]);
  return {
    ...scene,
    /** Closes some of the two for good, as an operator does. */
    async close(...people: readonly ('provider' | 'customer')[]) {
      for (const person of people) {
        const { id } = (person === 'provider' ? provider : customer).user;
        expect(await t.storage.closeAccount(id, t.clock.nowMs, false)).toBe('closed');
      }
    },
    entries: async () => ({
      provider: await entriesOf(provider.user.id),
      customer: await entriesOf(customer.user.id),
    }),
  };
}

describe.each([
  { who: 'the receiver is', closed: ['provider'] },
  { who: 'the giver is', closed: ['customer'] },
  { who: 'both are', closed: ['provider', 'customer'] },
] as const)('once $who closed', ({ closed }) => {
  test.each([
    'a webhook event',
    'the sweep',
  ])('what is paid on a page that was open is in the ledger, as %s tells', async (teller) => {
    const { t, stripe, give, close, pay, deliver, entries } = await openScene();
    const { id } = await give();
    await close(...closed);
    pay();
    const expectTip = async () =>
      expect(await entries()).toEqual({ provider: [['received', id]], customer: [['given', id]] });
    if (teller === 'the sweep') {
      t.clock.nowMs += 3 * MINUTE_MS;
      await t.app.sweepPayments();
      await expectTip();
    }
    expect((await deliver()).status).toBe(200);
    await expectTip();
    expect([...stripe.charges.values()]).toMatchObject([{ refundedCents: 0 }]);
  });

  test('what nobody pays ends without a tip', async () => {
    const { t, stripe, give, close, deliver, entries } = await openScene();
    const { id } = await give();
    await close(...closed);
    const [session] = stripe.sessions.values();
    stripe.expire(session?.id ?? '');
    expect((await deliver()).status).toBe(200);
    expect(await t.storage.payments.findPayment({ id })).toMatchObject({ state: 'expired' });
    expect(await entries()).toEqual({ provider: [], customer: [] });
  });

  test('a charge that the bank takes back is told in the ledger, and is taken back from the receiver', async () => {
    const { t, stripe, give, close, pay, deliver, entries } = await openScene();
    const { id } = await give();
    const { webhookEvent, chargeId } = pay();
    await deliver(webhookEvent);
    await close(...closed);
    await capture(t);
    stripe.dispute(chargeId);
    expect((await deliver()).status).toBe(200);
    expect(await entries()).toEqual({
      provider: [
        ['received', id],
        ['received_captured', id],
        ['received_adjusted', id],
      ],
      customer: [
        ['given', id],
        ['given_captured', id],
        ['given_adjusted', id],
      ],
    });
    expect([...stripe.charges.values()]).toMatchObject([{ isTransferReversed: true }]);
  });
});

test.each([
  ['provider', 'customer', 'giver'],
  ['customer', 'provider', 'receiver'],
] as const)('when the %s is closed the %s has the tip refunded as before', async (closed, asker, refundedBy) => {
  const scene = await openScene();
  const { t, stripe, give, close, pay, deliver } = scene;
  const { id } = await give();
  await deliver(pay().webhookEvent);
  await close(closed);
  expect(await scene[asker].trpc.transactions.refund.mutate({ id })).toMatchObject({
    status: 'refunded',
    refundedBy,
  });
  expect([...stripe.charges.values()]).toMatchObject([{ state: 'canceled', refundedCents: 0 }]);
  expect(await t.storage.payments.findPayment({ id })).toMatchObject({ state: 'cancelled' });
});

test('a refund that was asked for before its asker was closed is done by the sweep', async () => {
  const { t, stripe, customer, give, close, pay, deliver } = await openScene();
  const { id } = await give();
  await deliver(pay().webhookEvent);
  stripe.fail(() => ({ is: 'cut', when: 'before' }));
  await expect(customer.trpc.transactions.refund.mutate({ id })).rejects.toThrow();
  await close('provider', 'customer');
  stripe.fail(() => null);
  t.clock.nowMs += 3 * MINUTE_MS;
  await t.app.sweepPayments();
  expect(await t.storage.findTransaction(customer.user.id, id)).toMatchObject({
    reversal: { reversedBy: 'giver' },
  });
  expect([...stripe.charges.values()]).toMatchObject([{ state: 'canceled' }]);
});

test('of whoever is closed the payments keep what the money is known by, and nothing else', async () => {
  const { t, stripe, provider, customer, accountId, give, close, pay, deliver } = await openScene();
  await give();
  await deliver(pay().webhookEvent);
  await close('provider', 'customer');
  stripe.enable(accountId);
  expect((await deliver()).status).toBe(200);
  const stored = await t.data.dump();
  expect(stored['payout_accounts']).toEqual([]);
  expect(stored['payments']).toMatchObject([{ destination: accountId, state: 'authorised' }]);
  for (const { email, fullName } of [provider.user, customer.user])
    for (const word of [email, fullName]) {
      expect(JSON.stringify(stored)).not.toContain(word);
      expect(t.logLines.join('')).not.toContain(word);
    }
});
