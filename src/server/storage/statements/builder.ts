/**
 * What statements are built with. Each is written once, with drizzle's builder for PostgreSQL, and compiled for both engines
 * (`compile.ts`). Where an engine needs another text, `choose` says why.
 */
import {
  type Column,
  eq,
  getTableColumns,
  type InferSelectModel,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import type {
  PgColumn,
  PgDatabase,
  PgInsertValue,
  PgQueryResultHKT,
  PgTable,
  PgUpdateSetSource,
} from 'drizzle-orm/pg-core';
import { TABLES } from '../schema/tables.ts';

/** What a statement without rows answers: how many it changed. */
export interface ChangeCount extends PgQueryResultHKT {
  readonly type: { readonly rowCount: number | null };
}

/** What can be prepared, and then answers `Result` at each run. */
export interface Preparable<Result> {
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Result> };
}

export interface Builder {
  readonly db: PgDatabase<ChangeCount>;
  /** Whether the value of a column is in the list that is handed in under a name; a list of bytes where the column has bytes. */
  isIn(column: PgColumn | SQL, name: string): SQL;
  /** A statement that the builder has no words for, and which answers no rows. */
  raw(text: SQL): Preparable<ChangeCount['type']>;
  /** The text for the engine. @param reason why one text does not do for both. */
  choose<Text>(reason: string, texts: { readonly sqlite: Text; readonly postgres: Text }): Text;
}

// An insert leaves the columns out that the database numbers: drizzle would name them, with the word DEFAULT, which SQLite does not know.
for (const column of TABLES.flatMap((table): PgColumn[] => Object.values(getTableColumns(table))))
  if (column.generatedIdentity !== undefined) Object.assign(column, { shouldDisableInsert: () => true });

/** A value that is handed in at each run. */
export const value = sql.placeholder;

/** Whether a column has the value that is handed in under a name. */
export const is = (column: Column, name: string): SQL => eq(column, value(name));

/** Whether all of these columns have the values of the same names. */
export function matches<Table extends PgTable>(
  table: Table,
  ...names: readonly (keyof Columns<Table> & string)[]
): SQL {
  const columns: Readonly<Record<string, PgColumn>> = getTableColumns(table);
  const conditions = names.map((name) => sql`${columns[name]} = ${value(name)}`);
  return sql.join(conditions, sql` and `);
}

type Columns<Table extends PgTable> = Table['_']['columns'];

/** The columns that the database numbers by itself. */
type Numbered<Table extends PgTable> = {
  [Name in keyof Columns<Table>]: Columns<Table>[Name]['_'] extends { identity: 'always' } ? Name : never;
}[keyof Columns<Table>];

/** A row with a member for every column, also where the column may be null or has a default. */
export type WholeRow<Table extends PgTable> = Omit<InferSelectModel<Table>, Numbered<Table>>;

/** A statement that is run with values of a type. */
export interface Typed<Query, Values> {
  readonly query: Query;
  /** Tells the type of the values; no statement has this member. */
  readonly accepts?: (values: Values) => void;
}

/** The columns of a table but these. */
export function allBut<Table extends PgTable, Name extends keyof Columns<Table>>(
  table: Table,
  ...names: readonly Name[]
): Omit<Columns<Table>, Name> {
  const kept = Object.entries(getTableColumns(table)).filter(
    ([name]) => !names.some((other) => other === name),
  );
  // TypeScript types an object by its keys only where it knows the table.
  return Object.fromEntries(kept) as Omit<Columns<Table>, Name>;
}

type Assignments<Name extends PropertyKey> = { [Key in Name]: SQL };

const assign = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sql`${value(name)}`]));

/** The assignments of an update which sets these columns to the values of the same names. */
export function given<Table extends PgTable, Name extends keyof Columns<Table> & string>(
  _table: Table,
  ...names: readonly Name[]
): Assignments<Name> {
  // TypeScript types an object by its keys only where it knows the table.
  return assign(names) as Assignments<Name>;
}

/** The same for every column but these: one that is added to the table is set as well. */
export function givenAllBut<Table extends PgTable, Name extends keyof Columns<Table>>(
  table: Table,
  ...names: readonly Name[]
): Assignments<Exclude<keyof Columns<Table>, Name>> {
  // TypeScript types an object by its keys only where it knows the table.
  return assign(Object.keys(allBut(table, ...names))) as Assignments<Exclude<keyof Columns<Table>, Name>>;
}

/** A placeholder for every column of a table, by the name that the column has in a row; without those that the database numbers. */
function everyColumn<Table extends PgTable>(table: Table): PgInsertValue<Table> {
  const names = Object.entries(getTableColumns(table))
    .filter(([, column]) => column.generatedIdentity === undefined)
    .map(([name]): [string, Placeholder] => [name, value(name)]);
  // TypeScript types an object by its keys only where it knows the table.
  return Object.fromEntries(names) as PgInsertValue<Table>;
}

/** A statement that is run with whole rows of a table: a run without a value for one of its columns throws. */
const ofRows = <Table extends PgTable, Query>(
  _table: Table,
  query: Query,
): Typed<Query, WholeRow<Table>> => ({
  query,
});

/** An insert that is run with whole rows of its table. */
export const insert = <Table extends PgTable>(db: Builder['db'], table: Table) =>
  ofRows(table, db.insert(table).values(everyColumn(table)));

/** The same for a table whose rows the database numbers: it answers the number. */
export const insertNumbered = <Table extends PgTable, Sequence extends PgColumn>(
  db: Builder['db'],
  table: Table,
  sequence: Sequence,
) => ofRows(table, db.insert(table).values(everyColumn(table)).returning({ sequence }));

/** An insert of whole rows where a row that is there already stays, and none is inserted. */
export const insertOnce = <Table extends PgTable>(db: Builder['db'], table: Table) =>
  ofRows(table, db.insert(table).values(everyColumn(table)).onConflictDoNothing());

/** Inserts a whole row, or takes its values for the one that has the same key. @param key the columns of the key. */
export function save<Table extends PgTable>(
  db: Builder['db'],
  table: Table,
  ...key: readonly (keyof Columns<Table> & string)[]
) {
  const columns: [string, PgColumn][] = Object.entries(getTableColumns(table));
  const isOfKey = ([name]: [string, PgColumn]) => key.some((other) => other === name);
  const others = columns.filter((column) => !isOfKey(column));
  return ofRows(
    table,
    db
      .insert(table)
      .values(everyColumn(table))
      .onConflictDoUpdate({
        target: columns.filter(isOfKey).map(([, column]) => column),
        // TypeScript types an object by its keys only where it knows the table.
        set: Object.fromEntries(
          others.map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
        ) as PgUpdateSetSource<Table>,
      }),
  );
}
