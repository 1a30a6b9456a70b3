/**
 * Random operations on tips that are paid at the stand-in for Stripe: money that is held, captured, given up,
 * refunded in part, disputed and taken back, accounts without money, webhook events that come in any order or never, a
 * payment service that is slow, refuses, fails and cuts lines, processes that end, and backups that are restored in
 * the middle of it. What must hold once all of that has ended is asserted here: the ledger says what Stripe says,
 * to the cent.
 */
import { TRPCClientError } from '@trpc/client';
import { expect, onTestFinished } from 'vitest';
import { createStripe } from '#server/payments/stripe/stripe.ts';
import { createChance } from '../chance.ts';
import { sendWebhookEvent } from '../paid-app.ts';
import { beginSession, createPeople, START_MS } from '../people.ts';
import { createTestApp, type TestApp } from '../test-app.ts';
import { createTestData, isOnSqlite } from '../test-data.ts';
import { compareWithStripe } from './compare.ts';
import { type Fault, type StandInWebhookEvent, startStripe } from './stand-in.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Longer than the longest pause between two looks at a payment. */
const SETTLING_STEP_MS = 35 * MINUTE_MS;
/** More than a day, because for so long Stripe answers what failed under an idempotency key as it did. */
const SETTLING_STEPS = 45;
const MOST_AT_ONCE = 5;
const FAULTS_PER_HUNDRED = 12;
const KEYS = 40;

/** What may be answered to a giver or a receiver, beside what they asked for. */
const REFUSALS = [
  'payment_unavailable',
  'not_refundable',
  'provider_not_payable',
  // What was not paid has no refund, and what a restored backup lacks is not there.
  'transaction_not_found',
];

/** Something that was asked for: how often it was done, or refused, for the figures of a run. */
export type Figures = Map<string, number>;

/** @returns how often what happened. */
export async function runPaymentChaos(seed: number, operations: number): Promise<Figures> {
  const chance = createChance(seed);
  const chanceOfFaults = createChance(seed + 1);
  const figures: Figures = new Map();
  const count = (what: string) => figures.set(what, (figures.get(what) ?? 0) + 1);

  let nowMs = START_MS;
  const stripe = await startStripe({ nowMs: () => nowMs });
  onTestFinished(() => stripe.stop());
  let data = await createTestData();
  const apps: TestApp[] = [];
  const everyApp: TestApp[] = [];

  /** Begins processes in the place of those that were there; two share a database of PostgreSQL. */
  async function start(): Promise<void> {
    const begun: TestApp[] = [];
    for (let app = 0; app < (isOnSqlite() ? 1 : 2); app += 1) {
      const paymentService = (clock: () => number) => createStripe(stripe.settings, clock);
      begun.push(await createTestApp({ data, beginsAtMs: nowMs, paymentService }));
    }
    apps.splice(0, apps.length, ...begun);
    everyApp.push(...begun);
    pass(0);
  }

  function pass(ms: number): void {
    nowMs += ms;
    for (const { clock } of everyApp) clock.nowMs = nowMs;
  }
  const anyApp = () => chance.pick(apps);
  const errorsLogged = () =>
    everyApp.flatMap(({ logLines }) => logLines.filter((line) => JSON.parse(line).level >= 50));
  await start();

  const [first] = apps;
  if (!first) throw new Error('there is no app');
  const { addAccount, addCode } = createPeople(first.storage, chance.bytes);
  const providers = await Promise.all(
    ['pat', 'kim'].map(async (name) => {
      const user = await addAccount(name, ['bartender']);
      const code = await addCode(user, 'bartender');
      const token = await beginSession(first.storage, user.email);
      await first.trpc(token).payments.onboard.mutate({ country: 'US' });
      return { user, token, code };
    }),
  );
  const customers = await Promise.all(
    ['cam', 'sam'].map(async (name) => {
      const user = await addAccount(name);
      return { user, token: await beginSession(first.storage, user.email) };
    }),
  );
  const givers = [...customers, ...providers];
  for (const { id } of stripe.accounts.values()) stripe.enable(id);

  /** The pages that somebody was shown; nobody pays on another one. */
  const shown = new Set<string>();
  /** The tips that were answered to somebody, by their ids. */
  const known = new Map<string, { readonly giver: string; readonly receiver: string }>();
  /** What a key stands for, and the tip that was answered to it. */
  const keys = Array.from({ length: KEYS }, (_, index) => {
    const giver = chance.pick(givers);
    const to = chance.pick(providers.filter(({ user }) => user.id !== giver.user.id));
    return {
      key: `key-${index}`,
      giver,
      to,
      amountCents: 1_000 + chance.below(50_000),
      ids: new Set<string>(),
    };
  });
  /** Webhook events that are lost for ever; Stripe repeats the others until they were taken. */
  const lost = new Set<StandInWebhookEvent>();
  const taken = new Set<StandInWebhookEvent>();
  const signedBefore: { readonly body: string; readonly signature: string; readonly atMs: number }[] = [];

  async function ask<Result>(what: string, call: () => Promise<Result>): Promise<Result | null> {
    try {
      const result = await call();
      count(what);
      return result;
    } catch (error) {
      const refusal = error instanceof TRPCClientError ? error.data?.errorCode : null;
      if (!REFUSALS.includes(String(refusal)))
        throw new Error(`${what}: ${refusal} ${errorsLogged().join('')}`, { cause: error });
      count(`${what}: ${refusal}`);
      return null;
    }
  }

  async function create(): Promise<void> {
    const { key, giver, to, amountCents, ids } = chance.pick(keys);
    const isRepeatable = chance.below(4) > 0;
    const together = Array.from({ length: 1 + (isRepeatable ? chance.below(3) : 0) }, anyApp);
    await Promise.all(
      together.map(async ({ trpc }) => {
        const tip = { receiverQrId: to.code, amountCents, serviceCategory: 'bartender' } as const;
        const answer = await ask('create', () =>
          trpc(giver.token).transactions.create.mutate({
            ...tip,
            ...(isRepeatable && { idempotencyKey: key }),
          }),
        );
        if (!answer) return;
        if (isRepeatable) ids.add(answer.id);
        known.set(answer.id, { giver: giver.token, receiver: to.token });
        const [, page] = /\/pay\/(cs_\w+)$/.exec(answer.paymentUrl ?? '') ?? [];
        if (page !== undefined) shown.add(page);
      }),
    );
  }

  function pay(): void {
    const pages = [...shown].filter((id) => stripe.sessions.get(id)?.status === 'open');
    if (pages.length > 0 && stripe.pay(chance.pick(pages))) count('pay');
  }

  let hasFaults = true;
  /** False while the operator's balance has no money for a transfer. */
  let canGiveBack = true;
  /** How many of the next requests to Stripe fail. */
  let failing = 0;

  async function deliver(webhookEvent: StandInWebhookEvent): Promise<number> {
    const { body, signature } = stripe.sign(webhookEvent);
    signedBefore.push({ body, signature, atMs: nowMs });
    const { status } = await sendWebhookEvent(anyApp(), body, signature);
    if (status === 200) taken.add(webhookEvent);
    else expect(status).toBe(503);
    count(`webhook event: ${status}`);
    return status;
  }

  async function deliverAny(): Promise<void> {
    const webhookEvents = stripe.webhookEvents.filter((webhookEvent) => !lost.has(webhookEvent));
    const waiting = webhookEvents.filter((webhookEvent) => !taken.has(webhookEvent));
    const from = chance.below(3) > 0 && waiting.length > 0 ? waiting : webhookEvents;
    const webhookEvent = chance.pick(from);
    if (chance.below(5) === 0 && webhookEvent.type !== 'account.updated' && !taken.has(webhookEvent)) {
      lost.add(webhookEvent);
      count('webhook event: lost');
    } else {
      // A fault by chance seldom meets the few requests that a webhook event makes.
      if (chance.below(5) === 0) failing = 4;
      await Promise.all(Array.from({ length: 1 + chance.below(2) }, () => deliver(webhookEvent)));
    }
  }

  /** Sends a webhook event with a signature that it got before. */
  async function replay(): Promise<void> {
    const [newest] = signedBefore.slice(-1);
    if (!newest) return;
    const { body, signature, atMs } = chance.below(2) === 0 ? newest : chance.pick(signedBefore);
    const { status } = await sendWebhookEvent(anyApp(), body, signature);
    // Stripe signs whole seconds.
    const ageMs = nowMs - atMs;
    if (ageMs >= 5 * MINUTE_MS + SECOND_MS) expect(status).toBe(400);
    else if (ageMs <= 5 * MINUTE_MS) expect([200, 503]).toContain(status);
    count(`replayed: ${status}`);
  }

  const oneOfNewest = (tips: number) =>
    known.size === 0 ? null : chance.pick([...known.keys()].slice(-tips));

  async function asParty(what: 'get' | 'giveUp' | 'refund'): Promise<void> {
    // Only what is still open can be given up.
    const id = oneOfNewest(what === 'giveUp' ? 4 : 30);
    if (id === null) return;
    const { giver, receiver } = known.get(id) ?? {};
    const isGiver = what !== 'refund' || chance.below(2) === 0;
    const { transactions } = anyApp().trpc(isGiver ? giver : receiver);
    const idempotencyKey = chance.pick([undefined, `refund-${id}`]);
    // As with a webhook event, a fault by chance seldom meets what is asked for here.
    if (what !== 'get' && chance.below(2) === 0) failing = 6;
    await (what === 'get'
      ? ask('get', () => transactions.get.query({ id }))
      : what === 'giveUp'
        ? ask('giveUp', () => transactions.giveUp.mutate({ id }))
        : ask('refund', () =>
            transactions.refund.mutate({ id, ...(idempotencyKey !== undefined && { idempotencyKey }) }),
          ));
  }

  function askInVain(what: 'giveUp' | 'refund'): Promise<void> {
    failing = 10;
    return asParty(what);
  }

  /** Something that happens at Stripe, unless it cannot. */
  function atStripe(what: string, happen: () => unknown): void {
    try {
      happen();
      count(what);
    } catch {
      count(`${what}: refused`);
    }
  }

  /** @param isCaptured whether its money was captured, and is not only held. */
  function withCharge(
    what: string,
    isCaptured: boolean,
    happen: (intentId: string, amount: number) => unknown,
  ): void {
    const charges = [...stripe.charges.values()].filter((charge) => charge.isCaptured === isCaptured);
    if (charges.length === 0) return;
    const { intentId, amount } = chance.pick(charges.slice(-10));
    atStripe(what, () => happen(intentId, amount));
  }

  const openDisputes = () =>
    [...stripe.charges.values()]
      .flatMap(({ disputes }) => disputes)
      .filter(({ status }) => status === 'needs_response');
  /** In turn, because few disputes end in a run; the runs of a test begin with different ones. */
  let isNextWon = Math.floor(seed / 1_000) % 2 === 0;

  function endDispute(): void {
    const open = openDisputes();
    if (open.length === 0) return;
    const how = isNextWon ? 'won' : 'lost';
    isNextWon = !isNextWon;
    atStripe(how, () => stripe.closeDispute(chance.pick(open).id, how));
  }

  function failRefund(): void {
    const made = [...stripe.charges.values()]
      .flatMap(({ refunds }) => refunds)
      .filter(({ status }) => status === 'pending');
    if (made.length > 0) atStripe('failRefund', () => stripe.failRefund(chance.pick(made).id));
  }

  const part = (amount: number) => 1 + chance.below(amount);
  const refundAtStripe = () => withCharge('refundAtStripe', true, stripe.refundAtStripe);
  const debit = () => withCharge('debit', true, (id, amount) => stripe.reverseTransfer(id, part(amount)));
  const refundPart = () =>
    withCharge('refundPart', true, (id, amount) =>
      stripe.refundPart(id, part(amount), {
        reverseTransfer: chance.below(2) === 0,
        isPending: chance.below(2) === 0,
      }),
    );
  const capturePart = () =>
    withCharge('capturePart', false, (id, amount) => stripe.capture(id, part(amount)));
  const empty = () => atStripe('empty', () => stripe.emptyAccount(chance.pick([...stripe.accounts.keys()])));
  const lapse = () => withCharge('lapse', false, stripe.expireAuthorisation);
  const disputePart = () =>
    withCharge('disputePart', true, (id, amount) => stripe.disputePart(id, part(amount)));

  const disputeUntil = (how: 'won' | 'lost') =>
    withCharge('dispute', true, (id) => {
      const dispute = stripe.openDispute(id);
      atStripe(how, () => stripe.closeDispute(dispute, how));
    });

  /** The operator ends a debt, at the moment in which something else may happen to its tip. */
  async function endDebt(of?: unknown): Promise<boolean> {
    const { payments } = anyApp().storage;
    const debts = (await payments.listDebts(9)).filter(
      ({ id, owedByReceiverCents, owedToReceiverCents }) =>
        owedByReceiverCents + owedToReceiverCents > 0 && (of === undefined || of === id),
    );
    if (debts.length === 0) return false;
    const { id, owedByReceiverCents } = chance.pick(debts);
    const [debt, action] =
      owedByReceiverCents > 0
        ? (['owed_by_receiver', 'debt_written_off'] as const)
        : (['owed_to_receiver', 'dispute_paid_otherwise'] as const);
    const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
    const act = { actor, action, subject: id, reason: null, atMs: nowMs };
    const isDone = await payments.settleDebt(id, debt, nowMs, act);
    if (isDone) count(action);
    return isDone;
  }

  /** A tip that was captured and of which nothing went back; given and paid now. */
  async function captureAnew(cents?: number) {
    const [provider] = providers;
    const [{ token } = { token: '' }] = customers;
    const tip = {
      receiverQrId: provider?.code ?? '',
      amountCents: 9_999,
      serviceCategory: 'bartender',
    } as const;
    const { id, paymentUrl } = await anyApp().trpc(token).transactions.create.mutate(tip);
    const [, page = ''] = /\/pay\/(cs_\w+)$/.exec(paymentUrl ?? '') ?? [];
    known.set(id, { giver: token, receiver: provider?.token ?? '' });
    stripe.pay(page);
    const intentId = stripe.sessions.get(page)?.intentId ?? '';
    stripe.capture(intentId, cents);
    await deliverNewest();
    return {
      id,
      intentId,
      receiver: provider?.token,
      account: stripe.charges.get(intentId)?.destination ?? '',
    };
  }

  async function deliverNewest(): Promise<void> {
    for (const webhookEvent of stripe.webhookEvents.slice(-3))
      if (!lost.has(webhookEvent)) await deliver(webhookEvent);
  }

  /** What chance seldom brings together, without faults: what each of it comes to is compared in the end. */
  async function meetParts(): Promise<void> {
    stripe.topUp(10_000_000);
    // By now no webhook event may have told that the providers can be paid, as after a restore.
    for (const { id } of stripe.accounts.values()) stripe.enable(id);
    for (const webhookEvent of stripe.webhookEvents.filter(
      (one) => one.type === 'account.updated' && !taken.has(one),
    ))
      await deliver(webhookEvent);
    await captureAnew(part(10_498));
    count('captured in part');
    const first = await captureAnew();
    const dispute = stripe.disputePart(first.intentId, part(10_000));
    if (chance.below(2) === 0) await deliverNewest();
    await ask('refund', () => anyApp().trpc(first.receiver).transactions.refund.mutate({ id: first.id }));
    stripe.closeDispute(dispute, 'won');
    count('rest refunded, then won');
    const second = await captureAnew();
    stripe.emptyAccount(second.account);
    const whole = stripe.openDispute(second.intentId);
    await deliverNewest();
    if (!(await endDebt(second.id))) throw new Error(`${second.id} owes nothing`);
    stripe.closeDispute(whole, 'won');
    count('written off, then won');
    const third = await captureAnew();
    const lastDispute = stripe.openDispute(third.intentId);
    await deliverNewest();
    canGiveBack = false;
    stripe.closeDispute(lastDispute, 'won');
    await deliverNewest();
    if (!(await endDebt(third.id))) throw new Error(`nothing is owed to the receiver of ${third.id}`);
    canGiveBack = true;
    if (chance.below(2) === 0) stripe.refundPart(third.intentId, part(10_000));
    count('won, then paid in another way');
  }
  let backup: Buffer | null = null;

  /** Puts a backup in the place of the data, or makes one; a copy of a file of SQLite. */
  async function backUpOrRestore(): Promise<void> {
    if (!isOnSqlite()) return;
    if (!backup) {
      backup = await data.readContents();
      count('backup');
      return;
    }
    data = await createTestData({ contents: backup });
    backup = null;
    await start();
    for (const { ids } of keys) ids.clear();
    // The backup may be older than the events about the accounts.
    for (const { id } of stripe.accounts.values()) stripe.enable(id);
    count('restore');
  }

  /** Steps that nothing else goes on beside, because they put other processes in the place of those that are there. */
  const apart: readonly (() => Promise<void>)[] = [
    async () => {
      await start();
      count('start');
    },
    backUpOrRestore,
  ];

  const steps: readonly [weight: number, step: () => unknown][] = [
    [22, create],
    [16, pay],
    [16, deliverAny],
    [4, replay],
    [14, () => asParty('get')],
    [5, () => asParty('giveUp')],
    [11, () => asParty('refund')],
    [1, refundAtStripe],
    [5, refundPart],
    [4, failRefund],
    [4, () => withCharge('dispute', true, (id) => stripe.openDispute(id))],
    [1, () => withCharge('inquiry', true, (id) => stripe.openDispute(id, true))],
    [8, endDispute],
    [2, debit],
    [2, capturePart],
    [2, disputePart],
    [1, () => endDebt()],
    [2, lapse],
    [1, empty],
    [8, () => anyApp().app.sweepPayments()],
  ];
  const allSteps = steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));

  const FAULTS: readonly Fault[] = [
    { is: 'slow', ms: 5 },
    { is: 'status', status: 429 },
    { is: 'status', status: 500 },
    { is: 'status', status: 500, isDone: true },
    { is: 'status', status: 503 },
    { is: 'cut', when: 'before' },
    { is: 'cut', when: 'after' },
  ];
  stripe.fail(({ method, path }) => {
    if (!canGiveBack && method === 'POST' && path === '/transfers')
      return { is: 'refused', status: 400, message: 'Insufficient funds', code: 'balance_insufficient' };
    if (!hasFaults) return null;
    // Several requests in a row, because the package asks a second time.
    if (failing === 0 && chanceOfFaults.below(100) < FAULTS_PER_HUNDRED)
      failing = 1 + chanceOfFaults.below(4);
    if (failing === 0) return null;
    failing -= 1;
    return chanceOfFaults.pick(FAULTS);
  });

  for (let done = 0; done < operations; ) {
    const size = 1 + chance.below(MOST_AT_ONCE);
    await Promise.all(Array.from({ length: size }, async () => chance.pick(allSteps)()));
    done += size;
    if (chance.below(12) === 0) await chance.pick(apart)();
    pass(chance.pick([0, 200, 2 * SECOND_MS, 10 * SECOND_MS, MINUTE_MS, 4 * MINUTE_MS, 12 * MINUTE_MS]));
  }

  // What chance may leave out of a short run, tried as often as a charge may turn out to be no use for it.
  const rare = {
    refundAtStripe,
    debit,
    failRefund,
    disputePart,
    capturePart,
    lapse,
    empty,
    refund: () => asParty('refund'),
    'refund: payment_unavailable': () => askInVain('refund'),
    'giveUp: payment_unavailable': () => askInVain('giveUp'),
    won: () => disputeUntil('won'),
    lost: () => disputeUntil('lost'),
    'replayed: 200': async () => {
      await deliverAny();
      await replay();
    },
  };
  for (const [what, happen] of Object.entries(rare))
    for (let tried = 0; tried < 20 && !figures.has(what); tried += 1) {
      await create();
      pay();
      refundPart();
      await happen();
    }
  // One stays open; the others end, as they do at Stripe.
  for (let open = openDisputes().length; open > 1; open -= 1) endDispute();
  hasFaults = false;
  await meetParts();
  const deliverRest = async () => {
    const rest = () =>
      stripe.webhookEvents.filter((webhookEvent) => !lost.has(webhookEvent) && !taken.has(webhookEvent));
    for (let webhookEvents = rest(); webhookEvents.length > 0; webhookEvents = rest())
      // What failed under a key is answered as it did, for a day.
      if ((await deliver(chance.pick(webhookEvents))) === 503) return;
  };
  for (let step = 0; step < SETTLING_STEPS; step += 1) {
    await deliverRest();
    pass(SETTLING_STEP_MS);
    await anyApp().app.sweepPayments();
  }
  await deliverRest();
  expect(
    stripe.webhookEvents.filter((webhookEvent) => !lost.has(webhookEvent) && !taken.has(webhookEvent)),
  ).toEqual([]);

  for (const { key, ids } of keys) expect(ids.size, `tips of ${key}`).toBeLessThan(2);
  expect(errorsLogged()).toEqual([]);
  compareWithStripe(stripe, await data.dump());
  expect(await data.check()).toEqual([]);
  return figures;
}
