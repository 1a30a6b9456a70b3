/**
 * What is sent faster than it is answered, over sockets against the production build: many requests one
 * behind the other on one connection, bodies in more pieces than anybody sends, bodies that go on after they
 * were refused.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createRequestServer, MAX_BODY_PIECES } from '#server/api/http/unread-requests.ts';
import { get } from '#tests/support/http-get.ts';
import { sendRaw } from '#tests/support/raw-socket.ts';
import { type RunningServer, startServer, stopEverything } from '#tests/support/running-server.ts';

/** The requests on one connection that may wait for their answers at once. */
const MAX_REQUESTS_OWED = 10;
const BUNDLE = '/api/docs/swagger-ui-bundle.js';

/** For all tests that do not need its end to see what it has logged. */
let server: RunningServer;
let port = 0;

beforeAll(async () => {
  server = await startServer({ LOG_LEVEL: 'info' });
  ({ port } = server);
});
afterAll(stopEverything);

/** A server of this process whose one listener gets the answers. */
async function startReception(begin: (answer: ServerResponse) => void) {
  const reception = createRequestServer(
    {},
    (_, answer) => begin(answer),
    () => ({ status: 400, headers: {}, body: 'refused' }),
  );
  reception.listen(0, '127.0.0.1');
  onTestFinished(() => void reception.close());
  await once(reception, 'listening');
  const own = z.object({ port: z.number() }).parse(reception.address());
  return { server: reception, port: own.port };
}

describe('requests one behind the other on one connection', () => {
  test('are answered one by one in their order', async () => {
    const loggedBefore = linesLogged(server).length;
    const asked = ['/robots.txt', BUNDLE, '/api/nowhere', '/readyz', '/robots.txt'];
    const { whole } = sendRaw(
      port,
      `${asked.map((path) => ask(path)).join('')}${ask('/api/none', 'Connection: close\r\n')}`,
    );
    expect(statusesIn(await whole)).toEqual(['200', '200', '404', '200', '200', '404']);
    // All but the probe, which is counted.
    await vi.waitFor(() => expect(linesLogged(server)).toHaveLength(loggedBefore + 5), { timeout: 30_000 });
  });

  test('are answered as far as the bound when there are more, the last one saying so; thousands cost their sender the connection, and are not worked on', async () => {
    const stopping = await startServer({ LOG_LEVEL: 'info' });
    const answers = await sendRaw(stopping.port, ask('/api/nowhere').repeat(MAX_REQUESTS_OWED + 5)).whole;
    expect(statusesIn(answers)).toEqual(Array.from({ length: MAX_REQUESTS_OWED }, () => '404'));
    expect(answers.match(/^connection: close$/gim)).toHaveLength(1);

    const many = Array.from({ length: 1_000 }, (_, index) => ask(`/tip/demo-u${index}-dj`)).join('');
    const flooding = [sendRaw(stopping.port, many), sendRaw(stopping.port, many)];
    await Promise.all(flooding.map(({ whole }) => whole));
    expect((await get(stopping.port, '/healthz')).status).toBe(200);
    await stopping.stop();
    const isOfTheFlood = (line: string) => line.includes('"route":"/tip/');
    const lines = linesLogged(stopping);
    expect(lines.filter((line) => !isOfTheFlood(line))).toHaveLength(MAX_REQUESTS_OWED);
    const ofTheFlood = lines.filter(isOfTheFlood);
    expect(ofTheFlood.length).toBeLessThanOrEqual(flooding.length * MAX_REQUESTS_OWED + 1);
  });

  test('may be as many as somebody likes who waits for their answers', async () => {
    const { socket } = sendRaw(port, '');
    for (let round = 0; round < 5; round += 1) {
      socket.write(ask('/healthz').repeat(MAX_REQUESTS_OWED));
      let text = '';
      while (statusesIn(text).length < MAX_REQUESTS_OWED) text += String((await once(socket, 'data'))[0]);
    }
    expect(socket.closed).toBe(false);
    socket.destroy();
  });

  test.each([
    'GET /robots.txt HTTP/1.1\r\nHost: x\r\n',
    'POST /api/none HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n',
  ])('are not lost in silence behind one that would change the protocol: %j', async (head) => {
    const body = head.startsWith('POST') ? '{}' : '';
    const upgrade = `${head}Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n${body}`;
    const answers = await sendRaw(port, `${upgrade}${ask('/robots.txt')}`).whole;
    // Node.js has discarded what came with it, so that the next request belongs on another connection.
    expect(statusesIn(answers)).toHaveLength(1);
    expect(answers).toMatch(/^connection: close$/im);
  });

  const login = (body: string, headers: string) =>
    `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;

  test.each([
    ['words', `${ask('/robots.txt')}JUNK\r\n\r\n`, '200'],
    ['half of another', `${ask('/robots.txt')}GET /robots.txt HTTP/1.1\r\nHost x\r\n\r\n`, '200'],
    ['one behind the last', `${ask('/robots.txt', 'Connection: close\r\n')}${ask('/robots.txt')}`, '200'],
    [
      'the rest of a body whose length was counted in letters',
      login('{"a":""}', 'Content-Length: 6\r\n'),
      '400',
    ],
    ['a body without a length', login('{"email":"a"}', ''), '400'],
  ])('are answered when what stands behind them is none: %s', async (_, text, status) => {
    const answers = await sendRaw(port, text).whole;
    expect(statusesIn(answers)).toEqual([status]);
    expect(answers).toMatch(/^connection: close$/im);
  });

  test.each([
    ['leaves behind what is none', 'JUNK\r\n\r\n', true],
    ['leaves in the middle of another', 'GET / HTTP/1.1\r\nHost', true],
    ['goes on with what is none', `JUNK\r\n\r\n${'x'.repeat(3 * 1024 * 1024)}`, false],
  ])('keep no answer going whose reader %s', async (_, text, leaves) => {
    let left = Promise.resolve<unknown>(undefined);
    const reception = await startReception((answer) => {
      left = once(answer, 'close');
      answer.write('begun ');
    });
    const { socket } = sendRaw(reception.port, ask('/'));
    await once(socket, 'data');
    socket.write(text);
    if (leaves) socket.end();
    await left;
    socket.destroy();
  });

  test('wait until the answer before them has been taken', async () => {
    const loggedBefore = linesLogged(server).length;
    const { socket } = sendRaw(port, '');
    socket.pause();
    socket.write(ask(BUNDLE).repeat(MAX_REQUESTS_OWED));
    await sleep(500);
    await get(port, '/healthz');
    // What the buffers of the system hold counts as taken.
    expect(linesLogged(server).length - loggedBefore).toBeLessThan(MAX_REQUESTS_OWED / 2);
    socket.destroy();
  });
});

describe('a body', () => {
  const HEAD = 'POST /api/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

  test('in more pieces than anybody sends is refused, and one in some hundreds is not', async () => {
    const send = (pieces: number) =>
      sendRaw(
        port,
        `${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(pieces)}0\r\n\r\n`,
      ).whole;
    expect(statusesIn(await send(65_000))).toEqual(['413']);
    expect(statusesIn(await send(1_001))).toEqual(['413']);
    expect(statusesIn(await send(500))).toEqual(['404']);
    expect((await get(port, '/healthz')).status).toBe(200);
  });

  test('is not kept beyond the piece at which it is refused, and one with a length is kept whole', async () => {
    const kept: { pieces: number; bytes: number }[] = [];
    const counting = createRequestServer(
      {},
      (request, answer) => {
        const body = { pieces: 0, bytes: 0 };
        kept.push(body);
        request.on('data', ({ length }: Buffer) => {
          body.pieces += 1;
          body.bytes += length;
        });
        request.on('end', () => answer.end());
      },
      () => ({ status: 400, headers: {}, body: '' }),
    );
    onTestFinished(() => void counting.close());
    await once(counting.listen(0, '127.0.0.1'), 'listening');
    const place = z.object({ port: z.number() }).parse(counting.address());
    const send = (framing: string) => sendRaw(place.port, `${HEAD}Connection: close\r\n${framing}\r\n\r\n`);

    const chunked = send('Transfer-Encoding: chunked');
    chunked.socket.write(`${'1\r\n \r\n'.repeat(10_000)}0\r\n\r\n`);
    await chunked.whole;
    const length = MAX_BODY_PIECES + 100;
    const announced = send(`Content-Length: ${length}`);
    for (let sent = 0; sent < length; sent += 1) {
      announced.socket.write(' ');
      await turnOfTheLoop();
    }
    await announced.whole;
    expect(kept).toEqual([
      { pieces: MAX_BODY_PIECES + 1, bytes: MAX_BODY_PIECES + 1 },
      { pieces: expect.any(Number), bytes: length },
    ]);
  });

  test('from a stream of some KiB at a time is read', async () => {
    const text = JSON.stringify({ email: 'a@example.com', password: 'x' }).padEnd(60_000);
    const pieces = text.match(/.{1,2048}/gs) ?? [];
    const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
    const head = `${HEAD.replace('/api/x', '/api/auth/login')}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(statusesIn(await sendRaw(port, `${head}${chunks}0\r\n\r\n`).whole)).toEqual(['401']);
  });

  test.each([
    ['announced', `${HEAD}Content-Length: 99999999999\r\n\r\n`, '413'],
    [
      'in chunks where nobody reads it',
      `${HEAD.replace('/api/x', '/x')}Transfer-Encoding: chunked\r\n\r\n`,
      '404',
    ],
    ['behind GET', 'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n', '200'],
  ])('%s that goes on after its answer is not read any more', async (_, head, status) => {
    const { socket } = sendRaw(port, head);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(statusesIn(answer.toString())).toEqual([status]);
    const piece = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`;
    const MAX_PIECES = 1_000;
    let taken = 0;
    while (taken < MAX_PIECES && !socket.destroyed) {
      const isTaken = new Promise<boolean>((resolve) => {
        socket.write(piece, (error) => resolve(error === undefined || error === null));
      });
      if (!(await Promise.race([isTaken, sleep(2_000, false)]))) break;
      taken += 1;
    }
    socket.destroy();
    // The buffers of the system take some MiB by themselves.
    expect(taken).toBeLessThan(MAX_PIECES / 4);
  });

  test.each([
    ['announced', `${HEAD}Content-Length: 900000\r\n\r\n${' '.repeat(900_000)}`],
    [
      'in chunks',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n${`ea60\r\n${' '.repeat(60_000)}\r\n`.repeat(15)}0\r\n\r\n`,
    ],
  ])('%s that was refused for its size is taken to its end, so that its sender gets the answer', async (_, text) => {
    const { socket, whole } = sendRaw(port, '');
    socket.pause();
    await new Promise((resolve) => socket.write(text, 'latin1', resolve));
    socket.resume();
    const answer = await whole;
    expect(statusesIn(answer)).toEqual(['413']);
    expect(answer).toMatch(/^connection: close$/im);
    expect(answer).toMatch(/"code":"body_too_large"\}$/);
  });
});

function ask(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
}

function statusesIn(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
}

/** The log's lines of requests that were worked on. */
function linesLogged(server: RunningServer): string[] {
  return server
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"status":'));
}
