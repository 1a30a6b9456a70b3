/**
 * Answers what Node cannot read as a request: a broken line, headers that are too large, a sender that is too slow, no
 * saying to whom it goes. Node would do it by itself, with a bare status line. Hides when a connection is free for an answer.
 */
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
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

/** Answers with what `refuse` makes of the refusal, and closes the connection. */
export function answerUnread(server: Server, refuse: (refusal: AppError) => UnreadAnswer): void {
  const lastAnswers = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (request, answer) => lastAnswers.set(request.socket, answer));
  // Whoever expects anything else than "100-continue" gets an ordinary answer (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, answer) => server.emit('request', request, answer));

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = lastAnswers.get(socket);
    const isFree = socket.writable && (last === undefined || isFreeAfter(last, socket));
    const code = REFUSALS_BY_CAUSE[error.code ?? ''] ?? 'malformed_request';
    // It is destroyed also when it was broken before, or when the peer keeps its own side open.
    socket.end(isFree ? textOf(refuse(new AppError(code))) : '', () => socket.destroy());
  });
}

/** Refuses requests that do not say to whom they go as they should, and hands all others to `listener`. */
export function refuseUnaddressed(
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
