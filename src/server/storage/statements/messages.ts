import { and, asc, desc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { accounts } from '../schema/accounts.ts';
import { qrCodes } from '../schema/codes.ts';
import { blockedGivers, readyThankYous, tipMessages } from '../schema/messages.ts';
import { allBut, type Builder, given, insertOnce, is, matches, value } from './builder.ts';
import { isCurrent } from './codes.ts';

export function messageStatements({ db, isIn }: Builder) {
  const givers = alias(accounts, 'givers');
  const receivers = alias(accounts, 'receivers');
  const isOpenReport = sql`reported_at_ms is not null and settled_at_ms is null`;
  /** A builder keeps what is added to it, so that each statement needs one of its own. */
  const reports = () =>
    db
      .select({
        transactionId: tipMessages.transactionId,
        message: tipMessages.message,
        giverName: tipMessages.giverName,
        reportedAtMs: sql<number>`${tipMessages.reportedAtMs}`,
        settledAtMs: tipMessages.settledAtMs,
        giverId: givers.id,
        giverUsername: givers.username,
        giverEmail: givers.email,
        giverClosedAtMs: givers.closedAtMs,
        receiverId: receivers.id,
        receiverUsername: receivers.username,
        receiverEmail: receivers.email,
        receiverClosedAtMs: receivers.closedAtMs,
      })
      .from(tipMessages)
      .leftJoin(givers, eq(givers.id, tipMessages.giverId))
      .innerJoin(receivers, eq(receivers.id, tipMessages.receiverId));
  const noMessages = { message: null, giverName: null, isErased: true };
  /** PostgreSQL asks this again of a row that it waited for, but not what is within a subquery. */
  const isUnreported = sql`not (${isOpenReport})`;
  /** The first messages under a condition, at most so many. */
  const isAmongFirst = (condition: SQL) =>
    sql`${tipMessages.transactionId} in (
      select transaction_id from ${tipMessages} where ${condition} limit ${value('atMost')}
    )`;
  const ifReported = (column: typeof tipMessages.message | typeof tipMessages.giverName) =>
    sql`case when ${isOpenReport} then ${column} end`;

  return {
    messagesById: db.select().from(tipMessages).where(is(tipMessages.transactionId, 'id')),
    messagesOf: db.select().from(tipMessages).where(isIn(tipMessages.transactionId, 'ids')),
    insertMessages: insertOnce(db, tipMessages),
    updateMessages: db
      .update(tipMessages)
      .set(given(tipMessages, 'isHidden', 'thankYou', 'thankedAtMs', 'reportedAtMs'))
      .where(is(tipMessages.transactionId, 'transactionId')),
    lockMessages: db.select().from(tipMessages).where(is(tipMessages.transactionId, 'id')).for('update'),
    eraseMessages: db.update(tipMessages).set(noMessages).where(is(tipMessages.transactionId, 'id')),
    hideMessages: db.update(tipMessages).set({ isHidden: true }).where(is(tipMessages.transactionId, 'id')),
    eraseMessagesGivenBy: db
      .update(tipMessages)
      .set(noMessages)
      .where(
        and(
          isAmongFirst(sql`giver_id = ${value('userId')} and not is_erased and ${isUnreported}`),
          isUnreported,
        ),
      ),
    /** What was reported stays until the report is settled, but not what its receiver answered. */
    eraseMessagesReceivedBy: db
      .update(tipMessages)
      .set({
        message: ifReported(tipMessages.message),
        giverName: ifReported(tipMessages.giverName),
        isErased: sql`is_erased or ${isUnreported}`,
        thankYou: null,
      })
      .where(
        isAmongFirst(
          // The first condition is that of the index, which SQLite has to find in it word for word.
          sql`receiver_id = ${value('userId')} and (not is_erased or thank_you is not null)
            and (thank_you is not null or ${isUnreported})`,
        ),
      ),

    messagesGivenBy: db
      .select({
        transactionId: tipMessages.transactionId,
        message: tipMessages.message,
        giverName: tipMessages.giverName,
      })
      .from(tipMessages)
      .where(
        and(
          is(tipMessages.giverId, 'giverId'),
          gt(tipMessages.transactionId, value('after')),
          // Nothing erased has either; the index wants to be told.
          sql`not is_erased`,
          sql`(${tipMessages.message} is not null or ${tipMessages.giverName} is not null)`,
        ),
      )
      .orderBy(asc(tipMessages.transactionId))
      .limit(value('atMost')),

    /** The blocks that `isKeptOut` needs; pages are read only when there are blocks. */
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
    blockedAmong: db
      .selectDistinct({ giverId: blockedGivers.giverId })
      .from(blockedGivers)
      .where(and(is(blockedGivers.receiverId, 'receiverId'), isIn(blockedGivers.giverId, 'giverIds'))),
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

    openReports: reports()
      .where(
        and(
          isOpenReport,
          sql`(${tipMessages.reportedAtMs}, ${tipMessages.transactionId}) > (${value('atMs')}, ${value('id')})`,
        ),
      )
      .orderBy(asc(tipMessages.reportedAtMs), asc(tipMessages.transactionId))
      .limit(value('atMost')),
    settledReports: reports()
      .where(
        and(
          sql`settled_at_ms is not null`,
          sql`(${tipMessages.settledAtMs}, ${tipMessages.transactionId}) < (${value('atMs')}, ${value('id')})`,
        ),
      )
      .orderBy(desc(tipMessages.settledAtMs), desc(tipMessages.transactionId))
      .limit(value('atMost')),
    settleReport: db
      .update(tipMessages)
      .set({ settledAtMs: sql`${value('nowMs')}` })
      .where(and(is(tipMessages.transactionId, 'id'), isOpenReport)),
    /** Messages of closed accounts that were kept for a report. */
    eraseMessagesOfClosed: db
      .update(tipMessages)
      .set({
        ...noMessages,
        thankYou: sql`case when exists (select 1 from ${accounts} where id = ${tipMessages.receiverId} and closed_at_ms is not null) then null else ${tipMessages.thankYou} end`,
      })
      .where(
        and(
          is(tipMessages.transactionId, 'id'),
          sql`exists (select 1 from ${accounts} where id in (${tipMessages.giverId}, ${tipMessages.receiverId}) and closed_at_ms is not null)`,
        ),
      ),
  };
}
