/** The tables of the ledger. They are append-only; triggers of both engines refuse all else. */
import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, smallint, uniqueIndex } from 'drizzle-orm/pg-core';
import type { TransactionId } from '#shared/ids.ts';
import type { TipParty } from '#shared/records.ts';
import type { StoredAdjustmentKind } from '../port/ledger.ts';
import { MAX_AMOUNT_CENTS } from '../port/terms.ts';
import { accounts } from './accounts.ts';
import { cents, table, text, userId, whole } from './columns.ts';
import {
  type AccountNumber,
  CATEGORY_NUMBERS,
  type CodeNumber,
  KIND_NUMBERS,
  MODE_NUMBERS,
} from './numbers.ts';

const account = (name: string) => integer(name).$type<AccountNumber>();
const highest = (numbers: Readonly<Record<string, number>>) =>
  sql.raw(String(Math.max(...Object.values(numbers))));

/**
 * Accounts and codes are named by numbers without foreign keys, so that accounts may live on several databases. On
 * PostgreSQL the columns stand in the order of their sizes, because it pads them.
 */
export const tips = table(
  'tips',
  {
    /** The order of the ledger; rolled back transactions leave gaps. */
    sequence: whole('sequence').primaryKey().generatedAlwaysAsIdentity(),
    createdAtMs: whole('created_at_ms').notNull(),
    amountCents: cents('amount_cents').notNull(),
    giverFeeCents: cents('giver_fee_cents').notNull(),
    receiverFeeCents: cents('receiver_fee_cents').notNull(),
    netAmountCents: cents('net_amount_cents').notNull(),
    giver: account('giver'),
    receiver: account('receiver').notNull(),
    code: integer('code').$type<CodeNumber>().notNull(),
    /** The positions of its entries in the two accounts; null for a guest. */
    giverPosition: integer('giver_position'),
    receiverPosition: integer('receiver_position').notNull(),
    termsVersion: integer('terms_version').notNull(),
    /** Basis points at the time of the request. */
    giverFeeRate: smallint('giver_fee_rate').notNull(),
    receiverFeeRate: smallint('receiver_fee_rate').notNull(),
    category: smallint('category').notNull(),
    mode: smallint('mode').notNull(),
    id: text('id').$type<TransactionId>().notNull(),
    /** Only tips of earlier versions have it. Empty otherwise, because a null costs PostgreSQL 8 bytes. */
    idempotencyKey: text('idempotency_key').notNull(),
  },
  (t) => [
    uniqueIndex('tips_id').on(t.id),
    uniqueIndex('tips_idempotency').on(t.giver, t.idempotencyKey).where(sql`idempotency_key <> ''`),
    check('tips_amount', sql`${t.amountCents} between 1 and ${sql.raw(String(MAX_AMOUNT_CENTS))}`),
    check('tips_fees', sql`${t.giverFeeCents} >= 0 and ${t.receiverFeeCents} >= 0`),
    check(
      'tips_net',
      sql`${t.netAmountCents} >= 0 and ${t.netAmountCents} + ${t.receiverFeeCents} = ${t.amountCents}`,
    ),
    check('tips_two_people', sql`${t.giver} <> ${t.receiver}`),
    check('tips_positions', sql`${t.giverPosition} > 0 and ${t.receiverPosition} > 0`),
    check('tips_guest', sql`(${t.giver} is null) = (${t.giverPosition} is null)`),
    check('tips_category', sql`${t.category} between 1 and ${highest(CATEGORY_NUMBERS)}`),
    check('tips_mode', sql`${t.mode} between 0 and ${highest(MODE_NUMBERS)}`),
  ],
);

export const reversals = table(
  'reversals',
  {
    sequence: whole('sequence').primaryKey().generatedAlwaysAsIdentity(),
    transactionSequence: whole('transaction_sequence')
      .notNull()
      .references(() => tips.sequence),
    createdAtMs: whole('created_at_ms').notNull(),
    giverPosition: whole('giver_position'),
    receiverPosition: whole('receiver_position').notNull(),
    reversedBy: text('reversed_by').$type<TipParty>(),
    idempotencyKey: text('idempotency_key'),
  },
  (t) => [
    uniqueIndex('reversals_transaction').on(t.transactionSequence),
    check('reversals_positions', sql`${t.giverPosition} > 0 and ${t.receiverPosition} > 0`),
    check('reversals_reversed_by', sql`${t.reversedBy} in ('giver', 'receiver')`),
  ],
);

/** Later changes of the money of paid tips, written once and never changed. A capture moves no cents. */
export const adjustments = table(
  'adjustments',
  {
    sequence: whole('sequence').primaryKey().generatedAlwaysAsIdentity(),
    transactionSequence: whole('transaction_sequence')
      .notNull()
      .references(() => tips.sequence),
    /** 1, 2, 3 ... for each tip. */
    number: integer('number').notNull(),
    kind: text('kind').$type<StoredAdjustmentKind>().notNull(),
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
    index('adjustments_disputes').on(t.sequence).where(sql`kind = 'dispute'`),
    check('adjustments_numbers', sql`${t.number} > 0`),
    check('adjustments_positions', sql`${t.giverPosition} > 0 and ${t.receiverPosition} > 0`),
    check(
      'adjustments_kind',
      sql`${t.kind} in ('capture', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'dispute_lost', 'debit')`,
    ),
    check('adjustments_net', sql`${t.netAmountCents} + ${t.receiverFeeCents} = ${t.amountCents}`),
  ],
);

/** A literal, because the engines use the index of changes only for a condition in its own words. */
export const KINDS_OF_CHANGES = sql.raw(
  `(${[
    KIND_NUMBERS.received_reversed,
    KIND_NUMBERS.given_reversed,
    KIND_NUMBERS.received_adjusted,
    KIND_NUMBERS.given_adjusted,
  ].join(', ')})`,
);

/** The changes of accounts by tips, reversals and adjustments: a chain for each account. */
export const tipEntries = table(
  'tip_entries',
  {
    transactionSequence: whole('transaction_sequence').notNull(),
    /** The net amount for the receiver, the amount for the giver; negative in a reversal. */
    cents: cents('cents').notNull(),
    /** The account's total received or given with this entry. */
    balanceAfterCents: cents('balance_after_cents').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    account: account('account').notNull(),
    position: integer('position').notNull(),
    kind: smallint('kind').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.account, t.position] }),
    index('tip_entries_time').on(t.account, t.createdAtMs),
    index('tip_entries_changes')
      .on(t.account, t.createdAtMs, t.position)
      .where(sql`kind in ${KINDS_OF_CHANGES}`),
    check('tip_entries_position', sql`${t.position} > 0`),
    check('tip_entries_balance', sql`${t.balanceAfterCents} >= 0`),
    check(
      'tip_entries_kind',
      sql`(${t.kind} in (1, 2) and ${t.cents} >= 0) or (${t.kind} in (3, 4) and ${t.cents} <= 0) or ${t.kind} in (5, 6) or (${t.kind} in (7, 8) and ${t.cents} = 0)`,
    ),
  ],
);

/** Received, unreversed tips by quarters of an hour, of which the days of any time zone are made. */
export const tipQuarters = table(
  'tip_quarters',
  {
    /** Sums of net amounts, at present and as of the last check of the ledger. */
    cents: cents('cents').notNull(),
    checkedCents: cents('checked_cents').notNull().default(sql`0`),
    grossCents: cents('gross_cents').notNull().default(sql`0`),
    largestCents: cents('largest_cents').notNull().default(sql`0`),
    account: account('account').notNull(),
    /** Quarters of an hour since 1970. */
    quarter: integer('quarter').notNull(),
    count: integer('count').notNull(),
    checkedCount: integer('checked_count').notNull().default(0),
    /** The number of tips in `gross_cents` and `largest_cents`; where it is not `count`, both are read from the ledger. */
    detailedCount: integer('detailed_count').notNull().default(0),
    category: smallint('category').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.account, t.quarter, t.category] }),
    check('tip_quarters_sums', sql`${t.count} >= 0 and ${t.cents} >= 0`),
    check('tip_quarters_category', sql`${t.category} between 1 and ${highest(CATEGORY_NUMBERS)}`),
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
