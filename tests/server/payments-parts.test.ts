/**
 * What is captured, disputed, refunded or written off in part: the ledger tells both people what they have of it, to
 * the cent, and nobody is given or asked for a cent twice.
 */
import { describe, expect, test } from 'vitest';
import { compareWithStripe } from '#tests/support/stripe/compare.ts';
import { captured, openPaymentScene, type PaymentScene } from '#tests/support/stripe/payment-scene.ts';

async function openParts() {
  const scene = await openPaymentScene();
  const { t, stripe, customer, provider } = scene;
  const stored = async () => {
    const { payments: [payment = {}] = [], accounts = [] } = await t.data.dump();
    const sum = (column: string) => accounts.reduce((total, row) => total + Number(row[column]), 0);
    const ofPayment = (column: string) => Number(payment[column]);
    return {
      given: sum('total_tips_given_cents'),
      received: sum('total_tips_received_cents'),
      owes: ofPayment('owed_by_receiver_cents'),
      gets: ofPayment('owed_to_receiver_cents'),
      writtenOff: ofPayment('settled_by_receiver_cents'),
    };
  };
  return {
    ...scene,
    stored,
    toGiver: (id: string) => customer.trpc.transactions.get.query({ id }),
    toReceiver: (id: string) => provider.trpc.transactions.get.query({ id }),
    refund: (id: string) => provider.trpc.transactions.refund.mutate({ id }),
    async compare() {
      compareWithStripe(stripe, await t.data.dump());
      expect(await t.data.check()).toEqual([]);
    },
  };
}

const held = async (scene: PaymentScene) => {
  const { id } = await scene.give();
  const { chargeId } = scene.pay();
  await scene.deliver();
  return { id, chargeId };
};

const NO_DEBTS = { owes: 0, gets: 0, writtenOff: 0 };

test('of a tip that an operator captures in part at Stripe both people have that part, and fees are as Stripe took them', async () => {
  const scene = await openParts();
  const { stripe, stored, toGiver, toReceiver, refund, compare } = scene;
  const { id, chargeId } = await held(scene);
  stripe.capture(chargeId, 1_050);
  await scene.deliver();
  await scene.pass(60);
  // Of $21.00 half is left. Stripe has kept the fees of the whole, $1.60, out of it.
  expect(await stored()).toEqual({ given: 1_000, received: 1_050 - 160, ...NO_DEBTS });
  expect(await toGiver(id)).toMatchObject({
    status: 'completed',
    // What the giver paid, with their fee.
    changes: [{ kind: 'refund', amountCents: -1_050 }],
  });
  expect(await toReceiver(id)).toMatchObject({
    status: 'completed',
    changes: [{ kind: 'refund', amountCents: 890 - 1_940 }],
  });
  expect(stripe.requests.filter(({ path }) => path.endsWith('/reversals'))).toEqual([]);
  await compare();
  stripe.refundPart(chargeId, 350);
  await scene.deliver();
  expect(await stored()).toEqual({ given: 667, received: 593, ...NO_DEBTS });
  await compare();
  expect(await refund(id)).toMatchObject({ status: 'refunded', refundedBy: 'receiver' });
  await scene.deliverAll();
  await scene.pass(60);
  expect(await stored()).toEqual({ given: 0, received: 0, ...NO_DEBTS });
  await compare();
});

test('a part that was captured and disputed comes back to the receiver as they had it, when the dispute is won', async () => {
  const scene = await openParts();
  const { stripe, stored, compare } = scene;
  const { chargeId } = await held(scene);
  stripe.capture(chargeId, 1_001);
  await scene.deliver();
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  await scene.pass(60);
  expect(await stored()).toEqual({ given: 0, received: 0, ...NO_DEBTS });
  await compare();
  stripe.closeDispute(dispute, 'won');
  await scene.deliver();
  await scene.pass(60);
  expect(await stored()).toEqual({ given: 953, received: 1_001 - 160, ...NO_DEBTS });
  await compare();
});

test('a part that was disputed comes back to the receiver to the cent, though another part was refunded meanwhile', async () => {
  const scene = await openParts();
  const { stripe, stored, compare } = scene;
  const { chargeId } = await captured(scene);
  const dispute = stripe.disputePart(chargeId, 520);
  await scene.deliver();
  await scene.pass(60);
  stripe.refundPart(chargeId, 520, { reverseTransfer: true });
  await scene.deliver();
  stripe.closeDispute(dispute, 'won');
  await scene.deliver();
  await scene.pass(60);
  expect(await stored()).toEqual({ given: 1_505, received: 1_940 - 480, ...NO_DEBTS });
  await compare();
});

test('what a dispute has left can be refunded, and the receiver has their part of the dispute when it is won', async () => {
  const scene = await openParts();
  const { stripe, stored, toGiver, refund, compare } = scene;
  const { id, chargeId } = await captured(scene);
  const dispute = stripe.disputePart(chargeId, 840);
  await scene.deliver();
  await scene.pass(60);
  expect(await stored()).toEqual({ given: 1_200, received: 1_164, ...NO_DEBTS });
  expect(await refund(id)).toMatchObject({ status: 'disputed' });
  await scene.deliverAll();
  await scene.pass(60);
  expect(await stored()).toEqual({ given: 0, received: 0, ...NO_DEBTS });
  await expect(refund(id)).rejects.toThrow('was refunded already');
  await compare();
  stripe.closeDispute(dispute, 'won');
  await scene.deliver();
  await scene.pass(60);
  expect(await stored()).toEqual({ given: 800, received: 776, ...NO_DEBTS });
  expect(await toGiver(id)).toMatchObject({ status: 'completed' });
  await compare();
});

test('what is disputed and refunded before anybody hears of the dispute is the same in the end', async () => {
  const scene = await openParts();
  const { stripe, stored, refund, compare } = scene;
  const { id, chargeId } = await captured(scene);
  const dispute = stripe.disputePart(chargeId, 840);
  expect(await refund(id)).toMatchObject({ status: 'disputed' });
  stripe.closeDispute(dispute, 'won');
  await scene.deliverAll();
  await scene.pass(60);
  expect(await stored()).toEqual({ given: 800, received: 776, ...NO_DEBTS });
  await compare();
});

test('a dispute whose debt was written off leaves the receiver what is theirs when it is won, and no more', async () => {
  const scene = await openParts();
  const { t, stripe, stored, accountId, compare } = scene;
  const { id, chargeId } = await captured(scene);
  stripe.emptyAccount(accountId);
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  expect(await stored()).toMatchObject({ received: 0, owes: 2_100 });
  const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
  const act = { actor, action: 'debt_written_off', subject: id, reason: null, atMs: t.clock.nowMs } as const;
  const [{ id: tip } = { id: null }] = await t.storage.payments.listDebts(9);
  if (tip === null) throw new Error('nothing is owed');
  expect(await t.storage.payments.settleDebt(tip, 'owed_by_receiver', t.clock.nowMs, act)).toBe(true);
  expect(await stored()).toMatchObject({ received: 0, owes: 0, writtenOff: 2_100 });
  stripe.closeDispute(dispute, 'won');
  await scene.deliver();
  await scene.pass(60);
  expect(await stored()).toEqual({ given: 2_000, received: 1_940, ...NO_DEBTS });
  await compare();
  // What goes back afterwards is owed as ever.
  stripe.refundPart(chargeId, 1_050);
  await scene.deliver();
  expect(await stored()).toMatchObject({ received: 970, owes: 1_050, writtenOff: 0 });
  await compare();
});

describe.each(['mxn', 'gbp'])('a receiver whose account turns out to settle in %s', (currency) => {
  /** Their account has another currency by the time their tip is captured. */
  async function openOther() {
    const scene = await openParts();
    scene.stripe.changeQuietly(scene.accountId, { currency });
    return { ...scene, ...(await captured(scene, 10_000)) };
  }
  const isMoving = ({ method, path }: { readonly method: string; readonly path: string }) =>
    method === 'POST' && /^\/transfers/.test(path);

  test('has what is left of a part that was refunded, which Stripe took itself, and owes nothing', async () => {
    const scene = await openOther();
    const { id, chargeId, stripe, stored, toReceiver } = scene;
    stripe.refundPart(chargeId, 2_100, { reverseTransfer: true });
    await scene.deliver();
    await scene.pass(60);
    stripe.refundPart(chargeId, 1_033, { reverseTransfer: true });
    await scene.deliver();
    await scene.pass(60);
    expect((await toReceiver(id)).changes.map(({ kind }) => kind)).toEqual(['refund', 'refund']);
    expect(await stored()).toMatchObject(NO_DEBTS);
    await scene.refund(id);
    expect(await toReceiver(id)).toMatchObject({ status: 'refunded' });
    expect(await stored()).toEqual({ given: 0, received: 0, ...NO_DEBTS });
    expect(await scene.t.data.check()).toEqual([]);
  });

  test('owes what a bank took until the operator has settled it at Stripe, and nothing is moved', async () => {
    const scene = await openOther();
    const { t, chargeId, stripe, stored } = scene;
    stripe.openDispute(chargeId);
    await scene.deliver();
    await scene.pass(24 * 60);
    expect(await stored()).toMatchObject({ received: 0, owes: 10_500, gets: 0 });
    expect(stripe.requests.filter(isMoving)).toEqual([]);
    expect(t.logLines.some((line) => line.includes(`"otherCurrency":"${currency}"`))).toBe(true);
    const [transfer] = stripe.transfers;
    if (!transfer) throw new Error('nothing was transferred');
    stripe.reverseTransfer(chargeId, transfer.amount);
    await scene.deliver();
    expect(await stored()).toEqual({ given: 0, received: 0, ...NO_DEBTS });
  });

  test('has their part when a dispute is won, and nothing was moved', async () => {
    const scene = await openOther();
    const { id, chargeId, stripe, stored, toReceiver } = scene;
    const dispute = stripe.openDispute(chargeId);
    await scene.deliver();
    await scene.pass(60);
    stripe.closeDispute(dispute, 'won');
    await scene.deliver();
    await scene.pass(24 * 60);
    expect((await toReceiver(id)).changes.map(({ kind }) => kind)).toEqual(['dispute', 'dispute_won']);
    expect(await stored()).toEqual({ given: 10_000, received: 9_700, ...NO_DEBTS });
    expect(stripe.requests.filter(isMoving)).toEqual([]);
  });
});
