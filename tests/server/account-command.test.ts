/**
 * `npm run account -- ...`: what an operator does for somebody who cannot get in, or whose token is in wrong
 * hands, while the server goes on.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createPasswords } from '#server/auth/passwords.ts';
import { invitationIn } from '#shared/invitations.ts';
import { runHere } from '#tests/support/commands.ts';
import { openStream } from '#tests/support/event-streams.ts';
import { letInBeside, prepareLedger } from '#tests/support/prepared-ledger.ts';
import {
  type RunningServer,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';
import { lookInto } from '#tests/support/stored-data.ts';

const PASSWORD = 'correct horse battery';

afterAll(stopEverything);

/** One server for all tests that do not end it. */
let started: Promise<RunningServer> | undefined;
/** Of the password of everybody here, made once. */
let hash: Promise<string> | undefined;
let people = 0;

function post(server: RunningServer, path: string, body: unknown): Promise<Response> {
  return fetch(`${server.url}/api${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Somebody whom no other test knows, a provider with a code, on a server that others use as well. */
async function addPerson() {
  started ??= startServer({ RATE_LIMIT: 'on' });
  hash ??= createPasswords().then((passwords) => passwords.hash(PASSWORD));
  const [server, passwordHash] = await Promise.all([started, hash]);
  people += 1;
  const username = `cam${people}`;
  const email = `${username}@example.com`;
  const [person] = await letInBeside(server.databasePath, [username]);
  if (person === undefined) throw new Error('nobody was let in');
  await lookInto(server.databasePath, (data) => data.setPasswordHash(username, passwordHash));
  return {
    server,
    email,
    username,
    /** Of a session that nobody logged in for. */
    token: person.token,
    code: person.code,
    logIn: (password: string) => post(server, '/auth/login', { email, password }),
    account: (...words: string[]) => runHere('account', { DATABASE_URL: server.databasePath }, words),
  };
}

test('reset-password prints a new one, ends all sessions and their streams, and forgets failed logins', async () => {
  const { server, account, email, logIn, token } = await addPerson();
  const send = (path: string, init: RequestInit) => fetch(`${server.url}${path}`, init);
  const stream = await openStream(send, 'REST', { token });
  await stream.next();
  for (let guess = 0; guess < 5; guess += 1) await logIn('not the password');
  expect((await logIn(PASSWORD)).status).toBe(429);

  const { code, stdout, stderr } = await account('reset-password', ` ${email.toUpperCase()} `);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const password = /: ([0-9A-Z]{5}(?:-[0-9A-Z]{5}){3})\n/.exec(stdout)?.[1] ?? '';
  expect(stdout).toContain('It is shown this once and works for a day');
  const { accounts = [] } = await lookInto(server.databasePath, (data) => data.dump());
  const expiresInMs =
    Number(Object(accounts.find((one) => Object(one).email === email)).password_expires_at_ms) - Date.now();
  expect(expiresInMs).toBeGreaterThan(23 * 3_600_000);
  expect(expiresInMs).toBeLessThanOrEqual(24 * 3_600_000);

  expect(await stream.nextTip()).toBeNull();
  const headers = { Authorization: `Bearer ${token}` };
  expect((await fetch(`${server.url}/api/auth/me`, { headers })).status).toBe(401);
  expect((await logIn(PASSWORD)).status).toBe(401);
  expect((await logIn(password)).status).toBe(200);
  // A second one is another one.
  expect((await account('reset-password', email)).stdout).not.toContain(password);
});

test('unlock lets somebody try again at once', async () => {
  const { account, email, logIn } = await addPerson();
  for (let guess = 0; guess < 5; guess += 1) await logIn('not the password');
  expect((await logIn(PASSWORD)).status).toBe(429);
  expect(await account('unlock', email)).toMatchObject({
    code: 0,
    stdout: `The failed logins of ${email} are forgotten.\n`,
  });
  expect((await logIn(PASSWORD)).status).toBe(200);
  const again = await account('unlock', email);
  expect(again).toMatchObject({ code: 0, stdout: `${email} had no failed logins; nothing was changed.\n` });
});

test('end-sessions logs somebody out everywhere, and leaves the password', async () => {
  const { server, account, email, logIn, token } = await addPerson();
  const login = await (await logIn(PASSWORD)).json();
  const tokens = [token, z.string().parse(login.access_token)];
  expect(await account('end-sessions', email)).toMatchObject({
    code: 0,
    stdout: `2 sessions of ${email} ended.\n`,
  });
  for (const token of tokens) {
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${server.url}/api/auth/me`, { headers })).status).toBe(401);
  }
  expect((await logIn(PASSWORD)).status).toBe(200);
});

test('end-keys ends the API keys of an account at once, and leaves its sessions', async () => {
  const { server, account, email, token } = await addPerson();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: 'Register', scopes: ['tips:read'] });
  const made = await fetch(`${server.url}/api/api-keys`, { method: 'POST', headers, body });
  const { text } = z.object({ text: z.string() }).parse(await made.json());
  const statusBy = async (bearer: string) =>
    (await fetch(`${server.url}/api/transactions`, { headers: { Authorization: `Bearer ${bearer}` } }))
      .status;
  expect(await statusBy(text)).toBe(200);
  const ended = await account('end-keys', email, '--reason', 'The till was stolen');
  expect(ended).toEqual({ code: 0, stdout: `1 API key of ${email} ended.\n`, stderr: '' });
  expect([await statusBy(text), await statusBy(token)]).toEqual([401, 200]);
  expect((await account('end-keys', email)).stdout).toBe(`0 API keys of ${email} ended.\n`);
  expect((await account('end-keys', 'nobody@example.com')).code).toBe(1);

  // Its owner reads what was done, once, and not by whom.
  const read = async (bearer: string) =>
    (
      await fetch(`${server.url}/api/auth/me/operator-acts`, {
        headers: { Authorization: `Bearer ${bearer}` },
      })
    ).json();
  expect(await read(token)).toEqual([
    {
      action: 'api_keys_ended',
      text: 'All of your API keys were ended.',
      reason: 'The till was stolen',
      at: expect.stringMatching(/^20/),
    },
  ]);
  expect(await read((await addPerson()).token)).toEqual([]);
});

test('suspend ends the streams of an account and its keys, and leaves its owner a login that says why, until lift', async () => {
  const { server, account, email, token, logIn } = await addPerson();
  const get = async (path: string, bearer = token) => {
    const answer = await fetch(`${server.url}/api${path}`, {
      headers: { Authorization: `Bearer ${bearer}` },
    });
    return { status: answer.status, body: await answer.json() };
  };
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const asked = JSON.stringify({ name: 'Register', scopes: ['tips:read'] });
  const made = await fetch(`${server.url}/api/api-keys`, { method: 'POST', headers, body: asked });
  const { text: key } = z.object({ text: z.string() }).parse(await made.json());
  const stream = await openStream((path, init) => fetch(`${server.url}${path}`, init), 'REST', { token });
  await stream.next();
  expect((await get('/announcements')).body.suspension).toBeNull();

  const reason = 'Tips for things that were never done.';
  expect(await account('suspend', email)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('needed'),
  });
  expect((await account('suspend', 'nobody@example.com', '--reason', reason)).code).toBe(1);
  expect(await account('suspend', email, '--reason', reason)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The account of .* is suspended.*\n.*secure.*refund.*paid out/),
  });
  expect(await account('suspend', email, '--reason', 'Another')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('suspended already'),
  });
  expect(await stream.nextTip()).toBeNull();
  expect(await get('/transactions/stream')).toMatchObject({
    status: 403,
    body: { code: 'account_suspended' },
  });
  expect(await get('/transactions', key)).toMatchObject({ status: 403, body: { code: 'account_suspended' } });
  const again = z.string().parse((await (await logIn(PASSWORD)).json()).access_token);
  expect((await get('/transactions', again)).status).toBe(200);
  expect((await get('/announcements', again)).body.suspension).toEqual({
    since: expect.stringMatching(/^20/),
    reason,
  });
  expect((await get('/auth/me/operator-acts')).body).toMatchObject([{ action: 'account_suspended', reason }]);

  expect((await account('lift', email)).stdout).toBe(`The account of ${email} works again.\n`);
  expect((await account('lift', email)).stdout).toContain('is not suspended; nothing was changed');
  expect((await get('/transactions', key)).status).toBe(200);
  expect((await get('/announcements')).body.suspension).toBeNull();
});

test('show tells of somebody, and send-link prints a link for a new password that works once', async () => {
  const { server, account, email, username, logIn } = await addPerson();
  const shown = await account('show', `@${username}`);
  expect(shown.stdout).toContain(`${email} (not confirmed)`);
  expect(await account('show', 'nobody@example.com')).toMatchObject({ code: 1 });
  const { stdout } = await account('send-link', email);
  const token = new URL(stdout.split('\n')[1] ?? '').hash.slice(1);
  const reset = () => post(server, '/auth/password/reset', { token, new_password: 'a better horse battery' });
  expect((await reset()).status).toBe(204);
  expect((await reset()).status).toBe(410);
  expect((await logIn('a better horse battery')).status).toBe(200);
});

test('end-sessions --all logs everybody out of a running server at once, streams included, and leaves the passwords', async () => {
  const { server, account, logIn, token: first } = await addPerson();
  const tokens = [first, (await addPerson()).token, (await addPerson()).token];
  const send = (path: string, init: RequestInit) => fetch(`${server.url}${path}`, init);
  const stream = await openStream(send, 'REST', { token: tokens[0] });
  await stream.next();
  const { sessions = [] } = await lookInto(server.databasePath, (data) => data.dump());
  expect(sessions.length).toBeGreaterThanOrEqual(3);
  expect(await account('end-sessions', '--all')).toEqual({
    code: 0,
    stdout: `${sessions.length} sessions of all accounts ended.\n`,
    stderr: '',
  });
  for (const token of tokens) {
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${server.url}/api/auth/me`, { headers })).status).toBe(401);
  }
  expect(await stream.nextTip()).toBeNull();
  expect((await logIn(PASSWORD)).status).toBe(200);
});

test('close takes the names of somebody from the look-ups and tip pages of a running server within seconds', async () => {
  const { server, account, username, email, code: id } = await addPerson();
  const name = `Name of ${username}`;
  const shown = async () => {
    const answers = await Promise.all([
      fetch(`${server.url}/api/qr-codes/${id}`),
      fetch(`${server.url}/tip/${id}`),
    ]);
    return (await Promise.all(answers.map((answer) => answer.text()))).map((text) => text.includes(name));
  };
  expect(await shown()).toEqual([true, true]);
  expect((await account('close', email)).stdout).toContain(`The account of ${email} is closed`);
  await vi.waitFor(async () => expect(await shown()).toEqual([false, false]), {
    timeout: 10_000,
    interval: 250,
  });
});

test('close closes an account at once, also one that its owner is closing, and its email can be registered again', async () => {
  const { server, account, email, username, logIn, token } = await addPerson();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ current_password: PASSWORD, confirmation: 'close' });
  const closing = await fetch(`${server.url}/api/auth/me/closing`, { method: 'POST', headers, body });
  expect(closing.status).toBe(200);
  const { code, stdout, stderr } = await account('close', ` ${email.toUpperCase()} `);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(
    `The account of ${email.toUpperCase()} is closed for good.\nIts sessions, API keys, names, email`,
  );
  expect((await logIn(PASSWORD)).status).toBe(401);
  expect((await account('close', email)).stdout).toBe(`There is no account with the email ${email}.\n`);
  const person = {
    email,
    full_name: 'Cam',
    password: PASSWORD,
    phone: null,
    is_service_provider: false,
  };
  expect((await post(server, '/auth/register', { ...person, username })).status).toBe(409);
  expect((await post(server, '/auth/register', { ...person, username: `${username}x` })).status).toBe(201);
});

test('renew-keys makes what a stolen copy of the data holds worthless, from the next start on', async () => {
  const { path, people: known } = await prepareLedger(['cam']);
  const [{ token } = { token: '' }] = known;
  const server = await startServer({ DATABASE_URL: path });
  const headers = { Authorization: `Bearer ${token}` };
  const keys = async () =>
    z
      .array(z.object({ name: z.string(), key: z.string() }))
      .parse((await lookInto(server.databasePath, (data) => data.dump()))['secrets'])
      .sort((one, other) => one.name.localeCompare(other.name));
  const stolen = await keys();
  const names = ['device_mark', 'giver_pseudonym', 'log_names', 'mail', 'totp', 'vapid'];
  expect(stolen.map(({ name }) => name)).toEqual(names);
  const { code, stdout, stderr } = await runHere('account', { DATABASE_URL: path }, ['renew-keys']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^The keys of this installation are forgotten\. Restart the server now/);
  // Without it nobody's authenticator app could be checked.
  expect((await keys()).map(({ name }) => name)).toEqual(['totp']);
  // The server goes on with the old ones until it is restarted.
  expect((await fetch(`${server.url}/api/auth/me`, { headers })).status).toBe(200);
  await server.stop();
  const next = await startServer({ DATABASE_URL: server.databasePath });
  const renewed = await keys();
  expect(renewed.map(({ name }) => name)).toEqual(names);
  for (const { name, key } of renewed) expect(stolen.some((old) => old.key === key)).toBe(name === 'totp');
  expect((await fetch(`${next.url}/api/auth/me`, { headers })).status).toBe(200);
});

const EMAIL = 'nobody@example.com';
/** Those of a database with somebody in it, for calls that change nothing. */
let settings = { DATABASE_URL: '' };
beforeAll(async () => {
  settings = { DATABASE_URL: (await prepareLedger(['cam'])).path };
});

test.each([
  'reset-password',
  'unlock',
  'end-sessions',
  'close',
])('%s of nobody says so and answers 1', async (action) => {
  expect(await runHere('account', settings, [action, EMAIL])).toMatchObject({
    code: 1,
    stdout: `There is no account with the email ${EMAIL}.\n`,
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
  [['end-sessions', 'cam@example.com', '--all']],
  [['unlock', '--all']],
  [['end-sessions']],
  [['unlock']],
])('called as %j it shows how it is meant, and answers 1', async (words) => {
  const { code, stdout, stderr } = await runHere('account', settings, words);
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Usage: npm run account -- reset-password EMAIL | unlock EMAIL | end-sessions EMAIL | end-sessions --all | end-keys EMAIL | show PERSON | export EMAIL --to FILE | send-link EMAIL | remove-factors EMAIL | suspend EMAIL --reason TEXT | lift EMAIL | close EMAIL | renew-keys [--reason TEXT]\n',
  });
});

test.each([
  ['account', 'unlock pat@example.com'],
  ['announce', 'show'],
  ['audit', 'list'],
  ['audit', 'check'],
  ['code', 'find 7K3MX9Q2AB'],
  ['db-backup', join(temporaryFolder(), 'copy.db')],
  ['db-check', ''],
  ['db-move', 'postgres://tipwell@127.0.0.1:1/tipwell'],
  ['fees', ''],
  ['invite', 'list'],
  ['operator', 'list'],
  ['reports', ''],
  ['terms', 'show'],
  ['terms', 'set --giver-fee 1'],
  ['tip', 'waiting'],
] as const)('without a database %s %s makes none, and says that a start makes one', async (name, words) => {
  const path = join(temporaryFolder(), 'none.db');
  const given = words === '' ? [] : words.split(' ');
  const { code, stdout, stderr } = await runHere(name, { DATABASE_URL: path }, given);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe(`There is no database ${path} yet. Start Tipwell once, then try again.\n`);
  expect(existsSync(path)).toBe(false);
});

test('invite makes links, lists them without their tokens, and ends one', async () => {
  const { server, email } = await addPerson();
  const env = {
    DATABASE_URL: server.databasePath,
    REGISTRATION: 'invite',
    PUBLIC_URL: 'https://tips.example.com',
  };
  const invite = (...words: string[]) => runHere('invite', env, words);
  expect(await invite('--for', email)).toMatchObject({
    code: 1,
    stderr: '--for: An account with this email already exists.\n',
  });
  expect(await invite('list')).toMatchObject({ code: 0, stdout: 'No invitation is open.\n' });
  const made = [
    await invite('--for', 'Sam@Example.com', '--days', '2'),
    await invite('--uses', '30', '--days', '14'),
  ];
  const links = made.map(({ stdout }) => stdout.split('\n')[0] ?? '');
  expect(links.map((link) => invitationIn(new URL(link).hash)?.email)).toEqual(['Sam@Example.com', null]);
  expect(links[0]).toMatch(/^https:\/\/tips\.example\.com\/auth\?tab=sign-up&invited#invite=[\w-]{43}&for=/);
  const { stdout: listed } = await invite('list');
  expect(listed).toMatch(
    /^(inv_\w{10}) {2}1 of 1 account left, for sam@example\.com, until .+ UTC\ninv_\w{10} {2}30 of 30 accounts left, for anybody who has it, until .+ UTC\n$/,
  );
  const [id = ''] = listed.split(' ');
  expect(made[0]?.stdout).toContain(`npm run invite -- revoke ${id}\n`);
  expect(await invite('revoke', id)).toMatchObject({ code: 0, stdout: `${id} no longer works.\n` });
  expect(await invite('revoke', id)).toMatchObject({
    code: 1,
    stdout: `There is no open invitation ${id}.\n`,
  });
  expect((await invite('list')).stdout).not.toContain(id);

  const others = await runHere('invite', { ...env, REGISTRATION: 'closed' }, []);
  expect(others.stdout).toMatch(/REGISTRATION is closed: nobody can sign up by it/);
});

test.each([
  [['--for', 'nobody'], /^--for takes an email/],
  [['--for', 'sam@example.com', '--uses', '2'], /^--uses: An invitation for one email makes one account/],
  [['--uses', '0'], /^--uses takes a whole number from 1 to 1000/],
  [['--days', '366'], /^--days takes a whole number from 1 to 365/],
  [['--days', '1.5'], /^--days takes/],
  [['sam@example.com'], /^Usage: npm run invite/],
  [['list', '--days', '3'], /Usage: npm run invite/],
  [['revoke'], /^Usage: npm run invite/],
])('invite %j says what is wrong, and makes none', async (words, complaint) => {
  const { code, stderr } = await runHere('invite', settings, words);
  expect(code).toBe(1);
  expect(stderr).toMatch(complaint);
});
