import { and, asc, type Column, desc, gt, gte, lt, sql } from 'drizzle-orm';
import { auditLog } from '../schema/audit.ts';
import { qrCodes } from '../schema/codes.ts';
import { type Builder, insert, is, matches, value } from './builder.ts';

/** An empty text stands for every value. */
const isOrAny = (column: Column, name: string) => sql`(${value(name)} = '' or ${column} = ${value(name)})`;

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
    auditRowsAboutAccount: db
      .select()
      .from(auditLog)
      .where(
        sql`${auditLog.subject} in (select ${value('userId')}
          union all select ${qrCodes.id} from ${qrCodes} where ${is(qrCodes.userId, 'userId')})`,
      )
      .orderBy(desc(auditLog.number))
      .limit(value('atMost')),
    auditRowsAbout: db
      .select()
      .from(auditLog)
      .where(is(auditLog.subject, 'subject'))
      .orderBy(desc(auditLog.number))
      .limit(value('atMost')),
    newestAuditRows: db
      .select()
      .from(auditLog)
      .where(
        and(
          lt(auditLog.number, value('before')),
          gte(auditLog.atMs, value('sinceMs')),
          lt(auditLog.atMs, value('untilMs')),
          isOrAny(auditLog.actorName, 'actorName'),
          isOrAny(auditLog.action, 'action'),
          isOrAny(auditLog.subject, 'subject'),
        ),
      )
      .orderBy(desc(auditLog.number))
      .limit(value('atMost')),
    /** From one name to the next by the index, because few names have many rows. */
    auditActors: db
      .select({ name: sql<string>`actors.name` })
      .from(sql`(
        with recursive actor (name) as (
          select min(actor_name) from ${auditLog}
          union all
          select (select min(actor_name) from ${auditLog} where actor_name > actor.name) from actor
          where actor.name is not null
        ) select name from actor where name is not null
      ) as actors`)
      .orderBy(sql`actors.name`)
      .limit(value('atMost')),
  };
}
