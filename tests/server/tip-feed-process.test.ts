/**
 * The feed of tips from the production build over real sockets: across dropped connections and restarts, to
 * readers that do not read, when a session ends and when the server stops; and with the client that the
 * dashboard uses.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTRPCClient, TRPCClientError } from '@trpc/client';
import { EventSource } from 'eventsource';
import { afterAll, expect, type TestContext, test } from 'vitest';
import { z } from 'zod';
import { streamLink } from '#client/signed-in/stream-link.ts';
import type { AppRouter } from '#server/api/procedures/router.ts';
import { MAX_MESSAGE_LENGTH } from '#shared/message-rules.ts';
import { DOORS, type Door } from '#tests/support/both-doors.ts';
import { createChance } from '#tests/support/chance.ts';
import { openStream, STREAM_PATHS, type StreamedTip, type TipStream } from '#tests/support/event-streams.ts';
import { type PreparedPerson, prepareLedger } from '#tests/support/prepared-ledger.ts';
import { sendRaw } from '#tests/support/raw-socket.ts';
import { freePort, PROGRAM, type RunningServer, startServer } from '#tests/support/running-server.ts';
import { lookInto } from '#tests/support/stored-data.ts';

const BATCH = 10;
const STREAMS_PER_ACCOUNT = 20;
/** `npm run soak -- processes` has more. */
const DISCONNECTS = Number(process.env['FEED_DISCONNECTS'] ?? 6);
/** At most 25 are read between two of them. */
const TIPS = 27 * DISCONNECTS;
/** A busy machine needs its time; only a server that ends nothing needs longer. */
const PATIENCE_MS = 30_000;

/** The built server, with the inspector of V8. */
const INSPECTED = ['--inspect=127.0.0.1:0', PROGRAM];
/** Idle connections stay until the server closes them by itself, and it says so when it cuts others. */
const UNHURRIED = `--import=data:text/javascript,${encodeURIComponent(`
  import { Server } from 'node:http';
  const { listen, closeAllConnections } = Server.prototype;
  Server.prototype.listen = function (...words) {
    this.keepAliveTimeout = 600_000;
    return listen.apply(this, words);
  };
  Server.prototype.closeAllConnections = function () {
    process.stderr.write('connections were cut');
    return closeAllConnections.call(this);
  };`)}`;
/** https://chromedevtools.github.io/devtools-protocol/v8/Runtime/#method-getHeapUsage, in bytes. */
const heapUsage = z.object({ result: z.object({ usedSize: z.number(), backingStorageSize: z.number() }) });

type Send = Parameters<typeof openStream>[0];

const sendTo =
  ({ url }: Pick<RunningServer, 'url'>): Send =>
  (path, init) =>
    fetch(`${url}${path}`, init);

/** Gives tips in requests of ten, each under a key, until the server has acknowledged all of them. */
async function giveTips(
  url: string,
  giver: PreparedPerson,
  receivers: readonly PreparedPerson[],
  {
    count,
    first = 0,
    atOnce = 4,
    pauseMs = 0,
    message,
  }: { count: number; first?: number; atOnce?: number; pauseMs?: number; message?: string },
): Promise<void> {
  const starts = Array.from(
    { length: Math.ceil(count / BATCH) },
    (_, index) => first + index * BATCH,
  ).values();
  const sendBatch = async (start: number): Promise<void> => {
    const size = Math.min(BATCH, first + count - start);
    const tips = Array.from({ length: size }, (_, index) => ({
      receiverQrId: receivers[(start + index) % receivers.length]?.code,
      amountCents: 1_000 + ((start + index) % 900_000),
      serviceCategory: 'bartender',
      idempotencyKey: `tip-${start + index}`,
      ...(message && { message }),
    }));
    for (;;) {
      const answer = await fetch(`${url}/trpc/${Array(size).fill('transactions.create').join()}?batch=1`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${giver.token}` },
        body: JSON.stringify({ ...tips }),
      }).catch(() => null);
      const text = await answer?.text().catch(() => null);
      if (answer?.status === 200 && text) return;
      // The server is starting again.
      await sleep(20);
    }
  };
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const start of starts) {
        await sendBatch(start);
        if (pauseMs > 0) await sleep(pauseMs);
      }
    }),
  );
}

/** The ids of an account's transactions, in the order of the ledger. */
async function ledgerOf({ url }: RunningServer, { token }: PreparedPerson): Promise<string[]> {
  const answer = await fetch(`${url}/api/transactions`, { headers: { Authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  const transactions = (await answer.json()) as readonly { readonly id: string }[];
  return transactions.map(({ id }) => id).reverse();
}

/** Reads to the end, which must come in order and not by cutting the connection. */
async function readToEnd(stream: TipStream): Promise<number> {
  let events = 0;
  for (let event = await stream.next(); event !== null; event = await stream.next()) {
    expect(event.name).not.toBe('serialized-error');
    events += 1;
  }
  return events;
}

async function openMany(
  server: RunningServer,
  people: readonly PreparedPerson[],
  perAccount: number,
): Promise<TipStream[]> {
  return Promise.all(
    people.flatMap(({ token }) =>
      Array.from({ length: perAccount }, (_, index) =>
        openStream(sendTo(server), DOORS[index % 2] ?? 'REST', { token }),
      ),
    ),
  );
}

async function openPrepared(usernames: readonly string[], port?: number, program?: string[]) {
  const { path, people } = await prepareLedger(usernames);
  const env = { DATABASE_URL: path, PORT: String(port ?? (await freePort())) };
  const start = () => startServer(env, program);
  const [giver, receiver, ...others] = people;
  if (!giver || !receiver) throw new Error('two people are needed for a tip');
  return { server: await start(), start, people, giver, receiver, others, path };
}

/** How many people the tests need whose server none of them ends. */
const PEOPLE_TOGETHER = 10;
let together: ReturnType<typeof openPrepared> | undefined;
let entered = 0;

/** So many people, whom no other test has, on the server of all tests that end none. */
async function enterTogether(count: number) {
  const names = Array.from({ length: PEOPLE_TOGETHER }, (_, index) => `person-${index}`);
  together ??= openPrepared(names);
  const first = entered;
  entered += count;
  const { server, people, path } = await together;
  const own = people.slice(first, first + count);
  const [giver, receiver = giver] = own;
  if (!giver || !receiver || own.length < count) throw new Error('there are not enough people');
  return { server, people: own, giver, receiver, path };
}

afterAll(async () => {
  const { server } = (await together) ?? {};
  expect(server?.stderr() ?? '').toBe('');
  expect((await server?.stop()) ?? { code: 0 }).toMatchObject({ code: 0 });
});

type Prepared = Awaited<ReturnType<typeof openPrepared>>;

/**
 * Reads the tips of the receiver while they are given, through random disconnects and a restart of the server, and
 * expects each of them once and in order.
 * @param options.onceAgain is run as soon as the server has started again.
 * @returns that server, and how the other one ended.
 */
async function readThroughRestart(
  { server, start, giver, receiver }: Prepared,
  options: {
    readonly door: Door;
    readonly signal: 'SIGTERM' | 'SIGKILL';
    onceAgain(again: RunningServer): Promise<void>;
  },
) {
  const { door, signal, onceAgain } = options;
  const chance = createChance(20_261_205);
  // Before the first one, so that there is an id to resume after.
  await giveTips(server.url, giver, [receiver], { count: 1, first: TIPS });
  const writing = giveTips(server.url, giver, [receiver], { count: TIPS, pauseMs: 5 });
  const restart = async () => {
    const ending = await server.stop(signal);
    const again = await start();
    await onceAgain(again);
    return { ending, again };
  };

  const heard: string[] = (await ledgerOf(server, receiver)).slice(0, 1);
  let disconnects = 0;
  let restarting: ReturnType<typeof restart> | null = null;
  while (heard.length < TIPS + 1) {
    const stream = await openStream(sendTo(server), door, {
      token: receiver.token,
      lastEventId: heard.at(-1),
    }).catch(() => null);
    if (!stream) {
      await sleep(20);
      continue;
    }
    const isLast = disconnects === DISCONNECTS;
    const count = isLast ? TIPS + 1 - heard.length : 1 + chance.below(25);
    try {
      for (const { id, eventId } of await readSome(stream, Math.min(count, TIPS + 1 - heard.length))) {
        expect(eventId).toBe(id);
        heard.push(id);
      }
    } finally {
      await stream.close();
    }
    disconnects += isLast ? 0 : 1;
    if (heard.length > TIPS / 3) restarting ??= restart();
  }
  await writing;
  const restarted = await restarting;
  if (restarted === null) throw new Error('the server was not started again');
  expect(heard).toEqual(await ledgerOf(restarted.again, receiver));
  expect(new Set(heard).size).toBe(TIPS + 1);
  expect(disconnects).toBe(DISCONNECTS);
  return restarted;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20);
}

test.concurrent(`no event of ${TIPS} is lost or doubled through REST over ${DISCONNECTS} disconnects and SIGTERM; the client of the dashboard resumes by the last id`, async (context) => {
  const prepared = await openPrepared(['cam', 'pat', 'kim']);
  const { server, giver, others } = prepared;
  const [watching = giver] = others;
  const { asked, heard, failures, subscription } = subscribe(server, watching.token, context);
  await until(() => asked.length === 1);
  // The stream is open once a tip arrives; what was given before is not for it.
  let given = 0;
  while (heard.length === 0) {
    await giveTips(server.url, giver, [watching], { count: 1, first: 10_000 + given });
    given += 1;
    await sleep(20);
  }
  await giveTips(server.url, giver, [watching], { count: 50, first: 11_000 });
  await until(() => heard.length >= 51);
  const lastSeen = heard.at(-1);
  const { ending, again } = await readThroughRestart(prepared, {
    door: 'REST',
    signal: 'SIGTERM',
    onceAgain: ({ url }) => giveTips(url, giver, [watching], { count: 250, first: 12_000 }),
  });
  expect(ending).toEqual({ code: 0, signal: null });
  await until(() => heard.length >= 301);
  await giveTips(again.url, giver, [watching], { count: 20, first: 13_000 });
  await until(() => heard.length >= 321);

  const ledger = await ledgerOf(again, watching);
  expect(heard).toEqual(ledger.slice(ledger.indexOf(heard[0] ?? '')));
  expect(failures).toEqual([]);
  const resumed = asked.filter(({ headers }) => headers.get('Last-Event-ID') === lastSeen);
  expect(resumed.length).toBeGreaterThanOrEqual(1);
  for (const { url } of asked) expect(decodeURIComponent(url)).not.toContain(watching.token);
  subscription.unsubscribe();
  await again.stop();
});

test.concurrent(`no event of ${TIPS} is lost or doubled through tRPC over ${DISCONNECTS} disconnects and SIGKILL; an EventSource that was cut off before its first misses none`, async ({
  onTestFinished,
}) => {
  const prepared = await openPrepared(['cam', 'pat', 'kim']);
  const { server, giver, others } = prepared;
  const [watching = giver] = others;
  const heard: string[] = [];
  let opened = 0;
  const source = new EventSource(`${server.url}${STREAM_PATHS.REST}`, {
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${watching.token}` } }),
  });
  onTestFinished(() => source.close());
  source.addEventListener('connected', () => {
    opened += 1;
  });
  source.addEventListener('tip', ({ lastEventId }) => heard.push(lastEventId));
  await until(() => opened > 0);
  const { ending, again } = await readThroughRestart(prepared, {
    door: 'tRPC',
    signal: 'SIGKILL',
    onceAgain: ({ url }) => giveTips(url, giver, [watching], { count: 1, first: 10_000 }),
  });
  expect(ending).toEqual({ code: null, signal: 'SIGKILL' });
  await until(() => heard.length > 0);
  await giveTips(again.url, giver, [watching], { count: 1, first: 10_001 });
  await until(() => heard.length > 1);
  expect(heard).toEqual(await ledgerOf(again, watching));
  await again.stop();
});

/** So many tips, or those that came before the connection broke. */
async function readSome(stream: TipStream, count: number): Promise<StreamedTip[]> {
  const tips: StreamedTip[] = [];
  while (tips.length < count) {
    const tip = await stream.nextTip().catch(() => null);
    if (tip === null) break;
    tips.push(tip);
  }
  return tips;
}

interface Asked {
  readonly url: string;
  readonly headers: Headers;
}

/** Subscribes with the client of the dashboard. */
function subscribe(
  server: RunningServer,
  token: string,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
) {
  const asked: Asked[] = [];
  const heard: string[] = [];
  const failures: unknown[] = [];
  const client = createTRPCClient<AppRouter>({
    links: [
      streamLink(`${server.url}/trpc`, (url, init) => {
        const headers = new Headers(init.headers);
        headers.set('Authorization', `Bearer ${token}`);
        asked.push({ url, headers });
        return fetch(url, { ...init, headers });
      }),
    ],
  });
  const subscription = client.transactions.onTip.subscribe(undefined, {
    onData: ({ id, data }) => {
      if ('reset' in data) return;
      expect(data.id).toBe(id);
      heard.push(id);
    },
    onError: (error) => failures.push(error),
  });
  onTestFinished(() => subscription.unsubscribe());
  return { asked, heard, failures, subscription };
}

test.concurrent('the client of the dashboard hears that its session has ended, and asks no more', async (context) => {
  const { server, giver, receiver } = await enterTogether(2);
  const { asked, heard, failures } = subscribe(server, receiver.token, context);
  let given = 0;
  while (heard.length === 0) {
    await giveTips(server.url, giver, [receiver], { count: 1, first: given });
    given += 1;
    await sleep(20);
  }
  const headers = { Authorization: `Bearer ${receiver.token}` };
  expect((await fetch(`${server.url}/api/auth/logout`, { method: 'POST', headers })).status).toBe(204);
  await until(() => failures.length > 0);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toBeInstanceOf(TRPCClientError);
  expect(failures[0]).toMatchObject({ data: { errorCode: 'session_ended', httpStatus: 401 } });
  const requests = asked.length;
  expect(requests).toBe(2);
  await giveTips(server.url, giver, [receiver], { count: 5, first: 1_000 });
  expect(asked).toHaveLength(requests);
});

test.concurrent('a session that logs out or expires has its open streams ended', async () => {
  const { server, people, path } = await enterTogether(3);
  const [leaving, expiring, staying] = people;
  const [left, expired, stayed] = await Promise.all(
    [leaving, expiring, staying].map(async (person) => (person ? openMany(server, [person], 2) : [])),
  );
  const headers = { Authorization: `Bearer ${leaving?.token}` };
  const begun = fetch(`${server.url}/api/auth/logout`, { method: 'POST', headers });
  await within(PATIENCE_MS, Promise.all((left ?? []).map(readToEnd)));
  expect((await begun).status).toBe(204);

  await lookInto(path, (data) => data.expireSessionsOf(expiring?.id ?? '', Date.now() + 200));
  await within(PATIENCE_MS, Promise.all((expired ?? []).map(readToEnd)));

  if (leaving && staying) await giveTips(server.url, staying, [leaving], { count: 1 });
  for (const stream of stayed ?? []) {
    expect(await stream.nextTip()).toMatchObject({ giverId: staying?.id });
    await stream.close();
  }
});

test.concurrent('SIGTERM ends 100 open streams in order, and the server with code 0, which does not wait for connections whose streams have ended', async () => {
  const names = ['cam', 'pat', 'sam', 'kim', 'lee', 'max', 'eve'];
  const { server, people } = await openPrepared(names, undefined, [UNHURRIED, PROGRAM]);
  const [max, eve, ...others] = people;
  const streams = await openMany(server, others, STREAMS_PER_ACCOUNT);
  expect(streams).toHaveLength(100);
  for (const stream of streams) expect(stream.response.status).toBe(200);
  // These keep their connections open for as long as the server lets them, as browsers do.
  const sockets = [max, eve, max, eve].map((person, index) =>
    openRaw(server, DOORS[index % 2] ?? 'REST', person?.token ?? ''),
  );
  await Promise.all(sockets.map(({ greeted }) => greeted));
  const reading = Promise.all(streams.map(readToEnd));
  const ended = server.stop();
  // tRPC says by itself that it is connected, and each stream where it begins.
  for (const [index, events] of (await within(PATIENCE_MS, reading)).entries())
    expect(events).toBe(index % 2 === 0 ? 1 : 2);
  await Promise.all(sockets.map((socket) => socket.ended));
  expect(await within(PATIENCE_MS, ended)).toEqual({ code: 0, signal: null });
  expect(server.stderr()).toBe('');
  for (const { socket } of sockets) socket.destroy();
});

test.concurrent('a connection that breaks frees its place', async () => {
  const { server, receiver } = await enterTogether(1);
  const { token } = receiver;
  const sockets = await takeAllPlaces(server, token);
  const refused = await openStream(sendTo(server), 'REST', { token });
  expect(refused.response.status).toBe(429);
  expect(refused.response.headers.get('Retry-After')).toBe('30');
  await refused.close();
  for (const socket of sockets) socket.resetAndDestroy();
  for (const place of await takeAllPlaces(server, token)) place.destroy();
});

/** Takes all places of an account, as soon as they are free. */
async function takeAllPlaces(server: RunningServer, token: string): Promise<Socket[]> {
  for (;;) {
    const streams = Array.from({ length: STREAMS_PER_ACCOUNT }, (_, index) =>
      openRaw(server, DOORS[index % 2] ?? 'REST', token),
    );
    const sockets = streams.map(({ socket }) => socket);
    const areTaken = await Promise.race([
      Promise.all(streams.map(({ greeted }) => greeted)).then(() => true),
      Promise.race(streams.map(({ refused }) => refused)).then(() => false),
    ]);
    if (areTaken) return sockets;
    for (const socket of sockets) socket.destroy();
    await sleep(50);
  }
}

/** As they are sent one behind the other on one connection, before any of them is answered. */
function pipeline(token: string, paths: readonly string[], method = 'GET'): string {
  const authorization = `Authorization: Bearer ${token}`;
  return paths.map((path) => `${method} ${path} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`).join('');
}

test.concurrent.each([
  ['cut', (socket: Socket) => socket.destroy()],
  ['reset', (socket: Socket) => socket.resetAndDestroy()],
  ['closed on the far side only', (socket: Socket) => socket.end()],
])('a connection that is %s frees all places that were asked for on it', async (_how, hangUp) => {
  const { server, receiver } = await enterTogether(1);
  const { token } = receiver;
  const streams = Array.from({ length: 4 }, () => Object.values(STREAM_PATHS)).flat();
  const { socket } = sendRaw(server.port, pipeline(token, ['/healthz', ...streams, '/api/transactions']));
  let text = '';
  while (!text.includes('connected')) text += String((await once(socket, 'data'))[0]);
  // The others behind it have been read meanwhile.
  await sleep(200);
  hangUp(socket);
  for (const place of await takeAllPlaces(server, token)) place.destroy();
});

test.concurrent('HEAD holds no place behind a stream, and a stream behind HEAD is one like any other', async () => {
  const { server, receiver } = await enterTogether(1);
  const { token } = receiver;
  const heads = Array.from({ length: 2 }, () => [STREAM_PATHS.REST, STREAM_PATHS.tRPC]).flat();
  const { socket } = sendRaw(
    server.port,
    `${pipeline(token, heads, 'HEAD')}${pipeline(token, [STREAM_PATHS.REST])}${pipeline(token, heads, 'HEAD')}`,
  );
  let text = '';
  while (!text.includes('connected')) text += String((await once(socket, 'data'))[0]);
  socket.destroy();
  for (const place of await takeAllPlaces(server, token)) place.destroy();
});

test.concurrent('streams that come and go leave no memory behind; readers that never read cost none and hold nobody up', {
  timeout: 300_000,
}, async () => {
  const guests = Array.from({ length: 10 }, (_, index) => `guest-${index}`);
  const prepared = await openPrepared(guests, undefined, INSPECTED);
  await comeAndGo(prepared);
  await neverRead(prepared);
  await prepared.server.stop();
});

/** Expects streams of everybody that come and go to leave no memory behind. */
async function comeAndGo({ server, people }: Prepared): Promise<void> {
  const stayShortly = async (door: Door, token: string) => {
    for (;;) {
      const { socket, greeted, refused, closed } = openRaw(server, door, token);
      const isGreeted = await Promise.race([greeted.then(() => true), refused.then(() => false)]);
      socket.destroy();
      await closed;
      if (isGreeted) return;
      // The server has not yet noticed that enough of the others are gone.
      await sleep(20);
    }
  };
  const repeat = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      await Promise.all(
        people.flatMap(({ token }) =>
          DOORS.flatMap((door) => Array.from({ length: 5 }, () => stayShortly(door, token))),
        ),
      );
    }
    return liveMegabytes(server);
  };
  const before = await repeat(5);
  const after = await repeat(12);
  // Each of 1,200 streams would leave more than a kilobyte.
  expect(after - before).toBeLessThan(1.2);
}

/** Expects readers that never read to cost no memory, while another one hears everything. */
async function neverRead({ server, giver, receiver }: Prepared): Promise<void> {
  const READERS = 4;
  // More than the buffers of the connections take, so that the server is what would keep the others.
  const WARM_UP = 3_600;
  const EVENTS = 4_600;
  const message = '🍹'.repeat(MAX_MESSAGE_LENGTH);
  const stuck = Array.from({ length: READERS }, (_, index) =>
    openRaw(server, DOORS[index % 2] ?? 'REST', receiver.token),
  );
  await Promise.all(stuck.map(({ greeted }) => greeted));
  for (const { socket } of stuck) socket.pause();
  const reader = await openStream(sendTo(server), 'REST', { token: receiver.token });

  const heard: string[] = [];
  const hear = async (count: number) => {
    for (const { id } of await reader.take(count)) heard.push(id);
  };
  const giving = async (count: number, first: number) => {
    await Promise.all([
      giveTips(server.url, giver, [receiver], { count, first, atOnce: 8, message }),
      hear(count),
    ]);
    return liveMegabytes(server);
  };
  const before = await giving(WARM_UP, 0);
  const after = await giving(EVENTS - WARM_UP, WARM_UP);
  expect(heard).toEqual(await ledgerOf(server, receiver));
  expect(heard).toHaveLength(EVENTS);
  // What 4 readers have not read of 1,000 events with such messages is some 4.4 MB.
  expect(after - before).toBeLessThan(2.4);
  await reader.close();
  for (const { socket } of stuck) socket.destroy();
}

/** A stream as bytes on a socket of its own, which stays open on this side. */
function openRaw({ port }: RunningServer, door: Door, token: string) {
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `GET ${STREAM_PATHS[door]} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  // A reset by the other side is an end like any other.
  socket.on('error', () => {});
  let text = '';
  const saw = (mark: string) =>
    new Promise<void>((resolve) => {
      const look = () => text.includes(mark) && resolve();
      socket.on('data', look);
    });
  socket.on('data', (chunk) => {
    text = `${text.slice(-200)}${chunk}`;
  });
  return {
    socket,
    greeted: saw('connected'),
    refused: saw('too_many_requests'),
    /** The last chunk of a chunked answer (RFC 9112, section 7.1). */
    ended: saw('\r\n0\r\n\r\n'),
    closed: new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
    }),
  };
}

/**
 * What the server still refers to, after garbage collections. The memory that the process has from the
 * system says less: V8 gives its heap more or less room, depending on how busy the machine is.
 */
async function liveMegabytes(server: RunningServer): Promise<number> {
  const [, url = ''] = /listening on (ws:\S+)/.exec(server.stderr()) ?? [];
  const inspector = new WebSocket(url);
  await new Promise((resolve) => inspector.addEventListener('open', resolve, { once: true }));
  const ask = (id: number, method: string) =>
    new Promise<string>((resolve) => {
      inspector.addEventListener('message', ({ data }) => resolve(String(data)), { once: true });
      inspector.send(JSON.stringify({ id, method }));
    });
  const readings: number[] = [];
  // Sockets that have just closed survive a collection or two, with up to 5 MB.
  for (let collection = 0; collection < 5; collection += 1) {
    await ask(2 * collection, 'HeapProfiler.collectGarbage');
    const answer = await ask(2 * collection + 1, 'Runtime.getHeapUsage');
    const { result } = heapUsage.parse(JSON.parse(answer));
    readings.push((result.usedSize + result.backingStorageSize) / 2 ** 20);
    await sleep(100);
  }
  inspector.close();
  return Math.min(...readings);
}

async function within<Result>(patienceMs: number, promise: Promise<Result>): Promise<Result> {
  const isDone = new AbortController();
  try {
    return await Promise.race([
      promise,
      sleep(patienceMs, null, { signal: isDone.signal }).then(() => {
        throw new Error(`not done after ${patienceMs} ms`);
      }),
    ]);
  } finally {
    isDone.abort();
  }
}
