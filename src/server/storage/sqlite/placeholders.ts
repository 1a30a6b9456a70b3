/**
 * Parts of prepared statements that stand for values which are filled in at each run.
 */
import type { RunResult } from 'better-sqlite3';
import { getTableColumns, type InferSelectModel, type Placeholder, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import {
  SQLiteBaseInteger,
  type SQLiteInsertBase,
  type SQLiteInsertValue,
  type SQLiteTable,
} from 'drizzle-orm/sqlite-core';

/**
 * A value that something is compared with, hidden from the planner by its sign: SQLite 3.54 plans some statements (joins,
 * sorted ones) anew for each value that they are run with (measured: 37 µs for a session instead of 5). Without the
 * statistics of ANALYZE no value changes a plan.
 */
export const given = (name: string) => sql`+${sql.placeholder(name)}`;

type Columns<Table extends SQLiteTable> = Table['_']['columns'];

/** The column that SQLite numbers by itself: the only primary key with a default. */
type Numbered<Table extends SQLiteTable> = {
  [Name in keyof Columns<Table>]: Columns<Table>[Name]['_'] extends { isPrimaryKey: true; hasDefault: true }
    ? Name
    : never;
}[keyof Columns<Table>];

/** A row with a member for every column, also where the column may be null or has a default. */
export type WholeRow<Table extends SQLiteTable> = Omit<InferSelectModel<Table>, Numbered<Table>>;

/**
 * A placeholder for every column of a table, by the name that the column has in a row; one that SQLite numbers by itself is left
 * out. A run without a value for one of them throws, where drizzle alone would store NULL.
 */
function everyColumn<Table extends SQLiteTable>(table: Table): SQLiteInsertValue<Table> {
  const names = Object.entries(getTableColumns(table))
    .filter(([, column]) => !(column instanceof SQLiteBaseInteger && column.autoIncrement))
    .map(([name]): [string, Placeholder] => [name, sql.placeholder(name)]);
  // Typed by name only in what is known of one table, not of any.
  return Object.fromEntries(names) as SQLiteInsertValue<Table>;
}

type Insert<Table extends SQLiteTable> = SQLiteInsertBase<Table, 'sync', RunResult>;

/**
 * An insert that is run with whole rows of its table.
 * @param finish adds to it what happens on a conflict.
 */
export function prepareInsert<Table extends SQLiteTable>(
  db: BetterSQLite3Database,
  table: Table,
  finish: (insert: Insert<Table>) => Pick<Insert<Table>, 'prepare'> = (insert) => insert,
) {
  const statement = finish(db.insert(table).values(everyColumn(table))).prepare();
  return { run: (row: WholeRow<Table>) => statement.run(row) };
}

/** An insert into a table whose rows SQLite numbers, which answers the number of the row. */
export function prepareNumberedInsert<Table extends SQLiteTable>(db: BetterSQLite3Database, table: Table) {
  const statement = db.insert(table).values(everyColumn(table)).prepare();
  return { run: (row: WholeRow<Table>) => Number(statement.run(row).lastInsertRowid) };
}
