/**
 * Who uses a database: servers share a lock for as long as they live, and whoever replaces all of the data needs it alone.
 * PostgreSQL releases it when the session ends, however it ends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientBase } from 'pg';
import { brand } from '#shared/brand.ts';
import { DatabaseRefused } from '../database.ts';

const KEY = `hashtextextended('tipwell servers', 0)`;

/** The mark of a restore that has not come to its end: a table with the name of what is kept aside, if anything is. */
export const MARK = 'tipwell.unfinished_restore';

/**
 * Takes the lock of a server until the session ends.
 * @param name of the database, as the operator knows it.
 * @throws DatabaseRefused when all of the data is being replaced, or that was broken off.
 */
export async function holdAsServer(client: ClientBase, name: string): Promise<void> {
  const { rows } = await client.query(`SELECT 1 WHERE pg_try_advisory_lock_shared(${KEY})`);
  if (rows.length > 0) return requireFinished(client, name);
  throw new DatabaseRefused(
    'The data is being restored or moved at the moment. Start again once that has ended.',
  );
}

/** How long to wait before a lost session is replaced, in milliseconds. */
const PAUSE_MS = 2_000;

/**
 * Keeps the lock of a server for as long as the server lives: a session that is lost is replaced by another.
 * @param first has the lock.
 * @param connect makes a session that has the lock.
 * @returns a function that ends it.
 */
export function keepLock(first: Client, connect: () => Promise<Client>): () => Promise<void> {
  const closing = new AbortController();
  let present: Client | null = null;
  keep(first);

  function keep(client: Client): void {
    present = client;
    client.once('end', () => {
      present = null;
      if (!closing.signal.aborted) void replace();
    });
  }

  async function replace(): Promise<void> {
    while (present === null) {
      try {
        await sleep(PAUSE_MS, undefined, { ref: false, signal: closing.signal });
        const client = await connect();
        keep(client);
        if (closing.signal.aborted) await client.end();
      } catch {
        // The server is away, or the data is being restored after all sessions of this process were lost.
        if (closing.signal.aborted) return;
      }
    }
  }

  return async () => {
    closing.abort();
    await present?.end();
  };
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
export async function requireFinished(client: ClientBase, name: string): Promise<void> {
  const { rows } = await client.query(`SELECT 1 WHERE to_regclass('${MARK}') IS NOT NULL`);
  if (rows.length === 0) return;
  throw new DatabaseRefused(
    `A restore of ${name} was broken off. Run \`npm run db:restore\` again: it puts what was there before back, then restores.`,
  );
}
