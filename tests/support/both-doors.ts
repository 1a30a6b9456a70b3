/**
 * Both doors as bytes on the wire, without a client that hides a header or tidies a body: any procedure by
 * its name, with any input, and what it was answered. Every refusal is held against the closed table, to the
 * letter.
 */
import { expect } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import { wireName } from '#server/api/wire.ts';
import { AppError, type ErrorCode, type FieldError } from '#shared/errors.ts';
import { cents, decimalFromCents } from '#shared/money.ts';
import { REFUSALS } from '#shared/refusals.ts';

export const PUBLIC_URL = 'https://tips.example.com';

/** The address of a server that nobody else can reach. */
export const LOCAL_URL = 'http://localhost:3001';

export const DOORS = ['REST', 'tRPC'] as const;
export type Door = (typeof DOORS)[number];

/** The doors in turn, so that what is counted is counted over both. */
export const doorFor = (turn: number): Door => (turn % 2 === 0 ? 'REST' : 'tRPC');

interface App {
  send(path: string, init: RequestInit, peer?: string): Promise<Response>;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address at the other end of the socket. */
  readonly peer?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Refused {
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly fields: readonly FieldError[];
  readonly requestId: string;
  readonly retryAfterSeconds: number | null;
}

export interface Outcome {
  readonly refused: Refused | null;
  /** What was answered, spelled as the door spells it. */
  readonly data: unknown;
}

/** Every procedure of the product, under a path such as `auth.register`. Each is behind both doors. */
export const PROCEDURES = ENDPOINTS.map(({ procedure, type }) => ({ path: procedure, type }));

interface DoorRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/**
 * A call as tRPC's clients make it, with an input that is JSON already: a mutation by POST, all else by GET.
 */
export function trpcRequest(procedure: string, json?: string): DoorRequest {
  if (PROCEDURES.find(({ path }) => path === procedure)?.type === 'mutation') {
    const headers = new Headers({ 'Content-Type': 'application/json' });
    return { path: `/trpc/${procedure}`, method: 'POST', headers, ...(json !== undefined && { body: json }) };
  }
  const query = json === undefined ? '' : `?input=${encodeURIComponent(json)}`;
  return { path: `/trpc/${procedure}${query}`, method: 'GET', headers: new Headers() };
}

/**
 * A call of a procedure through a door, its input in the procedure's words.
 * @returns null when a text of the input cannot travel there: a header cannot hold every character.
 */
export function requestThrough(door: Door, procedure: string, input: unknown): DoorRequest | null {
  if (door === 'tRPC') return trpcRequest(procedure, JSON.stringify(input));
  const route = ENDPOINTS.find((row) => row.procedure === procedure);
  if (!route) throw new Error(`${procedure} has no REST route`);
  const { idempotencyKey, lastEventId, ...fields } = Object(input);
  const headers = new Headers();
  for (const [name, value] of Object.entries({
    'Idempotency-Key': idempotencyKey,
    'Last-Event-ID': lastEventId,
  })) {
    if (typeof value !== 'string') continue;
    try {
      headers.set(name, value);
    } catch {
      return null;
    }
    // A header loses the blanks around its value.
    if (headers.get(name) !== value) return null;
  }
  const { method, takes } = route;
  const rest = new Map(Object.entries(fields));
  const address = route.path.replace(/:\w+/g, () => {
    const [[name, value] = ['', '']] = rest;
    rest.delete(name);
    // Half a surrogate pair has no UTF-8 form and travels as a replacement character.
    return encodeURIComponent(Buffer.from(String(value)).toString());
  });
  const path = `/api${address}`;
  if (route.picture) {
    const { photo } = fields;
    return { path, method, headers, ...(photo instanceof Uint8Array && { body: Uint8Array.from(photo) }) };
  }
  if (method === 'POST' || method === 'PATCH') {
    if (!takes) return { path, method, headers };
    headers.set('Content-Type', 'application/json');
    return { path, method, headers, body: JSON.stringify(restFields(Object.fromEntries(rest))) };
  }
  const asked = Object.entries(restFields(Object.fromEntries(rest)));
  const query = new URLSearchParams(asked.map(([name, value]) => [name, String(value)]));
  return { path: `${path}${query.size > 0 ? `?${query}` : ''}`, method, headers };
}

/** The input of a procedure in the words of a REST request. */
export function restFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, content]) => [
      wireName(field),
      field.endsWith('Cents') && typeof content === 'number' ? decimalFromCents(cents(content)) : content,
    ]),
  );
}

/** Sends a request as it is, with what the options add to its headers. */
async function send(
  app: App,
  path: string,
  { headers, ...init }: RequestInit,
  { token, headers: more = {}, peer }: CallOptions = {},
): Promise<Answer> {
  const all = new Headers(headers);
  if (token !== undefined) all.set('Authorization', `Bearer ${token}`);
  for (const [name, value] of Object.entries(more)) all.set(name, value);
  return answerOf(await app.send(path, { ...init, headers: all }, peer));
}

export async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/**
 * Sends a body to the REST door: text and bytes as they are, anything else as JSON, nothing when undefined.
 */
export function callRest(app: App, method: string, path: string, body?: unknown, options: CallOptions = {}) {
  if (body === undefined) return send(app, `/api${path}`, { method }, options);
  const bytes = body instanceof Uint8Array ? Buffer.from(body) : null;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'Content-Type': 'application/json' };
  return send(app, `/api${path}`, { method, headers, body: bytes ?? text }, options);
}

export function callTrpc(app: App, procedure: string, input?: unknown, options: CallOptions = {}) {
  const { path, ...init } = trpcRequest(procedure, JSON.stringify(input));
  return send(app, path, init, options);
}

/** Several mutations in one request, as tRPC's batch link sends them. */
export function callTrpcBatch(
  app: App,
  calls: readonly (readonly [procedure: string, input: unknown])[],
  options: CallOptions = {},
): Promise<Answer> {
  const path = calls.map(([procedure]) => procedure).join();
  const body = JSON.stringify(Object.fromEntries(calls.map(([, input], index) => [index, input])));
  const headers = { 'Content-Type': 'application/json' };
  return send(app, `/trpc/${path}?batch=1`, { method: 'POST', headers, body }, options);
}

export function call(
  door: Door,
  app: App,
  procedure: string,
  input?: unknown,
  options?: CallOptions,
): Promise<Answer> {
  const request = requestThrough(door, procedure, input);
  if (!request) throw new Error('the input cannot travel through this door');
  const { path, ...init } = request;
  return send(app, path, init, options);
}

export function logInThrough(door: Door, app: App, email: string, password: string, options?: CallOptions) {
  return call(door, app, 'auth.login', { email, password }, options);
}

export function registerThrough(
  door: Door,
  app: App,
  person: {
    readonly email: string;
    readonly username: string;
    readonly password: string;
    readonly invitation?: string;
  },
  options?: CallOptions,
): Promise<Answer> {
  const input = { fullName: 'Some Body', phone: null, isServiceProvider: false, ...person };
  return call(door, app, 'auth.register', input, options);
}

export function tipThrough(
  door: Door,
  app: App,
  tip: { readonly receiverQrId: string; readonly amountCents: number; readonly serviceCategory: string },
  options?: CallOptions,
): Promise<Answer> {
  return call(door, app, 'transactions.create', tip, options);
}

export function changePasswordThrough(
  door: Door,
  app: App,
  currentPassword: string,
  newPassword: string,
  options: CallOptions,
): Promise<Answer> {
  return call(door, app, 'auth.changePassword', { currentPassword, newPassword }, options);
}

const errorCode = z.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(REFUSALS, code));
const fieldErrors = z.array(z.strictObject({ field: z.string(), message: z.string().min(1) }));

const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string(),
  code: errorCode,
  errors: fieldErrors.min(1).optional(),
});

const trpcError = z.strictObject({
  message: z.string(),
  code: z.int().negative(),
  data: z.strictObject({
    code: z.string(),
    httpStatus: z.int(),
    path: z.string().nullable(),
    errorCode,
    fieldErrors,
    retryAfterSeconds: z.int().positive().nullable(),
    requestId: z.uuidv4(),
  }),
});

const trpcAnswer = z.union([
  z.strictObject({ error: z.unknown() }),
  z.strictObject({ result: z.strictObject({ data: z.unknown() }) }),
]);

/** Reads a refusal in tRPC's form; fails when it is not what the closed table says of its code. */
export function readTrpcError(value: unknown): Refused {
  const { message, data } = trpcError.parse(value);
  const { httpStatus, errorCode, fieldErrors, retryAfterSeconds, requestId } = data;
  return ofTheTable({
    status: httpStatus,
    code: errorCode,
    detail: message,
    fields: fieldErrors,
    retryAfterSeconds,
    requestId,
  });
}

function readProblem({ status, headers, text }: Answer): Refused {
  expect(headers.get('Content-Type')).toBe('application/problem+json');
  const { type, title, instance, errors = [], ...read } = problem.parse(JSON.parse(text));
  const requestId = z.uuidv4().parse(headers.get('X-Request-Id'));
  expect({ type, title, instance, status: read.status }).toEqual({
    type: `${read.code === 'public_url_is_local' ? LOCAL_URL : PUBLIC_URL}/api/docs#${read.code}`,
    title: REFUSALS[read.code].title,
    instance: `urn:uuid:${requestId}`,
    status,
  });
  const wait = headers.get('Retry-After');
  const retryAfterSeconds = wait === null ? null : Number(wait);
  return ofTheTable({ ...read, fields: errors, requestId, retryAfterSeconds });
}

function ofTheTable(refused: Refused): Refused {
  const { status, code, detail, fields, retryAfterSeconds } = refused;
  expect(status).toBe(REFUSALS[code].status);
  const scope = code === 'missing_scope' ? (/scope (\S+)\.$/.exec(detail)?.[1] ?? 'none') : undefined;
  const told = {
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    ...(scope !== undefined && { scope }),
    // The payment service's own words.
    ...(code === 'payout_account_refused' && { reason: detail }),
  };
  const sentence = new AppError(code, told).message;
  expect(detail).toBe(fields[0]?.message ?? sentence);
  return refused;
}

/**
 * The headers that go with a refusal by its status (RFC 9110, sections 10.2.3, 11.6.1 and 15.5.6), and no
 * others.
 */
function expectRefusalHeaders({ status, headers }: Answer): void {
  const header = (name: string) => headers.get(name) ?? 'none';
  const lacksScope = status === 403 && header('WWW-Authenticate').includes('error="insufficient_scope"');
  expect(header('WWW-Authenticate')).toMatch(
    status === 401 || lacksScope ? /^Bearer realm="Tipwell"/ : /^none$/,
  );
  expect(header('Allow')).toMatch(status === 405 ? /^[A-Z]+(?:, [A-Z]+)*$/ : /^none$/);
  expect(header('Retry-After')).toMatch(status === 429 || status === 503 ? /^[1-9]\d*$/ : /^none$/);
}

/** The outcome of each call of an answer: of one call, or of all calls of a tRPC batch. */
export function outcomesOf(door: Door, answer: Answer): readonly Outcome[] {
  const { status, headers, text } = answer;
  if (door === 'REST') {
    if (status < 400) {
      const isJson = headers.get('Content-Type') === 'application/json';
      return [{ refused: null, data: isJson ? JSON.parse(text) : text || null }];
    }
    expectRefusalHeaders(answer);
    return [{ refused: readProblem(answer), data: null }];
  }
  expect(headers.get('Content-Type')).toMatch(/^application\/json\b/);
  const body: unknown = JSON.parse(text);
  const outcomes = z
    .array(trpcAnswer)
    .parse(Array.isArray(body) ? body : [body])
    .map((one) =>
      'error' in one
        ? { refused: readTrpcError(one.error), data: null }
        : { refused: null, data: one.result.data },
    );
  for (const { refused } of outcomes)
    if (refused) expect(refused.requestId).toBe(headers.get('X-Request-Id'));
  const statuses = new Set(outcomes.map(({ refused }) => refused?.status ?? 200));
  expect(statuses.size > 1 ? [207] : [...statuses]).toContain(status);
  if (statuses.size === 1 && status >= 400) expectRefusalHeaders(answer);
  const [first, ...others] = outcomes;
  if (first?.refused && others.length === 0) {
    expect(String(first.refused.retryAfterSeconds)).toBe(String(headers.get('Retry-After')));
  }
  return outcomes;
}

/** The refusal of a single call; fails when the call was not refused. */
export function refusedBy(door: Door, answer: Answer): Refused {
  const refused = outcomesOf(door, answer)[0]?.refused;
  if (!refused) throw new Error(`not refused: ${answer.text}`);
  return refused;
}

export function doorOf({ headers }: Pick<Answer, 'headers'>): Door {
  return headers.get('Content-Type') === 'application/problem+json' ? 'REST' : 'tRPC';
}

/** The result of an answer that is no refusal, spelled as its door spells it. */
export function resultOf(answer: Answer): unknown {
  expect(answer.status, answer.text).toBeLessThan(300);
  if (answer.text === '') return null;
  const body: unknown = JSON.parse(answer.text);
  const trpc = z.strictObject({ result: z.strictObject({ data: z.unknown() }) }).safeParse(body);
  return trpc.success ? trpc.data.result.data : body;
}

/** Calls are made in small groups, so that hashing is never too busy to answer. */
export async function times(count: number, callOne: (turn: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < count; from += 20) {
    const turns = Array.from({ length: Math.min(20, count - from) }, (_, index) => from + index);
    answers.push(...(await Promise.all(turns.map(callOne))));
  }
  return answers;
}

/** How many of the answers were fine, and how many were refusals of each code. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const answer of answers) {
    const kind = answer.status < 300 ? 'fine' : refusedBy(doorOf(answer), answer).code;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}
