/**
 * Checks a request before anything reads it: the server takes new work, the address has the method, and the body is
 * JSON in UTF-8 of a bounded size.
 */
import { isUtf8 } from 'node:buffer';
import type { Hono, Context as HonoContext, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import { MAX_BODY_PIECES } from './unread-requests.ts';

const MAX_BODY_BYTES = 64 * 1024;
/** The pieces that are kept before they are joined: a piece of one byte takes a hundred of memory. */
const PIECES_APART = 50;

/** The one route whose body is no JSON; it bounds what it reads itself, once it knows who asks. */
const PHOTO_PATH = /^\/api\/qr-codes\/[^/]+\/photo$/;

export const DOORS = ['/api', '/trpc'] as const;

export function isBehindDoor(path: string): boolean {
  return DOORS.some((door) => path === door || path.startsWith(`${door}/`));
}

/** Lets pages of these origins call both doors from a browser (CORS). */
export function allowOrigins(app: Hono, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allow = cors({
    origin: [...origins],
    // The last one is how tRPC's client asks for the answers of a batch one by one.
    allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID', 'trpc-accept'],
    // Hono asks for the methods of the answer that OPTIONS has without CORS.
    allowMethods: (_, c) => c.res.headers.get('Allow')?.split(', ') ?? [],
    exposeHeaders: [
      'Content-Disposition',
      'Link',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'X-Request-Id',
    ],
    maxAge: 600,
  });
  const answer: MiddlewareHandler = async (c, next) => {
    if (c.req.method !== 'OPTIONS') return allow(c, next);
    await next();
    // Every address refuses OPTIONS and names its methods.
    const preflight = c.res.status === 405 ? await allow(c, async () => {}) : undefined;
    if (preflight) c.res = preflight;
  };
  for (const door of DOORS) app.use(`${door}/*`, answer);
}

export function guardDoors(app: Hono, isShuttingDown: () => boolean): void {
  const guard = createDoorGuard(isShuttingDown);
  for (const door of DOORS) app.use(`${door}/*`, guard);
}

/**
 * @throws AppError `shutting_down`, `encoded_body`, `not_json`, `body_too_large`, `malformed_json` (bytes
 *   that are not UTF-8), `malformed_request` (a body that ends early).
 */
export function createDoorGuard(isShuttingDown: () => boolean): MiddlewareHandler {
  return async (c, next) => {
    if (isShuttingDown()) throw new AppError('shutting_down');
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    requirePlainBody(c);
    if (c.req.method === 'PUT' && PHOTO_PATH.test(c.req.path)) return next();
    const isRead = hasBody(c);
    if (isRead) requireJson(c);
    await limitBody(c);
    if (isRead) await requireUtf8(c);
    return next();
  };
}

/** Call it after the routes of `path` were added. */
export function refuseOtherMethods(app: Hono, path: string, methods: readonly string[] = ['GET']): void {
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  app.all(path, (c) => {
    c.header('Allow', allowed);
    throw new AppError('method_not_allowed');
  });
}

/** An announced length needs no counting, because no more is ever read (RFC 9112, section 6.3). */
async function limitBody(c: HonoContext): Promise<void> {
  const length = announcedLength(c);
  if (length === null) {
    const body = await readPieces(c, MAX_BODY_BYTES, 'body_too_large');
    if (body) c.req.raw = new Request(c.req.raw, { body });
  } else if (length > MAX_BODY_BYTES) throw new AppError('body_too_large');
}

/** The Content-Length; null for a chunked body. */
function announcedLength(c: HonoContext): number | null {
  const length = c.req.header('Content-Length');
  return length === undefined || c.req.header('Transfer-Encoding') !== undefined ? null : Number(length);
}

/** @throws AppError `tooLarge`, unread if the length is announced; `malformed_request` for a body that ends early. */
export async function readBytes(c: HonoContext, atMost: number, tooLarge: ErrorCode): Promise<Uint8Array> {
  if ((announcedLength(c) ?? 0) > atMost) throw new AppError(tooLarge);
  return (await readPieces(c, atMost, tooLarge)) ?? new Uint8Array();
}

async function readPieces(
  c: HonoContext,
  atMost: number,
  tooLarge: ErrorCode,
): Promise<Buffer<ArrayBuffer> | null> {
  const reader = c.req.raw.body?.getReader();
  if (reader === undefined) return null;
  let pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (let count = 0; ; count += 1) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(pieces, size);
      size += value.length;
      if (size > atMost || count === MAX_BODY_PIECES) throw new AppError(tooLarge);
      pieces.push(value);
      if (pieces.length === PIECES_APART) pieces = [Buffer.concat(pieces, size)];
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error;
    // The sender closed the connection in the middle, or sent no chunks.
    throw new AppError('malformed_request', { cause: error });
  }
}

/** RFC 9112, section 6.3: without either of its two headers a request has no body, and then needs no type. */
function hasBody(c: HonoContext): boolean {
  return (
    (c.req.method === 'POST' || c.req.method === 'PATCH') &&
    (c.req.header('Content-Type') !== undefined ||
      c.req.header('Transfer-Encoding') !== undefined ||
      (c.req.header('Content-Length') ?? '0') !== '0')
  );
}

/** A packed body is refused, because a small one may unpack to a very large one (RFC 9110, section 8.4). */
function requirePlainBody(c: HonoContext): void {
  const encoding = c.req.header('Content-Encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') throw new AppError('encoded_body');
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

/** JSON is UTF-8 (RFC 8259, section 8.1). */
async function requireUtf8(c: HonoContext): Promise<void> {
  const body = await c.req.arrayBuffer().catch((cause: unknown) => {
    throw new AppError('malformed_request', { cause });
  });
  if (!isUtf8(body)) throw new AppError('malformed_json');
}
