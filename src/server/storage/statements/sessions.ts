/** Statements of sessions, and of what guards logins: counted attempts and the installation's secrets. */
import { and, asc, desc, eq, gt, inArray, lte, ne, type SQL, sql } from 'drizzle-orm';
import { accounts, attempts, secrets, sessions } from '../schema/accounts.ts';
import { accountColumns } from './accounts.ts';
import { type Builder, given, insertOnce, is, matches, save, value } from './builder.ts';

export function sessionStatements({ db, isIn, choose }: Builder) {
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
