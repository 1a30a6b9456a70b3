/** Reads all rows of a file in the order of references. */
import { getTableName } from 'drizzle-orm';
import { readMigrations, requireCurrent } from '../care/migrations.ts';
import { type NotedPast, notePast } from '../checks/past.ts';
import type { AllRows, TableRows } from '../port/database.ts';
import { TABLES } from '../schema/tables.ts';
import { requireSound } from './backup.ts';
import { type Database, holdDatabase, openDatabase } from './connection.ts';
import { tipsOfPast } from './ledger-check.ts';
import { appliedTo } from './migrations.ts';

export async function readAll<Result>(
  path: string,
  use: (tables: AllRows, past: NotedPast) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase(path, { mustExist: true, readonly: true });
  try {
    const release = holdDatabase(path);
    try {
      requireCurrent(path, appliedTo(database), readMigrations('sqlite'));
      requireSound(path);
      database.exec('BEGIN');
      return await use(tablesOf(database), notePast(tipsOfPast(database)));
    } finally {
      release();
    }
  } finally {
    database.close();
  }
}

function* tablesOf(database: Database): Generator<TableRows, void> {
  for (const table of TABLES.map(getTableName)) {
    const select = database.prepare<[], readonly unknown[]>(`SELECT * FROM "${table}"`).raw();
    const rows = select.iterate();
    try {
      yield { table, columns: select.columns().map(({ name }) => name), rows };
    } finally {
      // An open iterator keeps the connection busy.
      rows.return?.();
    }
  }
}
