/**
 * The statements about tips; see `statements.ts`.
 */
import { and, asc, desc, eq, gt, gte, isNotNull, isNull, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { type BucketRange, DETAIL_BUCKETS, LACKS_DETAILS } from '../bucket-details.ts';
import { LISTING_SPAN } from '../rules.ts';
import { namesOfCode, ownsCode } from './code-statements.ts';
import { accounts, entries, qrCodes, reversals, tipBuckets, transactions } from './schema.ts';

export function prepareTipStatements(db: NodePgDatabase) {
  const value = sql.placeholder;

  /** A transaction as the port tells it. */
  const transaction = {
    id: transactions.id,
    giverId: transactions.giverId,
    receiverId: transactions.receiverId,
    qrCodeId: transactions.qrCodeId,
    serviceCategory: transactions.serviceCategory,
    amountCents: transactions.amountCents,
    giverFeeCents: transactions.giverFeeCents,
    receiverFeeCents: transactions.receiverFeeCents,
    netAmountCents: transactions.netAmountCents,
    giverFeeRate: transactions.giverFeeRate,
    receiverFeeRate: transactions.receiverFeeRate,
    idempotencyKey: transactions.idempotencyKey,
    createdAtMs: transactions.createdAtMs,
    paymentMode: transactions.paymentMode,
    /** Null as a whole where there is none. */
    reversal: { createdAtMs: reversals.createdAtMs, reversedBy: reversals.reversedBy },
  };
  const transactionWithNames = {
    ...transaction,
    receiverName: namesOfCode.fullName,
    receiverUsername: namesOfCode.username,
    displayName: qrCodes.displayName,
    defaultThankYou: qrCodes.thankYou,
  };
  const isReversed = eq(reversals.transactionSequence, transactions.sequence);

  const entriesWithTransactions = () =>
    db
      .select({ ...transactionWithNames, position: entries.position, kind: entries.kind })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .innerJoin(qrCodes, eq(qrCodes.id, transactions.qrCodeId))
      .innerJoin(accounts, ownsCode)
      .leftJoin(reversals, isReversed);

  const isOfService = sql`(${value('serviceCategory')}::text is null or ${transactions.serviceCategory} = ${value('serviceCategory')})`;
  const isMeant = and(sql`${entries.kind} in (${value('kind')}, ${value('otherKind')})`, isOfService);
  /** From the place at which a step of a listing ends up to, not including, the one before which it begins. */
  const isBetweenPlaces = and(
    eq(entries.accountId, value('userId')),
    sql`(${entries.createdAtMs}, ${entries.position}) < (${value('beforeMs')}::bigint, ${value('before')}::bigint)`,
    sql`(${entries.createdAtMs}, ${entries.position}) >= (${value('downToMs')}::bigint, ${value('downTo')}::bigint)`,
  );
  const bucketsBetween = and(
    eq(tipBuckets.accountId, value('accountId')),
    gte(tipBuckets.startMs, value('fromMs')),
    lt(tipBuckets.startMs, value('untilMs')),
  );
  const takenBetween = and(
    bucketsBetween,
    gt(tipBuckets.count, 0),
    sql`(${value('serviceCategory')}::text is null or ${tipBuckets.serviceCategory} = ${value('serviceCategory')})`,
  );

  return {
    transactionByKey: db
      .select(transaction)
      .from(transactions)
      .leftJoin(reversals, isReversed)
      .where(
        and(
          eq(transactions.giverId, value('giverId')),
          eq(transactions.idempotencyKey, value('idempotencyKey')),
          isNotNull(transactions.idempotencyKey),
        ),
      )
      .prepare('transaction_by_key'),
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
      .where(eq(transactions.id, value('id')))
      .prepare('transaction_by_id'),
    /** One range of the primary key, so that a page costs the same however long the history is. */
    tipsOfUser: entriesWithTransactions()
      .where(
        and(
          eq(entries.accountId, value('userId')),
          lt(entries.position, value('before')),
          gte(entries.position, value('downTo')),
          isMeant,
        ),
      )
      .orderBy(desc(entries.position))
      .limit(value('limit'))
      .prepare('tips_of_user'),
    /** The same between two times, by the index of times. */
    datedTipsOfUser: entriesWithTransactions()
      .where(and(isBetweenPlaces, isMeant))
      .orderBy(desc(entries.createdAtMs), desc(entries.position))
      .limit(value('limit'))
      .prepare('dated_tips_of_user'),
    /** Where a step of a dated listing ends: the place of the last entry that it looks at; none when it reaches the end. */
    endOfStep: db
      .select({ createdAtMs: entries.createdAtMs, position: entries.position })
      .from(entries)
      .where(
        and(
          eq(entries.accountId, value('userId')),
          gte(entries.createdAtMs, value('fromMs')),
          sql`(${entries.createdAtMs}, ${entries.position}) < (${value('beforeMs')}::bigint, ${value('before')}::bigint)`,
        ),
      )
      .orderBy(desc(entries.createdAtMs), desc(entries.position))
      .limit(1)
      .offset(LISTING_SPAN - 1)
      .prepare('end_of_step'),
    givenBetween: db
      .select({
        count: sql`count(*)`.mapWith(Number),
        givenCents: sql`coalesce(sum(${transactions.amountCents}), 0)`.mapWith(transactions.amountCents),
        feeCents: sql`coalesce(sum(${transactions.giverFeeCents}), 0)`.mapWith(transactions.giverFeeCents),
      })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .leftJoin(reversals, isReversed)
      .where(and(isBetweenPlaces, eq(entries.kind, 'given'), isOfService, isNull(reversals.sequence)))
      .prepare('given_between'),
    /** What was received between two times by local day and service, and whether the details of all of it are there. */
    dailyTakings: db
      .select({
        day: sql`(${tipBuckets.startMs} + ${value('offsetMs')}::bigint) / 86400000`.mapWith(Number).as('day'),
        serviceCategory: tipBuckets.serviceCategory,
        count: sql`sum(${tipBuckets.count})`.mapWith(tipBuckets.count),
        netCents: sql`sum(${tipBuckets.cents})`.mapWith(tipBuckets.cents),
        grossCents: sql`sum(${tipBuckets.grossCents})`.mapWith(tipBuckets.grossCents),
        largestCents: sql`max(${tipBuckets.largestCents})`.mapWith(tipBuckets.largestCents),
        isDetailed: sql<boolean>`bool_and(${tipBuckets.detailedCount} = ${tipBuckets.count})`,
      })
      .from(tipBuckets)
      .where(takenBetween)
      .groupBy(sql`day`, tipBuckets.serviceCategory)
      .prepare('daily_takings'),
    /** The same by the hour of the local week. */
    hourlyTakings: db
      .select({
        hourOfWeek: sql`(${tipBuckets.startMs} + ${value('offsetMs')}::bigint) / 3600000 % 168`
          .mapWith(Number)
          .as('hour'),
        count: sql`sum(${tipBuckets.count})`.mapWith(tipBuckets.count),
        netCents: sql`sum(${tipBuckets.cents})`.mapWith(tipBuckets.cents),
      })
      .from(tipBuckets)
      .where(takenBetween)
      .groupBy(sql`hour`)
      .prepare('hourly_takings'),
    /** Runs seldom, and is not prepared. */
    detailBuckets: {
      execute: ({ accountId, fromMs, untilMs }: BucketRange) =>
        db.execute(
          sql`${sql.raw(DETAIL_BUCKETS)} WHERE account_id = ${accountId} AND start_ms >= ${fromMs} AND start_ms < ${untilMs} AND ${sql.raw(LACKS_DETAILS)}`,
        ),
    },
    entriesOfUserSince: entriesWithTransactions()
      .where(and(eq(entries.accountId, value('userId')), gt(entries.position, value('after'))))
      .orderBy(asc(entries.position))
      .limit(value('limit'))
      .prepare('entries_of_user_since'),
    newestEntry: db
      .select({ position: entries.position, kind: entries.kind, transactionId: transactions.id })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .where(eq(entries.accountId, value('userId')))
      .orderBy(desc(entries.position))
      .limit(1)
      .prepare('newest_entry'),
    /** In one statement, so that the totals and the buckets are of one moment. */
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
          sql`(${value('serviceCategory')}::text is null or ${tipBuckets.serviceCategory} = ${value('serviceCategory')})`,
        ),
      )
      .where(eq(accounts.id, value('userId')))
      .groupBy(accounts.id)
      .prepare('totals'),
  };
}
