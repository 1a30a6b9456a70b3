/**
 * The session that a server keeps beside its pool for as long as it lives: it holds the lock of a server, and checks in it what was
 * written to the ledger. A session that was lost is replaced by the next check.
 */
import type { Client } from 'pg';
import { DatabaseRefused, type Notice } from '../database.ts';
import { type CheckStep, StorageUnavailable } from '../storage.ts';
import { asPortError, connect, connectOrRefuse, nameOf } from './connection.ts';
import { UNHURRIED } from './ledger-check.ts';
import { type Migration, migrate } from './migrations.ts';
import { checkRecent, checkToTheEnd } from './recent-check.ts';
import { checkSchema } from './schema-check.ts';
import { holdAsServer } from './server-lock.ts';

export interface ServerSession {
  /** `Storage.checkRecent`. */
  checkRecent(): Promise<CheckStep>;
  close(): Promise<void>;
}

/**
 * Begins the session, brings the schema up to date, and checks what was written to the ledger since the last check.
 * @throws DatabaseRefused when the database cannot be used as it is.
 */
export async function openServerSession(
  url: string,
  migrations: readonly Migration[],
  notice: Notice,
): Promise<ServerSession> {
  const name = nameOf(url);
  const client = await connectOrRefuse(url, UNHURRIED);
  try {
    await holdAsServer(client, name);
    await migrate(client, migrations);
    await requireUnchanged(client, migrations);
    const [problem] = await checkToTheEnd(client).catch((error: unknown) => {
      const cause = asPortError(error);
      if (!(cause instanceof StorageUnavailable)) throw cause;
      notice('what was written to the ledger since the last check could not be checked', cause);
      return [];
    });
    if (problem !== undefined) {
      throw new DatabaseRefused(
        `The database ${name} is damaged (${problem}). See all of it with \`npm run db:check\`, and restore a backup.`,
      );
    }
  } catch (error) {
    await client.end();
    throw error;
  }
  return keep(client, async () => {
    const next = await connect(url, UNHURRIED);
    await holdAsServer(next, name);
    return next;
  });
}

async function requireUnchanged(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query('BEGIN');
  const [difference] = await checkSchema(client, migrations);
  await client.query('ROLLBACK');
  if (difference === undefined) return;
  throw new DatabaseRefused(
    `The tables of the database have been changed: ${difference}. Nothing was done to it; restore a backup.`,
  );
}

/** @param reconnect makes a session in the place of one that was lost. */
function keep(first: Client, reconnect: () => Promise<Client>): ServerSession {
  let client: Client | null = null;
  let last: Promise<unknown> = Promise.resolve();
  use(first);

  function use(next: Client): Client {
    client = next;
    next.once('end', () => {
      if (client === next) client = null;
    });
    return next;
  }

  async function step(): Promise<CheckStep> {
    try {
      return await checkRecent(client ?? use(await reconnect()));
    } catch (error) {
      throw error instanceof DatabaseRefused ? new StorageUnavailable(error) : asPortError(error);
    }
  }

  return {
    checkRecent() {
      // One session does one thing at a time.
      const next = last.then(step);
      last = next.catch(() => {});
      return next;
    },
    async close() {
      await last;
      await client?.end();
    },
  };
}
