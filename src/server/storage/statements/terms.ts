import { asc, sql } from 'drizzle-orm';
import { tips } from '../schema/ledger.ts';
import { payments } from '../schema/payments.ts';
import { termsVersions } from '../schema/terms.ts';
import { type Builder, insert } from './builder.ts';

export function termsStatements({ db }: Builder) {
  return {
    allTerms: db.select().from(termsVersions).orderBy(asc(termsVersions.version)),
    insertTerms: insert(db, termsVersions),
    anyTip: db
      .select({ found: sql<number>`1` })
      .from(
        sql`(select 1 where exists (select 1 from ${tips}) or exists (select 1 from ${payments})) as tip`,
      ),
  };
}
