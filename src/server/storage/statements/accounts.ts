import { and, asc, isNull, lte, or, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { accounts, closedUsernames, formerUsernames, providerCategories } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { allBut, type Builder, given, givenAllBut, insertOnce, is, save, value } from './builder.ts';

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
    /** Locks what has this name (a username, an email, a whole list) until the transaction ends. */
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
          isSuspended: sql<boolean>`${accounts.suspendedAtMs} is not null or ${accounts.closedAtMs} is not null`,
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
      .set(
        givenAllBut(
          accounts,
          'id',
          'number',
          'isServiceProvider',
          'totalTipsReceivedCents',
          'totalTipsGivenCents',
          'createdAtMs',
          'lastPosition',
        ),
      )
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
  };
}
