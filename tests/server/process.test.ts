/**
 * The running process as whoever is in front of it meets it: it is held up neither by slow senders nor by odd
 * ones.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { get } from '#tests/support/http-get.ts';
import { prepareLedger } from '#tests/support/prepared-ledger.ts';
import { requestRaw, sendRaw } from '#tests/support/raw-socket.ts';
import { type RunningServer, startServer } from '#tests/support/running-server.ts';

describe.concurrent('a process that runs', () => {
  let shared: RunningServer;
  let token: string;
  beforeAll(async () => {
    const { path, people } = await prepareLedger(['pat']);
    token = people[0]?.token ?? '';
    shared = await startServer({ DATABASE_URL: path, LOG_LEVEL: 'info' });
  });

  // First, because it waits for most of the time, in which the others are run.
  test('closes connections that send or read slowly, and serves everybody else meanwhile', async () => {
    const { port } = shared;
    const lazy = await connectWithoutReading(shared, '/api/docs/swagger-ui-bundle.js', 20);
    const open = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const slow = [
      { name: 'headers', drip: 'X-Drip: 1\r\n', ...sendRaw(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n') },
      { name: 'a request line', drip: 'a', ...sendRaw(port, 'GET /') },
      { name: 'a body', drip: ' ', ...sendRaw(port, `${open}Content-Length: 1000\r\n\r\n{`) },
      { name: 'chunks', drip: '1\r\n \r\n', ...sendRaw(port, `${open}Transfer-Encoding: chunked\r\n\r\n`) },
      { name: 'a body that never comes', drip: '', ...sendRaw(port, `${open}Content-Length: 9\r\n\r\n`) },
      { name: 'nothing', drip: '', ...sendRaw(port, '') },
    ];
    const dripping = setInterval(() => {
      for (const { socket, drip } of slow) if (socket.writable && drip !== '') socket.write(drip);
    }, 500);
    const closed = Promise.all(slow.map(({ whole }) => whole));
    let served = 0;
    try {
      let isOver = false;
      closed.then(() => {
        isOver = true;
      });
      const tooLate = AbortSignal.timeout(60_000);
      while (!isOver) {
        if (tooLate.aborted) {
          const late = slow.filter(({ socket }) => !socket.closed).map(({ name }) => name);
          throw new Error(`still open: ${late.join(', ')}`);
        }
        const me = await get(port, '/api/auth/me', { headers: { Authorization: `Bearer ${token}` } });
        expect(me.status).toBe(200);
        served += 1;
        await sleep(250);
      }
    } finally {
      clearInterval(dripping);
    }
    for (const answer of await closed) {
      if (answer === '') continue;
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(expectProblem(head, body, 408)).toMatchObject({ code: 'request_timeout' });
    }
    expect(served).toBeGreaterThan(10);
    const { receivedBytes, sentBytes } = await lazy.readAfter(38_000);
    expect(receivedBytes).toBeGreaterThan(0);
    expect(receivedBytes).toBeLessThan(sentBytes);
  });

  test('prints its address, and says that it is alive and ready', async () => {
    expect(shared.stdout()).toBe(`Tipwell is ready at http://localhost:${shared.port}\n`);
    for (const path of ['/healthz', '/readyz']) {
      const answer = await get(shared.port, path);
      expect([answer.status, answer.body.toString().split('\n')[0]]).toEqual([200, 'ok']);
      expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    }
  });

  test('listens where it was told to, and only there', async ({ skip }) => {
    skip(process.platform !== 'linux', 'elsewhere loopback is one address only');
    const { port, stdout } = await startServer({ HOST: '127.0.0.2' });
    expect(stdout()).toBe(`Tipwell is ready at http://127.0.0.2:${port}\n`);
    await expect(get(port, '/healthz')).rejects.toThrow('ECONNREFUSED');
  });

  test('answers odd requests with a refusal that is protected, and goes on', async () => {
    const { port } = shared;
    const host = `Host: 127.0.0.1:${port}`;
    const odd: readonly { path: string; method?: string; headers?: readonly string[] }[] = [
      { path: '//%' },
      { path: '//evil.example.com/%2e%2e' },
      { path: '/\\evil.example.com' },
      { path: '/a b' },
      { path: '?' },
      { path: '*', method: 'OPTIONS' },
      { path: 'http://evil.example.com/nowhere' },
      { path: 'http://%/' },
      { path: '/nowhere\0' },
      { path: '/caf\u00e9' },
      { path: `/${'a'.repeat(20_000)}` },
      { path: `/trpc/qrCodes.lookup?input=${'a'.repeat(20_000)}` },
      { path: '/nowhere', headers: ['Host: a b'] },
      { path: '/nowhere', headers: ['Host: %'] },
      { path: '/nowhere', headers: ['Host: '] },
      { path: '/nowhere', headers: [host, 'Host: evil.example.com'] },
      { path: '/nowhere', headers: [host, `X-Long: ${'a'.repeat(20_000)}`] },
      { path: '/nowhere', headers: [host, ...Array.from({ length: 3_000 }, (_, index) => `X-${index}: 1`)] },
      { path: '/nowhere', headers: [host, 'No colon'] },
      { path: '/nowhere', headers: [host, 'X-Nul: a\0b'] },
      { path: '/nowhere', headers: [host, 'Upgrade: websocket', 'Connection: Upgrade'] },
      { path: '/nowhere', headers: [host, 'Expect: something'] },
      { path: '/nowhere', method: 'BREW' },
      { path: '/nowhere', method: 'TRACE' },
      { path: '/api/auth/login', method: 'POST', headers: [host, 'Content-Length: -1'] },
      { path: '/api/auth/login', method: 'POST', headers: [host, 'Content-Length: 1e3'] },
      { path: '/api/auth/login', method: 'POST', headers: [host, 'Content-Length: 0'] },
      {
        path: '/api/auth/login',
        method: 'POST',
        headers: [host, 'Content-Length: 4', 'Transfer-Encoding: chunked'],
      },
      { path: '/api/auth/login', method: 'POST', headers: [host, 'Transfer-Encoding: gzip, identity'] },
    ];
    for (const { path, ...options } of odd) {
      const { status, head, body } = await requestRaw(port, path, options);
      const label = `${options.method ?? 'GET'} ${path.slice(0, 60)} ${options.headers?.join().slice(0, 80)}: ${head}`;
      expect(status, label).toBeGreaterThanOrEqual(400);
      expect(status, label).toBeLessThan(500);
      expectProtected(head, label);
      if (status === 400 || status === 431) expectProblem(head, body, status);
    }
    expect((await get(port, '/readyz')).status).toBe(200);
  });

  test.each([
    ['no HTTP at all', 400, 'malformed_request', 'GARBAGE\r\n\r\n'],
    ['another protocol', 400, 'malformed_request', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
    ['another version', 400, 'malformed_request', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['no host', 400, 'malformed_request', 'GET / HTTP/1.1\r\n\r\n'],
    ['two hosts', 400, 'malformed_request', 'GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n'],
    ['two hosts of old', 400, 'malformed_request', 'GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['a whole address, but no host', 400, 'malformed_request', 'GET http://a/ HTTP/1.1\r\n\r\n'],
    [
      'a whole address with a user',
      400,
      'malformed_request',
      'POST http://u:p@a/api/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    ],
    ['a whole address of nowhere', 400, 'malformed_request', 'GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['too much in the headers', 431, 'headers_too_large', `GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}`],
    [
      'too much beside a chunk',
      413,
      'body_too_large',
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}`,
    ],
  ] as const)('says what was wrong with %s, and closes the connection', async (_, status, code, text) => {
    const [head = '', body = ''] = (await sendRaw(shared.port, text).whole).split('\r\n\r\n');
    expect(head).toMatch(/^connection: close$/im);
    expect(expectProblem(head, body, status)).toMatchObject({ code });
  });

  test.each([
    ['HTTP/1.0 without a host, as plain health checks ask', 'GET /healthz HTTP/1.0\r\n\r\n'],
    ['HTTP/1.0 with a host', 'GET /healthz HTTP/1.0\r\nHost: x\r\n\r\n'],
    [
      'a whole address, as is asked of a proxy',
      'GET http://elsewhere.example/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ],
    [
      'a whole address without a path',
      'OPTIONS http://elsewhere.example HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      405,
    ],
  ])('answers %s', async (_, text, status = 200) => {
    expect((await sendRaw(shared.port, text).whole).split(' ')[1]).toBe(String(status));
  });

  test('never puts a refusal into an answer that has begun, or in its place', async () => {
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    for (const queued of ['', ask('/api/auth/me')]) {
      const { socket, whole } = sendRaw(shared.port, ask('/api/transactions/stream'));
      await once(socket, 'data');
      socket.write(`${queued}GARBAGE\r\n\r\n`);
      expect((await whole).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    }
    const { whole } = sendRaw(shared.port, `${ask('/api/auth/me')}GARBAGE\r\n\r\n`);
    expect(await whole).not.toContain('HTTP/1.1 400');
    const chunked =
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const tooLong = sendRaw(shared.port, `${chunked}11170\r\n${' '.repeat(70_000)}\r\n`);
    await once(tooLong.socket, 'data');
    tooLong.socket.write('GARBAGE\r\n\r\n');
    expect((await tooLong.whole).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
    expect((await get(shared.port, '/readyz')).status).toBe(200);
  });

  test('does not take a sender that breaks off for an error of its own', async () => {
    const { port, stderr } = shared;
    // Nobody else asks for this one.
    const open = 'POST /api/auth/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const halves = [
      'Transfer-Encoding: chunked\r\n\r\nno chunk\r\n',
      'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":',
      'Content-Length: 50\r\n\r\n{"a":',
    ];
    for (const half of halves) {
      const { socket } = sendRaw(port, `${open}${half}`);
      await once(socket, 'connect');
      // Answers to others, asked later, show that it was read.
      for (let request = 0; request < 3; request += 1) await get(port, '/healthz');
      socket.destroy();
    }
    const statuses = () =>
      [...stderr().matchAll(/"route":"\/api\/auth\/register".*?"status":(\d+)/g)].map(([, status]) => status);
    await vi.waitFor(() => expect(statuses()).toEqual(['400', '400', '400']), { timeout: 30_000 });
    expect(stderr()).not.toContain('unexpected error');
  });

  test('reads no more than 64 KiB of a body, announced or in chunks', async () => {
    const { port, url } = shared;
    const endless = sendRaw(
      port,
      `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const feeding = setInterval(() => endless.socket.write(`2000\r\n${' '.repeat(8_192)}\r\n`), 5);
    const [answer] = (await once(endless.socket, 'data')) as [Buffer];
    clearInterval(feeding);
    endless.socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);

    const announced = sendRaw(
      port,
      `POST /trpc/auth.login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 65537\r\n\r\n`,
    );
    const [refusal] = (await once(announced.socket, 'data')) as [Buffer];
    announced.socket.destroy();
    expect(refusal.toString()).toMatch(/^HTTP\/1\.1 413 /);

    const exact = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"email":"a@example.com","password":"x"}'.padEnd(65_536),
    });
    expect(exact.status).toBe(401);
  });
});

function expectProtected(head: string, label = head): void {
  expect(head, label).toMatch(/^content-security-policy: default-src 'none';/im);
  expect(head, label).toMatch(/^x-content-type-options: nosniff$/im);
  expect(head, label).toMatch(/^x-request-id: [0-9a-f-]{36}$/im);
}

/** @returns the problem. */
function expectProblem(head: string, body: string, status: number): object {
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\w`));
  expect(head).toMatch(/^content-type: application\/problem\+json$/im);
  expect(head).toMatch(/^cache-control: no-store$/im);
  expectProtected(head);
  const problem = JSON.parse(body);
  expect(head.toLowerCase()).toContain(`x-request-id: ${problem.instance.replace('urn:uuid:', '')}`);
  expect(problem).toMatchObject({ status });
  return problem;
}

/**
 * Asks for a file many times on one connection, more than fits on the way, and takes nothing of it at first.
 */
async function connectWithoutReading({ port, url }: RunningServer, path: string, times: number) {
  const fileBytes = (
    await (await fetch(url + path, { headers: { 'Accept-Encoding': 'identity' } })).arrayBuffer()
  ).byteLength;
  const startedAt = performance.now();
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  const request = (isLast: boolean) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\n${isLast ? 'Connection: close\r\n' : ''}\r\n`;
  socket.write(Array.from({ length: times }, (_, index) => request(index === times - 1)).join(''));
  return {
    /** Waits until so long after the beginning, then reads to the end. */
    async readAfter(waitMs: number) {
      await sleep(Math.max(0, waitMs - (performance.now() - startedAt)));
      let receivedBytes = 0;
      socket.on('data', ({ length }) => {
        receivedBytes += length;
      });
      await closed;
      return { receivedBytes, sentBytes: times * fileBytes };
    },
  };
}
