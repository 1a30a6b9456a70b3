/**
 * Answers what Node cannot read as a request: a broken line, headers that are too large, a sender that is too slow. Node
 * would do it by itself, with a bare status line. Hides when a connection is free for an answer.
 */
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
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
