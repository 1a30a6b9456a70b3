import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { SecretName } from '../port/secrets.ts';
import { boolean, bytes, cents, table, text, userId, whole } from './columns.ts';
import type { AccountNumber } from './numbers.ts';

export const accounts = table(
  'accounts',
  {
    id: userId('id').primaryKey(),
    number: integer('number').$type<AccountNumber>().notNull().generatedAlwaysAsIdentity(),
    email: text('email').notNull(),
    emailKey: text('email_key').notNull(),
    username: text('username').notNull(),
    fullName: text('full_name').notNull(),
    phone: text('phone'),
    isServiceProvider: boolean('is_service_provider').notNull(),
    passwordHash: text('password_hash').notNull(),
    totalTipsReceivedCents: cents('total_tips_received_cents').notNull(),
    totalTipsGivenCents: cents('total_tips_given_cents').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    /** When a password set by the operator expires; null for one chosen by its owner. */
    passwordExpiresAtMs: whole('password_expires_at_ms'),
    lastPosition: whole('last_position').notNull().default(0),
    closesAtMs: whole('closes_at_ms'),
    closedAtMs: whole('closed_at_ms'),
    dayStartHour: whole('day_start_hour'),
    acceptedTerms: text('accepted_terms'),
    termsAcceptedAtMs: whole('terms_accepted_at_ms'),
    suspendedAtMs: whole('suspended_at_ms'),
    suspensionReason: text('suspension_reason'),
  },
  (t) => [
    uniqueIndex('accounts_number').on(t.number),
    uniqueIndex('accounts_email_key').on(t.emailKey),
    uniqueIndex('accounts_username').on(t.username),
    check('accounts_total_tips_received', sql`${t.totalTipsReceivedCents} >= 0`),
    check('accounts_total_tips_given', sql`${t.totalTipsGivenCents} >= 0`),
    check('accounts_last_position', sql`${t.lastPosition} >= 0`),
    check('accounts_day_start_hour', sql`${t.dayStartHour} between 0 and 23`),
    check('accounts_suspension', sql`(${t.suspendedAtMs} is null) = (${t.suspensionReason} is null)`),
    index('accounts_closing').on(t.closesAtMs).where(sql`closes_at_ms is not null`),
  ],
);

export const accountId = (name: string) =>
  userId(name)
    .notNull()
    .references(() => accounts.id);

export const providerCategories = table(
  'provider_categories',
  {
    userId: accountId('user_id'),
    category: text('category').$type<ServiceCategory>().notNull(),
    /** Rows of services that are no longer offered stay, because their codes refer to them. */
    isOffered: boolean('is_offered').notNull().default(true),
  },
  (t) => [primaryKey({ columns: [t.userId, t.category] })],
);

/** Former usernames, reserved for their accounts. */
export const formerUsernames = table(
  'former_usernames',
  {
    username: text('username').primaryKey(),
    userId: accountId('user_id'),
  },
  (t) => [index('former_usernames_user').on(t.userId)],
);

/** Hashes of the usernames of closed accounts, which nobody gets again. */
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
    device: text('device').notNull().default(''),
    /** When the owner last proved to know the password; 0 for sessions from before that was asked. */
    confirmedAtMs: whole('confirmed_at_ms').notNull().default(0),
  },
  (t) => [
    index('sessions_user').on(t.userId),
    index('sessions_expiry').on(t.expiresAtMs),
    check('sessions_token_hash', sql`length(${t.tokenHash}) = 32`),
  ],
);

/** Random keys of the installation, each made on first use. */
export const secrets = table(
  'secrets',
  {
    name: text('name').$type<SecretName>().primaryKey(),
    key: bytes('key').notNull(),
  },
  (t) => [check('secrets_key', sql`length(${t.key}) = 32`)],
);

/** Counts of limited attempts, with hashed accounts and addresses, so that none tells who was where. */
export const attempts = table(
  'attempts',
  {
    limit: text('limit_name').notNull(),
    account: text('account').notNull(),
    /** A number when each attempt counts apart; empty when the limit counts no address, device or session. */
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
