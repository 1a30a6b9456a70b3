/**
 * Refuses what Node cannot parse with a problem document, hands over one request of a connection at a time, and closes
 * a connection only after an answer that says so. Node itself starts every request of one read at once: twenty
 * connections with 1,500 pipelined requests each, whose answers take 0.15 ms of CPU and are not read, stopped the event
 * loop for up to 5.2 s; one at a time, they stopped it for up to 0.4 s.
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

/** The refusals by the error code of Node's parser; any other request is malformed. */
const REFUSALS_BY_ERROR: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
};

export interface UnreadAnswer {
  readonly status: number;
  /** The headers close the connection, because nobody knows where the next request on it would begin. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The number of answers that a connection may be owed: more than any browser or proxy asks for before it has one. A
 * server may close a connection on the others, which are then sent again (RFC 9112, section 9.3.2).
 */
const MAX_ANSWERS_OWED = 10;

/** A connection that sends more requests before it takes an answer is destroyed. */
const MAX_REQUESTS_READ = 50;

/** The bytes that are discarded of a closing connection; a sender of more waits until it is destroyed. */
const MAX_DISCARDED_BYTES = 1024 * 1024;

/** The half-sent requests that are ended in one turn of the event loop; each takes some 0.1 ms. */
const ENDINGS_PER_TURN = 16;

/** A chunked body comes some KiB at a time, and each piece costs as much as thousands of bytes. */
export const MAX_BODY_PIECES = 1_000;

/** More than any client and its proxies send. */
const MAX_HEADERS = 1_000;

/** Long enough for an answer to arrive before the connection is destroyed. */
const LINGER_MS = 2_000;

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Keeps the connection alive only if the request has arrived whole: otherwise nobody knows when the next one
 * begins, and a proxy would send somebody else's there (RFC 9112, sections 9.3 and 9.6).
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

interface Pipeline {
  /** The answer to the request that was handed over last. */
  present: ServerResponse;
  /** The answer after which the next request is handed over. */
  last: ServerResponse;
  waitingCount: number;
  /** True once too many waited, or what came was no request; nothing later is answered. */
  isFull: boolean;
}

/**
 * Hands each request to `listener` once the answer before it on its connection was taken. What `refuse` answers closes
 * the connection.
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
  // Older Node.js (seen on 22.14) leaves the last ones out in silence: a proxy's word on who asks, or a length.
  server.maxHeadersCount = 0;
  const pipelines = new WeakMap<Duplex, Pipeline>();
  const addressed = refuseUnaddressed(listener, refuse);

  // Node calls destroySoon after an answer that closes the connection.
  server.on('connection', (socket) => {
    socket.destroySoon = () => closeGently(socket);
  });

  server.on('request', (request, answer) => {
    const { socket } = request;
    // Node goes on with parsed requests after a connection was closed.
    if (!socket.writable) return;
    // A server that stops closes its connections; and HTTP/1.0 knows no chunked framing (RFC 9112, section 6.1).
    if (!server.listening || isFaultyFraming(request) || asksForUpgrade(request))
      answer.shouldKeepAlive = false;
    const pipeline = pipelines.get(socket);
    if (pipeline === undefined) {
      pipelines.set(socket, { present: answer, last: answer, waitingCount: 0, isFull: false });
      return addressed(request, answer);
    }
    const { last } = pipeline;
    if (pipeline.waitingCount === 0 && last.writableFinished) {
      pipeline.last = answer;
      pipeline.present = answer;
      return addressed(request, answer);
    }
    pipeline.waitingCount += 1;
    if (pipeline.waitingCount > MAX_REQUESTS_READ) return socket.destroy();
    if (pipeline.isFull) return;
    if (pipeline.waitingCount === MAX_ANSWERS_OWED) {
      pipeline.isFull = true;
      // Node closes the connection after this answer, which has not begun.
      last.setHeader('connection', 'close');
      return;
    }
    pipeline.last = answer;
    last.once('close', () => {
      if (!socket.writable) return;
      pipeline.waitingCount -= 1;
      pipeline.present = answer;
      addressed(request, answer);
    });
  });
  // An expectation other than "100-continue" may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer));

  server.on('connect', ({ socket }) => {
    const refusal = textOf(refuse(new AppError('malformed_request'), peerOf(socket)));
    // Node has removed its own listeners, and an error without any ends the process.
    socket.on('error', () => {});
    const last = pipelines.get(socket)?.last;
    if (last === undefined || last.writableFinished) return closeGently(socket, refusal);
    last.once('close', () => closeGently(socket, refusal));
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const pipeline = pipelines.get(socket);
    const last = pipeline?.last;
    const isFree = socket.writable && (last === undefined || isFreeAfter(last, socket));
    // A sender that ends the connection in the middle of a request waits for no answer; thousands may do so at once.
    if (isFree && last && !last.req.complete && hasEnded(socket)) return defer(() => socket.destroy());
    const code = REFUSALS_BY_ERROR[error.code ?? ''] ?? 'malformed_request';
    // A wrong Content-Length makes a broken request of the rest of a body: its sender still gets the answer. One that has
    // begun may be a stream, which would go on for good.
    if (pipeline && socket.writable && isOwed(pipeline.last) && !pipeline.present.headersSent) {
      if (!pipeline.isFull) endAfter(pipeline, socket);
      return;
    }
    const refusal = isFree ? textOf(refuse(new AppError(code), peerOf(socket))) : '';
    // A sender that was too slow has had its time; a broken or closing connection needs none.
    if (!isFree || code === 'request_timeout') socket.end(refusal, () => socket.destroy());
    else closeGently(socket, refusal);
  });
  return server;
}

/** Sends the answers that are owed, and closes the connection. */
function endAfter(pipeline: Pipeline, socket: Duplex): void {
  const { last } = pipeline;
  pipeline.isFull = true;
  last.shouldKeepAlive = false;
  discardInput(socket, () => (last.headersSent ? socket.destroy() : socket.pause()));
  last.once('close', () => closeGently(socket));
  // Nobody else notices that the reader of a stream has left; an answer that has not begun is still sent.
  const endBegun = () => void (last.headersSent && socket.end());
  if (hasEnded(socket)) endBegun();
  else socket.once('end', endBegun);
}

/**
 * Ends this side of a connection, and waits a moment for the other: destroying a connection on which data still arrives
 * may destroy the answer on its way (RFC 9112, section 9.6).
 */
function closeGently(socket: Duplex, text = ''): void {
  if (!socket.writable) return void socket.destroy();
  socket.once('end', () => socket.destroy());
  const cutting = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(cutting));
  socket.end(text);
  discardInput(socket, () => socket.pause());
}

function discardInput(socket: Duplex, onTooMuch: () => void): void {
  let discarded = 0;
  socket.removeAllListeners('data');
  socket.on('data', (piece: Buffer) => {
    discarded += piece.length;
    if (discarded > MAX_DISCARDED_BYTES) onTooMuch();
  });
  socket.resume();
}

/** A client that closes thousands of connections at once would otherwise stop the loop until all are cleared away. */
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

/** Defers `error` and `close` when the connection ends in the middle of the body, which has a bounded number of pieces. */
function createRequestClass(defer: (task: () => void) => void): typeof IncomingMessage {
  return class extends IncomingMessage {
    #countPieces = 0;

    /** Node calls this for each chunk that it has parsed, however many come at once. */
    override push(piece: unknown, encoding?: BufferEncoding): boolean {
      // A body that is announced is bounded by its length, and each of its pieces was a packet.
      if (piece !== null && this.headers['transfer-encoding'] !== undefined) {
        // The reader refuses the body at this piece, and keeping the others would cost more than parsing them.
        if (this.#countPieces > MAX_BODY_PIECES) return false;
        this.#countPieces += 1;
      }
      return super.push(piece, encoding);
    }

    override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
      const end = () => super._destroy(error, done);
      if (this.complete) end();
      else defer(end);
    }
  };
}

function hasEnded(socket: Duplex): boolean {
  return socket.readableEnded || socket.destroyed;
}

function peerOf(socket: Duplex): string | undefined {
  return socket instanceof Socket ? socket.remoteAddress : undefined;
}

/** A request with either header has a body (RFC 9112, section 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function isFaultyFraming({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}

/** Nobody here changes the protocol, and Node discards whatever it has read behind such a request (seen on 26.10). */
function asksForUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined;
}

function refuseUnaddressed(
  listener: RequestListener,
  refuse: (refusal: AppError, peer?: string) => UnreadAnswer,
): RequestListener {
  return (request, answer) => {
    const hasTooMany = request.rawHeaders.length > 2 * MAX_HEADERS;
    if (!hasTooMany && isAddressed(request)) return listener(request, answer);
    const peer = request.socket.remoteAddress;
    const refusal = new AppError(hasTooMany ? 'headers_too_large' : 'malformed_request');
    const { status, headers, body } = refuse(refusal, peer);
    answer.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  };
}

/**
 * RFC 9112, section 3.2, and RFC 9110, sections 4.2.1 and 4.2.4: exactly one Host that is not empty, which HTTP/1.0 may
 * leave out, and no user before the host in a target that is a whole address.
 */
function isAddressed({ rawHeaders, headers, httpVersion, url = '' }: IncomingMessage): boolean {
  if (headers.host === undefined ? httpVersion !== '1.0' : headers.host === '') return false;
  if (!url.startsWith('/') && /^[^/]*\/\/[^/?#]*@/.test(url)) return false;
  let hosts = 0;
  // `headers` has the first Host only, and `headersDistinct` takes ten times as long as this loop.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts <= 1;
}

/** Whether the request has arrived whole and its answer has not been sent. */
function isOwed(answer: ServerResponse): boolean {
  return answer.req.complete && !answer.writableFinished;
}

/** A refusal must not stand in or before an answer that has begun or is owed. */
function isFreeAfter(last: ServerResponse, socket: Duplex): boolean {
  // A request that was answered before it was read whole has had its answer.
  if (last.writableFinished) return last.req.complete;
  // An answer without a socket waits for the one before it.
  return !last.req.complete && !last.headersSent && last.socket === socket;
}

/** Node has no ServerResponse for what it could not parse (https://nodejs.org/api/http.html#event-clienterror). */
function textOf({ status, headers, body }: UnreadAnswer): string {
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`;
}
