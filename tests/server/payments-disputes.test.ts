/**
 * Disputes that end while money of the same tip moves: what is taken for one of them, or given back, arrives in any
 * order, from two processes at once. In the end the receiver has at Stripe what the ledger says, and nobody was
 * debited what a bank has given back.
 */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { compareWithStripe } from '#tests/support/stripe/compare.ts';
import { captured, openPaymentScene } from '#tests/support/stripe/payment-scene.ts';
import type { StandInRequest } from '#tests/support/stripe/stand-in.ts';

const NO_DEBTS = { owes: 0, gets: 0 };

async function openScene() {
  const scene = await openPaymentScene();
  const { t, stripe, provider } = scene;

  async function stored() {
    const { payments: [payment = {}] = [], accounts = [] } = await t.data.dump();
    const sum = (column: string) => accounts.reduce((total, row) => total + Number(row[column]), 0);
    return {
      given: sum('total_tips_given_cents'),
      received: sum('total_tips_received_cents'),
      owes: Number(payment['owed_by_receiver_cents']),
      gets: Number(payment['owed_to_receiver_cents']),
    };
  }

  /** Delivers, and lets others act while the first request that is meant is on its way to Stripe. */
  async function deliverSlowly(
    isMeant: (request: StandInRequest) => boolean,
    meanwhile: () => Promise<unknown>,
  ): Promise<void> {
    const events = new EventTarget();
    const until = once(events, 'released');
    const asked = once(events, 'asked');
    let isHeld = false;
    stripe.fail((request) => {
      if (isHeld || !isMeant(request)) return null;
      isHeld = true;
      events.dispatchEvent(new Event('asked'));
      return { is: 'held', until };
    });
    const answered = scene.deliver();
    await asked;
    await meanwhile();
    events.dispatchEvent(new Event('released'));
    await answered;
  }

  return {
    ...scene,
    stored,
    deliverSlowly,
    kindsOf: async (id: string) =>
      (await provider.trpc.transactions.get.query({ id })).changes.map(({ kind }) => kind),
    /** Delivers what there is again, lets a day go by, and compares all that is stored with Stripe. */
    async compare(): Promise<void> {
      await scene.deliverAll();
      await scene.pass(24 * 60);
      compareWithStripe(stripe, await t.data.dump());
      expect(await t.data.check()).toEqual([]);
    },
  };
}

/** A tip of $20.00 that was captured, of which $21.00 were charged. */
async function openCaptured() {
  const scene = await openScene();
  const tip = await captured(scene);
  return { ...scene, ...tip };
}

const isTaking = ({ method, path }: StandInRequest) => method === 'POST' && path.endsWith('/reversals');
const isGiving = ({ method, path }: StandInRequest) => method === 'POST' && path === '/transfers';
const NO_MONEY = {
  is: 'refused',
  status: 400,
  message: 'Insufficient funds',
  code: 'balance_insufficient',
} as const;

test('what is taken for a refund while a dispute is won and given back comes back too, and is no debit', async () => {
  const scene = await openCaptured();
  const { id, stripe, chargeId, stored } = scene;
  const other = await scene.start();
  const dispute = stripe.disputePart(chargeId, 1_000);
  await scene.deliver();
  stripe.refundPart(chargeId, 100);
  await scene.deliverSlowly(isTaking, async () => {
    stripe.closeDispute(dispute, 'won');
    await scene.deliverAll(other);
  });
  await scene.compare();
  expect(await stored()).toEqual({ given: 1_905, received: 1_848, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).toEqual(['dispute', 'refund', 'dispute_won']);
});

test('two disputes that are won leave the receiver all of it, though what was taken for the second arrives after the first was given back', async () => {
  const scene = await openCaptured();
  const { id, stripe, chargeId, stored } = scene;
  const other = await scene.start();
  const first = stripe.disputePart(chargeId, 1_000);
  await scene.deliver();
  const second = stripe.disputePart(chargeId, 400);
  await scene.deliverSlowly(isTaking, async () => {
    stripe.closeDispute(first, 'won');
    await scene.deliverAll(other);
  });
  stripe.closeDispute(second, 'won');
  await scene.deliverAll(other);
  await scene.compare();
  expect(await stored()).toEqual({ given: 2_000, received: 1_940, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).not.toContain('debit');
});

test('two disputes, one after the other, are won and given back at once, while a part is taken for a refund', async () => {
  const scene = await openCaptured();
  const { id, stripe, chargeId, stored } = scene;
  const other = await scene.start();
  const first = stripe.disputePart(chargeId, 100);
  await scene.deliver();
  stripe.fail((request) => (isGiving(request) ? NO_MONEY : null));
  stripe.closeDispute(first, 'won');
  await scene.deliver();
  expect(await stored()).toMatchObject({ gets: 100 });
  scene.t.clock.nowMs += 60_000;
  const second = stripe.disputePart(chargeId, 1_000);
  await scene.deliver();
  stripe.refundPart(chargeId, 100);
  await scene.deliverSlowly(isTaking, async () => {
    stripe.closeDispute(second, 'won');
    await scene.deliverAll(other);
  });
  await scene.compare();
  expect(await stored()).toEqual({ given: 1_905, received: 1_848, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).not.toContain('debit');
});

test('what one process wanted to take for a dispute is not taken after another one has given it back', async () => {
  const scene = await openCaptured();
  const { id, stripe, chargeId, stored } = scene;
  const other = await scene.start();
  const dispute = stripe.disputePart(chargeId, 1_000);
  let readings = 0;
  // By the first reading of the charge it is decided what to take, and the second one is made right before.
  await scene.deliverSlowly(
    ({ path }) => path.startsWith('/payment_intents/') && ++readings === 2,
    async () => {
      await scene.deliverAll(other);
      stripe.closeDispute(dispute, 'won');
      await scene.deliverAll(other);
    },
  );
  await scene.compare();
  expect(stripe.requests.filter(isTaking)).toHaveLength(1);
  expect(await stored()).toEqual({ given: 2_000, received: 1_940, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).toEqual(['dispute', 'dispute_won']);
});

test('what is being taken for one refund is taken once, though another refund takes its own part meanwhile', async () => {
  const scene = await openCaptured();
  const { id, stripe, chargeId, stored } = scene;
  const other = await scene.start();
  stripe.refundPart(chargeId, 500);
  await scene.deliverSlowly(isTaking, async () => {
    stripe.refundPart(chargeId, 300, { reverseTransfer: true });
    await scene.deliverAll(other);
  });
  await scene.compare();
  expect(await stored()).toEqual({ given: 1_238, received: 1_201, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).toEqual(['refund', 'refund']);
});

test('a charge that was read before another process entered a dispute of it is read again, and not believed', async () => {
  const scene = await openScene();
  const { stripe, stored } = scene;
  const other = await scene.start();
  const { id } = await scene.give();
  const { chargeId } = scene.pay();
  await scene.deliver();
  stripe.capture(chargeId);
  scene.endAt({
    name: 'movePayment',
    kind: 'succeeded',
    async meanwhile() {
      stripe.openDispute(chargeId);
      await scene.deliverAll(other);
    },
  });
  await scene.deliver();
  expect(await stored()).toEqual({ given: 0, received: 0, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).toEqual(['dispute']);
  await scene.compare();
});

test('what an operator takes at Stripe is debited again after a dispute has given it back', async () => {
  const scene = await openCaptured();
  const { id, stripe, chargeId, stored } = scene;
  stripe.reverseTransfer(chargeId, 500);
  await scene.deliver();
  const dispute = stripe.disputePart(chargeId, 300);
  await scene.deliver();
  stripe.closeDispute(dispute, 'won');
  await scene.deliver();
  expect(await stored()).toMatchObject({ received: 1_755 });
  stripe.reverseTransfer(chargeId, 300);
  expect((await scene.deliver()).status).toBe(200);
  expect(await stored()).toEqual({ given: 2_000, received: 1_478, ...NO_DEBTS });
  expect((await scene.kindsOf(id)).filter((kind) => kind === 'debit')).toHaveLength(2);
  await scene.compare();
});

test('a part of a cent of the receiver is owed to nobody when the dispute of it is won', async () => {
  const scene = await openCaptured();
  const { stripe, chargeId, stored } = scene;
  // Of 6 of 2100 the receiver has 6 of 1940, and of 7 no more.
  stripe.refundPart(chargeId, 6, { reverseTransfer: true });
  await scene.deliver();
  const dispute = stripe.disputePart(chargeId, 1);
  await scene.deliver();
  stripe.closeDispute(dispute, 'won');
  await scene.deliver();
  expect(await stored()).toEqual({ given: 1_994, received: 1_934, ...NO_DEBTS });
  await scene.compare();
});

test('what one process is taking is taken once, though an hour begins before it arrives', async () => {
  const scene = await openCaptured();
  const { id, t, stripe, chargeId, stored } = scene;
  const other = await scene.start();
  stripe.refundPart(chargeId, 500);
  await scene.deliverSlowly(isTaking, async () => {
    t.clock.nowMs += 60 * 60_000;
    await scene.deliverAll(other);
  });
  await scene.compare();
  expect(await stored()).toEqual({ given: 1_524, received: 1_478, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).toEqual(['refund']);
});

test('what one process is giving back is given once, though an hour begins before it arrives', async () => {
  const scene = await openCaptured();
  const { id, t, stripe, chargeId, stored } = scene;
  const other = await scene.start();
  const dispute = stripe.disputePart(chargeId, 1_000);
  await scene.deliver();
  stripe.closeDispute(dispute, 'won');
  await scene.deliverSlowly(isGiving, async () => {
    t.clock.nowMs += 60 * 60_000;
    await scene.deliverAll(other);
  });
  expect(stripe.transfers.filter(({ source }) => source === null)).toHaveLength(1);
  await scene.compare();
  expect(await stored()).toEqual({ given: 2_000, received: 1_940, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).toEqual(['dispute', 'dispute_won']);
});

test('what an operator takes at Stripe while two processes take it is taken once', async () => {
  const scene = await openCaptured();
  const { id, stripe, chargeId, stored } = scene;
  const other = await scene.start();
  stripe.refundPart(chargeId, 500);
  await scene.deliverSlowly(isTaking, async () => {
    stripe.reverseTransfer(chargeId, 200);
    await scene.deliverAll(other);
  });
  await scene.compare();
  expect(await stored()).toEqual({ given: 1_524, received: 1_478, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).toEqual(['refund']);
});

test.each([
  { byHand: 200, received: 1_293, kinds: ['refund', 'debit'] },
  // Too little is left for what is being taken.
  { byHand: 1_800, received: 277, kinds: ['refund', 'debit'] },
])('what an operator takes at Stripe while it is being taken moves as the ledger says: $byHand cents', async ({
  byHand,
  received,
  kinds,
}) => {
  const scene = await openCaptured();
  const { id, stripe, chargeId, stored } = scene;
  stripe.refundPart(chargeId, 500);
  await scene.deliverSlowly(isTaking, async () => stripe.reverseTransfer(chargeId, byHand));
  await scene.compare();
  expect(await stored()).toEqual({ given: 1_524, received, ...NO_DEBTS });
  expect(await scene.kindsOf(id)).toEqual(kinds);
});

test.each([
  { part: 2, left: 1_929 },
  { part: 6, left: 1_907 },
  { part: 7, left: 1_901 },
  { part: 46, left: 1_685 },
])('six refunds of $part cents after a dispute was given back take the part of the receiver, and nothing else', async ({
  part,
  left,
}) => {
  const scene = await openCaptured();
  const { id, stripe, chargeId, stored } = scene;
  const dispute = stripe.openDispute(chargeId);
  await scene.deliver();
  stripe.closeDispute(dispute, 'won');
  await scene.deliver();
  for (let times = 0; times < 6; times += 1) {
    stripe.refundPart(chargeId, part);
    await scene.deliver();
  }
  expect(await scene.kindsOf(id)).toEqual(['dispute', 'dispute_won', ...Array(6).fill('refund')]);
  expect(await stored()).toMatchObject({ received: left, ...NO_DEBTS });
  const { available, pending } = stripe.balanceOf(scene.accountId);
  expect(available + pending).toBe(left);
  await scene.compare();
});
