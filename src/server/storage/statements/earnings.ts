/** The buckets of an account: what a tip and its reversal change in them, and the earnings added up from them. */
import { and, eq, gt, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { cents } from '#shared/money.ts';
import { QUARTER_MS } from '../rules/tips.ts';
import { accounts } from '../schema/accounts.ts';
import { adjustments, reversals, tipEntries, tipQuarters, tips } from '../schema/ledger.ts';
import { categoryOf, KIND_NUMBERS, MODE_NUMBERS } from '../schema/numbers.ts';
import { isAccount } from './accounts.ts';
import { type Builder, is, matches, value } from './builder.ts';

const QUARTER = sql.raw(String(QUARTER_MS));
/** The time at which a quarter begins; as a whole number of 64 bits on both engines. */
const quarterMs = (quarter: PgColumn | SQL) => sql`cast(${quarter} as bigint) * ${QUARTER}`;
const RECEIVED = sql.raw(String(KIND_NUMBERS.received));
const SIMULATED = sql.raw(String(MODE_NUMBERS.simulated));
/** The sum of adjustments of `tip`. Simulated tips have none, so that none are looked for. */
const adjustedTip = (cents: SQL) => sql`case when tip.mode = ${SIMULATED} then 0 else (
  select coalesce(sum(${cents}), 0) from ${adjustments} where transaction_sequence = tip.sequence
) end`;
/** As `movedBy` of rules/books.ts has it: a refund that failed is nothing of the receiver's. */
const keptAmount = sql`tip.amount_cents + ${adjustedTip(sql`case when kind = 'refund_failed' then 0 else amount_cents end`)}`;

export function earningsStatements({ db, raw, choose }: Builder) {
  const greater = choose('each engine has names of its own for the lesser and the greater of two values', {
    sqlite: sql.raw('max'),
    postgres: sql.raw('greatest'),
  });
  /** Both times are multiples of a quarter of an hour. */
  const quarterOf = (name: string) => sql`cast(${value(name)} as bigint) / ${QUARTER}`;
  const bucketsBetween = and(
    isAccount(tipQuarters.account, 'accountId'),
    gte(tipQuarters.quarter, quarterOf('fromMs')),
    lt(tipQuarters.quarter, quarterOf('untilMs')),
  );
  /** A null parameter stands for any service. */
  const isOfService = sql`(cast(${value('category')} as integer) is null or ${tipQuarters.category} = ${value('category')})`;
  const isDetailed = sql`case when ${tipQuarters.detailedCount} = ${tipQuarters.count} then 1 else 0 end`;

  /**
   * A reversal keeps the details of its bucket unless the tip was the largest, which a maximum cannot give back. They
   * are then made up on demand, so that a reversal costs the same in any bucket.
   */
  const isKept = sql`${tipQuarters.count} > 1 and ${tipQuarters.detailedCount} = ${tipQuarters.count}
    and ${tipQuarters.largestCents} > ${value('netCents')}`;
  const kept = (column: SQL) => sql`case when ${isKept} then ${column} else 0 end`;

  return {
    addToBucket: db
      .insert(tipQuarters)
      .values({
        account: value('account'),
        quarter: value('quarter'),
        category: value('category'),
        count: 1,
        cents: value('netCents'),
        checkedCount: 0,
        checkedCents: cents(0),
        detailedCount: 1,
        grossCents: value('grossCents'),
        largestCents: value('netCents'),
      })
      .onConflictDoUpdate({
        target: [tipQuarters.account, tipQuarters.quarter, tipQuarters.category],
        set: {
          count: sql`${tipQuarters.count} + excluded.count`,
          cents: sql`${tipQuarters.cents} + excluded.cents`,
          detailedCount: sql`${tipQuarters.detailedCount} + 1`,
          grossCents: sql`${tipQuarters.grossCents} + excluded.gross_cents`,
          largestCents: sql`case when ${tipQuarters.largestCents} > excluded.largest_cents
            then ${tipQuarters.largestCents} else excluded.largest_cents end`,
        },
      }),
    takeFromBucket: db
      .update(tipQuarters)
      .set({
        count: sql`${tipQuarters.count} - 1`,
        cents: sql`${tipQuarters.cents} - ${value('netCents')}`,
        detailedCount: kept(sql`${tipQuarters.detailedCount} - 1`),
        grossCents: kept(sql`${tipQuarters.grossCents} - ${value('grossCents')}`),
        largestCents: kept(sql`${tipQuarters.largestCents}`),
      })
      .where(matches(tipQuarters, 'account', 'quarter', 'category')),
    /** The numbers of the table, because words, which the view makes of each row, took twice the time. */
    hourlyEarnings: db
      .select({
        hour: sql`(${tipQuarters.quarter} + cast(${value('offsetMs')} as integer) / ${QUARTER}) / 4`
          .mapWith(Number)
          .as('hour'),
        serviceCategory: sql`${tipQuarters.category}`.mapWith(categoryOf),
        count: sql`sum(${tipQuarters.count})`.mapWith(tipQuarters.count),
        netCents: sql`sum(${tipQuarters.cents})`.mapWith(tipQuarters.cents),
        grossCents: sql`sum(${tipQuarters.grossCents})`.mapWith(tipQuarters.grossCents),
        largestCents: sql`max(${tipQuarters.largestCents})`.mapWith(tipQuarters.largestCents),
        isDetailed: sql`min(${isDetailed})`.mapWith(Number),
      })
      .from(tipQuarters)
      .where(and(bucketsBetween, gt(tipQuarters.count, 0), isOfService))
      .groupBy(sql`hour`, tipQuarters.category),
    /** Each bucket reads its own entries by the index of times; with a join, SQLite compared each with each sum. */
    detailBuckets: raw(sql`
      update ${tipQuarters} set (detailed_count, gross_cents, largest_cents) = (
        select count(*), coalesce(sum(${greater}(0, ${keptAmount})), 0),
          coalesce(max(tip.net_amount_cents + ${adjustedTip(sql`net_amount_cents`)}), 0)
        from ${tipEntries} as entry join ${tips} as tip on tip.sequence = entry.transaction_sequence
          left join ${reversals} as reversal on reversal.transaction_sequence = tip.sequence
        where entry.account = ${tipQuarters.account} and entry.created_at_ms >= ${quarterMs(tipQuarters.quarter)}
          and entry.created_at_ms < ${quarterMs(sql`(${tipQuarters.quarter} + 1)`)} and entry.kind = ${RECEIVED}
          and tip.category = ${tipQuarters.category} and reversal.sequence is null
      ) where ${bucketsBetween} and detailed_count <> count`),
    /** One statement, so that totals and buckets are of one moment. */
    totals: db
      .select({
        totalTipsReceivedCents: accounts.totalTipsReceivedCents,
        totalTipsGivenCents: accounts.totalTipsGivenCents,
        receivedCount: sql`coalesce(sum(${tipQuarters.count}), 0)`.mapWith(tipQuarters.count),
        receivedCents: sql`coalesce(sum(${tipQuarters.cents}), 0)`.mapWith(tipQuarters.cents),
      })
      .from(accounts)
      .leftJoin(
        tipQuarters,
        and(
          eq(tipQuarters.account, accounts.number),
          gte(tipQuarters.quarter, quarterOf('fromMs')),
          lt(tipQuarters.quarter, quarterOf('untilMs')),
          isOfService,
        ),
      )
      .where(is(accounts.id, 'userId'))
      .groupBy(accounts.id),
  };
}
