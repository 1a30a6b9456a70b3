/**
 * Every statement of the running server, written in drizzle and prepared once: building one anew for each call was
 * measured to cost more than running it.
 */
import { and, asc, count, desc, eq, gt, gte, lt, lte, max, ne, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { unionAll } from 'drizzle-orm/sqlite-core';
import type { Database } from './connection.ts';
import {
  accounts,
  attempts,
  providerCategories,
  qrCodes,
  qrPictures,
  secrets,
  sessions,
  transactions,
} from './schema.ts';

export function prepareStatements(database: Database) {
  const db = drizzle(database);
  const value = sql.placeholder;
  /**
   * A value that something is compared with, hidden from the planner by its sign: SQLite 3.54 plans some statements (joins,
   * sorted ones) anew for each value that they are run with (measured: 37 µs for a session instead of 5). Without the
   * statistics of ANALYZE no value changes a plan.
   */
  const given = (name: string) => sql`+${value(name)}`;

  const account = {
    id: accounts.id,
    email: accounts.email,
    username: accounts.username,
    fullName: accounts.fullName,
    phone: accounts.phone,
    isServiceProvider: accounts.isServiceProvider,
    /** Joined by commas; null for a customer. */
    categories: sql<string | null>`(
      SELECT group_concat(category) FROM provider_categories WHERE provider_categories.user_id = accounts.id
    )`,
    totalTipsReceivedCents: accounts.totalTipsReceivedCents,
    totalTipsGivenCents: accounts.totalTipsGivenCents,
  };

  const transactionsAfter = (role: typeof transactions.giverId | typeof transactions.receiverId) =>
    db
      .select()
      .from(transactions)
      .where(and(eq(role, value('userId')), gt(transactions.sequence, value('after'))));
  const transactionsOf = (role: typeof transactions.giverId | typeof transactions.receiverId) =>
    db
      .select()
      .from(transactions)
      .where(and(eq(role, value('userId')), lt(transactions.sequence, value('before'))));

  const isAttemptCount = and(
    eq(attempts.limit, value('limit')),
    eq(attempts.account, value('account')),
    eq(attempts.address, value('address')),
  );

  return {
    insertAccount: db
      .insert(accounts)
      .values({
        id: value('id'),
        email: value('email'),
        emailKey: value('emailKey'),
        username: value('username'),
        fullName: value('fullName'),
        phone: value('phone'),
        isServiceProvider: value('isServiceProvider'),
        passwordHash: value('passwordHash'),
        totalTipsReceivedCents: value('zero'),
        totalTipsGivenCents: value('zero'),
        createdAtMs: value('createdAtMs'),
      })
      .prepare(),
    insertProviderCategory: db
      .insert(providerCategories)
      .values({ userId: value('userId'), category: value('category') })
      .prepare(),
    emailExists: db
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.emailKey, value('emailKey')))
      .prepare(),
    usernameExists: db
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.username, value('username')))
      .prepare(),
    accountByEmail: db
      .select({
        ...account,
        passwordHash: accounts.passwordHash,
        passwordExpiresAtMs: accounts.passwordExpiresAtMs,
      })
      .from(accounts)
      .where(eq(accounts.emailKey, value('emailKey')))
      .prepare(),
    replacePasswordHash: db
      .update(accounts)
      .set({ passwordHash: sql`${value('next')}` })
      .where(and(eq(accounts.id, value('id')), eq(accounts.passwordHash, value('present'))))
      .prepare(),

    changePassword: db
      .update(accounts)
      .set({
        passwordHash: sql`${value('passwordHash')}`,
        passwordExpiresAtMs: sql`${value('expiresAtMs')}`,
      })
      .where(and(eq(accounts.id, value('id')), eq(accounts.passwordHash, value('present'))))
      .prepare(),

    accountWithHash: db
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(eq(accounts.id, value('id')), eq(accounts.passwordHash, value('passwordHash'))))
      .prepare(),

    insertSession: db
      .insert(sessions)
      .values({
        tokenHash: value('tokenHash'),
        userId: value('userId'),
        createdAtMs: value('createdAtMs'),
        expiresAtMs: value('expiresAtMs'),
        device: value('device'),
      })
      .prepare(),
    sessionsOfUser: db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, given('userId')))
      .orderBy(desc(sessions.createdAtMs), asc(sessions.tokenHash))
      .prepare(),
    liveSession: db
      .select({ ...account, expiresAtMs: sessions.expiresAtMs })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.id, sessions.userId))
      .where(and(eq(sessions.tokenHash, given('tokenHash')), gt(sessions.expiresAtMs, given('nowMs'))))
      .prepare(),
    extendSession: db
      .update(sessions)
      .set({ expiresAtMs: sql`${value('expiresAtMs')}` })
      .where(eq(sessions.tokenHash, value('tokenHash')))
      .prepare(),
    deleteSession: db
      .delete(sessions)
      .where(eq(sessions.tokenHash, value('tokenHash')))
      .prepare(),
    deleteOtherSessions: db
      .delete(sessions)
      .where(and(eq(sessions.userId, value('userId')), ne(sessions.tokenHash, value('keptTokenHash'))))
      .prepare(),
    deleteExpiredSessions: db
      .delete(sessions)
      .where(lte(sessions.expiresAtMs, value('nowMs')))
      .prepare(),

    attemptCount: db
      .select({ count: attempts.count, endsAtMs: attempts.endsAtMs })
      .from(attempts)
      .where(isAttemptCount)
      .prepare(),
    takeAttemptBack: db
      .update(attempts)
      .set({ count: sql`${attempts.count} - 1` })
      .where(isAttemptCount)
      .prepare(),
    deleteEmptyAttemptCount: db
      .delete(attempts)
      .where(and(isAttemptCount, eq(attempts.count, 0)))
      .prepare(),
    saveAttemptCount: db
      .insert(attempts)
      .values({
        limit: value('limit'),
        account: value('account'),
        address: value('address'),
        count: value('count'),
        endsAtMs: value('endsAtMs'),
      })
      .onConflictDoUpdate({
        target: [attempts.limit, attempts.account, attempts.address],
        set: { count: sql`excluded.count`, endsAtMs: sql`excluded.ends_at_ms` },
      })
      .prepare(),
    deleteAttemptsOn: db
      .delete(attempts)
      .where(eq(attempts.account, value('account')))
      .prepare(),
    deleteEndedAttempts: db
      .delete(attempts)
      .where(lte(attempts.endsAtMs, value('nowMs')))
      .prepare(),

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
    insertQrCode: db
      .insert(qrCodes)
      .values({
        id: value('id'),
        userId: value('userId'),
        category: value('category'),
        createdAtMs: value('createdAtMs'),
      })
      .prepare(),
    codesOfUser: db
      .select({ id: qrCodes.id, userId: qrCodes.userId, serviceCategory: qrCodes.category })
      .from(qrCodes)
      .where(eq(qrCodes.userId, given('userId')))
      .orderBy(asc(sql`rowid`))
      .prepare(),
    codeById: db
      .select({ id: qrCodes.id, userId: qrCodes.userId, serviceCategory: qrCodes.category })
      .from(qrCodes)
      .where(eq(qrCodes.id, value('id')))
      .prepare(),
    codeWithProvider: db
      .select({
        id: qrCodes.id,
        userId: qrCodes.userId,
        serviceCategory: qrCodes.category,
        username: accounts.username,
        fullName: accounts.fullName,
      })
      .from(qrCodes)
      .innerJoin(accounts, eq(accounts.id, qrCodes.userId))
      .where(eq(qrCodes.id, given('id')))
      .prepare(),
    picture: db
      .select({ png: qrPictures.png })
      .from(qrPictures)
      .where(and(eq(qrPictures.qrCodeId, value('id')), eq(qrPictures.address, value('address'))))
      .prepare(),
    insertPicture: db
      .insert(qrPictures)
      .values({ qrCodeId: value('id'), address: value('address'), png: value('png') })
      .onConflictDoNothing()
      .prepare(),

    insertTransaction: db
      .insert(transactions)
      .values({
        id: value('id'),
        giverId: value('giverId'),
        receiverId: value('receiverId'),
        qrCodeId: value('qrCodeId'),
        serviceCategory: value('serviceCategory'),
        amountCents: value('amountCents'),
        giverFeeCents: value('giverFeeCents'),
        receiverFeeCents: value('receiverFeeCents'),
        netAmountCents: value('netAmountCents'),
        giverFeeRate: value('giverFeeRate'),
        receiverFeeRate: value('receiverFeeRate'),
        status: value('status'),
        idempotencyKey: value('idempotencyKey'),
        createdAtMs: value('createdAtMs'),
      })
      .prepare(),
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
    transactionById: db
      .select()
      .from(transactions)
      .where(eq(transactions.id, value('id')))
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
    secretByName: db
      .select({ key: secrets.key })
      .from(secrets)
      .where(eq(secrets.name, value('name')))
      .prepare(),
    insertSecret: db
      .insert(secrets)
      .values({ name: value('name'), key: value('key') })
      .prepare(),

    lastSequence: db
      .select({ sequence: max(transactions.sequence) })
      .from(transactions)
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
      .select({ count: count() })
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
