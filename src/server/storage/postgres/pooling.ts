/**
 * Finds out that a pooler stands before the server which lends a session for one transaction only (`pool_mode = transaction`,
 * https://www.pgbouncer.org/features.html). What this product keeps in a session, its settings, its advisory locks and what it
 * listens for, would then belong to whoever the pooler gives that session next.
 */
import type { ClientBase } from 'pg';
import { DatabaseRefused } from '../port/database.ts';
import { connectOrRefuse, connectPlain, nameOf } from './connection.ts';

/** A pooler that takes its sessions in turn, and not the last one first, shows itself in a later round. */
const ROUNDS = 4;

/**
 * Asks on two connections by turns which process of the server serves them. Without a pooler, or with one that lends a session for as
 * long as a connection lives, these are two, and stay the same two.
 * @throws DatabaseRefused when they do not; the driver's error when the server cannot be asked at all.
 */
export async function requireSessions(url: string): Promise<void> {
  const first = await connectOrRefuse(url, undefined, connectPlain);
  // Of a server that has no room for two nothing is learnt.
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

/** Whether each of two connections has one process of the server, and no other connection has that. */
async function haveSessions(first: ClientBase, second: ClientBase): Promise<boolean> {
  const own = await askProcess(first);
  let others: number | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    await second.query('BEGIN');
    try {
      // A pooler gives a transaction the session that was free last, which the first connection has just used. Where it has only that
      // one, the first connection must not be asked before the end of the transaction: it would wait for it.
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
