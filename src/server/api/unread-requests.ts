/**
 * Stands between the connections and the application. Answers what Node cannot read as a request: a broken line, headers
 * that are too large, a sender that is too slow, no saying to whom it goes; Node would do it by itself, with a bare status
 * line. Lets one request of a connection be worked on at a time, few wait, and no body go on for long after its answer.
 * Hides when a connection is free for an answer.
 */
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '#shared/errors.ts';

/** What Node's parser says of what it cannot read; anything else is malformed. */
const REFUSALS_BY_CAUSE: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
};

/** An answer to what has no method, path or headers to go by. */
export interface UnreadAnswer {
  readonly status: number;
  /** Closing the connection among them: where the next request would begin is unknown. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The answers that one connection is owed at once: more than any browser or proxy asks for before it has one. A server
 * may close a connection on the others, which are then asked for anew (RFC 9112, section 9.3.2).
 */
const MAX_ANSWERS_OWED = 10;

/** Of more than that nobody is waiting for an answer. */
const MAX_REQUESTS_READ = 50;

/** A body that goes on after its answer is read on when it is no longer than that: its sender may read after it has sent. */
const MAX_IDLY_READ_BYTES = 1024 * 1024;

/** Long enough for an answer to arrive before its connection is cut. */
const LINGER_MS = 500;

/** What a connection has asked for. */
interface Owed {
  last: ServerResponse;
  /** Requests that have been read, and that nobody works on. */
  waiting: number;
  /** Whether there were too many: nothing that comes later is answered. */
  isFull: boolean;
}

/**
 * Hands the requests of `server` to `listener`, each once the answer before it on its connection has been taken. Answers
 * with what `refuse` makes of the refusal whatever cannot be read, and closes the connection.
 */
export function takeRequests(
  server: Server,
  listener: RequestListener,
  refuse: (refusal: AppError) => UnreadAnswer,
): void {
  const connections = new WeakMap<Duplex, Owed>();
  const addressed = refuseUnaddressed(listener, refuse);

  server.on('request', (request, answer) => {
    const { socket, headers } = request;
    // Node goes on with what it has received when a connection has been cut.
    if (socket.destroyed) return;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) {
      answer.once('finish', () => stopReading(request, socket));
    }
    const owed = connections.get(socket);
    if (owed === undefined) {
      connections.set(socket, { last: answer, waiting: 0, isFull: false });
      return addressed(request, answer);
    }
    const { last } = owed;
    if (owed.waiting === 0 && last.writableFinished) {
      owed.last = answer;
      return addressed(request, answer);
    }
    owed.waiting += 1;
    if (owed.waiting > MAX_REQUESTS_READ) return socket.destroy();
    if (owed.isFull) return;
    if (owed.waiting === MAX_ANSWERS_OWED) {
      owed.isFull = true;
      // Node closes the connection after the answer that says so; this one has not begun.
      last.setHeader('connection', 'close');
      return;
    }
    owed.last = answer;
    last.once('close', () => {
      if (!socket.writable) return;
      owed.waiting -= 1;
      addressed(request, answer);
    });
  });
  // Whoever expects anything else than "100-continue" gets an ordinary answer (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer));

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = connections.get(socket)?.last;
    const isFree = socket.writable && (last === undefined || isFreeAfter(last, socket));
    const code = REFUSALS_BY_CAUSE[error.code ?? ''] ?? 'malformed_request';
    // It is destroyed also when it was broken before, or when the peer keeps its own side open.
    socket.end(isFree ? textOf(refuse(new AppError(code))) : '', () => socket.destroy());
  });
}

/** Cuts a connection soon on which a body goes on that nobody wants, and reads nothing meanwhile. */
function stopReading({ complete, headers }: IncomingMessage, socket: Socket): void {
  if (complete || Number(headers['content-length']) <= MAX_IDLY_READ_BYTES) return;
  // Whoever lets the rest of the request flow away lets the connection flow.
  socket.on('resume', () => socket.pause());
  socket.pause();
  setTimeout(() => socket.destroySoon(), LINGER_MS).unref();
}

/** Refuses requests that do not say to whom they go as they should, and hands all others to `listener`. */
function refuseUnaddressed(
  listener: RequestListener,
  refuse: (refusal: AppError) => UnreadAnswer,
): RequestListener {
  return (request, answer) => {
    if (isAddressed(request)) return listener(request, answer);
    const { status, headers, body } = refuse(new AppError('malformed_request'));
    answer.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  };
}

/**
 * Exactly one Host that is not empty, which HTTP/1.0 may leave out (RFC 9112, section 3.2; RFC 9110, section 4.2.1), and
 * nobody's name before it in a target that is a whole address (RFC 9110, section 4.2.4).
 */
function isAddressed({ rawHeaders, headers, httpVersion, url = '' }: IncomingMessage): boolean {
  if (headers.host === undefined ? httpVersion !== '1.0' : headers.host === '') return false;
  if (!url.startsWith('/') && /^[^/]*\/\/[^/?#]*@/.test(url)) return false;
  let hosts = 0;
  // Node keeps the first of several in `headers`, and says nothing of the others.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts <= 1;
}

/** Whether nothing but a refusal would come next: an answer that has begun or is owed must not be mixed up with it. */
function isFreeAfter(last: ServerResponse, socket: Duplex): boolean {
  // Answered before it was read to its end, it has had its answer.
  if (last.writableFinished) return last.req.complete;
  // An answer without the socket waits for one before it.
  return !last.req.complete && !last.headersSent && last.socket === socket;
}

function textOf({ status, headers, body }: UnreadAnswer): string {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
