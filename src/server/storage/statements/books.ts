/** The entries of an account's books by their own time, with what each of them moved. */
import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { LISTING_SPAN } from '../rules/tips.ts';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { adjustments, KINDS_OF_CHANGES, reversals } from '../schema/ledger.ts';
import { payments } from '../schema/payments.ts';
import { entries, transactions } from '../schema/views.ts';
import { isAccount } from './accounts.ts';
import { type Builder, is, value } from './builder.ts';
import { ownsCode } from './codes.ts';
import { isBetweenPlaces, placeGiven, placeOfEntry } from './tip-listings.ts';
import { isCodeOfTip, isOfService, isReversed, transactionWithNames } from './tips.ts';

const isChange = sql`${entries.kindNumber} in ${KINDS_OF_CHANGES}`;

/** The number of an adjustment's entry in the account that an entry is of. */
const positionOf = (adjustment: SQL) =>
  sql`case when ${entries.kind} in ('received_reversed', 'received_adjusted')
    then ${adjustment}.receiver_position else ${adjustment}.giver_position end`;
const isAdjustedByEntry = and(
  eq(adjustments.transactionSequence, transactions.sequence),
  sql`${entries.kind} in ('received_adjusted', 'given_adjusted')`,
  sql`${positionOf(sql.raw('"adjustments"'))} = ${entries.position}`,
);
/** What was taken from the receiver alone is not told to the giver. */
const isTold = sql`(${entries.kind} <> 'given_adjusted' or ${adjustments.kind} <> 'debit')`;
/** What earlier adjustments moved: a reversal takes the rest, and a receiver never gets less than nothing. */
const adjustedBefore = (column: PgColumn) =>
  sql`case
  when ${transactions.paymentMode} = 'simulated'
    or ${entries.kind} not in ('received_reversed', 'given_reversed', 'received_adjusted') then 0
  else (
    select coalesce(sum(${sql.raw('earlier')}.${sql.identifier(column.name)}), 0) from ${adjustments} as earlier
    where earlier.transaction_sequence = ${transactions.sequence}
      and ${positionOf(sql.raw('earlier'))} < ${entries.position}
      and ${sql.raw('earlier')}.kind <> case when ${entries.kind} = 'given_reversed' then 'debit' else 'refund_failed' end
  ) end`.mapWith(adjustments.amountCents);
const moved = {
  amountCents: transactions.amountCents,
  giverFeeCents: transactions.giverFeeCents,
  netAmountCents: transactions.netAmountCents,
  adjustment: {
    kind: adjustments.kind,
    source: adjustments.source,
    amountCents: adjustments.amountCents,
    giverFeeCents: adjustments.giverFeeCents,
    netAmountCents: adjustments.netAmountCents,
  },
  earlier: {
    amountCents: adjustedBefore(adjustments.amountCents),
    giverFeeCents: adjustedBefore(adjustments.giverFeeCents),
    netAmountCents: adjustedBefore(adjustments.netAmountCents),
  },
  receiverPositionOfReversal: reversals.receiverPosition,
};

export function bookStatements({ db, isIn }: Builder) {
  const isMeant = and(
    isIn(entries.kind, 'kinds'),
    isOfService(transactions.serviceCategory),
    gte(transactions.createdAtMs, value('tipFromMs')),
    lt(transactions.createdAtMs, value('tipUntilMs')),
  );
  const newestFirst = [desc(entries.createdAtMs), desc(entries.position)];
  const isBefore = sql`${placeOfEntry} < ${placeGiven('beforeMs', 'before')}`;

  const entriesWhere = (condition: SQL | undefined) =>
    db
      .select({
        ...transactionWithNames,
        ...moved,
        position: entries.position,
        entryKind: entries.kind,
        entryAtMs: entries.createdAtMs,
        chargeId: payments.chargeId,
      })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .innerJoin(qrCodes, isCodeOfTip)
      .innerJoin(accounts, ownsCode)
      .leftJoin(reversals, isReversed)
      .leftJoin(adjustments, isAdjustedByEntry)
      .leftJoin(payments, eq(payments.id, transactions.id))
      .where(and(isBetweenPlaces, isMeant, isTold, condition))
      .orderBy(...newestFirst)
      .limit(value('limit'));

  return {
    bookEntries: entriesWhere(undefined),
    changesOfTips: entriesWhere(isChange),
    /** The place where a step through the changes of a period ends; no row when it reaches the end. */
    endOfChanges: db
      .select({ createdAtMs: entries.createdAtMs, position: entries.position })
      .from(entries)
      .where(
        and(
          isAccount(entries.account, 'userId'),
          gte(entries.createdAtMs, value('fromMs')),
          isBefore,
          isChange,
        ),
      )
      .orderBy(...newestFirst)
      .limit(1)
      .offset(LISTING_SPAN - 1),
    changesBefore: db
      .select({
        position: entries.position,
        createdAtMs: entries.createdAtMs,
        entryKind: entries.kind,
        tipCreatedAtMs: transactions.createdAtMs,
        serviceCategory: transactions.serviceCategory,
        ...moved,
      })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .leftJoin(reversals, isReversed)
      .leftJoin(adjustments, isAdjustedByEntry)
      .where(and(isAccount(entries.account, 'userId'), isBefore, isChange, isTold))
      .orderBy(...newestFirst)
      .limit(value('limit')),
    placeOfPosition: db
      .select({ createdAtMs: entries.createdAtMs, position: entries.position })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .where(
        and(
          isAccount(entries.account, 'userId'),
          is(entries.position, 'position'),
          is(transactions.id, 'id'),
        ),
      ),
  };
}
