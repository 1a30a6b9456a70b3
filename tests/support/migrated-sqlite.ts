/**
 * An empty SQLite database, migrated once for all tests of a worker: each test gets a copy, because the
 * migrations take 50 ms.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';
import { temporaryFolder } from './running-server.ts';

let contents: Buffer | undefined;

export function migratedContents(): Buffer {
  if (contents === undefined) {
    const database = openDatabase(IN_MEMORY);
    migrate(database, readMigrations('sqlite'));
    contents = database.serialize();
    database.close();
  }
  return contents;
}

/**
 * Makes a file with such a database, for whoever opens one without being about its migrations.
 * @returns its path.
 */
export function createMigratedFile(): string {
  const path = join(temporaryFolder(), 'tipwell.db');
  writeFileSync(path, migratedContents(), { mode: 0o600 });
  return path;
}
