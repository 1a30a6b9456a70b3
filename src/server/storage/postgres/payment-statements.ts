/**
 * The statements about payments; see `statements.ts`.
 */
import { and, asc, desc, eq, lt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { namesOfCode, ownsCode } from './code-statements.ts';
import { paymentNotices, payments, payoutAccounts } from './payment-schema.ts';
import { prepareInsert } from './placeholders.ts';
import { accounts, qrCodes } from './schema.ts';

export function preparePaymentStatements(db: NodePgDatabase) {
  const value = sql.placeholder;

  const payment = {
    id: payments.id,
    giverId: payments.giverId,
    receiverId: payments.receiverId,
    qrCodeId: payments.qrCodeId,
    serviceCategory: payments.serviceCategory,
    amountCents: payments.amountCents,
    giverFeeCents: payments.giverFeeCents,
    receiverFeeCents: payments.receiverFeeCents,
    netAmountCents: payments.netAmountCents,
    giverFeeRate: payments.giverFeeRate,
    receiverFeeRate: payments.receiverFeeRate,
    idempotencyKey: payments.idempotencyKey,
    createdAtMs: payments.createdAtMs,
    paymentMode: payments.paymentMode,
    destination: payments.destination,
    state: payments.state,
    changedAtMs: payments.changedAtMs,
    expiresAtMs: payments.expiresAtMs,
    checkoutId: payments.checkoutId,
    checkoutUrl: payments.checkoutUrl,
    chargeId: payments.chargeId,
    lookCount: payments.lookCount,
    refundAskedAtMs: payments.refundAskedAtMs,
    refundAskedBy: payments.refundAskedBy,
    refundKey: payments.refundKey,
    receiverName: namesOfCode.fullName,
    receiverUsername: namesOfCode.username,
    displayName: qrCodes.displayName,
    defaultThankYou: qrCodes.thankYou,
  };
  const paymentsWithNames = () =>
    db
      .select(payment)
      .from(payments)
      .innerJoin(qrCodes, eq(qrCodes.id, payments.qrCodeId))
      .innerJoin(accounts, ownsCode);
  const payoutAccount = () =>
    db
      .select({
        userId: payoutAccounts.userId,
        paymentMode: payoutAccounts.paymentMode,
        accountId: payoutAccounts.accountId,
        chargesEnabled: payoutAccounts.chargesEnabled,
        missing: payoutAccounts.missing,
      })
      .from(payoutAccounts);

  return {
    insertPayment: prepareInsert(db, payments, 'insert_payment'),
    paymentById: paymentsWithNames()
      .where(eq(payments.id, value('id')))
      .prepare('payment_by_id'),
    /** Apart from reading it, because a lock cannot name one of several tables in a schema. */
    lockPayment: db
      .select({ id: payments.id })
      .from(payments)
      .where(eq(payments.id, value('id')))
      .for('update')
      .prepare('lock_payment'),
    paymentByCheckout: paymentsWithNames()
      .where(eq(payments.checkoutId, value('checkoutId')))
      .prepare('payment_by_checkout'),
    paymentByCharge: paymentsWithNames()
      .where(eq(payments.chargeId, value('chargeId')))
      .prepare('payment_by_charge'),
    paymentByKey: paymentsWithNames()
      .where(
        and(eq(payments.giverId, value('giverId')), eq(payments.idempotencyKey, value('idempotencyKey'))),
      )
      .prepare('payment_by_key'),
    paymentsOfGiver: paymentsWithNames()
      .where(
        and(
          eq(payments.giverId, value('giverId')),
          sql`(${payments.createdAtMs}, ${payments.id}) < (${value('beforeMs')}, ${value('beforeId')})`,
        ),
      )
      .orderBy(desc(payments.createdAtMs), desc(payments.id))
      .limit(value('atMost'))
      .prepare('payments_of_giver'),
    /** What may change of a payment. */
    updatePayment: db
      .update(payments)
      .set({
        state: sql`${value('state')}`,
        changedAtMs: sql`${value('changedAtMs')}`,
        checkoutId: sql`${value('checkoutId')}`,
        checkoutUrl: sql`${value('checkoutUrl')}`,
        chargeId: sql`${value('chargeId')}`,
        lookAtMs: sql`${value('lookAtMs')}`,
        lookCount: sql`${value('lookCount')}`,
        refundAskedAtMs: sql`${value('refundAskedAtMs')}`,
        refundAskedBy: sql`${value('refundAskedBy')}`,
        refundKey: sql`${value('refundKey')}`,
      })
      .where(eq(payments.id, value('id')))
      .prepare('update_payment'),
    /** Locked; those that another process has locked are left out. */
    openPayments: db
      .select({ id: payments.id })
      .from(payments)
      .where(sql`${payments.lookAtMs} is not null and ${payments.lookAtMs} <= ${value('nowMs')}`)
      .orderBy(asc(payments.lookAtMs))
      .limit(value('atMost'))
      .for('update', { skipLocked: true })
      .prepare('open_payments'),
    noteLook: db
      .update(payments)
      .set({ lookAtMs: sql`${value('lookAtMs')}`, lookCount: sql`${payments.lookCount} + 1` })
      .where(eq(payments.id, value('id')))
      .prepare('note_look'),
    savePayoutAccount: db
      .insert(payoutAccounts)
      .values({
        userId: value('userId'),
        paymentMode: value('paymentMode'),
        accountId: value('accountId'),
        chargesEnabled: value('chargesEnabled'),
        missing: value('missing'),
        changedAtMs: value('changedAtMs'),
      })
      .onConflictDoUpdate({
        target: [payoutAccounts.userId, payoutAccounts.paymentMode],
        set: {
          accountId: sql`excluded.account_id`,
          chargesEnabled: sql`excluded.charges_enabled`,
          missing: sql`excluded.missing`,
          changedAtMs: sql`excluded.changed_at_ms`,
        },
      })
      .prepare('save_payout_account'),
    payoutAccountOf: payoutAccount()
      .where(
        and(eq(payoutAccounts.userId, value('userId')), eq(payoutAccounts.paymentMode, value('paymentMode'))),
      )
      .prepare('payout_account_of'),
    payoutAccountsOf: payoutAccount()
      .where(eq(payoutAccounts.userId, value('userId')))
      .orderBy(asc(payoutAccounts.paymentMode))
      .prepare('payout_accounts_of'),
    payoutAccountNamed: payoutAccount()
      .where(eq(payoutAccounts.accountId, value('accountId')))
      .prepare('payout_account_named'),
    deletePayoutAccounts: db
      .delete(payoutAccounts)
      .where(eq(payoutAccounts.userId, value('userId')))
      .prepare('delete_payout_accounts'),
    insertNotice: prepareInsert(db, paymentNotices, 'insert_notice'),
    noticeById: db
      .select({ id: paymentNotices.id })
      .from(paymentNotices)
      .where(eq(paymentNotices.id, value('id')))
      .prepare('notice_by_id'),
    deleteNotices: db
      .delete(paymentNotices)
      .where(
        sql`${paymentNotices.id} in (select id from ${paymentNotices} where ${lt(paymentNotices.receivedAtMs, value('beforeMs'))} limit ${value('atMost')})`,
      )
      .prepare('delete_notices'),
  };
}
