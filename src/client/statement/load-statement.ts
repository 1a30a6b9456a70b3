/** Loads the tips of a statement page by page, and their sums. */
import '../ui/later/zod-without-eval.ts';
import type { BookEntry, EntryPage } from '#shared/books.ts';
import { dateAfter, daysIn } from '#shared/calendar.ts';
import { type Insights, MAX_DAYS_BY_DAY, type TipSums } from '#shared/records.ts';
import { MAX_PAGE_SIZE, type Transaction, type TransactionPage } from '#shared/tips.ts';
import { api } from '../api-client/api.ts';
import { NO_FILTER, queryOf } from '../signed-in/later/tip-filter.ts';
import type { StatementQuery } from './period.ts';

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
  /** Refunds and other changes made in the period, oldest first; only the newest ones of very many. */
  readonly changes: readonly BookEntry[];
  /** Changes made after the period to tips of the period. */
  readonly since: readonly BookEntry[];
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
  const { dayStartHour } = query;
  const asked = { ...queryOf({ ...NO_FILTER, ...query }), dayStartHour };
  const { from, to } = query;
  const { direction: _, ...period } = { ...asked, from, to };
  const isReceived = query.direction === 'received';
  const { from: tipsFrom, to: tipsTo, ...others } = { ...asked, from, to };
  const [{ tips, hasMore }, sums, months, days, changes, since] = await Promise.all([
    loadTips(asked, signal),
    api.transactions.sums.query(asked, { signal }),
    isReceived ? api.transactions.insights.query({ ...period, granularity: 'month' }, { signal }) : null,
    hasDailyRecord(query)
      ? api.transactions.insights.query({ ...period, granularity: 'day' }, { signal })
      : null,
    loadChanges(asked, signal),
    loadChanges({ ...others, from: dateAfter(tipsTo, 1), tipsFrom, tipsTo }, signal),
  ]);
  const madeAt = new Date();
  return { tips: tips.reverse(), hasMore, sums, months, days, changes, since, madeAt };
}

async function loadTips(asked: EntriesAsked, signal: AbortSignal) {
  const tips: Transaction[] = [];
  let cursor: string | null = null;
  do {
    const page: TransactionPage = await api.transactions.list.query(
      { ...asked, limit: MAX_PAGE_SIZE, cursor },
      { signal },
    );
    tips.push(...page.transactions);
    cursor = page.nextCursor;
  } while (cursor !== null && tips.length < MAX_LISTED);
  return { tips, hasMore: cursor !== null };
}

type EntriesAsked = Parameters<typeof api.transactions.entries.query>[0];

async function loadChanges(asked: EntriesAsked, signal: AbortSignal): Promise<readonly BookEntry[]> {
  const changes: BookEntry[] = [];
  let cursor: string | null = null;
  do {
    const page: EntryPage = await api.transactions.entries.query(
      { ...asked, only: 'changes', limit: MAX_PAGE_SIZE, cursor },
      { signal },
    );
    changes.push(...page.entries);
    cursor = page.nextCursor;
  } while (cursor !== null && changes.length < MAX_LISTED);
  return changes.reverse();
}

function isOfOneMoment(statement: StatementData, query: StatementQuery): boolean {
  const { tips, hasMore, sums, months, days, changes, since } = statement;
  const count = query.direction === 'received' ? sums.receivedCount : sums.sentCount;
  const { changes: ofPeriod, since: afterIt } = booksOf(sums, query);
  const isListed = hasMore || tips.filter(({ status }) => status !== 'refunded').length === count;
  const areListed = (listed: readonly BookEntry[], told: { readonly count: number }) =>
    listed.length === told.count || listed.length >= MAX_LISTED;
  return (
    isListed &&
    areListed(changes, ofPeriod) &&
    areListed(since, afterIt) &&
    [months, days].every(
      (earnings) =>
        earnings === null || (earnings.count === count && earnings.books.changes.count === ofPeriod.count),
    )
  );
}

/** Tips and changes in the sum of the direction: net amounts when received, paid totals when sent. */
export function booksOf({ books }: TipSums, { direction }: Pick<StatementQuery, 'direction'>) {
  const received = ({ count, netCents }: TipSums['books']['receivedTips']) => ({ count, cents: netCents });
  const sent = ({ count, paidCents }: TipSums['books']['sentTips']) => ({ count, cents: paidCents });
  return direction === 'received'
    ? {
        tips: received(books.receivedTips),
        changes: received(books.receivedChanges),
        since: received(books.receivedSince),
      }
    : {
        tips: sent(books.sentTips),
        changes: sent(books.sentChanges),
        since: sent(books.sentSince),
      };
}
