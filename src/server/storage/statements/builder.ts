/** The parts of statements, which are written once for both engines (docs/decisions/032-storage-said-once.md). */
import {
  asc,
  type Column,
  eq,
  getTableColumns,
  gt,
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

export interface ChangeCount extends PgQueryResultHKT {
  readonly type: { readonly rowCount: number | null };
}

export interface Preparable<Result> {
  prepare(name: string): { execute(values?: Record<string, unknown>): Promise<Result> };
}

export interface Builder {
  readonly db: PgDatabase<ChangeCount>;
  /** Whether a column's value is in the list passed under a name; of bytes for a column of bytes. */
  isIn(column: PgColumn | SQL, name: string): SQL;
  /** A statement without rows that drizzle's builder cannot express. */
  raw(text: SQL): Preparable<ChangeCount['type']>;
  /** The engine's text. @param reason why one text does not do for both. */
  choose<Text>(reason: string, texts: { readonly sqlite: Text; readonly postgres: Text }): Text;
}

// Drizzle would name generated columns with DEFAULT, which SQLite does not know.
for (const column of TABLES.flatMap((table): PgColumn[] => Object.values(getTableColumns(table))))
  if (column.generatedIdentity !== undefined) Object.assign(column, { shouldDisableInsert: () => true });

/** The rows of a span (`steps/spans.ts`): some three milliseconds of work. */
const SPAN = 1_000;

export const value = sql.placeholder;

export const is = (column: Column, name: string): SQL => eq(column, value(name));

export function matches<Table extends PgTable>(
  table: Table,
  ...names: readonly (keyof Columns<Table> & string)[]
): SQL {
  const columns: Readonly<Record<string, PgColumn>> = getTableColumns(table);
  const conditions = names.map((name) => sql`${columns[name]} = ${value(name)}`);
  return sql.join(conditions, sql` and `);
}

type Columns<Table extends PgTable> = Table['_']['columns'];

type Numbered<Table extends PgTable> = {
  [Name in keyof Columns<Table>]: Columns<Table>[Name]['_'] extends { identity: 'always' } ? Name : never;
}[keyof Columns<Table>];

/** A row with every column, nullable ones and those with defaults included. */
export type WholeRow<Table extends PgTable> = Omit<InferSelectModel<Table>, Numbered<Table>>;

export interface Typed<Query, Values> {
  readonly query: Query;
  /** Carries the type only; no statement has this member. */
  readonly accepts?: (values: Values) => void;
}

export function allBut<Table extends PgTable, Name extends keyof Columns<Table>>(
  table: Table,
  ...names: readonly Name[]
): Omit<Columns<Table>, Name> {
  const kept = Object.entries(getTableColumns(table)).filter(
    ([name]) => !names.some((other) => other === name),
  );
  // TypeScript knows the keys of a generic object as string only.
  return Object.fromEntries(kept) as Omit<Columns<Table>, Name>;
}

type Assignments<Name extends PropertyKey> = { [Key in Name]: SQL };

const assign = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sql`${value(name)}`]));

export function given<Table extends PgTable, Name extends keyof Columns<Table> & string>(
  _table: Table,
  ...names: readonly Name[]
): Assignments<Name> {
  // TypeScript knows the keys of a generic object as string only.
  return assign(names) as Assignments<Name>;
}

/** The assignments of all columns but these, so that a column added later is updated too. */
export function givenAllBut<Table extends PgTable, Name extends keyof Columns<Table>>(
  table: Table,
  ...names: readonly Name[]
): Assignments<Exclude<keyof Columns<Table>, Name>> {
  // TypeScript knows the keys of a generic object as string only.
  return assign(Object.keys(allBut(table, ...names))) as Assignments<Exclude<keyof Columns<Table>, Name>>;
}

/** A placeholder for every column by its name in a row, generated ones excluded. */
function everyColumn<Table extends PgTable>(table: Table): PgInsertValue<Table> {
  const names = Object.entries(getTableColumns(table))
    .filter(([, column]) => column.generatedIdentity === undefined)
    .map(([name]): [string, Placeholder] => [name, value(name)]);
  // TypeScript knows the keys of a generic object as string only.
  return Object.fromEntries(names) as PgInsertValue<Table>;
}

/** A run without a value for one of the columns throws. */
const ofRows = <Table extends PgTable, Query>(
  _table: Table,
  query: Query,
): Typed<Query, WholeRow<Table>> => ({
  query,
});

/** The last id of the span of ids after one; no row when the table ends before. */
export const endOfSpan = (db: Builder['db'], table: PgTable, id: PgColumn) =>
  db
    .select({ id: sql<string>`${id}` })
    .from(table)
    .where(gt(id, value('after')))
    .orderBy(asc(id))
    .limit(1)
    .offset(SPAN - 1);

export const insert = <Table extends PgTable>(db: Builder['db'], table: Table) =>
  ofRows(table, db.insert(table).values(everyColumn(table)));

export const insertNumbered = <Table extends PgTable, Sequence extends PgColumn>(
  db: Builder['db'],
  table: Table,
  sequence: Sequence,
) => ofRows(table, db.insert(table).values(everyColumn(table)).returning({ sequence }));

/** @param target the column that a second row may repeat; without it, any key. */
export const insertOnce = <Table extends PgTable>(db: Builder['db'], table: Table, target?: PgColumn) =>
  ofRows(
    table,
    db
      .insert(table)
      .values(everyColumn(table))
      .onConflictDoNothing(target && { target }),
  );

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
        // TypeScript knows the keys of a generic object as string only.
        set: Object.fromEntries(
          others.map(([name, column]) => [name, sql`excluded.${sql.identifier(column.name)}`]),
        ) as PgUpdateSetSource<Table>,
      }),
  );
}
