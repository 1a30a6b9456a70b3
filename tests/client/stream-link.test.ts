/** The link of the stream against a server that sends it piecemeal, breaks it off, falls silent or refuses it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createTRPCClient } from '@trpc/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AppRouter } from '#client/api-client/api.ts';
import { streamLink } from '#client/signed-in/stream-link.ts';
import { trpcErrorOf } from '#server/api/http/refusals.ts';
import { AppError } from '#shared/errors.ts';
import { CLIENT_PATIENCE_MS } from '#shared/patience.ts';

const PATIENCE = { timeout: 20_000 };
/** How long a link waits before it asks again. */
const ASK_AGAIN_MS = 3_000;

type Answer = (answer: ServerResponse, request: IncomingMessage) => void;

/** Subscribes at a server that gives each answer once, in turn, and leaves later requests without one. */
async function subscribeTo(...answers: readonly Answer[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, answer) => {
    asked.push(request);
    answers[asked.length - 1]?.(answer, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}/trpc`;
  const sent: string[] = [];
  const heard: unknown[] = [];
  const losses: unknown[] = [];
  const failures: unknown[] = [];
  const subscription = createTRPCClient<AppRouter>({
    links: [
      streamLink(url, (path, init) => {
        sent.push(path);
        return fetch(path, init);
      }),
    ],
  }).transactions.onTip.subscribe(
    { lastEventId: 'first' },
    {
      onData: (tip) => heard.push(tip),
      onConnectionStateChange: ({ error }) => losses.push(error),
      onError: (error) => failures.push(error),
    },
  );
  onTestFinished(() => {
    subscription.unsubscribe();
    server.closeAllConnections();
    server.close();
  });
  return { asked, sent, heard, losses, failures, subscription };
}

function begin(answer: ServerResponse, told: object = {}): void {
  answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
  answer.write(`event: connected\ndata: ${JSON.stringify(told)}\n\n\n`);
}

const eventOf = (id: string, value: unknown) => `data: ${JSON.stringify(value)}\nid: ${id}\n\n\n`;

test('hears words as they were said, however the bytes come, and takes no word for an event', async () => {
  const said = {
    id: 'a',
    message: 'Prost 🍻\u2028event: return\u2029data: {}\n\nid: b\r\n\r\nevent: return',
  };
  const { asked, heard } = await subscribeTo(async (answer) => {
    begin(answer);
    for (const byte of Buffer.from(eventOf('a', said) + eventOf('b', 'next'))) {
      answer.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
  });
  await vi.waitFor(() => expect(heard).toHaveLength(2), PATIENCE);
  expect(heard).toEqual([
    { id: 'a', data: said },
    { id: 'b', data: 'next' },
  ]);
  expect(asked.map(({ url }) => decodeURIComponent(url ?? ''))).toEqual([
    '/trpc/transactions.onTip?input={"lastEventId":"first"}',
  ]);
});

/** Has the time pass that a link waits before it asks again, which is some seconds. */
function passTime(): (ms: number) => Promise<unknown> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => vi.advanceTimersByTimeAsync(ms);
}

test('asks again from the last whole event on, after a stream that broke off and after one that fell silent', async () => {
  const pass = passTime();
  const { asked, heard, losses } = await subscribeTo(
    (answer) => {
      begin(answer);
      answer.write(eventOf('a', 1), () => answer.write('data: 2\nid: b\n', () => answer.destroy()));
    },
    (answer) => {
      // Long enough for a busy machine to read the event that follows.
      begin(answer, { reconnectAfterInactivityMs: 20_000 });
      answer.write(eventOf('c', 3));
    },
    (answer) => {
      begin(answer);
      answer.write(eventOf('d', 4));
    },
  );
  await vi.waitFor(() => expect(losses).toHaveLength(1), PATIENCE);
  await pass(ASK_AGAIN_MS);
  await vi.waitFor(() => expect(heard).toHaveLength(2), PATIENCE);
  await pass(20_000);
  await vi.waitFor(() => expect(heard).toHaveLength(3), PATIENCE);
  expect(heard).toEqual([
    { id: 'a', data: 1 },
    { id: 'c', data: 3 },
    { id: 'd', data: 4 },
  ]);
  expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'a', 'c']);
  expect(losses).toEqual([expect.any(Error), expect.any(Error)]);
});

test('asks again when no answer comes at all, though not at once', async () => {
  const pass = passTime();
  let askedCount = 0;
  const losses: unknown[] = [];
  const link = streamLink('/trpc', (_, { signal }) => {
    askedCount += 1;
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
  const subscription = createTRPCClient<AppRouter>({ links: [link] }).transactions.onTip.subscribe(
    { lastEventId: 'first' },
    { onConnectionStateChange: ({ error }) => losses.push(error) },
  );
  await pass(CLIENT_PATIENCE_MS);
  expect([askedCount, losses]).toEqual([1, [expect.any(Error)]]);
  await vi.runOnlyPendingTimersAsync();
  expect(askedCount).toBe(2);
  subscription.unsubscribe();
  expect(vi.getTimerCount()).toBe(0);
});

test('asks again after an error of the server’s own', async () => {
  const pass = passTime();
  const error = trpcErrorOf(new AppError('internal'), null, null);
  const { heard, losses, failures } = await subscribeTo(
    (answer) => {
      begin(answer);
      answer.end(`event: serialized-error\ndata: ${JSON.stringify(error)}\n\n\n`);
    },
    (answer) => {
      begin(answer);
      answer.write(eventOf('a', 1));
    },
  );
  await vi.waitFor(() => expect(losses).not.toHaveLength(0), PATIENCE);
  await pass(ASK_AGAIN_MS);
  await vi.waitFor(() => expect(heard).toEqual([{ id: 'a', data: 1 }]), PATIENCE);
  expect(losses[0]).toMatchObject({ data: { errorCode: 'internal' } });
  expect(failures).toEqual([]);
});

test('says once that it was refused, by the server or by a proxy, and asks no more', async () => {
  const refusal = trpcErrorOf(new AppError('too_many_requests'), null, null);
  const cases = [
    [
      (answer: ServerResponse) => {
        begin(answer);
        answer.end(`event: serialized-error\ndata: ${JSON.stringify(refusal)}\n\n\n`);
      },
      { data: { errorCode: 'too_many_requests' } },
    ],
    [(answer: ServerResponse) => answer.writeHead(502).end('Bad Gateway'), expect.any(Error)],
    [(answer: ServerResponse) => answer.end('<p>Log in to the hotel</p>'), expect.any(Error)],
  ] as const;
  const pass = passTime();
  for (const [answerBy, failure] of cases) {
    const { sent, failures } = await subscribeTo(answerBy);
    await vi.waitFor(() => expect(failures).toHaveLength(1), PATIENCE);
    expect(failures).toMatchObject([failure]);
    // It would ask again after three seconds.
    await pass(20 * ASK_AGAIN_MS);
    expect(sent).toHaveLength(1);
    expect(failures).toHaveLength(1);
  }
});

test('lets go of the connection when nobody listens any more', async () => {
  let isClosed = false;
  const { heard, losses, failures, subscription } = await subscribeTo((answer) => {
    answer.on('close', () => {
      isClosed = true;
    });
    begin(answer);
    answer.write(eventOf('a', 1));
  });
  await vi.waitFor(() => expect(heard).toHaveLength(1), PATIENCE);
  subscription.unsubscribe();
  await vi.waitFor(() => expect(isClosed).toBe(true), PATIENCE);
  expect([losses, failures]).toEqual([[], []]);
});
