/**
 * Stands between the connections and the application. Refuses what Node cannot read as a request, in place of Node's own
 * bare status line; hands over one request of a connection at a time, while few others wait; and cuts a connection on
 * which a body goes on long after its answer. Hides when a connection is free for an answer.
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

/** The refusals by the code of the error that Node's parser ends with; any other request is malformed. */
const REFUSALS_BY_ERROR: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
};

/** An answer that no request belongs to. */
export interface UnreadAnswer {
  readonly status: number;
  /** They close the connection, because nobody knows where the next request on it would begin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The answers that one connection is owed at once: more than any browser or proxy asks for before it has one. A server
 * may close a connection on the others, which are then asked for anew (RFC 9112, section 9.3.2).
 */
const MAX_ANSWERS_OWED = 10;

/** A connection that sends more requests than this before it takes an answer is cut. */
const MAX_REQUESTS_READ = 50;

/** A body up to this size is read to its end after its answer, because its sender may read only after it has sent. */
const MAX_IDLY_READ_BYTES = 1024 * 1024;

/** Long enough for an answer to arrive before its connection is cut. */
const LINGER_MS = 500;

/** The requests that a connection has sent. */
interface Pipeline {
  /** The answer after which the next request gets its turn. */
  last: ServerResponse;
  /** How many requests have been read and wait for their turn. */
  waitingCount: number;
  /** Whether too many were waiting; later requests are not answered then. */
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
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const addressed = refuseUnaddressed(listener, refuse);

  server.on('request', (request, answer) => {
    const { socket, headers } = request;
    // Node goes on with what it has received when a connection has been cut.
    if (socket.destroyed) return;
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      answer.once('finish', () => stopReading(request, socket));
    const pipeline = pipelines.get(socket);
    if (pipeline === undefined) {
      pipelines.set(socket, { last: answer, waitingCount: 0, isFull: false });
      return addressed(request, answer);
    }
    const { last } = pipeline;
    if (pipeline.waitingCount === 0 && last.writableFinished) {
      pipeline.last = answer;
      return addressed(request, answer);
    }
    pipeline.waitingCount += 1;
    if (pipeline.waitingCount > MAX_REQUESTS_READ) return socket.destroy();
    if (pipeline.isFull) return;
    if (pipeline.waitingCount === MAX_ANSWERS_OWED) {
      pipeline.isFull = true;
      // Node closes the connection after the answer that says so, which has not begun.
      last.setHeader('connection', 'close');
      return;
    }
    pipeline.last = answer;
    last.once('close', () => {
      if (!socket.writable) return;
      pipeline.waitingCount -= 1;
      addressed(request, answer);
    });
  });
  // An expectation other than "100-continue" may be ignored (RFC 9110, section 10.1.1), and gets an ordinary answer.
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer));

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = pipelines.get(socket)?.last;
    const isFree = socket.writable && (last === undefined || isFreeAfter(last, socket));
    const code = REFUSALS_BY_ERROR[error.code ?? ''] ?? 'malformed_request';
    // Destroying it also ends a connection that was broken before, and one whose peer keeps its own side open.
    socket.end(isFree ? textOf(refuse(new AppError(code))) : '', () => socket.destroy());
  });
}

/** Cuts the connection soon if the rest of a long body is still to come, and reads nothing of it meanwhile. */
function stopReading({ complete, headers }: IncomingMessage, socket: Socket): void {
  if (complete || Number(headers['content-length']) <= MAX_IDLY_READ_BYTES) return;
  // Discarding the rest of the body, as the adapter to Node does, makes the connection flow again.
  socket.on('resume', () => socket.pause());
  socket.pause();
  setTimeout(() => socket.destroySoon(), LINGER_MS).unref();
}

/** Refuses requests whose host is not given as it should be, and hands all others to `listener`. */
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
 * Whether a request has exactly one Host that is not empty, which HTTP/1.0 may leave out (RFC 9112, section 3.2; RFC
 * 9110, section 4.2.1), and no user before the host in a target that is a whole address (RFC 9110, section 4.2.4).
 */
function isAddressed({ rawHeaders, headers, httpVersion, url = '' }: IncomingMessage): boolean {
  if (headers.host === undefined ? httpVersion !== '1.0' : headers.host === '') return false;
  if (!url.startsWith('/') && /^[^/]*\/\/[^/?#]*@/.test(url)) return false;
  let hosts = 0;
  // `headers` keeps the first Host only, and `headersDistinct` takes ten times as long as this loop.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts <= 1;
}

/** Whether a refusal may be written: it must not stand in or before an answer that has begun or is owed. */
function isFreeAfter(last: ServerResponse, socket: Duplex): boolean {
  // A request that was answered before it was read to its end has had its answer.
  if (last.writableFinished) return last.req.complete;
  // An answer that has no socket yet waits for the one before it.
  return !last.req.complete && !last.headersSent && last.socket === socket;
}

/**
 * An answer as text: Node has no ServerResponse for what is no request
 * (https://nodejs.org/api/http.html#event-clienterror).
 */
function textOf({ status, headers, body }: UnreadAnswer): string {
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`;
}
