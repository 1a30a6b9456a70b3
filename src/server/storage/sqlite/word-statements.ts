/**
 * The statements about words; see `statements.ts`.
 */
import { and, asc, desc, eq, gt, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import { alias } from 'drizzle-orm/sqlite-core';
import { isCurrent } from './code-statements.ts';
import { given, prepareInsert } from './placeholders.ts';
import { accounts, qrCodes } from './schema.ts';
import { blockedGivers, readyThankYous, tipWords } from './word-schema.ts';

export function prepareWordStatements(db: BetterSQLite3Database) {
  const value = sql.placeholder;
  const givers = alias(accounts, 'givers');
  const receivers = alias(accounts, 'receivers');

  const words = {
    transactionId: tipWords.transactionId,
    giverId: tipWords.giverId,
    receiverId: tipWords.receiverId,
    message: tipWords.message,
    giverName: tipWords.giverName,
    isHidden: tipWords.isHidden,
    thankYou: tipWords.thankYou,
    thankedAtMs: tipWords.thankedAtMs,
    reportedAtMs: tipWords.reportedAtMs,
    settledAtMs: tipWords.settledAtMs,
    isErased: tipWords.isErased,
  };
  const isOpenReport = sql`reported_at_ms is not null and settled_at_ms is null`;
  const noWords = { message: null, giverName: null, isErased: true };

  return {
    wordsById: db
      .select(words)
      .from(tipWords)
      .where(eq(tipWords.transactionId, value('id')))
      .prepare(),
    /** @param ids as JSON. */
    wordsOf: db
      .select(words)
      .from(tipWords)
      .where(sql`${tipWords.transactionId} in (select value from json_each(${value('ids')}))`)
      .prepare(),
    /** Inserts the words of a tip, or saves what may change of them. */
    saveWords: prepareInsert(db, tipWords, (insert) =>
      insert.onConflictDoUpdate({
        target: tipWords.transactionId,
        set: {
          message: sql`excluded.message`,
          giverName: sql`excluded.giver_name`,
          isHidden: sql`excluded.is_hidden`,
          thankYou: sql`excluded.thank_you`,
          thankedAtMs: sql`excluded.thanked_at_ms`,
          reportedAtMs: sql`excluded.reported_at_ms`,
          settledAtMs: sql`excluded.settled_at_ms`,
          isErased: sql`excluded.is_erased`,
        },
      }),
    ),
    /** Of a payment that came to nothing. */
    eraseWords: db
      .update(tipWords)
      .set(noWords)
      .where(eq(tipWords.transactionId, value('id')))
      .prepare(),
    hideWords: db
      .update(tipWords)
      .set({ isHidden: true })
      .where(eq(tipWords.transactionId, value('id')))
      .prepare(),
    /** Of an account that is closed; what is reported stays until the operator is done with it. */
    eraseWordsGivenBy: db
      .update(tipWords)
      .set(noWords)
      .where(and(eq(tipWords.giverId, value('userId')), sql`not (${isOpenReport})`))
      .prepare(),
    eraseWordsReceivedBy: db
      .update(tipWords)
      .set({ ...noWords, thankYou: null })
      .where(and(eq(tipWords.receiverId, value('userId')), sql`not (${isOpenReport})`))
      .prepare(),

    wordsGivenBy: db
      .select({
        transactionId: tipWords.transactionId,
        message: tipWords.message,
        giverName: tipWords.giverName,
      })
      .from(tipWords)
      .where(
        and(
          eq(tipWords.giverId, given('giverId')),
          gt(tipWords.transactionId, given('after')),
          sql`(${tipWords.message} is not null or ${tipWords.giverName} is not null)`,
        ),
      )
      .orderBy(asc(tipWords.transactionId))
      .limit(value('atMost'))
      .prepare(),

    /** What `isKeptOut` asks for: pages are read only where there are blocks. */
    blocksOfGiver: db
      .select({
        serviceCategory: blockedGivers.serviceCategory,
        pageId: qrCodes.id,
        displayName: qrCodes.displayName,
      })
      .from(blockedGivers)
      .leftJoin(
        qrCodes,
        and(
          eq(qrCodes.userId, blockedGivers.receiverId),
          eq(qrCodes.category, blockedGivers.serviceCategory),
          isCurrent,
        ),
      )
      .where(
        and(eq(blockedGivers.receiverId, value('receiverId')), eq(blockedGivers.giverId, value('giverId'))),
      )
      .prepare(),
    insertBlock: prepareInsert(db, blockedGivers, (insert) => insert.onConflictDoNothing()),
    deleteBlock: db
      .delete(blockedGivers)
      .where(
        and(eq(blockedGivers.receiverId, value('receiverId')), eq(blockedGivers.giverId, value('giverId'))),
      )
      .prepare(),
    blocksOf: db
      .select({
        giverId: blockedGivers.giverId,
        serviceCategory: blockedGivers.serviceCategory,
        transactionId: blockedGivers.transactionId,
        createdAtMs: blockedGivers.createdAtMs,
      })
      .from(blockedGivers)
      .where(eq(blockedGivers.receiverId, given('receiverId')))
      .orderBy(desc(blockedGivers.createdAtMs), desc(blockedGivers.transactionId))
      .prepare(),
    deleteBlocksOf: db
      .delete(blockedGivers)
      .where(
        sql`${blockedGivers.receiverId} = ${value('userId')} or ${blockedGivers.giverId} = ${value('userId')}`,
      )
      .prepare(),

    readyOf: db
      .select({ text: readyThankYous.text })
      .from(readyThankYous)
      .where(eq(readyThankYous.userId, given('userId')))
      .orderBy(asc(readyThankYous.place))
      .prepare(),
    deleteReadyOf: db
      .delete(readyThankYous)
      .where(eq(readyThankYous.userId, value('userId')))
      .prepare(),
    insertReady: prepareInsert(db, readyThankYous),

    openReports: db
      .select({
        transactionId: tipWords.transactionId,
        message: tipWords.message,
        giverName: tipWords.giverName,
        reportedAtMs: sql<number>`${tipWords.reportedAtMs}`,
        giverUsername: givers.username,
        giverEmail: givers.email,
        receiverUsername: receivers.username,
        receiverEmail: receivers.email,
      })
      .from(tipWords)
      .leftJoin(givers, eq(givers.id, tipWords.giverId))
      .innerJoin(receivers, eq(receivers.id, tipWords.receiverId))
      .where(isOpenReport)
      .orderBy(asc(tipWords.reportedAtMs), asc(tipWords.transactionId))
      .limit(value('atMost'))
      .prepare(),
    settleReport: db
      .update(tipWords)
      .set({ settledAtMs: sql`${value('nowMs')}` })
      .where(and(eq(tipWords.transactionId, value('id')), isOpenReport))
      .prepare(),
    /** What was kept of closed accounts for the sake of a report. */
    eraseWordsOfClosed: db
      .update(tipWords)
      .set({
        ...noWords,
        thankYou: sql`case when exists (select 1 from accounts where id = ${tipWords.receiverId} and closed_at_ms is not null) then null else ${tipWords.thankYou} end`,
      })
      .where(
        and(
          eq(tipWords.transactionId, value('id')),
          sql`exists (select 1 from accounts where id in (${tipWords.giverId}, ${tipWords.receiverId}) and closed_at_ms is not null)`,
        ),
      )
      .prepare(),
  };
}
