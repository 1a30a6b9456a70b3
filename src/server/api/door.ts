/**
 * What every request through either door has to pass before anything reads it: JSON in UTF-8, of a bounded size, while
 * the server takes new work; and what every answer carries.
 */
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { AppError } from '#shared/errors.ts';

const MAX_BODY_BYTES = 64 * 1024;

/**
 * The guards of a door, in their order.
 * @throws AppError `shutting_down`, `not_json`, `body_too_large`, `malformed_json` (bytes that are not UTF-8).
 */
export function doorGuards(isShuttingDown: () => boolean): MiddlewareHandler[] {
  return [
    async (c, next) => {
      await next();
      // Afterwards, because tRPC answers with a response of its own.
      if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
      if (c.res.headers.get('Content-Type')?.startsWith('text/plain'))
        c.header('Content-Type', 'application/json');
    },
    async (c, next) => {
      if (isShuttingDown()) throw new AppError('shutting_down');
      if (hasBody(c)) requireJson(c);
      await next();
    },
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw new AppError('body_too_large');
      },
    }),
    async (c, next) => {
      if (hasBody(c)) await requireUtf8(c);
      await next();
    },
  ];
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
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(await c.req.arrayBuffer());
  } catch (cause) {
    throw new AppError('malformed_json', { cause });
  }
}
