/** The acts of operators. */
import { sql } from 'drizzle-orm';
import { check, index } from 'drizzle-orm/pg-core';
import { MAX_REASON_LENGTH } from '#shared/console/acts.ts';
import type { Actor } from '../port/audit.ts';
import { table, text, whole } from './columns.ts';

/** Triggers refuse changes, and rows that do not follow on. A new action needs no migration. */
export const auditLog = table(
  'audit_log',
  {
    number: whole('number').primaryKey(),
    atMs: whole('at_ms').notNull(),
    actorKind: text('actor_kind').$type<Actor['kind']>().notNull(),
    actorName: text('actor_name').notNull(),
    host: text('host').notNull(),
    action: text('action').notNull(),
    subject: text('subject'),
    reason: text('reason'),
    hash: text('hash').notNull(),
  },
  (t) => [
    index('audit_log_subject').on(t.subject, t.number),
    index('audit_log_actor').on(t.actorName),
    check('audit_log_actor_kind', sql`${t.actorKind} in ('command', 'operator')`),
    check('audit_log_hash', sql`length(${t.hash}) = 64`),
    check('audit_log_reason', sql`length(${t.reason}) between 1 and ${sql.raw(String(MAX_REASON_LENGTH))}`),
  ],
);
