/**
 * Advisory locks on a database: servers share one, and a command that replaces all data holds it exclusively.
 * PostgreSQL releases them with the session.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { SOFTWARE } from '#shared/software.ts';
import { DatabaseRefused } from '../port/database.ts';

const KEY = `hashtextextended('tipwell servers', 0)`;

/** A session that has just been closed keeps its locks until PostgreSQL has noticed. */
const TRIES = 5;
const WAIT_MS = 200;

/** The mark of an unfinished restore: a table with the name of the schema that was kept aside, if any. */
export const MARK = 'tipwell.unfinished_restore';

/** Takes the shared lock for the session. @throws DatabaseRefused during a restore, or after a broken one. */
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

/** Takes the exclusive lock until the session ends. @throws DatabaseRefused while a server runs. */
export async function holdAlone(client: ClientBase, name: string): Promise<void> {
  if (await tryAlone(client)) return;
  throw new DatabaseRefused(
    `Cannot use the database ${name}: another ${SOFTWARE} process is using it; stop all of them first.`,
  );
}

/** The session's own locks do not stand in the way. @throws DatabaseRefused, before `use`, when those of others do. */
export async function whileAlone<Result>(
  client: ClientBase,
  reason: string,
  use: () => Promise<Result>,
): Promise<Result> {
  if (!(await tryAlone(client))) throw new DatabaseRefused(reason);
  try {
    return await use();
  } finally {
    await client.query(`SELECT pg_advisory_unlock(${KEY})`);
  }
}

async function tryAlone(client: ClientBase): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { rows } = await client.query(`SELECT 1 WHERE pg_try_advisory_lock(${KEY})`);
    if (rows.length > 0) return true;
    await sleep(WAIT_MS);
  }
  return false;
}

/** Requires the lock, which keeps restores out. @throws DatabaseRefused when a restore was broken off. */
export async function requireFinished(client: ClientBase): Promise<void> {
  const { rows } = await client.query(`SELECT 1 WHERE to_regclass('${MARK}') IS NOT NULL`);
  if (rows.length > 0) throw brokenOff();
}

function brokenOff(): DatabaseRefused {
  return new DatabaseRefused(
    'A restore of the database was broken off. Run `npm run db:restore` again: it puts what was there before back, then restores.',
  );
}
