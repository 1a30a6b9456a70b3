/** Events of accounts that are no entries of the ledger. */
import { sql } from 'drizzle-orm';
import { check, index, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { EventId } from '#shared/ids.ts';
import type { NotedKind } from '../port/events.ts';
import { accountId } from './accounts.ts';
import { table, text, whole } from './columns.ts';

export const notedEvents = table(
  'noted_events',
  {
    userId: accountId('user_id'),
    /** 1, 2, 3 ... for each account, in the order of commits. */
    number: whole('number').notNull(),
    /** The position of the newest entry of the account by then; 0 before the first. */
    position: whole('position').notNull(),
    id: text('id').$type<EventId>().notNull(),
    kind: text('kind').$type<NotedKind>().notNull(),
    subject: text('subject').notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.number] }),
    uniqueIndex('noted_events_id').on(t.id),
    index('noted_events_statements').on(t.userId, t.subject).where(sql`kind = 'statement.ready'`),
    check('noted_events_place', sql`${t.number} > 0 and ${t.position} >= 0`),
    check('noted_events_kind', sql`${t.kind} in ('tip.thanked', 'code.changed', 'statement.ready')`),
  ],
);
