/**
 * One notice to one device: what a push service gets, what its answers come to, and that nothing else than a
 * push service is ever called.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createFindTarget } from '#server/notifications/push-endpoint.ts';
import { createSendPush, MAX_PAYLOAD_BYTES, type PushAddress } from '#server/notifications/push-request.ts';
import { createVapid, subjectFrom } from '#server/notifications/vapid.ts';
import { findAddresses } from '#server/outgoing/request.ts';
import {
  HIDDEN_LOOPBACK_ENDPOINTS,
  HOSTILE_ENDPOINTS,
  INSIDE_ADDRESSES,
} from '#tests/support/hostile-endpoints.ts';
import { startPushService } from '#tests/support/push-service.ts';
import { refuseConnections, startEndlessServer, watchSockets } from '#tests/support/watched-calls.ts';

const NOW_MS = Date.UTC(2026, 10, 23, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SUBJECT = 'https://tips.example.com';
const GOOGLE = 'https://fcm.googleapis.com/fcm/send/a';

async function setUp({
  hosts = ['127.0.0.1'],
  find = findAddresses,
  secret = randomBytes(32),
  timeLimitMs = 10_000,
} = {}) {
  const clock = { nowMs: NOW_MS };
  const service = await startPushService({ nowMs: () => clock.nowMs });
  onTestFinished(async () => {
    await service.close();
    expect(service.problems).toEqual([]);
  });
  const vapid = createVapid(secret, SUBJECT, () => clock.nowMs);
  const send = createSendPush({
    findTarget: createFindTarget(hosts),
    vapid,
    clock: () => clock.nowMs,
    findAddresses: find,
    timeLimitMs,
  });
  return {
    service,
    send: (to: PushAddress, payload: string, ttlSeconds: number, topic = 'topic') =>
      send(to, { payload, ttlSeconds, topic }),
    vapid,
    clock,
    device: service.register(),
  };
}

describe('a push service', () => {
  test('can read the notice for its device, and knows who sends it', async () => {
    const { service, send, device } = await setUp();
    const payload = JSON.stringify({ text: 'a tip: 5 € ☕' });
    expect(await send(device, payload, 3_600.9)).toEqual({ outcome: 'delivered' });
    expect(service.notices).toEqual([
      expect.objectContaining({ payload, ttl: 3_600, urgency: 'high', topic: 'topic', subject: SUBJECT }),
    ]);
  });

  test('gets the longest notice, and no longer one', async () => {
    const { service, send, device } = await setUp();
    expect(await send(device, 'x'.repeat(MAX_PAYLOAD_BYTES), 60)).toEqual({ outcome: 'delivered' });
    expect(await send(device, `${'x'.repeat(MAX_PAYLOAD_BYTES - 1)}é`, 60)).toMatchObject({
      outcome: 'refused',
    });
    expect(service.requests()).toBe(1);
  });

  test('gets the same token for some hours, and one that is valid whichever way the clock goes', async () => {
    const { service, send, device, clock } = await setUp();
    for (const hours of [0, 3, 6.1, 12, -20, -19, 200]) {
      clock.nowMs = NOW_MS + hours * HOUR_MS;
      expect(await send(device, 'x', 60)).toEqual({ outcome: 'delivered' });
    }
    const tokens = service.notices.map(({ token }) => token);
    expect(new Set(tokens).size).toBe(4);
    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[2]).toBe(tokens[3]);
    expect(tokens[4]).toBe(tokens[5]);
  });

  test.each([
    [200, 'delivered'],
    [201, 'delivered'],
    [202, 'delivered'],
    [404, 'gone'],
    [410, 'gone'],
    [300, 'refused'],
    [304, 'refused'],
    [400, 'refused'],
    [401, 'refused'],
    [403, 'refused'],
    [413, 'refused'],
    [408, 'later'],
    [429, 'later'],
    [500, 'later'],
    [503, 'later'],
  ] as const)('that answers %i: %s', async (status, outcome) => {
    const { service, send, device } = await setUp();
    service.plan({ is: 'status', status });
    const answer = await send(device, 'x', 60);
    expect(answer).toMatchObject({ outcome });
    expect(JSON.stringify(answer)).not.toContain(device.endpoint.slice(-10));
  });

  test.each([
    ['0', 0],
    ['120', 120_000],
    ['86400', DAY_MS],
    ['99999999', DAY_MS],
    ['-5', 0],
    [new Date(NOW_MS + 90_000).toUTCString(), 90_000],
    [new Date(NOW_MS - 90_000).toUTCString(), 0],
    [new Date(NOW_MS + 90 * DAY_MS).toUTCString(), DAY_MS],
    ['soon', null],
    ['', null],
  ])('that says Retry-After: %s', async (retryAfter, retryAfterMs) => {
    const { service, send, device } = await setUp();
    service.plan({ is: 'status', status: 429, retryAfter });
    const answer = await send(device, 'x', 60);
    if (retryAfter === '-5') expect(answer).toMatchObject({ outcome: 'later' });
    else
      expect(answer).toEqual({
        outcome: 'later',
        reason: 'status 429',
        retryAfterMs,
        isUnreachable: false,
      });
  });

  test('that knows the device no more is told of as such', async () => {
    const { service, send, device } = await setUp();
    service.forget(device.endpoint);
    expect(await send(device, 'x', 60)).toEqual({ outcome: 'gone' });
  });

  test.each(['before', 'after'] as const)('that cuts the line %s it took the notice', async (when) => {
    const { service, send, device } = await setUp();
    service.plan({ is: 'cut', when });
    expect(await send(device, 'x', 60)).toMatchObject({ outcome: 'later', retryAfterMs: null });
    expect(service.notices).toHaveLength(when === 'after' ? 1 : 0);
  });

  test('that is too slow is not waited for', async () => {
    const { service, send, device } = await setUp({ timeLimitMs: 50 });
    service.plan({ is: 'held', until: new Promise(() => {}) });
    expect(await send(device, 'x', 60)).toMatchObject({ outcome: 'later', reason: 'it took too long' });
  });

  test('whose host is looked up for too long is not waited for', async () => {
    const never = () => new Promise<never>(() => {});
    const { send, device } = await setUp({ find: never, timeLimitMs: 50 });
    expect(await send({ ...device, endpoint: GOOGLE }, 'x', 60)).toMatchObject({ outcome: 'later' });
  });

  test('is none when nobody listens', async () => {
    const { service, send, device } = await setUp();
    const { port } = service;
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const freePort = typeof address === 'object' && address ? address.port : 0;
    other.close();
    await once(other, 'close');
    const endpoint = device.endpoint.replace(`:${port}/`, `:${freePort}/`);
    expect(await send({ ...device, endpoint }, 'x', 60)).toMatchObject({ outcome: 'later' });
  });

  test.each([
    ['says no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
    ['sends headers without end', `HTTP/1.1 201 Created\r\n${`X: ${'x'.repeat(1_000)}\r\n`.repeat(20)}`],
    ['hangs up', ''],
  ])('that %s is one to try later', async (_, text) => {
    const { send, device, service } = await setUp();
    const odd = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(text));
    }).listen(0, '127.0.0.1');
    await once(odd, 'listening');
    onTestFinished(() => void odd.close());
    const address = odd.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const endpoint = device.endpoint.replace(`:${service.port}/`, `:${port}/`);
    expect(await send({ ...device, endpoint }, 'x', 60)).toMatchObject({ outcome: 'later' });
  });

  test('that answers without end is left once it has said how it answers', async () => {
    const { send, device, service } = await setUp();
    const endless = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write('HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n');
        const writing = setInterval(() => socket.write('1\r\nx\r\n'), 5);
        socket.once('close', () => clearInterval(writing));
      });
    }).listen(0, '127.0.0.1');
    await once(endless, 'listening');
    const address = endless.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const endpoint = device.endpoint.replace(`:${service.port}/`, `:${port}/`);
    expect(await send({ ...device, endpoint }, 'x', 60)).toEqual({ outcome: 'delivered' });
    endless.close();
    // The server closes once its last connection has ended.
    await once(endless, 'close');
  });
});

/** An endless piece of an answer, of which no head is longer than may be. */
const ENDLESS: readonly (readonly [what: string, begin: string, piece: string])[] = [
  ['103 answers', '', `HTTP/1.1 103 Early Hints\r\nLink: <${'x'.repeat(4_000)}>\r\n\r\n`],
  ['100 answers', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['empty lines before its answer', '', '\r\n'.repeat(2_000)],
  [
    'a body',
    'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n',
    `1000\r\n${'x'.repeat(4_096)}\r\n`,
  ],
  ['a status line', 'HTTP/1.1 201 ', 'x'.repeat(4_096)],
  ['a header', 'HTTP/1.1 201 Created\r\nX: ', 'x'.repeat(4_096)],
];

describe('of a push service that sends without end', () => {
  test.each(
    ENDLESS,
  )('%s, no more than 128 KB are read, and the device is not kept waiting', async (_, begin, piece) => {
    const { send, device, service } = await setUp();
    const endless = await startEndlessServer(begin, piece);
    const opened = watchSockets();
    const endpoint = device.endpoint.replace(`:${service.port}/`, `:${endless.port}/`);
    // Only what has a status is an answer.
    const outcome = begin.includes('Created\r\nTransfer') ? 'delivered' : 'later';
    expect(await send({ ...device, endpoint }, 'x', 60)).toMatchObject({ outcome });
    expect(opened).toHaveLength(1);
    expect(opened[0]?.destroyed).toBe(true);
    expect(opened[0]?.bytesRead).toBeGreaterThan(0);
    expect(opened[0]?.bytesRead).toBeLessThan(128 * 1_024);
    await endless.close();
  });
});

test('a message that cannot be encrypted is a fault of the server and not of the keys, and calls nobody', async () => {
  const { service, send, device } = await setUp();
  await expect(send(device, 'x', 60, 'a topic with spaces')).rejects.toThrow('characters');
  expect(service.requests()).toBe(0);
});

describe('keys', () => {
  test.each([
    ['of no point of the curve', { p256dh: Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]) }],
    ['too short', { p256dh: Buffer.alloc(10, 4) }],
    ['without a secret', { auth: Buffer.alloc(0) }],
  ])('%s send nothing', async (_, keys) => {
    const { service, send, device } = await setUp();
    expect(await send({ ...device, ...keys }, 'x', 60)).toMatchObject({ outcome: 'refused' });
    expect(service.requests()).toBe(0);
  });

  test('of the sender come from the secret of the installation', () => {
    const secret = randomBytes(32);
    const publicKeyOf = (bytes: Buffer) => createVapid(bytes, SUBJECT, () => NOW_MS).publicKey;
    expect(publicKeyOf(secret)).toEqual(publicKeyOf(secret));
    expect(publicKeyOf(secret)).toHaveLength(65);
    expect(publicKeyOf(secret)).not.toEqual(publicKeyOf(randomBytes(32)));
  });

  test.each([0x00, 0xff])('of the sender are there also where a secret is none: %i', async (byte) => {
    const { service, send, device } = await setUp({ secret: Buffer.alloc(32, byte) });
    expect(await send(device, 'x', 60)).toEqual({ outcome: 'delivered' });
    expect(service.notices).toHaveLength(1);
  });

  test.each([
    ['https://tips.example.com', 'https://tips.example.com'],
    ['https://example.com/tips', 'https://example.com/tips'],
    ['http://localhost:3000', 'https://localhost:3000'],
  ])('of the sender belong to whoever is at %s', (publicUrl, subject) => {
    expect(subjectFrom(publicUrl)).toBe(subject);
  });
});

describe('nothing is called', () => {
  test('of what is hostile', async () => {
    const { send, device } = await setUp({ hosts: ['127.0.0.1', 'localhost', '[::1]'] });
    const tried = refuseConnections();
    const found: string[] = [];
    for (const endpoint of [...HOSTILE_ENDPOINTS, ...HIDDEN_LOOPBACK_ENDPOINTS]) {
      const { outcome } = await send({ ...device, endpoint }, 'x', 60);
      if (outcome !== 'refused') found.push(endpoint);
    }
    expect(found).toEqual([]);
    expect(tried).toEqual([]);
  });

  test.each(INSIDE_ADDRESSES)('when a known host leads to %s', async (address) => {
    const { send, device } = await setUp({ find: async () => [address] });
    const tried = refuseConnections();
    expect(await send({ ...device, endpoint: GOOGLE }, 'x', 60)).toMatchObject({ outcome: 'refused' });
    expect(tried).toEqual([]);
  });

  test.each([
    [['8.8.8.8', '10.0.0.1']],
    [['10.0.0.1', '8.8.8.8']],
    [['2a00:1450::1', '::ffff:8.8.8.8']],
  ])('when one of the addresses of a known host is inside: %j', async (addresses) => {
    const { send, device } = await setUp({ find: async () => addresses });
    const tried = refuseConnections();
    expect(await send({ ...device, endpoint: GOOGLE }, 'x', 60)).toMatchObject({ outcome: 'refused' });
    expect(tried).toEqual([]);
  });

  test('when a name of this machine leads elsewhere', async () => {
    const { send, device } = await setUp({ hosts: ['localhost'], find: async () => ['10.0.0.1'] });
    const tried = refuseConnections();
    const answer = await send({ ...device, endpoint: 'http://localhost:80/a' }, 'x', 60);
    expect(answer).toMatchObject({ outcome: 'refused' });
    expect(tried).toEqual([]);
  });

  test('when a host has no address', async () => {
    const { send, device } = await setUp({ find: async () => [] });
    const tried = refuseConnections();
    expect(await send({ ...device, endpoint: GOOGLE }, 'x', 60)).toMatchObject({ outcome: 'later' });
    expect(tried).toEqual([]);
  });

  test('at an address that was not the one looked up first', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const { send, device } = await setUp({ find: async () => answers.shift() ?? ['127.0.0.1'] });
    const tried: unknown[] = [];
    const looked: unknown[] = [];
    const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args) {
      tried.push(args);
      const { lookup } = Object([args[0]].flat()[0]);
      lookup('fcm.googleapis.com', { all: true }, (_: unknown, found: unknown) => looked.push(found));
      lookup('fcm.googleapis.com', {}, (_: unknown, found: unknown) => looked.push(found));
      setImmediate(() => this.destroy(Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' })));
      return this;
    });
    onTestFinished(() => spy.mockRestore());
    expect(await send({ ...device, endpoint: GOOGLE }, 'x', 60)).toMatchObject({ outcome: 'later' });
    expect(tried).toHaveLength(1);
    expect(JSON.stringify(tried)).toContain('fcm.googleapis.com');
    expect(looked).toEqual([[{ address: '8.8.8.8', family: 4 }], '8.8.8.8']);
    expect(answers).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])('where a redirect leads (%i)', async (status) => {
    const { service, send, device } = await setUp();
    const elsewhere = service.register();
    service.plan({ is: 'status', status, location: elsewhere.endpoint });
    expect(await send(device, 'x', 60)).toEqual({ outcome: 'refused', reason: `status ${status}` });
    expect(service.requests()).toBe(1);
    expect(service.notices).toEqual([]);
  });

  test('through a proxy of the environment', async () => {
    const proxy = await startPushService();
    onTestFinished(() => proxy.close());
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY']) vi.stubEnv(name, proxy.origin);
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { service, send, device } = await setUp();
    expect(await send(device, 'x', 60)).toEqual({ outcome: 'delivered' });
    expect(service.requests()).toBe(1);
    expect(proxy.requests()).toBe(0);
  });
});
