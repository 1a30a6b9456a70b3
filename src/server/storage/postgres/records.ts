/**
 * Reading the records of an account: its tips by a filter, what they come to, and its takings over time.
 */
import type { UserId } from '#shared/ids.ts';
import type { DailyTakings, ListingPlace, ListingStep, TakingsPeriod, TipFilter } from '../ledger.ts';
import { isDated, kindsOf, LISTING_SPAN, pageOf, startOfStep } from '../rules.ts';
import type { Storage } from '../storage.ts';
import type { Statements } from './statements.ts';

/** `Storage.listTransactions`. */
export async function listTips(
  statements: Statements,
  userId: UserId,
  { filter, before, limit }: Parameters<Storage['listTransactions']>[1],
): Promise<ListingStep> {
  const { serviceCategory } = filter;
  const [kind, otherKind] = kindsOf(filter);
  const meant = { userId, kind, otherKind, serviceCategory, limit };
  if (isDated(filter)) {
    const { bounds, next } = await stepFrom(statements, userId, filter, before);
    return pageOf(await statements.datedTipsOfUser.execute({ ...meant, ...bounds }), limit, next);
  }
  const position = before?.position ?? (await lastPositionOf(statements, userId)) + 1;
  const downTo = position - LISTING_SPAN;
  const rows = await statements.tipsOfUser.execute({ ...meant, before: position, downTo });
  return pageOf(rows, limit, downTo > 1 ? { createdAtMs: 0, position: downTo } : null);
}

/** `Storage.sumGiven`. */
export async function sumGiven(
  statements: Statements,
  userId: UserId,
  filter: Omit<TipFilter, 'direction'>,
  before: ListingPlace | null,
) {
  const { bounds, next } = await stepFrom(statements, userId, filter, before);
  const { serviceCategory } = filter;
  const [sums] = await statements.givenBetween.execute({ userId, serviceCategory, ...bounds });
  if (!sums) throw new Error('a sum has no row');
  return { ...sums, next };
}

/** `Storage.readDailyTakings`; null when the details of some buckets have to be made up first, by `detailTakings`. */
export async function readDailyTakings(
  statements: Statements,
  accountId: UserId,
  period: TakingsPeriod,
): Promise<DailyTakings[] | null> {
  const rows = await statements.dailyTakings.execute({ accountId, ...period });
  return rows.every(({ isDetailed }) => isDetailed) ? rows.map(({ isDetailed: _, ...row }) => row) : null;
}

/** The same after the details of all buckets of the period are made up. The lock of the account keeps tips out meanwhile. */
export async function detailTakings(
  statements: Statements,
  accountId: UserId,
  period: TakingsPeriod,
): Promise<DailyTakings[]> {
  const { fromMs, untilMs } = period;
  await statements.lockAccount.execute({ id: accountId });
  await statements.detailBuckets.execute({ accountId, fromMs, untilMs });
  return (await readDailyTakings(statements, accountId, period)) ?? [];
}

async function lastPositionOf(statements: Statements, userId: UserId): Promise<number> {
  const [newest] = await statements.newestEntry.execute({ userId });
  return newest?.position ?? 0;
}

/** The bounds of a step of a dated listing, and where the next one begins. */
async function stepFrom(
  statements: Statements,
  userId: UserId,
  { fromMs, untilMs }: Pick<TipFilter, 'fromMs' | 'untilMs'>,
  before: ListingPlace | null,
) {
  const start = startOfStep(untilMs, before);
  const from = { beforeMs: start.createdAtMs, before: start.position };
  const [next = null] = await statements.endOfStep.execute({ userId, fromMs, ...from });
  return { bounds: { ...from, downToMs: next?.createdAtMs ?? fromMs, downTo: next?.position ?? 0 }, next };
}

/** `Storage.readTotals`. */
export async function readTotals(
  statements: Statements,
  period: Parameters<Statements['totals']['execute']>[0],
) {
  const [totals] = await statements.totals.execute(period);
  if (!totals) throw new Error('an account that is logged in has gone');
  return totals;
}
