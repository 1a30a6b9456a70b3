/**
 * The tables of payments; see `schema.ts`.
 */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId, TransactionId } from '#shared/ids.ts';
import type { PaidMode, PaymentState } from '#shared/payments.ts';
import type { TipParty } from '#shared/records.ts';
import { cents, schema, text, userId, whole } from './columns.ts';
import { accounts, qrCodes } from './schema.ts';

/** Payments at a payment service, each of one tip that is to be, which the ledger gets once it is paid. */
export const payments = schema.table(
  'payments',
  {
    /** Of the tip. */
    id: text('id').$type<TransactionId>().primaryKey(),
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
    /** In basis points, as they were when the payment began. */
    giverFeeRate: integer('giver_fee_rate').notNull(),
    receiverFeeRate: integer('receiver_fee_rate').notNull(),
    idempotencyKey: text('idempotency_key'),
    createdAtMs: whole('created_at_ms').notNull(),
    paymentMode: text('payment_mode').$type<PaidMode>().notNull(),
    /** The receiver's account at the payment service. */
    destination: text('destination').notNull(),
    state: text('state').$type<PaymentState>().notNull().default('created'),
    changedAtMs: whole('changed_at_ms').notNull(),
    /** When the giver can pay no more. */
    expiresAtMs: whole('expires_at_ms').notNull(),
    /** The page on which the giver pays, and how the payment service names it. */
    checkoutId: text('checkout_id'),
    checkoutUrl: text('checkout_url'),
    /** How the payment service names the charge; null until it is paid. */
    chargeId: text('charge_id'),
    /** When to ask the payment service what became of it; null when nothing is open. */
    lookAtMs: whole('look_at_ms'),
    lookCount: integer('look_count').notNull().default(0),
    /** A refund that was asked for, whether or not the payment service has done it yet. */
    refundAskedAtMs: whole('refund_asked_at_ms'),
    refundAskedBy: text('refund_asked_by').$type<TipParty>(),
    refundKey: text('refund_key'),
  },
  (table) => [
    uniqueIndex('payments_idempotency')
      .on(table.giverId, table.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    uniqueIndex('payments_checkout').on(table.checkoutId),
    uniqueIndex('payments_charge').on(table.chargeId),
    index('payments_giver').on(table.giverId, table.createdAtMs, table.id),
    index('payments_look').on(table.lookAtMs).where(sql`look_at_ms is not null`),
    check('payments_amount', sql`${table.amountCents} between 1000 and 1000000`),
    check('payments_fees', sql`${table.giverFeeCents} >= 0 and ${table.receiverFeeCents} >= 0`),
    check(
      'payments_net',
      sql`${table.netAmountCents} > 0 and ${table.netAmountCents} + ${table.receiverFeeCents} = ${table.amountCents}`,
    ),
    check('payments_two_people', sql`${table.giverId} <> ${table.receiverId}`),
    check('payments_mode', sql`${table.paymentMode} in ('test', 'live')`),
    check(
      'payments_state',
      sql`${table.state} in ('created', 'pending', 'succeeded', 'failed', 'expired', 'refunded')`,
    ),
    check('payments_page', sql`(${table.checkoutId} is null) = (${table.checkoutUrl} is null)`),
    check(
      'payments_page_of_state',
      sql`${table.state} in ('created', 'failed', 'expired') or ${table.checkoutId} is not null`,
    ),
    check(
      'payments_charge_of_state',
      sql`(${table.state} in ('succeeded', 'refunded')) = (${table.chargeId} is not null)`,
    ),
    check(
      'payments_refund',
      sql`${table.refundAskedAtMs} is null or ${table.state} in ('succeeded', 'refunded')`,
    ),
    check('payments_refund_asked_by', sql`${table.refundAskedBy} in ('giver', 'receiver')`),
  ],
);

/** The accounts of providers at the payment service, at which their tips arrive. */
export const payoutAccounts = schema.table(
  'payout_accounts',
  {
    userId: userId('user_id')
      .notNull()
      .references(() => accounts.id),
    paymentMode: text('payment_mode').$type<PaidMode>().notNull(),
    /** How the payment service names it. */
    accountId: text('account_id').notNull(),
    chargesEnabled: boolean('charges_enabled').notNull(),
    /** What the payment service asks its owner for, as it names that, separated by spaces. */
    missing: text('missing').notNull(),
    changedAtMs: whole('changed_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.paymentMode] }),
    uniqueIndex('payout_accounts_account').on(table.accountId),
    check('payout_accounts_mode', sql`${table.paymentMode} in ('test', 'live')`),
  ],
);

/** The notices of the payment service that were dealt with, so that none is a second time. */
export const paymentNotices = schema.table(
  'payment_notices',
  {
    id: text('id').primaryKey(),
    receivedAtMs: whole('received_at_ms').notNull(),
  },
  (table) => [index('payment_notices_time').on(table.receivedAtMs)],
);
