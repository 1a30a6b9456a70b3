/** Two servers on one PostgreSQL database that come to close accounts for good at the same time. */
import { expect, inject, onTestFinished, test } from 'vitest';
import { openPatiently } from '#tests/support/postgres.ts';
import { until } from '#tests/support/postgres-cluster.ts';
import { addressOf, connectUnhurried } from '#tests/support/postgres-server.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { createTestData } from '#tests/support/test-data.ts';

const ACCOUNTS = 15;

test('two servers that sweep at once close each account that is due once, and neither reports a failure', async () => {
  const data = await createTestData();
  const [{ name } = {}] = await data.run('SELECT current_database() AS name');
  const url = addressOf(inject('postgresUrl'), String(name));
  const wrapStorage = () => openPatiently(url);
  const apps = [
    await createTestApp({ data, wrapStorage }),
    await createTestApp({ data, wrapStorage }),
  ] as const;
  const customer = await apps[0].registerCustomer();
  for (let index = 0; index < ACCOUNTS; index += 1) {
    const { trpc } = await apps[0].registerProvider(`leaver${index}`, ['dj']);
    const { id } = await trpc.qrCodes.create.mutate({ serviceCategory: 'dj' });
    await customer.trpc.transactions.create.mutate({
      receiverQrId: id,
      amountCents: 1_000,
      serviceCategory: 'dj',
    });
  }
  await data.run(`UPDATE accounts SET closes_at_ms = 1 WHERE username LIKE 'leaver%'`);

  // Once both wait for an account, both have listed all that are due.
  const [holder, watcher] = [await connectUnhurried(url), await connectUnhurried(url)];
  onTestFinished(async () => {
    await Promise.all([holder.end(), watcher.end()]);
  });
  await holder.query(`BEGIN; SELECT FROM accounts WHERE username LIKE 'leaver%' FOR UPDATE`);
  const sweeping = Promise.all(apps.map(({ app }) => app.sweep()));
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await watcher.query(waiting)).rowCount === 2);
  await holder.query('COMMIT');
  await sweeping;

  const lines = apps
    .flatMap(({ logLines }) => logLines)
    .map((line): { level: number; msg: string; count?: number } => JSON.parse(line));
  const closed = lines.filter(({ msg }) => msg === 'closed accounts for good');
  expect(closed.reduce((sum, { count = 0 }) => sum + count, 0)).toBe(ACCOUNTS);
  expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  const left = await data.run(
    `SELECT username FROM accounts WHERE username LIKE 'leaver%' OR closes_at_ms IS NOT NULL OR closed_at_ms IS NULL`,
  );
  expect(left).toEqual([{ username: 'cam' }]);
});
