/**
 * The statements about codes and tips; see `statements.ts`.
 */
import { and, asc, desc, eq, gt, gte, inArray, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { TransactionStatus } from '#shared/tips.ts';
import { prepareInsert } from './placeholders.ts';
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

export function prepareTipStatements(db: NodePgDatabase) {
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
    status: sql<TransactionStatus>`CASE WHEN ${reversals.sequence} IS NULL THEN 'completed' ELSE 'refunded' END`,
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
      .prepare('category_offered'),
    /** The service's code that is active or paused. */
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
      .prepare('code_of_category'),
    insertQrCode: prepareInsert(db, qrCodes, 'insert_qr_code'),
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
      .where(eq(qrCodes.userId, value('userId')))
      .orderBy(asc(qrCodes.sequence))
      .prepare('codes_of_user'),
    codeWithProvider: db
      .select({ ...code, ...namesOfCode })
      .from(qrCodes)
      .innerJoin(accounts, ownsCode)
      .where(eq(qrCodes.id, value('id')))
      .prepare('code_with_provider'),
    pictureOfCode: db
      .select({ png: qrPictures.png })
      .from(qrPictures)
      .where(and(eq(qrPictures.qrCodeId, value('qrCodeId')), eq(qrPictures.address, value('address'))))
      .prepare('picture_of_code'),
    codeById: db
      .select(code)
      .from(qrCodes)
      .where(eq(qrCodes.id, value('id')))
      .prepare('code_by_id'),
    updateCode: db
      .update(qrCodes)
      .set({
        status: sql`${value('status')}`,
        displayName: sql`${value('displayName')}`,
        greeting: sql`${value('greeting')}`,
        photoName: sql`${value('photoName')}`,
      })
      .where(eq(qrCodes.id, value('id')))
      .prepare('update_code'),
    insertPhoto: prepareInsert(db, photos, 'insert_photo'),
    photoByName: db
      .select({ jpeg: photos.jpeg })
      .from(photos)
      .where(eq(photos.name, value('name')))
      .prepare('photo_by_name'),
    deletePhoto: db
      .delete(photos)
      .where(eq(photos.name, value('name')))
      .prepare('delete_photo'),
    insertPicture: prepareInsert(db, qrPictures, 'insert_picture'),

    transactionById: db
      .select({
        ...transactionWithNames,
        sequence: transactions.sequence,
        giverPosition: transactions.giverPosition,
        receiverPosition: transactions.receiverPosition,
        reversedAtMs: reversals.createdAtMs,
        giverPositionOfReversal: reversals.giverPosition,
        receiverPositionOfReversal: reversals.receiverPosition,
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
          inArray(entries.kind, ['received', 'given']),
        ),
      )
      .orderBy(desc(entries.position))
      .limit(value('limit'))
      .prepare('tips_of_user'),
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
