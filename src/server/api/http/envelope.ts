/**
 * Gives every request an id and a line in the log, and every answer its security headers. Setting headers late costs
 * more than answering with them at once, which `json` does.
 */
import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { PHOTO_PREFIX } from '#shared/page-paths.ts';
import type { createClientAddress } from './client-address.ts';
import { isBehindDoor } from './door.ts';
import type { Arrival, RequestLog } from './request-log.ts';

declare module 'hono' {
  interface ContextVariableMap {
    requestId: string;
    arrival: Arrival;
    /** The route in the log: the pattern of a path, or the known procedures of a tRPC call. */
    route: string;
  }
}

export const STREAM_HEARTBEAT_MS = 15_000;

/** A client that takes nothing of an event stream for this long has gone: heartbeats keep its socket busy. */
const STREAM_STALL_MS = 3 * STREAM_HEARTBEAT_MS;

/** The scan screen needs the camera; a page in another site's frame gets none. */
const PERMISSIONS_OF_PAGES = 'camera=(self)';

/** Hashes of inline scripts and styles, as sources of the Content-Security-Policy. */
export interface InlineSources {
  readonly script: readonly string[];
  readonly style: readonly string[];
}

export interface Envelope {
  readonly middleware: MiddlewareHandler;
  /** An answer with all of its headers and `text` as its JSON; null is no body. */
  json(requestId: string, text: string | null, status: number, headers?: Record<string, string>): Response;
  /** The headers of an answer that no cache may keep. */
  headers(requestId: string): Record<string, string>;
}

/** @param isSecure sends HSTS. */
export function createEnvelope(deps: {
  readonly log: RequestLog;
  readonly clientAddress: ReturnType<typeof createClientAddress>;
  readonly inlineSources: InlineSources | undefined;
  readonly isSecure: boolean;
}): Envelope {
  const { log, clientAddress, isSecure, inlineSources } = deps;
  const policyOfPages = contentSecurityPolicy(inlineSources);
  const always: Readonly<Record<string, string>> = {
    'content-security-policy': contentSecurityPolicy(),
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
  const unkept = { 'cache-control': 'no-store', ...always };
  const unkeptJson = { 'content-type': 'application/json', ...unkept };

  function complete({ headers }: Response, requestId: string, path: string): void {
    for (const [name, value] of Object.entries(always)) headers.set(name, value);
    headers.set('x-request-id', requestId);
    const type = headers.get('content-type') ?? '';
    // A provider's own site shows the photo, which needs no login and no cookie.
    if (path.startsWith(PHOTO_PREFIX) && type === 'image/jpeg')
      headers.set('cross-origin-resource-policy', 'cross-origin');
    if (isBehindDoor(path)) {
      if (isEventStream(type) || !headers.has('cache-control')) headers.set('cache-control', 'no-store');
    } else if (type.startsWith('text/html')) {
      headers.set('content-security-policy', policyOfPages);
      headers.set('permissions-policy', PERMISSIONS_OF_PAGES);
    }
  }

  return {
    async middleware(c, next) {
      const peer = nodeSideOf(c).incoming?.socket.remoteAddress;
      const arrival = log.begin(clientAddress(peer, () => c.req.header('X-Forwarded-For')));
      c.set('arrival', arrival);
      c.set('requestId', arrival.requestId);
      await next();
      if (!Object.hasOwn(c.res, isComplete)) {
        complete(c.res, arrival.requestId, c.req.path);
        if (isEventStream(c.res.headers.get('content-type') ?? ''))
          nodeSideOf(c).incoming?.socket.setTimeout(STREAM_STALL_MS);
      }
      const route: string | undefined = c.get('route');
      arrival.end(c.req.method, route ?? patternOf(matchedRoutes(c)), c.res.status);
    },

    json(requestId, text, status, own) {
      const headers: Record<string, string> =
        text === null
          ? { ...unkept, 'x-request-id': requestId }
          : // The adapter to Node searches all headers for the length, and finds it soonest as the first.
            { 'content-length': String(Buffer.byteLength(text)), ...unkeptJson, 'x-request-id': requestId };
      if (own) Object.assign(headers, own);
      const response: Response & { [isComplete]?: true } = new Response(text, { status, headers });
      response[isComplete] = true;
      return response;
    },

    headers: (requestId) => ({ ...unkept, 'x-request-id': requestId }),
  };
}

/** Marks an answer of `json`; one that is put together anew from it loses the mark, and gets its headers again. */
const isComplete = Symbol('is complete');

function isEventStream(contentType: string): boolean {
  return contentType.startsWith('text/event-stream');
}

function patternOf(routes: readonly { readonly path: string }[]): string {
  const paths = routes.map(({ path }) => path);
  return paths.findLast((path) => !path.endsWith('*')) ?? paths.at(-1) ?? '*';
}

function contentSecurityPolicy({ script, style }: InlineSources = { script: [], style: [] }): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...script].join(' '),
    ["style-src 'self'", ...style].join(' '),
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Node's own request and answer; undefined when the app is called without a server. */
export function nodeSideOf(c: HonoContext): Partial<HttpBindings> {
  return c.env ?? {};
}
