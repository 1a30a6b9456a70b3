/**
 * Mails by processes of their own: one on SQLite that is killed while a mail server has a mail and has not
 * answered, and two on one PostgreSQL database. No mail is lost, and none comes twice but for a kill.
 */
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { runHere } from '#tests/support/commands.ts';
import { startMailServer } from '#tests/support/mail-server.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { call } from '#tests/support/rest-client.ts';
import { runToEnd, startServer, stopEverything } from '#tests/support/running-server.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';

const PATIENCE = { timeout: 45_000, interval: 20 };

afterAll(stopEverything);

test('each mail of several processes arrives once, and twice only after a kill', async () => {
  const mails = await startMailServer();
  onTestFinished(mails.close);
  const path = isOnSqlite() ? createMigratedFile() : await createMigratedDatabase();
  const env = {
    DATABASE_URL: path,
    SMTP_URL: `smtp://tipwell:p%40ss%2Fword@localhost:${mails.port}`,
    MAIL_FROM: 'Tipwell <tips@example.com>',
    LOG_LEVEL: 'warn',
  };
  const [first, ...others] = await Promise.all([
    startServer(env),
    ...(isOnSqlite() ? [] : [startServer(env)]),
  ]);
  const servers = [first, ...others];
  const register = async (name: string, turn: number) => {
    const body = {
      email: `${name}${turn}@example.com`,
      username: `${name}${turn}`,
      full_name: 'Pat Doe',
      password: 'correct horse battery',
      is_service_provider: false,
    };
    const server = servers[turn % servers.length] ?? first;
    expect((await call(server, '/auth/register', { body })).status).toBe(201);
  };
  const registerMany = (name: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, turn) => register(name, turn)));
  const recipients = () => new Set(mails.taken.flatMap(({ to }) => to)).size;

  await registerMany('one', 6);
  await expect.poll(recipients, PATIENCE).toBe(6);
  expect(mails.times()).toEqual([1, 1, 1, 1, 1, 1]);
  expect(mails.taken.every(({ isSecure, user }) => isSecure && user === 'tipwell')).toBe(true);

  // On PostgreSQL the claim of a process that was killed ends after two minutes, as the storage promises.
  if (!isOnSqlite()) return;

  // Taken, but never said so: a stop puts it back, and so does a kill.
  mails.plan({ at: 'taken', is: 'held', until: new Promise(() => {}) });
  mails.plan({ at: 'data', is: 'held', until: new Promise(() => {}) });
  await registerMany('two', 2);
  await expect.poll(recipients, PATIENCE).toBe(7);
  for (const server of servers) await server.stop('SIGKILL');
  // The other mail may not have come as far as its content.
  mails.forget();
  const last = await startServer(env);
  await expect.poll(recipients, PATIENCE).toBe(8);
  await expect.poll(() => mails.taken.length, PATIENCE).toBe(9);
  expect(mails.times().sort()).toEqual([1, 1, 1, 1, 1, 1, 1, 2]);
  for (const server of [...servers, last])
    expect(server.stdout() + server.stderr()).not.toContain('@example.com');

  const tried = await runToEnd('mail', env, ['test', 'you@example.com']);
  expect(tried).toMatchObject({ code: 0, stderr: '' });
  expect(tried.stdout).toMatch(/^localhost, port \d+, took the mail for you@example.com: 250 /);
  mails.plan({ at: 'recipient', is: 'refused', code: 550, words: 'no such user' });
  const refused = await runHere('mail', env, ['test', 'you@example.com']);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('refuses mail for you@example.com for good: 550 no such user');
  const off = await runHere('mail', {}, ['test', 'you@example.com']);
  expect(off).toMatchObject({ code: 1, stdout: 'SMTP_URL and MAIL_FROM are not set, so no mail is sent.\n' });
  expect(await last.stop()).toEqual({ code: 0, signal: null });
}, 120_000);
