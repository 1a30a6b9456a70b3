import { and, asc, eq, getTableColumns, gt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { WINDOW_SIZE } from '../checks/recent-check.ts';
import { QUARTER_MS } from '../rules/tips.ts';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { adjustments, checkedAccounts, checkpoints, reversals, tipQuarters } from '../schema/ledger.ts';
import { entries, NUMBERS_OF_TIP, tipBuckets, transactions } from '../schema/views.ts';
import { allBut, type Builder, given, is, value } from './builder.ts';
import { isCodeOfTip } from './tips.ts';

const { accountId, startMs, serviceCategory, count, cents } = getTableColumns(tipBuckets);
const { quarter, category } = getTableColumns(tipQuarters);
const transaction = allBut(transactions, ...NUMBERS_OF_TIP);

const QUARTER = sql.raw(String(QUARTER_MS));

export function checkStatements({ db, isIn, raw, choose }: Builder) {
  /** The rows passed under a name as JSON: a list of objects with these columns. */
  const rowsOf = (name: string, columns: Readonly<Record<string, PgColumn>>): SQL => {
    const members = Object.entries(columns);
    const list = (spell: (member: string, type: string) => string) =>
      sql.raw(members.map(([member, column]) => spell(member, column.getSQLType())).join());
    return choose('each engine has words of its own for the rows in JSON', {
      sqlite: sql`(select ${list((member) => `value ->> '${member}' as "${member}"`)} from json_each(${value(name)})) as ${sql.raw(name)}`,
      postgres: sql`json_to_recordset(${value(name)}) as ${sql.raw(name)} (${list((member, type) => `"${member}" ${type}`)})`,
    });
  };
  const accountIn = (rows: string) => sql`${sql.raw(rows)}."accountId"`.mapWith(accountId);
  /** PostgreSQL's planner searches an index by the number; joined with accounts, it read all that an account has. */
  const numberIn = (rows: string) =>
    sql`(select number from ${accounts} where id = ${sql.raw(rows)}."accountId")`;
  /** The sum of the adjustments before a reversal. */
  const adjustedBefore = (column: PgColumn) =>
    sql`(
      select coalesce(sum(${column}), 0) from ${adjustments}
      where ${adjustments.transactionSequence} = ${reversals.transactionSequence}
        and ${adjustments.receiverPosition} < ${reversals.receiverPosition}
    )`.mapWith(Number);
  const reversalsWithTips = () =>
    db
      .select({
        ...getTableColumns(reversals),
        adjustedAmountCents: adjustedBefore(adjustments.amountCents),
        adjustedNetCents: adjustedBefore(adjustments.netAmountCents),
        transaction,
      })
      .from(reversals)
      .innerJoin(transactions, eq(transactions.sequence, reversals.transactionSequence));
  const adjustmentsWithTips = () =>
    db
      .select({ ...getTableColumns(adjustments), transaction })
      .from(adjustments)
      .innerJoin(transactions, eq(transactions.sequence, adjustments.transactionSequence));

  return {
    checkpoint: db.select(allBut(checkpoints, 'id')).from(checkpoints),
    transactionsAfter: db
      .select({
        ...transaction,
        codeOwnerId: qrCodes.userId,
        codeCategory: qrCodes.category,
      })
      .from(transactions)
      .leftJoin(qrCodes, isCodeOfTip)
      .where(gt(transactions.sequence, value('after')))
      .orderBy(asc(transactions.sequence))
      .limit(WINDOW_SIZE),
    reversalsAfter: reversalsWithTips()
      .where(gt(reversals.sequence, value('after')))
      .orderBy(asc(reversals.sequence))
      .limit(WINDOW_SIZE),
    adjustmentsAfter: adjustmentsWithTips()
      .where(gt(adjustments.sequence, value('after')))
      .orderBy(asc(adjustments.sequence))
      .limit(WINDOW_SIZE),
    adjustmentsOf: adjustmentsWithTips().where(isIn(adjustments.transactionSequence, 'transactions')),
    reversalsOf: reversalsWithTips().where(isIn(reversals.transactionSequence, 'transactions')),
    accountsToCheck: db
      .select({
        accountId: accounts.id,
        lastPosition: accounts.lastPosition,
        totalTipsReceivedCents: accounts.totalTipsReceivedCents,
        totalTipsGivenCents: accounts.totalTipsGivenCents,
        position: sql`coalesce(${checkedAccounts.position}, 0)`.mapWith(Number),
        receivedCents: sql`coalesce(${checkedAccounts.receivedCents}, 0)`.mapWith(Number),
        givenCents: sql`coalesce(${checkedAccounts.givenCents}, 0)`.mapWith(Number),
        bucketsFromMs: checkedAccounts.bucketsFromMs,
      })
      .from(accounts)
      .leftJoin(checkedAccounts, eq(checkedAccounts.accountId, accounts.id))
      .where(isIn(accounts.id, 'ids')),
    /** The entries of several ranges. SQLite's planner keeps the order of a cross join. */
    entriesOfSpans: db
      .select({ ...allBut(entries, 'account', 'kindNumber'), accountId: accountIn('spans') })
      .from(rowsOf('spans', { accountId, after: entries.position, until: entries.position }))
      .crossJoin(entries)
      .where(
        sql`${entries.account} = ${numberIn('spans')}
          and ${entries.position} > "after" and ${entries.position} <= "until"`,
      )
      .orderBy(asc(accountIn('spans')), asc(entries.position)),
    /** The buckets of accounts, from a time on, that differ from their last check, with the differences. */
    differingBuckets: db
      .select({
        accountId: accountIn('complete'),
        startMs,
        serviceCategory,
        count: sql`${count} - ${tipBuckets.checkedCount}`.mapWith(Number),
        cents: sql`${cents} - ${tipBuckets.checkedCents}`.mapWith(Number),
      })
      .from(rowsOf('complete', { accountId, bucketsFromMs: startMs }))
      .crossJoin(tipBuckets)
      .where(
        sql`${tipBuckets.account} = ${numberIn('complete')}
          and ${tipBuckets.quarter} >= "bucketsFromMs" / ${QUARTER}
          and (${count} <> ${tipBuckets.checkedCount} or ${cents} <> ${tipBuckets.checkedCents})`,
      ),
    /** Does nothing when another process has moved it. */
    moveCheckpoint: db
      .update(checkpoints)
      .set(given(checkpoints, 'transactionSequence', 'reversalSequence', 'adjustmentSequence'))
      .where(
        and(
          is(checkpoints.transactionSequence, 'beforeTransaction'),
          is(checkpoints.reversalSequence, 'beforeReversal'),
          is(checkpoints.adjustmentSequence, 'beforeAdjustment'),
        ),
      ),
    saveAccounts:
      raw(sql`insert into ${checkedAccounts} (account_id, position, received_cents, given_cents, buckets_from_ms)
      select "accountId", "position", "receivedCents", "givenCents", "bucketsFromMs"
      from ${rowsOf('judged', getTableColumns(checkedAccounts))} order by 1
      on conflict (account_id) do update set position = excluded.position, received_cents = excluded.received_cents,
        given_cents = excluded.given_cents, buckets_from_ms = excluded.buckets_from_ms`),
    /** Locks in the order of keys, as tips do. A missing bucket is made empty, so that it differs once judged. */
    saveMoves:
      raw(sql`insert into ${tipQuarters} (account, quarter, category, count, cents, checked_count, checked_cents,
        detailed_count, gross_cents, largest_cents)
      select "account", "quarter", "category", 0, 0, "count", "cents", 0, 0, 0 from (
        select ${numberIn('moves')} as "account", moves.* from ${rowsOf('moves', { accountId, quarter, category, count, cents })}
      ) as named where true order by 1, 2, 3
      on conflict (account, quarter, category) do update set
        checked_count = ${tipQuarters.checkedCount} + excluded.checked_count,
        checked_cents = ${tipQuarters.checkedCents} + excluded.checked_cents`),
  };
}
