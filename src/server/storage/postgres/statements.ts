/**
 * Every statement of the running server but the set-wise ones of the ledger, written in drizzle and prepared once for each
 * connection. Those about codes are in `code-statements.ts`, those about tips in `tip-statements.ts`.
 */
import { and, asc, desc, eq, gt, inArray, isNull, lte, ne, or, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Client } from 'pg';
import { prepareCodeStatements } from './code-statements.ts';
import { prepareDeviceStatements } from './device-statements.ts';
import { preparePaymentStatements } from './payment-statements.ts';
import { prepareInsert } from './placeholders.ts';
import {
  accounts,
  attempts,
  closedUsernames,
  formerUsernames,
  providerCategories,
  secrets,
  sessions,
} from './schema.ts';
import { prepareTipStatements } from './tip-statements.ts';
import { prepareWordStatements } from './word-statements.ts';

export type Statements = ReturnType<typeof prepareStatements>;

export function prepareStatements(client: Client) {
  const db = drizzle(client);
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
      SELECT string_agg(category, ',') FROM tipwell.provider_categories
      WHERE provider_categories.user_id = ${accounts.id} AND provider_categories.is_offered
    )`,
    totalTipsReceivedCents: accounts.totalTipsReceivedCents,
    totalTipsGivenCents: accounts.totalTipsGivenCents,
    passwordExpiresAtMs: accounts.passwordExpiresAtMs,
    closesAtMs: accounts.closesAtMs,
  };

  return {
    ...prepareCodeStatements(db),
    ...prepareTipStatements(db),
    ...preparePaymentStatements(db),
    ...prepareWordStatements(db),
    ...prepareDeviceStatements(db),

    insertAccount: prepareInsert(db, accounts, 'insert_account'),
    /** Also brings back a service that was retired. */
    offerCategory: db
      .insert(providerCategories)
      .values({ userId: value('userId'), category: value('category'), isOffered: value('isOffered') })
      .onConflictDoUpdate({
        target: [providerCategories.userId, providerCategories.category],
        set: { isOffered: sql`excluded.is_offered` },
      })
      .prepare('offer_category'),
    accountById: db
      .select(account)
      .from(accounts)
      .where(eq(accounts.id, value('id')))
      .prepare('account_by_id'),
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
      .prepare('update_account'),
    /** Keeps all others from giving or taking a username or an email until the transaction ends. */
    lockName: db
      .select({
        lock: sql`pg_advisory_xact_lock(hashtextextended(${value('kind')}::text || ' ' || ${value('name')}::text, 0))`,
      })
      .from(sql`(SELECT) AS nothing`)
      .prepare('lock_name'),
    insertFormerUsername: prepareInsert(db, formerUsernames, 'insert_former_username'),
    formerOwner: db
      .select({ userId: formerUsernames.userId })
      .from(formerUsernames)
      .where(eq(formerUsernames.username, value('username')))
      .prepare('former_owner'),
    /** The accounts that stand against a new one, at most three. */
    accountsLike: db
      .select({ id: accounts.id, emailKey: accounts.emailKey, username: accounts.username })
      .from(accounts)
      .where(
        or(
          eq(accounts.id, value('id')),
          eq(accounts.emailKey, value('emailKey')),
          eq(accounts.username, value('username')),
        ),
      )
      .prepare('accounts_like'),
    accountByEmail: db
      .select({ ...account, passwordHash: accounts.passwordHash })
      .from(accounts)
      .where(and(eq(accounts.emailKey, value('emailKey')), isNull(accounts.closedAtMs)))
      .prepare('account_by_email'),
    replacePasswordHash: db
      .update(accounts)
      .set({ passwordHash: sql`${value('next')}` })
      .where(and(eq(accounts.id, value('id')), eq(accounts.passwordHash, value('present'))))
      .prepare('replace_password_hash'),
    changePassword: db
      .update(accounts)
      .set({
        passwordHash: sql`${value('passwordHash')}`,
        passwordExpiresAtMs: sql`${value('expiresAtMs')}`,
      })
      .where(eq(accounts.id, value('id')))
      .prepare('change_password'),
    /** Keeps all others from changing the account until the transaction ends. */
    lockAccount: db
      .select({
        passwordHash: accounts.passwordHash,
        closesAtMs: accounts.closesAtMs,
        closedAtMs: accounts.closedAtMs,
      })
      .from(accounts)
      .where(eq(accounts.id, value('id')))
      .for('no key update')
      .prepare('lock_account'),
    /** Null for an account that is to stay open. */
    setClosingTime: db
      .update(accounts)
      .set({ closesAtMs: sql`${value('closesAtMs')}` })
      .where(eq(accounts.id, value('id')))
      .prepare('set_closing_time'),
    closingAccounts: db
      .select({ id: accounts.id })
      .from(accounts)
      .where(lte(accounts.closesAtMs, value('nowMs')))
      .orderBy(asc(accounts.closesAtMs))
      .limit(value('atMost'))
      .prepare('closing_accounts'),
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
      .prepare('close_account'),
    formerUsernamesOf: db
      .select({ username: formerUsernames.username })
      .from(formerUsernames)
      .where(eq(formerUsernames.userId, value('id')))
      .orderBy(asc(formerUsernames.username))
      .prepare('former_usernames_of'),
    deleteFormerUsernames: db
      .delete(formerUsernames)
      .where(eq(formerUsernames.userId, value('id')))
      .prepare('delete_former_usernames'),
    insertClosedUsername: prepareInsert(db, closedUsernames, 'insert_closed_username'),
    closedUsername: db
      .select({ hash: closedUsernames.hash })
      .from(closedUsernames)
      .where(eq(closedUsernames.hash, value('hash')))
      .prepare('closed_username'),
    withdrawCategories: db
      .update(providerCategories)
      .set({ isOffered: false })
      .where(eq(providerCategories.userId, value('id')))
      .prepare('withdraw_categories'),

    insertSession: prepareInsert(db, sessions, 'insert_session'),
    sessionsOfUser: db
      .select()
      .from(sessions)
      .where(eq(sessions.userId, value('userId')))
      .orderBy(desc(sessions.createdAtMs), asc(sessions.tokenHash))
      .prepare('sessions_of_user'),
    sessionsWithAccounts: db
      .select({
        ...account,
        tokenHash: sessions.tokenHash,
        sessionCreatedAtMs: sessions.createdAtMs,
        expiresAtMs: sessions.expiresAtMs,
        confirmedAtMs: sessions.confirmedAtMs,
      })
      .from(sessions)
      .innerJoin(accounts, eq(accounts.id, sessions.userId))
      .where(sql`${sessions.tokenHash} = ANY (${value('hashes')}::bytea[])`)
      .prepare('sessions_with_accounts'),
    endedSessions: db
      .select({ hash: sql<Buffer>`hash` })
      .from(sql`unnest(${value('hashes')}::bytea[]) AS asked (hash)`)
      .where(
        sql`NOT EXISTS (SELECT FROM ${sessions} WHERE ${sessions.tokenHash} = hash AND ${sessions.expiresAtMs} > ${value('nowMs')})`,
      )
      .prepare('ended_sessions'),
    extendSession: db
      .update(sessions)
      .set({ expiresAtMs: sql`${value('expiresAtMs')}` })
      .where(eq(sessions.tokenHash, value('tokenHash')))
      .prepare('extend_session'),
    confirmSession: db
      .update(sessions)
      .set({ confirmedAtMs: sql`${value('nowMs')}` })
      .where(and(eq(sessions.tokenHash, value('tokenHash')), gt(sessions.expiresAtMs, value('nowMs'))))
      .prepare('confirm_session'),
    renewSession: db
      .update(sessions)
      .set({
        tokenHash: sql`${value('nextTokenHash')}`,
        expiresAtMs: sql`${value('expiresAtMs')}`,
        confirmedAtMs: sql`${value('confirmedAtMs')}`,
      })
      .where(and(eq(sessions.tokenHash, value('tokenHash')), eq(sessions.userId, value('userId'))))
      .prepare('renew_session'),
    deleteSessions: db
      .delete(sessions)
      .where(sql`${sessions.tokenHash} = ANY(${value('tokenHashes')}::bytea[])`)
      .prepare('delete_sessions'),
    deleteOtherSessions: db
      .delete(sessions)
      .where(and(eq(sessions.userId, value('userId')), ne(sessions.tokenHash, value('keptTokenHash'))))
      .prepare('delete_other_sessions'),
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
      .prepare('delete_expired_sessions'),

    insertAttemptCount: prepareInsert(db, attempts, 'insert_attempt_count'),
    deleteAttemptsOn: db
      .delete(attempts)
      .where(eq(attempts.account, value('account')))
      .prepare('delete_attempts_on'),
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
      .prepare('delete_ended_attempts'),

    secretByName: db
      .select({ key: secrets.key })
      .from(secrets)
      .where(eq(secrets.name, value('name')))
      .prepare('secret_by_name'),
    deleteSecrets: db.delete(secrets).prepare('delete_secrets'),
    insertSecret: prepareInsert(db, secrets, 'insert_secret'),
  };
}
