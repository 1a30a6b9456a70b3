/** The tables of the ledger. They are append-only; triggers of both engines refuse all else. */
import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId } from '#shared/ids.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { TipParty } from '#shared/records.ts';
import type { EntryKind, StoredAdjustmentKind } from '../port/ledger.ts';
import { accountId, accounts } from './accounts.ts';
import { cents, table, text, userId, whole } from './columns.ts';
import { termsVersion, tipChecks, tipColumns } from './tip-columns.ts';

export const transactions = table(
  'transactions',
  {
    /** The order of the ledger; rolled back transactions leave gaps. */
    sequence: whole('sequence').primaryKey().generatedAlwaysAsIdentity(),
    id: text('id').$type<TransactionId>().notNull(),
    ...tipColumns(),
    /** The positions of its entries in the two accounts; null for a guest. */
    giverPosition: whole('giver_position'),
    receiverPosition: whole('receiver_position').notNull(),
    paymentMode: text('payment_mode').$type<PaymentMode>().notNull().default('simulated'),
    termsVersion: termsVersion(),
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

/** Reversals of tips, written once and never changed. */
export const reversals = table(
  'reversals',
  {
    /** The order of reversals; it may have gaps. */
    sequence: whole('sequence').primaryKey().generatedAlwaysAsIdentity(),
    transactionSequence: whole('transaction_sequence')
      .notNull()
      .references(() => transactions.sequence),
    createdAtMs: whole('created_at_ms').notNull(),
    giverPosition: whole('giver_position'),
    receiverPosition: whole('receiver_position').notNull(),
    /** Null for one by neither of the two people. */
    reversedBy: text('reversed_by').$type<TipParty>(),
    idempotencyKey: text('idempotency_key'),
  },
  (t) => [
    uniqueIndex('reversals_transaction').on(t.transactionSequence),
    check('reversals_positions', sql`${t.giverPosition} > 0 and ${t.receiverPosition} > 0`),
    check('reversals_reversed_by', sql`${t.reversedBy} in ('giver', 'receiver')`),
  ],
);

/**
 * What happened to the money of paid tips after they were in the ledger, written once and never changed. A capture
 * moves no cents.
 */
export const adjustments = table(
  'adjustments',
  {
    /** The order of adjustments; it may have gaps. */
    sequence: whole('sequence').primaryKey().generatedAlwaysAsIdentity(),
    transactionSequence: whole('transaction_sequence')
      .notNull()
      .references(() => transactions.sequence),
    /** 1, 2, 3 ... for each tip. */
    number: integer('number').notNull(),
    kind: text('kind').$type<StoredAdjustmentKind>().notNull(),
    /** The payment service's id of what happened. */
    source: text('source').notNull(),
    amountCents: cents('amount_cents').notNull(),
    giverFeeCents: cents('giver_fee_cents').notNull(),
    receiverFeeCents: cents('receiver_fee_cents').notNull(),
    netAmountCents: cents('net_amount_cents').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    giverPosition: whole('giver_position'),
    receiverPosition: whole('receiver_position').notNull(),
  },
  (t) => [
    uniqueIndex('adjustments_source').on(t.transactionSequence, t.kind, t.source),
    uniqueIndex('adjustments_number').on(t.transactionSequence, t.number),
    // Most are captures, which moved nothing.
    index('adjustments_moves').on(t.sequence).where(sql`kind <> 'capture'`),
    check('adjustments_numbers', sql`${t.number} > 0`),
    check('adjustments_positions', sql`${t.giverPosition} > 0 and ${t.receiverPosition} > 0`),
    check(
      'adjustments_kind',
      sql`${t.kind} in ('capture', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'dispute_lost', 'debit')`,
    ),
    check('adjustments_net', sql`${t.netAmountCents} + ${t.receiverFeeCents} = ${t.amountCents}`),
  ],
);

/**
 * The kinds of entries that are no tips, as a literal: the engines use the index of changes only for a condition
 * in its own words.
 */
export const KINDS_OF_CHANGES = sql.raw(
  "('received_reversed', 'given_reversed', 'received_adjusted', 'given_adjusted')",
);

/** The changes of accounts by tips, reversals and adjustments: a chain for each account. */
export const entries = table(
  'entries',
  {
    accountId: accountId('account_id'),
    /** 1, 2, 3 ... for each account, in the order of commits. */
    position: whole('position').notNull(),
    kind: text('kind').$type<EntryKind>().notNull(),
    transactionSequence: whole('transaction_sequence')
      .notNull()
      .references(() => transactions.sequence),
    /** Of the net amount for the receiver, of the amount for the giver; negative in a reversal. */
    cents: cents('cents').notNull(),
    /** The account's total received or given with this entry. */
    balanceAfterCents: cents('balance_after_cents').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.position] }),
    index('entries_time').on(t.accountId, t.createdAtMs),
    /** Reversals and adjustments are few among the entries of an account. */
    index('entries_changes')
      .on(t.accountId, t.createdAtMs, t.position)
      .where(sql`kind in ${KINDS_OF_CHANGES}`),
    check('entries_position', sql`${t.position} > 0`),
    check('entries_balance', sql`${t.balanceAfterCents} >= 0`),
    check(
      'entries_kind',
      sql`(${t.kind} in ('received', 'given') and ${t.cents} >= 0) or (${t.kind} in ('received_reversed', 'given_reversed') and ${t.cents} <= 0) or ${t.kind} in ('received_adjusted', 'given_adjusted') or (${t.kind} in ('received_captured', 'given_captured') and ${t.cents} = 0)`,
    ),
  ],
);

/**
 * Received tips without reversed ones by quarters of an hour, of which the days of any time zone are made.
 */
export const tipBuckets = table(
  'tip_buckets',
  {
    accountId: accountId('account_id'),
    startMs: whole('start_ms').notNull(),
    serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
    count: whole('count').notNull(),
    /** The sum of net amounts. */
    cents: cents('cents').notNull(),
    /** As of the last check of the ledger. */
    checkedCount: whole('checked_count').notNull().default(0),
    checkedCents: cents('checked_cents').notNull().default(sql`0`),
    /**
     * The number of tips in the sum of amounts and the largest net amount. Where it is less than the count,
     * both are made up from the ledger on demand.
     */
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

export const checkedAccounts = table('checked_accounts', {
  accountId: userId('account_id')
    .primaryKey()
    .references(() => accounts.id),
  position: whole('position').notNull(),
  receivedCents: cents('received_cents').notNull(),
  givenCents: cents('given_cents').notNull(),
  /** The earliest bucket changed since the account was last checked to its end; null without one. */
  bucketsFromMs: whole('buckets_from_ms'),
});

/** How far the ledger was checked, in one row. */
export const checkpoints = table(
  'checkpoints',
  {
    id: integer('id').primaryKey(),
    transactionSequence: whole('transaction_sequence').notNull(),
    reversalSequence: whole('reversal_sequence').notNull(),
    adjustmentSequence: whole('adjustment_sequence').notNull().default(0),
  },
  (t) => [check('checkpoints_one', sql`${t.id} = 1`)],
);
