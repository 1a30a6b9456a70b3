/**
 * The statements about words; see `statements.ts`.
 */
import { and, asc, desc, eq, gt, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { alias } from 'drizzle-orm/pg-core';
import { isCurrent } from './code-statements.ts';
import { CHANNEL } from './notifications.ts';
import { prepareInsert } from './placeholders.ts';
import { accounts, qrCodes } from './schema.ts';
import { blockedGivers, readyThankYous, tipWords } from './word-schema.ts';

export function prepareWordStatements(db: NodePgDatabase) {
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
      .prepare('words_by_id'),
    wordsOf: db
      .select(words)
      .from(tipWords)
      .where(sql`${tipWords.transactionId} = any (${value('ids')}::text[])`)
      .prepare('words_of'),
    insertWords: prepareInsert(db, tipWords, 'insert_words'),
    updateWords: db
      .update(tipWords)
      .set({
        isHidden: sql`${value('isHidden')}`,
        thankYou: sql`${value('thankYou')}`,
        thankedAtMs: sql`${value('thankedAtMs')}`,
        reportedAtMs: sql`${value('reportedAtMs')}`,
      })
      .where(eq(tipWords.transactionId, value('transactionId')))
      .prepare('update_words'),
    /** So that nobody else changes them until the transaction ends. */
    lockWords: db
      .select(words)
      .from(tipWords)
      .where(eq(tipWords.transactionId, value('id')))
      .for('update')
      .prepare('lock_words'),
    tellThanks: {
      execute: (payload: string) => db.execute(sql`select pg_notify(${CHANNEL}, ${payload})`),
    },
    /** Of a payment that came to nothing. */
    eraseWords: db
      .update(tipWords)
      .set(noWords)
      .where(eq(tipWords.transactionId, value('id')))
      .prepare('erase_words'),
    hideWords: db
      .update(tipWords)
      .set({ isHidden: true })
      .where(eq(tipWords.transactionId, value('id')))
      .prepare('hide_words'),
    /** Of an account that is closed; what is reported stays until the operator is done with it. */
    eraseWordsGivenBy: db
      .update(tipWords)
      .set(noWords)
      .where(and(eq(tipWords.giverId, value('userId')), sql`not (${isOpenReport})`))
      .prepare('erase_words_given_by'),
    eraseWordsReceivedBy: db
      .update(tipWords)
      .set({ ...noWords, thankYou: null })
      .where(and(eq(tipWords.receiverId, value('userId')), sql`not (${isOpenReport})`))
      .prepare('erase_words_received_by'),

    wordsGivenBy: db
      .select({
        transactionId: tipWords.transactionId,
        message: tipWords.message,
        giverName: tipWords.giverName,
      })
      .from(tipWords)
      .where(
        and(
          eq(tipWords.giverId, value('giverId')),
          gt(tipWords.transactionId, value('after')),
          sql`(${tipWords.message} is not null or ${tipWords.giverName} is not null)`,
        ),
      )
      .orderBy(asc(tipWords.transactionId))
      .limit(value('atMost'))
      .prepare('words_given_by'),

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
      .prepare('blocks_of_giver'),
    insertBlock: prepareInsert(db, blockedGivers, 'insert_block'),
    deleteBlock: db
      .delete(blockedGivers)
      .where(
        and(eq(blockedGivers.receiverId, value('receiverId')), eq(blockedGivers.giverId, value('giverId'))),
      )
      .prepare('delete_block'),
    blocksOf: db
      .select({
        giverId: blockedGivers.giverId,
        serviceCategory: blockedGivers.serviceCategory,
        transactionId: blockedGivers.transactionId,
        createdAtMs: blockedGivers.createdAtMs,
      })
      .from(blockedGivers)
      .where(eq(blockedGivers.receiverId, value('receiverId')))
      .orderBy(desc(blockedGivers.createdAtMs), desc(blockedGivers.transactionId))
      .prepare('blocks_of'),
    deleteBlocksOf: db
      .delete(blockedGivers)
      .where(
        sql`${blockedGivers.receiverId} = ${value('userId')} or ${blockedGivers.giverId} = ${value('userId')}`,
      )
      .prepare('delete_blocks_of'),

    readyOf: db
      .select({ text: readyThankYous.text })
      .from(readyThankYous)
      .where(eq(readyThankYous.userId, value('userId')))
      .orderBy(asc(readyThankYous.place))
      .prepare('ready_of'),
    deleteReadyOf: db
      .delete(readyThankYous)
      .where(eq(readyThankYous.userId, value('userId')))
      .prepare('delete_ready_of'),
    insertReady: prepareInsert(db, readyThankYous, 'insert_ready'),

    openReports: db
      .select({
        transactionId: tipWords.transactionId,
        message: tipWords.message,
        giverName: tipWords.giverName,
        reportedAtMs: sql<number>`${tipWords.reportedAtMs}`.mapWith(Number),
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
      .prepare('open_reports'),
    settleReport: db
      .update(tipWords)
      .set({ settledAtMs: sql`${value('nowMs')}` })
      .where(and(eq(tipWords.transactionId, value('id')), isOpenReport))
      .prepare('settle_report'),
    /** What was kept of closed accounts for the sake of a report. */
    eraseWordsOfClosed: db
      .update(tipWords)
      .set({
        ...noWords,
        thankYou: sql`case when exists (select 1 from tipwell.accounts where id = ${tipWords.receiverId} and closed_at_ms is not null) then null else ${tipWords.thankYou} end`,
      })
      .where(
        and(
          eq(tipWords.transactionId, value('id')),
          sql`exists (select 1 from tipwell.accounts where id in (${tipWords.giverId}, ${tipWords.receiverId}) and closed_at_ms is not null)`,
        ),
      )
      .prepare('erase_words_of_closed'),
  };
}
