import { sql } from 'drizzle-orm';
import { check, integer } from 'drizzle-orm/pg-core';
import { MAX_ANNOUNCEMENT_LENGTH } from '#shared/announcements.ts';
import { table, text, whole } from './columns.ts';

/** The operator's announcement, in one row at most. */
export const announcements = table(
  'announcements',
  {
    id: integer('id').primaryKey(),
    text: text('text').notNull(),
    fromMs: whole('from_ms').notNull(),
    untilMs: whole('until_ms'),
  },
  (t) => [
    check('announcements_one', sql`${t.id} = 1`),
    check(
      'announcements_text',
      sql`length(${t.text}) between 1 and ${sql.raw(String(MAX_ANNOUNCEMENT_LENGTH))}`,
    ),
    check('announcements_until', sql`${t.untilMs} > ${t.fromMs}`),
  ],
);
