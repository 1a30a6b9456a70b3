import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId, TransactionId } from '#shared/ids.ts';
import type { PaidMode, PaymentState } from '#shared/payments.ts';
import type { TipParty } from '#shared/records.ts';
import { MAX_AMOUNT_CENTS } from '../port/terms.ts';
import { accountId, accounts } from './accounts.ts';
import { qrCodes } from './codes.ts';
import { boolean, cents, table, text, userId, whole } from './columns.ts';

const tipColumns = {
  giverId: userId('giver_id').references(() => accounts.id),
  receiverId: accountId('receiver_id'),
  qrCodeId: text('qr_code_id')
    .$type<QrCodeId>()
    .notNull()
    .references(() => qrCodes.id),
  serviceCategory: text('service_category').$type<ServiceCategory>().notNull(),
  amountCents: cents('amount_cents').notNull(),
  giverFeeCents: cents('giver_fee_cents').notNull(),
  receiverFeeCents: cents('receiver_fee_cents').notNull(),
  netAmountCents: cents('net_amount_cents').notNull(),
  /** Basis points at the time of the request. */
  giverFeeRate: integer('giver_fee_rate').notNull(),
  receiverFeeRate: integer('receiver_fee_rate').notNull(),
  idempotencyKey: text('idempotency_key'),
  createdAtMs: whole('created_at_ms').notNull(),
};

type TipColumn = keyof typeof tipColumns | 'termsVersion';

// Object.keys of an object made here has exactly the keys of its type.
export const TIP_COLUMNS = [...Object.keys(tipColumns), 'termsVersion'] as TipColumn[];

export const payments = table(
  'payments',
  {
    id: text('id').$type<TransactionId>().primaryKey(),
    ...tipColumns,
    paymentMode: text('payment_mode').$type<PaidMode>().notNull(),
    destination: text('destination').notNull(),
    state: text('state').$type<PaymentState>().notNull().default('created'),
    changedAtMs: whole('changed_at_ms').notNull(),
    expiresAtMs: whole('expires_at_ms').notNull(),
    checkoutId: text('checkout_id'),
    checkoutUrl: text('checkout_url'),
    chargeId: text('charge_id'),
    /** When to ask the payment service next; null when nothing is open. */
    lookAtMs: whole('look_at_ms'),
    lookCount: integer('look_count').notNull().default(0),
    refundAskedAtMs: whole('refund_asked_at_ms'),
    refundAskedBy: text('refund_asked_by').$type<TipParty>(),
    refundKey: text('refund_key'),
    termsVersion: integer('terms_version').notNull().default(0),
    platform: text('platform'),
    /** When the money that is held on the giver's card is captured, or was to be before it was cancelled. */
    capturesAtMs: whole('captures_at_ms'),
    owedByReceiverCents: cents('owed_by_receiver_cents').notNull().default(sql`0`),
    owedToGiverCents: cents('owed_to_giver_cents').notNull().default(sql`0`),
    owedToReceiverCents: cents('owed_to_receiver_cents').notNull().default(sql`0`),
    settledByReceiverCents: cents('settled_by_receiver_cents').notNull().default(sql`0`),
    settledToGiverCents: cents('settled_to_giver_cents').notNull().default(sql`0`),
    settledToReceiverCents: cents('settled_to_receiver_cents').notNull().default(sql`0`),
    refusedTakeBacks: integer('refused_take_backs').notNull().default(0),
    refusedGiveBacks: integer('refused_give_backs').notNull().default(0),
  },
  (t) => [
    uniqueIndex('payments_idempotency')
      .on(t.giverId, t.idempotencyKey)
      .where(sql`idempotency_key is not null`),
    uniqueIndex('payments_checkout').on(t.checkoutId),
    uniqueIndex('payments_charge').on(t.chargeId),
    index('payments_giver').on(t.giverId, t.createdAtMs, t.id),
    index('payments_time').on(t.createdAtMs, t.id),
    index('payments_look').on(t.lookAtMs).where(sql`look_at_ms is not null`),
    index('payments_arriving').on(t.receiverId).where(sql`state = 'authorised'`),
    index('payments_debts')
      .on(t.createdAtMs, t.id)
      .where(sql`owed_by_receiver_cents + owed_to_giver_cents + owed_to_receiver_cents > 0`),
    check('payments_amount', sql`${t.amountCents} between 1 and ${sql.raw(String(MAX_AMOUNT_CENTS))}`),
    check('payments_fees', sql`${t.giverFeeCents} >= 0 and ${t.receiverFeeCents} >= 0`),
    check(
      'payments_net',
      sql`${t.netAmountCents} >= 0 and ${t.netAmountCents} + ${t.receiverFeeCents} = ${t.amountCents}`,
    ),
    check('payments_two_people', sql`${t.giverId} <> ${t.receiverId}`),
    check('payments_mode', sql`${t.paymentMode} in ('test', 'live')`),
    check(
      'payments_state',
      sql`${t.state} in ('created', 'pending', 'succeeded', 'failed', 'expired', 'refunded', 'authorised', 'cancelled')`,
    ),
    check('payments_page', sql`(${t.checkoutId} is null) = (${t.checkoutUrl} is null)`),
    check(
      'payments_page_of_state',
      sql`${t.state} in ('created', 'failed', 'expired') or ${t.checkoutId} is not null`,
    ),
    check(
      'payments_charge_of_state',
      sql`(${t.state} in ('authorised', 'succeeded', 'refunded', 'cancelled')) = (${t.chargeId} is not null)`,
    ),
    check(
      'payments_refund',
      sql`${t.refundAskedAtMs} is null or ${t.state} in ('authorised', 'succeeded', 'refunded', 'cancelled')`,
    ),
    check(
      'payments_captures',
      sql`(${t.state} in ('authorised', 'cancelled')) = (${t.capturesAtMs} is not null)`,
    ),
    check(
      'payments_owed',
      sql`${t.owedByReceiverCents} >= 0 and ${t.owedToGiverCents} >= 0 and ${t.owedToReceiverCents} >= 0 and (${t.owedByReceiverCents} + ${t.owedToGiverCents} + ${t.owedToReceiverCents} = 0 or ${t.state} in ('succeeded', 'refunded'))`,
    ),
    check('payments_settled', sql`${t.settledByReceiverCents} >= 0 and ${t.settledToGiverCents} >= 0`),
    check('payments_settled_to_receiver', sql`${t.settledToReceiverCents} >= 0`),
    check('payments_refund_asked_by', sql`${t.refundAskedBy} in ('giver', 'receiver')`),
  ],
);

export const payoutAccounts = table(
  'payout_accounts',
  {
    userId: accountId('user_id'),
    paymentMode: text('payment_mode').$type<PaidMode>().notNull(),
    /** The operator's account at the payment service; empty for accounts from before this was stored. */
    platform: text('platform').notNull().default(''),
    accountId: text('account_id').notNull(),
    chargesEnabled: boolean('charges_enabled').notNull(),
    /** What the payment service asks of the owner, in its own names, separated by spaces. */
    missing: text('missing').notNull(),
    changedAtMs: whole('changed_at_ms').notNull(),
    country: text('country'),
    payoutsEnabled: boolean('payouts_enabled').notNull().default(false),
    disabledReason: text('disabled_reason'),
    /** When the payment service last told of it; 0 for accounts from before this was stored. */
    readAtMs: whole('read_at_ms').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.paymentMode, t.platform] }),
    uniqueIndex('payout_accounts_account').on(t.accountId),
    index('payout_accounts_read').on(t.paymentMode, t.readAtMs),
    index('payout_accounts_restricted').on(t.paymentMode).where(sql`disabled_reason is not null`),
    check('payout_accounts_mode', sql`${t.paymentMode} in ('test', 'live')`),
  ],
);

/** Webhook events that were handled, so that none is handled twice. */
export const webhookEvents = table(
  'payment_notices',
  {
    id: text('id').primaryKey(),
    receivedAtMs: whole('received_at_ms').notNull(),
  },
  (t) => [index('payment_notices_time').on(t.receivedAtMs)],
);
