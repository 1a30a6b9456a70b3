/**
 * Thousands of random operations, the same ones in every run, go to the ledger and to a model of it that is a few
 * lists in memory: every outcome, every total and every listing must be the same. Writes are sent several at once.
 */

import { expect, test } from 'vitest';
import { createQrCodes } from '#server/qr-codes/qr-codes.ts';
import type { Account, EntryKind } from '#server/storage/storage.ts';
import { createTransactionView } from '#server/tips/transaction-view.ts';
import { createTransactions } from '#server/tips/transactions.ts';
import { SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import {
  isTransactionId,
  newTransactionId,
  newUserId,
  type QrCodeId,
  showQrCodeId,
  type TransactionId,
} from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { newTip } from '#shared/tips.ts';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import { createChance } from '#tests/support/chance.ts';
import { START_MS } from '#tests/support/people.ts';
import type { Dump } from '#tests/support/stored-data.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';
import { createTestLedger } from '#tests/support/test-ledger.ts';

/** On PostgreSQL fewer, because the model is the same and a round trip is not. */
const OPERATIONS = isOnSqlite() ? 10_000 : 4_000;
const COMPARE_EVERY = 1_000;
const QUARTER_MS = 900_000;
const SEED = 20_261_120;
const MOST_ACCOUNTS = 60;
/** A code costs a picture, and its drawing is not the subject. */
const MOST_CODES = 80;

/** What a tip should look like once it is made; ids are the ledger's to choose. */
interface ModelTip {
  readonly giverId: string;
  readonly receiverId: string;
  readonly receiverName: string;
  readonly receiverUsername: string;
  readonly qrCodeId: QrCodeId;
  readonly amountCents: number;
  readonly giverFeeCents: number;
  readonly netAmountCents: number;
  readonly serviceCategory: ServiceCategory;
  status: 'completed' | 'refunded';
  readonly createdAt: string;
}

/** What a tip or its reversal did to one account. */
interface ModelEntry {
  readonly kind: EntryKind;
  /** Of the tip in the ledger. */
  readonly place: number;
  readonly cents: number;
}

interface TipRequest {
  readonly amountCents: unknown;
  readonly receiverQrId: string;
  readonly serviceCategory: ServiceCategory;
  readonly idempotencyKey?: string;
}

/** The product's rules about money once more, as plainly as they can be said. */
function createModel() {
  const accounts: Account[] = [];
  const codes: { id: QrCodeId; owner: Account; category: ServiceCategory }[] = [];
  const tips: ModelTip[] = [];
  const keys = new Map<string, { request: string; place: number }>();
  const entries = new Map<string, ModelEntry[]>();
  const enter = (accountId: string, entry: ModelEntry): void => {
    const chain = entries.get(accountId) ?? [];
    chain.push(entry);
    entries.set(accountId, chain);
  };

  const roundedShare = (amount: number, percent: bigint) =>
    Number((BigInt(amount) * percent * 2n + 100n) / 200n);

  return {
    accounts,
    codes,
    tips,

    register(account: Account): string {
      if (accounts.some(({ email }) => email.toLowerCase() === account.email.toLowerCase())) {
        return 'email_taken';
      }
      if (accounts.some(({ username }) => username === account.username)) return 'username_taken';
      accounts.push(account);
      return 'created';
    },

    /** The refusal of a code, or null. */
    refuseCode(owner: Account, category: ServiceCategory): string | null {
      if (!owner.serviceCategories.includes(category)) return 'category_not_offered';
      const isTaken = codes.some((code) => code.owner.id === owner.id && code.category === category);
      return isTaken ? 'qr_code_exists' : null;
    },

    /** Either a refusal or the place of the tip in the ledger. */
    tip(giver: Account, tip: TipRequest, now: number): string | number {
      const { amountCents } = tip;
      const isAmount = typeof amountCents === 'number' && Number.isInteger(amountCents);
      if (!isAmount || amountCents < 1_000 || amountCents > 1_000_000) return 'invalid_input';
      const code = codes.find(({ id }) => id === tip.receiverQrId.replace('-', '').toUpperCase());
      const key = tip.idempotencyKey && `${giver.id} ${tip.idempotencyKey}`;
      const request = `${code?.id} ${amountCents} ${tip.serviceCategory}`;
      const earlier = key === undefined ? undefined : keys.get(key);
      if (earlier) return earlier.request === request ? earlier.place : 'idempotency_key_reused';
      if (!code) return 'qr_code_not_found';
      if (code.owner.id === giver.id) return 'own_qr_code';
      if (code.category !== tip.serviceCategory) return 'category_mismatch';
      tips.push({
        giverId: giver.id,
        receiverId: code.owner.id,
        receiverName: code.owner.fullName,
        receiverUsername: code.owner.username,
        qrCodeId: code.id,
        amountCents,
        giverFeeCents: roundedShare(amountCents, 5n),
        netAmountCents: amountCents - roundedShare(amountCents, 3n),
        serviceCategory: code.category,
        status: 'completed',
        createdAt: new Date(now).toISOString(),
      });
      const place = tips.length - 1;
      if (key !== undefined) keys.set(key, { request, place });
      enter(giver.id, { kind: 'given', place, cents: amountCents });
      const netCents = amountCents - roundedShare(amountCents, 3n);
      enter(code.owner.id, { kind: 'received', place, cents: netCents });
      return place;
    },

    /** @returns the outcome. */
    reverse(place: number): string {
      const tip = tips[place];
      if (!tip) return 'unknown_transaction';
      if (tip.status === 'refunded') return 'reversed_before';
      tip.status = 'refunded';
      enter(tip.giverId, { kind: 'given_reversed', place, cents: -tip.amountCents });
      enter(tip.receiverId, { kind: 'received_reversed', place, cents: -tip.netAmountCents });
      return 'reversed';
    },

    /** The entries of an account in their order, each with the balance of its direction after it. */
    chain(account: Account) {
      const balances = { received: 0, given: 0 };
      return (entries.get(account.id) ?? []).map((entry, index) => {
        const direction = entry.kind.startsWith('received') ? 'received' : 'given';
        balances[direction] += entry.cents;
        return { ...entry, position: index + 1, balance: balances[direction] };
      });
    },

    listing: (account: Account) =>
      tips.filter((tip) => tip.giverId === account.id || tip.receiverId === account.id).reverse(),

    totals: (account: Account) => ({
      totalTipsReceivedCents: tips
        .filter(({ receiverId, status }) => receiverId === account.id && status === 'completed')
        .reduce((sum, tip) => sum + tip.netAmountCents, 0),
      totalTipsGivenCents: tips
        .filter(({ giverId, status }) => giverId === account.id && status === 'completed')
        .reduce((sum, tip) => sum + tip.amountCents, 0),
    }),
  };
}

test(`the ledger and a model of it agree on every one of ${OPERATIONS} random operations`, async () => {
  const chance = createChance(SEED);
  const { data, storage } = await createTestLedger({ random: chance.bytes });
  let now = START_MS;
  const deps = { storage, clock: () => now, random: chance.bytes };
  const view = createTransactionView(chance.bytes(32));
  const transactions = createTransactions({ ...deps, view });
  const qrCodes = createQrCodes({ ...deps, publicUrl: PUBLIC_URL });
  const model = createModel();
  /** The ids that the ledger gave to the tips of the model. */
  const ids: TransactionId[] = [];
  const sent: { giver: Account; tip: TipRequest }[] = [];
  const seen = new Map<string, number>();

  /** Hands a tip in as the doors do: what the schema refuses never reaches the ledger. */
  async function tipInLedger(giver: Account, request: TipRequest) {
    const parsed = newTip.safeParse(request);
    if (!parsed.success) return 'invalid_input';
    try {
      return await transactions.create(giver, parsed.data);
    } catch (error) {
      if (error instanceof AppError) return error.code;
      throw error;
    }
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
        `${chance.below(20)}@b.org`,
      ]),
      username: name,
      fullName: name.toUpperCase(),
      phone: null,
      isServiceProvider: categories.length > 0,
      serviceCategories: categories,
      totalTipsReceivedCents: cents(0),
      totalTipsGivenCents: cents(0),
      mustChangePassword: false,
    };
    const outcome = await storage.createAccount({ ...account, passwordHash: 'none', createdAtMs: now });
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
    const made = await qrCodes.create(owner, category).catch((error: unknown) => {
      if (error instanceof AppError) return error.code;
      throw error;
    });
    if (typeof made === 'string') {
      expect(made).toBe(refusal);
    } else {
      expect(refusal).toBeNull();
      expect(made).toMatchObject({ userId: owner.id, serviceCategory: category });
      model.codes.push({ id: made.id, owner, category });
    }
    count(refusal ?? 'code');
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
      expect(outcome).toEqual({ id: ids[expected], ...model.tips[expected] });
    }
    sent.push(...batch);
  }

  async function reverse(): Promise<void> {
    const place = chance.below(20) === 0 ? model.tips.length : chance.below(model.tips.length);
    const times = 1 + chance.below(2);
    const id = ids[place] ?? newTransactionId(chance.bytes);
    const outcomes = await Promise.all(Array.from({ length: times }, () => storage.reverseTip(id, now)));
    // Which of two that are asked for at once is the first is nobody's promise.
    const expected = outcomes.map(() => model.reverse(place));
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(expected.sort());
    for (const outcome of expected) count(outcome);
  }

  /** Compares the entries of an account, and the quarters of an hour in which it received, with those of the model. */
  async function compareEntries(account: Account, stored: Dump): Promise<void> {
    const chain = model.chain(account);
    expect(chain.filter(({ balance }) => balance < 0)).toEqual([]);
    const listed = await storage.listEntriesSince(account.id, 0, 2 * OPERATIONS);
    expect(
      listed.map(({ position, kind, transaction: { id, status } }) => [position, kind, id, status]),
    ).toEqual(
      chain.map(({ position, kind, place }) => [position, kind, ids[place], model.tips[place]?.status]),
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
      buckets.set(quarter, [tips + 1, sum + tip.netAmountCents]);
    }
    const kept = ownRows('tip_buckets')
      .filter(({ count }) => count !== 0)
      .map((row) => [`${row['start_ms']} ${row['service_category']}`, [row['count'], row['cents']]] as const);
    expect(new Map(kept)).toEqual(buckets);
  }

  async function compareEverything(): Promise<void> {
    const places = new Map(model.tips.map((tip, place) => [tip, ids[place]]));
    const stored = await data.dump();
    for (const account of model.accounts) {
      const expected = model.listing(account).map((tip) => ({
        id: places.get(tip),
        ...tip,
        ...(tip.giverId !== account.id && { giverId: expect.stringMatching(/^gvr_[0-9a-z]{26}$/) }),
      }));
      const listed = await transactions.list(account, { limit: OPERATIONS });
      expect(listed).toEqual({ transactions: expected, nextCursor: null });

      const summary = await transactions.summarise(account, { timeZone: 'UTC', dayStartHour: 0 });
      const today = new Date(now).toISOString().slice(0, 10);
      const receivedToday = expected.filter(
        ({ receiverId, createdAt, status }) =>
          receiverId === account.id && createdAt.startsWith(today) && status === 'completed',
      );
      expect(summary).toEqual({
        ...model.totals(account),
        receivedTodayCount: receivedToday.length,
        receivedTodayCents: receivedToday.reduce((sum, tip) => sum + tip.netAmountCents, 0),
      });
      const credentials = await storage.findCredentials(account.email);
      expect(credentials?.account).toEqual({ ...account, ...model.totals(account) });
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
    else if (kind < 20 && model.tips.length > 0) await reverse();
    else if (model.codes.length > 0) {
      size = Math.min(1 + chance.below(8), OPERATIONS - done);
      await tipTogether(size);
    }
    now += chance.below(3) * 60_000;
    if (Math.floor(done / COMPARE_EVERY) < Math.floor((done + size) / COMPARE_EVERY))
      await compareEverything();
    done += size;
  }

  const kinds = [
    ...['created', 'email_taken', 'username_taken', 'code', 'category_not_offered', 'qr_code_exists'],
    ...['tip', 'repeated tip', 'idempotency_key_reused', 'own_qr_code', 'qr_code_not_found'],
    ...['category_mismatch', 'invalid_input', 'reversed', 'reversed_before', 'unknown_transaction'],
  ];
  const rare = kinds.filter((kind) => (seen.get(kind) ?? 0) < OPERATIONS / 1_000);
  expect(rare, `of ${JSON.stringify([...seen])}`).toEqual([]);
}, 180_000);
