/**
 * Thousands of random operations, the same ones in every run, go to the ledger and to a model of it that is a
 * few lists in memory: every outcome, every total and every listing must be the same. Writes are sent several
 * at once.
 */

import { expect, test } from 'vitest';
import { createSimulatedPayments } from '#server/payments/simulated.ts';
import { createQrCodes } from '#server/qr-codes/qr-codes.ts';
import { createStepQueue } from '#server/queue/step-queue.ts';
import type { Account } from '#server/storage/port/storage.ts';
import { decideAdjustments } from '#server/storage/rules/adjustments.ts';
import { NO_BLOCKED_WORDS } from '#server/tips/blocked-words.ts';
import { createEarnings } from '#server/tips/earnings.ts';
import { createGuestReceipts } from '#server/tips/guest-receipts.ts';
import { createTransactionView } from '#server/tips/transaction-view.ts';
import { createTransactions } from '#server/tips/transactions.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import {
  isTransactionId,
  newTransactionId,
  newUserId,
  showQrCodeId,
  type TransactionId,
} from '#shared/ids.ts';
import { cents, terms } from '#shared/money.ts';
import { GRANULARITIES, TIP_DIRECTIONS } from '#shared/records.ts';
import { newTip } from '#shared/tips.ts';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import { createChance } from '#tests/support/chance.ts';
import { SOMEBODY, testDrawing } from '#tests/support/drawing.ts';
import { createLedgerModel, type ModelFilter, type TipRequest } from '#tests/support/ledger-model.ts';
import { CHARGE_STEPS } from '#tests/support/model-charge.ts';
import { newTip as newRecord } from '#tests/support/new-tip.ts';
import { authoriseTip, HALF_AN_HOUR_MS, payoutAccountOf } from '#tests/support/payment-steps.ts';
import { START_MS } from '#tests/support/people.ts';
import type { Dump } from '#tests/support/stored-data.ts';
import { liftSuspension, suspendAccount } from '#tests/support/suspending.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';
import { createTestLedger } from '#tests/support/test-ledger.ts';

/** What each operation adds to the time limit: on a busy machine, and for the long lists of a long history. */
const MOST_PER_OPERATION_MS = 45;
/** The comparisons grow with the history; `npm run soak -- models` makes long ones. */
const LONG_HISTORY = process.env['MODEL_OPERATIONS'];
const OPERATIONS = Number(LONG_HISTORY ?? 2_500);
/** Histories of 10,000 operations in all, fewer on PostgreSQL, because the model is the same and a round trip is not. */
const SEEDS =
  LONG_HISTORY === undefined && isOnSqlite() ? [20_261_120, 20_262_120, 20_263_120] : [20_264_120];
const COMPARE_EVERY = 500;
const QUARTER_MS = 900_000;
const MOST_ACCOUNTS = 60;
/** A code costs a picture, and its drawing is not the subject. */
const MOST_CODES = 80;
const UNDO_MS = 20 * 60_000;
/**
 * With clocks that change in the months of the test, by an hour and by half of one, and far from a full hour.
 */
const TIME_ZONES = [
  'Europe/Vienna',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
];

test.each(SEEDS)(
  `the ledger and a model of it agree on every one of ${OPERATIONS} random operations from the seed %d`,
  async (seed) => {
    const chance = createChance(seed);
    const { data, storage } = await createTestLedger({ random: chance.bytes });
    let now = START_MS;
    const deps = { storage, clock: () => now, random: chance.bytes };
    const key = chance.bytes(32);
    const receipts = createGuestReceipts(key);
    const view = createTransactionView({
      key,
      undoMs: UNDO_MS,
      clock: deps.clock,
      publicUrl: PUBLIC_URL,
      receipts,
      messages: storage.messages,
      learnTerms: async () => {},
      isOfKeys: () => false,
    });
    const queryQueue = createStepQueue(8);
    // New tips are simulated, and what arrives of paid ones is asked for.
    const payments = { ...createSimulatedPayments(storage, deps.clock), mode: 'test' } as const;
    const transactions = createTransactions({
      ...deps,
      payments,
      receipts,
      view,
      undoMs: UNDO_MS,
      queryQueue,
      tipTerms: { now: terms, tick: async () => {} },
      blockedWords: NO_BLOCKED_WORDS,
    });
    const takings = createEarnings(storage, queryQueue, deps.clock);
    const qrCodes = createQrCodes({ ...deps, payments, publicUrl: PUBLIC_URL, draw: testDrawing.draw });
    const model = createLedgerModel(UNDO_MS);
    /** The ids that the ledger gave to the tips of the model. */
    const ids: TransactionId[] = [];
    const sent: { giver: Account; tip: TipRequest }[] = [];
    const refunds: { readonly account: Account; readonly place: number; readonly key: string | undefined }[] =
      [];
    const seen = new Map<string, number>();

    /** The refusal in the place of what is refused. */
    async function orRefusal<Result>(work: Promise<Result>): Promise<Result | string> {
      try {
        return await work;
      } catch (error) {
        if (error instanceof AppError) return error.code;
        throw error;
      }
    }

    /** A tip of the model as one of its two people is shown it; to the receiver the giver has a pseudonym. */
    function shown(account: Account, place: number) {
      const tip = model.tips[place];
      if (!tip) throw new Error('there is no such tip');
      return {
        id: ids[place],
        ...model.shown(account, tip, now),
        ...(tip.giverId !== account.id && { giverId: expect.stringMatching(/^gvr_[0-9a-z]{26}$/) }),
      };
    }

    /** Hands a tip in as the doors do: what the schema refuses never reaches the ledger. */
    async function tipInLedger(giver: Account, request: TipRequest) {
      const parsed = newTip.safeParse(request);
      return parsed.success ? orRefusal(transactions.create(giver, parsed.data)) : 'invalid_input';
    }

    function randomTip(): { giver: Account; tip: TipRequest } {
      const kind = chance.below(20);
      const earlier = sent.length > 0 ? chance.pick(sent) : undefined;
      if (kind < 4 && earlier?.tip.idempotencyKey) return earlier;
      if (kind < 6 && earlier?.tip.idempotencyKey) {
        const change = chance.pick([
          { amountCents: 1_000 + chance.below(5_000) },
          { receiverQrId: chance.pick(model.codes).id },
          { serviceCategory: chance.pick(SERVICE_CATEGORIES) },
        ]);
        return { giver: earlier.giver, tip: { ...earlier.tip, ...change } };
      }
      // Somebody else's key is nobody's business.
      const giver = chance.pick(model.accounts);
      const ofGiver = model.codes.filter(({ owner }) => owner.id === giver.id);
      const code = kind === 7 && ofGiver.length > 0 ? chance.pick(ofGiver) : chance.pick(model.codes);
      const badAmount = chance.pick([999, 1_000_001, 0, -5_000, 1_000.5, Number.NaN, '2000', null]);
      const typed = chance.pick([code.id, showQrCodeId(code.id), code.id.toLowerCase()]);
      const key = chance.pick([undefined, `key-${chance.below(2_000)}`, earlier?.tip.idempotencyKey]);
      return {
        giver,
        tip: {
          amountCents: kind === 8 ? badAmount : chance.pick([1_000, 1_000_000, 1_000 + chance.below(99_000)]),
          receiverQrId: kind === 9 ? 'ZZZZZ-ZZZZZ' : typed,
          serviceCategory: kind === 10 ? chance.pick(SERVICE_CATEGORIES) : code.category,
          ...(key !== undefined && { idempotencyKey: key }),
        },
      };
    }

    const count = (outcome: string) => seen.set(outcome, (seen.get(outcome) ?? 0) + 1);

    async function register(isProvider: boolean): Promise<void> {
      const name = `user-${chance.below(MOST_ACCOUNTS)}`;
      const categories = SERVICE_CATEGORIES.filter(() => isProvider && chance.below(3) === 0);
      const account: Account = {
        id: newUserId(chance.bytes),
        email: chance.pick([
          `${name}@example.com`,
          `${name.toUpperCase()}@Example.com`,
          `${chance.below(1_000)}@b.org`,
        ]),
        username: name,
        fullName: name.toUpperCase(),
        phone: null,
        isServiceProvider: categories.length > 0,
        serviceCategories: categories,
        totalTipsReceivedCents: cents(0),
        totalTipsGivenCents: cents(0),
        dayStartHour: null,
        acceptedTerms: null,
        mustChangePassword: false,
        suspension: null,
        createdAtMs: now,
      };
      const outcome = await storage.createAccount({ ...account, passwordHash: 'none' });
      expect(outcome).toBe(model.register(account));
      count(outcome);
    }

    async function makeCode(): Promise<void> {
      const owner = chance.pick(model.accounts);
      const category = chance.pick(
        owner.serviceCategories.length > 0 && chance.below(4) > 0
          ? owner.serviceCategories
          : SERVICE_CATEGORIES,
      );
      const refusal = model.refuseCode(owner, category);
      if (refusal === null && model.codes.length >= MOST_CODES) return;
      const made = await orRefusal(qrCodes.create(owner, category, SOMEBODY));
      if (typeof made === 'string') {
        expect(made).toBe(refusal);
      } else {
        expect(refusal).toBeNull();
        expect(made).toMatchObject({ userId: owner.id, serviceCategory: category });
        model.codes.push({ id: made.id, owner, category });
      }
      count(refusal ?? 'code');
    }

    /** Suspends somebody, or lets them in again, and seldom more than a few are suspended. */
    async function suspendOrLift(): Promise<void> {
      const { id } = chance.pick(model.accounts);
      if (model.suspended.delete(id)) await liftSuspension(storage, id);
      else if (model.suspended.size < 3) {
        await suspendAccount(storage, id);
        model.suspended.add(id);
      }
    }

    async function tipTogether(size: number): Promise<void> {
      const batch = Array.from({ length: size }, randomTip);
      const outcomes = await Promise.all(batch.map(({ giver, tip }) => tipInLedger(giver, tip)));
      for (const [index, { giver, tip }] of batch.entries()) {
        const outcome = outcomes[index];
        const expected = model.tip(giver, tip, now);
        if (typeof expected === 'string') {
          expect({ tip, outcome }).toEqual({ tip, outcome: expected });
          count(expected);
          continue;
        }
        count(expected === ids.length ? 'tip' : 'repeated tip');
        if (typeof outcome === 'object' && isTransactionId(outcome.id)) ids[expected] ??= outcome.id;
        expect(outcome).toEqual(shown(giver, expected));
      }
      sent.push(...batch);
    }

    /** Which tip is to be refunded, by whom: mostly a new one, by somebody who may. */
    function randomRefund(): (typeof refunds)[number] {
      const kind = chance.below(20);
      if (kind < 3 && refunds.length > 0) return chance.pick(refunds);
      const length = model.tips.length;
      const place = kind === 3 ? length : Math.max(0, length - 1 - chance.below(kind < 14 ? 12 : length));
      const { giverId, receiverId } = model.tips[place] ?? {};
      const party = chance.pick([giverId, receiverId]);
      const account = kind === 4 ? undefined : model.accounts.find(({ id }) => id === party);
      const key = chance.pick([undefined, `refund-${chance.below(500)}`]);
      return { account: account ?? chance.pick(model.accounts), place, key };
    }

    /** Asks for one tip to be refunded, up to three times at once, of which one may be the other side's. */
    async function refund(): Promise<void> {
      const asked = randomRefund();
      const { place } = asked;
      const { giverId, receiverId } = model.tips[place] ?? {};
      const otherSide = model.accounts.find(
        ({ id }) => id === (asked.account.id === giverId ? receiverId : giverId),
      );
      const together = Array.from({ length: 1 + chance.below(3) }, () =>
        otherSide && chance.below(3) === 0 ? { ...asked, account: otherSide } : asked,
      );
      const id = ids[place] ?? newTransactionId(chance.bytes);
      const answers = await Promise.all(
        together.map(async (one) => {
          const request = { id, ...(one.key !== undefined && { idempotencyKey: one.key }) };
          return { ...one, answer: await orRefusal(transactions.refund(one.account, request)) };
        }),
      );
      // Which of those that are asked for at once is the first is nobody's promise.
      const ordered = [
        ...answers.filter(({ answer }) => typeof answer !== 'string'),
        ...answers.filter(({ answer }) => typeof answer === 'string'),
      ];
      for (const { account, key, answer } of ordered) {
        const expected = model.refund(account, place, key, now);
        const isFine = expected === 'refunded' || expected === 'repeated';
        expect(answer).toEqual(isFine ? shown(account, place) : expected);
        count(expected === 'repeated' ? 'repeated refund' : expected);
        if (isFine) count(`refund by ${model.tips[place]?.refundedBy}`);
      }
      refunds.push(asked);
    }

    /** Authorises a tip at the payment service, which is no longer asked for anything. */
    async function authorise(): Promise<void> {
      const [giver, code] = [chance.pick(model.accounts), chance.pick(model.codes)];
      if (giver.id === code.owner.id || model.suspended.has(giver.id) || model.suspended.has(code.owner.id))
        return;
      const id = newTransactionId(chance.bytes);
      const amountCents = chance.pick([1_000, 1_000_000, 1_000 + chance.below(99_000)]);
      const needed = { id, giverId: giver.id, qrCodeId: code.id, createdAtMs: now, amountCents };
      await storage.payments.savePayoutAccount(payoutAccountOf(code.owner.id), now);
      await authoriseTip(storage, newRecord(needed, { serviceCategory: code.category, paymentMode: 'test' }));
      const held = { id, amountCents, capturesAtMs: now + HALF_AN_HOUR_MS };
      ids[model.authorise(giver, code, held, now)] = id;
      count('authorise');
    }

    /** Lets something happen to the money of a tip that was paid: what its charge tells then is entered. */
    async function changeCharge(): Promise<void> {
      const open = model.charges().filter(({ charge }) => charge.steps().length > 0);
      if (open.length === 0) return;
      const { place, charge } = chance.pick(open);
      const step = chance.pick(charge.steps());
      const expected = model.change(place, step, now, chance.below);
      const id = ids[place];
      const payment = id && (await storage.payments.findPayment({ id }));
      if (!payment) throw new Error('there is no such payment');
      const move = (to: Parameters<typeof storage.payments.movePayment>[1]) =>
        storage.payments.movePayment(id, to, now, now);
      count(step);
      if (step === 'cancel' || step === 'capture') {
        const to = step === 'cancel' ? 'cancelled' : 'succeeded';
        expect(await move({ kind: to, chargeId: `pi_${id}` })).toMatchObject({ outcome: 'moved' });
        return;
      }
      const { isRefunded, adjustments, ...debts } = decideAdjustments(payment, charge.told(), now);
      expect(isRefunded).toBe(step === 'rest');
      expect(
        adjustments.map(({ kind, createdAtMs, amountCents, giverFeeCents, netAmountCents }) => ({
          kind,
          at: new Date(createdAtMs).toISOString(),
          amountCents,
          giverFeeCents,
          netAmountCents,
        })),
      ).toEqual(expected);
      const change = { adjustments, ...debts, known: payment };
      if (adjustments.length > 0 || debts.owedToGiverCents !== payment.owedToGiverCents)
        expect(await storage.payments.adjustPayment(id, change, now, now)).toMatchObject({
          outcome: 'moved',
        });
      const adjustmentCount = payment.adjustments.length + adjustments.length;
      if (isRefunded)
        expect(await move({ kind: 'refunded', adjustmentCount })).toMatchObject({ outcome: 'moved' });
    }

    /**
     * Compares the entries of an account, and the quarters of an hour in which it received, with those of the
     * model.
     */
    async function compareEntries(account: Account, stored: Dump): Promise<void> {
      const chain = model.chain(account);
      expect(chain.filter(({ balance }) => balance < 0)).toEqual([]);
      const listed = await storage.listEntriesSince(account.id, 0, 2 * OPERATIONS);
      expect(
        listed.map(({ position, kind, transaction: { id, reversal } }) => [
          position,
          kind,
          id,
          reversal?.reversedBy ?? null,
        ]),
      ).toEqual(
        chain.map(({ position, kind, place }) => [position, kind, ids[place], model.tips[place]?.refundedBy]),
      );
      const half = Math.floor(chain.length / 2);
      expect(await storage.listEntriesSince(account.id, half, 3)).toEqual(listed.slice(half, half + 3));
      const ownRows = (table: string) =>
        (stored[table] ?? []).filter(({ account_id: accountId }) => accountId === account.id);
      const entries = ownRows('entries').map((row) => [
        row['position'],
        row['cents'],
        row['balance_after_cents'],
      ]);
      expect(entries.sort((one, other) => Number(one[0]) - Number(other[0]))).toEqual(
        chain.map(({ position, cents, balance }) => [position, cents, balance]),
      );

      const buckets = new Map<string, [count: number, cents: number]>();
      for (const tip of model.tips) {
        if (tip.receiverId !== account.id || tip.status === 'refunded') continue;
        const atMs = Date.parse(tip.createdAt);
        const quarter = `${atMs - (atMs % QUARTER_MS)} ${tip.serviceCategory}`;
        const [tips, sum] = buckets.get(quarter) ?? [0, 0];
        buckets.set(quarter, [tips + 1, sum + model.leftOf(tip).netAmountCents]);
      }
      const kept = ownRows('tip_buckets')
        .filter(({ count }) => count !== 0)
        .map(
          (row) => [`${row['start_ms']} ${row['service_category']}`, [row['count'], row['cents']]] as const,
        );
      expect(new Map(kept)).toEqual(buckets);
    }

    /** Some of the days of the test, from one to some months. */
    function randomPeriod() {
      const daysSoFar = Math.ceil((now - START_MS) / 86_400_000);
      const fromMs = START_MS + (chance.below(daysSoFar + 3) - 1) * 86_400_000;
      const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      return { from: dateOf(fromMs), to: dateOf(fromMs + chance.pick([0, 1, 6, 30, 100]) * 86_400_000) };
    }

    /** Compares a listing, read in pages, its sums, and takings, as far as a random filter means them. */
    async function compareRecords(account: Account): Promise<void> {
      const timeZone = chance.pick(TIME_ZONES);
      const serviceCategory = chance.pick([undefined, chance.pick(SERVICE_CATEGORIES)]);
      const direction = chance.pick([undefined, ...TIP_DIRECTIONS]);
      const period = randomPeriod();
      const service = serviceCategory && { serviceCategory };
      const filter: ModelFilter = {
        timeZone,
        ...service,
        ...(direction && { direction }),
        ...chance.pick([{}, period, { from: period.from }, { to: period.to }]),
      };
      const expected = model.listing(account, filter).map((tip) => shown(account, model.tips.indexOf(tip)));
      const listed = [];
      for (let cursor: TransactionId | null | undefined; cursor !== null; ) {
        const page = await transactions.list(account, { ...filter, limit: 1 + chance.below(60), cursor });
        listed.push(...page.transactions);
        if (page.nextCursor !== null && !isTransactionId(page.nextCursor)) throw new Error('no id');
        cursor = page.nextCursor;
      }
      expect(listed, JSON.stringify(filter)).toEqual(expected);
      expect(await transactions.sum(account, filter)).toEqual(model.sums(account, filter));

      const query = { ...period, timeZone, ...service, granularity: chance.pick(GRANULARITIES) };
      const insights = await takings.insights(account, query);
      // The period before one of whole months is of as many months.
      const { before, ...rest } = model.insights(account, query);
      expect(insights, JSON.stringify(query)).toMatchObject(rest);
      const isOfMonths = period.from.endsWith('-01');
      if (!isOfMonths) expect(insights.before).toEqual(before);
      // What was received in a period is the same for listings, sums and takings.
      const sums = await transactions.sum(account, { ...filter, ...period, direction: 'received' });
      expect([sums.receivedCount, sums.receivedCents]).toEqual([insights.count, insights.netCents]);
      if (insights.count > 0) count('insights of tips');

      // Asked each time, so that the past that is kept is compared with what is read anew after whatever has happened.
      const month = new Date(now).toISOString().slice(0, 8);
      const ofMonth = {
        from: `${month}01`,
        to: `${month}28`,
        timeZone: 'Asia/Kathmandu',
        granularity: 'day',
      } as const;
      const inMonth = await createEarnings(storage, queryQueue, deps.clock).insights(account, ofMonth);
      expect(await takings.insights(account, ofMonth)).toEqual(inMonth);
      if (inMonth.count > 0 && inMonth.before.count > 0) count('insights of the month');
    }

    async function compareEverything(): Promise<void> {
      const stored = await data.dump();
      for (const account of model.accounts) {
        const places = model.tips.flatMap(({ giverId, receiverId }, place) =>
          giverId === account.id || receiverId === account.id ? [place] : [],
        );
        const expected = places.reverse().map((place) => shown(account, place));
        const listed = await transactions.list(account, { limit: OPERATIONS, timeZone: 'UTC' });
        expect(listed).toEqual({ transactions: expected, nextCursor: null, blockedGiverIds: [] });
        await compareRecords(account);

        const summary = await transactions.summarise(account, { timeZone: 'UTC', dayStartHour: 0 });
        expect(summary).toEqual({ ...model.totals(account), ...model.today(account, now) });
        const credentials = await storage.findCredentials(account.email);
        expect(credentials?.account.suspension !== null).toBe(model.suspended.has(account.id));
        expect({ ...credentials?.account, suspension: null }).toEqual({
          ...account,
          ...model.totals(account),
        });
        const all = await transactions.sum(account, { timeZone: 'UTC' });
        expect([all.receivedCents, all.sentCents]).toEqual(Object.values(model.totals(account)));
        await compareEntries(account, stored);
        const codes = await storage.listQrCodes(account.id, '');
        expect(codes.map(({ id }) => id)).toEqual(
          model.codes.filter(({ owner }) => owner.id === account.id).map(({ id }) => id),
        );
      }
      expect(new Set(ids).size).toBe(model.tips.length);
      expect(await data.check()).toEqual([]);
      expect((await storage.checkRecent()).problems).toEqual([]);
    }

    for (let done = 0; done < OPERATIONS; ) {
      const isYoung = model.accounts.length < 5 || model.codes.length < 3;
      const kind = chance.below(100);
      let size = 1;
      if (kind < 3 || (isYoung && kind < 50)) await register(kind % 3 < 2);
      else if (model.accounts.length > 0 && (kind < 10 || isYoung)) await makeCode();
      else if (kind < 25 && model.tips.length > 0) await refund();
      else if (kind < 30) await suspendOrLift();
      else if (kind < 35 && model.codes.length > 0) await authorise();
      else if (kind < 46 && model.codes.length > 0) await changeCharge();
      else if (model.codes.length > 0) {
        size = Math.min(1 + chance.below(8), OPERATIONS - done);
        await tipTogether(size);
      }
      now += chance.below(3) * 60_000;
      // Some days without a tip, and a clock that is set back.
      if (chance.below(40) === 0) now += chance.below(9 * 1_440) * 60_000;
      if (chance.below(100) === 0) now -= 45 * 60_000;
      if (Math.floor(done / COMPARE_EVERY) < Math.floor((done + size) / COMPARE_EVERY))
        await compareEverything();
      done += size;
    }

    const kinds = [
      'created',
      'email_taken',
      'username_taken',
      'code',
      'category_not_offered',
      'qr_code_exists',
      'tip',
      'repeated tip',
      'idempotency_key_reused',
      'own_qr_code',
      'qr_code_not_found',
      'account_suspended',
      'qr_code_paused',
      'category_mismatch',
      'invalid_input',
      'refunded',
      'repeated refund',
      'not_refundable',
      'refund by giver',
      'refund by receiver',
      'transaction_not_found',
      'insights of tips',
      'insights of the month',
      'authorise',
    ];
    const isRarer = (kind: string, least: number) => (seen.get(kind) ?? 0) < least;
    const rare = [
      ...kinds.filter((kind) => isRarer(kind, OPERATIONS / 1_000)),
      ...CHARGE_STEPS.filter((step) => isRarer(step, OPERATIONS / 2_500)),
    ];
    expect(rare, `of ${JSON.stringify([...seen])}`).toEqual([]);
  },
  120_000 + OPERATIONS * MOST_PER_OPERATION_MS,
);
