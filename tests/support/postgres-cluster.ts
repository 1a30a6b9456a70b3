/**
 * A PostgreSQL server and the standby that each commit waits for, behind one address that leads to whichever
 * of them is the primary.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryResultRow } from 'pg';
import { createCuttableLine } from './cuttable-line.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

const DATABASE = 'postgres';
const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;

/** A standby that was copied a moment ago finds what it lacks on the primary. */
const SETTINGS = { wal_level: 'replica', wal_keep_size: '1GB', max_connections: '60' };

export interface PostgresCluster {
  readonly url: string;
  /** The same past the line. */
  directUrl(): string;
  primary(): PostgresServer;
  /** Adds the standby, and waits until commits wait for it. */
  addStandby(): Promise<PostgresServer>;
  /** Ends the primary for good, at once; the standby becomes the primary, and the line leads there. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgresCluster(): Promise<PostgresCluster> {
  let primary = await startPostgres(SETTINGS);
  let standby: PostgresServer | null = null;
  let standbys = 0;
  const line = await createCuttableLine(portOf(primary));
  const address = new URL(primary.url(DATABASE));
  address.port = String(line.port);

  return {
    url: address.href,
    directUrl: () => primary.url(DATABASE),
    primary: () => primary,

    async addStandby() {
      standbys += 1;
      const name = `standby_${standbys}`;
      const added = await primary.createStandby(name);
      standby = added;
      const url = primary.url(DATABASE);
      const following = `SELECT sync_state FROM pg_stat_replication WHERE application_name = '${name}' AND state = 'streaming'`;
      await until(async () => (await ask(url, following)).length > 0);
      await ask(url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await ask(url, 'SELECT pg_reload_conf()');
      await until(async () => (await ask(url, following)).some((row) => row['sync_state'] === 'sync'));
      return added;
    },

    async failOver() {
      if (standby === null) throw new Error('there is no standby');
      const [dead, next] = [primary, standby];
      await dead.kill();
      primary = next;
      standby = null;
      await ask(next.url(DATABASE), 'SELECT pg_promote()');
      line.turn(portOf(next));
      await dead.stop();
    },

    async stop() {
      await line.cut();
      await standby?.stop();
      await primary.stop();
    },
  };
}

export const portOf = (server: PostgresServer) => Number(new URL(server.url(DATABASE)).port);

export async function ask<Row extends QueryResultRow>(url: string, query: string): Promise<Row[]> {
  const client = new Client(url);
  // The answer to the query tells of a loss; unheard, the event would end the tests.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(query)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Waits until something holds, with more patience than a busy machine needs. @throws Error when it does not
 * come to hold.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: () => string = () => String(holds),
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const patienceEndsAt = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > patienceEndsAt) throw new Error(`this did not come to hold: ${what()}`);
    await sleep(PAUSE_MS);
  }
}
