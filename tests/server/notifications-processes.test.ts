/**
 * Notices by processes of their own: one on SQLite that is killed while a push service has the notice and has
 * not answered, and two on one PostgreSQL database, which both hear of each tip. No tip is left out, and none
 * is told twice but for a kill.
 */
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { PushMessage } from '#shared/notifications.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { inWords } from '#tests/support/push-devices.ts';
import { startPushService } from '#tests/support/push-service.ts';
import { call } from '#tests/support/rest-client.ts';
import { type RunningServer, startServer, stopEverything } from '#tests/support/running-server.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';

const PATIENCE = { timeout: 45_000, interval: 20 };

afterAll(stopEverything);

/** What a server has logged, apart from what it says at its start of the backups that it does not make. */
function warningsOf(server: RunningServer): string[] {
  return server
    .stderr()
    .split('\n')
    .filter((line) => line !== '' && !line.includes('BACKUP_FOLDER is not set'));
}

/** A provider with a device, a customer, and as many servers as can share the data. */
async function openScene() {
  const service = await startPushService();
  onTestFinished(async () => {
    await service.close();
    expect(service.problems).toEqual([]);
  });
  const path = isOnSqlite() ? createMigratedFile() : await createMigratedDatabase();
  const { people } = await prepareLedger(['pat', 'cam'], path);
  const [provider, customer] = people;
  if (!provider || !customer) throw new Error('two people are needed for a tip');
  const { code } = provider;
  const giverToken = customer.token;
  const env = {
    DATABASE_URL: path,
    PUSH_HOSTS: '127.0.0.1',
    LOG_LEVEL: 'warn',
  };
  const [first, ...others] = await Promise.all([
    startServer(env),
    ...(isOnSqlite() ? [] : [startServer(env)]),
  ]);
  const servers = [first, ...others];
  const device = service.register();
  const registered = await call(first, '/notices/devices', { token: provider.token, body: inWords(device) });
  expect(registered.status).toBe(201);

  async function giveTips(count: number): Promise<void> {
    const body = { receiver_qr_id: code, amount: 20, service_category: 'bartender' };
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const server = servers[index % servers.length] ?? first;
        expect((await call(server, '/transactions', { token: giverToken, body })).status).toBe(201);
      }),
    );
  }

  /** How often each position of the provider's ledger was told, from the first on. */
  function timesTold(): number[] {
    const told: number[] = [];
    for (const notice of service.payloadsOf(device.endpoint) as PushMessage[]) {
      if (notice.kind !== 'tips') throw new Error('a notice tells of no tips');
      const after = Number(/^tips-(\d+)$/.exec(notice.tag)?.[1]);
      expect(notice.count).toBe(notice.upTo - after);
      for (let position = after; position < notice.upTo; position += 1)
        told[position] = (told[position] ?? 0) + 1;
    }
    return Array.from(told, (times = 0) => times);
  }

  return { service, servers, first, env, device, giveTips, timesTold };
}

const times = (count: number, value: number) => Array.from({ length: count }, () => value);

test('ten tips at once, and some that come later, are told once each', async () => {
  const { servers, giveTips, timesTold, service } = await openScene();
  await giveTips(10);
  await giveTips(12);
  await expect.poll(timesTold, PATIENCE).toEqual(times(22, 1));
  for (const server of servers) expect(warningsOf(server)).toEqual([]);
  // One notice soon after the first tip, and one for those that came since.
  expect(service.notices.length).toBeLessThanOrEqual(2);
});

const NEVER = new Promise(() => {});

test.runIf(isOnSqlite())(
  'a server that is killed again and again tells every tip: once when no push service took it, and the notice that one has once more, and no other',
  async () => {
    const { service, first, env, giveTips, timesTold } = await openScene();
    const address = { ...env, PORT: String(first.port), PUBLIC_URL: first.url };
    service.plan({ is: 'slow', ms: 500 }, { is: 'held', until: NEVER });
    await giveTips(3);
    await expect.poll(service.requests, PATIENCE).toBe(1);
    await first.stop('SIGKILL');
    const second = await startServer(address);
    await expect.poll(timesTold, PATIENCE).toEqual(times(3, 1));
    expect(service.requests()).toBe(2);

    // Of these no process has told anybody.
    await giveTips(2);
    await second.stop('SIGKILL');
    await startServer(address);
    await expect.poll(timesTold, PATIENCE).toEqual([...times(3, 2), ...times(2, 1)]);
    const [one, other] = service.notices;
    expect(other?.topic).toBe(one?.topic);
    expect(JSON.parse(other?.payload ?? '').tag).toBe(JSON.parse(one?.payload ?? '').tag);
    expect(service.requests()).toBe(3);
  },
  120_000,
);

test('a server that is told to stop waits for no push service, and leaves nothing untold', async () => {
  const { service, servers, env, device, giveTips, timesTold } = await openScene();
  service.setFault(device.endpoint, { is: 'held', until: NEVER });
  await giveTips(1);
  await expect.poll(timesTold, PATIENCE).toEqual([1]);
  // The device has a notice that nobody has answered, so that this tip waits.
  await giveTips(1);
  for (const ending of await Promise.all(servers.map((server) => server.stop())))
    expect(ending).toEqual({ code: 0, signal: null });
  service.setFault(device.endpoint, null);
  const next = await startServer(env);
  await expect.poll(timesTold, PATIENCE).toEqual([2, 1]);
  expect(warningsOf(next)).toEqual([]);
});
