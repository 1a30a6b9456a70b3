/**
 * The whole HTTP surface on one page, in the order in which a request meets it.
 */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { trpcServer } from '@hono/trpc-server';
import { Hono, type Context as HonoContext } from 'hono';
import { cors } from 'hono/cors';
import { matchedRoutes } from 'hono/route';
import type { Logger } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { RandomBytes } from '#shared/ids.ts';
import { createAddressGroup, networkAround } from './api/client-address.ts';
import { bearerToken, type Context, DeviceOfRequest } from './api/context.ts';
import { serveApiDocs } from './api/docs.ts';
import { createEnvelope, doorGuard, isEventStream, refuseOtherMethods } from './api/door.ts';
import { headersOf, refusalOf, unreadCall } from './api/refusals.ts';
import { answerProblem, createRestAdapter, problemOf } from './api/rest.ts';
import { appRouter } from './api/router.ts';
import { STREAM_HEARTBEAT_MS, trpcErrorOf } from './api/trpc.ts';
import type { UnreadAnswer } from './api/unread-requests.ts';
import { wireText } from './api/wire.ts';
import { createAccounts } from './auth/accounts.ts';
import { createDeviceMarks } from './auth/device-marks.ts';
import type { Passwords } from './auth/passwords.ts';
import { createSessions } from './auth/sessions.ts';
import { createTurns } from './auth/turns.ts';
import type { Config } from './config.ts';
import { createLimits, createNoLimits } from './limits/limits.ts';
import type { InlineSources, Pages } from './pages/pages.ts';
import { createQrCodes } from './qr-codes/qr-codes.ts';
import type { Secrets, Storage } from './storage/storage.ts';
import { createFairTurns } from './tips/fair-turns.ts';
import { createTipFeed } from './tips/tip-feed.ts';
import { createTransactionView } from './tips/transaction-view.ts';
import { createTransactions } from './tips/transactions.ts';

declare module 'hono' {
  interface ContextVariableMap {
    requestId: string;
    /** What a request asks for, for the log: the pattern of its path, or the known procedures that it calls. */
    route: string;
  }
}

const LOOKUP_ROUTE = '/api/qr-codes/:qrId';
const LOOKUP_URL = /^https?:\/\/[^/]+\/api\/qr-codes\/([A-Za-z0-9-]{1,64})$/;
const MAX_BATCH_SIZE = 10;
/** A page of a history, or the count of a busy day, takes some milliseconds. */
const QUERIES_PER_TURN = 2;
const STREAM_STALL_MS = 3 * STREAM_HEARTBEAT_MS;

export interface AppDependencies {
  readonly config: Config;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
  /** The built client, ready to be served; null serves no pages. */
  readonly pages: Pages | null;
  /** Whether the process is on its way out and takes no new work. */
  readonly isShuttingDown: () => boolean;
}

export interface App {
  readonly fetch: Hono['fetch'];
  readonly request: Hono['request'];
  /** The answer to what could not be read as a request. */
  refuseUnread(refusal: AppError): UnreadAnswer;
  /** Ends the streams of sessions that have expired, and saves what could not be saved before; to be called every second. */
  tick(): Promise<void>;
  /** Deletes what has expired; to be called now and then. */
  sweep(): Promise<void>;
  /** How many event streams are open. */
  streams(): number;
  /** Ends all streams, so that the process can end; their clients connect again elsewhere or later. */
  endStreams(): void;
}

/** Composes the product: chapters over the storage, both doors over the chapters. */
export function createApp(deps: AppDependencies): App {
  const { config, storage, passwords, clock, random, log, pages, secrets } = deps;
  const { publicUrl } = config;

  const sessions = createSessions({ storage, clock, random, lifetimeMs: config.sessionLifetimeMs });
  const view = createTransactionView(secrets.giver_pseudonym);
  const tipFeed = createTipFeed(storage, view);
  const services = {
    sessions,
    accounts: createAccounts({ storage, sessions, passwords, clock, random }),
    qrCodes: createQrCodes({ storage, clock, random, publicUrl }),
    tipFeed,
    transactions: createTransactions({ storage, clock, random, feed: tipFeed, view }),
    limits: config.isRateLimited ? createLimits(storage, clock) : createNoLimits(),
    turns: createTurns(),
    queryTurns: createFairTurns(QUERIES_PER_TURN),
  };
  const deviceMarks = createDeviceMarks({
    key: secrets.device_mark,
    random,
    isSecure: publicUrl.startsWith('https:'),
  });
  const addressGroup = createAddressGroup(config.trustedProxies);
  const contextOf = (c: HonoContext): Context => ({
    services,
    requestId: c.get('requestId'),
    token: bearerToken(c.req.header('Authorization')),
    address() {
      const address = addressGroup(socketOf(c)?.remoteAddress, c.req.header('X-Forwarded-For'));
      return { address, network: networkAround(address) };
    },
    device: new DeviceOfRequest(() => deviceMarks.read(c.req.header('Cookie'))),
    onHangUp: (listener) => onClose(socketOf(c), listener),
    userAgent: c.req.header('User-Agent'),
  });

  /** Writes down what nobody should have met; refusals are business as usual. */
  const report = (error: unknown, requestId: string) => {
    const refusal = refusalOf(error);
    if (refusal.code === 'internal') log.error({ requestId, err: refusal.cause }, 'unexpected error');
    if (refusal.code === 'storage_unavailable')
      log.warn({ requestId, err: refusal.cause }, 'storage unavailable');
  };

  const envelope = createEnvelope(
    {
      ofPages: contentSecurityPolicy(pages?.inlineSources ?? NOTHING_INLINE),
      ofOthers: contentSecurityPolicy(NOTHING_INLINE),
    },
    publicUrl.startsWith('https:'),
  );
  const app = new Hono();

  const logRequest = (
    requestId: string,
    method: string,
    route: string,
    status: number,
    startedAt: number,
  ) => {
    const durationMs = Math.round(performance.now() - startedAt);
    log.info({ requestId, method, route, status, durationMs }, 'request');
  };
  app.use(async (c, next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    c.set('requestId', requestId);
    await next();
    if (!envelope.isComplete(c.res)) {
      envelope.complete(c.res, requestId, c.req.path);
      // Heartbeats keep a socket busy; one that takes nothing for this long has nobody behind it.
      if (isEventStream(c.res)) socketOf(c)?.setTimeout(STREAM_STALL_MS);
    }
    logRequest(requestId, c.req.method, routeOf(c), c.res.status, startedAt);
  });
  if (config.corsOrigins.length > 0) {
    const allowOrigins = cors({
      origin: [...config.corsOrigins],
      allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'Last-Event-ID'],
      exposeHeaders: ['Link', 'Retry-After', 'X-Request-Id'],
      maxAge: 600,
    });
    app.use('/api/*', allowOrigins);
    app.use('/trpc/*', allowOrigins);
  }

  const proveWritable = atMostOnceASecond(clock, () => storage.proveWritable());
  const notKept = { 'Cache-Control': 'no-store' };
  app.get('/healthz', (c) => c.text('ok', 200, notKept));
  app.get('/readyz', async (c) => {
    if (deps.isShuttingDown()) throw new AppError('shutting_down');
    await proveWritable();
    return c.text('ok', 200, notKept);
  });
  for (const probe of ['/healthz', '/readyz']) refuseOtherMethods(app, probe);

  for (const door of ['/api/*', '/trpc/*']) app.use(door, doorGuard(deps.isShuttingDown));

  serveApiDocs(app, publicUrl);
  app.route('/api', createRestAdapter(envelope, contextOf, report));
  app.use(
    '/trpc/*',
    trpcServer({
      endpoint: '/trpc',
      router: appRouter,
      maxBatchSize: MAX_BATCH_SIZE,
      createContext: ({ info }, c) => {
        const called = info.calls.filter(({ procedure }) => procedure).map(({ path }) => path);
        if (called.length > 0) c.set('route', `/trpc/${called.join()}`);
        return { ...contextOf(c) };
      },
      responseMeta({ ctx, errors, type }) {
        // Refused before there was a context, so that the answer would lack its request id and its type.
        if (!ctx) throw unreadCall(errors[0]);
        const refusals = errors.map(refusalOf);
        const headers = new Headers({ ...headersOf(...refusals), ...ctx.device.headers() });
        if (refusals.some(({ status }) => status === 405))
          headers.set('Allow', type === 'mutation' ? 'POST' : 'GET, HEAD');
        return { headers };
      },
      onError: ({ error, ctx }) => ctx && report(error, ctx.requestId),
    }),
  );

  app.use('/api/*', () => {
    throw new AppError('not_found');
  });
  pages?.serve(app, async (c, qrId) => {
    try {
      return { status: 'found', found: await services.qrCodes.lookup(qrId) };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.code === 'qr_code_not_found') return { status: 'unknown' };
      report(error, c.get('requestId'));
      return { status: 'failed', detail: refusal.message };
    }
  });

  app.notFound((c) => answerProblem(c, new AppError('not_found'), c.get('requestId'), publicUrl));
  app.onError((error, c) => {
    const requestId = c.get('requestId');
    report(error, requestId);
    if (!c.req.path.startsWith('/trpc')) return answerProblem(c, error, requestId, publicUrl);
    const refusal = refusalOf(error);
    for (const [name, value] of Object.entries(headersOf(refusal))) c.header(name, value);
    return c.json({ error: trpcErrorOf(refusal, requestId, null) }, refusal.status);
  });

  /**
   * Answers a look-up of a remembered code before any routing: whatever the way through the application would do, it
   * did it for the same code before, and would answer the same. Everything else takes that way.
   */
  const recall = (request: Request): Response | null => {
    const startedAt = performance.now();
    if (request.method !== 'GET' || deps.isShuttingDown() || config.corsOrigins.length > 0) return null;
    const text = LOOKUP_URL.exec(request.url)?.[1];
    const found = text === undefined ? null : services.qrCodes.recall(text);
    if (!found) return null;
    const requestId = randomUUID();
    const response = envelope.json(requestId, wireText(found), 200);
    logRequest(requestId, 'GET', LOOKUP_ROUTE, 200, startedAt);
    return response;
  };

  const route = app.fetch;
  app.fetch = (request, ...rest) => recall(request) ?? route(request, ...rest);

  return {
    fetch: app.fetch,
    request: app.request,
    refuseUnread(refusal) {
      const requestId = randomUUID();
      const { status, code } = refusal;
      report(refusal, requestId);
      log.info({ requestId, status, code }, 'unreadable request');
      return {
        status,
        headers: {
          ...envelope.headers(requestId),
          'content-type': 'application/problem+json',
          date: new Date(clock()).toUTCString(),
          connection: 'close',
        },
        body: JSON.stringify(problemOf(refusal, requestId, publicUrl)),
      };
    },
    tick: () => sessions.tick(),
    async sweep() {
      await sessions.sweep();
      await services.limits.sweep();
    },
    streams: () => tipFeed.size(),
    endStreams: () => tipFeed.close(),
  };
}

const NOTHING_INLINE: InlineSources = { script: [], style: [] };

function contentSecurityPolicy(inline: InlineSources): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...inline.script].join(' '),
    ["style-src 'self'", ...inline.style].join(' '),
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The pattern, not the path: what people put into a path is none of the log's business. */
function routeOf(c: HonoContext): string {
  const route: string | undefined = c.get('route');
  if (route !== undefined) return route;
  const routes = matchedRoutes(c).map(({ path }) => path);
  return routes.findLast((path) => !path.endsWith('*')) ?? routes.at(-1) ?? '*';
}

/** The socket of a request; none when the app is called without one. */
function socketOf(c: HonoContext): Socket | undefined {
  const bindings: Partial<HttpBindings> | undefined = c.env;
  return bindings?.incoming?.socket;
}

/** Calls `listener` when the socket has closed, which may have been before. @returns a function that stops listening. */
function onClose(socket: Socket | undefined, listener: () => void): () => void {
  if (socket?.closed) listener();
  // As many as there are streams on one connection; Node would warn of the eleventh.
  socket?.setMaxListeners(0).once('close', listener);
  return () => socket?.off('close', listener);
}

/** Answers with the last result for a second, so that probes cannot wear out the disk. */
function atMostOnceASecond<Result>(clock: Clock, probe: () => Promise<Result>): () => Promise<Result> {
  let last: { readonly at: number; readonly result: Promise<Result> } | null = null;
  return () => {
    const now = clock();
    if (last === null || now < last.at || now - last.at >= 1_000) last = { at: now, result: probe() };
    return last.result;
  };
}
