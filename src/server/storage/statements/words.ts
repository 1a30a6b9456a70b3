/** The statements about words. */
import { and, asc, desc, eq, gt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { blockedGivers, readyThankYous, tipWords } from '../schema/words.ts';
import { allBut, type Builder, given, insertOnce, is, matches, value } from './builder.ts';
import { isCurrent } from './codes.ts';

export function wordStatements({ db, isIn }: Builder) {
  const givers = alias(accounts, 'givers');
  const receivers = alias(accounts, 'receivers');
  const isOpenReport = sql`reported_at_ms is not null and settled_at_ms is null`;
  const noWords = { message: null, giverName: null, isErased: true };

  return {
    wordsById: db.select().from(tipWords).where(is(tipWords.transactionId, 'id')),
    wordsOf: db.select().from(tipWords).where(isIn(tipWords.transactionId, 'ids')),
    insertWords: insertOnce(db, tipWords),
    updateWords: db
      .update(tipWords)
      .set(given(tipWords, 'isHidden', 'thankYou', 'thankedAtMs', 'reportedAtMs'))
      .where(is(tipWords.transactionId, 'transactionId')),
    /** So that nobody else changes them until the transaction ends. */
    lockWords: db.select().from(tipWords).where(is(tipWords.transactionId, 'id')).for('update'),
    /** Of a payment that came to nothing. */
    eraseWords: db.update(tipWords).set(noWords).where(is(tipWords.transactionId, 'id')),
    hideWords: db.update(tipWords).set({ isHidden: true }).where(is(tipWords.transactionId, 'id')),
    /** Of an account that is closed; what is reported stays until the operator is done with it. */
    eraseWordsGivenBy: db
      .update(tipWords)
      .set(noWords)
      .where(and(is(tipWords.giverId, 'userId'), sql`not (${isOpenReport})`)),
    eraseWordsReceivedBy: db
      .update(tipWords)
      .set({ ...noWords, thankYou: null })
      .where(and(is(tipWords.receiverId, 'userId'), sql`not (${isOpenReport})`)),

    wordsGivenBy: db
      .select({
        transactionId: tipWords.transactionId,
        message: tipWords.message,
        giverName: tipWords.giverName,
      })
      .from(tipWords)
      .where(
        and(
          is(tipWords.giverId, 'giverId'),
          gt(tipWords.transactionId, value('after')),
          sql`(${tipWords.message} is not null or ${tipWords.giverName} is not null)`,
        ),
      )
      .orderBy(asc(tipWords.transactionId))
      .limit(value('atMost')),

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
      .where(matches(blockedGivers, 'receiverId', 'giverId')),
    insertBlock: insertOnce(db, blockedGivers),
    deleteBlock: db.delete(blockedGivers).where(matches(blockedGivers, 'receiverId', 'giverId')),
    blocksOf: db
      .select(allBut(blockedGivers, 'receiverId'))
      .from(blockedGivers)
      .where(is(blockedGivers.receiverId, 'receiverId'))
      .orderBy(desc(blockedGivers.createdAtMs), desc(blockedGivers.transactionId)),
    deleteBlocksOf: db
      .delete(blockedGivers)
      .where(
        sql`${blockedGivers.receiverId} = ${value('userId')} or ${blockedGivers.giverId} = ${value('userId')}`,
      ),

    readyOf: db
      .select({ text: readyThankYous.text })
      .from(readyThankYous)
      .where(is(readyThankYous.userId, 'userId'))
      .orderBy(asc(readyThankYous.place)),
    deleteReadyOf: db.delete(readyThankYous).where(is(readyThankYous.userId, 'userId')),
    insertReady: insertOnce(db, readyThankYous),

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
      .limit(value('atMost')),
    settleReport: db
      .update(tipWords)
      .set({ settledAtMs: sql`${value('nowMs')}` })
      .where(and(is(tipWords.transactionId, 'id'), isOpenReport)),
    /** What was kept of closed accounts for the sake of a report. */
    eraseWordsOfClosed: db
      .update(tipWords)
      .set({
        ...noWords,
        thankYou: sql`case when exists (select 1 from ${accounts} where id = ${tipWords.receiverId} and closed_at_ms is not null) then null else ${tipWords.thankYou} end`,
      })
      .where(
        and(
          is(tipWords.transactionId, 'id'),
          sql`exists (select 1 from ${accounts} where id in (${tipWords.giverId}, ${tipWords.receiverId}) and closed_at_ms is not null)`,
        ),
      ),
  };
}
