/**
 * A process on PostgreSQL as an operator meets it: what it says of its database, and how it ends while that
 * does not answer.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { createMigratedDatabase, createPostgresDatabase } from '#tests/support/postgres.ts';
import { startServer, stepsIn, stopEverything } from '#tests/support/running-server.ts';

afterAll(stopEverything);

/**
 * The address of a database by way of a line that can go silent: it stays open, takes connections, and
 * carries nothing.
 */
async function createLine(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const line = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        near.destroy();
        far.destroy();
      });
    }
    if (!isSilent) near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    line.close();
  });
  const url = new URL(databaseUrl);
  url.port = String((line.address() as AddressInfo).port);
  return {
    url: url.href,
    goSilent() {
      isSilent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
  };
}

test('the log names the database without its password, and says which steps of a start begin and end before the process listens', async () => {
  const url = await createPostgresDatabase();
  const server = await startServer({ DATABASE_URL: url, LOG_LEVEL: 'info' });
  await server.stop();
  const { hostname, port, pathname, password } = new URL(url);
  expect(server.stderr()).toContain(`${hostname}:${port}${pathname}`);
  expect(server.stderr() + server.stdout()).not.toContain(password);
  const to = readMigrations('postgres').length;
  expect(stepsIn(server.stderr())).toMatchObject([
    { msg: 'migrating the tables', from: 0, to },
    { msg: 'migrating the tables: done', from: 0, to },
    { msg: 'checking the ledger', tips: 0 },
    { msg: 'checking the ledger: done', tips: 0 },
  ]);
});

test('a process that is told to stop while the database is silent ends by itself, and leaves no caller waiting', async () => {
  const line = await createLine(await createMigratedDatabase());
  const server = await startServer({ DATABASE_URL: line.url, LOG_LEVEL: 'error' });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  line.goSilent();
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
  const body = JSON.stringify({ email: 'pat@example.com', password: 'correct horse battery' });
  const unanswered = fetch(`${server.url}/api/auth/login`, { ...init, body }).then(
    ({ status }) => status,
    () => null,
  );
  // Answers to others, asked later, show that it was read.
  for (let request = 0; request < 3; request += 1) await fetch(`${server.url}/healthz`);
  // When the storage takes longer than the process waits, the process ends with code 1 and says why.
  const { code, signal } = await server.stop();
  expect(signal).toBeNull();
  if (code !== 0) expect(server.stderr()).toContain('the database did not let go within');
  expect([null, 503]).toContain(await unanswered);
});
