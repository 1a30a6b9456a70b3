/**
 * Tips that are paid at Stripe, as its stand-in plays it: what the giver and the receiver are told, what the
 * ledger says, and that whatever is heard twice, late, or not at all gives one tip for each payment.
 */
import { expect, test } from 'vitest';
import { createPaidApp, openAccount } from '#tests/support/paid-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

test('a provider is payable once Stripe says so, and a tip is completed once it was paid', async () => {
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
