/** Refunds that nobody here asked for, and the fees by quarter of an hour, in bounded steps. */
import { and, asc, desc, eq, getTableColumns, gt, isNull, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { FEE_SPAN } from '../rules/operations.ts';
import { QUARTER_MS } from '../rules/tips.ts';
import { adjustments, reversals } from '../schema/ledger.ts';
import { payments } from '../schema/payments.ts';
import { transactions } from '../schema/views.ts';
import { type Builder, value } from './builder.ts';

/** The number of newest reversals that are searched for those that nobody here asked for. */
const REVERSALS_SEARCHED = sql.raw('1000');

export function operationStatements({ db, choose }: Builder) {
  const { amountCents, giverFeeCents, receiverFeeCents, paymentMode } = getTableColumns(transactions);
  const paidCents = sql`${amountCents} + ${giverFeeCents}`.as('paid_cents');
  const moved = { paymentMode, paidCents, giverFeeCents, receiverFeeCents };

  /** Sums of moves by quarter; each says how far it read. */
  const sumsOf = (moves: SQL) => {
    const sum = (cents: SQL) => sql`sum(${cents})`.mapWith(amountCents);
    return db
      .select({
        startMs: sql`created_at_ms / ${sql.raw(String(QUARTER_MS))} * ${sql.raw(String(QUARTER_MS))}`
          .mapWith(reversals.createdAtMs)
          .as('start_ms'),
        paymentMode: sql`payment_mode`.mapWith(paymentMode).as('mode'),
        count: sql`count(*)`.mapWith(Number),
        paidCents: sum(sql`paid_cents`),
        giverFeeCents: sum(sql`giver_fee_cents`),
        receiverFeeCents: sum(sql`receiver_fee_cents`),
        last: sql`max(sequence)`.mapWith(reversals.sequence),
      })
      .from(sql`(${moves}) as moves`)
      .groupBy(sql`start_ms`, sql`mode`);
  };

  /** The sum of a tip's adjustments before its reversal: the receiver's account has all of them in order. */
  const changedBefore = (reversal: SQL, sum: SQL) =>
    sql`coalesce((select sum(${sum}) from ${adjustments} as change
      where change.transaction_sequence = ${reversal}.transaction_sequence
        and change.receiver_position < ${reversal}.receiver_position), 0)`;
  const leftOf = (column: PgColumn) =>
    sql`${column} + ${changedBefore(sql`reversals`, sql.raw(`change.${column.name}`))}`;

  const lesser = choose('each engine has names of its own for the lesser and the greater of two values', {
    sqlite: sql.raw('min'),
    postgres: sql.raw('least'),
  });
  /** Few tips have a refund that failed; for the others nothing more is worked out. */
  const hasFailed = (move: SQL) =>
    sql`exists (select 1 from ${adjustments} as failed
      where failed.transaction_sequence = ${move}.transaction_sequence and failed.kind = 'refund_failed')`;
  const failedBefore = (move: SQL, column: PgColumn) =>
    changedBefore(
      move,
      sql`case when change.kind = 'refund_failed' then ${sql.raw(`change.${column.name}`)} else 0 end`,
    );
  /** The fees of a reversal without what failed refunds had left with the operator, who owed it to the giver. */
  const returned = (fee: PgColumn, owed: PgColumn) =>
    sql`${leftOf(fee)} - case when ${hasFailed(sql`reversals`)}
      then ${lesser}(${failedBefore(sql`reversals`, owed)}, ${leftOf(owed)}) else 0 end`;
  /** The fees of an adjustment, which keeps for the giver, or returns, what failed refunds have left. */
  const changed = (fee: PgColumn, paid: PgColumn, owed: PgColumn) => {
    const move = sql`adjustments`;
    const takenBack = sql`coalesce((select ${leftOf(paid)} from ${reversals}
      where reversals.transaction_sequence = ${move}.transaction_sequence
        and reversals.receiver_position < ${move}.receiver_position), 0)`;
    const left = sql`${paid} + ${changedBefore(move, sql.raw(`change.${paid.name}`))} - ${takenBack}`;
    const failed = failedBefore(move, paid);
    return sql`${fee} - case when ${hasFailed(move)} then
      ${lesser}(${failed} + case when ${adjustments.kind} = 'refund_failed' then ${owed} else 0 end, ${left} + ${owed})
      - ${lesser}(${failed}, ${left}) else 0 end`;
  };

  return {
    returnedPayments: db
      .select({
        id: payments.id,
        paymentMode: payments.paymentMode,
        state: payments.state,
        paidCents: sql`${payments.amountCents} + ${payments.giverFeeCents} + ${changedBefore(
          sql`newest`,
          sql`change.amount_cents + change.giver_fee_cents`,
        )}`.mapWith(payments.amountCents),
        reversedAtMs: sql`newest.created_at_ms`.mapWith(reversals.createdAtMs),
      })
      .from(
        sql`(select * from ${reversals} order by ${reversals.sequence} desc limit ${REVERSALS_SEARCHED}) as newest`,
      )
      .innerJoin(transactions, sql`${transactions.sequence} = newest.transaction_sequence`)
      .innerJoin(payments, eq(payments.id, transactions.id))
      .where(isNull(payments.refundAskedAtMs))
      .orderBy(desc(sql`newest.sequence`))
      .limit(value('atMost')),
    feesOfTips: sumsOf(
      db
        .select({ sequence: transactions.sequence, createdAtMs: transactions.createdAtMs, ...moved })
        .from(transactions)
        .where(gt(transactions.sequence, value('after')))
        .orderBy(asc(transactions.sequence))
        .limit(FEE_SPAN)
        .getSQL(),
    ),
    feesOfAdjustments: sumsOf(
      db
        .select({
          sequence: adjustments.sequence,
          createdAtMs: adjustments.createdAtMs,
          paymentMode,
          paidCents: sql`${adjustments.amountCents} + ${adjustments.giverFeeCents}`.as('paid_cents'),
          giverFeeCents: changed(adjustments.giverFeeCents, giverFeeCents, adjustments.giverFeeCents).as(
            'giver_fee_cents',
          ),
          receiverFeeCents: changed(adjustments.receiverFeeCents, amountCents, adjustments.amountCents).as(
            'receiver_fee_cents',
          ),
        })
        .from(adjustments)
        .innerJoin(transactions, eq(transactions.sequence, adjustments.transactionSequence))
        .where(and(sql`${adjustments.kind} <> 'capture'`, gt(adjustments.sequence, value('after'))))
        .orderBy(asc(adjustments.sequence))
        .limit(FEE_SPAN)
        .getSQL(),
    ),
    /** A reversal took back what the adjustments before it had left. */
    feesOfReversals: sumsOf(
      db
        .select({
          sequence: reversals.sequence,
          createdAtMs: reversals.createdAtMs,
          paymentMode,
          paidCents: sql`${leftOf(amountCents)} + ${leftOf(giverFeeCents)}`.as('paid_cents'),
          giverFeeCents: returned(giverFeeCents, giverFeeCents).as('giver_fee_cents'),
          receiverFeeCents: returned(receiverFeeCents, amountCents).as('receiver_fee_cents'),
        })
        .from(reversals)
        .innerJoin(transactions, eq(transactions.sequence, reversals.transactionSequence))
        .where(gt(reversals.sequence, value('after')))
        .orderBy(asc(reversals.sequence))
        .limit(FEE_SPAN)
        .getSQL(),
    ),
  };
}
