import { asc, eq, getTableColumns, sql } from 'drizzle-orm';
import { adjustments, reversals, tipQuarters } from '../schema/ledger.ts';
import { payments } from '../schema/payments.ts';
import { transactions } from '../schema/views.ts';
import { type Builder, insert, matches, value } from './builder.ts';

export function adjustmentStatements({ db, isIn }: Builder) {
  const { sequence: _, transactionSequence: __, ...change } = getTableColumns(adjustments);
  return {
    insertAdjustment: insert(db, adjustments),
    /** Has a row for each adjustment, or one. The reversal is read again, so that all rows are of one moment. */
    whatFollowed: db
      .select({
        id: payments.id,
        capturesAtMs: payments.capturesAtMs,
        refundAskedAtMs: sql`case when ${payments.state} in ('authorised', 'succeeded')
          then ${payments.refundAskedAtMs} end`.mapWith(payments.refundAskedAtMs),
        owedToGiverCents: payments.owedToGiverCents,
        reversal: { createdAtMs: reversals.createdAtMs, reversedBy: reversals.reversedBy },
        receiverPositionOfReversal: reversals.receiverPosition,
        change,
      })
      .from(payments)
      .innerJoin(transactions, eq(transactions.id, payments.id))
      .leftJoin(reversals, eq(reversals.transactionSequence, transactions.sequence))
      .leftJoin(adjustments, eq(adjustments.transactionSequence, transactions.sequence))
      .where(isIn(payments.id, 'ids'))
      .orderBy(asc(adjustments.sequence)),
    /** The details of the bucket are made up on demand: a maximum cannot be lowered. */
    adjustBucket: db
      .update(tipQuarters)
      .set({
        cents: sql`${tipQuarters.cents} + ${value('netCents')}`,
        detailedCount: 0,
        grossCents: sql`0`,
        largestCents: sql`0`,
      })
      .where(matches(tipQuarters, 'account', 'quarter', 'category')),
  };
}
