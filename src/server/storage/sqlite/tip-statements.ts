/**
 * The statements about tips; see `statements.ts`.
 */
import { and, asc, desc, eq, gt, gte, isNull, lt, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { Cents } from '#shared/money.ts';
import { LISTING_SPAN } from '../rules.ts';
import { namesOfCode, ownsCode } from './code-statements.ts';
import { given, prepareInsert, prepareNumberedInsert } from './placeholders.ts';
import { accounts, entries, qrCodes, reversals, tipBuckets, transactions } from './schema.ts';

export function prepareTipStatements(db: BetterSQLite3Database) {
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

  const isOfService = sql`(${value('serviceCategory')} is null or ${transactions.serviceCategory} = ${value('serviceCategory')})`;
  const isMeant = and(sql`${entries.kind} in (${value('kind')}, ${value('otherKind')})`, isOfService);
  /** From the place at which a step of a listing ends up to, not including, the one before which it begins. */
  const isBetweenPlaces = and(
    eq(entries.accountId, given('userId')),
    sql`(${entries.createdAtMs}, ${entries.position}) < (${given('beforeMs')}, ${given('before')})`,
    sql`(${entries.createdAtMs}, ${entries.position}) >= (${given('downToMs')}, ${given('downTo')})`,
  );
  const bucketsBetween = and(
    eq(tipBuckets.accountId, value('accountId')),
    gte(tipBuckets.startMs, value('fromMs')),
    lt(tipBuckets.startMs, value('untilMs')),
  );
  const takenBetween = and(
    bucketsBetween,
    gt(tipBuckets.count, 0),
    sql`(${value('serviceCategory')} is null or ${tipBuckets.serviceCategory} = ${value('serviceCategory')})`,
  );

  return {
    insertTransaction: prepareNumberedInsert(db, transactions),
    insertReversal: prepareInsert(db, reversals),
    insertEntry: prepareInsert(db, entries),
    /** Moves the total given by `cents`, and answers where the entry that says so stands. */
    addToGiven: db
      .update(accounts)
      .set({
        totalTipsGivenCents: sql`${accounts.totalTipsGivenCents} + ${value('cents')}`,
        lastPosition: sql`${accounts.lastPosition} + 1`,
      })
      .where(eq(accounts.id, value('id')))
      .returning({ position: accounts.lastPosition, balanceAfterCents: accounts.totalTipsGivenCents })
      .prepare(),
    addToReceived: db
      .update(accounts)
      .set({
        totalTipsReceivedCents: sql`${accounts.totalTipsReceivedCents} + ${value('cents')}`,
        lastPosition: sql`${accounts.lastPosition} + 1`,
      })
      .where(eq(accounts.id, value('id')))
      .returning({ position: accounts.lastPosition, balanceAfterCents: accounts.totalTipsReceivedCents })
      .prepare(),
    addToBucket: db
      .insert(tipBuckets)
      .values({
        accountId: value('accountId'),
        startMs: value('startMs'),
        serviceCategory: value('serviceCategory'),
        count: 1,
        cents: value('netCents'),
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
          largestCents: sql`max(${tipBuckets.largestCents}, excluded.largest_cents)`,
        },
      })
      .prepare(),
    /** What was received between two times by local day and service, and whether the details of all of it are there. */
    dailyTakings: db
      .select({
        day: sql<number>`(${tipBuckets.startMs} + cast(${value('offsetMs')} as integer)) / 86400000`.as(
          'day',
        ),
        serviceCategory: tipBuckets.serviceCategory,
        count: sql<number>`sum(${tipBuckets.count})`,
        netCents: sql<Cents>`sum(${tipBuckets.cents})`,
        grossCents: sql<Cents>`sum(${tipBuckets.grossCents})`,
        largestCents: sql<Cents>`max(${tipBuckets.largestCents})`,
        isDetailed: sql<number>`min(${tipBuckets.detailedCount} = ${tipBuckets.count})`,
      })
      .from(tipBuckets)
      .where(takenBetween)
      .groupBy(sql`day`, tipBuckets.serviceCategory)
      .prepare(),
    /** The same by the hour of the local week. */
    hourlyTakings: db
      .select({
        hourOfWeek:
          sql<number>`(${tipBuckets.startMs} + cast(${value('offsetMs')} as integer)) / 3600000 % 168`.as(
            'hour',
          ),
        count: sql<number>`sum(${tipBuckets.count})`,
        netCents: sql<Cents>`sum(${tipBuckets.cents})`,
      })
      .from(tipBuckets)
      .where(takenBetween)
      .groupBy(sql`hour`)
      .prepare(),
    transactionByKey: db
      .select(transaction)
      .from(transactions)
      .leftJoin(reversals, isReversed)
      // The index holds only rows with a key, and SQLite uses it only when the query says so too.
      .where(
        and(
          eq(transactions.giverId, given('giverId')),
          eq(transactions.idempotencyKey, given('idempotencyKey')),
          sql`${transactions.idempotencyKey} is not null`,
        ),
      )
      .prepare(),
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
      .where(eq(transactions.id, given('id')))
      .prepare(),
    /** One range of the primary key, so that a page costs the same however long the history is. */
    tipsOfUser: entriesWithTransactions()
      .where(
        and(
          eq(entries.accountId, given('userId')),
          lt(entries.position, given('before')),
          gte(entries.position, given('downTo')),
          isMeant,
        ),
      )
      .orderBy(desc(entries.position))
      .limit(value('limit'))
      .prepare(),
    /** The same between two times, by the index of times. */
    datedTipsOfUser: entriesWithTransactions()
      .where(and(isBetweenPlaces, isMeant))
      .orderBy(desc(entries.createdAtMs), desc(entries.position))
      .limit(value('limit'))
      .prepare(),
    /** Where a step of a dated listing ends: the place of the last entry that it looks at; none when it reaches the end. */
    endOfStep: db
      .select({ createdAtMs: entries.createdAtMs, position: entries.position })
      .from(entries)
      .where(
        and(
          eq(entries.accountId, given('userId')),
          gte(entries.createdAtMs, given('fromMs')),
          sql`(${entries.createdAtMs}, ${entries.position}) < (${given('beforeMs')}, ${given('before')})`,
        ),
      )
      .orderBy(desc(entries.createdAtMs), desc(entries.position))
      .limit(1)
      .offset(LISTING_SPAN - 1)
      .prepare(),
    givenBetween: db
      .select({
        count: sql<number>`count(*)`,
        givenCents: sql<Cents>`coalesce(sum(${transactions.amountCents}), 0)`,
        feeCents: sql<Cents>`coalesce(sum(${transactions.giverFeeCents}), 0)`,
      })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .leftJoin(reversals, isReversed)
      .where(and(isBetweenPlaces, eq(entries.kind, 'given'), isOfService, isNull(reversals.sequence)))
      .prepare(),
    entriesOfUserSince: entriesWithTransactions()
      .where(and(eq(entries.accountId, given('userId')), gt(entries.position, given('after'))))
      .orderBy(asc(entries.position))
      .limit(value('limit'))
      .prepare(),
    newestEntry: db
      .select({ position: entries.position, kind: entries.kind, transactionId: transactions.id })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .where(eq(entries.accountId, given('userId')))
      .orderBy(desc(entries.position))
      .limit(1)
      .prepare(),
    totals: db
      .select({
        totalTipsReceivedCents: accounts.totalTipsReceivedCents,
        totalTipsGivenCents: accounts.totalTipsGivenCents,
      })
      .from(accounts)
      .where(eq(accounts.id, value('userId')))
      .prepare(),
    receivedBetween: db
      .select({
        count: sql<number>`coalesce(sum(${tipBuckets.count}), 0)`,
        netAmountCents: sql<Cents>`coalesce(sum(${tipBuckets.cents}), 0)`,
      })
      .from(tipBuckets)
      .where(
        and(
          eq(tipBuckets.accountId, value('userId')),
          gte(tipBuckets.startMs, value('fromMs')),
          lt(tipBuckets.startMs, value('untilMs')),
          sql`(${value('serviceCategory')} is null or ${tipBuckets.serviceCategory} = ${value('serviceCategory')})`,
        ),
      )
      .prepare(),
  };
}
