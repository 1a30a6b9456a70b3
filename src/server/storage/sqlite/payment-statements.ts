/**
 * The statements about payments; see `statements.ts`.
 */
import { and, asc, desc, eq, lt, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { namesOfCode, ownsCode } from './code-statements.ts';
import { paymentNotices, payments, payoutAccounts } from './payment-schema.ts';
import { given, prepareInsert } from './placeholders.ts';
import { accounts, qrCodes } from './schema.ts';

export function preparePaymentStatements(db: BetterSQLite3Database) {
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
    insertPayment: prepareInsert(db, payments),
    paymentById: paymentsWithNames()
      .where(eq(payments.id, given('id')))
      .prepare(),
    paymentByCheckout: paymentsWithNames()
      .where(eq(payments.checkoutId, given('checkoutId')))
      .prepare(),
    paymentByCharge: paymentsWithNames()
      .where(eq(payments.chargeId, given('chargeId')))
      .prepare(),
    paymentByKey: paymentsWithNames()
      // The index holds only rows with a key, and SQLite uses it only when the query says so too.
      .where(
        and(
          eq(payments.giverId, given('giverId')),
          eq(payments.idempotencyKey, given('idempotencyKey')),
          sql`${payments.idempotencyKey} is not null`,
        ),
      )
      .prepare(),
    paymentsOfGiver: paymentsWithNames()
      .where(
        and(
          eq(payments.giverId, given('giverId')),
          sql`(${payments.createdAtMs}, ${payments.id}) < (${given('beforeMs')}, ${given('beforeId')})`,
        ),
      )
      .orderBy(desc(payments.createdAtMs), desc(payments.id))
      .limit(value('atMost'))
      .prepare(),
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
      .prepare(),
    openPayments: paymentsWithNames()
      .where(sql`${payments.lookAtMs} is not null and ${payments.lookAtMs} <= ${given('nowMs')}`)
      .orderBy(asc(payments.lookAtMs))
      .limit(value('atMost'))
      .prepare(),
    noteLook: db
      .update(payments)
      .set({ lookAtMs: sql`${value('lookAtMs')}`, lookCount: sql`${payments.lookCount} + 1` })
      .where(eq(payments.id, value('id')))
      .prepare(),
    savePayoutAccount: prepareInsert(db, payoutAccounts, (insert) =>
      insert.onConflictDoUpdate({
        target: [payoutAccounts.userId, payoutAccounts.paymentMode],
        set: {
          accountId: sql`excluded.account_id`,
          chargesEnabled: sql`excluded.charges_enabled`,
          missing: sql`excluded.missing`,
          changedAtMs: sql`excluded.changed_at_ms`,
        },
      }),
    ),
    payoutAccountOf: payoutAccount()
      .where(
        and(eq(payoutAccounts.userId, given('userId')), eq(payoutAccounts.paymentMode, given('paymentMode'))),
      )
      .prepare(),
    payoutAccountsOf: payoutAccount()
      .where(eq(payoutAccounts.userId, given('userId')))
      .orderBy(asc(payoutAccounts.paymentMode))
      .prepare(),
    payoutAccountNamed: payoutAccount()
      .where(eq(payoutAccounts.accountId, given('accountId')))
      .prepare(),
    deletePayoutAccounts: db
      .delete(payoutAccounts)
      .where(eq(payoutAccounts.userId, value('userId')))
      .prepare(),
    insertNotice: prepareInsert(db, paymentNotices, (insert) => insert.onConflictDoNothing()),
    noticeById: db
      .select({ id: paymentNotices.id })
      .from(paymentNotices)
      .where(eq(paymentNotices.id, given('id')))
      .prepare(),
    deleteNotices: db
      .delete(paymentNotices)
      .where(
        sql`${paymentNotices.id} in (select id from ${paymentNotices} where ${lt(paymentNotices.receivedAtMs, value('beforeMs'))} limit ${value('atMost')})`,
      )
      .prepare(),
  };
}
