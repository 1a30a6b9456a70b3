/**
 * The end of the process as an operator meets it: it answers what it accepted before it stops, and its log is
 * whole.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { get } from '#tests/support/http-get.ts';
import { sendRaw } from '#tests/support/raw-socket.ts';
import { type RunningServer, startServer } from '#tests/support/running-server.ts';
import { lookInto } from '#tests/support/stored-data.ts';

const PASSWORD = 'correct horse battery';

describe.concurrent('a process that is told to stop', () => {
  test('by SIGTERM answers what it accepted, lets idle connections go, and ends with code 0', async () => {
    const server = await startServer();
    const { port } = server;
    const idle = sendRaw(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const [greeting] = (await once(idle.socket, 'data')) as [Buffer];
    expect(greeting.toString()).toMatch(/^HTTP\/1\.1 200 /);

    const half = await sendHalf(port, person('pat'));
    const ended = server.stop();
    await refusesConnections(port);
    half.finish();
    expect(await half.whole).toMatch(/^HTTP\/1\.1 201 /);
    expect((await idle.whole).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(await ended).toEqual({ code: 0, signal: null });

    const again = await startServer({ DATABASE_URL: server.databasePath });
    expect(await logIn(again, 'pat')).toMatch(/^[\w-]{43}$/);
  });

  test('loses nothing that it acknowledged while it stopped', async () => {
    const server = await startServer();
    const names = Array.from({ length: 12 }, (_, index) => `guest${index}`);
    const statuses = Promise.all(
      names.map(async (name) => {
        const answer = await post(server, '/api/auth/register', person(name)).catch(() => null);
        return answer?.status ?? null;
      }),
    );
    // Some are answered, some are being hashed, some wait.
    await post(server, '/api/auth/register', person('first'));
    expect(await server.stop()).toEqual({ code: 0, signal: null });

    const seen = await statuses;
    expect(seen).toContain(201);
    for (const status of seen) expect([201, 503, null]).toContain(status);
    const { accounts = [] } = await lookInto(server.databasePath, (data) => data.dump());
    const kept = accounts.map((account) => String(Object(account).username));
    for (const [index, name] of names.entries()) if (seen[index] === 201) expect(kept).toContain(name);
  });

  test('by SIGINT answers what it accepted also when it is told twice, as by Ctrl-C under npm, and ends with code 0', async () => {
    const server = await startServer();
    const half = await sendHalf(server.port, person('pat'));
    const ended = server.stop('SIGINT');
    await refusesConnections(server.port);
    server.process.kill('SIGINT');
    server.process.kill('SIGTERM');
    // Time for the signals to arrive; that the process still answers shows that it is done with them.
    await sleep(300);
    half.finish();
    expect(await half.whole).toMatch(/^HTTP\/1\.1 201 /);
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  test('writes each line to the log without waiting for the next one, leaves a whole one for each request that it answered and for its end, and tells how many probes there were, and where an unreadable request came from', async () => {
    const server = await startServer({ LOG_LEVEL: 'info' });
    const first = await get(server.port, '/robots.txt');
    const isWritten = new Promise<void>((resolve) => {
      const look = () => {
        if (server.stderr().includes(String(first.headers['x-request-id']))) resolve();
      };
      server.process.stderr?.on('data', look);
      look();
    });
    await isWritten;

    const others = await Promise.all(
      Array.from({ length: 200 }, (_, index) => get(server.port, index % 2 ? '/robots.txt' : '/api/auth/me')),
    );
    for (let probe = 0; probe < 3; probe += 1) await get(server.port, '/readyz');
    await sendRaw(server.port, 'no request\r\n\r\n').whole;
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    const log = server.stderr();
    expect(log).toMatch(/\n$/);
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const requests = lines.filter(({ msg }) => msg === 'request');
    for (const { address } of requests) expect(address).toBe('127.0.0.1');
    const logged = requests.map(({ requestId }) => requestId);
    expect(logged.sort()).toEqual([first, ...others].map(({ headers }) => headers['x-request-id']).sort());
    expect(lines.slice(-3).map(({ msg }) => msg)).toEqual(['stopping', 'probes', 'stopped']);
    expect(log).toMatch(/"readyz":3,"failed":0,"msg":"probes"\}\n.*"msg":"stopped"/);
    expect(log).toMatch(
      /"address":"127\.0\.0\.1","status":400,"code":"malformed_request","msg":"unreadable request"/,
    );
  });

  test('does not wait for ever for a request that never ends', async () => {
    const server = await startServer();
    const stuck = await sendHalf(server.port, person('pat'));
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    // Without a bound of its own the process would wait until the request is refused as too slow.
    expect(await stuck.whole).toBe('');
  });
});

/** A registration of which the process has read the headers and the beginning of the body. */
async function sendHalf(port: number, input: unknown) {
  const body = JSON.stringify(input);
  const head = `POST /api/auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
  const { socket, whole } = sendRaw(port, `${head}${body.slice(0, 20)}`);
  await once(socket, 'connect');
  // Answers to others, asked later, show that it was read.
  for (let request = 0; request < 3; request += 1) await get(port, '/healthz');
  return { whole, finish: () => void socket.write(body.slice(20)) };
}

function person(username: string) {
  return {
    email: `${username}@example.com`,
    username,
    full_name: 'Pat Doe',
    password: PASSWORD,
    is_service_provider: false,
  };
}

function post(server: RunningServer, path: string, body: unknown): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  return fetch(`${server.url}${path}`, init);
}

async function logIn(server: RunningServer, username: string): Promise<string> {
  const answer = await post(server, '/api/auth/login', {
    email: `${username}@example.com`,
    password: PASSWORD,
  });
  const body: unknown = await answer.json();
  if (typeof body !== 'object' || body === null || !('access_token' in body))
    throw new Error('not logged in');
  return String(body.access_token);
}

/** Waits until nobody listens on the port any more. */
async function refusesConnections(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isRefused = await new Promise((resolve) => {
      socket.once('connect', () => resolve(false));
      socket.once('error', () => resolve(true));
    });
    socket.destroy();
    if (isRefused) return;
    await sleep(20);
  }
}
