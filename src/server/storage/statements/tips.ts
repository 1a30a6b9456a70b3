/** What a step of a tip reads and writes. The tips of an account: tip-listings.ts; what it received: earnings.ts. */
import { eq, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { UserId } from '#shared/ids.ts';
import type { PresentBlock } from '../rules/messages.ts';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { reversals, tipEntries, tips } from '../schema/ledger.ts';
import { blockedGivers, tipMessages } from '../schema/messages.ts';
import { NUMBERS_OF_TIP, transactions } from '../schema/views.ts';
import { isAccount } from './accounts.ts';
import { allBut, type Builder, insert, insertNumbered, is, value } from './builder.ts';
import { code, ownsCode, receiverNames } from './codes.ts';

const transaction = {
  ...allBut(
    transactions,
    'sequence',
    'idempotencyKey',
    'giverPosition',
    'receiverPosition',
    ...NUMBERS_OF_TIP,
  ),
  reversal: { createdAtMs: reversals.createdAtMs, reversedBy: reversals.reversedBy },
};
export const transactionWithNames = { ...transaction, ...receiverNames };
export const isCodeOfTip = eq(qrCodes.sequence, transactions.code);
export const isReversed = eq(reversals.transactionSequence, transactions.sequence);

/** A null parameter stands for any service. */
export const isOfService = (column: PgColumn) =>
  sql`(cast(${value('serviceCategory')} as text) is null or ${column} = ${value('serviceCategory')})`;

export const CHANNEL = 'tipwell';

export function tipStatements({ db, isIn, choose }: Builder) {
  const addTo = (total: 'totalTipsGivenCents' | 'totalTipsReceivedCents') =>
    db
      .update(accounts)
      .set({
        [total]: sql`${accounts[total]} + ${value('cents')}`,
        lastPosition: sql`${accounts.lastPosition} + 1`,
      })
      .where(is(accounts.number, 'account'))
      .returning({ position: accounts.lastPosition, balanceAfterCents: accounts[total] });

  return {
    insertTip: insertNumbered(db, tips, tips.sequence),
    insertReversal: insert(db, reversals),
    insertEntry: insert(db, tipEntries),
    /** Changes a total by `cents` and returns the position of its entry. */
    addToGiven: addTo('totalTipsGivenCents'),
    addToReceived: addTo('totalTipsReceivedCents'),
    /** Sent when the transaction commits. */
    tellOthers: choose('the listeners of a file are in one process', {
      sqlite: null,
      postgres: db
        .select({ told: sql`pg_notify(${CHANNEL}, ${value('payload')})` })
        .from(sql`(select) as nothing`),
    }),
    /** The tip of an id; else the one of an earlier version with this giver and key. */
    earlierTip: db
      .select(transaction)
      .from(transactions)
      .leftJoin(reversals, isReversed)
      .where(
        sql`${transactions.sequence} = coalesce(
          (select sequence from ${tips} where id = ${value('id')}),
          (select sequence from ${tips} where ${isAccount(tips.giver, 'giverId')}
            and idempotency_key = ${value('idempotencyKey')} and idempotency_key <> ''))`,
      ),
    transactionById: db
      .select({
        ...transactionWithNames,
        sequence: transactions.sequence,
        giver: transactions.giver,
        receiver: transactions.receiver,
        giverPosition: transactions.giverPosition,
        receiverPosition: transactions.receiverPosition,
        giverPositionOfReversal: reversals.giverPosition,
        receiverPositionOfReversal: reversals.receiverPosition,
        keyOfReversal: reversals.idempotencyKey,
      })
      .from(transactions)
      .innerJoin(qrCodes, isCodeOfTip)
      .innerJoin(accounts, ownsCode)
      .leftJoin(reversals, isReversed)
      .where(is(transactions.id, 'id')),
    // PostgreSQL records tips together by these.
    /** With the owner's blocks of the givers; pages of other services are read only when there are blocks. */
    codesWithBlocks: choose('SQLite records tips one by one', {
      sqlite: null,
      postgres: db
        .select({
          ...code,
          number: qrCodes.sequence,
          blocks: sql<readonly (PresentBlock & { readonly giverId: UserId })[]>`array(
            select json_build_object('giverId', giver_id, 'serviceCategory', service_category,
              'pageId', page.id, 'displayName', page.display_name)
            from ${blockedGivers} left join lateral (
              select id, display_name from ${qrCodes} as own
              where own.user_id = receiver_id and own.category = service_category and own.status in ('active', 'paused') limit 1
            ) as page on true
            where receiver_id = qr_codes.user_id and giver_id = any (${value('giverIds')}::text[])
          )`,
        })
        .from(qrCodes)
        .where(isIn(qrCodes.id, 'codeIds')),
    }),
    /** LIMIT 1 keeps the planner from a join, which read the whole index (1.6 ms a tip after some thousand tips). */
    earlierTips: choose('SQLite records tips one by one', {
      sqlite: null,
      postgres: db
        .select({
          ...transaction,
          idempotencyKey: transactions.idempotencyKey,
          giverMessage: {
            message: tipMessages.message,
            giverName: tipMessages.giverName,
            isErased: tipMessages.isErased,
          },
        })
        .from(sql`(
          select sequence from unnest(${value('ids')}::text[]) as own (tip_id)
          cross join lateral (select sequence from ${tips} where id = tip_id limit 1) as tip
          union
          select sequence from unnest(${value('giverIds')}::text[], ${value('keys')}::text[]) as key (giver, word)
          cross join lateral (
            select sequence from ${tips}
            where tips.giver = (select number from ${accounts} where id = key.giver)
              and idempotency_key = word and idempotency_key <> '' limit 1
          ) as tip
        ) as found`)
        .innerJoin(transactions, sql`${transactions.sequence} = found.sequence`)
        .leftJoin(reversals, isReversed)
        .leftJoin(tipMessages, eq(tipMessages.transactionId, transactions.id)),
    }),
  };
}
