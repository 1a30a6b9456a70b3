/**
 * The tables, from which `npm run db:generate` derives migrations. What drizzle cannot say (STRICT, WITHOUT ROWID,
 * the triggers that keep the ledger append-only) is written into the migrations by hand and guarded by tests.
 */
import { sql } from 'drizzle-orm';
import {
  blob,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { PhotoName, QrCodeId, TransactionId } from '#shared/ids.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import type { TipParty } from '#shared/records.ts';
import type { EntryKind } from '../ledger.ts';
import type { SecretName } from '../secrets.ts';
import { cents, userId } from './columns.ts';

export const accounts = sqliteTable(
  'accounts',
  {
    id: userId('id').primaryKey(),
    email: text('email').notNull(),
    /** The email as it is compared: lower case. */
    emailKey: text('email_key').notNull(),
    username: text('username').notNull(),
    fullName: text('full_name').notNull(),
    phone: text('phone'),
    isServiceProvider: integer('is_service_provider', { mode: 'boolean' }).notNull(),
    passwordHash: text('password_hash').notNull(),
    totalTipsReceivedCents: cents('total_tips_received_cents').notNull(),
    totalTipsGivenCents: cents('total_tips_given_cents').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** When a password that the operator made stops working; null for one that its owner chose. */
    passwordExpiresAtMs: integer('password_expires_at_ms'),
    /** How many entries the account has. */
    lastPosition: integer('last_position').notNull().default(0),
    /** When it will be closed for good; null for one that nobody is closing. */
    closesAtMs: integer('closes_at_ms'),
    /** When it was closed for good; its row then names nobody. */
    closedAtMs: integer('closed_at_ms'),
  },
  (table) => [
    uniqueIndex('accounts_email_key').on(table.emailKey),
    uniqueIndex('accounts_username').on(table.username),
    check('accounts_is_service_provider', sql`${table.isServiceProvider} in (0, 1)`),
    check('accounts_total_tips_received', sql`${table.totalTipsReceivedCents} >= 0`),
    check('accounts_total_tips_given', sql`${table.totalTipsGivenCents} >= 0`),
    check('accounts_last_position', sql`${table.lastPosition} >= 0`),
    index('accounts_closing').on(table.closesAtMs).where(sql`closes_at_ms is not null`),
  ],
);

export const providerCategories = sqliteTable(
  'provider_categories',
  {
    userId: userId('user_id')
      .notNull()
      .references(() => accounts.id),
    category: text('category').$type<ServiceCategory>().notNull(),
    /** Not of a service that was retired: its row stays, because its codes refer to it. */
    isOffered: integer('is_offered', { mode: 'boolean' }).notNull().default(true),
  },
  (table) => [primaryKey({ columns: [table.userId, table.category] })],
);

/** The usernames that accounts had before: nobody else gets one. */
export const formerUsernames = sqliteTable('former_usernames', {
  username: text('username').primaryKey(),
  userId: userId('user_id')
    .notNull()
    .references(() => accounts.id),
});

/** The usernames of accounts that were closed, present and former ones, as hashes: nobody gets one again. */
export const closedUsernames = sqliteTable(
  'closed_usernames',
  { hash: blob('hash', { mode: 'buffer' }).primaryKey() },
  (table) => [check('closed_usernames_hash', sql`length(${table.hash}) = 32`)],
);

export const sessions = sqliteTable(
  'sessions',
  {
    tokenHash: blob('token_hash', { mode: 'buffer' }).primaryKey(),
    userId: userId('user_id')
      .notNull()
      .references(() => accounts.id),
    createdAtMs: integer('created_at_ms').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    /** The kind of device that the session was begun on, such as "Chrome on Android"; empty when the client named none. */
    device: text('device').notNull().default(''),
    /** When its owner last proved in it to know the password; 0 for a session of a version that did not ask. */
    confirmedAtMs: integer('confirmed_at_ms').notNull().default(0),
  },
  (table) => [
    index('sessions_user').on(table.userId),
    index('sessions_expiry').on(table.expiresAtMs),
    check('sessions_token_hash', sql`length(${table.tokenHash}) = 32`),
  ],
);

/** Random keys of this installation, each made when it is first needed. */
export const secrets = sqliteTable(
  'secrets',
  {
    name: text('name').$type<SecretName>().primaryKey(),
    key: blob('key', { mode: 'buffer' }).notNull(),
  },
  (table) => [check('secrets_key', sql`length(${table.key}) = 32`)],
);

/** Counts of limited attempts. Accounts and addresses are stored as hashes, because a count must not tell who was where. */
export const attempts = sqliteTable(
  'attempts',
  {
    limit: text('limit_name').notNull(),
    /** SHA-256 in hexadecimal; empty where the limit is not about an account. */
    account: text('account').notNull(),
    /** Of an address, a network, a device or a session: SHA-256 in hexadecimal; a number where each attempt counts apart; empty where the limit is about none. */
    address: text('address').notNull(),
    count: integer('count').notNull(),
    endsAtMs: integer('ends_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.limit, table.account, table.address] }),
    index('attempts_account').on(table.account),
    index('attempts_end').on(table.endsAtMs),
    check('attempts_count', sql`${table.count} >= 0`),
  ],
);

/** The photos of tip pages, each under a name that no other photo ever has. */
export const photos = sqliteTable(
  'photos',
  {
    name: text('name').$type<PhotoName>().primaryKey(),
    jpeg: blob('jpeg', { mode: 'buffer' }).notNull(),
  },
  (table) => [check('photos_size', sql`length(${table.jpeg}) between 1 and 262144`)],
);

export const qrCodes = sqliteTable(
  'qr_codes',
  {
    id: text('id').$type<QrCodeId>().primaryKey(),
    userId: userId('user_id').notNull(),
    category: text('category').$type<ServiceCategory>().notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    status: text('status').$type<QrCodeStatus>().notNull().default('active'),
    /** Who receives the tips, as givers see it; null for the account's full name. */
    displayName: text('display_name'),
    greeting: text('greeting'),
    photoName: text('photo_name')
      .$type<PhotoName>()
      .references(() => photos.name),
    /** Whether givers may add words to their tips. */
    takesWords: integer('takes_words', { mode: 'boolean' }).notNull().default(true),
    /** What a giver is told as soon as they have tipped. */
    thankYou: text('thank_you'),
  },
  (table) => [
    index('qr_codes_user').on(table.userId),
    uniqueIndex('qr_codes_current')
      .on(table.userId, table.category)
      .where(sql`status in ('active', 'paused')`),
    foreignKey({
      columns: [table.userId, table.category],
      foreignColumns: [providerCategories.userId, providerCategories.category],
    }),
    check('qr_codes_id', sql`length(${table.id}) = 10`),
    check('qr_codes_takes_words', sql`${table.takesWords} in (0, 1)`),
    check('qr_codes_status', sql`${table.status} in ('active', 'paused', 'replaced', 'retired')`),
  ],
);

/** A picture is made once for each code and address; another PUBLIC_URL asks for another picture. */
export const qrPictures = sqliteTable(
  'qr_pictures',
  {
    qrCodeId: text('qr_code_id')
      .$type<QrCodeId>()
      .notNull()
      .references(() => qrCodes.id),
    address: text('address').notNull(),
    png: blob('png', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.qrCodeId, table.address] })],
);

export const transactions = sqliteTable(
  'transactions',
  {
    /** The order of the ledger: without a gap, so that a missing row shows. */
    sequence: integer('sequence').primaryKey({ autoIncrement: true }),
    id: text('id').$type<TransactionId>().notNull(),
    /** Null for a guest, who has no account. */
    giverId: userId('giver_id').references(() => accounts.id),
    receiverId: userId('receiver_id')
      .notNull()
      .references(() => accounts.id),
    qrCodeId: text('qr_code_id')
      .$type<QrCodeId>()
      .notNull()
      .references(() => qrCodes.id),
    serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
    amountCents: cents('amount_cents').notNull(),
    giverFeeCents: cents('giver_fee_cents').notNull(),
    receiverFeeCents: cents('receiver_fee_cents').notNull(),
    netAmountCents: cents('net_amount_cents').notNull(),
    /** In basis points, as they were when the tip was given. */
    giverFeeRate: integer('giver_fee_rate').notNull(),
    receiverFeeRate: integer('receiver_fee_rate').notNull(),
    idempotencyKey: text('idempotency_key'),
    createdAtMs: integer('created_at_ms').notNull(),
    /** The positions of its entries in the accounts of its two people; a guest has none. */
    giverPosition: integer('giver_position'),
    receiverPosition: integer('receiver_position').notNull(),
    paymentMode: text('payment_mode').$type<PaymentMode>().notNull().default('simulated'),
  },
  (table) => [
    uniqueIndex('transactions_id').on(table.id),
    uniqueIndex('transactions_idempotency')
      .on(table.giverId, table.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    check('transactions_amount', sql`${table.amountCents} between 1000 and 1000000`),
    check('transactions_fees', sql`${table.giverFeeCents} >= 0 and ${table.receiverFeeCents} >= 0`),
    check(
      'transactions_net',
      sql`${table.netAmountCents} > 0 and ${table.netAmountCents} + ${table.receiverFeeCents} = ${table.amountCents}`,
    ),
    check('transactions_two_people', sql`${table.giverId} <> ${table.receiverId}`),
    check('transactions_positions', sql`${table.giverPosition} > 0 and ${table.receiverPosition} > 0`),
    check('transactions_guest', sql`(${table.giverId} is null) = (${table.giverPosition} is null)`),
    check('transactions_payment_mode', sql`${table.paymentMode} in ('simulated', 'test', 'live')`),
  ],
);

/** What made a tip `refunded`. Each is written once, and never changed, as the tips are. */
export const reversals = sqliteTable(
  'reversals',
  {
    /** The order in which tips were reversed, without a gap. */
    sequence: integer('sequence').primaryKey({ autoIncrement: true }),
    transactionSequence: integer('transaction_sequence')
      .notNull()
      .references(() => transactions.sequence),
    createdAtMs: integer('created_at_ms').notNull(),
    giverPosition: integer('giver_position'),
    receiverPosition: integer('receiver_position').notNull(),
    /** Which of the two people asked for it; null for one of a time when nobody could. */
    reversedBy: text('reversed_by').$type<TipParty>(),
    idempotencyKey: text('idempotency_key'),
  },
  (table) => [
    uniqueIndex('reversals_transaction').on(table.transactionSequence),
    check('reversals_positions', sql`${table.giverPosition} > 0 and ${table.receiverPosition} > 0`),
    check('reversals_reversed_by', sql`${table.reversedBy} in ('giver', 'receiver')`),
  ],
);

/** What each tip, and each reversal, did to the accounts of its two people: a chain for each account. */
export const entries = sqliteTable(
  'entries',
  {
    accountId: userId('account_id')
      .notNull()
      .references(() => accounts.id),
    /** 1, 2, 3 and so on for each account, in the order in which the entries were committed. */
    position: integer('position').notNull(),
    kind: text('kind').$type<EntryKind>().notNull(),
    transactionSequence: integer('transaction_sequence')
      .notNull()
      .references(() => transactions.sequence),
    /** The net amount for the receiver and the amount for the giver; negative in a reversal. */
    cents: cents('cents').notNull(),
    /** What the account has received in all, or given in all, with this entry. */
    balanceAfterCents: cents('balance_after_cents').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.position] }),
    index('entries_time').on(table.accountId, table.createdAtMs),
    check('entries_position', sql`${table.position} > 0`),
    check('entries_balance', sql`${table.balanceAfterCents} >= 0`),
    check(
      'entries_kind',
      sql`(${table.kind} in ('received', 'given') and ${table.cents} > 0) or (${table.kind} in ('received_reversed', 'given_reversed') and ${table.cents} < 0)`,
    ),
  ],
);

/** What was received, without what was reversed, in each quarter of an hour: a day of any time zone is made up of such quarters. */
export const tipBuckets = sqliteTable(
  'tip_buckets',
  {
    accountId: userId('account_id')
      .notNull()
      .references(() => accounts.id),
    /** When the quarter of an hour began. */
    startMs: integer('start_ms').notNull(),
    serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
    count: integer('count').notNull(),
    /** The sum of the net amounts. */
    cents: cents('cents').notNull(),
    /** As they were when the ledger was checked last. */
    checkedCount: integer('checked_count').notNull().default(0),
    checkedCents: cents('checked_cents').notNull().default(sql`0`),
    /** Of how many tips the sum of the amounts and the largest net amount are: where some are missing, the ledger tells when somebody asks. */
    detailedCount: integer('detailed_count').notNull().default(0),
    grossCents: cents('gross_cents').notNull().default(sql`0`),
    largestCents: cents('largest_cents').notNull().default(sql`0`),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.startMs, table.serviceCategory] }),
    check('tip_buckets_quarter', sql`${table.startMs} % 900000 = 0`),
    check('tip_buckets_sums', sql`${table.count} >= 0 and ${table.cents} >= 0`),
  ],
);

/** How far the chain of an account has been checked. */
export const checkedAccounts = sqliteTable('checked_accounts', {
  accountId: userId('account_id')
    .primaryKey()
    .references(() => accounts.id),
  position: integer('position').notNull(),
  /** The totals at that position. */
  receivedCents: cents('received_cents').notNull(),
  givenCents: cents('given_cents').notNull(),
  /** The earliest bucket that was moved since the account was last checked to its end; null when nothing has come since. */
  bucketsFromMs: integer('buckets_from_ms'),
});

/** How far the ledger has been checked: one row. */
export const checkpoints = sqliteTable(
  'checkpoints',
  {
    id: integer('id').primaryKey(),
    transactionSequence: integer('transaction_sequence').notNull(),
    reversalSequence: integer('reversal_sequence').notNull(),
  },
  (table) => [check('checkpoints_one', sql`${table.id} = 1`)],
);
