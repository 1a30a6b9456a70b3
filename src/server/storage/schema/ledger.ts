/** The tables of the ledger, which are only ever added to: triggers of both engines refuse anything else. */
import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId } from '#shared/ids.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { TipParty } from '#shared/records.ts';
import type { EntryKind } from '../port/ledger.ts';
import { accountId, accounts } from './accounts.ts';
import { cents, table, text, userId, whole } from './columns.ts';
import { tipChecks, tipColumns } from './tip-columns.ts';

export const transactions = table(
  'transactions',
  {
    /** The order of the ledger. Numbers that were drawn and not committed leave gaps. */
    sequence: whole('sequence').primaryKey().generatedAlwaysAsIdentity(),
    id: text('id').$type<TransactionId>().notNull(),
    ...tipColumns(),
    /** The positions of its entries in the accounts of its two people; a guest has none. */
    giverPosition: whole('giver_position'),
    receiverPosition: whole('receiver_position').notNull(),
    paymentMode: text('payment_mode').$type<PaymentMode>().notNull().default('simulated'),
  },
  (t) => [
    uniqueIndex('transactions_id').on(t.id),
    uniqueIndex('transactions_idempotency')
      .on(t.giverId, t.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    ...tipChecks('transactions', t),
    check('transactions_positions', sql`${t.giverPosition} > 0 and ${t.receiverPosition} > 0`),
    check('transactions_guest', sql`(${t.giverId} is null) = (${t.giverPosition} is null)`),
    check('transactions_payment_mode', sql`${t.paymentMode} in ('simulated', 'test', 'live')`),
  ],
);

/** What made a tip `refunded`. Each is written once, and never changed, as the tips are. */
export const reversals = table(
  'reversals',
  {
    /** The order in which tips were reversed; it may have gaps. */
    sequence: whole('sequence').primaryKey().generatedAlwaysAsIdentity(),
    transactionSequence: whole('transaction_sequence')
      .notNull()
      .references(() => transactions.sequence),
    createdAtMs: whole('created_at_ms').notNull(),
    giverPosition: whole('giver_position'),
    receiverPosition: whole('receiver_position').notNull(),
    /** Which of the two people asked for it; null for one of a time when nobody could. */
    reversedBy: text('reversed_by').$type<TipParty>(),
    idempotencyKey: text('idempotency_key'),
  },
  (t) => [
    uniqueIndex('reversals_transaction').on(t.transactionSequence),
    check('reversals_positions', sql`${t.giverPosition} > 0 and ${t.receiverPosition} > 0`),
    check('reversals_reversed_by', sql`${t.reversedBy} in ('giver', 'receiver')`),
  ],
);

/** What each tip, and each reversal, did to the accounts of its two people: a chain for each account. */
export const entries = table(
  'entries',
  {
    accountId: accountId('account_id'),
    /** 1, 2, 3 and so on for each account, in the order in which the entries were committed. */
    position: whole('position').notNull(),
    kind: text('kind').$type<EntryKind>().notNull(),
    transactionSequence: whole('transaction_sequence')
      .notNull()
      .references(() => transactions.sequence),
    /** The net amount for the receiver and the amount for the giver; negative in a reversal. */
    cents: cents('cents').notNull(),
    /** What the account has received in all, or given in all, with this entry. */
    balanceAfterCents: cents('balance_after_cents').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.position] }),
    index('entries_time').on(t.accountId, t.createdAtMs),
    check('entries_position', sql`${t.position} > 0`),
    check('entries_balance', sql`${t.balanceAfterCents} >= 0`),
    check(
      'entries_kind',
      sql`(${t.kind} in ('received', 'given') and ${t.cents} > 0) or (${t.kind} in ('received_reversed', 'given_reversed') and ${t.cents} < 0)`,
    ),
  ],
);

/** What was received, without what was reversed, in each quarter of an hour: a day of any time zone is made up of such quarters. */
export const tipBuckets = table(
  'tip_buckets',
  {
    accountId: accountId('account_id'),
    /** When the quarter of an hour began. */
    startMs: whole('start_ms').notNull(),
    serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
    count: whole('count').notNull(),
    /** The sum of the net amounts. */
    cents: cents('cents').notNull(),
    /** As they were when the ledger was checked last. */
    checkedCount: whole('checked_count').notNull().default(0),
    checkedCents: cents('checked_cents').notNull().default(sql`0`),
    /** Of how many tips the sum of the amounts and the largest net amount are: where some are missing, the ledger tells when somebody asks. */
    detailedCount: whole('detailed_count').notNull().default(0),
    grossCents: cents('gross_cents').notNull().default(sql`0`),
    largestCents: cents('largest_cents').notNull().default(sql`0`),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.startMs, t.serviceCategory] }),
    check('tip_buckets_quarter', sql`${t.startMs} % 900000 = 0`),
    check('tip_buckets_sums', sql`${t.count} >= 0 and ${t.cents} >= 0`),
  ],
);

/** How far the chain of an account has been checked. */
export const checkedAccounts = table('checked_accounts', {
  accountId: userId('account_id')
    .primaryKey()
    .references(() => accounts.id),
  position: whole('position').notNull(),
  /** The totals at that position. */
  receivedCents: cents('received_cents').notNull(),
  givenCents: cents('given_cents').notNull(),
  /** The earliest bucket that was moved since the account was last checked to its end; null when nothing has come since. */
  bucketsFromMs: whole('buckets_from_ms'),
});

/** How far the ledger has been checked: one row. */
export const checkpoints = table(
  'checkpoints',
  {
    id: integer('id').primaryKey(),
    transactionSequence: whole('transaction_sequence').notNull(),
    reversalSequence: whole('reversal_sequence').notNull(),
  },
  (t) => [check('checkpoints_one', sql`${t.id} = 1`)],
);
