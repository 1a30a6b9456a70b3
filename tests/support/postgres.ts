/** Databases for single tests on the PostgreSQL server of the run. */
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import type { Storage } from '#server/storage/port/storage.ts';
import { createPostgresStorage } from '#server/storage/postgres/storage.ts';
import { addressOf, connectUnhurried, shapeOf } from './postgres-server.ts';

/** More rows are not deleted, because what is left of them would slow down the tests that follow. */
const MOST_DELETED_ROWS = 2_000;

interface OwnDatabase {
  readonly name: string;
  readonly url: string;
  readonly client: Client;
  /** The statements that remove all rows that tests have added. */
  readonly emptying: string;
  /** Those on it that no test has at the moment. */
  readonly storages: Storage[];
}

let admin: Promise<Client> | undefined;
/** The statement that was begun last; the driver takes one at a time. */
let lastStatement = Promise.resolve();
/** Migrated and empty databases that no test has at the moment, for all files of a worker. */
const free: OwnDatabase[] = [];

/**
 * Makes an empty database, which is gone after the running test.
 * @param atTheEnd is given what removes the database, when that is not the end of a test.
 * @returns its address, for a superuser.
 */
export async function createPostgresDatabase(
  atTheEnd: (remove: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const { name, url } = await create('template0');
  atTheEnd(() => administer(`DROP DATABASE ${name} WITH (FORCE)`));
  return url;
}

/** Makes a copy of a database to which nobody is connected, which is gone after the running test. */
export async function copyDatabase(of: string): Promise<string> {
  const { name, url } = await create(new URL(of).pathname.slice(1));
  onTestFinished(() => administer(`DROP DATABASE ${name} WITH (FORCE)`));
  return url;
}

/** Makes a migrated and empty database, for whoever opens one without being about its migrations. */
export async function createMigratedDatabase(): Promise<string> {
  const { name, url } = await create(inject('postgresTemplate'));
  onTestFinished(() => administer(`DROP DATABASE ${name} WITH (FORCE)`));
  return url;
}

/**
 * Opens a migrated database for the running test, which holds locks that the storage has to wait for. A server gives
 * such a wait up after seconds, which a busy machine takes to look whether it has begun.
 */
export function openPatiently(url: string): Storage {
  const storage = createPostgresStorage(url, { statementMs: 0, lockMs: 0, idleInTransactionMs: 0 });
  onTestFinished(() => storage.close());
  return storage;
}

/** A migrated and empty database that the running test has for itself. */
export async function borrowDatabase(): Promise<Pick<OwnDatabase, 'url' | 'client' | 'storages'>> {
  const database = free.pop() ?? (await open());
  onTestFinished(() => giveBack(database));
  return database;
}

async function open(): Promise<OwnDatabase> {
  const { name, url } = await create(inject('postgresTemplate'));
  const client = await connectUnhurried(url);
  return { name, url, client, emptying: await readRows(client), storages: [] };
}

/** The statements that bring the rows of a database with the same tables to those that there are now. */
export async function readRows(client: Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT 'tipwell.' || tablename AS name FROM pg_tables WHERE schemaname = 'tipwell' AND tablename <> 'schema_migrations'`,
  );
  const statements: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT json_agg(one)::text AS all_rows FROM ${name} AS one`);
    statements.push(`DELETE FROM ${name}`);
    if (rows[0].all_rows !== null) {
      const stored = client.escapeLiteral(rows[0].all_rows);
      statements.push(
        `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${name}, ${stored})`,
      );
    }
  }
  const { rows: sequences } = await client.query<{ name: string; next: string }>(
    `SELECT 'tipwell.' || sequencename AS name, coalesce(last_value + 1, start_value)::text AS next FROM pg_sequences WHERE schemaname = 'tipwell'`,
  );
  for (const { name, next } of sequences) statements.push(`SELECT setval('${name}', ${next}, false)`);
  // Without the triggers, which keep the ledger from being changed and the rows that others refer to.
  return `SET session_replication_role = replica; ${statements.join('; ')}; RESET session_replication_role`;
}

/** Empties a database for the next test, which costs a tenth of making another. */
async function giveBack(database: OwnDatabase): Promise<void> {
  const { client, emptying } = database;
  if ((await shapeOf(client)) !== inject('postgresShape')) return drop(database);
  const results: unknown = await client.query(emptying);
  const counts = Array.isArray(results) ? results.map(({ rowCount }) => rowCount ?? 0) : [];
  if (counts.reduce((sum, count) => sum + count, 0) > MOST_DELETED_ROWS) return drop(database);
  free.push(database);
}

async function create(template: string): Promise<{ readonly name: string; readonly url: string }> {
  const name = `${inject('postgresTemplate')}_${randomBytes(6).toString('hex')}`;
  await administer(
    `CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8' LOCALE 'C' STRATEGY FILE_COPY`,
  );
  return { name, url: addressOf(inject('postgresUrl'), name) };
}

async function drop({ name, client, storages }: OwnDatabase): Promise<void> {
  await Promise.all([client.end(), ...storages.map((storage) => storage.close())]);
  await administer(`DROP DATABASE ${name} WITH (FORCE)`);
}

/** Runs a statement after those that were begun before, whatever has become of them. */
function administer(statement: string): Promise<void> {
  admin ??= connectUnhurried(inject('postgresUrl'));
  const run = Promise.all([admin, lastStatement]).then(async ([client]) => {
    await client.query(statement);
  });
  lastStatement = run.catch(() => {});
  return run;
}
