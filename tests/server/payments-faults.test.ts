/**
 * The table of faults in decision 050, row by row: what fails before Stripe has heard of a step, during it, so
 * that Stripe has done it and nobody was told, and after it, when the process ends before it has saved what it was
 * told. Another process heals it by itself, and the ledger then says what Stripe says, to the cent.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compareWithStripe } from '#tests/support/stripe/compare.ts';
import {
  captured,
  type LastWrite,
  openPaymentScene,
  type PaymentScene,
} from '#tests/support/stripe/payment-scene.ts';
import type { StandInRequest } from '#tests/support/stripe/stand-in.ts';
import type { TestApp } from '#tests/support/test-app.ts';
import { createTestData, isOnSqlite, type TestData } from '#tests/support/test-data.ts';

const WHEN = ['before', 'during', 'after'] as const;
/**
 * Before and during a step nothing has been written, and each fault leaves the same state behind. What an engine could
 * do otherwise is the write that is broken off after it.
 */
const WHEN_HERE = WHEN.filter((when) => isOnSqlite() || when === 'after');
const DAY_MINUTES = 24 * 60;

interface Tip {
  readonly id: string;
  readonly chargeId: string;
}

interface Step {
  readonly name: string;
  /** Leads to the moment before it. */
  arrange(scene: PaymentScene): Promise<Tip | null>;
  act(scene: PaymentScene, tip: Tip | null): Promise<unknown>;
  isMeant(request: StandInRequest): boolean;
  readonly write: LastWrite;
  /** The states of payments, and what the provider was given by the ledger, while nothing has healed it. */
  readonly meanwhile: { readonly states: readonly string[]; readonly receivedCents: number };
  /** Healed by time alone where it is left out. */
  heal?(scene: PaymentScene, next: TestApp): Promise<unknown>;
  readonly end: { readonly status: string; readonly receivedCents: number };
}

const isPost =
  (end: string) =>
  ({ method, path }: StandInRequest) =>
    method === 'POST' && path.endsWith(end);
const isGet =
  (beginning: string) =>
  ({ method, path }: StandInRequest) =>
    method === 'GET' && path.startsWith(beginning);

async function authorised(scene: PaymentScene): Promise<Tip> {
  const { id } = await scene.give();
  const { chargeId } = scene.pay();
  await scene.deliver();
  return { id, chargeId };
}

const need = (tip: Tip | null): Tip => {
  if (!tip) throw new Error('there is no tip');
  return tip;
};

const STEPS: readonly Step[] = [
  {
    name: 'begin',
    arrange: async () => null,
    act: (scene) => expect(scene.give(2_000, 'key')).rejects.toThrow(),
    isMeant: isPost('/checkout/sessions'),
    write: { name: 'movePayment', kind: 'pending' },
    meanwhile: { states: ['created'], receivedCents: 0 },
    async heal(scene, next) {
      const tip = { amountCents: 2_000, idempotencyKey: 'key', serviceCategory: 'bartender' } as const;
      const receiverQrId = scene.provider.codes[0] ?? '';
      await next.trpc(scene.customer.token).transactions.create.mutate({ ...tip, receiverQrId });
      scene.pay();
    },
    end: { status: 'completed', receivedCents: 1_940 },
  },
  {
    name: 'authorise',
    async arrange(scene) {
      const { id } = await scene.give();
      return { id, chargeId: scene.pay().chargeId };
    },
    async act(scene) {
      expect((await scene.deliver()).status).toBeGreaterThanOrEqual(500);
    },
    isMeant: isGet('/checkout/sessions/'),
    write: { name: 'movePayment', kind: 'authorised' },
    meanwhile: { states: ['pending'], receivedCents: 0 },
    end: { status: 'completed', receivedCents: 1_940 },
  },
  {
    name: 'capture',
    arrange: authorised,
    act: (scene) => scene.pass(11),
    isMeant: isPost('/capture'),
    write: { name: 'movePayment', kind: 'succeeded' },
    meanwhile: { states: ['authorised'], receivedCents: 1_940 },
    end: { status: 'completed', receivedCents: 1_940 },
  },
  {
    name: 'cancel',
    arrange: authorised,
    act: ({ customer }, tip) =>
      expect(customer.trpc.transactions.refund.mutate({ id: need(tip).id })).rejects.toThrow(),
    isMeant: isPost('/cancel'),
    write: { name: 'movePayment', kind: 'cancelled' },
    meanwhile: { states: ['authorised'], receivedCents: 1_940 },
    end: { status: 'refunded', receivedCents: 0 },
  },
  {
    name: 'refund',
    arrange: captured,
    act: ({ provider }, tip) =>
      expect(provider.trpc.transactions.refund.mutate({ id: need(tip).id })).rejects.toThrow(),
    isMeant: isPost('/refunds'),
    write: { name: 'movePayment', kind: 'refunded' },
    meanwhile: { states: ['succeeded'], receivedCents: 1_940 },
    end: { status: 'refunded', receivedCents: 0 },
  },
  {
    name: 'adjust',
    arrange: captured,
    act(scene, tip) {
      scene.stripe.refundPart(need(tip).chargeId, 1_050, { reverseTransfer: true });
      return scene.deliver();
    },
    isMeant: isGet('/payment_intents/'),
    write: { name: 'adjustPayment' },
    meanwhile: { states: ['succeeded'], receivedCents: 1_940 },
    end: { status: 'completed', receivedCents: 970 },
  },
  {
    name: 'capture a part',
    arrange: authorised,
    act(scene, tip) {
      scene.stripe.capture(need(tip).chargeId, 1_050);
      return scene.deliver();
    },
    isMeant: isGet('/payment_intents/'),
    write: { name: 'movePayment', kind: 'succeeded' },
    meanwhile: { states: ['authorised'], receivedCents: 1_940 },
    end: { status: 'completed', receivedCents: 890 },
  },
  {
    name: 'refund the rest',
    async arrange(scene) {
      const tip = await captured(scene);
      scene.stripe.disputePart(tip.chargeId, 840);
      await scene.deliver();
      return tip;
    },
    act: ({ provider }, tip) =>
      expect(provider.trpc.transactions.refund.mutate({ id: need(tip).id })).rejects.toThrow(),
    isMeant: isPost('/refunds'),
    write: { name: 'adjustPayment' },
    meanwhile: { states: ['succeeded'], receivedCents: 1_164 },
    end: { status: 'disputed', receivedCents: 0 },
  },
  {
    name: 'take back',
    arrange: captured,
    act(scene, tip) {
      scene.stripe.refundPart(need(tip).chargeId, 1_050);
      return scene.deliver();
    },
    isMeant: isPost('/reversals'),
    write: { name: 'adjustPayment', madeBefore: 1 },
    meanwhile: { states: ['succeeded'], receivedCents: 970 },
    end: { status: 'completed', receivedCents: 970 },
  },
  {
    name: 'give back',
    async arrange(scene) {
      const tip = await captured(scene);
      const dispute = scene.stripe.openDispute(tip.chargeId);
      await scene.deliver();
      scene.stripe.closeDispute(dispute, 'won');
      return tip;
    },
    act: (scene) => scene.deliver(),
    isMeant: isPost('/transfers'),
    write: { name: 'adjustPayment', madeBefore: 1 },
    meanwhile: { states: ['succeeded'], receivedCents: 1_940 },
    end: { status: 'completed', receivedCents: 1_940 },
  },
];

async function stored(data: TestData) {
  const { payments = [], accounts = [] } = await data.dump();
  return {
    states: payments.map(({ state }) => state),
    receivedCents: accounts.reduce((sum, row) => sum + Number(row['total_tips_received_cents']), 0),
  };
}

/** Lets what is meant fail from now on. @returns how often it has failed. */
function breakAt(
  { stripe, endAt, ends }: PaymentScene,
  when: (typeof WHEN)[number],
  { isMeant, write }: Pick<Step, 'isMeant' | 'write'>,
): () => number {
  if (when === 'after') {
    endAt(write);
    return ends;
  }
  let cuts = 0;
  stripe.fail((request) => {
    if (!isMeant(request)) return null;
    cuts += 1;
    return { is: 'cut', when: when === 'before' ? 'before' : 'after' };
  });
  return () => cuts;
}

describe.each(STEPS)('a fault of the step "$name"', (step) => {
  test.each(WHEN_HERE)('%s it is healed by another process, and nothing is done twice', async (when) => {
    const scene = await openPaymentScene();
    const { stripe, t, customer, provider } = scene;
    const tip = await step.arrange(scene);
    const faults = breakAt(scene, when, step);
    await step.act(scene, tip);
    expect(faults()).toBeGreaterThan(0);
    expect(await stored(t.data)).toEqual(step.meanwhile);

    stripe.fail(() => null);
    const next = await scene.start();
    await step.heal?.(scene, next);
    await scene.pass(DAY_MINUTES, next);
    expect((await stored(t.data)).receivedCents).toBe(step.end.receivedCents);
    const [{ id } = { id: null }] = (await t.data.dump())['payments'] ?? [];
    for (const { token } of [customer, provider])
      expect(await next.trpc(token).transactions.get.query({ id: String(id) })).toMatchObject({
        status: step.end.status,
      });
    compareWithStripe(stripe, await t.data.dump());
  });
});

const RESTORE: Pick<Step, 'name' | 'isMeant' | 'write'> = {
  name: 'restore',
  isMeant: isGet('/checkout/sessions'),
  write: { name: 'enterFoundPayment' },
};

describe('a fault of the step "restore"', () => {
  test.each(WHEN_HERE)('%s it is healed by another process, and nothing is done twice', async (when) => {
    const scene = await openPaymentScene();
    const { stripe, t, customer, provider } = scene;
    const contents = await t.data.readContents();
    const { id } = await captured(scene);
    const data = await createTestData({ contents });
    const first = await scene.start({ data });
    const faults = breakAt(scene, when, RESTORE);
    await first.app.sweepPayments();
    expect(faults()).toBeGreaterThan(0);
    expect(await stored(data)).toEqual({ states: [], receivedCents: 0 });

    stripe.fail(() => null);
    const next = await scene.start({ data });
    await scene.pass(30, next);
    for (const { token } of [customer, provider])
      expect(await next.trpc(token).transactions.get.query({ id })).toMatchObject({
        status: 'completed',
        amountCents: 2_000,
      });
    compareWithStripe(stripe, await data.dump());
  });
});

test('decision 050 has a row for each fault, and none that is not tried', () => {
  const rows = readFileSync('docs/decisions/050-money-after-a-tip.md', 'utf8')
    .split('\n')
    .flatMap((line) => /^\| ([a-z ]+) \| (before|during|after) \|/.exec(line)?.slice(1, 3).join(', ') ?? []);
  const tried = [...STEPS, RESTORE].flatMap(({ name }) => WHEN.map((when) => `${name}, ${when}`));
  expect(rows).toEqual(tried);
});
