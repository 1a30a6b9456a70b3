/** Steps that read an account's records: filtered tips, sums, entries and earnings. */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type {
  DailyEarnings,
  EarningsPeriod,
  EntryName,
  Ledger,
  ListingPlace,
  TipFilter,
} from '../port/ledger.ts';
import {
  isDated,
  isPartyTo,
  kindsOf,
  LISTING_SPAN,
  pageOf,
  startOfStep,
  transactionOf,
} from '../rules/tips.ts';
import type { Statements } from '../statements/all.ts';
import { type Engine, reading, type StepOf, transacting } from './engine.ts';
import type { Step } from './step.ts';

export const createRecords = (engine: Engine) =>
  ({
    listTransactions: reading(engine)(listTips),
    findListingPlace: reading(engine)(findListingPlace),
    sumGiven: reading(engine)(sumGiven),
    findEntryPosition: reading(engine)(findEntryPosition),

    async readDailyEarnings(accountId, period) {
      const known = await engine.read((statements) => readDailyEarnings(statements, accountId, period));
      return known ?? transacting(engine)(detailEarnings)(accountId, period);
    },

    readHourlyEarnings: (accountId, period) =>
      engine.read(({ hourlyEarnings }) => hourlyEarnings.all({ accountId, ...period })),

    async findTransaction(userId, id) {
      const found = await engine.read((statements) => findOwn(statements, userId, id));
      return found && transactionOf(found);
    },

    async listEntriesSince(userId, after, limit) {
      const rows = await engine.read(({ entriesOfUserSince }) =>
        entriesOfUserSince.all({ userId, after, limit }),
      );
      return rows.map(({ position, kind, ...transaction }) => ({ position, kind, transaction }));
    },

    async findNewestEntry(userId) {
      const newest = await engine.read(({ newestEntry }) => newestEntry.one({ userId }));
      if (!newest) return null;
      const { kind, ...rest } = newest;
      return { ...rest, isReversal: kind === 'given_reversed' || kind === 'received_reversed' };
    },

    async readTotals(userId, fromMs, untilMs, serviceCategory) {
      const period = { fromMs, untilMs, serviceCategory: serviceCategory ?? null };
      const found = await engine.read(({ totals }) => totals.one({ userId, ...period }));
      if (!found) throw new Error('an account that is logged in has gone');
      return found;
    },
  }) satisfies Partial<Ledger>;

const findListingPlace: StepOf<Ledger['findListingPlace']> = function* (
  statements,
  _,
  userId,
  transactionId,
) {
  return yield* findPlace(statements, userId, { transactionId, isReversal: false });
};

const sumGiven: StepOf<Ledger['sumGiven']> = function* (statements, _, userId, filter, before) {
  const { bounds, next } = yield* stepFrom(statements, userId, filter, before);
  const { serviceCategory } = filter;
  const sums = yield* statements.givenBetween.one({ userId, serviceCategory, ...bounds });
  if (!sums) throw new Error('a sum has no row');
  return { ...sums, next };
};

const findEntryPosition: StepOf<Ledger['findEntryPosition']> = function* (statements, _, userId, entry) {
  return (yield* findPlace(statements, userId, entry))?.position ?? null;
};

/** The place of a tip, or of its reversal, among an account's entries; null when it has none. */
export function* findPlace(
  statements: Statements,
  userId: UserId,
  { transactionId, isReversal }: EntryName,
): Step<ListingPlace | null> {
  const found = yield* findOwn(statements, userId, transactionId);
  if (!found) return null;
  const [given, received] = isReversal
    ? [found.giverPositionOfReversal, found.receiverPositionOfReversal]
    : [found.giverPosition, found.receiverPosition];
  const position = found.giverId === userId ? given : received;
  return position === null ? null : { createdAtMs: found.createdAtMs, position };
}

function* findOwn({ transactionById }: Statements, userId: UserId | null, id: TransactionId) {
  const found = yield* transactionById.one({ id });
  return found && isPartyTo(userId, found) ? found : null;
}

const listTips: StepOf<Ledger['listTransactions']> = function* (
  statements,
  _,
  userId,
  { filter, before, limit },
) {
  const { serviceCategory } = filter;
  const [kind, otherKind] = kindsOf(filter);
  const meant = { userId, kind, otherKind, serviceCategory, limit };
  if (isDated(filter)) {
    const { bounds, next } = yield* stepFrom(statements, userId, filter, before);
    return pageOf(yield* statements.datedTipsOfUser.all({ ...meant, ...bounds }), limit, next);
  }
  const newest = before ?? (yield* statements.newestEntry.one({ userId }));
  const position = before?.position ?? (newest?.position ?? 0) + 1;
  const downTo = position - LISTING_SPAN;
  const rows = yield* statements.tipsOfUser.all({ ...meant, before: position, downTo });
  return pageOf(rows, limit, downTo > 1 ? { createdAtMs: 0, position: downTo } : null);
};

/** Null when details of buckets must be made up first (`detailEarnings`). */
function* readDailyEarnings(
  { dailyEarnings }: Statements,
  accountId: UserId,
  period: EarningsPeriod,
): Step<DailyEarnings[] | null> {
  const rows = yield* dailyEarnings.all({ accountId, ...period });
  return rows.every(({ isDetailed }) => isDetailed === 1)
    ? rows.map(({ isDetailed: _, ...row }) => row)
    : null;
}

/**
 * Makes up the details of a period's buckets, then reads them. The account's lock keeps tips out meanwhile.
 */
const detailEarnings: StepOf<Ledger['readDailyEarnings']> = function* (statements, _, accountId, period) {
  const { fromMs, untilMs } = period;
  yield* statements.lockAccount.one({ id: accountId });
  yield* statements.detailBuckets.change({ accountId, fromMs, untilMs });
  return (yield* readDailyEarnings(statements, accountId, period)) ?? [];
};

function* stepFrom(
  { endOfStep }: Statements,
  userId: UserId,
  { fromMs, untilMs }: Pick<TipFilter, 'fromMs' | 'untilMs'>,
  before: ListingPlace | null,
) {
  const start = startOfStep(untilMs, before);
  const from = { beforeMs: start.createdAtMs, before: start.position };
  const next = (yield* endOfStep.one({ userId, fromMs, ...from })) ?? null;
  return { bounds: { ...from, downToMs: next?.createdAtMs ?? fromMs, downTo: next?.position ?? 0 }, next };
}
