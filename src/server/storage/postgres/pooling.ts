/**
 * Detects a pooler in transaction mode (https://www.pgbouncer.org/features.html). Settings, advisory locks
 * and LISTEN belong to a session, which such a pooler would hand to others.
 */
import type { ClientBase } from 'pg';
import { DatabaseRefused } from '../port/database.ts';
import { connectOrRefuse, connectPlain, nameOf } from './connection.ts';

/** A pooler that lends sessions round robin shows itself only in a later round. */
const ROUNDS = 4;

/**
 * Two connections have two backends, which stay the same without a pooler or with one in session mode.
 * @throws DatabaseRefused otherwise, and the driver's error when the server cannot be asked.
 */
export async function requireSessions(url: string): Promise<void> {
  const first = await connectOrRefuse(url, undefined, connectPlain);
  // A server without room for two connections tells nothing.
  const second = await connectPlain(url).catch(() => null);
  try {
    if (second === null || (await haveSessions(first, second))) return;
  } finally {
    await Promise.all([first.end(), second?.end()]);
  }
  throw new DatabaseRefused(
    `Cannot use the database ${nameOf(url)}: a pooler before it lends a session for one transaction only, as PgBouncer does with pool_mode = transaction. Connect to PostgreSQL directly, or set pool_mode = session for this database.`,
  );
}

async function haveSessions(first: ClientBase, second: ClientBase): Promise<boolean> {
  const own = await askProcess(first);
  let others: number | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    await second.query('BEGIN');
    try {
      // The pooler gives a transaction the session that was freed last, which is the first connection's. If
      // it has only that one, asking the first connection during the transaction would wait forever.
      const other = await askProcess(second);
      others ??= other;
      if (other === own || other !== others || (await askProcess(first)) !== own) return false;
    } finally {
      await second.query('COMMIT');
    }
    if ((await askProcess(first)) !== own) return false;
  }
  return true;
}

async function askProcess(client: ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ process: number }>('SELECT pg_backend_pid() AS process');
  return rows[0]?.process ?? null;
}
