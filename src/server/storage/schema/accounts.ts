/** The tables of accounts: who has one, what they offer, their sessions, and the counts of limited attempts. */
import { sql } from 'drizzle-orm';
import { check, index, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { SecretName } from '../port/secrets.ts';
import { boolean, bytes, cents, table, text, userId, whole } from './columns.ts';

export const accounts = table(
  'accounts',
  {
    id: userId('id').primaryKey(),
    email: text('email').notNull(),
    /** The email as it is compared: lower case. */
    emailKey: text('email_key').notNull(),
    username: text('username').notNull(),
    fullName: text('full_name').notNull(),
    phone: text('phone'),
    isServiceProvider: boolean('is_service_provider').notNull(),
    passwordHash: text('password_hash').notNull(),
    totalTipsReceivedCents: cents('total_tips_received_cents').notNull(),
    totalTipsGivenCents: cents('total_tips_given_cents').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    /** When a password that the operator made stops working; null for one that its owner chose. */
    passwordExpiresAtMs: whole('password_expires_at_ms'),
    /** How many entries the account has. */
    lastPosition: whole('last_position').notNull().default(0),
    /** When it will be closed for good; null for one that nobody is closing. */
    closesAtMs: whole('closes_at_ms'),
    /** When it was closed for good; its row then names nobody. */
    closedAtMs: whole('closed_at_ms'),
  },
  (t) => [
    uniqueIndex('accounts_email_key').on(t.emailKey),
    uniqueIndex('accounts_username').on(t.username),
    check('accounts_total_tips_received', sql`${t.totalTipsReceivedCents} >= 0`),
    check('accounts_total_tips_given', sql`${t.totalTipsGivenCents} >= 0`),
    check('accounts_last_position', sql`${t.lastPosition} >= 0`),
    index('accounts_closing').on(t.closesAtMs).where(sql`closes_at_ms is not null`),
  ],
);

/** A column for the id of an account that there has to be. */
export const accountId = (name: string) =>
  userId(name)
    .notNull()
    .references(() => accounts.id);

export const providerCategories = table(
  'provider_categories',
  {
    userId: accountId('user_id'),
    category: text('category').$type<ServiceCategory>().notNull(),
    /** Not of a service that was retired: its row stays, because its codes refer to it. */
    isOffered: boolean('is_offered').notNull().default(true),
  },
  (t) => [primaryKey({ columns: [t.userId, t.category] })],
);

/** The usernames that accounts had before: nobody else gets one. */
export const formerUsernames = table('former_usernames', {
  username: text('username').primaryKey(),
  userId: accountId('user_id'),
});

/** The usernames of accounts that were closed, present and former ones, as hashes: nobody gets one again. */
export const closedUsernames = table('closed_usernames', { hash: bytes('hash').primaryKey() }, (t) => [
  check('closed_usernames_hash', sql`length(${t.hash}) = 32`),
]);

export const sessions = table(
  'sessions',
  {
    tokenHash: bytes('token_hash').primaryKey(),
    userId: accountId('user_id'),
    createdAtMs: whole('created_at_ms').notNull(),
    expiresAtMs: whole('expires_at_ms').notNull(),
    /** The kind of device that the session was begun on, such as "Chrome on Android"; empty when the client named none. */
    device: text('device').notNull().default(''),
    /** When its owner last proved in it to know the password; 0 for a session of a version that did not ask. */
    confirmedAtMs: whole('confirmed_at_ms').notNull().default(0),
  },
  (t) => [
    index('sessions_user').on(t.userId),
    index('sessions_expiry').on(t.expiresAtMs),
    check('sessions_token_hash', sql`length(${t.tokenHash}) = 32`),
  ],
);

/** Random keys of this installation, each made when it is first needed. */
export const secrets = table(
  'secrets',
  {
    name: text('name').$type<SecretName>().primaryKey(),
    key: bytes('key').notNull(),
  },
  (t) => [check('secrets_key', sql`length(${t.key}) = 32`)],
);

/** Counts of limited attempts. Accounts and addresses are stored as hashes, because a count must not tell who was where. */
export const attempts = table(
  'attempts',
  {
    limit: text('limit_name').notNull(),
    /** SHA-256 in hexadecimal; empty where the limit is not about an account. */
    account: text('account').notNull(),
    /** Of an address, a network, a device or a session: SHA-256 in hexadecimal; a number where each attempt counts apart; empty where the limit is about none. */
    address: text('address').notNull(),
    count: whole('count').notNull(),
    endsAtMs: whole('ends_at_ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.limit, t.account, t.address] }),
    index('attempts_account').on(t.account),
    index('attempts_end').on(t.endsAtMs),
    check('attempts_count', sql`${t.count} >= 0`),
  ],
);
