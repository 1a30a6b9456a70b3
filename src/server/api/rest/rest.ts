/**
 * Serves the endpoints over the procedures that the web client calls. It has no rule of the product; it renames, and
 * sends long and lasting answers in parts.
 */
import { callTRPCProcedure } from '@trpc/server';
import { Hono, type Context as HonoContext } from 'hono';
import { createStepQueue } from '#server/queue/step-queue.ts';
import { API_KEY_PREFIX } from '#shared/api-scopes.ts';
import { AppError } from '#shared/errors.ts';
import { unknownNames } from '#shared/unknown-names.ts';
import { readBytes, refuseOtherMethods } from '../http/door.ts';
import { type Envelope, nodeSideOf, STREAM_HEARTBEAT_MS } from '../http/envelope.ts';
import type { Report } from '../http/problems.ts';
import { refusalOf } from '../http/refusals.ts';
import { type Context, stepOptions } from '../procedures/context.ts';
import { type Endpoint, METHODS, type Parameter } from '../procedures/endpoint.ts';
import { appRouter, createCaller, ENDPOINTS } from '../procedures/router.ts';
import { fromWire, requireKnown, toWire, wireText, wireTextOnce } from '../wire.ts';
import { answerTo, fieldOf, type RestEvent } from './answers.ts';
import { prefersCsv } from './csv.ts';

const utf8 = { encoder: new TextEncoder(), decoder: new TextDecoder() };
/** A comment (WHATWG HTML, section 9.2.5). */
const HEARTBEAT = utf8.encoder.encode(': heartbeat\n\n');
const EVENT_STREAM_HEADERS = { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' };

export function createRestAdapter(
  envelope: Envelope,
  contextOf: (c: HonoContext) => Context,
  report: Report,
): Hono {
  const rest = new Hono();
  /** A page of a long list is as much work as a turn of the event loop may have. */
  const queue = createStepQueue(1);
  for (const endpoint of inOrderOfMatching(ENDPOINTS)) {
    const loggedAs = `/api${endpoint.path}`;
    const known = (endpoint.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name);
    rest.on(endpoint.method, endpoint.path, async (c) => {
      c.set('route', loggedAs);
      const disconnected = endpoint.form === 'events' ? new AbortController() : null;
      const arrived = contextOf(c);
      /** Refusals tell the rest of the quota as well. */
      const tellQuota = (isUsedUp = false) => {
        for (const [name, value] of Object.entries(arrived.quota.headers(isUsedUp))) c.header(name, value);
      };
      const tellQuotaAndThrow = (error: unknown) => {
        tellQuota(refusalOf(error).status === 429);
        throw error;
      };
      const context = await withApiKey(arrived, endpoint).catch(tellQuotaAndThrow);
      const further = { ...context, isFurtherPage: true };
      requireParameters(c, known);
      if (endpoint.movesMoney && !endpoint.takes) await requireNoFields(c);
      const asked = answerTo(endpoint, {
        input: await inputOf(c, endpoint),
        limit: c.req.query('limit'),
        prefersCsv: endpoint.csv !== undefined && prefersCsv(c),
        ask: (input) => ask(endpoint, input, context, disconnected?.signal),
        askFurther: (input) => ask(endpoint, input, further),
        caller: () => createCaller(context),
        callerForMore: () => createCaller(further),
      });
      const answer = await asked.catch(tellQuotaAndThrow);
      if (endpoint.csv !== undefined) c.header('Vary', 'Accept', { append: true });
      if (answer.kind !== 'body') tellQuota();
      const inParts = (parts: AsyncGenerator<string | Uint8Array<ArrayBuffer>>) =>
        sendInParts(
          parts,
          () => queue.step(context.token ?? context.address().network, stepOptions(further)),
          nodeSideOf(c).outgoing,
          (error) => report(error, c.get('requestId')),
        );
      switch (answer.kind) {
        case 'events': {
          if (!disconnected) throw new Error(`${endpoint.path} streams without saying so`);
          const stream = streamEvents(c, answer.events, disconnected, report);
          if (c.req.method !== 'HEAD') return c.body(stream, 200, EVENT_STREAM_HEADERS);
          // Hono drops the body of an answer to HEAD without cancelling it, and makes no answer of a cancelled one.
          await stream.cancel();
          return c.body(null, 200, EVENT_STREAM_HEADERS);
        }
        case 'pages':
          return c.body(inParts(listOf(answer.pages)), 200, { 'Content-Type': 'application/json' });
        case 'file': {
          const { name, type, content, next } = answer;
          const headers = { ...savedAs(name, type), ...linkTo(next) };
          if (!(content instanceof Uint8Array)) return c.body(inParts(content), 200, headers);
          return c.body(content, 200, { ...headers, 'Content-Length': String(content.byteLength) });
        }
        case 'lasting':
          return envelope.json(c.get('requestId'), wireTextOnce(answer.body), endpoint.status);
        case 'body': {
          const text = endpoint.status === 204 ? null : wireText(answer.body);
          return envelope.json(c.get('requestId'), text, endpoint.status, {
            ...linkTo(answer.next),
            ...(endpoint.csv !== undefined && { vary: 'Accept' }),
            ...context.device.headers(),
            ...context.quota.headers(),
          });
        }
      }
    });
  }
  const routes = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${path}`));
  for (const path of new Set(ENDPOINTS.map((endpoint) => endpoint.path))) {
    const methods = METHODS.filter((method) => routes.has(`${method} ${path}`));
    refuseOtherMethods(rest, path, methods);
  }
  return rest;
}

/**
 * The context of a request, in which an API key acts as its account; this is the only door at which keys count.
 * @throws AppError `invalid_api_key`; `too_many_requests` when the key, or the wrong keys of the address, have used up
 *   their limit; `not_for_api_keys`, `missing_scope`, `account_suspended`.
 */
async function withApiKey(context: Context, { callers, scope }: Endpoint): Promise<Context> {
  const { token, services, arrival, quota } = context;
  if (callers === 'everybody' || token === null || !token.startsWith(API_KEY_PREFIX)) return context;
  const { apiKeys, limits } = services;
  const key = await apiKeys.resume(token, arrival.address).catch(async (error: unknown) => {
    const isWrong = error instanceof AppError && error.code === 'invalid_api_key';
    if (isWrong) await limits.countWrongKey(context.address(), quota);
    throw error;
  });
  arrival.identify(key.account.id, key.id);
  await limits.countKey(key.id, quota);
  if (scope === undefined) throw new AppError('not_for_api_keys');
  if (!key.scopes.includes(scope)) throw new AppError('missing_scope', { scope });
  if (key.account.suspension) throw new AppError('account_suspended');
  return { ...context, key };
}

/** Paths with a parameter come last, because they match others as well. */
function inOrderOfMatching(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const isOpen = ({ path }: Endpoint) => path.includes(':');
  return [...endpoints.filter((each) => !isOpen(each)), ...endpoints.filter(isOpen)];
}

/** The input is unchecked. A picture is a function that reads it, because the procedure counts the request before. */
async function inputOf(
  c: HonoContext,
  { takes, isBodyOptional, picture, parameters = [] }: Endpoint,
): Promise<unknown> {
  const named = Object.fromEntries(parameters.map((each) => [fieldOf(each), sentAs(c, each)]));
  const [schema] = Object.values(takes ?? {});
  if (schema) {
    const isLeftOut = isBodyOptional && (await c.req.arrayBuffer()).byteLength === 0;
    const body = fromWire(isLeftOut ? {} : await readJson(c), schema);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? { ...body, ...named } : body;
  }
  if (!picture) return parameters.length > 0 ? named : undefined;
  const { field, maxBytes, tooLarge } = picture;
  return async () => ({ ...named, [field]: await readBytes(c, maxBytes, tooLarge) });
}

function sentAs({ req }: HonoContext, { name, in: place, schema }: Parameter): string | number | undefined {
  if (place === 'path') return req.param(name) ?? '';
  const value = place === 'query' ? req.query(name) : req.header(name);
  return value !== undefined && schema['type'] === 'integer' ? numberFrom(value) : value;
}

/** Reads a whole number as JSON Schema knows it, for which 5.0 is one. */
function numberFrom(digits: string): number {
  return /^\d{1,9}(?:\.0{1,9})?$/.test(digits) ? Number(digits) : Number.NaN;
}

/** @throws AppError `invalid_input` for a parameter that is unknown or repeated. */
function requireParameters({ req: { raw } }: HonoContext, known: readonly string[]): void {
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

function ask(
  { procedure, type }: Endpoint,
  input: unknown,
  ctx: Context,
  signal?: AbortSignal,
): Promise<unknown> {
  return callTRPCProcedure({
    router: appRouter,
    path: procedure,
    type,
    getRawInput: async () => (typeof input === 'function' ? input() : input),
    ctx,
    signal,
    batchIndex: 0,
  });
}

/** RFC 6266. */
function savedAs(name: string, type: string) {
  return { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${name}"` };
}

/** RFC 8288. */
function linkTo(next: string | undefined): Record<string, string> {
  return next === undefined ? {} : { link: `<${next}>; rel="next"` };
}

async function* listOf(pages: AsyncGenerator<readonly unknown[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const page of pages) {
    yield separator + wireText(page).slice(1, -1);
    separator = ',';
  }
  yield ']';
}

/**
 * Each part is made when the client has taken the one before and its turn has come, so that no long answer is whole in
 * memory or delays others. An error in the middle breaks the answer off, because it is too late for a status.
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
          // A client that left takes nothing more, and that is no error.
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

/** At most one event or heartbeat waits for a client that takes nothing. */
function streamEvents(
  c: HonoContext,
  events: AsyncGenerator<RestEvent>,
  disconnected: AbortController,
  report: Report,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let heartbeat: ReturnType<typeof setInterval> | undefined;
  const end = () => {
    clearInterval(heartbeat);
    disconnected.abort();
  };
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
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
        // The session has ended or the server is stopping, which the end of the stream says.
        if (!(error instanceof Error && error.name === 'AbortError')) report(error, c.get('requestId'));
      }
      end();
      parts.close();
    },
    cancel: end,
  });
}

/** Writes one event (WHATWG HTML, section 9.2.5); JSON has no line breaks of its own. */
function eventText({ id, name, data }: RestEvent): Uint8Array<ArrayBuffer> {
  return utf8.encoder.encode(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(toWire(data))}\n\n`);
}

async function readJson(c: HonoContext): Promise<unknown> {
  try {
    return JSON.parse(utf8.decoder.decode(await c.req.arrayBuffer()));
  } catch (cause) {
    throw new AppError('malformed_json', { cause });
  }
}
