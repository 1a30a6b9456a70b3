/**
 * The tables of SQLite, derived from those in `src/server/storage/schema`, for `npm run db:generate`. What
 * drizzle cannot express (STRICT, WITHOUT ROWID, the triggers that keep the ledger append-only) is written
 * into the migrations by hand and guarded by tests.
 */
import { Column, getTableColumns, is, SQL, type SQLChunk, sql } from 'drizzle-orm';
import { getTableConfig, type IndexedColumn, type PgColumn, type PgTable } from 'drizzle-orm/pg-core';
import {
  blob,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  SQLiteColumn,
  type SQLiteTable,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { TABLES } from '../src/server/storage/schema/tables.ts';

/** Boolean columns of PostgreSQL, with the names of the checks that replace the type in SQLite. */
const TRUTHS: Readonly<Record<string, string>> = {
  is_service_provider: 'accounts_is_service_provider',
  takes_words: 'qr_codes_takes_words',
  charges_enabled: 'payout_accounts_charges_enabled',
  payouts_enabled: 'payout_accounts_payouts_enabled',
  is_hidden: 'tip_words_hidden',
  is_erased: 'tip_words_erased',
  with_words: 'push_devices_with_words',
  monthly_statement: 'mail_settings_monthly_statement',
};

/**
 * A generated number beside a text as key is the key of SQLite's table, because SQLite numbers the rows of every table
 * by itself; the text is unique beside it.
 */
const isRowNumber = (column: PgColumn): boolean => column.generatedIdentity !== undefined && !column.primary;

export function sqliteTables(): Readonly<Record<string, SQLiteTable>> {
  const made: Record<string, SQLiteTable> = {};
  for (const table of TABLES) made[getTableConfig(table).name] = sqliteTableOf(table, made);
  return made;
}

function sqliteTableOf(table: PgTable, others: Readonly<Record<string, SQLiteTable>>): SQLiteTable {
  const { name, columns, indexes, foreignKeys, checks, primaryKeys } = getTableConfig(table);
  const number = columns.find(isRowNumber);
  const builders = Object.fromEntries(columns.map((column) => [column.name, columnOf(column, number)]));
  return sqliteTable(name, builders, (own) => {
    const find = (column: { readonly name: string }, of: Readonly<Record<string, Column>> = own) => {
      const found = of[column.name];
      if (!is(found, SQLiteColumn)) throw new Error(`${name} has no column ${column.name}`);
      return found;
    };
    return [
      ...primaryKeys.map((key) =>
        primaryKey({ columns: nonEmpty(key.columns.map((column) => find(column))) }),
      ),
      ...(number ? columns.filter(({ primary }) => primary) : []).map((key) =>
        uniqueIndex(`${name}_${key.name}`).on(find(key)),
      ),
      ...indexes.flatMap(({ config }) => {
        const [first, ...rest] = (config.columns as IndexedColumn[]).map((column) =>
          find({ name: column.name ?? '' }),
        );
        if (!first) throw new Error(`an index of ${name} has no columns`);
        if (number && first.name === number.name) return [];
        const made = (config.unique ? uniqueIndex : index)(config.name ?? '').on(first, ...rest);
        return [config.where ? made.where(moved(config.where, find)) : made];
      }),
      ...foreignKeys.map((key) => {
        const { columns: own, foreignTable, foreignColumns } = key.reference();
        const target = others[getTableConfig(foreignTable).name];
        if (!target) throw new Error(`${name} refers to a table that comes later`);
        const made = foreignKey({
          columns: nonEmpty(own.map((column) => find(column))),
          foreignColumns: nonEmpty(foreignColumns.map((column) => find(column, getTableColumns(target)))),
        });
        if (key.onUpdate) made.onUpdate(key.onUpdate);
        if (key.onDelete) made.onDelete(key.onDelete);
        return made;
      }),
      ...checks.map((one) => check(one.name, moved(one.value, find))),
      ...columns.flatMap((column) => {
        const truth = TRUTHS[column.name];
        return truth?.startsWith(name) ? [check(truth, sql`${find(column)} in (0, 1)`)] : [];
      }),
    ];
  });
}

/** @param number the column that is the key instead of a text. */
function columnOf(column: PgColumn, number: PgColumn | undefined) {
  const isKey = number ? column === number : column.primary;
  const made = builderOf(column, isKey);
  const completed: { notNull(): unknown; default(value: unknown): unknown } = made;
  if (column.notNull && !isKey) completed.notNull();
  if (column.hasDefault && column.default !== undefined) completed.default(column.default);
  return made;
}

function builderOf(column: PgColumn, isKey: boolean) {
  const { name } = column;
  switch (column.getSQLType()) {
    case 'bigint':
    case 'integer':
    case 'smallint': {
      const made = integer(name);
      return isKey
        ? made.primaryKey({ autoIncrement: column.primary && column.generatedIdentity !== undefined })
        : made;
    }
    case 'boolean':
      return integer(name, { mode: 'boolean' });
    case 'bytea':
      return isKey ? blob(name, { mode: 'buffer' }).primaryKey() : blob(name, { mode: 'buffer' });
    default:
      return isKey ? text(name).primaryKey() : text(name);
  }
}

/** Rewrites an SQL fragment to refer to the columns of SQLite's table. */
function moved(chunk: SQL, find: (column: { readonly name: string }) => SQLiteColumn): SQL {
  const chunks = chunk.queryChunks.map((part): SQLChunk => {
    if (is(part, Column)) return find(part);
    return is(part, SQL) ? moved(part, find) : part;
  });
  return new SQL(chunks);
}

function nonEmpty<Item>(items: readonly Item[]): [Item, ...Item[]] {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error('a key has no columns');
  return [first, ...rest];
}
