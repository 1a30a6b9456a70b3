/**
 * The ledger without its doors on a real SQLite, in memory or in a file, for tests that are about that
 * engine.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { type Database, IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { prepareStatements } from '#server/storage/sqlite/driver.ts';
import { createSqliteStorage } from '#server/storage/sqlite/storage.ts';
import type { RandomBytes } from '#shared/ids.ts';
import { migratedContents } from './migrated-contents.ts';
import { createPeople } from './people.ts';

export async function createSqliteLedger(
  options: {
    /** In memory without a path. */
    readonly path?: string;
    readonly onStatement?: (statement: string) => void;
    readonly random?: RandomBytes;
  } = {},
) {
  const { path = IN_MEMORY, onStatement, random = randomBytes } = options;
  if (path !== IN_MEMORY) writeFileSync(path, migratedContents(), { flag: 'wx', mode: 0o600 });
  const database = openDatabase(path, {
    ...(path === IN_MEMORY && { contents: migratedContents() }),
    ...(onStatement && { onStatement: (statement: unknown) => onStatement(String(statement)) }),
  });
  const storage = createSqliteStorage(database, undefined, prepareStatements(database, 'when run'));
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
