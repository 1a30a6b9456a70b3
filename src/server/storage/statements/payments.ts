import { and, asc, desc, eq, gte, isNotNull, lt, ne, sql } from 'drizzle-orm';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { payments, payoutAccounts, TIP_COLUMNS, webhookEvents } from '../schema/payments.ts';
import { transactions } from '../schema/views.ts';
import { allBut, type Builder, given, givenAllBut, insertOnce, is, matches, save, value } from './builder.ts';
import { ownsCode, receiverNames } from './codes.ts';

export const isStuck = sql`${payments.lookAtMs} is not null and (
  (${payments.state} in ('created', 'pending') and ${payments.expiresAtMs} <= ${value('nowMs')})
  or (${payments.state} in ('authorised', 'succeeded')
    and ${payments.refundAskedAtMs} <= ${value('dueBeforeMs')})
  or (${payments.state} = 'authorised' and ${payments.capturesAtMs} <= ${value('dueBeforeMs')}))`;

/** The row among the webhook events that keeps where a reading of paid pages began that has not ended. */
export const READING = 'paid pages are read';

export function paymentStatements({ db }: Builder) {
  const payment = { ...allBut(payments, 'lookAtMs'), ...receiverNames };
  const paymentsWithNames = () =>
    db
      .select(payment)
      .from(payments)
      .innerJoin(qrCodes, eq(qrCodes.id, payments.qrCodeId))
      .innerJoin(accounts, ownsCode);
  /** Accounts from before platforms were stored may be on any. */
  const isOfPlatform = sql`${payoutAccounts.platform} in (${value('platform')}, '')`;
  const payoutAccount = () => db.select(allBut(payoutAccounts, 'changedAtMs')).from(payoutAccounts);

  return {
    insertPayment: insertOnce(db, payments),
    paymentById: paymentsWithNames().where(is(payments.id, 'id')),
    /** A statement of its own: a locking clause cannot name one of several tables with a schema. */
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
    newestPayment: db
      .select({ createdAtMs: payments.createdAtMs })
      .from(payments)
      .orderBy(desc(payments.createdAtMs), desc(payments.id))
      .limit(1),
    paidPayments: paymentsWithNames()
      .where(
        and(
          gte(payments.createdAtMs, value('fromMs')),
          lt(payments.createdAtMs, value('untilMs')),
          sql`(${payments.createdAtMs}, ${payments.id}) > (${value('afterMs')}, ${value('afterId')})`,
          isNotNull(payments.chargeId),
        ),
      )
      .orderBy(asc(payments.createdAtMs), asc(payments.id))
      .limit(value('atMost')),
    /** The exact condition of the index `payments_debts`. */
    debts: paymentsWithNames()
      .where(
        sql`owed_by_receiver_cents + owed_to_giver_cents + owed_to_receiver_cents > 0
          and (cast(${value('receiverId')} as text) is null or ${payments.receiverId} = ${value('receiverId')})`,
      )
      .orderBy(asc(payments.createdAtMs), asc(payments.id))
      .limit(value('atMost')),
    arriving: db
      .select({
        count: sql`count(*)`.mapWith(Number),
        netCents: sql`coalesce(sum(${payments.netAmountCents}), 0)`.mapWith(payments.netAmountCents),
      })
      .from(payments)
      .innerJoin(transactions, eq(transactions.id, payments.id))
      .where(
        and(
          is(payments.receiverId, 'receiverId'),
          sql`state = 'authorised'`,
          gte(transactions.createdAtMs, value('fromMs')),
          lt(transactions.createdAtMs, value('untilMs')),
          sql`(cast(${value('serviceCategory')} as text) is null
            or ${payments.serviceCategory} = ${value('serviceCategory')})`,
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
    /** Open payments whose next news is overdue. */
    stuckPayments: paymentsWithNames()
      .where(isStuck)
      .orderBy(asc(payments.changedAtMs), asc(payments.id))
      .limit(value('atMost')),
    /** Among what is open, which an index finds. */
    unpaidPayments: db
      .select({ id: payments.id, state: payments.state })
      .from(payments)
      .where(
        sql`${payments.lookAtMs} is not null and ${payments.state} in ('created', 'pending')
          and ${payments.changedAtMs} <= ${value('heardBeforeMs')}`,
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
          'platform',
          ...TIP_COLUMNS,
        ),
      )
      .where(is(payments.id, 'id')),
    anyPayment: db.select({ id: payments.id }).from(payments).limit(1),
    /** Locked; payments locked by another process are skipped. */
    openPayments: db
      .select({ id: payments.id })
      .from(payments)
      .where(
        sql`${payments.lookAtMs} is not null
          and (${payments.lookAtMs} <= ${value('nowMs')} or ${payments.lookAtMs} > ${value('latestMs')})`,
      )
      .orderBy(asc(payments.lookAtMs))
      .limit(value('atMost'))
      .for('update', { skipLocked: true }),
    noteLook: db
      .update(payments)
      .set({ ...given(payments, 'lookAtMs'), lookCount: sql`${payments.lookCount} + 1` })
      .where(is(payments.id, 'id')),
    noteRefusedTakeBack: db
      .update(payments)
      .set({ refusedTakeBacks: sql`${payments.refusedTakeBacks} + 1` })
      .where(matches(payments, 'id', 'refusedTakeBacks')),
    noteRefusedGiveBack: db
      .update(payments)
      .set({ refusedGiveBacks: sql`${payments.refusedGiveBacks} + 1` })
      .where(matches(payments, 'id', 'refusedGiveBacks')),
    savePayoutAccount: save(db, payoutAccounts, 'userId', 'paymentMode', 'platform'),
    /** Deletes an account from before platforms were stored, once its platform is known. */
    deleteUnclaimedPayoutAccount: db
      .delete(payoutAccounts)
      .where(
        and(
          matches(payoutAccounts, 'userId', 'paymentMode', 'accountId'),
          eq(payoutAccounts.platform, ''),
          sql`${value('platform')} <> ''`,
        ),
      ),
    payoutAccountOf: payoutAccount()
      .where(and(matches(payoutAccounts, 'userId', 'paymentMode'), isOfPlatform))
      .orderBy(desc(payoutAccounts.platform))
      .limit(1),
    stalePayoutAccounts: payoutAccount()
      .where(
        and(
          is(payoutAccounts.paymentMode, 'paymentMode'),
          isOfPlatform,
          lt(payoutAccounts.readAtMs, value('beforeMs')),
        ),
      )
      .orderBy(asc(payoutAccounts.readAtMs), asc(payoutAccounts.userId))
      .limit(value('atMost')),
    payoutAccountsOf: payoutAccount()
      .where(is(payoutAccounts.userId, 'userId'))
      .orderBy(asc(payoutAccounts.paymentMode), asc(payoutAccounts.platform)),
    payoutAccountNamed: payoutAccount().where(is(payoutAccounts.accountId, 'accountId')),
    deletePayoutAccounts: db.delete(payoutAccounts).where(is(payoutAccounts.userId, 'userId')),
    insertWebhookEvent: insertOnce(db, webhookEvents),
    webhookEventById: db.select().from(webhookEvents).where(is(webhookEvents.id, 'id')),
    webhookEventSince: db
      .select({ id: webhookEvents.id })
      .from(webhookEvents)
      .where(gte(webhookEvents.receivedAtMs, value('fromMs')))
      .limit(1),
    deleteWebhookEvents: db.delete(webhookEvents).where(
      sql`${webhookEvents.id} in (select id from ${webhookEvents} where ${lt(webhookEvents.receivedAtMs, value('beforeMs'))}
          and ${ne(webhookEvents.id, READING)} limit ${value('atMost')})`,
    ),
    deleteReading: db.delete(webhookEvents).where(eq(webhookEvents.id, READING)),
  };
}
