/**
 * `npm run account -- ...`: what an operator does for somebody who cannot get in, or whose token is in wrong hands, while
 * the server goes on.
 */
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openStream } from '#tests/support/event-streams.ts';
import {
  type Environment,
  type RunningServer,
  runToEnd,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';
import { lookInto } from '#tests/support/stored-data.ts';

const PASSWORD = 'correct horse battery';
const EMAIL = 'cam@example.com';

afterAll(stopEverything);

function post(server: RunningServer, path: string, body: unknown): Promise<Response> {
  return fetch(`${server.url}/api${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const logIn = (server: RunningServer, password: string) =>
  post(server, '/auth/login', { email: EMAIL, password });

async function startWithCustomer(env: Environment = {}) {
  const server = await startServer(env);
  const person = { email: EMAIL, username: 'cam', full_name: 'Cam', password: PASSWORD, phone: null };
  const registered = await post(server, '/auth/register', { ...person, is_service_provider: false });
  expect(registered.status).toBe(201);
  const account = (...words: string[]) => runToEnd('account', { DATABASE_URL: server.databasePath }, words);
  return { server, account };
}

async function tokenOf(server: RunningServer): Promise<string> {
  return (await (await logIn(server, PASSWORD)).json()).access_token;
}

test('reset-password prints a new one, ends all sessions and their streams, and forgets failed logins', async () => {
  const { server, account } = await startWithCustomer({ RATE_LIMIT: 'on' });
  const token = await tokenOf(server);
  const send = (path: string, init: RequestInit) => fetch(`${server.url}${path}`, init);
  const stream = await openStream(send, 'REST', { token });
  await stream.next();
  for (let guess = 0; guess < 5; guess += 1) await logIn(server, 'not the password');
  expect((await logIn(server, PASSWORD)).status).toBe(429);

  const { code, stdout, stderr } = await account('reset-password', ' CAM@Example.com ');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const password = /: ([0-9A-Z]{5}(?:-[0-9A-Z]{5}){3})\n/.exec(stdout)?.[1] ?? '';
  expect(stdout).toContain('It is shown this once and works for a day');
  const { accounts = [] } = await lookInto(server.databasePath, (data) => data.dump());
  const expiresInMs = Number(Object(accounts[0]).password_expires_at_ms) - Date.now();
  expect(expiresInMs).toBeGreaterThan(23 * 3_600_000);
  expect(expiresInMs).toBeLessThanOrEqual(24 * 3_600_000);

  expect(await stream.nextTip()).toBeNull();
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${server.url}/api/auth/me`, { headers })).status).toBe(401);
  expect((await logIn(server, PASSWORD)).status).toBe(401);
  expect((await logIn(server, password)).status).toBe(200);
  // A second one is another one.
  expect((await account('reset-password', EMAIL)).stdout).not.toContain(password);
});

test('unlock lets somebody try again at once', async () => {
  const { server, account } = await startWithCustomer({ RATE_LIMIT: 'on' });
  for (let guess = 0; guess < 5; guess += 1) await logIn(server, 'not the password');
  expect((await logIn(server, PASSWORD)).status).toBe(429);
  expect(await account('unlock', EMAIL)).toMatchObject({
    code: 0,
    stdout: `The failed logins of ${EMAIL} are forgotten.\n`,
  });
  expect((await logIn(server, PASSWORD)).status).toBe(200);
  const again = await account('unlock', EMAIL);
  expect(again).toMatchObject({ code: 0, stdout: `${EMAIL} had no failed logins; nothing was changed.\n` });
});

test('end-sessions logs somebody out everywhere, and leaves the password', async () => {
  const { server, account } = await startWithCustomer();
  const tokens = [await tokenOf(server), await tokenOf(server)];
  expect(await account('end-sessions', EMAIL)).toMatchObject({
    code: 0,
    stdout: `2 sessions of ${EMAIL} ended.\n`,
  });
  for (const token of tokens) {
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${server.url}/api/auth/me`, { headers })).status).toBe(401);
  }
  expect((await logIn(server, PASSWORD)).status).toBe(200);
});

test('end-sessions --all logs everybody out of a running server at once, streams included, and leaves the passwords', async () => {
  const { server, account } = await startWithCustomer();
  const other = { email: 'pat@example.com', username: 'pat', full_name: 'Pat', password: PASSWORD };
  await post(server, '/auth/register', { ...other, phone: null, is_service_provider: false });
  const login = await (await post(server, '/auth/login', other)).json();
  const tokens = [await tokenOf(server), await tokenOf(server), z.string().parse(login.access_token)];
  const send = (path: string, init: RequestInit) => fetch(`${server.url}${path}`, init);
  const stream = await openStream(send, 'REST', { token: tokens[0] });
  await stream.next();
  expect(await account('end-sessions', '--all')).toMatchObject({
    ...{ code: 0, stdout: '3 sessions of all accounts ended.\n', stderr: '' },
  });
  for (const token of tokens) {
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${server.url}/api/auth/me`, { headers })).status).toBe(401);
  }
  expect(await stream.nextTip()).toBeNull();
  expect((await logIn(server, PASSWORD)).status).toBe(200);
});

test('close takes the names of somebody from the look-ups and tip pages of a running server within seconds', async () => {
  const { server, account } = await startWithCustomer();
  const person = { email: 'pat@example.com', username: 'pat', full_name: 'Pat Doe', password: PASSWORD };
  const offer = { phone: null, is_service_provider: true, service_categories: ['barber'] };
  expect((await post(server, '/auth/register', { ...person, ...offer })).status).toBe(201);
  const login = z
    .object({ access_token: z.string() })
    .parse(await (await post(server, '/auth/login', person)).json());
  const made = await fetch(`${server.url}/api/qr-codes`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${login.access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ service_category: 'barber' }),
  });
  const { id } = z.object({ id: z.string() }).parse(await made.json());
  const shown = async () => {
    const answers = await Promise.all([
      fetch(`${server.url}/api/qr-codes/${id}`),
      fetch(`${server.url}/tip/${id}`),
    ]);
    return (await Promise.all(answers.map((answer) => answer.text()))).map((text) =>
      text.includes('Pat Doe'),
    );
  };
  expect(await shown()).toEqual([true, true]);
  expect((await account('close', 'pat@example.com')).stdout).toMatch(
    /^The account of pat@example\.com is closed/,
  );
  await vi.waitFor(async () => expect(await shown()).toEqual([false, false]), {
    timeout: 10_000,
    interval: 250,
  });
});

test('close closes an account at once, also one that its owner is closing, and its email can be registered again', async () => {
  const { server, account } = await startWithCustomer();
  const headers = { Authorization: `Bearer ${await tokenOf(server)}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ current_password: PASSWORD, confirmation: 'close' });
  const closing = await fetch(`${server.url}/api/auth/me/closing`, { method: 'POST', headers, body });
  expect(closing.status).toBe(200);
  const { code, stdout, stderr } = await account('close', ' CAM@Example.com ');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^The account of CAM@Example\.com is closed for good\.\nIts sessions, names, email/);
  expect((await logIn(server, PASSWORD)).status).toBe(401);
  expect((await account('close', EMAIL)).stdout).toBe(`There is no account with the email ${EMAIL}.\n`);
  const person = {
    email: EMAIL,
    full_name: 'Cam',
    password: PASSWORD,
    phone: null,
    is_service_provider: false,
  };
  expect((await post(server, '/auth/register', { ...person, username: 'cam' })).status).toBe(409);
  expect((await post(server, '/auth/register', { ...person, username: 'cam2' })).status).toBe(201);
});

test('renew-keys makes what a stolen copy of the data holds worthless, from the next start on', async () => {
  const { server, account } = await startWithCustomer();
  const keys = async () =>
    z
      .array(z.object({ name: z.string(), key: z.string() }))
      .parse((await lookInto(server.databasePath, (data) => data.dump()))['secrets'])
      .sort((one, other) => one.name.localeCompare(other.name));
  const stolen = await keys();
  const names = ['device_mark', 'giver_pseudonym', 'log_names', 'vapid'];
  expect(stolen.map(({ name }) => name)).toEqual(names);
  const { code, stdout, stderr } = await account('renew-keys');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^The keys of this installation are forgotten\. Restart the server now/);
  expect(await keys()).toEqual([]);
  // The server goes on with the old ones until it is restarted.
  const token = await tokenOf(server);
  await server.stop();
  const next = await startServer({ DATABASE_URL: server.databasePath });
  const renewed = await keys();
  expect(renewed.map(({ name }) => name)).toEqual(names);
  for (const { key } of renewed) expect(stolen.map((old) => old.key)).not.toContain(key);
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${next.url}/api/auth/me`, { headers })).status).toBe(200);
});

test.each([
  'reset-password',
  'unlock',
  'end-sessions',
  'close',
])('%s of nobody says so and answers 1', async (action) => {
  const { account } = await startWithCustomer();
  expect(await account(action, 'nobody@example.com')).toMatchObject({
    code: 1,
    stdout: 'There is no account with the email nobody@example.com.\n',
  });
});

test.each([
  [[]],
  [['reset-password']],
  [['reset-password', '']],
  [['unlock', EMAIL, 'more']],
  [['constructor', EMAIL]],
  [['delete', EMAIL]],
  [['renew-keys', EMAIL]],
  [['renew-keys', '']],
  [['end-sessions']],
  [['unlock']],
])('called as %j it shows how it is meant, and answers 1', async (words) => {
  const { account } = await startWithCustomer();
  const { code, stdout, stderr } = await account(...words);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Usage: npm run account -- reset-password EMAIL | unlock EMAIL | end-sessions EMAIL | end-sessions --all | close EMAIL | renew-keys\n',
  });
});

test.each([
  [['end-sessions', EMAIL, '--all']],
  [['unlock', '--all']],
])('called as %j it does nothing, and says which word it does not know', async (words) => {
  const { server, account } = await startWithCustomer();
  const headers = { Authorization: `Bearer ${await tokenOf(server)}` };
  const { code, stdout, stderr } = await account(...words);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^Unknown option '--all'\. Usage: npm run account -- reset-password/);
  expect((await fetch(`${server.url}/api/auth/me`, { headers })).status).toBe(200);
});

test('without a database it makes none, and says so', async () => {
  const path = join(temporaryFolder(), 'none.db');
  const { code, stderr } = await runToEnd('account', { DATABASE_URL: path }, ['unlock', EMAIL]);
  expect(code).toBe(1);
  expect(stderr).toContain(`Cannot open the database ${path}`);
});
