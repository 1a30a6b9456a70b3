/**
 * The process as an operator meets it: it says in one line why it does not start, answers what it accepted before it
 * stops, shares its database with nobody, and is held up neither by slow senders nor by odd ones.
 */
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { get } from '#tests/support/http-get.ts';
import { requestRaw, sendRaw } from '#tests/support/raw-socket.ts';
import {
  type Environment,
  freePort,
  type RunningServer,
  runToEnd,
  startServer,
  temporaryFolder,
} from '#tests/support/running-server.ts';

/** Without a bound of its own the process would wait until a slow request is cut off, which takes 14 s. */
const STOPPING_PATIENCE_MS = 12_000;
const PASSWORD = 'correct horse battery';

describe.concurrent('a setting that is wrong stops the start with one line that names it', () => {
  test.each<[string, Environment, RegExp]>([
    ['a port that is no number', { PORT: 'abc' }, /PORT must be a whole number from 1 to 65535/],
    ['port 0', { PORT: '0' }, /PORT must be/],
    ['a port beyond the last', { PORT: '65536' }, /PORT must be/],
    ['a port in hexadecimal', { PORT: '0x50' }, /PORT must be/],
    ['a host with a blank', { HOST: 'local host' }, /HOST must be/],
    ['an address without a scheme', { PUBLIC_URL: 'tips.example.com' }, /PUBLIC_URL must be/],
    ['an address of another scheme', { PUBLIC_URL: 'ftp://tips.example.com' }, /PUBLIC_URL must be/],
    ['an address with a query', { PUBLIC_URL: 'https://tips.example.com/?a=b' }, /PUBLIC_URL must be/],
    ['another database', { DATABASE_URL: 'postgres://localhost/tips' }, /DATABASE_URL must be a file path/],
    ['a proxy by name', { TRUST_PROXY: 'proxy.example.com' }, /TRUST_PROXY must list addresses/],
    ['a network too wide', { TRUST_PROXY: '10.0.0.0/33' }, /TRUST_PROXY must list addresses/],
    ['limits that are neither on nor off', { RATE_LIMIT: 'no' }, /RATE_LIMIT must be on or off/],
    [
      'no limits for everybody',
      { RATE_LIMIT: 'off', HOST: '0.0.0.0' },
      /RATE_LIMIT may be off only while HOST/,
    ],
    ['sessions without an end', { SESSION_DAYS: '0' }, /SESSION_DAYS must be/],
    ['a level that is none', { LOG_LEVEL: 'loud' }, /LOG_LEVEL must be one of/],
    ['any origin', { CORS_ORIGINS: '*' }, /CORS_ORIGINS must list origins/],
    ['an origin with a path', { CORS_ORIGINS: 'https://app.example.com/' }, /CORS_ORIGINS must list origins/],
    ['two at once', { PORT: '-1', LOG_LEVEL: '1' }, /PORT must be .*; LOG_LEVEL must be/],
  ])('%s', async (_, wrong, sentence) => {
    const port = await freePort();
    const databasePath = join(temporaryFolder(), 'tipwell.db');
    const end = await runToEnd('serve', { PORT: String(port), DATABASE_URL: databasePath, ...wrong });
    expectRefusedStart(end, sentence);
    expect(existsSync(databasePath)).toBe(false);
    await expect(get(port, '/healthz')).rejects.toThrow('ECONNREFUSED');
  });
});

describe.concurrent('what is in the way stops the start with one line', () => {
  test('a port that somebody else has', async () => {
    const server = await startServer();
    const end = await runToEnd('serve', {
      PORT: String(server.port),
      DATABASE_URL: join(temporaryFolder(), 'other.db'),
    });
    expectRefusedStart(end, new RegExp(`port ${server.port}: the port is already in use`));
    expect((await get(server.port, '/readyz')).status).toBe(200);
  });

  test('a database that another process has, until that one ends, however it ends', async () => {
    const databasePath = join(temporaryFolder(), 'tipwell.db');
    const env = { DATABASE_URL: databasePath };
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const first = await startServer(env);
      const end = await runToEnd('serve', { ...env, PORT: String(await freePort()) });
      expectRefusedStart(end, /another Tipwell process is using it/);
      expect((await get(first.port, '/readyz')).status).toBe(200);
      await first.stop(signal);
    }
    const last = await startServer(env);
    expect((await get(last.port, '/readyz')).status).toBe(200);
  });

  test.each<[string, (path: string, folder: string) => string]>([
    [
      'a symbolic link to it',
      (path, folder) => {
        symlinkSync(path, join(folder, 'link.db'));
        return join(folder, 'link.db');
      },
    ],
    [
      'a link to a link, by a path of its own',
      (path, folder) => {
        symlinkSync(path, join(folder, 'first.db'));
        symlinkSync('first.db', join(folder, 'second.db'));
        return join(folder, 'second.db');
      },
    ],
    [
      'a link to its folder',
      (path, folder) => {
        symlinkSync(join(path, '..'), join(folder, 'data'));
        return join(folder, 'data', 'tipwell.db');
      },
    ],
  ])('a database that another process has, under %s', async (_, another) => {
    const first = await startServer();
    const other = another(first.databasePath, temporaryFolder());
    const end = await runToEnd('serve', { DATABASE_URL: other, PORT: String(await freePort()) });
    expectRefusedStart(end, /another Tipwell process is using it/);
    const restored = await runToEnd('db-restore', { DATABASE_URL: other }, [first.databasePath]);
    expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('another Tipwell process') });
    expect((await get(first.port, '/readyz')).status).toBe(200);
  });

  test('a link to a database that is made through it, for a second process as well', async () => {
    const folder = temporaryFolder();
    const databasePath = join(folder, 'link.db');
    symlinkSync('real.db', databasePath);
    await startServer({ DATABASE_URL: databasePath });
    expect(readdirSync(folder).sort()).toEqual(
      ['link.db', ...['', '-shm', '-wal', '.lock'].map((suffix) => `real.db${suffix}`)].sort(),
    );
    const real = { DATABASE_URL: join(folder, 'real.db'), PORT: String(await freePort()) };
    expectRefusedStart(await runToEnd('serve', real), /another Tipwell process is using it/);
  });

  test('a database with a second name, under which its log would not be found', async () => {
    const first = await startServer();
    await register(first, 'pat');
    const other = join(temporaryFolder(), 'other.db');
    linkSync(first.databasePath, other);
    const end = await runToEnd('serve', { DATABASE_URL: other, PORT: String(await freePort()) });
    expectRefusedStart(end, /the file has a second name \(a hard link\)/);
    const cared = await runToEnd('account', { DATABASE_URL: other }, ['unlock', 'pat@example.com']);
    expect(cared).toMatchObject({ code: 1, stderr: expect.stringContaining('a second name') });
    expect((await get(first.port, '/readyz')).status).toBe(200);
  });

  test('a file that is no database, which is left as it is', async () => {
    const databasePath = join(temporaryFolder(), 'notes.txt');
    const text = 'Dear diary, today I was mistaken for a database.\n'.repeat(200);
    writeFileSync(databasePath, text);
    const end = await runToEnd('serve', { PORT: String(await freePort()), DATABASE_URL: databasePath });
    expectRefusedStart(end, /no SQLite database\. Restore a backup with `npm run db:restore/);
    expect(readFileSync(databasePath, 'utf8')).toBe(text);
  });

  test('a database with a page overwritten', async () => {
    const server = await startServer();
    await register(server, 'pat');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    const bytes = readFileSync(server.databasePath);
    bytes.fill(0xa5, 4_096, 12_288);
    writeFileSync(server.databasePath, bytes);
    const end = await runToEnd('serve', {
      PORT: String(await freePort()),
      DATABASE_URL: server.databasePath,
    });
    expectRefusedStart(end, /damaged.*(?:db:restore|restore a backup)/i);
  });

  test('a folder where the database should be', async () => {
    const databasePath = join(temporaryFolder(), 'folder.db');
    mkdirSync(databasePath);
    const end = await runToEnd('serve', { PORT: String(await freePort()), DATABASE_URL: databasePath });
    expectRefusedStart(end, /Cannot (?:open|use) the database/);
  });

  test('a folder that cannot be made', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const env = { PORT: String(await freePort()), DATABASE_URL: join(file, 'tipwell.db') };
    expectRefusedStart(await runToEnd('serve', env), /Cannot use the database .*tipwell\.db/);
  });

  test('a lock that cannot be taken', async () => {
    const databasePath = join(temporaryFolder(), 'tipwell.db');
    mkdirSync(`${databasePath}.lock`);
    const env = { PORT: String(await freePort()), DATABASE_URL: databasePath };
    expectRefusedStart(await runToEnd('serve', env), /Cannot use the database .*tipwell\.db/);
  });

  test('a .env that cannot be read', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.env'));
    const env = { PORT: String(await freePort()), DATABASE_URL: join(folder, 'tipwell.db') };
    expectRefusedStart(await runToEnd('serve', env, [], folder), /cannot read the file \.env/);
  });

  test('a folder that nobody may write to', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write anywhere');
    const folder = join(temporaryFolder(), 'closed');
    mkdirSync(folder, { mode: 0o500 });
    const env = { PORT: String(await freePort()), DATABASE_URL: join(folder, 'tipwell.db') };
    expectRefusedStart(await runToEnd('serve', env), /Cannot (?:open|use) the database/);
  });
});

describe.concurrent('a process that runs', () => {
  test('prints its address, and says that it is alive and ready', async () => {
    const server = await startServer();
    expect(server.stdout()).toBe(`Tipwell is ready at http://localhost:${server.port}\n`);
    for (const path of ['/healthz', '/readyz']) {
      const answer = await get(server.port, path);
      expect([answer.status, answer.body.toString()]).toEqual([200, 'ok']);
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
    const server = await startServer();
    const { port } = server;
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
    const { port } = await startServer();
    const [head = '', body = ''] = (await sendRaw(port, text).whole).split('\r\n\r\n');
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
    const { port } = await startServer();
    expect((await sendRaw(port, text).whole).split(' ')[1]).toBe(String(status));
  });

  test('never puts a refusal into an answer that has begun, or in its place', async () => {
    const server = await startServer();
    const token = await register(server, 'pat');
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    for (const queued of ['', ask('/api/auth/me')]) {
      const { socket, whole } = sendRaw(server.port, ask('/api/transactions/stream'));
      await once(socket, 'data');
      socket.write(`${queued}GARBAGE\r\n\r\n`);
      expect((await whole).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    }
    const { whole } = sendRaw(server.port, `${ask('/api/auth/me')}GARBAGE\r\n\r\n`);
    expect(await whole).not.toContain('HTTP/1.1 400');
    const chunked =
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const tooLong = sendRaw(server.port, `${chunked}11170\r\n${' '.repeat(70_000)}\r\n`);
    await once(tooLong.socket, 'data');
    tooLong.socket.write('GARBAGE\r\n\r\n');
    expect((await tooLong.whole).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
    expect((await get(server.port, '/readyz')).status).toBe(200);
  });

  test('does not take a sender that breaks off for an error of its own', async () => {
    const { port, stderr } = await startServer({ LOG_LEVEL: 'info' });
    const open = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const halves = [
      'Transfer-Encoding: chunked\r\n\r\nno chunk\r\n',
      'Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":',
      'Content-Length: 50\r\n\r\n{"a":',
    ];
    for (const half of halves) {
      const { socket } = sendRaw(port, `${open}${half}`);
      await sleep(100);
      socket.destroy();
    }
    const statuses = () => [...stderr().matchAll(/"POST".*?"status":(\d+)/g)].map(([, status]) => status);
    await vi.waitFor(() => expect(statuses()).toEqual(['400', '400', '400']));
    expect(stderr()).not.toContain('unexpected error');
  });

  test('reads no more than 64 KiB of a body, announced or in chunks', async () => {
    const { port, url } = await startServer();
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

  test('closes connections that send or read slowly, and serves everybody else meanwhile', async () => {
    const server = await startServer();
    const { port } = server;
    const lazy = await connectWithoutReading(server, '/api/docs/swagger-ui-bundle.js', 20);
    const token = await register(server, 'pat');
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
      const tooLate = AbortSignal.timeout(25_000);
      while (!isOver) {
        if (tooLate.aborted) {
          const late = slow.filter(({ socket }) => !socket.closed).map(({ name }) => name);
          throw new Error(`still open: ${late.join(', ')}`);
        }
        const me = await get(port, '/api/auth/me', { headers: { Authorization: `Bearer ${token}` } });
        expect(me.status).toBe(200);
        served += 1;
        await sleep(100);
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
});

describe.concurrent('a process that is told to stop', () => {
  test.each([
    'SIGTERM',
    'SIGINT',
  ] as const)('by %s answers what it accepted, lets idle connections go, and ends with code 0', async (signal) => {
    const server = await startServer();
    const { port } = server;
    const idle = sendRaw(port, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    const [greeting] = (await once(idle.socket, 'data')) as [Buffer];
    expect(greeting.toString()).toMatch(/^HTTP\/1\.1 200 /);

    const half = await sendHalf(port, person('pat'));
    const ended = server.stop(signal);
    await refusesConnections(port);
    half.finish();
    expect(await half.whole).toMatch(/^HTTP\/1\.1 201 /);
    expect((await idle.whole).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(await within(STOPPING_PATIENCE_MS, ended)).toEqual({ code: 0, signal: null });

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
    expect(await within(STOPPING_PATIENCE_MS, server.stop())).toEqual({ code: 0, signal: null });

    const seen = await statuses;
    expect(seen).toContain(201);
    for (const status of seen) expect([201, 503, null]).toContain(status);
    const again = await startServer({ DATABASE_URL: server.databasePath });
    for (const [index, name] of names.entries()) {
      if (seen[index] !== 201) continue;
      expect((await post(again, '/api/auth/register', person(name))).status, name).toBe(409);
    }
  });

  test('answers what it accepted also when it is told twice, as by Ctrl-C under npm', async () => {
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
    expect(await within(STOPPING_PATIENCE_MS, ended)).toEqual({ code: 0, signal: null });
  });

  test('leaves a whole line in the log for each request that it answered, and for its end', async () => {
    const server = await startServer({ LOG_LEVEL: 'info' });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => get(server.port, index % 2 ? '/healthz' : '/api/auth/me')),
    );
    expect(await within(STOPPING_PATIENCE_MS, server.stop())).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toMatch(/\n$/);
    const lines = server
      .stderr()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const logged = lines.filter(({ msg }) => msg === 'request').map(({ requestId }) => requestId);
    expect(logged.sort()).toEqual(answers.map(({ headers }) => headers['x-request-id']).sort());
    expect(lines.slice(-2).map(({ msg }) => msg)).toEqual(['stopping', 'stopped']);
  });

  test('writes a line to the log without waiting for the next one', async () => {
    const server = await startServer({ LOG_LEVEL: 'info' });
    const { headers } = await get(server.port, '/healthz');
    const isWritten = new Promise<void>((resolve) => {
      const look = () => {
        if (server.stderr().includes(String(headers['x-request-id']))) resolve();
      };
      server.process.stderr?.on('data', look);
      look();
    });
    await within(STOPPING_PATIENCE_MS, isWritten);
  });

  test('does not wait for ever for a request that never ends', async () => {
    const server = await startServer();
    const stuck = await sendHalf(server.port, person('pat'));
    expect(await within(STOPPING_PATIENCE_MS, server.stop())).toEqual({ code: 0, signal: null });
    expect(await stuck.whole).not.toMatch(/ 201 /);
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

/** One line for the operator, code 1, nothing on standard output, and no stack. */
function expectRefusedStart(
  end: { readonly code: number | null; readonly stdout: string; readonly stderr: string },
  sentence: RegExp,
): void {
  expect(end.stderr).toMatch(sentence);
  expect(end.stderr).toMatch(/^Tipwell cannot start: [^\n]+\n$/);
  expect(end.stdout).toBe('');
  expect(end.code).toBe(1);
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

/** @returns a token of the new account. */
async function register(server: RunningServer, username: string): Promise<string> {
  expect((await post(server, '/api/auth/register', person(username))).status).toBe(201);
  return logIn(server, username);
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

async function within<Result>(patienceMs: number, promise: Promise<Result>): Promise<Result> {
  const tooLate = new AbortController();
  try {
    return await Promise.race([
      promise,
      sleep(patienceMs, null, { signal: tooLate.signal }).then(() => {
        throw new Error(`not done after ${patienceMs} ms`);
      }),
    ]);
  } finally {
    tooLate.abort();
  }
}

/** Asks for a file many times on one connection, more than fits on the way, and takes nothing of it at first. */
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
