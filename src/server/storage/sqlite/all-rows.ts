/** All rows of a database, in an order in which another engine can take them in. */
import { getTableName } from 'drizzle-orm';
import type { TableRows } from '../database.ts';
import type { Database } from './connection.ts';
import * as schema from './schema.ts';

/** None stands before those that its rows refer to. */
const TABLES = [
  schema.accounts,
  schema.providerCategories,
  schema.sessions,
  schema.secrets,
  schema.attempts,
  schema.qrCodes,
  schema.qrPictures,
  schema.transactions,
  schema.reversals,
  schema.entries,
  schema.tipBuckets,
  schema.checkedAccounts,
  schema.checkpoints,
];

/** The rows of each table, read from the file while they are asked for; one table at a time. */
export function* allRows(database: Database): Generator<TableRows, void> {
  for (const table of TABLES.map(getTableName)) {
    const rows = database.prepare<[], readonly unknown[]>(`SELECT * FROM "${table}"`).raw();
    yield { table, columns: rows.columns().map(({ name }) => name), rows: rows.iterate() };
  }
}
