/** Migrates a database in use: one process migrates, the others wait. Each migration is one transaction. */
import type { ClientBase } from 'pg';
import { SOFTWARE } from '#shared/software.ts';
import { type Migration, requireKnown } from '../care/migrations.ts';
import { type Announce, announceNothing, DatabaseRefused } from '../port/database.ts';
import { hasCode } from './connection.ts';
import { whileAlone } from './server-lock.ts';

export type { Migration } from '../care/migrations.ts';

const LOCK = `hashtextextended('tipwell migrations', 0)`;
/** A waiting table lock blocks everybody who comes later, so a migration does not wait for a long dump. */
const TABLE_LOCK_TIMEOUT_MS = 5_000;
/** A start that finds nothing to migrate holds the lock for some milliseconds. */
const TOLD_AFTER_MS = 2_000;

/** Migrations after which the version before cannot go on: the lean ledger left views where it writes to tables. */
const FOR_ONE_VERSION: ReadonlySet<number> = new Set([25]);

/**
 * @param client has no statement time-out. @returns how many migrations were run.
 * @throws DatabaseRefused for a database of a newer or foreign version, or when a table is locked for long; earlier
 * migrations stay. Also, with nothing changed, when a migration would break processes that use the database.
 */
export async function migrate(
  client: ClientBase,
  migrations: readonly Migration[],
  announce: Announce = announceNothing,
): Promise<number> {
  return whileNobodyMigrates(client, async () => {
    await client.query(`SET lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`);
    const applied = await appliedTo(client);
    requireKnown(applied, migrations);
    const outstanding = [...migrations.entries()].slice(applied.length);
    if (outstanding.length === 0) return 0;
    const run = async () => {
      const tellEnd = announce('migrating the tables', { from: applied.length, to: migrations.length });
      for (const [position, migration] of outstanding) await apply(client, migration, position);
      tellEnd();
      return outstanding.length;
    };
    if (!outstanding.some(([position]) => FOR_ONE_VERSION.has(position))) return run();
    return whileAlone(
      client,
      `Processes of the earlier version of ${SOFTWARE} cannot work with the tables of this one, and one is using the database. Nothing was changed. Stop all processes of the earlier version, then start one of this version.`,
      run,
    );
  });
}

/** Runs `use` while no other process migrates. A session may call this inside itself. */
export async function whileNobodyMigrates<Result>(
  client: ClientBase,
  use: () => Promise<Result>,
  announce: Announce = announceNothing,
): Promise<Result> {
  let tellEnd = () => {};
  const waiting = setTimeout(() => {
    tellEnd = announce('waiting for another process that migrates the tables', {});
  }, TOLD_AFTER_MS);
  try {
    await client.query(`SELECT pg_advisory_lock(${LOCK})`);
  } finally {
    clearTimeout(waiting);
  }
  tellEnd();
  try {
    return await use();
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${LOCK})`);
  }
}

export async function appliedTo(client: ClientBase): Promise<string[]> {
  const { rows: tables } = await client.query(
    `SELECT 1 WHERE to_regclass('tipwell.schema_migrations') IS NOT NULL`,
  );
  if (tables.length === 0) return [];
  const { rows } = await client.query<{ hash: string }>(
    'SELECT hash FROM tipwell.schema_migrations ORDER BY position',
  );
  return rows.map(({ hash }) => hash);
}

async function apply(client: ClientBase, migration: Migration, position: number): Promise<void> {
  await client.query('BEGIN');
  try {
    if (position === 0) await makeHome(client);
    for (const statement of migration.statements) await client.query(statement);
    await client.query('INSERT INTO tipwell.schema_migrations (position, hash) VALUES ($1, $2)', [
      position,
      migration.hash,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    if (!hasCode(error, '55P03')) throw error;
    throw new DatabaseRefused(
      'A table of the database is in use, as by a backup. Start again once that has ended.',
      { cause: error },
    );
  }
}

/** The table of hashes, which exists before the first migration. */
export const HOME =
  'CREATE TABLE "tipwell"."schema_migrations" (position integer PRIMARY KEY, hash text COLLATE "C" NOT NULL)';

/** An existing schema is used as it is, because this role may lack the right to create one. */
async function makeHome(client: ClientBase): Promise<void> {
  const { rows } = await client.query(`SELECT 1 WHERE to_regnamespace('tipwell') IS NOT NULL`);
  if (rows.length === 0) await client.query('CREATE SCHEMA tipwell');
  await client.query(HOME);
}
