/**
 * Calls through both doors as bytes on the wire: no client in between that hides a header or tidies a body. The
 * shape of every refusal is checked to the letter on the way.
 */
import { expect } from 'vitest';
import { z } from 'zod';
import { appRouter } from '#server/api/router.ts';
import { REFUSALS } from '#shared/errors.ts';
import { PUBLIC_URL, type TestApp } from './test-app.ts';

export interface CallOptions {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The socket's other end. */
  readonly peer?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A refusal, whichever door it left by. */
export interface Refused {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly fields: readonly { readonly field: string; readonly message: string }[];
  readonly requestId: string;
}

export type Door = 'REST' | 'tRPC';
export const DOORS: readonly Door[] = ['REST', 'tRPC'];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const field = z.strictObject({ field: z.string(), message: z.string().min(1) });

const problem = z.strictObject({
  type: z.url(),
  title: z.string().min(1),
  status: z.int(),
  detail: z.string().min(1),
  instance: z.string(),
  code: z.string(),
  errors: z.array(field).min(1).optional(),
});

const trpcError = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    code: z.int(),
    data: z.strictObject({
      code: z.string(),
      httpStatus: z.int(),
      path: z.string().nullable(),
      errorCode: z.string(),
      fieldErrors: z.array(field),
      retryAfterSeconds: z.int().min(1).nullable(),
      requestId: z.string(),
    }),
  }),
});

/** Sends a body to the REST door: text as it is, anything else as JSON, nothing when undefined. */
export async function callRest(
  t: TestApp,
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  return answerOf(
    await t.send(
      `/api${path}`,
      {
        method,
        headers: headersFor(body, options),
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      },
      options.peer,
    ),
  );
}

const definition = z.object({ type: z.enum(['query', 'mutation', 'subscription']) });

/** Every procedure of the router, as `router.procedure`, and of what kind it is. */
export function procedureKinds(): Map<string, z.infer<typeof definition>['type']> {
  return new Map(
    Object.entries<unknown>(appRouter._def.procedures).map(([name, procedure]) => [
      name,
      definition.parse(Reflect.get(Object(procedure), '_def')).type,
    ]),
  );
}

/** Calls a procedure as tRPC's clients do: a query by GET, a mutation by POST. */
export async function callTrpc(
  t: TestApp,
  procedure: string,
  input?: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const isQuery = procedureKinds().get(procedure) === 'query';
  const json = input === undefined ? undefined : JSON.stringify(input);
  const query = isQuery && json !== undefined ? `?${new URLSearchParams({ input: json })}` : '';
  return answerOf(
    await t.send(
      `/trpc/${procedure}${query}`,
      {
        method: isQuery ? 'GET' : 'POST',
        headers: headersFor(isQuery ? undefined : '', options),
        ...(!isQuery && json !== undefined && { body: json }),
      },
      options.peer,
    ),
  );
}

/** Several mutations in one request, as tRPC's batch link sends them. */
export async function callTrpcBatch(
  t: TestApp,
  calls: readonly (readonly [procedure: string, input: unknown])[],
  options: CallOptions = {},
): Promise<Answer> {
  const path = calls.map(([procedure]) => procedure).join(',');
  const body = JSON.stringify(Object.fromEntries(calls.map(([, input], index) => [index, input])));
  return answerOf(
    await t.send(
      `/trpc/${path}?batch=1`,
      { method: 'POST', headers: headersFor(body, options), body },
      options.peer,
    ),
  );
}

export function logInThrough(
  door: Door,
  t: TestApp,
  email: string,
  password: string,
  options?: CallOptions,
): Promise<Answer> {
  const input = { email, password };
  return door === 'REST'
    ? callRest(t, 'POST', '/auth/login', input, options)
    : callTrpc(t, 'auth.login', input, options);
}

export function registerThrough(
  door: Door,
  t: TestApp,
  person: { readonly email: string; readonly username: string; readonly password: string },
  options?: CallOptions,
): Promise<Answer> {
  return door === 'REST'
    ? callRest(
        t,
        'POST',
        '/auth/register',
        {
          ...person,
          full_name: 'Some Body',
          phone: null,
          is_service_provider: false,
          service_categories: [],
        },
        options,
      )
    : callTrpc(
        t,
        'auth.register',
        { ...person, fullName: 'Some Body', phone: null, isServiceProvider: false },
        options,
      );
}

export function tipThrough(
  door: Door,
  t: TestApp,
  tip: { readonly receiverQrId: string; readonly amountCents: number; readonly serviceCategory: string },
  options?: CallOptions,
): Promise<Answer> {
  return door === 'REST'
    ? callRest(
        t,
        'POST',
        '/transactions',
        {
          receiver_qr_id: tip.receiverQrId,
          amount: tip.amountCents / 100,
          service_category: tip.serviceCategory,
        },
        options,
      )
    : callTrpc(t, 'transactions.create', tip, options);
}

/** Reads a refusal, and fails when anything about its form is not as promised. */
export function refusedBy(door: Door, answer: Answer): Refused {
  expect(answer.status, `not refused: ${answer.text}`).toBeGreaterThanOrEqual(400);
  const requestId = answer.headers.get('X-Request-Id') ?? '';
  expect(requestId).toMatch(UUID);
  const refused = door === 'REST' ? problemIn(answer, requestId) : trpcErrorIn(answer, requestId);
  expect(refused.status).toBe(answer.status);
  return refused;
}

/** The doors in turn, so that what is counted is counted over both. */
export const doorFor = (turn: number): Door => (turn % 2 === 0 ? 'REST' : 'tRPC');

/** Calls made one after the other in small groups, so that the hashing is never too busy to answer. */
export async function times(count: number, call: (turn: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < count; from += 20) {
    const turns = Array.from({ length: Math.min(20, count - from) }, (_, index) => from + index);
    answers.push(...(await Promise.all(turns.map(call))));
  }
  return answers;
}

/** Status and code of each of these answers, how many there were of each kind. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const answer of answers) {
    const door = answer.text.includes('"errorCode"') ? 'tRPC' : 'REST';
    const kind = answer.status < 300 ? 'fine' : refusedBy(door, answer).code;
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/** What a fine answer holds, the same for both doors. */
export function resultOf(answer: Answer): unknown {
  expect(answer.status, answer.text).toBeLessThan(300);
  if (answer.text === '') return null;
  const body: unknown = JSON.parse(answer.text);
  const trpc = z.strictObject({ result: z.strictObject({ data: z.unknown() }) }).safeParse(body);
  return trpc.success ? trpc.data.result.data : body;
}

function problemIn(answer: Answer, requestId: string): Refused {
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json');
  const { code, status, detail, title, type, instance, errors } = problem.parse(JSON.parse(answer.text));
  const row: { readonly title: string } | undefined = new Map(Object.entries(REFUSALS)).get(code);
  expect(title).toBe(row?.title);
  expect(type).toBe(`${PUBLIC_URL}/api/docs#${code}`);
  expect(instance).toBe(`urn:uuid:${requestId}`);
  return { status, code, detail, fields: errors ?? [], requestId };
}

function trpcErrorIn(answer: Answer, requestId: string): Refused {
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/);
  const { error } = trpcError.parse(JSON.parse(answer.text));
  const { httpStatus, errorCode, fieldErrors, retryAfterSeconds } = error.data;
  expect(error.data.requestId).toBe(requestId);
  expect(retryAfterSeconds && String(retryAfterSeconds)).toBe(answer.headers.get('Retry-After'));
  return { status: httpStatus, code: errorCode, detail: error.message, fields: fieldErrors, requestId };
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function headersFor(body: unknown, { token, headers }: CallOptions): Record<string, string> {
  return {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...headers,
  };
}
