/**
 * Every statement of the running server, written in drizzle and prepared once: building one anew for each call was
 * measured to cost more than running it. Those about codes are in `code-statements.ts`, those about tips in `tip-statements.ts`.
 */
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lte, ne, notExists, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { PhotoName } from '#shared/ids.ts';
import {
  type BucketRange,
  DETAIL_BUCKETS,
  LACKS_DETAILS,
  type TakenTip,
  takenFromBucket,
} from '../bucket-details.ts';
import { prepareCodeStatements } from './code-statements.ts';
import type { Database } from './connection.ts';
import { prepareDeviceStatements } from './device-statements.ts';
import { preparePaymentStatements } from './payment-statements.ts';
import { given, prepareInsert } from './placeholders.ts';
import {
  accounts,
  attempts,
  closedUsernames,
  formerUsernames,
  providerCategories,
  qrCodes,
  secrets,
  sessions,
} from './schema.ts';
import { prepareTipStatements } from './tip-statements.ts';
import { prepareWordStatements } from './word-statements.ts';

export function prepareStatements(database: Database) {
  const db = drizzle(database);
  const value = sql.placeholder;

  const account = {
    id: accounts.id,
    email: accounts.email,
    username: accounts.username,
    fullName: accounts.fullName,
    phone: accounts.phone,
    createdAtMs: accounts.createdAtMs,
    isServiceProvider: accounts.isServiceProvider,
    /** Joined by commas; null for a customer. */
    categories: sql<string | null>`(
      SELECT group_concat(category) FROM provider_categories
      WHERE provider_categories.user_id = accounts.id AND provider_categories.is_offered
    )`,
    totalTipsReceivedCents: accounts.totalTipsReceivedCents,
    totalTipsGivenCents: accounts.totalTipsGivenCents,
    passwordExpiresAtMs: accounts.passwordExpiresAtMs,
    closesAtMs: accounts.closesAtMs,
  };

  const liveSession = {
    sessionCreatedAtMs: sessions.createdAtMs,
    expiresAtMs: sessions.expiresAtMs,
    confirmedAtMs: sessions.confirmedAtMs,
  };

  const isAttemptCount = and(
    eq(attempts.limit, value('limit')),
    eq(attempts.account, value('account')),
    eq(attempts.address, value('address')),
  );

  return {
    ...prepareCodeStatements(db),
    ...prepareTipStatements(db),
    ...preparePaymentStatements(db),
    ...prepareWordStatements(db),
    ...prepareDeviceStatements(db),
    detailBuckets: database.prepare<BucketRange>(
      `${DETAIL_BUCKETS} WHERE account_id = @accountId AND start_ms >= @fromMs AND start_ms < @untilMs AND ${LACKS_DETAILS}`,
    ),
    takeFromBucket: database.prepare<TakenTip>(
      `UPDATE tip_buckets SET ${takenFromBucket('@netCents', '@grossCents')}
       WHERE account_id = @accountId AND start_ms = @startMs AND service_category = @serviceCategory`,
    ),

    insertAccount: prepareInsert(db, accounts),
    /** Also brings back a service that was retired. */
    offerCategory: prepareInsert(db, providerCategories, (insert) =>
      insert.onConflictDoUpdate({
        target: [providerCategories.userId, providerCategories.category],
        set: { isOffered: sql`excluded.is_offered` },
      }),
    ),
    accountById: db
      .select({ ...account, passwordHash: accounts.passwordHash, closedAtMs: accounts.closedAtMs })
      .from(accounts)
      .where(eq(accounts.id, value('id')))
      .prepare(),
    updateAccount: db
      .update(accounts)
      .set({
        email: sql`${value('email')}`,
        emailKey: sql`${value('emailKey')}`,
        username: sql`${value('username')}`,
        fullName: sql`${value('fullName')}`,
        phone: sql`${value('phone')}`,
        isServiceProvider: sql`${value('isServiceProvider')}`,
      })
      .where(eq(accounts.id, value('id')))
      .prepare(),
    insertFormerUsername: prepareInsert(db, formerUsernames, (insert) => insert.onConflictDoNothing()),
    /** Whoever has a username or had it before. */
    ownersOfUsername: db
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.username, value('username')))
      .union(
        db
          .select({ id: formerUsernames.userId })
          .from(formerUsernames)
          .where(eq(formerUsernames.username, value('username'))),
      )
      .prepare(),
    emailExists: db
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.emailKey, value('emailKey')))
      .prepare(),
    accountByEmail: db
      .select({ ...account, passwordHash: accounts.passwordHash })
      .from(accounts)
      .where(and(eq(accounts.emailKey, value('emailKey')), isNull(accounts.closedAtMs)))
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

    /** Null for an account that is to stay open. */
    setClosingTime: db
      .update(accounts)
      .set({ closesAtMs: sql`${value('closesAtMs')}` })
      .where(eq(accounts.id, value('id')))
      .prepare(),
    closingAccounts: db
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(sql`closes_at_ms is not null`, lte(accounts.closesAtMs, value('nowMs'))))
      .orderBy(asc(accounts.closesAtMs))
      .limit(value('atMost'))
      .prepare(),
    closeAccount: db
      .update(accounts)
      .set({
        email: sql`${value('email')}`,
        emailKey: sql`${value('emailKey')}`,
        username: sql`${value('username')}`,
        fullName: sql`${value('fullName')}`,
        phone: null,
        passwordHash: sql`${value('passwordHash')}`,
        passwordExpiresAtMs: null,
        closesAtMs: null,
        closedAtMs: sql`${value('closedAtMs')}`,
      })
      .where(eq(accounts.id, value('id')))
      .prepare(),
    formerUsernamesOf: db
      .select({ username: formerUsernames.username })
      .from(formerUsernames)
      .where(eq(formerUsernames.userId, value('id')))
      .orderBy(asc(formerUsernames.username))
      .prepare(),
    deleteFormerUsernames: db
      .delete(formerUsernames)
      .where(eq(formerUsernames.userId, value('id')))
      .prepare(),
    insertClosedUsername: prepareInsert(db, closedUsernames, (insert) => insert.onConflictDoNothing()),
    closedUsername: db
      .select({ hash: closedUsernames.hash })
      .from(closedUsernames)
      .where(eq(closedUsernames.hash, value('hash')))
      .prepare(),
    withdrawCategories: db
      .update(providerCategories)
      .set({ isOffered: false })
      .where(eq(providerCategories.userId, value('id')))
      .prepare(),

    /** Retires the codes of an account that still lead somewhere, and takes off what was written on the pages of all. */
    clearCodesOfUser: db
      .update(qrCodes)
      .set({
        status: sql`CASE WHEN ${qrCodes.status} IN ('active', 'paused') THEN 'retired' ELSE ${qrCodes.status} END`,
        displayName: sql`${value('displayName')}`,
        greeting: null,
        thankYou: null,
        photoName: null,
      })
      .where(eq(qrCodes.userId, value('userId')))
      .prepare(),
    photosOfUser: db
      .selectDistinct({ name: sql<PhotoName>`${qrCodes.photoName}` })
      .from(qrCodes)
      .where(and(eq(qrCodes.userId, value('userId')), isNotNull(qrCodes.photoName)))
      .prepare(),

    accountWithHash: db
      .select({ closesAtMs: accounts.closesAtMs })
      .from(accounts)
      .where(and(eq(accounts.id, value('id')), eq(accounts.passwordHash, value('passwordHash'))))
      .prepare(),

    insertSession: prepareInsert(db, sessions),
    sessionsOfUser: db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, given('userId')))
      .orderBy(desc(sessions.createdAtMs), asc(sessions.tokenHash))
      .prepare(),
    liveSession: db
      .select({ ...account, ...liveSession })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.id, sessions.userId))
      .where(and(eq(sessions.tokenHash, given('tokenHash')), gt(sessions.expiresAtMs, given('nowMs'))))
      .prepare(),
    /** `hashes` is a list in JSON, each in hexadecimal. */
    endedSessions: db
      .select({ hash: sql<string>`value` })
      .from(sql`json_each(${value('hashes')})`)
      .where(
        notExists(
          db
            .select({ one: sql`1` })
            .from(sessions)
            .where(and(eq(sessions.tokenHash, sql`unhex(value)`), gt(sessions.expiresAtMs, given('nowMs')))),
        ),
      )
      .prepare(),
    extendSession: db
      .update(sessions)
      .set({ expiresAtMs: sql`${value('expiresAtMs')}` })
      .where(eq(sessions.tokenHash, value('tokenHash')))
      .prepare(),
    confirmSession: db
      .update(sessions)
      .set({ confirmedAtMs: sql`${value('nowMs')}` })
      .where(and(eq(sessions.tokenHash, value('tokenHash')), gt(sessions.expiresAtMs, value('nowMs'))))
      .prepare(),
    renewSession: db
      .update(sessions)
      .set({
        tokenHash: sql`${value('nextTokenHash')}`,
        expiresAtMs: sql`${value('expiresAtMs')}`,
        confirmedAtMs: sql`${value('confirmedAtMs')}`,
      })
      .where(and(eq(sessions.tokenHash, value('tokenHash')), eq(sessions.userId, value('userId'))))
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
      .where(
        inArray(
          sessions.tokenHash,
          db
            .select({ tokenHash: sessions.tokenHash })
            .from(sessions)
            .where(lte(sessions.expiresAtMs, value('nowMs')))
            .limit(value('atMost')),
        ),
      )
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
    saveAttemptCount: prepareInsert(db, attempts, (insert) =>
      insert.onConflictDoUpdate({
        target: [attempts.limit, attempts.account, attempts.address],
        set: { count: sql`excluded.count`, endsAtMs: sql`excluded.ends_at_ms` },
      }),
    ),
    deleteAttemptsOn: db
      .delete(attempts)
      .where(eq(attempts.account, value('account')))
      .prepare(),
    deleteEndedAttempts: db
      .delete(attempts)
      .where(
        inArray(
          sql`(${attempts.limit}, ${attempts.account}, ${attempts.address})`,
          db
            .select({ limit: attempts.limit, account: attempts.account, address: attempts.address })
            .from(attempts)
            .where(lte(attempts.endsAtMs, value('nowMs')))
            .limit(value('atMost')),
        ),
      )
      .prepare(),

    secretByName: db
      .select({ key: secrets.key })
      .from(secrets)
      .where(eq(secrets.name, value('name')))
      .prepare(),
    deleteSecrets: db.delete(secrets).prepare(),
    insertSecret: prepareInsert(db, secrets),
  };
}

export type Statements = ReturnType<typeof prepareStatements>;
