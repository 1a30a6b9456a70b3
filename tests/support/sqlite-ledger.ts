/** The ledger without its doors on a real SQLite, in memory or in a file, for tests that are about that engine. */
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { type Database, IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';
import { createSqliteStorage } from '#server/storage/sqlite/storage.ts';
import type { RandomBytes } from '#shared/ids.ts';
import { createPeople } from './people.ts';

/** Opens a ledger for the running test, which closes it in its end. */
export async function createSqliteLedger(
  options: {
    /** A file to keep it in; in memory when there is none. */
    readonly path?: string;
    readonly onStatement?: (statement: string) => void;
    readonly random?: RandomBytes;
  } = {},
) {
  const { path = IN_MEMORY, onStatement, random = randomBytes } = options;
  const database = openDatabase(
    path,
    onStatement === undefined ? {} : { onStatement: (statement) => onStatement(String(statement)) },
  );
  migrate(database, readMigrations('sqlite'));
  const storage = createSqliteStorage(database);
  onTestFinished(() => (database.open ? storage.close() : undefined));
  return { database, storage, ...createPeople(storage, random) };
}

/** A second connection to a file, which sees what is committed and nothing else. */
export function openBeside(path: string): Database {
  const database = openDatabase(path, { mustExist: true });
  onTestFinished(() => {
    database.close();
  });
  return database;
}
