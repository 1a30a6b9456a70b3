/** An empty and migrated database for the running test, on the engine of the project that runs it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { createPostgresStorage } from '#server/storage/postgres/storage.ts';
import { type Database, IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { prepareStatements } from '#server/storage/sqlite/driver.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';
import { createSqliteStorage } from '#server/storage/sqlite/storage.ts';
import { lendStorage } from './kept-storage.ts';
import { migratedContents } from './migrated-contents.ts';
import { borrowDatabase, readRows } from './postgres.ts';
import { temporaryFolder } from './running-server.ts';
import { type StoredData, storedInPostgres, storedInSqlite } from './stored-data.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What keeps the data of the tests. */
    readonly engine: 'sqlite' | 'postgres';
  }
}

export interface TestData extends StoredData {
  /**
   * A storage over the data, also when another is open on it already. The running test closes it in its end.
   */
  openStorage(): Promise<Storage>;
  /** What a backup of the data holds, with which other data of the same engine can begin. */
  readContents(): Promise<Buffer>;
  /** Makes every statement fail with a message, as a defect inside the database would; null ends this. */
  setFault(message: string | null): Promise<void>;
}

/** Whether the tests of this project run on SQLite. */
export function isOnSqlite(): boolean {
  return inject('engine') === 'sqlite';
}

/**
 * @param options.isLasting whether the data is there after all storages on it were closed.
 * @param options.contents what `readContents` of other data told, to begin with a copy of it.
 */
export async function createTestData(
  options: { readonly isLasting?: boolean; readonly contents?: Buffer } = {},
): Promise<TestData> {
  if (!isOnSqlite()) return createPostgresData(options.contents);
  const { isLasting = false, contents = migratedContents() } = options;
  if (!isLasting) {
    return overSqlite((onStatement) => openDatabase(IN_MEMORY, { onStatement, contents }));
  }
  const path = join(temporaryFolder(), 'tipwell.db');
  writeFileSync(path, contents, { mode: 0o600 });
  return overSqlite((onStatement) => openDatabase(path, { onStatement }));
}

/** Data in a database of its own on SQLite, which is migrated here, for tests that are about this engine. */
export function createSqliteData(open: () => Database): TestData {
  const database = open();
  migrate(database, readMigrations('sqlite'));
  return overSqlite(() => (database.open ? database : open()));
}

/**
 * Data on SQLite.
 * @param open opens a migrated database, and calls `onStatement` before each statement where faults are to be
 *   set.
 */
function overSqlite(open: (onStatement: () => void) => Database): TestData {
  let fault: string | null = null;
  const onStatement = () => {
    if (fault !== null) throw new Error(fault);
  };
  let database = open(onStatement);
  return {
    ...storedInSqlite(() => database),
    async openStorage() {
      if (!database.open) database = open(onStatement);
      const storage = createSqliteStorage(database, undefined, prepareStatements(database, 'when run'));
      onTestFinished(async () => {
        if (database.open) await storage.close();
      });
      return storage;
    },
    readContents: async () => database.serialize(),
    async setFault(message) {
      fault = message;
    },
  };
}

/**
 * In the place of each table a view that cannot be read, because its condition is the same for every row, and
 * therefore computed before any is looked at. What is inserted into a view goes to its table, which refuses
 * it.
 */
const breakTables = (message: string) => `ALTER SCHEMA tipwell RENAME TO aside;
  CREATE SCHEMA tipwell;
  CREATE FUNCTION tipwell.fail() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${message}'; END $$;
  CREATE FUNCTION tipwell.refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${message}'; END $$;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'aside' LOOP
      EXECUTE format('CREATE VIEW tipwell.%I AS SELECT * FROM aside.%I WHERE tipwell.fail()', name, name);
      EXECUTE format('CREATE TRIGGER refuse_row BEFORE INSERT ON aside.%I EXECUTE FUNCTION tipwell.refuse_row()', name);
    END LOOP;
  END $$`;
const MEND_TABLES = 'DROP SCHEMA IF EXISTS tipwell CASCADE; ALTER SCHEMA aside RENAME TO tipwell';

async function createPostgresData(contents?: Buffer): Promise<TestData> {
  const { url, client, storages } = await borrowDatabase();
  if (contents) await client.query(contents.toString());
  let isBroken = false;
  const setFault = async (message: string | null) => {
    if (isBroken) await client.query(MEND_TABLES);
    if (message !== null) await client.query(breakTables(message));
    isBroken = message !== null;
  };
  return {
    ...storedInPostgres(client),
    async openStorage() {
      const kept = storages.pop() ?? (await openListening(url));
      const loan = lendStorage(kept);
      onTestFinished(async () => {
        if (await loan.end()) storages.push(kept);
        else await kept.close();
      });
      return loan.storage;
    },
    readContents: async () => Buffer.from(await readRows(client)),
    setFault,
  };
}

/**
 * What is remembered is forgotten once the storage listens to other processes, which must not happen in the
 * middle of a test.
 */
function openListening(url: string): Promise<Storage> {
  const storage = createPostgresStorage(url);
  return new Promise((resolve) => {
    const end = storage.subscribe({
      onEntries() {},
      onCodes() {
        end();
        resolve(storage);
      },
    });
  });
}
