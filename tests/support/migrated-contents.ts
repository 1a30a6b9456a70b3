/** An empty SQLite database, migrated once for all tests of a worker, because the migrations take 50 ms. */
import { readMigrations } from '#server/storage/care/migrations.ts';
import { IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';

let contents: Buffer | undefined;

/** The bytes of its file, of which each test gets a copy. */
export function migratedContents(): Buffer {
  if (contents === undefined) {
    const database = openDatabase(IN_MEMORY);
    migrate(database, readMigrations('sqlite'));
    contents = database.serialize();
    database.close();
  }
  return contents;
}
