/**
 * The statements about codes and tips; see `statements.ts`.
 */
import { and, asc, count, desc, eq, getTableColumns, gt, gte, lt, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { unionAll } from 'drizzle-orm/sqlite-core';
import type { Cents } from '#shared/money.ts';
import { given, prepareInsert, prepareReturningInsert } from './placeholders.ts';
import { accounts, providerCategories, qrCodes, qrPictures, transactions } from './schema.ts';

export function prepareTipStatements(db: BetterSQLite3Database) {
  const value = sql.placeholder;

  /** The names of whom a code tips, for statements that join a code with the account that owns it. */
  const namesOfCode = { username: accounts.username, fullName: accounts.fullName };
  const ownsCode = eq(accounts.id, qrCodes.userId);

  const transactionsWithNames = () =>
    db
      .select({
        ...getTableColumns(transactions),
        receiverName: namesOfCode.fullName,
        receiverUsername: namesOfCode.username,
      })
      .from(transactions)
      .innerJoin(qrCodes, eq(qrCodes.id, transactions.qrCodeId))
      .innerJoin(accounts, ownsCode);
  const transactionsAfter = (role: typeof transactions.giverId | typeof transactions.receiverId) =>
    transactionsWithNames().where(and(eq(role, given('userId')), gt(transactions.sequence, given('after'))));
  const placesAfter = (role: typeof transactions.giverId | typeof transactions.receiverId) =>
    db
      .select({ sequence: transactions.sequence })
      .from(transactions)
      .where(and(eq(role, value('userId')), gt(transactions.sequence, value('after'))));
  const transactionsOf = (role: typeof transactions.giverId | typeof transactions.receiverId) =>
    transactionsWithNames().where(and(eq(role, given('userId')), lt(transactions.sequence, given('before'))));

  return {
    categoryOffered: db
      .select({ category: providerCategories.category })
      .from(providerCategories)
      .where(
        and(
          eq(providerCategories.userId, value('userId')),
          eq(providerCategories.category, value('category')),
        ),
      )
      .prepare(),
    codeOfCategory: db
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(and(eq(qrCodes.userId, value('userId')), eq(qrCodes.category, value('category'))))
      .prepare(),
    insertQrCode: prepareInsert(db, qrCodes),
    /** Each with its picture for the address that is `addressPrefix` and its id. */
    codesOfUser: db
      .select({
        id: qrCodes.id,
        userId: qrCodes.userId,
        serviceCategory: qrCodes.category,
        picture: qrPictures.png,
      })
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
    codeExists: db
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(eq(qrCodes.id, value('id')))
      .prepare(),
    codeWithProvider: db
      .select({
        id: qrCodes.id,
        userId: qrCodes.userId,
        serviceCategory: qrCodes.category,
        ...namesOfCode,
      })
      .from(qrCodes)
      .innerJoin(accounts, ownsCode)
      .where(eq(qrCodes.id, given('id')))
      .prepare(),
    insertPicture: prepareInsert(db, qrPictures, (insert) => insert.onConflictDoNothing()),

    insertTransaction: prepareReturningInsert(db, transactions),
    addToGiven: db
      .update(accounts)
      .set({ totalTipsGivenCents: sql`${accounts.totalTipsGivenCents} + ${value('cents')}` })
      .where(eq(accounts.id, value('id')))
      .prepare(),
    addToReceived: db
      .update(accounts)
      .set({ totalTipsReceivedCents: sql`${accounts.totalTipsReceivedCents} + ${value('cents')}` })
      .where(eq(accounts.id, value('id')))
      .prepare(),
    transactionByKey: db
      .select()
      .from(transactions)
      // The index holds only rows with a key, and SQLite uses it only when the query says so too.
      .where(
        and(
          eq(transactions.giverId, value('giverId')),
          eq(transactions.idempotencyKey, value('idempotencyKey')),
          sql`${transactions.idempotencyKey} is not null`,
        ),
      )
      .prepare(),
    transactionById: transactionsWithNames()
      .where(eq(transactions.id, given('id')))
      .prepare(),
    /** Two index scans merged by sequence, so that a page costs the same however long the history is. */
    transactionsOfUser: unionAll(
      transactionsOf(transactions.giverId),
      transactionsOf(transactions.receiverId),
    )
      .orderBy(desc(transactions.sequence))
      .limit(value('limit'))
      .prepare(),
    transactionsOfUserSince: unionAll(
      transactionsAfter(transactions.giverId),
      transactionsAfter(transactions.receiverId),
    )
      .orderBy(asc(transactions.sequence))
      .limit(value('limit'))
      .prepare(),
    countOfUserSince: db
      .select({ count: count() })
      .from(
        unionAll(placesAfter(transactions.giverId), placesAfter(transactions.receiverId))
          .limit(value('limit'))
          .as('since'),
      )
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
        count: count(),
        netAmountCents: sql<Cents>`coalesce(sum(${transactions.netAmountCents}), 0)`,
      })
      .from(transactions)
      .where(
        and(
          eq(transactions.receiverId, value('userId')),
          gte(transactions.createdAtMs, value('fromMs')),
          lt(transactions.createdAtMs, value('untilMs')),
        ),
      )
      .prepare(),
  };
}
