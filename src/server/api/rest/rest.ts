/**
 * The REST adapter: serves the table of routes over the same procedures that the web client calls. No rule of the
 * product lives here; it respells, and answers in parts what is long or goes on.
 */
import { callTRPCProcedure } from '@trpc/server';
import { Hono, type Context as HonoContext } from 'hono';
import { createFairTurns } from '#server/queue/fair-turns.ts';
import { AppError } from '#shared/errors.ts';
import { unknownNames } from '#shared/unknown-names.ts';
import { readBytes, refuseOtherMethods } from '../http/door.ts';
import type { Envelope } from '../http/envelope.ts';
import { nodeSideOf, STREAM_HEARTBEAT_MS } from '../http/envelope.ts';
import type { Report } from '../http/problems.ts';
import { refusalOf } from '../http/refusals.ts';
import { type Context, stepTerms } from '../procedures/context.ts';
import { appRouter, createCaller } from '../procedures/router.ts';
import { fromWire, requireKnown, toWire, wireText, wireTextOnce } from '../wire.ts';
import { prefersCsv } from './accept.ts';
import type {
  RestAnswer,
  RestEvent,
  RestFile,
  RestPages,
  RestRoute,
  RestStream,
  RestText,
} from './rest-route.ts';
import { REST_ROUTES } from './rest-routes.ts';

const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder() };
/** A comment (WHATWG HTML, section 9.2.5). */
const HEARTBEAT = utf8.encoder.encode(': heartbeat\n\n');

/**
 * Serves the table under /api. What is thrown on the way is left to the application's own error handler.
 * @param contextOf makes the procedures' context of a request.
 */
export function createRestAdapter(
  envelope: Envelope,
  contextOf: (c: HonoContext) => Context,
  report: Report,
): Hono {
  const rest = new Hono();
  /** A page of a long list is as much work as a turn of the event loop may have. */
  const turns = createFairTurns(1);
  for (const route of REST_ROUTES) {
    const loggedAs = `/api${route.path}`;
    rest.on(route.method, route.path, async (c) => {
      c.set('route', loggedAs);
      const disconnected = route.isStream ? new AbortController() : null;
      const context = contextOf(c);
      const further = { ...context, isFurtherPage: true };
      requireParameters(c, route.parameters);
      if (route.movesMoney && !route.input) await requireNoFields(c);
      /** What is left is told with refusals as well. */
      const tellQuota = (isUsedUp = false) => {
        for (const [name, value] of Object.entries(context.quota.headers(isUsedUp))) c.header(name, value);
      };
      const asked = route.call({
        body: route.input ? fromWire(await readJson(c), route.input) : undefined,
        parameter: (name) => c.req.param(name) ?? '',
        query: (name) => c.req.query(name),
        header: (name) => c.req.header(name),
        prefersCsv: () => prefersCsv(c),
        bytes: (atMost) => readBytes(c, atMost, 'photo_too_large'),
        ask: (input) => ask(route, input, context),
        caller: () => createCaller(context, disconnected ? { signal: disconnected.signal } : {}),
        callerForMore: () => createCaller(further),
      });
      const answer = await asked.catch((error: unknown) => {
        tellQuota(refusalOf(error).status === 429);
        throw error;
      });
      if (route.isCsvToo) c.header('Vary', 'Accept', { append: true });
      if (!('body' in answer)) tellQuota();
      if ('events' in answer) {
        if (!disconnected) throw new Error(`${route.path} streams without saying so`);
        const stream = streamEvents(c, answer, disconnected, report);
        // Hono drops the body of an answer to HEAD without cancelling it.
        if (c.req.method === 'HEAD') await stream.body?.cancel();
        return stream;
      }
      const inParts = (parts: AsyncGenerator<string | Uint8Array<ArrayBuffer>>) =>
        sendInParts(
          parts,
          () => turns.step(context.token ?? context.address().network, stepTerms(further)),
          nodeSideOf(c).outgoing,
          (error) => report(error, c.get('requestId')),
        );
      if ('pages' in answer)
        return c.body(inParts(listOf(answer)), 200, { 'Content-Type': 'application/json' });
      if ('text' in answer) {
        const { name, type, parts } = answer.text;
        return c.body(inParts(parts), 200, { ...savedAs(name, type), ...linkTo(answer) });
      }
      if ('download' in answer) {
        const { name, type, parts } = answer.download;
        return c.body(inParts(parts), 200, savedAs(name, type));
      }
      if ('file' in answer) return sendFile(c, answer);
      if ('lasting' in answer)
        return envelope.json(c.get('requestId'), wireTextOnce(answer.lasting), route.status);
      const text = route.status === 204 ? null : wireText(answer.body);
      return envelope.json(c.get('requestId'), text, route.status, {
        ...linkTo(answer),
        ...(route.isCsvToo && { vary: 'Accept' }),
        ...context.device.headers(),
        ...context.quota.headers(),
      });
    });
  }
  for (const path of new Set(REST_ROUTES.map(({ path }) => path))) {
    const methods = REST_ROUTES.filter((route) => route.path === path).map(({ method }) => method);
    refuseOtherMethods(rest, path, methods);
  }
  return rest;
}

/** @throws AppError `invalid_input` for a parameter that is not known, or comes twice. */
function requireParameters({ req: { raw } }: HonoContext, known: readonly string[] = []): void {
  const start = raw.url.indexOf('?');
  if (start < 0) return;
  const names = [...new URLSearchParams(raw.url.slice(start + 1)).keys()];
  const unknown = names.filter((name) => !known.includes(name));
  const fieldErrors = unknownNames('parameter', unknown, known);
  if (unknown.length === 0) {
    const repeated = known.filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
    for (const field of repeated)
      fieldErrors.push({ field, message: `\`${field}\` can be sent once only.`, isAsSent: true });
  }
  if (fieldErrors.length > 0) throw new AppError('invalid_input', { fieldErrors });
}

/** @throws AppError `malformed_json`; `invalid_input` for members of a body where none are taken. */
async function requireNoFields(c: HonoContext): Promise<void> {
  if ((await c.req.arrayBuffer()).byteLength > 0) requireKnown(await readJson(c), []);
}

/** Calls the procedure of a route with an input that only the procedure itself checks, as tRPC's own door does. */
function ask({ procedure, method }: RestRoute, input: unknown, context: Context): Promise<unknown> {
  return callTRPCProcedure({
    router: appRouter,
    path: procedure,
    type: method === 'GET' ? 'query' : 'mutation',
    getRawInput: async () => (typeof input === 'function' ? input() : input),
    ctx: context,
    signal: undefined,
    batchIndex: 0,
  });
}

/** Answers with a file to save. */
function sendFile(c: HonoContext, { file: { name, type, bytes } }: RestFile): Response {
  return c.body(bytes, 200, { ...savedAs(name, type), 'Content-Length': String(bytes.byteLength) });
}

/** The headers of a file to save under its name (RFC 6266). */
function savedAs(name: string, type: string) {
  return { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` };
}

/** The header that names the next page (RFC 8288). */
function linkTo({ next }: RestAnswer | RestText): Record<string, string> {
  return next === undefined ? {} : { link: `<${next}>; rel="next"` };
}

/** The pages as the parts of one JSON list. */
async function* listOf({ pages }: RestPages): AsyncGenerator<string> {
  let separator = '[';
  for await (const page of pages) {
    yield separator + wireText(page).slice(1, -1);
    separator = ',';
  }
  yield ']';
}

/**
 * Sends a text or a file in parts. Each is made when the client has taken the one before and the answer has its turn among all of
 * them, so that a long one is never whole in memory and holds up nobody. An error in the middle breaks the answer off, because it is too late for
 * a status.
 */
function sendInParts(
  parts: AsyncGenerator<string | Uint8Array<ArrayBuffer>>,
  takeTurn: () => Promise<void>,
  outgoing: ReturnType<typeof nodeSideOf>['outgoing'],
  report: (error: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isLeft = false;
  return new ReadableStream(
    {
      async pull(sent) {
        try {
          await takeTurn();
          if (isLeft) return;
          const { done, value } = await parts.next();
          // Whoever left meanwhile takes nothing more, and it is no error.
          if (isLeft) return;
          if (done) sent.close();
          else sent.enqueue(typeof value === 'string' ? utf8.encoder.encode(value) : value);
        } catch (error) {
          report(error);
          // The adapter to Node would print the error beside the log.
          if (!outgoing) throw error;
          outgoing.destroy();
        }
      },
      async cancel() {
        isLeft = true;
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Sends events, each asked for when the client has taken those before, with a heartbeat in between, until the client is
 * gone or the stream ends. A client that takes nothing has at most one event or heartbeat waiting here.
 */
function streamEvents(
  c: HonoContext,
  { events }: RestStream,
  disconnected: AbortController,
  report: Report,
): Response {
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const end = () => {
    clearInterval(heartbeat);
    disconnected.abort();
  };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(parts) {
      heartbeat = setInterval(() => {
        if ((parts.desiredSize ?? 0) > 0) parts.enqueue(HEARTBEAT);
      }, STREAM_HEARTBEAT_MS);
    },
    async pull(parts) {
      try {
        const { done, value } = await events.next();
        if (disconnected.signal.aborted) return;
        if (!done) {
          parts.enqueue(eventText(value));
          return;
        }
      } catch (error) {
        if (disconnected.signal.aborted) return;
        // The session has ended or the server is stopping, and the end of the stream says so.
        if (!(error instanceof Error && error.name === 'AbortError')) report(error, c.get('requestId'));
      }
      end();
      parts.close();
    },
    cancel: end,
  });
  return c.body(body, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
}

/** One event as the standard spells it (WHATWG HTML, section 9.2.5); JSON has no line breaks of its own. */
function eventText({ id, name, data }: RestEvent): Uint8Array<ArrayBuffer> {
  return utf8.encoder.encode(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(toWire(data))}\n\n`);
}

/** @throws AppError `malformed_json`. */
async function readJson(c: HonoContext): Promise<unknown> {
  try {
    return JSON.parse(utf8.decoder.decode(await c.req.arrayBuffer()));
  } catch (cause) {
    throw new AppError('malformed_json', { cause });
  }
}
