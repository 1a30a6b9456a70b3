import { and, asc, desc, eq, gte, isNotNull, lt, sql } from 'drizzle-orm';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { payments, payoutAccounts, webhookEvents } from '../schema/payments.ts';
import { TIP_COLUMNS } from '../schema/tip-columns.ts';
import { allBut, type Builder, given, givenAllBut, insertOnce, is, matches, save, value } from './builder.ts';
import { namesOfCode, ownsCode } from './codes.ts';

export function paymentStatements({ db }: Builder) {
  const payment = {
    ...allBut(payments, 'lookAtMs'),
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
  const payoutAccount = () => db.select(allBut(payoutAccounts, 'changedAtMs')).from(payoutAccounts);

  return {
    insertPayment: insertOnce(db, payments),
    paymentById: paymentsWithNames().where(is(payments.id, 'id')),
    /**
     * A locking clause cannot name one of several tables with a schema, so the lock is a statement of its
     * own.
     */
    lockPayment: db.select({ id: payments.id }).from(payments).where(is(payments.id, 'id')).for('update'),
    paymentByCheckout: paymentsWithNames().where(is(payments.checkoutId, 'checkoutId')),
    paymentByCharge: paymentsWithNames().where(is(payments.chargeId, 'chargeId')),
    paymentByKey: paymentsWithNames().where(
      and(
        is(payments.giverId, 'giverId'),
        is(payments.idempotencyKey, 'idempotencyKey'),
        isNotNull(payments.idempotencyKey),
      ),
    ),
    paymentsOfGiver: paymentsWithNames()
      .where(
        and(
          is(payments.giverId, 'giverId'),
          sql`(${payments.createdAtMs}, ${payments.id}) < (${value('beforeMs')}, ${value('beforeId')})`,
        ),
      )
      .orderBy(desc(payments.createdAtMs), desc(payments.id))
      .limit(value('atMost')),
    /** Open ones of which more should have been heard by now. */
    stuckPayments: paymentsWithNames()
      .where(
        sql`${payments.lookAtMs} is not null and (
          (${payments.state} in ('created', 'pending') and ${payments.expiresAtMs} <= ${value('nowMs')})
          or ${payments.refundAskedAtMs} <= ${value('refundsBeforeMs')})`,
      )
      .orderBy(asc(payments.changedAtMs), asc(payments.id))
      .limit(value('atMost')),
    updatePayment: db
      .update(payments)
      .set(
        givenAllBut(
          payments,
          'id',
          'receiverId',
          'destination',
          'expiresAtMs',
          'paymentMode',
          ...TIP_COLUMNS,
        ),
      )
      .where(is(payments.id, 'id')),
    anyPayment: db.select({ id: payments.id }).from(payments).limit(1),
    /** Locked; payments locked by another process are skipped. */
    openPayments: db
      .select({ id: payments.id })
      .from(payments)
      .where(sql`${payments.lookAtMs} is not null and ${payments.lookAtMs} <= ${value('nowMs')}`)
      .orderBy(asc(payments.lookAtMs))
      .limit(value('atMost'))
      .for('update', { skipLocked: true }),
    noteLook: db
      .update(payments)
      .set({ ...given(payments, 'lookAtMs'), lookCount: sql`${payments.lookCount} + 1` })
      .where(is(payments.id, 'id')),
    savePayoutAccount: save(db, payoutAccounts, 'userId', 'paymentMode'),
    payoutAccountOf: payoutAccount().where(matches(payoutAccounts, 'userId', 'paymentMode')),
    payoutAccountsOf: payoutAccount()
      .where(is(payoutAccounts.userId, 'userId'))
      .orderBy(asc(payoutAccounts.paymentMode)),
    payoutAccountNamed: payoutAccount().where(is(payoutAccounts.accountId, 'accountId')),
    deletePayoutAccounts: db.delete(payoutAccounts).where(is(payoutAccounts.userId, 'userId')),
    insertWebhookEvent: insertOnce(db, webhookEvents),
    webhookEventById: db
      .select({ id: webhookEvents.id })
      .from(webhookEvents)
      .where(is(webhookEvents.id, 'id')),
    webhookEventSince: db
      .select({ id: webhookEvents.id })
      .from(webhookEvents)
      .where(gte(webhookEvents.receivedAtMs, value('fromMs')))
      .limit(1),
    deleteWebhookEvents: db
      .delete(webhookEvents)
      .where(
        sql`${webhookEvents.id} in (select id from ${webhookEvents} where ${lt(webhookEvents.receivedAtMs, value('beforeMs'))} limit ${value('atMost')})`,
      ),
  };
}
