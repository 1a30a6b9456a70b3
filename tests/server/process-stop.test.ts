/**
 * The end of the process as an operator meets it: it answers what it accepted before it stops, and its log is
 * whole.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { get } from '#tests/support/http-get.ts';
import { sendRaw } from '#tests/support/raw-socket.ts';
import { type RunningServer, startServer } from '#tests/support/running-server.ts';
import { lookInto } from '#tests/support/stored-data.ts';

const PASSWORD = 'correct horse battery';

describe.concurrent('a process that is told to stop', () => {
  test('by SIGTERM answers what it accepted, lets idle connections go, ends with code 0, and has logged each request that it answered in a whole line, at once', async () => {
    const server = await startServer({ LOG_LEVEL: 'info' });
    const { port } = server;
    const idle = sendRaw(port, 'GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n');
    const [greeting] = (await once(idle.socket, 'data')) as [Buffer];
    expect(greeting.toString()).toMatch(/^HTTP\/1\.1 200 /);
    // Without another request after it.
    const first = idOf(greeting.toString());
    await vi.waitFor(() => expect(server.stderr()).toContain(first), { timeout: 20_000, interval: 10 });

    const others = await Promise.all(
      Array.from({ length: 200 }, (_, index) => get(port, index % 2 ? '/robots.txt' : '/api/auth/me')),
    );
    for (let probe = 0; probe < 3; probe += 1) await get(port, '/readyz');
    await sendRaw(port, 'no request\r\n\r\n').whole;

    const half = await sendHalf(port, person('pat'));
    const ended = server.stop();
    await refusesConnections(port);
    half.finish();
    const last = await half.whole;
    expect(last).toMatch(/^HTTP\/1\.1 201 /);
    expect((await idle.whole).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await usernamesIn(server)).toEqual(['pat']);

    const log = server.stderr();
    expect(log).toMatch(/\n$/);
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const requests = lines.filter(({ msg }) => msg === 'request');
    for (const { address } of requests) expect(address).toBe('127.0.0.1');
    const answered = [first, idOf(last), ...others.map(({ headers }) => headers['x-request-id'])];
    expect(requests.map(({ requestId }) => requestId).sort()).toEqual(answered.sort());
    expect(lines.filter(({ msg }) => /^stop|^probes/.test(msg)).map(({ msg }) => msg)).toEqual([
      'stopping',
      'probes',
      'stopped',
    ]);
    expect(log).toMatch(/"readyz":3,"failed":0,"msg":"probes"\}\n.*"msg":"stopped"\}\n$/);
    expect(log).toMatch(
      /"address":"127\.0\.0\.1","status":400,"code":"malformed_request","msg":"unreadable request"/,
    );
  });

  test('by SIGINT, also told again, as by Ctrl-C under npm, loses nothing that it acknowledged, does not wait for ever for a request, and ends with code 0', async () => {
    const server = await startServer();
    const names = Array.from({ length: 12 }, (_, index) => `guest${index}`);
    const [half, stuck] = [
      await sendHalf(server.port, person('pat')),
      await sendHalf(server.port, person('sam')),
    ];
    const registering = names.map(async (name) => {
      const answer = await post(server, '/api/auth/register', person(name)).catch(() => null);
      return answer?.status ?? null;
    });
    // One is answered, some are being hashed, some wait.
    await Promise.race(registering);
    const ended = server.stop('SIGINT');
    await refusesConnections(server.port);
    server.process.kill('SIGINT');
    server.process.kill('SIGTERM');
    // Time for the signals to arrive; that the process still answers shows that it is done with them.
    await sleep(300);
    half.finish();
    expect(await half.whole).toMatch(/^HTTP\/1\.1 201 /);
    // Without a bound of its own the process would wait until the request is refused as too slow.
    expect(await stuck.whole).toBe('');
    expect(await ended).toEqual({ code: 0, signal: null });

    const seen = await Promise.all(registering);
    expect(seen).toContain(201);
    for (const status of seen) expect([201, 503, null]).toContain(status);
    const kept = await usernamesIn(server);
    expect(kept).toContain('pat');
    for (const [index, name] of names.entries()) if (seen[index] === 201) expect(kept).toContain(name);
  });
});

const idOf = (answer: string) => /^x-request-id: (\S+)/im.exec(answer)?.[1] ?? 'none';

/** Who has an account in the data that a server left. */
async function usernamesIn({ databasePath }: RunningServer): Promise<string[]> {
  const { accounts = [] } = await lookInto(databasePath, (data) => data.dump());
  return accounts.map((account) => String(Object(account).username));
}

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
