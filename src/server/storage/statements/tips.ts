import { and, asc, desc, eq, gt, gte, isNull, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import type { PresentBlock } from '../rules/messages.ts';
import { LISTING_SPAN, QUARTER_MS } from '../rules/tips.ts';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { adjustments, entries, reversals, tipBuckets, transactions } from '../schema/ledger.ts';
import { blockedGivers, tipMessages } from '../schema/messages.ts';
import { allBut, type Builder, insert, insertNumbered, is, matches, value } from './builder.ts';
import { code, namesOfCode, ownsCode } from './codes.ts';

const transaction = {
  ...allBut(transactions, 'sequence', 'idempotencyKey', 'giverPosition', 'receiverPosition'),
  reversal: { createdAtMs: reversals.createdAtMs, reversedBy: reversals.reversedBy },
};
export const transactionWithNames = {
  ...transaction,
  receiverName: namesOfCode.fullName,
  receiverUsername: namesOfCode.username,
  displayName: qrCodes.displayName,
  defaultThankYou: qrCodes.thankYou,
};
export const isReversed = eq(reversals.transactionSequence, transactions.sequence);
/** What the adjustments of a tip came to; a simulated tip is not asked for any. */
const adjusted = (column: PgColumn) => sql`case when ${transactions.paymentMode} = 'simulated' then 0 else (
  select coalesce(sum(${column}), 0) from ${adjustments}
  where ${adjustments.transactionSequence} = ${transactions.sequence}
) end`;
/** The same where the tip is called `tip`. */
const adjustedTip = (column: string) => sql`case when tip.payment_mode = 'simulated' then 0 else (
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
  is(entries.accountId, 'userId'),
  sql`${placeOfEntry} < ${placeGiven('beforeMs', 'before')}`,
  sql`${placeOfEntry} >= ${placeGiven('downToMs', 'downTo')}`,
);

export const CHANNEL = 'tipwell';

export function tipStatements({ db, isIn, raw, choose }: Builder) {
  const entriesWithTransactions = () =>
    db
      .select({ ...transactionWithNames, position: entries.position, kind: entries.kind })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .innerJoin(qrCodes, eq(qrCodes.id, transactions.qrCodeId))
      .innerJoin(accounts, ownsCode)
      .leftJoin(reversals, isReversed);

  const isMeant = and(
    sql`${entries.kind} in (${value('kind')}, ${value('otherKind')})`,
    isOfService(transactions.serviceCategory),
  );
  const bucketsBetween = and(
    is(tipBuckets.accountId, 'accountId'),
    gte(tipBuckets.startMs, value('fromMs')),
    lt(tipBuckets.startMs, value('untilMs')),
  );
  const localStart = sql`(${tipBuckets.startMs} + cast(${value('offsetMs')} as bigint))`;
  const isDetailed = sql`case when ${tipBuckets.detailedCount} = ${tipBuckets.count} then 1 else 0 end`;
  const takenBetween = and(bucketsBetween, gt(tipBuckets.count, 0), isOfService(tipBuckets.serviceCategory));

  const addTo = (total: 'totalTipsGivenCents' | 'totalTipsReceivedCents') =>
    db
      .update(accounts)
      .set({
        [total]: sql`${accounts[total]} + ${value('cents')}`,
        lastPosition: sql`${accounts.lastPosition} + 1`,
      })
      .where(is(accounts.id, 'id'))
      .returning({ position: accounts.lastPosition, balanceAfterCents: accounts[total] });

  /**
   * What a reversal takes from its bucket. Details are kept unless the tip was the largest, which a maximum
   * cannot give back, or they are missing; then they are made up on demand, so that a reversal costs the same
   * however many tips the bucket counts.
   */
  const isKept = sql`${tipBuckets.count} > 1 and ${tipBuckets.detailedCount} = ${tipBuckets.count}
    and ${tipBuckets.largestCents} > ${value('netCents')}`;
  const kept = (column: SQL) => sql`case when ${isKept} then ${column} else 0 end`;

  return {
    insertTransaction: insertNumbered(db, transactions, transactions.sequence),
    insertReversal: insert(db, reversals),
    insertEntry: insert(db, entries),
    /** Changes a total by `cents` and returns the position of its entry. */
    addToGiven: addTo('totalTipsGivenCents'),
    addToReceived: addTo('totalTipsReceivedCents'),
    addToBucket: db
      .insert(tipBuckets)
      .values({
        accountId: value('accountId'),
        startMs: value('startMs'),
        serviceCategory: value('serviceCategory'),
        count: 1,
        cents: value('netCents'),
        checkedCount: 0,
        checkedCents: cents(0),
        detailedCount: 1,
        grossCents: value('grossCents'),
        largestCents: value('netCents'),
      })
      .onConflictDoUpdate({
        target: [tipBuckets.accountId, tipBuckets.startMs, tipBuckets.serviceCategory],
        set: {
          count: sql`${tipBuckets.count} + excluded.count`,
          cents: sql`${tipBuckets.cents} + excluded.cents`,
          detailedCount: sql`${tipBuckets.detailedCount} + 1`,
          grossCents: sql`${tipBuckets.grossCents} + excluded.gross_cents`,
          largestCents: sql`case when ${tipBuckets.largestCents} > excluded.largest_cents
            then ${tipBuckets.largestCents} else excluded.largest_cents end`,
        },
      }),
    takeFromBucket: db
      .update(tipBuckets)
      .set({
        count: sql`${tipBuckets.count} - 1`,
        cents: sql`${tipBuckets.cents} - ${value('netCents')}`,
        detailedCount: kept(sql`${tipBuckets.detailedCount} - 1`),
        grossCents: kept(sql`${tipBuckets.grossCents} - ${value('grossCents')}`),
        largestCents: kept(sql`${tipBuckets.largestCents}`),
      })
      .where(matches(tipBuckets, 'accountId', 'startMs', 'serviceCategory')),
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
          (select sequence from ${transactions} where id = ${value('id')}),
          (select sequence from ${transactions} where giver_id = ${value('giverId')}
            and idempotency_key = ${value('idempotencyKey')} and idempotency_key is not null))`,
      ),
    transactionById: db
      .select({
        ...transactionWithNames,
        sequence: transactions.sequence,
        giverPosition: transactions.giverPosition,
        receiverPosition: transactions.receiverPosition,
        giverPositionOfReversal: reversals.giverPosition,
        receiverPositionOfReversal: reversals.receiverPosition,
        keyOfReversal: reversals.idempotencyKey,
      })
      .from(transactions)
      .innerJoin(qrCodes, eq(qrCodes.id, transactions.qrCodeId))
      .innerJoin(accounts, ownsCode)
      .leftJoin(reversals, isReversed)
      .where(is(transactions.id, 'id')),
    /** A range of the primary key, so that a page costs the same in any history. */
    tipsOfUser: entriesWithTransactions()
      .where(
        and(
          is(entries.accountId, 'userId'),
          lt(entries.position, value('before')),
          gte(entries.position, value('downTo')),
          isMeant,
        ),
      )
      .orderBy(desc(entries.position))
      .limit(value('limit')),
    /** The same for a period, by the index of times. */
    datedTipsOfUser: entriesWithTransactions()
      .where(and(isBetweenPlaces, isMeant))
      .orderBy(desc(entries.createdAtMs), desc(entries.position))
      .limit(value('limit')),
    /**
     * The place of the last entry that a step of a dated listing looks at; no row when the step reaches the
     * end.
     */
    endOfStep: db
      .select({ createdAtMs: entries.createdAtMs, position: entries.position })
      .from(entries)
      .where(
        and(
          is(entries.accountId, 'userId'),
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
      update ${tipBuckets} set (detailed_count, gross_cents, largest_cents) = (
        select count(*), coalesce(sum(tip.amount_cents + ${adjustedTip('amount_cents')}), 0),
          coalesce(max(tip.net_amount_cents + ${adjustedTip('net_amount_cents')}), 0)
        from ${entries} as entry join ${transactions} as tip on tip.sequence = entry.transaction_sequence
          left join ${reversals} as reversal on reversal.transaction_sequence = tip.sequence
        where entry.account_id = ${tipBuckets.accountId} and entry.created_at_ms >= ${tipBuckets.startMs}
          and entry.created_at_ms < ${tipBuckets.startMs} + ${sql.raw(String(QUARTER_MS))} and entry.kind = 'received'
          and tip.service_category = ${tipBuckets.serviceCategory} and reversal.sequence is null
      ) where ${bucketsBetween} and detailed_count <> count`),
    entriesOfUserSince: entriesWithTransactions()
      .where(and(is(entries.accountId, 'userId'), gt(entries.position, value('after'))))
      .orderBy(asc(entries.position))
      .limit(value('limit')),
    newestEntry: db
      .select({ position: entries.position, kind: entries.kind, transactionId: transactions.id })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .where(is(entries.accountId, 'userId'))
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
          eq(tipBuckets.accountId, accounts.id),
          gte(tipBuckets.startMs, value('fromMs')),
          lt(tipBuckets.startMs, value('untilMs')),
          isOfService(tipBuckets.serviceCategory),
        ),
      )
      .where(is(accounts.id, 'userId'))
      .groupBy(accounts.id),
    // What PostgreSQL reads for the tips that it records together.
    /** With the owner's blocks of the givers; pages of other services are read only when there are blocks. */
    codesWithBlocks: choose('SQLite records tips one by one', {
      sqlite: null,
      postgres: db
        .select({
          ...code,
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
     * Tips by ids, and those of earlier versions by givers and keys. LIMIT 1 keeps the planner from joining: without statistics of keys
     * it read the whole index for each group (1.6 ms a tip after some thousand).
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
          cross join lateral (select sequence from ${transactions} where id = tip_id limit 1) as tip
          union
          select sequence from unnest(${value('giverIds')}::text[], ${value('keys')}::text[]) as key (giver, word)
          cross join lateral (
            select sequence from ${transactions}
            where giver_id = giver and idempotency_key = word and idempotency_key is not null limit 1
          ) as tip
        ) as found`)
        .innerJoin(transactions, sql`${transactions.sequence} = found.sequence`)
        .leftJoin(reversals, isReversed)
        .leftJoin(tipMessages, eq(tipMessages.transactionId, transactions.id)),
    }),
  };
}
