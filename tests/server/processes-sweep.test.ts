/** Two servers on one PostgreSQL database that come to close accounts for good at the same time. */
import { afterAll, expect, test } from 'vitest';
import { databaseAt } from '#server/storage/open.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople } from '#tests/support/people.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { ask, until } from '#tests/support/postgres-cluster.ts';
import { connectUnhurried } from '#tests/support/postgres-server.ts';
import { startServer, stopEverything } from '#tests/support/running-server.ts';

afterAll(stopEverything);

const ACCOUNTS = 40;

test('two servers that sweep at once close each account that is due once, and neither reports a failure', async () => {
  const url = await createMigratedDatabase();
  const database = databaseAt({ engine: 'postgres', url });
  const storage = await database.openForServer(OPENING);
  const { addAccount, addCode, setTheScene } = createPeople(storage);
  const { tip } = await setTheScene();
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const account = await addAccount(`leaver${index}`, ['dj']);
    await storage.recordTip(tip({ qrCodeId: await addCode(account, 'dj'), serviceCategory: 'dj' }));
  }
  await storage.close();
  const accounts = (condition: string) =>
    ask<{ count: number }>(url, `SELECT count(*)::integer AS count FROM tipwell.accounts WHERE ${condition}`);
  await ask(url, `UPDATE tipwell.accounts SET closes_at_ms = 1 WHERE username LIKE 'leaver%'`);

  // Each start sweeps. Once both servers wait for an account, both have listed all that are due.
  const holder = await connectUnhurried(url);
  await holder.query(`BEGIN; SELECT FROM tipwell.accounts WHERE username LIKE 'leaver%' FOR UPDATE`);
  const env = { DATABASE_URL: url, LOG_LEVEL: 'info' };
  const starting = Promise.all([startServer(env), startServer(env)]);
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await ask(url, waiting)).length === 2);
  await holder.query('COMMIT');
  await holder.end();
  const servers = await starting;
  const readLines = () =>
    servers
      .flatMap(({ stdout, stderr }) => `${stdout()}\n${stderr()}`.split('\n'))
      .filter((line) => line.startsWith('{'))
      .map((line): { level: number; msg: string; count?: number } => JSON.parse(line));
  const countClosed = () => readLines().reduce((sum, { count = 0 }) => sum + count, 0);
  await until(
    () => countClosed() >= ACCOUNTS,
    () => `${ACCOUNTS} accounts are closed, and not ${countClosed()}`,
  );
  for (const server of servers) expect(await server.stop()).toMatchObject({ code: 0 });
  expect(countClosed()).toBe(ACCOUNTS);
  const closing = readLines().filter(({ msg }) => msg === 'closed accounts for good');
  expect(closing.length).toBeGreaterThan(0);
  expect(readLines().flatMap(({ level, ...line }) => (level >= 40 ? JSON.stringify(line) : []))).toEqual([]);
  expect(await accounts('closed_at_ms IS NOT NULL AND closes_at_ms IS NULL')).toEqual([{ count: ACCOUNTS }]);
  expect(await accounts(`username LIKE 'leaver%'`)).toEqual([{ count: 0 }]);
  expect((await database.check([])).problems).toEqual([]);
});
