/**
 * Two servers on one PostgreSQL database decide alike, whichever of them is asked, and when both are asked at
 * once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { invitationIn } from '#shared/invitations.ts';
import { DOORS, type Door } from '#tests/support/both-doors.ts';
import { runHere } from '#tests/support/commands.ts';
import { openStream, type TipStream } from '#tests/support/event-streams.ts';
import { createPostgresDatabase } from '#tests/support/postgres.ts';
import { letInBeside, type PreparedPerson } from '#tests/support/prepared-ledger.ts';
import { type RunningServer, startServer, stopEverything } from '#tests/support/running-server.ts';
import { lookInto } from '#tests/support/stored-data.ts';

/** A busy machine needs its time; only a server that is never told needs longer. */
const PATIENCE_MS = 30_000;
const PASSWORD = 'correct horse battery';

/** Two servers on a database. */
interface Both {
  readonly one: RunningServer;
  readonly other: RunningServer;
  readonly path: string;
}

let both: Both;
let removeDatabase: () => Promise<void>;
let pairs = 0;

beforeAll(async () => {
  const path = await createPostgresDatabase((remove) => {
    removeDatabase = remove;
  });
  both = await startOn(path);
});
afterAll(async () => {
  await stopEverything();
  await removeDatabase();
});

async function startOn(path: string, env: Readonly<Record<string, string>> = {}): Promise<Both> {
  const [one, other] = await Promise.all([1, 2].map(() => startServer({ ...env, DATABASE_URL: path })));
  if (!one || !other) throw new Error('two servers are needed');
  return { one, other, path };
}

/** The two servers of all tests, with a giver and a receiver who are logged in and in no other test. */
async function openScene() {
  pairs += 1;
  const [giver, receiver] = await letInBeside(both.path, [`cam-${pairs}`, `pat-${pairs}`]);
  if (!giver || !receiver) throw new Error('two people are needed for a tip');
  return { ...both, giver, receiver };
}

async function post(
  { url }: RunningServer,
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
) {
  const answer = await fetch(`${url}/api${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
}

const authorised = ({ token }: PreparedPerson) => ({ Authorization: `Bearer ${token}` });

function tip(
  server: RunningServer,
  giver: PreparedPerson,
  receiver: PreparedPerson,
  { key, amount = 20 }: { readonly key: string; readonly amount?: number },
) {
  const body = { amount, receiver_qr_id: receiver.code, service_category: 'bartender' };
  return post(server, '/transactions', body, { ...authorised(giver), 'Idempotency-Key': key });
}

async function inTime<Result>(what: Promise<Result>): Promise<Result> {
  const done = new AbortController();
  const late = sleep(PATIENCE_MS, undefined, { signal: done.signal }).then(
    () => {
      throw new Error('nothing happened in time');
    },
    () => what,
  );
  return Promise.race([what, late]).finally(() => done.abort());
}

function watch({ url }: RunningServer, { token }: PreparedPerson, door: Door = 'REST'): Promise<TipStream> {
  return openStream((path, init) => fetch(`${url}${path}`, init), door, { token });
}

test.each(
  DOORS,
)('a stream at one server tells of the tips that the other records, each once and in order (%s)', async (door) => {
  const { one, other, giver, receiver } = await openScene();
  const stream = await watch(one, receiver, door);
  const heard: string[] = [];
  const recorded: string[] = [];
  for (let index = 0; index < 20; index += 1) {
    const { status, body } = await tip(index % 4 === 0 ? one : other, giver, receiver, {
      key: `key-${index}`,
    });
    expect(status).toBe(201);
    recorded.push(body.id);
  }
  while (heard.length < recorded.length) heard.push((await inTime(stream.nextTip()))?.id ?? 'none');
  expect(heard).toEqual(recorded);
  await stream.close();
});

test('a session that ends at one server has its streams at the other ended', async () => {
  const { one, other, receiver } = await openScene();
  const stream = await watch(other, receiver);
  expect((await stream.next())?.name).not.toBeNull();
  expect((await post(one, '/auth/logout', {}, authorised(receiver))).status).toBe(204);
  expect(await inTime(stream.nextTip())).toBeNull();
  const refused = await fetch(`${other.url}/api/auth/me`, { headers: authorised(receiver) });
  expect(refused.status).toBe(401);
});

test('one idempotency key that both servers are sent at once is one tip', async () => {
  const { one, other, giver, receiver, path } = await openScene();
  for (let index = 0; index < 20; index += 1) {
    const sent = [one, other, one, other].map((server) =>
      tip(server, giver, receiver, { key: `key-${index}` }),
    );
    const answers = await Promise.all(sent);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  }
  const data = await lookInto(path, async (stored) => [await stored.dump(), await stored.check()] as const);
  expect(data[0]['transactions']?.filter((one) => one['giver_id'] === giver.id)).toHaveLength(20);
  expect(data[1]).toEqual([]);
});

test('wrong passwords are counted over both servers together, and an invitation with one use lets one in whom both are asked for at once', async () => {
  const { one, other, path } = await startOn(both.path, { RATE_LIMIT: 'on', REGISTRATION: 'invite' });
  const attempts: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    const credentials = { email: 'sam@example.com', password: 'not the password' };
    attempts.push((await post(turn % 2 ? one : other, '/auth/login', credentials)).status);
  }
  const refusedFrom = attempts.indexOf(429);
  expect(attempts.slice(0, refusedFrom)).toEqual(Array(5).fill(401));
  expect(attempts.slice(refusedFrom)).toEqual(Array(7).fill(429));

  const made = await runHere('invite', { DATABASE_URL: path, REGISTRATION: 'invite' });
  const { token: invitation } = invitationIn(new URL(made.stdout.split('\n')[0] ?? '').hash) ?? {};
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, (_, index) => {
      const username = `invited-${index}`;
      const person = { email: `${username}@example.com`, username, full_name: 'X', password: PASSWORD };
      return registerInTime(index % 2 === 0 ? one : other, {
        ...person,
        is_service_provider: false,
        invitation,
      });
    }),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(410)]);
});

/** Asks again for as long as a busy machine has no place for another password. */
async function registerInTime(server: RunningServer, person: object) {
  for (;;) {
    const answer = await post(server, '/auth/register', person);
    if (answer.status !== 503) return answer;
    await sleep(50);
  }
}

test('an API key that is made at one server works at the other, and that it has ended is known there at once', async () => {
  const { one, other, receiver } = await openScene();
  const asked = { name: 'Register', scopes: ['tips:read'] };
  const made = await post(one, '/api-keys', asked, authorised(receiver));
  expect(made.status).toBe(201);
  const headers = { Authorization: `Bearer ${made.body.text}` };
  const read = async ({ url }: RunningServer) => (await fetch(`${url}/api/transactions`, { headers })).status;
  expect(await Promise.all([read(one), read(other)])).toEqual([200, 200]);
  const end = { method: 'DELETE', headers: authorised(receiver) };
  expect((await fetch(`${other.url}/api/api-keys/${made.body.id}`, end)).status).toBe(204);
  expect(await Promise.all([read(one), read(other)])).toEqual([401, 401]);
});

test('an account that is suspended gives and receives nothing at either server, whose streams end', async () => {
  const { one, other, giver, receiver, path } = await openScene();
  const operate = (...words: string[]) => runHere('account', { DATABASE_URL: path }, words);
  const emailOf = (name: 'cam' | 'pat') => `${name}-${pairs}@example.com`;
  const reason = ['--reason', 'Tips for things that were never done.'];
  const lookUp = async ({ url }: RunningServer) =>
    (await (await fetch(`${url}/api/qr-codes/${receiver.code}`)).json()).qr_code.status;
  expect(await Promise.all([lookUp(one), lookUp(other)])).toEqual(['active', 'active']);
  const streams = await Promise.all([watch(one, receiver), watch(other, receiver, 'tRPC')]);

  const answers: Promise<{ began: number; status: number; body: { id?: string } }>[] = [];
  const giving = setInterval(() => {
    const began = performance.now();
    for (const server of [one, other]) {
      const answer = tip(server, giver, receiver, { key: `key-${answers.length}` });
      answers.push(answer.then((given) => ({ began, ...given })));
    }
  }, 5);
  while (answers.length < 50) await sleep(5);
  expect(await operate('suspend', emailOf('pat'), ...reason)).toMatchObject({ code: 0 });
  const suspended = performance.now();
  while (answers.length < 100 || performance.now() === suspended) await sleep(5);
  await sleep(50);
  clearInterval(giving);
  const given = await inTime(Promise.all(answers));
  const taken = given.filter(({ status }) => status === 201);
  expect(taken.length).toBeGreaterThan(0);
  expect(given.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  expect(given.filter(({ began }) => began > suspended).map(({ status }) => status)).toContain(409);
  expect(taken.filter(({ began }) => began > suspended)).toEqual([]);
  const { transactions = [] } = await lookInto(path, (stored) => stored.dump());
  const stored = transactions.filter((row) => row['giver_id'] === giver.id).map((row) => row['id']);
  expect(stored.toSorted()).toEqual(taken.map(({ body }) => body.id).toSorted());

  for (const stream of streams) while ((await inTime(stream.nextTip())) !== null);
  for (const { url } of [one, other]) {
    const again = await fetch(`${url}/api/transactions/stream`, { headers: authorised(receiver) });
    expect([again.status, (await again.json()).code]).toEqual([403, 'account_suspended']);
  }
  const isPaused = async () => (await lookUp(one)) === 'paused' && (await lookUp(other)) === 'paused';
  await inTime(
    (async () => {
      while (!(await isPaused())) await sleep(50);
    })(),
  );
  expect(await operate('lift', emailOf('pat'))).toMatchObject({ code: 0 });
  expect(await operate('suspend', emailOf('cam'), ...reason)).toMatchObject({ code: 0 });
  const after = () =>
    Promise.all([one, other].map((server) => tip(server, giver, receiver, { key: 'after' })));
  for (const { status, body } of await after())
    expect([status, body.code]).toEqual([403, 'account_suspended']);
  expect(await operate('lift', emailOf('cam'))).toMatchObject({ code: 0 });
  expect((await after()).map(({ status }) => status)).toEqual([201, 201]);
  expect(await lookInto(path, (data) => data.check())).toEqual([]);
});

test('a username that is registered at both servers at once is given to one account', async () => {
  const { one, other, path } = both;
  const register = (server: RunningServer, email: string) =>
    post(server, '/auth/register', {
      email,
      username: 'sam',
      password: PASSWORD,
      full_name: 'Sam',
      phone: null,
      is_service_provider: false,
    });
  const answers = await Promise.all([register(one, 'sam@one.org'), register(other, 'sam@other.org')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  const { accounts = [] } = await lookInto(path, (stored) => stored.dump());
  expect(accounts.filter((account) => account['username'] === 'sam')).toHaveLength(1);
});
