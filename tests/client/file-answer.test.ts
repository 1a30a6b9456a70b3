/** A file that is being downloaded: it may take its time, but not stand still. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fetchFile } from '#client/signed-in/later/file-answer.ts';
import { CLIENT_PATIENCE_MS } from '#shared/patience.ts';

const ALMOST_MS = CLIENT_PATIENCE_MS - 1;

let server: ReturnType<typeof createServer>;
let answering: Promise<ServerResponse>;

beforeEach(async () => {
  server = createServer();
  answering = new Promise((answer) => server.once('request', (_, response) => answer(response)));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
  server.closeAllConnections();
  server.close();
});

const ask = () => {
  const { port }: Partial<AddressInfo> = Object(server.address());
  return fetchFile(`http://127.0.0.1:${port}/`, {});
};

test('a file whose pieces come slowly arrives whole', async () => {
  const asked = ask();
  const answer = await answering;
  vi.advanceTimersByTime(ALMOST_MS);
  answer.write('one,');
  const reader = (await asked).body?.getReader();
  let text = '';
  for (const piece of ['two,', 'three']) {
    text += new TextDecoder().decode((await reader?.read())?.value);
    vi.advanceTimersByTime(ALMOST_MS);
    answer.write(piece);
  }
  text += new TextDecoder().decode((await reader?.read())?.value);
  answer.end();
  expect(await reader?.read()).toMatchObject({ done: true });
  expect(text).toBe('one,two,three');
});

test('a file that stands still breaks off', async () => {
  const asked = ask();
  const answer = await answering;
  answer.write('one,');
  const arrived = (await asked).text();
  const refused = expect(arrived).rejects.toMatchObject({ name: 'AbortError' });
  vi.advanceTimersByTime(CLIENT_PATIENCE_MS);
  await refused;
});

test('a file of which nothing comes is given up', async () => {
  const asked = expect(ask()).rejects.toMatchObject({ name: 'AbortError' });
  await answering;
  vi.advanceTimersByTime(CLIENT_PATIENCE_MS);
  await asked;
});
