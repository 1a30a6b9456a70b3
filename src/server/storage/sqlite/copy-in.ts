/** Fills a new file with another database's rows, checked before it gets its name. */
import { existsSync, rmSync } from 'node:fs';
import { getTableName } from 'drizzle-orm';
import { AUDIT_HEAD, insertingAct } from '../care/audit.ts';
import { requireArrived, writeWhole } from '../care/backup-file.ts';
import { readMigrations } from '../care/migrations.ts';
import type { NotedPast } from '../checks/past.ts';
import type { Act } from '../port/audit.ts';
import { type AllRows, DatabaseRefused, type Findings, type TableRows } from '../port/database.ts';
import type { AuditHead } from '../rules/audit.ts';
import { MADE_AT_A_START } from '../schema/tables.ts';
import { inspectDatabase } from './backup.ts';
import { type Database, holdDatabase, isSqliteError, openDatabase } from './connection.ts';
import { ALL_FILES, COMPANIONS, locate } from './database-files.ts';
import { noteUnusedNumbers } from './ledger-check.ts';
import { migrate } from './migrations.ts';

export async function fill(path: string, tables: AllRows, past: NotedPast, act?: Act): Promise<Findings> {
  const release = holdDatabase(path);
  try {
    const place = locate(path);
    requireNothingAt(place);
    return await writeWhole(place, async (unfinished) => {
      await write(unfinished, tables, act);
      const findings = inspectDatabase(unfinished, [past]);
      requireArrived(path, findings, past);
      return findings;
    });
  } catch (error) {
    if (!isSqliteError(error, 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY')) throw error;
    throw new DatabaseRefused(`Cannot write ${path}: ${error.message}`, { cause: error });
  } finally {
    release();
  }
}

/** Somebody's log would be taken for that of the new file. @throws DatabaseRefused */
function requireNothingAt(place: string): void {
  const taken = ALL_FILES.map((suffix) => `${place}${suffix}`).find((file) => existsSync(file));
  if (taken !== undefined)
    throw new DatabaseRefused(`There is a file ${taken} already. Nothing was changed. Name a new file.`);
}

async function write(file: string, tables: AllRows, act: Act | undefined): Promise<void> {
  // Of a move that was killed, a log may be left.
  for (const suffix of COMPANIONS) rmSync(`${file}${suffix}`, { force: true });
  const database = openDatabase(file);
  try {
    migrate(database, readMigrations('sqlite'));
    // Whatever goes wrong, the file is removed, so that nothing has to be undone in it.
    for (const mode of ['DELETE', 'OFF']) database.pragma(`journal_mode = ${mode}`);
    database.pragma('synchronous = OFF');
    database.exec('BEGIN');
    for (const table of MADE_AT_A_START) database.exec(`DELETE FROM "${getTableName(table)}"`);
    for await (const table of tables) await copy(database, table);
    noteUnusedNumbers(database);
    if (act) database.exec(insertingAct(database.prepare<[], AuditHead>(AUDIT_HEAD).get(), act));
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

async function copy(database: Database, { table, columns, rows }: TableRows): Promise<void> {
  const names = columns.map((column) => `"${column}"`).join(', ');
  const insert = database.prepare<unknown[]>(
    `INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  for await (const row of rows)
    insert.run(...row.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
}
