import { and, asc, desc, eq, gt, inArray, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import {
  accounts,
  attempts,
  closedUsernames,
  formerUsernames,
  providerCategories,
  secrets,
  sessions,
} from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { allBut, type Builder, given, insertOnce, is, matches, save, value } from './builder.ts';

/** Whether a column of account numbers is that of the account whose id is passed under a name. */
export const isAccount = (column: PgColumn, name: string) =>
  sql`${column} = (select number from ${accounts} where id = ${value(name)})`;

/** The columns that `rules/accounts.ts` reads an account from. */
export const accountColumns = {
  ...allBut(accounts, 'emailKey', 'passwordHash', 'lastPosition', 'closedAtMs'),
  /** Comma-separated; null for a customer. */
  categories: sql<string | null>`(
    select string_agg(category, ',') from ${providerCategories} as offer
    where offer.user_id = ${accounts.id} and offer.is_offered
  )`,
};

export function accountStatements({ db, isIn, choose }: Builder) {
  const isAttemptCount = matches(attempts, 'limit', 'account', 'address');
  const liveSession = {
    ...accountColumns,
    sessionCreatedAtMs: sessions.createdAtMs,
    expiresAtMs: sessions.expiresAtMs,
    confirmedAtMs: sessions.confirmedAtMs,
  };
  const ownsSession = eq(accounts.id, sessions.userId);
  const isAsked = sql`${sessions.tokenHash} = asked.hash and ${gt(sessions.expiresAtMs, value('nowMs'))}`;
  const endedOf = (asked: SQL) =>
    db
      .select({
        tokenHash: sql<Buffer>`asked.hash`,
        isSuspended: sql`exists (select 1 from ${sessions} where ${isAsked})`.mapWith(Boolean),
      })
      .from(asked)
      .where(
        sql`not exists (
          select 1 from ${sessions} inner join ${accounts} on ${ownsSession}
          where ${isAsked} and ${accounts.suspendedAtMs} is null
        )`,
      );

  return {
    insertAccount: insertOnce(db, accounts),
    /** Also offers a service again that was given up. */
    offerCategory: save(db, providerCategories, 'userId', 'category'),
    accountById: db.select(accountColumns).from(accounts).where(is(accounts.id, 'id')),
    updateAccount: db
      .update(accounts)
      .set(
        given(
          accounts,
          'email',
          'emailKey',
          'username',
          'fullName',
          'phone',
          'isServiceProvider',
          'dayStartHour',
        ),
      )
      .where(is(accounts.id, 'id')),
    /** Locks a username or an email until the transaction ends. */
    lockName: choose('a file has one writer at a time', {
      sqlite: null,
      postgres: db
        .select({
          lock: sql`pg_advisory_xact_lock(hashtextextended(${value('kind')}::text || ' ' || ${value('name')}::text, 0))`,
        })
        .from(sql`(select) as nothing`),
    }),
    insertFormerUsername: insertOnce(db, formerUsernames),
    formerOwner: db
      .select({ userId: formerUsernames.userId })
      .from(formerUsernames)
      .where(is(formerUsernames.username, 'username')),
    accountsLike: db
      .select({ id: accounts.id, emailKey: accounts.emailKey, username: accounts.username })
      .from(accounts)
      .where(or(is(accounts.id, 'id'), is(accounts.emailKey, 'emailKey'), is(accounts.username, 'username'))),
    accountByEmail: db
      .select({ ...accountColumns, passwordHash: accounts.passwordHash })
      .from(accounts)
      .where(and(is(accounts.emailKey, 'emailKey'), isNull(accounts.closedAtMs))),
    accountWithHash: db
      .select({ ...accountColumns, passwordHash: accounts.passwordHash })
      .from(accounts)
      .where(and(is(accounts.id, 'id'), isNull(accounts.closedAtMs))),
    replacePasswordHash: db
      .update(accounts)
      .set({ passwordHash: sql`${value('next')}` })
      .where(and(is(accounts.id, 'id'), is(accounts.passwordHash, 'present'))),
    changePassword: db
      .update(accounts)
      .set({ ...given(accounts, 'passwordHash'), passwordExpiresAtMs: sql`${value('expiresAtMs')}` })
      .where(is(accounts.id, 'id')),
    lockAccount: db
      .select({
        passwordHash: accounts.passwordHash,
        closesAtMs: accounts.closesAtMs,
        closedAtMs: accounts.closedAtMs,
        suspendedAtMs: accounts.suspendedAtMs,
      })
      .from(accounts)
      .where(is(accounts.id, 'id'))
      .for('no key update'),
    /** Locks accounts by ids and as owners of codes, in one order, so that transactions cannot deadlock. */
    lockTipAccounts: choose('a file has one writer at a time', {
      sqlite: null,
      postgres: db
        .select({
          id: accounts.id,
          number: accounts.number,
          username: accounts.username,
          fullName: accounts.fullName,
          isSuspended: sql<boolean>`${accounts.suspendedAtMs} is not null`,
          takesTips: sql<boolean>`${accounts.closesAtMs} is null and ${accounts.suspendedAtMs} is null`,
          position: accounts.lastPosition,
          receivedCents: accounts.totalTipsReceivedCents,
          givenCents: accounts.totalTipsGivenCents,
        })
        .from(accounts)
        .where(
          sql`${accounts.id} in (select unnest(${value('ids')}::text[])
            union select user_id from ${qrCodes} where ${isIn(qrCodes.id, 'codeIds')})`,
        )
        .orderBy(asc(accounts.id))
        .for('no key update'),
    }),
    setSuspension: db
      .update(accounts)
      .set(given(accounts, 'suspendedAtMs', 'suspensionReason'))
      .where(is(accounts.id, 'id')),
    setClosingTime: db.update(accounts).set(given(accounts, 'closesAtMs')).where(is(accounts.id, 'id')),
    closingAccounts: db
      .select({ id: accounts.id })
      .from(accounts)
      .where(lte(accounts.closesAtMs, value('nowMs')))
      .orderBy(asc(accounts.closesAtMs))
      .limit(value('atMost')),
    closeAccount: db
      .update(accounts)
      .set({
        ...given(accounts, 'email', 'emailKey', 'username', 'fullName', 'passwordHash', 'closedAtMs'),
        phone: null,
        dayStartHour: null,
        acceptedTerms: null,
        termsAcceptedAtMs: null,
        passwordExpiresAtMs: null,
        closesAtMs: null,
        suspendedAtMs: null,
        suspensionReason: null,
      })
      .where(is(accounts.id, 'id')),
    formerUsernamesOf: db
      .select({ username: formerUsernames.username })
      .from(formerUsernames)
      .where(is(formerUsernames.userId, 'id'))
      .orderBy(asc(formerUsernames.username)),
    deleteFormerUsernames: db.delete(formerUsernames).where(is(formerUsernames.userId, 'id')),
    insertClosedUsername: insertOnce(db, closedUsernames),
    closedUsername: db
      .select({ hash: closedUsernames.hash })
      .from(closedUsernames)
      .where(is(closedUsernames.hash, 'hash')),
    withdrawCategories: db
      .update(providerCategories)
      .set({ isOffered: false })
      .where(is(providerCategories.userId, 'id')),

    insertSession: insertOnce(db, sessions),
    sessionsOfUser: db
      .select()
      .from(sessions)
      .where(is(sessions.userId, 'userId'))
      .orderBy(desc(sessions.createdAtMs), asc(sessions.tokenHash)),
    sessionsWithAccounts: db
      .select({ ...liveSession, tokenHash: sessions.tokenHash })
      .from(sessions)
      .innerJoin(accounts, ownsSession)
      .where(isIn(sessions.tokenHash, 'hashes')),
    liveSession: db
      .select(liveSession)
      .from(sessions)
      .innerJoin(accounts, ownsSession)
      .where(and(is(sessions.tokenHash, 'tokenHash'), gt(sessions.expiresAtMs, value('nowMs')))),
    endedSessions: choose('lists are JSON on SQLite, and arrays on PostgreSQL', {
      sqlite: endedOf(sql`(select unhex(value) as hash from json_each(${value('hashes')})) as asked`),
      postgres: endedOf(sql`unnest(${value('hashes')}::bytea[]) as asked (hash)`),
    }),
    extendSession: db
      .update(sessions)
      .set(given(sessions, 'expiresAtMs'))
      .where(is(sessions.tokenHash, 'tokenHash')),
    confirmSession: db
      .update(sessions)
      .set({ confirmedAtMs: sql`${value('nowMs')}` })
      .where(and(is(sessions.tokenHash, 'tokenHash'), gt(sessions.expiresAtMs, value('nowMs')))),
    renewSession: db
      .update(sessions)
      .set({ ...given(sessions, 'expiresAtMs', 'confirmedAtMs'), tokenHash: sql`${value('nextTokenHash')}` })
      .where(matches(sessions, 'tokenHash', 'userId')),
    deleteSessions: db.delete(sessions).where(isIn(sessions.tokenHash, 'tokenHashes')),
    deleteOtherSessions: db
      .delete(sessions)
      .where(and(is(sessions.userId, 'userId'), ne(sessions.tokenHash, value('keptTokenHash')))),
    deleteExpiredSessions: db.delete(sessions).where(
      inArray(
        sessions.tokenHash,
        db
          .select({ tokenHash: sessions.tokenHash })
          .from(sessions)
          .where(lte(sessions.expiresAtMs, value('nowMs')))
          .limit(value('atMost')),
      ),
    ),

    attemptCount: db
      .select({ count: attempts.count, endsAtMs: attempts.endsAtMs })
      .from(attempts)
      .where(isAttemptCount),
    takeAttemptBack: db
      .update(attempts)
      .set({ count: sql`${attempts.count} - 1` })
      .where(isAttemptCount),
    deleteEmptyAttemptCount: db.delete(attempts).where(and(isAttemptCount, eq(attempts.count, 0))),
    saveAttemptCount: save(db, attempts, 'limit', 'account', 'address'),
    deleteAttemptsOn: db.delete(attempts).where(is(attempts.account, 'account')),
    deleteEndedAttempts: db.delete(attempts).where(
      inArray(
        sql`(${attempts.limit}, ${attempts.account}, ${attempts.address})`,
        db
          .select({ limit: attempts.limit, account: attempts.account, address: attempts.address })
          .from(attempts)
          .where(lte(attempts.endsAtMs, value('nowMs')))
          .limit(value('atMost')),
      ),
    ),

    secretByName: db.select({ key: secrets.key }).from(secrets).where(is(secrets.name, 'name')),
    /** Keeps the one that seals the secrets of authenticator apps. */
    deleteSecrets: db.delete(secrets).where(ne(secrets.name, 'totp')),
    insertSecret: insertOnce(db, secrets),
  };
}
