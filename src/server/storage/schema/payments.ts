/** The tables of payments at a payment service. */
import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { TransactionId } from '#shared/ids.ts';
import type { PaidMode, PaymentState } from '#shared/payments.ts';
import type { TipParty } from '#shared/records.ts';
import { accountId } from './accounts.ts';
import { boolean, table, text, whole } from './columns.ts';
import { tipChecks, tipColumns } from './tip-columns.ts';

/** Payments at a payment service, each of one tip that is to be, which the ledger gets once it is paid. */
export const payments = table(
  'payments',
  {
    /** Of the tip. */
    id: text('id').$type<TransactionId>().primaryKey(),
    ...tipColumns(),
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
  (t) => [
    uniqueIndex('payments_idempotency')
      .on(t.giverId, t.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    uniqueIndex('payments_checkout').on(t.checkoutId),
    uniqueIndex('payments_charge').on(t.chargeId),
    index('payments_giver').on(t.giverId, t.createdAtMs, t.id),
    index('payments_look').on(t.lookAtMs).where(sql`look_at_ms is not null`),
    ...tipChecks('payments', t),
    check('payments_mode', sql`${t.paymentMode} in ('test', 'live')`),
    check(
      'payments_state',
      sql`${t.state} in ('created', 'pending', 'succeeded', 'failed', 'expired', 'refunded')`,
    ),
    check('payments_page', sql`(${t.checkoutId} is null) = (${t.checkoutUrl} is null)`),
    check(
      'payments_page_of_state',
      sql`${t.state} in ('created', 'failed', 'expired') or ${t.checkoutId} is not null`,
    ),
    check(
      'payments_charge_of_state',
      sql`(${t.state} in ('succeeded', 'refunded')) = (${t.chargeId} is not null)`,
    ),
    check('payments_refund', sql`${t.refundAskedAtMs} is null or ${t.state} in ('succeeded', 'refunded')`),
    check('payments_refund_asked_by', sql`${t.refundAskedBy} in ('giver', 'receiver')`),
  ],
);

/** The accounts of providers at the payment service, at which their tips arrive. */
export const payoutAccounts = table(
  'payout_accounts',
  {
    userId: accountId('user_id'),
    paymentMode: text('payment_mode').$type<PaidMode>().notNull(),
    /** How the payment service names it. */
    accountId: text('account_id').notNull(),
    chargesEnabled: boolean('charges_enabled').notNull(),
    /** What the payment service asks its owner for, as it names that, separated by spaces. */
    missing: text('missing').notNull(),
    changedAtMs: whole('changed_at_ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.paymentMode] }),
    uniqueIndex('payout_accounts_account').on(t.accountId),
    check('payout_accounts_mode', sql`${t.paymentMode} in ('test', 'live')`),
  ],
);

/** The notices of the payment service that were dealt with, so that none is a second time. */
export const webhookEvents = table(
  'payment_notices',
  {
    id: text('id').primaryKey(),
    receivedAtMs: whole('received_at_ms').notNull(),
  },
  (t) => [index('payment_notices_time').on(t.receivedAtMs)],
);
