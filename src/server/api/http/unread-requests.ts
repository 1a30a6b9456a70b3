/**
 * Stands between the connections and the application. Refuses what Node cannot read as a request, in place of Node's own
 * bare status line; hands over one request of a connection at a time, while few others wait; and ends a connection only
 * after an answer that says so. Hides when a connection is free for an answer, and how it is closed so that the answer arrives.
 */
import {
  createServer,
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Socket } from 'node:net';
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

/** What is discarded of a connection that is being closed; a sender of more is left waiting until it is cut. */
const MAX_DISCARDED_BYTES = 1024 * 1024;

/** How many half-sent requests and their connections are ended in one turn of the event loop; each takes some 0.1 ms. */
const ENDINGS_PER_TURN = 16;

/** Long enough for an answer to arrive, and for its sender to notice, before the connection is cut. */
const LINGER_MS = 2_000;

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * An answer that keeps its connection only if its request has arrived whole: otherwise nobody knows when the next request
 * begins on it, or whether it ever does, and a proxy would send somebody else's there (RFC 9112, sections 9.3 and 9.6).
 */
class FramingAwareResponse extends ServerResponse {
  override writeHead(status: number, message?: string, headers?: Headers): this;
  override writeHead(status: number, headers?: Headers): this;
  override writeHead(status: number, first?: string | Headers, second?: Headers): this {
    if (!this.req.complete && hasBody(this.req)) this.shouldKeepAlive = false;
    return typeof first === 'string'
      ? super.writeHead(status, first, second)
      : super.writeHead(status, first);
  }
}

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
 * A server that hands each request to `listener` once the answer before it on its connection has been taken. Answers with
 * what `refuse` makes of the refusal whatever cannot be read, and closes the connection.
 */
export function createRequestServer(
  options: ServerOptions,
  listener: RequestListener,
  refuse: (refusal: AppError, peer?: string) => UnreadAnswer,
): Server {
  const defer = createDeferral();
  const server = createServer({
    ...options,
    ServerResponse: FramingAwareResponse,
    IncomingMessage: createRequestClass(defer),
  });
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const addressed = refuseUnaddressed(listener, refuse);

  // Node calls it after an answer that says that it is the last.
  server.on('connection', (socket) => {
    socket.destroySoon = () => closeGently(socket);
  });

  server.on('request', (request, answer) => {
    const { socket } = request;
    // Node goes on with what it has received when a connection has been closed.
    if (!socket.writable) return;
    // A server that stops closes its connections; and framing that HTTP/1.0 does not know may be wrong (RFC 9112, section 6.1).
    if (!server.listening || isFaultyFraming(request)) answer.shouldKeepAlive = false;
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

  // Node would close the connection without a word.
  server.on('connect', ({ socket }) => {
    const refusal = textOf(refuse(new AppError('malformed_request'), peerOf(socket)));
    // Whoever has asked for a tunnel may cut the line; Node has taken its own listeners off it.
    socket.on('error', () => {});
    const last = pipelines.get(socket)?.last;
    if (last === undefined || last.writableFinished) return closeGently(socket, refusal);
    last.once('close', () => closeGently(socket, refusal));
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = pipelines.get(socket)?.last;
    const isFree = socket.writable && (last === undefined || isFreeAfter(last, socket));
    // Whoever ends the line in the middle of a request waits for no answer to it; thousands may do so in one moment.
    if (isFree && last && !last.req.complete && hasEnded(socket)) return defer(() => socket.destroy());
    const code = REFUSALS_BY_ERROR[error.code ?? ''] ?? 'malformed_request';
    const refusal = isFree ? textOf(refuse(new AppError(code), peerOf(socket))) : '';
    // A sender that is too slow has had its time; a broken connection, or one that is being closed, needs none.
    if (!isFree || code === 'request_timeout') socket.end(refusal, () => socket.destroy());
    else closeGently(socket, refusal);
  });
  return server;
}

/**
 * Ends this side of a connection, after `text`, and waits a moment for the other side: to cut a connection on which something
 * still arrives may destroy the answer on its way (RFC 9112, section 9.6). What arrives is no request any more.
 */
function closeGently(socket: Duplex, text = ''): void {
  if (!socket.writable) return void socket.destroy();
  let discarded = 0;
  socket.removeAllListeners('data');
  socket.on('data', (piece: Buffer) => {
    discarded += piece.length;
    if (discarded > MAX_DISCARDED_BYTES) socket.pause();
  });
  socket.once('end', () => socket.destroy());
  const cutting = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(cutting));
  socket.end(text);
  socket.resume();
}

/**
 * A function that defers tasks and runs `ENDINGS_PER_TURN` of them in each turn of the event loop. A client that closes thousands of
 * connections in one moment would otherwise keep the loop until all of them are cleared away.
 */
function createDeferral(): (task: () => void) => void {
  const waiting: (() => void)[] = [];
  let isComing = false;
  const runSome = () => {
    const tasks = waiting.splice(0, ENDINGS_PER_TURN);
    isComing = waiting.length > 0;
    if (isComing) setImmediate(runSome);
    for (const task of tasks) task();
  };
  return (task) => {
    waiting.push(task);
    if (isComing) return;
    isComing = true;
    setImmediate(runSome);
  };
}

/** The class of requests whose `error` and `close` are deferred when the connection ends in the middle of the body. */
function createRequestClass(defer: (task: () => void) => void): typeof IncomingMessage {
  return class extends IncomingMessage {
    override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
      const end = () => super._destroy(error, done);
      if (this.complete) end();
      else defer(end);
    }
  };
}

/** Whether the other side has ended the line. */
function hasEnded(socket: Duplex): boolean {
  return socket.readableEnded || socket.destroyed;
}

function peerOf(socket: Duplex): string | undefined {
  return socket instanceof Socket ? socket.remoteAddress : undefined;
}

/** Whether the headers announce a body (RFC 9112, section 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function isFaultyFraming({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}

/** Refuses requests whose host is not given as it should be, and hands all others to `listener`. */
function refuseUnaddressed(
  listener: RequestListener,
  refuse: (refusal: AppError, peer?: string) => UnreadAnswer,
): RequestListener {
  return (request, answer) => {
    if (isAddressed(request)) return listener(request, answer);
    const peer = request.socket.remoteAddress;
    const { status, headers, body } = refuse(new AppError('malformed_request'), peer);
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
