/**
 * Who uses a database: servers share a lock for as long as they live, and whoever replaces all of the data needs it alone.
 * PostgreSQL releases it when the session ends, however it ends.
 */
import type { ClientBase } from 'pg';
import { brand } from '#shared/brand.ts';
import { DatabaseRefused } from '../port/database.ts';

const KEY = `hashtextextended('tipwell servers', 0)`;

/** The mark of a restore that has not come to its end: a table with the name of what is kept aside, if anything is. */
export const MARK = 'tipwell.unfinished_restore';

/**
 * Takes the lock of a server until the session ends.
 * @throws DatabaseRefused when all of the data is being replaced, or that was broken off.
 */
export async function holdAsServer(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ isHeld: boolean; isBrokenOff: boolean }>(
    `SELECT pg_try_advisory_lock_shared(${KEY}) AS "isHeld", to_regclass('${MARK}') IS NOT NULL AS "isBrokenOff"`,
  );
  if (!rows[0]?.isHeld) {
    throw new DatabaseRefused(
      'The data is being restored or moved at the moment. Start again once that has ended.',
    );
  }
  if (rows[0].isBrokenOff) throw brokenOff();
}

/**
 * Takes the lock alone, until the session ends.
 * @param name of the database, as the operator knows it.
 * @throws DatabaseRefused when a server runs.
 */
export async function holdAlone(client: ClientBase, name: string): Promise<void> {
  const { rows } = await client.query(`SELECT 1 WHERE pg_try_advisory_lock(${KEY})`);
  if (rows.length > 0) return;
  throw new DatabaseRefused(
    `Cannot use the database ${name}: another ${brand.name} process is using it; stop all of them first.`,
  );
}

/** @throws DatabaseRefused when a restore was broken off; nobody restores while the lock is held. */
export async function requireFinished(client: ClientBase): Promise<void> {
  const { rows } = await client.query(`SELECT 1 WHERE to_regclass('${MARK}') IS NOT NULL`);
  if (rows.length > 0) throw brokenOff();
}

function brokenOff(): DatabaseRefused {
  return new DatabaseRefused(
    'A restore of the database was broken off. Run `npm run db:restore` again: it puts what was there before back, then restores.',
  );
}
