/**
 * The ledger's tables as the rest of the storage reads them: views with ids and words beside the numbers. Conditions
 * name numbers, which the indexes have.
 */
import { integer } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId, TransactionId } from '#shared/ids.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { EntryKind } from '../port/ledger.ts';
import { cents, table, text, userId, whole } from './columns.ts';
import type { AccountNumber, CodeNumber } from './numbers.ts';

export const transactions = table('transactions', {
  sequence: whole('sequence').notNull(),
  id: text('id').$type<TransactionId>().notNull(),
  giverId: userId('giver_id'),
  receiverId: userId('receiver_id').notNull(),
  qrCodeId: text('qr_code_id').$type<QrCodeId>().notNull(),
  serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
  amountCents: cents('amount_cents').notNull(),
  giverFeeCents: cents('giver_fee_cents').notNull(),
  receiverFeeCents: cents('receiver_fee_cents').notNull(),
  netAmountCents: cents('net_amount_cents').notNull(),
  giverFeeRate: integer('giver_fee_rate').notNull(),
  receiverFeeRate: integer('receiver_fee_rate').notNull(),
  idempotencyKey: text('idempotency_key'),
  createdAtMs: whole('created_at_ms').notNull(),
  giverPosition: whole('giver_position'),
  receiverPosition: whole('receiver_position').notNull(),
  paymentMode: text('payment_mode').$type<PaymentMode>().notNull(),
  termsVersion: integer('terms_version').notNull(),
  giver: whole('giver').$type<AccountNumber>(),
  receiver: whole('receiver').$type<AccountNumber>().notNull(),
  code: whole('code').$type<CodeNumber>().notNull(),
});

export const entries = table('entries', {
  accountId: userId('account_id').notNull(),
  position: whole('position').notNull(),
  kind: text('kind').$type<EntryKind>().notNull(),
  transactionSequence: whole('transaction_sequence').notNull(),
  cents: cents('cents').notNull(),
  balanceAfterCents: cents('balance_after_cents').notNull(),
  createdAtMs: whole('created_at_ms').notNull(),
  account: whole('account').$type<AccountNumber>().notNull(),
  kindNumber: whole('kind_number').notNull(),
});

export const tipBuckets = table('tip_buckets', {
  accountId: userId('account_id').notNull(),
  startMs: whole('start_ms').notNull(),
  serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
  count: whole('count').notNull(),
  cents: cents('cents').notNull(),
  checkedCount: whole('checked_count').notNull(),
  checkedCents: cents('checked_cents').notNull(),
  detailedCount: whole('detailed_count').notNull(),
  grossCents: cents('gross_cents').notNull(),
  largestCents: cents('largest_cents').notNull(),
  account: whole('account').$type<AccountNumber>().notNull(),
  quarter: whole('quarter').notNull(),
});

/** The columns of numbers, which no record of the port has. */
export const NUMBERS_OF_TIP = ['giver', 'receiver', 'code'] as const;
