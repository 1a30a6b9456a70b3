import { and, asc, desc, gt, isNull, lte, ne, or, sql } from 'drizzle-orm';
import { operatorLinks, operatorSessions, operators } from '../schema/operators.ts';
import { allBut, type Builder, given, insert, insertOnce, is, value } from './builder.ts';

export function operatorStatements({ db }: Builder) {
  const operator = allBut(operators, 'passwordHash', 'emailKey');

  return {
    insertOperator: insertOnce(db, operators),
    operatorsInOrder: db
      .select(operator)
      .from(operators)
      .orderBy(asc(operators.createdAtMs), asc(operators.id)),
    operatorById: db.select(operator).from(operators).where(is(operators.id, 'id')),
    operatorByEmail: db
      .select(allBut(operators, 'emailKey'))
      .from(operators)
      .where(is(operators.emailKey, 'emailKey')),
    otherOperators: db
      .select({ id: operators.id })
      .from(operators)
      .where(ne(operators.id, value('id')))
      .limit(1),
    /** Before an enrolment begins. */
    resetOperator: db
      .update(operators)
      .set({ passwordHash: null, enrolledAtMs: null })
      .where(is(operators.id, 'id')),
    noteEnrolment: db
      .update(operators)
      .set(given(operators, 'passwordHash', 'enrolledAtMs'))
      .where(and(is(operators.id, 'id'), isNull(operators.enrolledAtMs))),
    deleteOperator: db.delete(operators).where(is(operators.id, 'id')),

    insertOperatorSession: insert(db, operatorSessions),
    operatorSession: db.select().from(operatorSessions).where(is(operatorSessions.tokenHash, 'tokenHash')),
    operatorSessionsOf: db
      .select()
      .from(operatorSessions)
      .where(is(operatorSessions.operatorId, 'operatorId'))
      .orderBy(desc(operatorSessions.createdAtMs), asc(operatorSessions.tokenHash)),
    noteOperatorSessionUse: db
      .update(operatorSessions)
      .set({ lastUsedAtMs: sql`${value('nowMs')}` })
      .where(is(operatorSessions.tokenHash, 'tokenHash')),
    confirmOperatorSession: db
      .update(operatorSessions)
      .set({ confirmedAtMs: sql`${value('nowMs')}` })
      .where(is(operatorSessions.tokenHash, 'tokenHash')),
    deleteOperatorSession: db.delete(operatorSessions).where(is(operatorSessions.tokenHash, 'tokenHash')),
    deleteOperatorSessionsOf: db
      .delete(operatorSessions)
      .where(is(operatorSessions.operatorId, 'operatorId')),
    deleteEndedOperatorSessions: db
      .delete(operatorSessions)
      .where(
        or(
          lte(operatorSessions.expiresAtMs, value('nowMs')),
          lte(operatorSessions.lastUsedAtMs, value('unusedSinceMs')),
        ),
      ),

    insertOperatorLink: insert(db, operatorLinks),
    operatorLink: db
      .select({ id: operatorLinks.operatorId })
      .from(operatorLinks)
      .where(and(is(operatorLinks.tokenHash, 'tokenHash'), gt(operatorLinks.expiresAtMs, value('nowMs')))),
    deleteOperatorLinksOf: db.delete(operatorLinks).where(is(operatorLinks.operatorId, 'operatorId')),
    deleteEndedOperatorLinks: db.delete(operatorLinks).where(lte(operatorLinks.expiresAtMs, value('nowMs'))),
  };
}
