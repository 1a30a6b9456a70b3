/**
 * The REST adapter: serves the table of routes over the same procedures that the web client calls. No rule of the
 * product lives here; it respells, and answers errors as problem details (RFC 9457).
 */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { isTrackedEnvelope } from '@trpc/server';
import { Hono, type Context as HonoContext } from 'hono';
import { streamSSE } from 'hono/streaming';
import { AppError, REFUSALS } from '#shared/errors.ts';
import type { Context } from './context.ts';
import { type Envelope, refuseOtherMethods } from './door.ts';
import { headersOf, refusalOf } from './refusals.ts';
import { REST_ROUTES, type RestPages, type RestRequest, type RestStream } from './rest-routes.ts';
import { createCaller } from './router.ts';
import { STREAM_HEARTBEAT_MS } from './trpc.ts';
import { fromWire, toWire, wireName, wireText } from './wire.ts';

/** Fields of procedures that travel in a header. */
const HEADERS: Readonly<Record<string, string>> = {
  idempotencyKey: 'Idempotency-Key',
  lastEventId: 'Last-Event-ID',
};

const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder() };

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
      const context = contextOf(c);
      const caller = createCaller(context, disconnected ? { signal: disconnected.signal } : undefined);
      const answer = await route.call(caller, request);
      if ('items' in answer) {
        if (!disconnected) throw new Error(`${route.path} streams without saying so`);
        const stream = streamEvents(c, answer, disconnected, report);
        // Hono throws the body of an answer to HEAD away without telling it.
        if (c.req.method === 'HEAD') await stream.body?.cancel();
        return stream;
      }
      if ('pages' in answer) {
        const list = listInParts(answer, outgoingOf(c), (error) => report(error, c.get('requestId')));
        return c.body(list, 200, { 'Content-Type': 'application/json' });
      }
      const { body, next } = answer;
      const text = route.status === 204 ? null : wireText(body);
      return envelope.json(c.get('requestId'), text, route.status, {
        ...(next !== undefined && { link: `<${next}>; rel="next"` }),
        ...context.device.headers(),
      });
    });
  }
  for (const path of new Set(REST_ROUTES.map(({ path }) => path))) {
    const methods = REST_ROUTES.filter((route) => route.path === path).map(({ method }) => method);
    refuseOtherMethods(rest, path, methods);
  }
  return rest;
}

/** Node's side of an answer; none when the app is called without a server. */
function outgoingOf({ env }: HonoContext): HttpBindings['outgoing'] | undefined {
  const bindings: Partial<HttpBindings> | undefined = env;
  return bindings?.outgoing;
}

/**
 * The pages as one JSON list, each made when the client has taken the one before: a long list is never whole in memory,
 * and holds up nobody. An error in the middle breaks the answer off, because it is too late for a status.
 */
function listInParts(
  { pages }: RestPages,
  outgoing: HttpBindings['outgoing'] | undefined,
  report: (error: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let separator = '[';
  return new ReadableStream(
    {
      async pull(parts) {
        await turnOfTheLoop();
        try {
          const { done, value } = await pages.next();
          if (!done) {
            parts.enqueue(utf8.encoder.encode(separator + wireText(value).slice(1, -1)));
            separator = ',';
            return;
          }
        } catch (error) {
          report(error);
          // The adapter to Node would print the error beside the log.
          if (!outgoing) throw error;
          outgoing.destroy();
          return;
        }
        parts.enqueue(utf8.encoder.encode(']'));
        parts.close();
      },
      async cancel() {
        await pages.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
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
    return JSON.parse(utf8.decoder.decode(await c.req.arrayBuffer()));
  } catch (cause) {
    throw new AppError('malformed_json', { cause });
  }
}
