/**
 * Parts of prepared statements that stand for values which are filled in at each run.
 */
import { getTableColumns, type InferSelectModel, type Placeholder, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgInsertValue, PgTable } from 'drizzle-orm/pg-core';

type Columns<Table extends PgTable> = Table['_']['columns'];

/** The column that PostgreSQL numbers by itself. */
type Numbered<Table extends PgTable> = {
  [Name in keyof Columns<Table>]: Columns<Table>[Name]['_'] extends { identity: 'always' } ? Name : never;
}[keyof Columns<Table>];

/** A row with a member for every column, also where the column may be null or has a default. */
export type WholeRow<Table extends PgTable> = Omit<InferSelectModel<Table>, Numbered<Table>>;

/**
 * An insert that is run with whole rows of its table; one that is there already stays, and is not inserted.
 * @returns how many rows were inserted.
 */
export function prepareInsert<Table extends PgTable>(db: NodePgDatabase, table: Table, name: string) {
  const placeholders = Object.entries(getTableColumns(table))
    .filter(([, column]) => column.generatedIdentity === undefined)
    .map(([column]): [string, Placeholder] => [column, sql.placeholder(column)]);
  const statement = db
    .insert(table)
    // Typed by name only in what is known of one table, not of any.
    .values(Object.fromEntries(placeholders) as PgInsertValue<Table>)
    .onConflictDoNothing()
    .prepare(name);
  return {
    run: async (row: WholeRow<Table>): Promise<number> => (await statement.execute(row)).rowCount ?? 0,
  };
}
