/**
 * What an answer says of its connection is true: after `keep-alive` the next requests are answered, whatever
 * the status and however the body of its request came. A proxy sends other people's requests on it.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createRequestServer } from '#server/api/http/unread-requests.ts';
import { databaseAt } from '#server/storage/open.ts';
import { installedCaddy, startCaddy } from '#tests/support/caddy.ts';
import { createMigratedFile } from '#tests/support/migrated-sqlite.ts';
import { OPENING } from '#tests/support/opening.ts';
import { beginSession, createPeople } from '#tests/support/people.ts';
import { type Fate, FRAMINGS, type Target, tryConnection } from '#tests/support/persistent-socket.ts';
import { requestRaw, sendRaw } from '#tests/support/raw-socket.ts';
import { call } from '#tests/support/rest-client.ts';
import { type RunningServer, startServer, stopEverything } from '#tests/support/running-server.ts';

const JSON_TYPE = 'Content-Type: application/json';

const FRAMINGS_AT_ONCE = 3;
const TIPS_OF_EACH = 30;
/** Connections that are closed in one moment. */
const MANY = 300;

let server: RunningServer;
let giver: { readonly token: string };
let tip: Readonly<Record<string, unknown>>;
let targets: readonly (readonly [status: number, target: Target])[];

beforeAll(async () => {
  const path = createMigratedFile();
  const storage = await databaseAt({ engine: 'sqlite', path }).openForServer(OPENING);
  const { addAccount, addCode } = createPeople(storage);
  const provider = await addAccount('pat', ['bartender', 'dj']);
  const customer = await addAccount('cam');
  const [code, gone] = [await addCode(provider, 'bartender'), await addCode(provider, 'dj')];
  const session = { createdAtMs: Date.now() };
  const pat = { token: await beginSession(storage, provider.email, session) };
  const cam = { token: await beginSession(storage, customer.email, session) };
  await storage.close();
  giver = cam;
  server = await startServer({ DATABASE_URL: path });
  await call(server, `/qr-codes/${gone}/replacement`, { token: pat.token, body: {} });
  const by = ({ token }: { token: string }) => `Authorization: Bearer ${token}`;
  const json = (value: unknown) => JSON.stringify(value);
  tip = { receiver_qr_id: code, amount: 20, service_category: 'bartender' };
  const login = { email: 'nobody@example.com', password: 'wrong' };
  const post = (path: string, body: unknown, ...headers: string[]): Target => ({
    method: 'POST',
    path,
    headers: [JSON_TYPE, ...headers],
    body: typeof body === 'string' ? body : json(body),
  });
  const to = (method: string, path: string, ...headers: string[]): Target => ({
    method,
    path,
    headers,
    body: '{}',
  });
  targets = [
    [200, to('GET', `/api/qr-codes/${code}`)],
    [200, to('GET', '/healthz')],
    [200, to('HEAD', '/')],
    [200, to('GET', '/api/docs/swagger-ui-bundle.js')],
    [201, post('/api/transactions', tip, by(cam))],
    [204, to('DELETE', '/api/auth/sessions', by(pat))],
    [304, to('GET', '/', 'If-None-Match: *')],
    [400, post('/api/auth/login', '{"email":')],
    [401, post('/api/auth/login', login)],
    [401, to('GET', '/api/auth/me')],
    [401, to('PUT', `/api/qr-codes/${code}/photo`, 'Content-Type: image/png')],
    [403, post('/api/qr-codes', { service_category: 'dj' }, by(cam))],
    [404, to('DELETE', '/api/nowhere')],
    [404, post('/nowhere', '{}')],
    [404, post('/trpc/nowhere', '{}')],
    [405, to('DELETE', '/api/auth/login')],
    [409, post('/api/qr-codes', { service_category: 'bartender' }, by(pat))],
    [410, to('GET', `/tip/${gone}`)],
    [413, to('PUT', `/api/qr-codes/${code}/photo`, by(pat), 'Content-Type: image/png')],
    [415, { ...post('/api/auth/login', 'email=a'), headers: ['Content-Type: text/plain'] }],
    [422, post('/api/transactions', { ...tip, amount: 1 }, by(cam))],
  ];
});

afterAll(stopEverything);

describe('a connection is ended only by an answer that said so', () => {
  test('whatever the status and the framing', async () => {
    const fates: ({ readonly asked: string } & Fate)[] = [];
    // All of them at once would have a slow machine take longer than a connection waits for its next request.
    for (let first = 0; first < FRAMINGS.length; first += FRAMINGS_AT_ONCE)
      fates.push(
        ...(await Promise.all(
          FRAMINGS.slice(first, first + FRAMINGS_AT_ONCE).flatMap((framingOf) =>
            targets.map(async ([, target]) => {
              const fate = await tryConnection(server.port, target, framingOf);
              return { asked: `${target.method} ${target.path}, ${framingOf('').name}`, ...fate };
            }),
          ),
        )),
      );
    const lost = fates.filter(({ said, next, isCut }) => said === 'keep-alive' && (isCut || next.length < 3));
    expect(lost).toEqual([]);
  });

  test('and one whose request was read to its end before the answer is kept', async () => {
    const framings = FRAMINGS.filter((framingOf) =>
      ['length', 'length, late', 'chunked'].includes(framingOf('').name),
    );
    const read = targets.filter(([status]) => [201, 400, 403, 409, 422].includes(status));
    const asked = framings.flatMap((framingOf) => read.map(([, target]) => [target, framingOf] as const));
    const fates = await Promise.all(asked.map((each) => tryConnection(server.port, ...each, 1)));
    expect(fates.map(({ said }) => said)).toEqual(asked.map(() => 'keep-alive'));
  });
});

describe('a client that keeps its connections', () => {
  test('loses nothing after uploads that were refused', async () => {
    const url = `${server.url}/api/qr-codes/0000000000/photo`;
    for (let round = 0; round < 4; round += 1) {
      const headers = { 'Content-Type': 'image/png' };
      const refused = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(1_200_000) });
      expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'not_logged_in' }]);
      expect(
        (await call(server, '/auth/login', { body: { email: 'nobody@example.com', password: 'x' } })).status,
      ).toBe(401);
    }
  });
});

describe('a connection that cannot be kept', () => {
  test.each([
    ['that asks for a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', ['400']],
    [
      'that asks for a tunnel behind another request',
      'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nCONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
      ['200', '400'],
    ],
    [
      'of HTTP/1.0 with a body in chunks, which it does not know',
      'POST /api/auth/login HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      ['422'],
    ],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ['400']],
  ])('%s is answered, and told that it ends', async (_, text, statuses) => {
    const answers = await sendRaw(server.port, text).whole;
    expect([...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status)).toEqual(statuses);
    expect(answers).toMatch(/^connection: close\r\n(?!.*^HTTP)/ims);
  });
});

test.each([
  ['ended', (socket: Socket) => socket.destroy()],
  ['reset', (socket: Socket) => socket.resetAndDestroy()],
])('while many half-sent requests are %s in one moment, the server answers others in between', async (_, close) => {
  let held = 0;
  let heardOf = 0;
  const reception = createRequestServer(
    {},
    (request, answer) => {
      if (request.method === 'GET') return void answer.end(String(heardOf));
      request.resume().once('close', () => {
        heardOf += 1;
      });
      request.on('error', () => {});
      held += 1;
    },
    () => ({ status: 400, headers: {}, body: '' }),
  );
  reception.listen(0, '127.0.0.1');
  onTestFinished(() => void reception.close());
  await once(reception, 'listening');
  const { port } = z.object({ port: z.number() }).parse(reception.address());
  const half = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf';
  const senders = Array.from({ length: MANY }, () => sendRaw(port, half));
  await expect.poll(() => held).toBe(MANY);
  for (const { socket } of senders) close(socket);
  await Promise.all(senders.map(({ whole }) => whole));
  const other = await requestRaw(port, '/');
  expect({ status: other.status, heardOf: Number(other.body) < MANY }).toEqual({
    status: 200,
    heardOf: true,
  });
  await expect.poll(() => heardOf).toBe(MANY);
});

test('a connection that is ended in the middle of a body gets no answer, and one that is ended behind a request does', async () => {
  const asked =
    'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n';
  const broken = sendRaw(server.port, `${asked}{`);
  broken.socket.end();
  expect(await broken.whole).toBe('');
  const whole = sendRaw(server.port, `${asked}{}`);
  whole.socket.end();
  expect(await whole.whole).toMatch(/^HTTP\/1\.1 422 /);
});

describe('behind the proxy that passes the requests of everybody on one connection', () => {
  test('nobody loses a tip by what somebody else sends', async ({ skip }) => {
    skip(installedCaddy() === null, 'there is no Caddy');
    const caddy = await startCaddy('deploy/Caddyfile', [server.port]);
    onTestFinished(caddy.stop);
    let attacksLeft = FRAMINGS.length;
    const port = Number(new URL(caddy.url).port);
    const refused = targets.filter(([status]) => status >= 400);
    async function attack(framingOf: (typeof FRAMINGS)[number]): Promise<void> {
      // The price of a password is paid once.
      const sent = refused.filter(
        ([status, { path }]) =>
          framingOf('').name === 'length' || !(status === 401 && path.endsWith('/login')),
      );
      // Caddy itself closes connections of the attacker; what counts is what the others get.
      for (const [, target] of sent) await tryConnection(port, target, framingOf, 0).catch(() => null);
      attacksLeft -= 1;
    }
    const attacks = FRAMINGS.map(attack);
    const statuses: number[] = [];
    async function give(): Promise<void> {
      for (let tips = 0; tips < TIPS_OF_EACH || attacksLeft > 0; tips += 1) {
        const { url } = caddy;
        const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${giver.token}` };
        const sent = { method: 'POST', headers, body: JSON.stringify(tip) };
        const { status, body } = await fetch(`${url}/api/transactions`, sent);
        await body?.cancel();
        statuses.push(status);
        await sleep(20);
      }
    }
    await Promise.all([...Array.from({ length: 4 }, give), ...attacks]);
    expect(statuses).toEqual(statuses.map(() => 201));
  });
});

test('every status of the table is met', async () => {
  const answered = await Promise.all(
    targets.map(async ([status, target]) => {
      const framing = status === 413 ? '1.2 MB' : target.method === 'POST' ? 'length' : 'no body';
      const framingOf = FRAMINGS.find((each) => each('').name === framing);
      if (framingOf === undefined) throw new Error(framing);
      return [target.path, (await tryConnection(server.port, target, framingOf, 0)).status];
    }),
  );
  expect(answered).toEqual(targets.map(([status, { path }]) => [path, status]));
});

test('no header of a request is left out in silence: with too many it is refused', async () => {
  const reception = createRequestServer(
    {},
    ({ headers }, answer) => void answer.end(`forwarded for ${headers['x-forwarded-for']}`),
    ({ status }) => ({ status, headers: { connection: 'close' }, body: '' }),
  );
  reception.listen(0, '127.0.0.1');
  onTestFinished(() => void reception.close());
  await once(reception, 'listening');
  const { port } = z.object({ port: z.number() }).parse(reception.address());
  const send = (others: number) =>
    requestRaw(port, '/', {
      headers: [...Array.from({ length: others }, () => 'A:'), 'X-Forwarded-For: 192.0.2.1'],
    });
  // As Node.js counts, beside Host, Connection and the one above.
  expect(await send(997)).toMatchObject({ status: 200, body: 'forwarded for 192.0.2.1' });
  for (const others of [998, 1_500, 3_000])
    expect(await send(others)).toMatchObject({ status: 431, body: '' });
});
