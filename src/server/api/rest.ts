/**
 * The REST adapter: one table of method, path and status over the same procedures that the web client calls. No rule
 * of the product lives here; it respells, and answers errors as problem details (RFC 9457).
 */
import { isTrackedEnvelope } from '@trpc/server';
import { Hono, type Context as HonoContext } from 'hono';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import { credentials, login, passwordChange, registration, session, user } from '#shared/accounts.ts';
import { AppError, type ErrorCode, REFUSALS } from '#shared/errors.ts';
import { newQrCode, qrCode, qrCodeLookup } from '#shared/qr-codes.ts';
import { newTip, transaction } from '#shared/tips.ts';
import type { Context } from './context.ts';
import type { Envelope } from './door.ts';
import { headersOf, refusalOf } from './refusals.ts';
import { type Caller, createCaller } from './router.ts';
import { STREAM_HEARTBEAT_MS } from './trpc.ts';
import { fromWire, toWire, wireName, wireText } from './wire.ts';

/** What of a request a row of the table may use. */
interface RestRequest {
  /** The body as the procedure takes it, still unchecked. */
  readonly body: unknown;
  parameter(name: string): string;
  query(name: string): string | undefined;
  header(name: string): string | undefined;
}

interface RestAnswer {
  readonly body: unknown;
  /** Path and query of the next page, if there is one. */
  readonly next?: string | null;
}

/** An answer that goes on: server-sent events, each under an id to resume after. */
interface RestStream {
  readonly event: string;
  /** Tracked: each with its id. */
  readonly items: AsyncIterable<unknown>;
}

export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below /api, in Hono's notation. */
  readonly path: string;
  /** The procedure that it calls, as `router.procedure`. */
  readonly procedure: string;
  readonly isPublic: boolean;
  readonly status: 200 | 201 | 204;
  /** What the request body holds, in the procedure's words. */
  readonly input?: z.ZodType;
  /** What the answer holds, in the procedure's words; a list of it when `isList`. */
  readonly output?: z.ZodType;
  readonly isList?: true;
  /** The refusals of its own, beside those that any route has. */
  readonly refusals: readonly ErrorCode[];
  /** Whether `output` is the data of each server-sent event. */
  readonly isStream?: true;
  call(caller: Caller, request: RestRequest): Promise<RestAnswer | RestStream>;
}

/** A procedure's input from outside is unknown by nature; the procedure itself parses it and refuses what is wrong. */
type Unchecked = <Input, Output>(
  procedure: (input: Input) => Promise<Output>,
  input: unknown,
) => Promise<Output>;
/** Fields of procedures that travel in a header. */
const HEADERS: Readonly<Record<string, string>> = {
  idempotencyKey: 'Idempotency-Key',
  lastEventId: 'Last-Event-ID',
};

const utf8 = new TextDecoder();

const callWith: Unchecked = (procedure, input) => Reflect.apply(procedure, undefined, [input]);

export const REST_ROUTES: readonly RestRoute[] = [
  {
    method: 'POST',
    path: '/auth/register',
    procedure: 'auth.register',
    isPublic: true,
    status: 201,
    input: registration,
    output: user,
    refusals: ['invalid_input', 'email_taken', 'username_taken', 'too_many_requests'],
    call: async (caller, { body }) => ({ body: await callWith(caller.auth.register, body) }),
  },
  {
    method: 'POST',
    path: '/auth/login',
    procedure: 'auth.login',
    isPublic: true,
    status: 200,
    input: credentials,
    output: login.extend({ tokenType: z.literal('bearer') }),
    refusals: ['wrong_credentials', 'invalid_input', 'too_many_requests'],
    call: async (caller, { body }) => {
      const { accessToken, expiresAt, user } = await callWith(caller.auth.login, body);
      return { body: { accessToken, tokenType: 'bearer', expiresAt, user } };
    },
  },
  {
    method: 'POST',
    path: '/auth/logout',
    procedure: 'auth.logout',
    isPublic: false,
    status: 204,
    refusals: [],
    call: async (caller) => ({ body: await caller.auth.logout() }),
  },
  {
    method: 'GET',
    path: '/auth/me',
    procedure: 'auth.me',
    isPublic: false,
    status: 200,
    output: user,
    refusals: [],
    call: async (caller) => ({ body: await caller.auth.me() }),
  },
  {
    method: 'POST',
    path: '/auth/password',
    procedure: 'auth.changePassword',
    isPublic: false,
    status: 204,
    input: passwordChange,
    refusals: ['wrong_password', 'invalid_input', 'too_many_requests'],
    call: async (caller, { body }) => ({ body: await callWith(caller.auth.changePassword, body) }),
  },
  {
    method: 'GET',
    path: '/auth/sessions',
    procedure: 'auth.sessions',
    isPublic: false,
    status: 200,
    output: session,
    isList: true,
    refusals: [],
    call: async (caller) => ({ body: await caller.auth.sessions() }),
  },
  {
    method: 'DELETE',
    path: '/auth/sessions',
    procedure: 'auth.endOtherSessions',
    isPublic: false,
    status: 204,
    refusals: [],
    call: async (caller) => ({ body: await caller.auth.endOtherSessions() }),
  },
  {
    method: 'DELETE',
    path: '/auth/sessions/:sessionId',
    procedure: 'auth.endSession',
    isPublic: false,
    status: 204,
    refusals: ['session_not_found'],
    call: async (caller, { parameter }) => ({
      body: await callWith(caller.auth.endSession, { id: parameter('sessionId') }),
    }),
  },
  {
    method: 'GET',
    path: '/qr-codes',
    procedure: 'qrCodes.list',
    isPublic: false,
    status: 200,
    output: qrCode,
    isList: true,
    refusals: [],
    call: async (caller) => ({ body: await caller.qrCodes.list() }),
  },
  {
    method: 'POST',
    path: '/qr-codes',
    procedure: 'qrCodes.create',
    isPublic: false,
    status: 201,
    input: newQrCode,
    output: qrCode,
    refusals: ['providers_only', 'category_not_offered', 'qr_code_exists', 'invalid_input'],
    call: async (caller, { body }) => ({ body: await callWith(caller.qrCodes.create, body) }),
  },
  {
    method: 'GET',
    path: '/qr-codes/:qrId',
    procedure: 'qrCodes.lookup',
    isPublic: true,
    status: 200,
    output: qrCodeLookup,
    refusals: ['qr_code_not_found'],
    call: async (caller, { parameter }) => ({ body: await caller.qrCodes.lookup({ id: parameter('qrId') }) }),
  },
  {
    method: 'GET',
    path: '/transactions',
    procedure: 'transactions.list',
    isPublic: false,
    status: 200,
    output: transaction,
    isList: true,
    refusals: ['invalid_input'],
    call: async (caller, { query }) => {
      const limit = query('limit');
      const { transactions, nextCursor } = await caller.transactions.list({
        limit: limit === undefined ? null : numberFrom(limit),
        cursor: query('cursor'),
      });
      const next =
        nextCursor && `/api/transactions?${new URLSearchParams({ limit: limit ?? '', cursor: nextCursor })}`;
      return { body: transactions, next };
    },
  },
  {
    method: 'GET',
    path: '/transactions/stream',
    procedure: 'transactions.onTip',
    isPublic: false,
    status: 200,
    output: transaction,
    isStream: true,
    refusals: ['invalid_input', 'too_many_requests'],
    call: async (caller, { header }) => ({
      event: 'tip',
      items: await caller.transactions.onTip({ lastEventId: header('Last-Event-ID') }),
    }),
  },
  {
    method: 'POST',
    path: '/transactions',
    procedure: 'transactions.create',
    isPublic: false,
    status: 201,
    input: newTip.omit({ idempotencyKey: true }),
    output: transaction,
    refusals: [
      'login_to_tip',
      'qr_code_not_found',
      'invalid_input',
      'own_qr_code',
      'category_mismatch',
      'idempotency_key_reused',
      'too_many_requests',
    ],
    call: async (caller, { body, header }) => {
      const idempotencyKey = header('Idempotency-Key');
      const tip = typeof body === 'object' && body !== null ? { ...body, idempotencyKey } : body;
      return { body: await callWith(caller.transactions.create, tip) };
    },
  },
];

/**
 * Serves the table under /api. What is thrown on the way is left to the application's own error handler.
 * @param contextOf makes the procedures' context of a request.
 */
export function createRestAdapter(
  envelope: Envelope,
  contextOf: (c: HonoContext) => Context,
  report: (error: unknown, requestId: string) => void,
): Hono {
  const rest = new Hono();
  for (const route of REST_ROUTES) {
    const loggedAs = `/api${route.path}`;
    rest.on(route.method, route.path, async (c) => {
      c.set('route', loggedAs);
      const request: RestRequest = {
        body: route.input ? fromWire(await readJson(c), route.input) : undefined,
        parameter: (name) => c.req.param(name) ?? '',
        query: (name) => c.req.query(name),
        header: (name) => c.req.header(name),
      };
      const disconnected = route.isStream ? new AbortController() : null;
      const caller = createCaller(contextOf(c), disconnected ? { signal: disconnected.signal } : undefined);
      const answer = await route.call(caller, request);
      if ('items' in answer) {
        if (!disconnected) throw new Error(`${route.path} streams without saying so`);
        const stream = streamEvents(c, answer, disconnected, report);
        // Hono throws the body of an answer to HEAD away without telling it.
        if (c.req.method === 'HEAD') await stream.body?.cancel();
        return stream;
      }
      const { body, next } = answer;
      const text = route.status === 204 ? null : wireText(body);
      return envelope.json(
        c.get('requestId'),
        text,
        route.status,
        next ? { link: `<${next}>; rel="next"` } : {},
      );
    });
  }
  for (const path of new Set(REST_ROUTES.map(({ path }) => path))) {
    const methods = REST_ROUTES.filter((route) => route.path === path).map(({ method }) => method);
    rest.all(path, (c) => {
      c.header(
        'Allow',
        methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', '),
      );
      throw new AppError('method_not_allowed');
    });
  }
  return rest;
}

/** Sends events as they come, with a heartbeat in between, until the client is gone or the stream ends. */
function streamEvents(
  c: HonoContext,
  { event, items }: RestStream,
  disconnected: AbortController,
  report: (error: unknown, requestId: string) => void,
): Response {
  c.header('X-Accel-Buffering', 'no');
  return streamSSE(c, async (sse) => {
    sse.onAbort(() => disconnected.abort());
    const heartbeat = setInterval(() => void sse.write(': heartbeat\n\n'), STREAM_HEARTBEAT_MS);
    try {
      await sse.write(': connected\n\n');
      for await (const item of items) {
        if (!isTrackedEnvelope(item)) throw new Error('an event has no id');
        const [id, content] = item;
        await sse.writeSSE({ id, event, data: JSON.stringify(toWire(content)) });
      }
    } catch (error) {
      // The session has ended, the client has gone, or the server is stopping: the end of the stream says it all.
      if (!disconnected.signal.aborted && !(error instanceof Error && error.name === 'AbortError'))
        report(error, c.get('requestId'));
    } finally {
      clearInterval(heartbeat);
      disconnected.abort();
    }
  });
}

/** A refusal as problem details. `instance` is the request id, as a URN (RFC 9562). */
export function problemOf(refusal: AppError, requestId: string, publicUrl: string) {
  const { title, status } = REFUSALS[refusal.code];
  return {
    type: `${publicUrl}/api/docs#${refusal.code}`,
    title,
    status,
    detail: refusal.message,
    instance: `urn:uuid:${requestId}`,
    code: refusal.code,
    ...(refusal.fieldErrors.length > 0 && {
      errors: refusal.fieldErrors.map(({ field, message }) => ({
        field: HEADERS[field] ?? wireName(field),
        message,
      })),
    }),
  };
}

/** Answers an error that was thrown while a request to /api was handled. */
export function answerProblem(
  c: HonoContext,
  error: unknown,
  requestId: string,
  publicUrl: string,
): Response {
  const refusal = refusalOf(error);
  for (const [name, value] of Object.entries(headersOf(refusal))) c.header(name, value);
  c.header('Content-Type', 'application/problem+json');
  return c.body(JSON.stringify(problemOf(refusal, requestId, publicUrl)), refusal.status);
}

/** @throws AppError `malformed_json`. */
async function readJson(c: HonoContext): Promise<unknown> {
  try {
    return JSON.parse(utf8.decode(await c.req.arrayBuffer()));
  } catch (cause) {
    throw new AppError('malformed_json', { cause });
  }
}

function numberFrom(digits: string): number {
  return /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
}
