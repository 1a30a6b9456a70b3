/**
 * What every request through either door has to pass before anything reads it: JSON in UTF-8, of a bounded size, while
 * the server takes new work; and what every answer carries.
 */
import { isUtf8 } from 'node:buffer';
import type { Hono, Context as HonoContext, MiddlewareHandler } from 'hono';
import { AppError } from '#shared/errors.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** Whoever sends a body as it is made sends some KiB at a time; each piece costs as much as thousands of bytes. */
const MAX_BODY_PIECES = 1_000;

/** Where the doors stand. */
const DOORS = ['/api', '/trpc'] as const;

/** Marks an answer that was made whole. */
const isComplete = Symbol('is complete');

/** What every answer carries, and the two ways in which it comes by that. */
export interface Envelope {
  /**
   * An answer of a door that carries everything from the start: putting headers on a finished one costs a second,
   * heavier answer, so that those which matter are made here.
   */
  json(requestId: string, text: string | null, status: number, headers?: Record<string, string>): Response;
  /** The headers of an answer that is made without the framework, and kept by nobody. */
  headers(requestId: string): Record<string, string>;
  /** Whether an answer was made by `json` and is still as it was made. */
  isComplete(response: Response): boolean;
  /** Puts on whatever an answer made in any other way lacks. `path` is that of the request. */
  complete(response: Response, requestId: string, path: string): void;
}

/**
 * @param policies the Content-Security-Policy of the pages outside of the doors, and that of everything else.
 * @param isSecure whether browsers may be told to come by https only.
 */
export function createEnvelope(
  policies: { readonly ofPages: string; readonly ofOthers: string },
  isSecure: boolean,
): Envelope {
  const ofAnswer: Readonly<Record<string, string>> = {
    'content-security-policy': policies.ofOthers,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
  };
  const ofNothing = { 'cache-control': 'no-store', ...ofAnswer };
  const ofJson = { 'content-type': 'application/json', ...ofNothing };

  return {
    json(requestId, text, status, ofOne) {
      // The length comes first: it is looked for among all of them.
      const headers: Record<string, string> =
        text === null
          ? { ...ofNothing, 'x-request-id': requestId }
          : { 'content-length': String(Buffer.byteLength(text)), ...ofJson, 'x-request-id': requestId };
      if (ofOne) Object.assign(headers, ofOne);
      const response: Response & { [isComplete]?: true } = new Response(text, { status, headers });
      response[isComplete] = true;
      return response;
    },

    headers: (requestId) => ({ ...ofNothing, 'x-request-id': requestId }),

    // An answer that was put together anew from one made here has lost the mark, and gets its headers like any other.
    isComplete: (response) => Object.hasOwn(response, isComplete),

    complete(response, requestId, path) {
      const { headers } = response;
      for (const [name, value] of Object.entries(ofAnswer)) headers.set(name, value);
      headers.set('x-request-id', requestId);
      if (!DOORS.some((door) => path === door || path.startsWith(`${door}/`))) {
        if (headers.get('content-type')?.startsWith('text/html'))
          headers.set('content-security-policy', policies.ofPages);
        return;
      }
      if (isEventStream(response) || !headers.has('cache-control')) headers.set('cache-control', 'no-store');
    },
  };
}

/** Whether an answer goes on after its headers, with server-sent events. */
export function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false;
}

/**
 * The guard of a door.
 * @throws AppError `shutting_down`, `not_json`, `body_too_large`, `malformed_json` (bytes that are not UTF-8),
 *   `malformed_request` (a body that ends before its end).
 */
export function doorGuard(isShuttingDown: () => boolean): MiddlewareHandler {
  return async (c, next) => {
    if (isShuttingDown()) throw new AppError('shutting_down');
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    const isRead = hasBody(c);
    if (isRead) requireJson(c);
    return limitBody(c, async () => {
      if (isRead) await requireUtf8(c);
      await next();
    });
  };
}

/** Refuses every other method at `path`, naming those that it has; to be called after they were added. */
export function refuseOtherMethods(app: Hono, path: string, methods: readonly string[] = ['GET']): void {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  app.all(path, (c) => {
    c.header('Allow', allowed);
    throw new AppError('method_not_allowed');
  });
}

/** A length that is announced needs no counting: no more than that is ever read (RFC 9112, section 6.3). */
const limitBody: MiddlewareHandler = async (c, next) => {
  const length = c.req.header('Content-Length');
  if (length === undefined || c.req.header('Transfer-Encoding') !== undefined) {
    try {
      await readPieces(c);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error;
      // A sender that broke off in the middle, or sent no chunks.
      throw new AppError('malformed_request', { cause: error });
    }
    return next();
  }
  if (Number(length) > MAX_BODY_BYTES) throw new AppError('body_too_large');
  return next();
};

/** Reads a body of unknown length as far as it may go. The bytes stay with the request for whoever reads them next. */
async function readPieces(c: HonoContext): Promise<void> {
  const reader = c.req.raw.body?.getReader();
  if (reader === undefined) return;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_BODY_BYTES || pieces.length === MAX_BODY_PIECES) throw new AppError('body_too_large');
    pieces.push(value);
  }
  c.req.raw = new Request(c.req.raw, { body: Buffer.concat(pieces, size) });
}

/** RFC 9112, section 6.3: without either of its two headers a request has no body, and then needs no type. */
function hasBody(c: HonoContext): boolean {
  return (
    c.req.method === 'POST' &&
    (c.req.header('Content-Type') !== undefined ||
      c.req.header('Transfer-Encoding') !== undefined ||
      (c.req.header('Content-Length') ?? '0') !== '0')
  );
}

function requireJson(c: HonoContext): void {
  const contentType = c.req.header('Content-Type') ?? '';
  if (!/^application\/json *(?:;|$)/i.test(contentType)) throw new AppError('not_json');
  if (contentType.startsWith('application/json')) return;
  // Media types know no case (RFC 9110, section 8.3.1); tRPC does.
  const headers = new Headers(c.req.raw.headers);
  headers.set('Content-Type', contentType.toLowerCase());
  c.req.raw = new Request(c.req.raw, { headers });
}

/** RFC 8259, section 8.1. The bytes stay with the request for whoever reads them next. */
async function requireUtf8(c: HonoContext): Promise<void> {
  const body = await c.req.arrayBuffer().catch((cause: unknown) => {
    throw new AppError('malformed_request', { cause });
  });
  if (!isUtf8(body)) throw new AppError('malformed_json');
}
