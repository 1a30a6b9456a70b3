/**
 * The statements about codes and tips; see `statements.ts`.
 */
import { and, asc, desc, eq, gt, gte, inArray, lt, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { Cents } from '#shared/money.ts';
import type { TransactionStatus } from '#shared/tips.ts';
import { given, prepareInsert, prepareNumberedInsert } from './placeholders.ts';
import {
  accounts,
  entries,
  photos,
  providerCategories,
  qrCodes,
  qrPictures,
  reversals,
  tipBuckets,
  transactions,
} from './schema.ts';

export function prepareTipStatements(db: BetterSQLite3Database) {
  const value = sql.placeholder;

  /** The names of whom a code tips, for statements that join a code with the account that owns it. */
  const namesOfCode = { username: accounts.username, fullName: accounts.fullName };
  const code = {
    id: qrCodes.id,
    userId: qrCodes.userId,
    serviceCategory: qrCodes.category,
    status: qrCodes.status,
    displayName: qrCodes.displayName,
    greeting: qrCodes.greeting,
    photoName: qrCodes.photoName,
  };
  const ownsCode = eq(accounts.id, qrCodes.userId);

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
    status: sql<TransactionStatus>`iif(${reversals.sequence} IS NULL, 'completed', 'refunded')`,
  };
  const transactionWithNames = {
    ...transaction,
    receiverName: namesOfCode.fullName,
    receiverUsername: namesOfCode.username,
    displayName: qrCodes.displayName,
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

  return {
    categoryOffered: db
      .select({ category: providerCategories.category })
      .from(providerCategories)
      .where(
        and(
          eq(providerCategories.userId, value('userId')),
          eq(providerCategories.category, value('category')),
          eq(providerCategories.isOffered, true),
        ),
      )
      .prepare(),
    /** The service's code that is active or paused; the index holds no others, and SQLite uses it only when the query says so. */
    codeOfCategory: db
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(
        and(
          eq(qrCodes.userId, value('userId')),
          eq(qrCodes.category, value('category')),
          sql`status in ('active', 'paused')`,
        ),
      )
      .prepare(),
    insertQrCode: prepareInsert(db, qrCodes),
    /** Each with its picture for the address that is `addressPrefix` and its id. */
    codesOfUser: db
      .select({ ...code, picture: qrPictures.png })
      .from(qrCodes)
      .leftJoin(
        qrPictures,
        and(
          eq(qrPictures.qrCodeId, qrCodes.id),
          eq(qrPictures.address, sql`${value('addressPrefix')} || ${qrCodes.id}`),
        ),
      )
      .where(eq(qrCodes.userId, given('userId')))
      .orderBy(asc(sql`${qrCodes}.rowid`))
      .prepare(),
    codeById: db
      .select(code)
      .from(qrCodes)
      .where(eq(qrCodes.id, value('id')))
      .prepare(),
    updateCode: db
      .update(qrCodes)
      .set({
        status: sql`${value('status')}`,
        displayName: sql`${value('displayName')}`,
        greeting: sql`${value('greeting')}`,
        photoName: sql`${value('photoName')}`,
      })
      .where(eq(qrCodes.id, value('id')))
      .prepare(),
    insertPhoto: prepareInsert(db, photos),
    photoByName: db
      .select({ jpeg: photos.jpeg })
      .from(photos)
      .where(eq(photos.name, value('name')))
      .prepare(),
    deletePhoto: db
      .delete(photos)
      .where(eq(photos.name, value('name')))
      .prepare(),
    codeExists: db
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(eq(qrCodes.id, value('id')))
      .prepare(),
    codeWithProvider: db
      .select({ ...code, ...namesOfCode })
      .from(qrCodes)
      .innerJoin(accounts, ownsCode)
      .where(eq(qrCodes.id, given('id')))
      .prepare(),
    pictureOfCode: db
      .select({ png: qrPictures.png })
      .from(qrPictures)
      .where(and(eq(qrPictures.qrCodeId, value('qrCodeId')), eq(qrPictures.address, value('address'))))
      .prepare(),
    insertPicture: prepareInsert(db, qrPictures, (insert) => insert.onConflictDoNothing()),

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
        count: value('count'),
        cents: value('cents'),
      })
      .onConflictDoUpdate({
        target: [tipBuckets.accountId, tipBuckets.startMs, tipBuckets.serviceCategory],
        set: {
          count: sql`${tipBuckets.count} + excluded.count`,
          cents: sql`${tipBuckets.cents} + excluded.cents`,
        },
      })
      .prepare(),
    takeFromBucket: db
      .update(tipBuckets)
      .set({
        count: sql`${tipBuckets.count} - 1`,
        cents: sql`${tipBuckets.cents} - ${value('cents')}`,
      })
      .where(
        and(
          eq(tipBuckets.accountId, value('accountId')),
          eq(tipBuckets.startMs, value('startMs')),
          eq(tipBuckets.serviceCategory, value('serviceCategory')),
        ),
      )
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
          inArray(entries.kind, ['received', 'given']),
        ),
      )
      .orderBy(desc(entries.position))
      .limit(value('limit'))
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
