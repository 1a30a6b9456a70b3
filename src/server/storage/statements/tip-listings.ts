/** The tips of an account, given and received, by position or by time; and what it gave in a period. */
import { and, asc, desc, eq, gt, gte, lt, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { LISTING_SPAN } from '../rules/tips.ts';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { adjustments, reversals } from '../schema/ledger.ts';
import { entries, transactions } from '../schema/views.ts';
import { isAccount } from './accounts.ts';
import { type Builder, value } from './builder.ts';
import { ownsCode } from './codes.ts';
import { isCodeOfTip, isOfService, isReversed, transactionWithNames } from './tips.ts';

export const placeOfEntry = sql`(${entries.createdAtMs}, ${entries.position})`;
export const placeGiven = (ms: string, position: string) =>
  sql`(cast(${value(ms)} as bigint), cast(${value(position)} as bigint))`;
/** Between the end of this step of a listing and the place before which it begins (exclusive). */
export const isBetweenPlaces = and(
  isAccount(entries.account, 'userId'),
  sql`${placeOfEntry} < ${placeGiven('beforeMs', 'before')}`,
  sql`${placeOfEntry} >= ${placeGiven('downToMs', 'downTo')}`,
);

/**
 * What adjustments, and a reversal of all that was left, leave of what a giver gave: of a reversed tip the refunds that
 * failed since. Simulated tips have no adjustments, so that none are looked for.
 */
const left = (given: PgColumn, adjusted: PgColumn) => sql`case when ${reversals.sequence} is null
  then ${given} else 0 end + case when ${transactions.paymentMode} = 'simulated' then 0 else (
  select coalesce(sum(${adjusted}), 0) from ${adjustments}
  where ${adjustments.transactionSequence} = ${transactions.sequence}
    and ${adjustments.receiverPosition} > coalesce(${reversals.receiverPosition}, 0)
) end`;

export function tipListingStatements({ db }: Builder) {
  const entriesWithTransactions = () =>
    db
      .select({ ...transactionWithNames, position: entries.position, kind: entries.kind })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .innerJoin(qrCodes, isCodeOfTip)
      .innerJoin(accounts, ownsCode)
      .leftJoin(reversals, isReversed);

  const isMeant = and(
    sql`${entries.kind} in (${value('kind')}, ${value('otherKind')})`,
    isOfService(transactions.serviceCategory),
  );

  return {
    /** A range of the primary key, so that a page costs the same in any history. */
    tipsOfUser: entriesWithTransactions()
      .where(
        and(
          isAccount(entries.account, 'userId'),
          lt(entries.position, value('before')),
          gte(entries.position, value('downTo')),
          isMeant,
        ),
      )
      .orderBy(desc(entries.position))
      .limit(value('limit')),
    /** `tipsOfUser` for a period, by the index of times. */
    datedTipsOfUser: entriesWithTransactions()
      .where(and(isBetweenPlaces, isMeant))
      .orderBy(desc(entries.createdAtMs), desc(entries.position))
      .limit(value('limit')),
    /** The last entry that a step of a dated listing looks at; no row when the step reaches the end. */
    endOfStep: db
      .select({ createdAtMs: entries.createdAtMs, position: entries.position })
      .from(entries)
      .where(
        and(
          isAccount(entries.account, 'userId'),
          gte(entries.createdAtMs, value('fromMs')),
          sql`${placeOfEntry} < ${placeGiven('beforeMs', 'before')}`,
        ),
      )
      .orderBy(desc(entries.createdAtMs), desc(entries.position))
      .limit(1)
      .offset(LISTING_SPAN - 1),
    givenBetween: db
      .select({
        count: sql`count(*) - count(${reversals.sequence})`.mapWith(Number),
        givenCents: sql`coalesce(sum(${left(transactions.amountCents, adjustments.amountCents)}), 0)`.mapWith(
          transactions.amountCents,
        ),
        feeCents:
          sql`coalesce(sum(${left(transactions.giverFeeCents, adjustments.giverFeeCents)}), 0)`.mapWith(
            transactions.giverFeeCents,
          ),
      })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .leftJoin(reversals, isReversed)
      .where(and(isBetweenPlaces, eq(entries.kind, 'given'), isOfService(transactions.serviceCategory))),
    entriesOfUserSince: entriesWithTransactions()
      .where(and(isAccount(entries.account, 'userId'), gt(entries.position, value('after'))))
      .orderBy(asc(entries.position))
      .limit(value('limit')),
    newestEntry: db
      .select({ position: entries.position, kind: entries.kind, transactionId: transactions.id })
      .from(entries)
      .innerJoin(transactions, eq(transactions.sequence, entries.transactionSequence))
      .where(isAccount(entries.account, 'userId'))
      .orderBy(desc(entries.position))
      .limit(1),
  };
}
