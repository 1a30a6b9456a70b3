/** Steps that read an account's records: filtered tips, sums, entries and earnings. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import type {
  EarningsPeriod,
  EntryName,
  HourlyEarnings,
  Ledger,
  ListingPlace,
  TipFilter,
} from '../port/ledger.ts';
import { isReversal } from '../rules/events.ts';
import {
  isDated,
  isPartyTo,
  kindsOf,
  LISTING_SPAN,
  pageOf,
  startOfStep,
  transactionOf,
} from '../rules/tips.ts';
import { CATEGORY_NUMBERS } from '../schema/numbers.ts';
import type { Statements } from '../statements/all.ts';
import {
  changeOf,
  completed,
  findTip,
  isOfChange,
  paidAmong,
  readWhatFollowed,
  withWhatFollowed,
} from './adjustments.ts';
import { type Engine, reading, type StepOf, transacting } from './engine.ts';
import type { Step } from './step.ts';

export const createRecords = (engine: Engine) =>
  ({
    listTransactions: reading(engine)(listTips),
    findListingPlace: reading(engine)(findListingPlace),
    sumGiven: reading(engine)(sumGiven),
    findEntryPosition: reading(engine)(findEntryPosition),

    async readHourlyEarnings(accountId, period) {
      const known = await engine.read((statements) => readEarnings(statements, accountId, period));
      return known ?? transacting(engine)(detailEarnings)(accountId, period);
    },

    async findTransaction(userId, id) {
      const found = await engine.read((statements) => findOwn(statements, userId, id));
      return found && transactionOf(found);
    },

    listEntriesSince: reading(engine)(listEntriesSince),
    findNewestEntry: reading(engine)(findNewestEntry),

    async readTotals(userId, fromMs, untilMs, serviceCategory) {
      const period = { fromMs, untilMs, category: numberOf(serviceCategory ?? null) };
      const found = await engine.read(({ totals }) => totals.one({ userId, ...period }));
      if (!found) throw new Error('an account that is logged in has gone');
      return found;
    },
  }) satisfies Partial<Ledger>;

const numberOf = (category: ServiceCategory | null) => category && CATEGORY_NUMBERS[category];

const listEntriesSince: StepOf<Ledger['listEntriesSince']> = function* (statements, _, userId, after, limit) {
  const rows = yield* statements.entriesOfUserSince.all({ userId, after, limit });
  const followed = yield* readWhatFollowed(statements, paidAmong(rows));
  return rows.map(({ position, kind, ...tip }) => {
    const found = followed.get(tip.id);
    const change = changeOf({ position, kind }, found?.changes);
    return { position, kind, transaction: completed(tip, found), changeNumber: change?.number ?? null };
  });
};

const findNewestEntry: StepOf<Ledger['findNewestEntry']> = function* (statements, _, userId) {
  return (yield* findNewest(statements, userId)) ?? null;
};

export function* findNewest(statements: Statements, userId: UserId) {
  const newest = yield* statements.newestEntry.one({ userId });
  if (!newest) return undefined;
  const { kind, transactionId, position } = newest;
  const followed = isOfChange(kind) ? yield* readWhatFollowed(statements, [transactionId]) : undefined;
  const change = changeOf(newest, followed?.get(transactionId)?.changes);
  return { transactionId, position, isReversal: isReversal(kind), changeNumber: change?.number ?? null };
}

const findListingPlace: StepOf<Ledger['findListingPlace']> = function* (
  statements,
  _,
  userId,
  transactionId,
) {
  return yield* findPlace(statements, userId, { transactionId, isReversal: false, changeNumber: null });
};

const sumGiven: StepOf<Ledger['sumGiven']> = function* (statements, _, userId, filter, before) {
  const { bounds, next } = yield* stepFrom(statements.endOfStep, userId, filter, before);
  const { serviceCategory } = filter;
  const sums = yield* statements.givenBetween.one({ userId, serviceCategory, ...bounds });
  if (!sums) throw new Error('a sum has no row');
  return { ...sums, next };
};

const findEntryPosition: StepOf<Ledger['findEntryPosition']> = function* (statements, _, userId, entry) {
  return (yield* findPlace(statements, userId, entry))?.position ?? null;
};

/** The place of a tip, its reversal or a change of it among an account's entries; null when it has none. */
export function* findPlace(
  statements: Statements,
  userId: UserId,
  { transactionId, isReversal, changeNumber }: EntryName,
): Step<ListingPlace | null> {
  const found = yield* statements.transactionById.one({ id: transactionId });
  if (!found || !isPartyTo(userId, found)) return null;
  const changes =
    changeNumber === null
      ? []
      : ((yield* readWhatFollowed(statements, [transactionId])).get(transactionId)?.changes ?? []);
  const change = changes.find(({ number }) => number === changeNumber);
  const reversal = {
    giverPosition: found.giverPositionOfReversal,
    receiverPosition: found.receiverPositionOfReversal,
  };
  const places = changeNumber !== null ? change : isReversal ? reversal : found;
  const position = found.giverId === userId ? places?.giverPosition : places?.receiverPosition;
  return position === null || position === undefined ? null : { createdAtMs: found.createdAtMs, position };
}

function* findOwn(statements: Statements, userId: UserId | null, id: TransactionId) {
  const found = yield* findTip(statements, id);
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
    const { bounds, next } = yield* stepFrom(statements.endOfStep, userId, filter, before);
    const rows = yield* statements.datedTipsOfUser.all({ ...meant, ...bounds });
    return pageOf(yield* withWhatFollowed(statements, rows), limit, next);
  }
  const newest = before ?? (yield* statements.newestEntry.one({ userId }));
  const position = before?.position ?? (newest?.position ?? 0) + 1;
  const downTo = position - LISTING_SPAN;
  const rows = yield* statements.tipsOfUser.all({ ...meant, before: position, downTo });
  return pageOf(
    yield* withWhatFollowed(statements, rows),
    limit,
    downTo > 1 ? { createdAtMs: 0, position: downTo } : null,
  );
};

/** Null when details of buckets must be made up first (`detailEarnings`). */
function* readEarnings(
  { hourlyEarnings }: Statements,
  accountId: UserId,
  { serviceCategory, ...period }: EarningsPeriod,
): Step<HourlyEarnings[] | null> {
  const rows = yield* hourlyEarnings.all({ accountId, ...period, category: numberOf(serviceCategory) });
  return rows.every(({ isDetailed }) => isDetailed === 1) ? rows : null;
}

/** Makes up the details of a period's buckets and reads them. The account's lock keeps tips out meanwhile. */
const detailEarnings: StepOf<Ledger['readHourlyEarnings']> = function* (statements, _, accountId, period) {
  const { fromMs, untilMs } = period;
  yield* statements.lockAccount.one({ id: accountId });
  yield* statements.detailBuckets.change({ accountId, fromMs, untilMs });
  return (yield* readEarnings(statements, accountId, period)) ?? [];
};

/** Where a step of a listing by time begins and ends. @param endOf finds the last entry that it looks at. */
export function* stepFrom(
  endOf: Statements['endOfStep'],
  userId: UserId,
  { fromMs, untilMs }: Pick<TipFilter, 'fromMs' | 'untilMs'>,
  before: ListingPlace | null,
) {
  const start = startOfStep(untilMs, before);
  const from = { beforeMs: start.createdAtMs, before: start.position };
  const next = (yield* endOf.one({ userId, fromMs, ...from })) ?? null;
  return { bounds: { ...from, downToMs: next?.createdAtMs ?? fromMs, downTo: next?.position ?? 0 }, next };
}
