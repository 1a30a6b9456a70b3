/** Payments that need an operator. Adjustments are found by indexes that leave out captures. */
import { and, desc, eq, gt, isNotNull, sql } from 'drizzle-orm';
import { accounts } from '../schema/accounts.ts';
import { adjustments } from '../schema/ledger.ts';
import { payments, payoutAccounts } from '../schema/payments.ts';
import { transactions } from '../schema/views.ts';
import { type Builder, is, value } from './builder.ts';

/** The number of newest tips among which the last paid one is looked for. */
const TIPS_SEARCHED = sql.raw('1000');

const count = () => sql`count(*)`.mapWith(Number);

export function paymentSignStatements({ db }: Builder) {
  const paidBack = sql`${adjustments.amountCents} + ${adjustments.giverFeeCents}`;
  const isNoCapture = sql`${adjustments.kind} <> 'capture'`;
  const owed = [
    payments.owedByReceiverCents,
    payments.owedToGiverCents,
    payments.owedToReceiverCents,
  ] as const;
  const countOf = (column: (typeof owed)[number]) =>
    sql`coalesce(sum(case when ${column} > 0 then 1 else 0 end), 0)`.mapWith(Number);
  const sumOf = (column: (typeof owed)[number]) => sql`coalesce(sum(${column}), 0)`.mapWith(column);

  return {
    debtSums: db
      .select({
        byReceiverCount: countOf(payments.owedByReceiverCents),
        byReceiverCents: sumOf(payments.owedByReceiverCents),
        toGiverCount: countOf(payments.owedToGiverCents),
        toGiverCents: sumOf(payments.owedToGiverCents),
        toReceiverCount: countOf(payments.owedToReceiverCents),
        toReceiverCents: sumOf(payments.owedToReceiverCents),
      })
      .from(payments)
      .where(
        sql`${payments.owedByReceiverCents} + ${payments.owedToGiverCents} + ${payments.owedToReceiverCents} > 0`,
      ),
    uncaptured: db
      .select({ count: count() })
      .from(payments)
      .where(
        sql`${payments.lookAtMs} is not null and ${payments.state} = 'authorised' and ${payments.capturesAtMs} < ${value('beforeMs')}`,
      ),
    restrictedAccounts: db
      .select({ count: count() })
      .from(payoutAccounts)
      .innerJoin(accounts, eq(accounts.id, payoutAccounts.userId))
      .where(
        and(
          is(payoutAccounts.paymentMode, 'paymentMode'),
          isNotNull(payoutAccounts.disabledReason),
          gt(accounts.totalTipsReceivedCents, sql`0`),
        ),
      ),
    newestPaid: db
      .select({ paidMs: sql<number | null>`cast(max(created_at_ms) as double precision)` })
      .from(
        sql`(select created_at_ms, payment_mode from ${transactions} order by sequence desc limit ${TIPS_SEARCHED}) as newest`,
      )
      .where(
        sql`payment_mode = ${value('paymentMode')} and created_at_ms between ${value('fromMs')} and ${value('untilMs')}`,
      ),
    arrivingSum: db
      .select({
        count: count(),
        cents: sql`coalesce(sum(${payments.amountCents} + ${payments.giverFeeCents}), 0)`.mapWith(
          payments.amountCents,
        ),
      })
      .from(payments)
      .where(sql`${payments.state} = 'authorised'`),
    returnedMoney: db
      .select({
        id: transactions.id,
        paymentMode: transactions.paymentMode,
        kind: adjustments.kind,
        paidCents: paidBack.mapWith(adjustments.amountCents),
        atMs: adjustments.createdAtMs,
      })
      .from(adjustments)
      .innerJoin(transactions, eq(transactions.sequence, adjustments.transactionSequence))
      .where(isNoCapture)
      .orderBy(desc(adjustments.sequence))
      .limit(value('atMost')),
    openDisputes: db
      .select({
        id: payments.id,
        paymentMode: payments.paymentMode,
        platform: payments.platform,
        chargeId: payments.chargeId,
        source: adjustments.source,
        paidCents: sql`-(${paidBack})`.mapWith(adjustments.amountCents),
        openedAtMs: adjustments.createdAtMs,
      })
      .from(adjustments)
      .innerJoin(transactions, eq(transactions.sequence, adjustments.transactionSequence))
      .innerJoin(payments, eq(payments.id, transactions.id))
      .where(
        sql`${adjustments.kind} = 'dispute' and not exists (select 1 from ${adjustments} as ended
          where ended.transaction_sequence = ${adjustments.transactionSequence}
            and ended.source = ${adjustments.source} and ended.kind in ('dispute_won', 'dispute_lost'))`,
      )
      .orderBy(desc(adjustments.sequence))
      .limit(value('atMost')),
  };
}
