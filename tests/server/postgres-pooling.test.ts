/**
 * A pooler that lends sessions for one transaction is found out at the start, however it chooses them; plain
 * PostgreSQL, and a pooler that lends a session for as long as a connection lives, are not taken for one.
 */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, type TestContext, test } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { requireSessions } from '#server/storage/postgres/pooling.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople } from '#tests/support/people.ts';
import { hasPgBouncer, startPgBouncer } from '#tests/support/pgbouncer.ts';
import { createPostgresDatabase } from '#tests/support/postgres.ts';
import { stopEverything } from '#tests/support/running-server.ts';

afterAll(stopEverything);

async function startBefore({ skip }: Pick<TestContext, 'skip'>, settings: Record<string, string>) {
  skip(!hasPgBouncer(), 'there is no PgBouncer');
  const direct = await createPostgresDatabase();
  const bouncer = await startPgBouncer(direct, settings);
  onTestFinished(bouncer.stop);
  return { direct, pooled: bouncer.url };
}

test.for<[string, Record<string, string>, number]>([
  ['as it comes', {}, 0],
  ['with a single session', { default_pool_size: '1' }, 0],
  ['that takes its sessions in turn, of which many are free', { server_round_robin: '1' }, 5],
])('PgBouncer in transaction mode, %s, is refused before anything is done to the database', async ([
  ,
  settings,
  others,
], context) => {
  const { direct, pooled } = await startBefore(context, { pool_mode: 'transaction', ...settings });
  // As many sessions as were needed at once are free afterwards.
  const clients = Array.from({ length: others }, () => new Client(pooled));
  await Promise.all(clients.map((client) => client.connect()));
  await Promise.all(clients.map((client) => client.query('SELECT pg_sleep(0.2)')));
  await Promise.all(clients.map((client) => client.end()));
  const opening = databaseAt({ engine: 'postgres', url: pooled }).openForServer(OPENING);
  await expect(opening).rejects.toThrow(
    /^Cannot use the database .+: a pooler before it lends a session for one transaction only.+ Connect to PostgreSQL directly, or set pool_mode = session/,
  );
  const client = new Client(direct);
  await client.connect();
  const { rows } = await client.query(
    `SELECT 1 FROM pg_namespace WHERE nspname = 'tipwell' UNION ALL SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  await client.end();
  expect(rows).toEqual([]);
});

test('PgBouncer in statement mode is refused with what it says', async (context) => {
  const { pooled } = await startBefore(context, { pool_mode: 'statement' });
  await expect(databaseAt({ engine: 'postgres', url: pooled }).openForServer(OPENING)).rejects.toMatchObject({
    name: 'DatabaseRefused',
  });
});

test('PgBouncer in session mode serves', async (context) => {
  const { pooled } = await startBefore(context, { pool_mode: 'session' });
  const storage = await databaseAt({ engine: 'postgres', url: pooled }).openForServer(OPENING);
  onTestFinished(() => storage.close());
  const { tip } = await createPeople(storage).setTheScene();
  expect(await storage.recordTip(tip())).toMatchObject({ outcome: 'recorded' });
});

test('PgBouncer in session mode has room for two processes and a command with the size of the manual', async (context) => {
  const size = /pool_mode=session pool_size=(\d+)/.exec(readFileSync('docs/scaling.md', 'utf8'))?.[1] ?? '';
  const settings = { pool_mode: 'session', default_pool_size: size };
  const { pooled } = await startBefore(context, settings);
  const database = databaseAt({ engine: 'postgres', url: pooled });
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const storages = [];
  for (let process = 0; process < 2; process += 1) {
    const storage = await database.openForServer({ ...OPENING, warn });
    onTestFinished(() => storage.close());
    storages.push(storage);
  }
  const heard: unknown[] = [];
  for (const storage of storages) {
    // Each takes all the connections that it may have.
    await Promise.all(Array.from({ length: 50 }, () => storage.proveWritable()));
    storage.subscribe({ onEntries: (accounts) => heard.push(accounts) });
  }
  await expect.poll(() => heard, { timeout: 30_000 }).toEqual(['any', 'any']);
  expect((await database.check([])).problems).toEqual([]);
  expect(warnings).toEqual([]);
});

test('a server without a pooler is not taken for one, while others come and go, or when it has room for one connection', async () => {
  const url = await createPostgresDatabase();
  let isOver = false;
  const comingAndGoing = (async () => {
    while (!isOver) {
      const client = new Client(url);
      await client.connect();
      await client.query('SELECT 1');
      await client.end();
    }
  })();
  for (let time = 0; time < 5; time += 1) await requireSessions(url);
  isOver = true;
  await comingAndGoing;

  const admin = new Client(url);
  await admin.connect();
  onTestFinished(() => admin.end());
  await admin.query(`CREATE ROLE lonely LOGIN PASSWORD 'lonely' CONNECTION LIMIT 1`);
  onTestFinished(async () => void (await admin.query('DROP ROLE lonely')));
  const lonely = new URL(url);
  lonely.username = lonely.password = 'lonely';
  await requireSessions(lonely.href);
});
