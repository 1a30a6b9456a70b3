import { and, asc, desc, gt, gte, sql } from 'drizzle-orm';
import { auditLog } from '../schema/audit.ts';
import { type Builder, insert, is, matches, value } from './builder.ts';

export function auditStatements({ db }: Builder) {
  return {
    auditHead: db
      .select({ number: auditLog.number, hash: auditLog.hash })
      .from(auditLog)
      .orderBy(desc(auditLog.number))
      .limit(1),
    insertAuditRow: insert(db, auditLog),
    sameAct: db
      .select({ number: auditLog.number })
      .from(auditLog)
      .where(
        and(
          matches(auditLog, 'atMs', 'actorName', 'host', 'action'),
          sql`${auditLog.subject} is not distinct from ${value('subject')}`,
        ),
      ),
    auditRows: db
      .select()
      .from(auditLog)
      .where(and(gt(auditLog.number, value('after')), gte(auditLog.atMs, value('sinceMs'))))
      .orderBy(asc(auditLog.number))
      .limit(value('atMost')),
    auditRowsAbout: db
      .select()
      .from(auditLog)
      .where(is(auditLog.subject, 'subject'))
      .orderBy(desc(auditLog.number))
      .limit(value('atMost')),
  };
}
