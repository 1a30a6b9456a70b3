/**
 * Migrates a database while other processes use it: one process migrates, the others wait. Each migration is
 * one transaction.
 */
import type { ClientBase } from 'pg';
import { type Migration, requireKnown } from '../care/migrations.ts';
import { type Announce, announceNothing, DatabaseRefused } from '../port/database.ts';
import { hasCode } from './connection.ts';

export type { Migration } from '../care/migrations.ts';

const LOCK = `hashtextextended('tipwell migrations', 0)`;
/** A waiting table lock blocks everybody who comes later, so a migration does not wait for a long dump. */
const TABLE_LOCK_TIMEOUT_MS = 5_000;

/**
 * Runs the outstanding migrations.
 * @param client has no statement time-out.
 * @returns how many were run.
 * @throws DatabaseRefused when the database comes from a newer or foreign version, or a table is locked for
 *   long; earlier migrations stay.
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
