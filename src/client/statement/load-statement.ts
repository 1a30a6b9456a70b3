/** Loads the tips of a statement page by page, and their sums. */
import '../ui/later/zod-without-eval.ts';
import type { TransactionId } from '#shared/ids.ts';
import { type Insights, MAX_DAYS_BY_DAY, type TipSums } from '#shared/records.ts';
import { MAX_PAGE_SIZE, type Transaction } from '#shared/tips.ts';
import { api } from '../api-client/api.ts';
import { NO_FILTER, queryOf } from '../signed-in/later/tip-filter.ts';
import { daysIn, type StatementQuery } from './period.ts';

/** More rows than anybody reads on paper; the CSV has all of them. */
export const MAX_LISTED = 2_000;

const MAX_ATTEMPTS = 3;

export interface StatementData {
  /** Oldest first; only the newest ones when `hasMore`. */
  readonly tips: readonly Transaction[];
  readonly hasMore: boolean;
  readonly sums: TipSums;
  /** Earnings by month; null for tips that were sent. */
  readonly months: Insights | null;
  /** Earnings by day; null for tips that were sent, and for a period of too many days. */
  readonly days: Insights | null;
  readonly madeAt: Date;
}

export function hasDailyRecord(query: StatementQuery): boolean {
  return query.direction === 'received' && daysIn(query) <= MAX_DAYS_BY_DAY;
}

/** Loads all parts, and loads them again while one has a tip that another has not. */
export async function loadStatement(query: StatementQuery, signal: AbortSignal): Promise<StatementData> {
  for (let attempt = 1; ; attempt += 1) {
    const statement = await loadOnce(query, signal);
    if (attempt === MAX_ATTEMPTS || isOfOneMoment(statement, query)) return statement;
  }
}

async function loadOnce(query: StatementQuery, signal: AbortSignal): Promise<StatementData> {
  const asked = queryOf({ ...NO_FILTER, ...query });
  const { from, to } = query;
  const { direction: _, ...period } = { ...asked, from, to };
  const isReceived = query.direction === 'received';
  const [{ tips, hasMore }, sums, months, days] = await Promise.all([
    loadTips(asked, signal),
    api.transactions.sums.query(asked, { signal }),
    isReceived ? api.transactions.insights.query({ ...period, granularity: 'month' }, { signal }) : null,
    hasDailyRecord(query)
      ? api.transactions.insights.query({ ...period, granularity: 'day' }, { signal })
      : null,
  ]);
  const madeAt = new Date();
  return { tips: tips.reverse(), hasMore, sums, months, days, madeAt };
}

async function loadTips(asked: ReturnType<typeof queryOf>, signal: AbortSignal) {
  const tips: Transaction[] = [];
  let cursor: TransactionId | null = null;
  do {
    const page: Awaited<ReturnType<typeof api.transactions.list.query>> = await api.transactions.list.query(
      { ...asked, limit: MAX_PAGE_SIZE, cursor },
      { signal },
    );
    tips.push(...page.transactions);
    cursor = page.nextCursor as TransactionId | null;
  } while (cursor !== null && tips.length < MAX_LISTED);
  return { tips, hasMore: cursor !== null };
}

function isOfOneMoment({ tips, hasMore, sums, months, days }: StatementData, query: StatementQuery): boolean {
  const count = query.direction === 'received' ? sums.receivedCount : sums.sentCount;
  const isListed = hasMore || tips.filter(({ status }) => status === 'completed').length === count;
  return isListed && [months, days].every((earnings) => earnings === null || earnings.count === count);
}
