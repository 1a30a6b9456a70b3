/**
 * One connection on which requests follow each other byte by byte, for what an answer says of its connection
 * and what then becomes of it (RFC 9112, section 9).
 */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longer than a server has any reason to wait before it closes a connection after its answer. */
const PATIENCE_MS = 5_000;
/** For an answer, on a busy machine too: less than it takes a server to refuse a request that it goes on waiting for. */
const ANSWER_PATIENCE_MS = 12_000;

/** How the body of a request comes. */
export interface Framing {
  readonly name: string;
  readonly headers: readonly string[];
  /** What follows the head at once. */
  readonly atOnce: string;
  /** What follows later, and ends the body. */
  readonly later: string;
}

export interface Target {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: string;
}

export interface Fate {
  readonly status: number;
  /** What the answer said, which is `keep-alive` where it said nothing (RFC 9112, section 9.3). */
  readonly said: 'close' | 'keep-alive';
  /** The statuses of the requests after it; none was sent on a connection that was to be closed. */
  readonly next: readonly number[];
  /** Whether the server closed the connection without having said so. */
  readonly isCut: boolean;
}

const LATE_MS = 150;
/** More than any timer that the rest of a body may have started. */
const PAUSE_MS = 1_200;

export const FRAMINGS: readonly ((body: string) => Framing)[] = [
  () => ({ name: 'no body', headers: [], atOnce: '', later: '' }),
  (body) => ({ name: 'length', headers: [`Content-Length: ${body.length}`], atOnce: body, later: '' }),
  (body) => ({ name: 'length, late', headers: [`Content-Length: ${body.length}`], atOnce: '', later: body }),
  (body) => ({
    name: 'length, expecting 100',
    headers: [`Content-Length: ${body.length}`, 'Expect: 100-continue'],
    atOnce: '',
    later: body,
  }),
  (body) => ({ name: 'chunked', headers: [CHUNKED], atOnce: `${chunk(body)}${chunk('')}`, later: '' }),
  (body) => ({ name: 'chunked, last late', headers: [CHUNKED], atOnce: chunk(body), later: chunk('') }),
  (body) => ({ name: 'chunked, all late', headers: [CHUNKED], atOnce: '', later: chunk(body) + chunk('') }),
  () => ({ name: '200 kB', headers: ['Content-Length: 200000'], atOnce: ' '.repeat(200_000), later: '' }),
  () => ({
    name: '70 kB chunked',
    headers: [CHUNKED],
    atOnce: chunk(' '.repeat(70_000)) + chunk(''),
    later: '',
  }),
  () => ({ name: '1.2 MB', headers: ['Content-Length: 1200000'], atOnce: ' '.repeat(1_200_000), later: '' }),
  () => ({
    name: '1.2 MB chunked',
    headers: [CHUNKED],
    atOnce: chunk(' '.repeat(60_000)).repeat(20) + chunk(''),
    later: '',
  }),
  () => ({
    name: '5,000 pieces',
    headers: [CHUNKED],
    atOnce: chunk(' ').repeat(5_000) + chunk(''),
    later: '',
  }),
];

const CHUNKED = 'Transfer-Encoding: chunked';

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/**
 * Sends a request with a body of that framing, and, if its answer keeps the connection, `followers` more
 * after a pause.
 * @throws Error when an answer that was begun does not come whole.
 */
export async function tryConnection(
  port: number,
  { method, path, headers, body }: Target,
  framingOf: (body: string) => Framing,
  followers = 3,
): Promise<Fate> {
  const framing = framingOf(body);
  const connection = open(port);
  const head = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, ...framing.headers];
  connection.send(`${head.join('\r\n')}\r\n\r\n${framing.atOnce}`);
  const sending = sleep(framing.later === '' ? 0 : LATE_MS).then(() => connection.send(framing.later));
  const answer = await connection.answer(method);
  await sending;
  const next: number[] = [];
  const said = /^connection: *close$/im.test(answer.head) ? 'close' : 'keep-alive';
  if (said === 'close') {
    if (!(await connection.ends()))
      throw new Error(`${method} ${path}: a connection stays open that was to be closed`);
  } else if (followers > 0) {
    await sleep(PAUSE_MS);
    while (next.length < followers && !connection.isOver()) {
      connection.send(`GET /api/nowhere/${next.length} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      const follower = await connection.answer('GET').catch(() => null);
      if (follower === null) break;
      next.push(follower.status);
    }
  }
  const isCut = said === 'keep-alive' && connection.isOver();
  connection.destroy();
  return { status: answer.status, said, next, isCut };
}

function open(port: number) {
  const socket = connect({ port, host: '127.0.0.1' });
  let received = '';
  let isOver = false;
  let wake = () => {};
  const over = () => {
    isOver = true;
    wake();
  };
  socket.setNoDelay(true);
  socket.on('data', (piece) => {
    received += piece.toString('latin1');
    wake();
  });
  // A connection that is cut ends with an error, or without.
  socket.on('error', over).on('end', over).on('close', over);

  /** Waits until something else has arrived; false when nothing does. */
  async function more(patienceMs: number): Promise<boolean> {
    if (isOver) return false;
    const done = new AbortController();
    const isMore = await Promise.race([
      new Promise<true>((resolve) => {
        wake = () => resolve(true);
      }),
      sleep(patienceMs, false as const, { signal: done.signal }).catch(() => false as const),
    ]);
    done.abort();
    return isMore;
  }

  return {
    send(text: string) {
      if (text !== '' && socket.writable) socket.write(text, 'latin1');
    },
    async answer(method: string): Promise<{ readonly status: number; readonly head: string }> {
      for (;;) {
        const end = endOfAnswer(received, method);
        if (end !== null) {
          const head = received.slice(0, received.indexOf('\r\n\r\n'));
          received = received.slice(end);
          const status = Number(head.split(' ')[1]);
          if (status >= 200) return { status, head };
        } else if (!(await more(ANSWER_PATIENCE_MS)))
          throw new Error(`no whole answer to ${method}: ${received.slice(0, 200)}`);
      }
    },
    async ends(): Promise<boolean> {
      while (!isOver) if (!(await more(PATIENCE_MS))) return false;
      return true;
    },
    isOver: () => isOver,
    destroy: () => socket.destroy(),
  };
}

/** Where the first answer in a text ends; null when it is not whole (RFC 9112, section 6.3). */
function endOfAnswer(text: string, method: string): number | null {
  const bodyStart = text.indexOf('\r\n\r\n') + 4;
  if (bodyStart < 4) return null;
  const head = text.slice(0, bodyStart);
  if (method === 'HEAD' || /^HTTP\/1\.1 (1..|204|304) /.test(head)) return bodyStart;
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const end = text.indexOf('\r\n0\r\n\r\n', bodyStart - 2);
    return end === -1 ? null : end + 7;
  }
  const end = bodyStart + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return text.length < end ? null : end;
}
