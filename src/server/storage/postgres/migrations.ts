/**
 * Brings a database to the present schema, also while other processes use it: one process migrates, the others wait for it.
 * Each migration is one transaction.
 */
import type { ClientBase } from 'pg';
import { type Migration, requireKnown } from '../care/migrations.ts';
import { type Announce, announceNothing, DatabaseRefused } from '../port/database.ts';
import { hasCode } from './connection.ts';

export type { Migration } from '../care/migrations.ts';

const LOCK = `hashtextextended('tipwell migrations', 0)`;
/** Whoever waits for the lock of a table keeps all others from it who come later, so a migration does not wait for a long dump. */
const TABLE_LOCK_TIMEOUT_MS = 5_000;

/**
 * Applies the migrations that the database has not seen yet.
 * @param client has no time limit for its statements.
 * @returns how many were applied.
 * @throws DatabaseRefused when the database comes from a newer or different Tipwell, or a table is in use for long; the
 *   migrations before the one that was not done stay.
 */
export async function migrate(
  client: ClientBase,
  migrations: readonly Migration[],
  announce: Announce = announceNothing,
): Promise<number> {
  await client.query(`SELECT pg_advisory_lock(${LOCK})`);
  try {
    await client.query(`SET lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`);
    const applied = await appliedTo(client);
    requireKnown(applied, migrations);
    if (applied.length === migrations.length) return 0;
    const tellEnd = announce('migrating the tables', { from: applied.length, to: migrations.length });
    for (const [offset, migration] of migrations.slice(applied.length).entries()) {
      await apply(client, migration, applied.length + offset);
    }
    tellEnd();
    return migrations.length - applied.length;
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${LOCK})`);
  }
}

/** The hashes of the migrations that a database has seen, in their order; none when it is not Tipwell's yet. */
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

/** What each database has before its first migration: the hashes of those that it has seen. */
export const HOME =
  'CREATE TABLE "tipwell"."schema_migrations" (position integer PRIMARY KEY, hash text COLLATE "C" NOT NULL)';

/** A schema that is there already is used as it is: its maker may be the only one who may make any. */
async function makeHome(client: ClientBase): Promise<void> {
  const { rows } = await client.query(`SELECT 1 WHERE to_regnamespace('tipwell') IS NOT NULL`);
  if (rows.length === 0) await client.query('CREATE SCHEMA tipwell');
  await client.query(HOME);
}
