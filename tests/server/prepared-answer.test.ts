/**
 * Prepared content: the encoding that a request asks for as RFC 9110 weighs it, and one copy of the bytes
 * however many readers there are and however slow they are.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { answer, prepare } from '#server/api/http/prepared-answer.ts';

const TYPE = 'text/plain; charset=utf-8';
const MEBIBYTE = 1_048_576;

function appWith(prepared: ReturnType<typeof prepare>): Hono {
  const app = new Hono();
  app.get('/', (c) => answer(c, prepared));
  return app;
}

describe('the encoding of an answer', () => {
  const text = prepare({ type: TYPE, cacheControl: 'no-cache', plain: Buffer.from('word '.repeat(1_000)) });
  const font = prepare({
    type: 'font/woff2',
    cacheControl: 'no-cache',
    plain: Buffer.from('packed already'),
    packed: () => null,
  });

  async function encodingFor(accepted: string | null, prepared = text): Promise<string | null> {
    const headers: Record<string, string> = accepted === null ? {} : { 'Accept-Encoding': accepted };
    const response = await appWith(prepared).request('/', { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get('Vary')).toBe('Accept-Encoding');
    const encoding = response.headers.get('Content-Encoding');
    expect(response.headers.get('ETag')).toMatch(encoding ? new RegExp(`-${encoding}"$`) : /^"[\w-]{27}"$/);
    return encoding;
  }

  test.each([
    // Browsers send these, with and without TLS.
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br', 'br'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    // The heavier weight counts, whatever stands first; of two that weigh the same, the smaller content.
    ['br;q=0.5, gzip', 'gzip'],
    ['gzip;q=0.5, br;q=0.501', 'br'],
    ['gzip;q=1.0, br;q=1', 'br'],
    ['br ; q=0.2 , gzip ; Q=0.3', 'gzip'],
    ['gzip;q=0.001', 'gzip'],
    ['gzip;q=0.5, identity', null],
    ['gzip;q=0.5, identity;q=0.4', 'gzip'],
    // A star stands for what is not named.
    ['*', 'br'],
    ['*;q=0.1', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip, *;q=0', 'gzip'],
    ['identity, *;q=0.5', null],
    ['*;q=0.5, gzip', 'gzip'],
    // The plain form is sent unless it is excluded.
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0, *', 'br'],
    // Where every form is excluded, an unwanted answer is better than none.
    ['identity;q=0', null],
    ['identity;q=0, *;q=0', null],
    ['*;q=0', null],
    ['br;q=0, gzip;q=0.000', null],
    ['', null],
    ['identity', null],
    ['zstd', null],
    ['deflate, compress', null],
    // An item with a malformed weight is ignored.
    ['gzip;q=2', null],
    ['gzip;q=-1', null],
    ['gzip;q=x, br', 'br'],
    ['gzip;q=0.1234', null],
    ['gzip;', 'gzip'],
    ['br,,gzip', 'br'],
    ['brgzip', null],
    [';q=1', null],
  ])('for %j is %j', async (accepted, encoding) => {
    expect(await encodingFor(accepted)).toBe(encoding);
  });

  test('is none where nothing was said', async () => {
    expect(await encodingFor(null)).toBeNull();
  });

  test('is none for what has no packed form, whatever was asked for', async () => {
    for (const accepted of ['br, gzip', '*', 'identity;q=0', 'identity;q=0, br'])
      expect(await encodingFor(accepted, font), accepted).toBeNull();
  });
});

test('readers that take nothing cost a share of one copy, not a copy each', async () => {
  const READERS = 100;
  const plain = randomBytes(4 * MEBIBYTE);
  const app = appWith(prepare({ type: TYPE, cacheControl: 'no-cache', plain, packed: () => null }));
  const server = createServer(getRequestListener(app.fetch));
  const answers: unknown[] = [];
  server.on('request', (_, answered) => answers.push(answered));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  const before = process.memoryUsage().arrayBuffers;
  for (let reader = 0; reader < READERS; reader += 1) {
    const socket = connect(address.port, '127.0.0.1');
    socket.pause();
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    // The answer to this reader has begun, and cannot go on.
    await once(socket, 'readable');
  }
  expect(answers).toHaveLength(READERS);
  const grown = process.memoryUsage().arrayBuffers - before;
  expect(grown).toBeLessThan(READERS * plain.length * 0.25);
});
