/** Hands over all rows of a file, in an order in which another engine can take them in. */
import { getTableName } from 'drizzle-orm';
import { readMigrations, requireCurrent } from '../care/migrations.ts';
import type { TableRows } from '../port/database.ts';
import { TABLES } from '../schema/tables.ts';
import { requireSound } from './backup.ts';
import { type Database, holdDatabase, openDatabase } from './connection.ts';
import { appliedTo } from './migrations.ts';

/** `ManagedDatabase.readAll` of the file at `path`, which is only read. */
export async function readAll<Result>(
  path: string,
  use: (tables: Iterable<TableRows>) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(path, { mustExist: true, readonly: true });
  try {
    const release = holdDatabase(path);
    try {
      requireCurrent(path, appliedTo(database), readMigrations('sqlite'));
      requireSound(path);
      // One view of all tables, whatever a command changes meanwhile.
      database.exec('BEGIN');
      return await use(tablesOf(database));
    } finally {
      release();
    }
  } finally {
    database.close();
  }
}

/** The rows of each table, read while they are asked for; one table at a time. */
function* tablesOf(database: Database): Generator<TableRows, void> {
  for (const table of TABLES.map(getTableName)) {
    const select = database.prepare<[], readonly unknown[]>(`SELECT * FROM "${table}"`).raw();
    const rows = select.iterate();
    try {
      yield { table, columns: select.columns().map(({ name }) => name), rows };
    } finally {
      // The connection is busy until the rows are read or given up.
      rows.return?.();
    }
  }
}
