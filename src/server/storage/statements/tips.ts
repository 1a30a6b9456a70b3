import { and, asc, desc, eq, gt, gte, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import type { PresentBlock } from '../rules/messages.ts';
import { LISTING_SPAN, QUARTER_MS } from '../rules/tips.ts';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { adjustments, reversals, tipEntries, tipQuarters, tips } from '../schema/ledger.ts';
import { blockedGivers, tipMessages } from '../schema/messages.ts';
import { KIND_NUMBERS, MODE_NUMBERS } from '../schema/numbers.ts';
import { entries, NUMBERS_OF_TIP, tipBuckets, transactions } from '../schema/views.ts';
import { isAccount } from './accounts.ts';
import { allBut, type Builder, insert, insertNumbered, is, matches, value } from './builder.ts';
import { code, namesOfCode, ownsCode } from './codes.ts';

const transaction = {
  ...allBut(
    transactions,
    'sequence',
    'idempotencyKey',
    'giverPosition',
    'receiverPosition',
    ...NUMBERS_OF_TIP,
  ),
  reversal: { createdAtMs: reversals.createdAtMs, reversedBy: reversals.reversedBy },
};
export const transactionWithNames = {
  ...transaction,
  receiverName: namesOfCode.fullName,
  receiverUsername: namesOfCode.username,
  displayName: qrCodes.displayName,
  defaultThankYou: qrCodes.thankYou,
};
export const isCodeOfTip = eq(qrCodes.sequence, transactions.code);
export const isReversed = eq(reversals.transactionSequence, transactions.sequence);
/** The sum of a tip's adjustments. Simulated tips have none, so that none are looked for. */
const adjusted = (column: PgColumn) => sql`case when ${transactions.paymentMode} = 'simulated' then 0 else (
  select coalesce(sum(${column}), 0) from ${adjustments}
  where ${adjustments.transactionSequence} = ${transactions.sequence}
) end`;
/** `adjusted` for a statement that calls the tip `tip`. */
const adjustedTip = (column: string) => sql`case when tip.mode = ${SIMULATED} then 0 else (
  select coalesce(sum(${sql.identifier(column)}), 0) from ${adjustments} where transaction_sequence = tip.sequence
) end`;

/** A null parameter stands for any service. */
export const isOfService = (column: PgColumn) =>
  sql`(cast(${value('serviceCategory')} as text) is null or ${column} = ${value('serviceCategory')})`;
export const placeOfEntry = sql`(${entries.createdAtMs}, ${entries.position})`;
export const placeGiven = (ms: string, position: string) =>
  sql`(cast(${value(ms)} as bigint), cast(${value(position)} as bigint))`;
/** Between the end of this step of a listing and the place before which it begins (exclusive). */
export const isBetweenPlaces = and(
  isAccount(entries.account, 'userId'),
  sql`${placeOfEntry} < ${placeGiven('beforeMs', 'before')}`,
  sql`${placeOfEntry} >= ${placeGiven('downToMs', 'downTo')}`,
);

export const CHANNEL = 'tipwell';

const QUARTER = sql.raw(String(QUARTER_MS));
/** The time at which a quarter begins; as a whole number of 64 bits on both engines. */
const quarterMs = (quarter: PgColumn | SQL) => sql`cast(${quarter} as bigint) * ${QUARTER}`;
const RECEIVED = sql.raw(String(KIND_NUMBERS.received));
const SIMULATED = sql.raw(String(MODE_NUMBERS.simulated));

export function tipStatements({ db, isIn, raw, choose }: Builder) {
  const entriesWithTransactions = () =>
    db
      .select({ ...transactionWithNames, position: entries.position, kind: entries.kind })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .innerJoin(qrCodes, isCodeOfTip)
      .innerJoin(accounts, ownsCode)
      .leftJoin(reversals, isReversed);

  const isMeant = and(
    sql`${entries.kind} in (${value('kind')}, ${value('otherKind')})`,
    isOfService(transactions.serviceCategory),
  );
  /** Both times are multiples of a quarter of an hour. */
  const quarterOf = (name: string) => sql`cast(${value(name)} as bigint) / ${QUARTER}`;
  const bucketsBetween = (
    buckets: { readonly account: PgColumn; readonly quarter: PgColumn },
    account: string,
  ) =>
    and(
      isAccount(buckets.account, account),
      gte(buckets.quarter, quarterOf('fromMs')),
      lt(buckets.quarter, quarterOf('untilMs')),
    );
  const localStart = sql`(${tipBuckets.startMs} + cast(${value('offsetMs')} as bigint))`;
  const isDetailed = sql`case when ${tipBuckets.detailedCount} = ${tipBuckets.count} then 1 else 0 end`;
  const takenBetween = and(
    bucketsBetween(tipBuckets, 'accountId'),
    gt(tipBuckets.count, 0),
    isOfService(tipBuckets.serviceCategory),
  );

  const addTo = (total: 'totalTipsGivenCents' | 'totalTipsReceivedCents') =>
    db
      .update(accounts)
      .set({
        [total]: sql`${accounts[total]} + ${value('cents')}`,
        lastPosition: sql`${accounts.lastPosition} + 1`,
      })
      .where(is(accounts.number, 'account'))
      .returning({ position: accounts.lastPosition, balanceAfterCents: accounts[total] });

  /**
   * A reversal keeps the details of its bucket unless the tip was the largest, which a maximum cannot give
   * back, or they are missing. They are then made up on demand, so that a reversal costs the same in any
   * bucket.
   */
  const isKept = sql`${tipQuarters.count} > 1 and ${tipQuarters.detailedCount} = ${tipQuarters.count}
    and ${tipQuarters.largestCents} > ${value('netCents')}`;
  const kept = (column: SQL) => sql`case when ${isKept} then ${column} else 0 end`;

  return {
    insertTip: insertNumbered(db, tips, tips.sequence),
    insertReversal: insert(db, reversals),
    insertEntry: insert(db, tipEntries),
    /** Changes a total by `cents` and returns the position of its entry. */
    addToGiven: addTo('totalTipsGivenCents'),
    addToReceived: addTo('totalTipsReceivedCents'),
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
    /** Sent when the transaction commits. */
    tellOthers: choose('the listeners of a file are in one process', {
      sqlite: null,
      postgres: db
        .select({ told: sql`pg_notify(${CHANNEL}, ${value('payload')})` })
        .from(sql`(select) as nothing`),
    }),
    /** The tip of an id; else the one of an earlier version with this giver and key. */
    earlierTip: db
      .select(transaction)
      .from(transactions)
      .leftJoin(reversals, isReversed)
      .where(
        sql`${transactions.sequence} = coalesce(
          (select sequence from ${tips} where id = ${value('id')}),
          (select sequence from ${tips} where ${isAccount(tips.giver, 'giverId')}
            and idempotency_key = ${value('idempotencyKey')} and idempotency_key <> ''))`,
      ),
    transactionById: db
      .select({
        ...transactionWithNames,
        sequence: transactions.sequence,
        giver: transactions.giver,
        receiver: transactions.receiver,
        giverPosition: transactions.giverPosition,
        receiverPosition: transactions.receiverPosition,
        giverPositionOfReversal: reversals.giverPosition,
        receiverPositionOfReversal: reversals.receiverPosition,
        keyOfReversal: reversals.idempotencyKey,
      })
      .from(transactions)
      .innerJoin(qrCodes, isCodeOfTip)
      .innerJoin(accounts, ownsCode)
      .leftJoin(reversals, isReversed)
      .where(is(transactions.id, 'id')),
    /** A range of the primary key, so that a page costs the same in any history. */
    tipsOfUser: entriesWithTransactions()
      .where(
        and(
          isAccount(entries.account, 'userId'),
          lt(entries.position, value('before')),
          gte(entries.position, value('downTo')),
          isMeant,
        ),
      )
      .orderBy(desc(entries.position))
      .limit(value('limit')),
    /** `tipsOfUser` for a period, by the index of times. */
    datedTipsOfUser: entriesWithTransactions()
      .where(and(isBetweenPlaces, isMeant))
      .orderBy(desc(entries.createdAtMs), desc(entries.position))
      .limit(value('limit')),
    /** The last entry that a step of a dated listing looks at; no row when the step reaches the end. */
    endOfStep: db
      .select({ createdAtMs: entries.createdAtMs, position: entries.position })
      .from(entries)
      .where(
        and(
          isAccount(entries.account, 'userId'),
          gte(entries.createdAtMs, value('fromMs')),
          sql`${placeOfEntry} < ${placeGiven('beforeMs', 'before')}`,
        ),
      )
      .orderBy(desc(entries.createdAtMs), desc(entries.position))
      .limit(1)
      .offset(LISTING_SPAN - 1),
    givenBetween: db
      .select({
        count: sql`count(*)`.mapWith(Number),
        givenCents:
          sql`coalesce(sum(${transactions.amountCents} + ${adjusted(adjustments.amountCents)}), 0)`.mapWith(
            transactions.amountCents,
          ),
        feeCents:
          sql`coalesce(sum(${transactions.giverFeeCents} + ${adjusted(adjustments.giverFeeCents)}), 0)`.mapWith(
            transactions.giverFeeCents,
          ),
      })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .leftJoin(reversals, isReversed)
      .where(
        and(
          isBetweenPlaces,
          eq(entries.kind, 'given'),
          isOfService(transactions.serviceCategory),
          isNull(reversals.sequence),
        ),
      ),
    /** Sums by local day and service, with whether all their details exist. */
    dailyEarnings: db
      .select({
        day: sql`${localStart} / 86400000`.mapWith(Number).as('day'),
        serviceCategory: tipBuckets.serviceCategory,
        count: sql`sum(${tipBuckets.count})`.mapWith(tipBuckets.count),
        netCents: sql`sum(${tipBuckets.cents})`.mapWith(tipBuckets.cents),
        grossCents: sql`sum(${tipBuckets.grossCents})`.mapWith(tipBuckets.grossCents),
        largestCents: sql`max(${tipBuckets.largestCents})`.mapWith(tipBuckets.largestCents),
        isDetailed: sql`min(${isDetailed})`.mapWith(Number),
      })
      .from(tipBuckets)
      .where(takenBetween)
      .groupBy(sql`day`, tipBuckets.serviceCategory),
    hourlyEarnings: db
      .select({
        hourOfWeek: sql`${localStart} / 3600000 % 168`.mapWith(Number).as('hour'),
        count: sql`sum(${tipBuckets.count})`.mapWith(tipBuckets.count),
        netCents: sql`sum(${tipBuckets.cents})`.mapWith(tipBuckets.cents),
      })
      .from(tipBuckets)
      .where(takenBetween)
      .groupBy(sql`hour`),
    /**
     * Makes up the missing details of a period's buckets. Each bucket reads its own entries by the index of
     * times; with a join, SQLite's planner compared each bucket with each sum.
     */
    detailBuckets: raw(sql`
      update ${tipQuarters} set (detailed_count, gross_cents, largest_cents) = (
        select count(*), coalesce(sum(tip.amount_cents + ${adjustedTip('amount_cents')}), 0),
          coalesce(max(tip.net_amount_cents + ${adjustedTip('net_amount_cents')}), 0)
        from ${tipEntries} as entry join ${tips} as tip on tip.sequence = entry.transaction_sequence
          left join ${reversals} as reversal on reversal.transaction_sequence = tip.sequence
        where entry.account = ${tipQuarters.account} and entry.created_at_ms >= ${quarterMs(tipQuarters.quarter)}
          and entry.created_at_ms < ${quarterMs(sql`(${tipQuarters.quarter} + 1)`)} and entry.kind = ${RECEIVED}
          and tip.category = ${tipQuarters.category} and reversal.sequence is null
      ) where ${bucketsBetween(tipQuarters, 'accountId')} and detailed_count <> count`),
    entriesOfUserSince: entriesWithTransactions()
      .where(and(isAccount(entries.account, 'userId'), gt(entries.position, value('after'))))
      .orderBy(asc(entries.position))
      .limit(value('limit')),
    newestEntry: db
      .select({ position: entries.position, kind: entries.kind, transactionId: transactions.id })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .where(isAccount(entries.account, 'userId'))
      .orderBy(desc(entries.position))
      .limit(1),
    /** One statement, so that totals and buckets are of one moment. */
    totals: db
      .select({
        totalTipsReceivedCents: accounts.totalTipsReceivedCents,
        totalTipsGivenCents: accounts.totalTipsGivenCents,
        receivedCount: sql`coalesce(sum(${tipBuckets.count}), 0)`.mapWith(tipBuckets.count),
        receivedCents: sql`coalesce(sum(${tipBuckets.cents}), 0)`.mapWith(tipBuckets.cents),
      })
      .from(accounts)
      .leftJoin(
        tipBuckets,
        and(
          eq(tipBuckets.account, accounts.number),
          gte(tipBuckets.quarter, quarterOf('fromMs')),
          lt(tipBuckets.quarter, quarterOf('untilMs')),
          isOfService(tipBuckets.serviceCategory),
        ),
      )
      .where(is(accounts.id, 'userId'))
      .groupBy(accounts.id),
    // PostgreSQL records tips together by these.
    /** With the owner's blocks of the givers; pages of other services are read only when there are blocks. */
    codesWithBlocks: choose('SQLite records tips one by one', {
      sqlite: null,
      postgres: db
        .select({
          ...code,
          number: qrCodes.sequence,
          blocks: sql<readonly (PresentBlock & { readonly giverId: UserId })[]>`array(
            select json_build_object('giverId', giver_id, 'serviceCategory', service_category,
              'pageId', page.id, 'displayName', page.display_name)
            from ${blockedGivers} left join lateral (
              select id, display_name from ${qrCodes} as own
              where own.user_id = receiver_id and own.category = service_category and own.status in ('active', 'paused') limit 1
            ) as page on true
            where receiver_id = qr_codes.user_id and giver_id = any (${value('giverIds')}::text[])
          )`,
        })
        .from(qrCodes)
        .where(isIn(qrCodes.id, 'codeIds')),
    }),
    /**
     * Tips by ids, and those of earlier versions by givers and keys. LIMIT 1 keeps the planner from joining:
     * without statistics of keys it read the whole index for each group (1.6 ms a tip after some thousand).
     */
    earlierTips: choose('SQLite records tips one by one', {
      sqlite: null,
      postgres: db
        .select({
          ...transaction,
          idempotencyKey: transactions.idempotencyKey,
          giverMessage: {
            message: tipMessages.message,
            giverName: tipMessages.giverName,
            isErased: tipMessages.isErased,
          },
        })
        .from(sql`(
          select sequence from unnest(${value('ids')}::text[]) as own (tip_id)
          cross join lateral (select sequence from ${tips} where id = tip_id limit 1) as tip
          union
          select sequence from unnest(${value('giverIds')}::text[], ${value('keys')}::text[]) as key (giver, word)
          cross join lateral (
            select sequence from ${tips}
            where tips.giver = (select number from ${accounts} where id = key.giver)
              and idempotency_key = word and idempotency_key <> '' limit 1
          ) as tip
        ) as found`)
        .innerJoin(transactions, sql`${transactions.sequence} = found.sequence`)
        .leftJoin(reversals, isReversed)
        .leftJoin(tipMessages, eq(tipMessages.transactionId, transactions.id)),
    }),
  };
}
