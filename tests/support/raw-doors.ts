/**
 * Both doors without a client in between: any procedure by its name, with any input at all, whether or not it is what
 * the procedure's types allow.
 */
import type { z } from 'zod';
import { REST_ROUTES } from '#server/api/rest-routes.ts';
import { appRouter } from '#server/api/router.ts';
import { toWire } from '#server/api/wire.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { readProblem, readTrpc } from './answers.ts';
import { isEventStream, readStream, refusalOf } from './event-streams.ts';
import type { TestApp } from './test-app.ts';

export const DOORS = ['REST', 'tRPC'] as const;
export type Door = (typeof DOORS)[number];

interface ProcedureDefinition {
  readonly type: 'query' | 'mutation' | 'subscription';
  /** The schemas that its input must satisfy. */
  readonly inputs: readonly z.ZodType[];
}

/** tRPC types the table like the router, nested; what it holds is flat, by the whole path. */
const definitions = appRouter._def.procedures as unknown as Readonly<
  Record<string, { readonly _def: ProcedureDefinition }>
>;

/** Every procedure of the product, `auth.register` and so on. */
export const PROCEDURES = Object.entries(definitions).map(
  ([
    path,
    {
      _def: { type, inputs },
    },
  ]) => ({
    path,
    type,
    inputs,
  }),
);

export interface RawAnswer {
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly message: string | null;
  /** What was answered, spelled as the door spells it. */
  readonly data: unknown;
}

interface RawOptions {
  readonly token?: string | undefined;
  readonly peer?: string;
}

/** Whether there is a way to the procedure through the door. */
export function isBehind(door: Door, procedure: string): boolean {
  return door === 'tRPC' || REST_ROUTES.some((route) => route.procedure === procedure);
}

/**
 * Calls a procedure through a door, and checks the form of a refusal.
 * @returns null when the text cannot travel there: a header cannot hold every character.
 */
export async function callRaw(
  t: TestApp,
  door: Door,
  procedure: string,
  input: Readonly<Record<string, unknown>> | undefined,
  { token, peer = '192.0.2.1' }: RawOptions = {},
): Promise<RawAnswer | null> {
  const request =
    door === 'REST' ? restRequest(procedure, input ?? {}) : trpcRequest(procedure, JSON.stringify(input));
  if (!request) return null;
  if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`);
  const hangUp = new AbortController();
  const openBefore = t.app.streams();
  const response = await t.send(request.path, { ...request, signal: hangUp.signal }, peer);
  const { status } = response;
  if (isEventStream(response)) {
    const refused = await refusalOf(t, readStream(response, hangUp), openBefore);
    return {
      status: refused?.status ?? status,
      code: refused?.code ?? null,
      message: refused?.message ?? null,
      data: null,
    };
  }
  if (door === 'REST') {
    const problem = await readProblem(response);
    if (problem) return { status, code: problem.code, message: problem.detail, data: null };
    const text = await response.text();
    return { status, code: null, message: null, data: text === '' ? null : JSON.parse(text) };
  }
  const [outcome] = await readTrpc(response);
  if (!outcome) throw new Error('an empty answer');
  return { status, ...outcome };
}

interface RawRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
}

/** A call of a procedure with an input that is already JSON; none for `undefined`. */
export function trpcRequest(procedure: string, json: string | undefined): RawRequest {
  const isQuery = PROCEDURES.some(({ path, type }) => path === procedure && type !== 'mutation');
  if (isQuery) {
    const query = json === undefined ? '' : `?input=${encodeURIComponent(json)}`;
    return { path: `/trpc/${procedure}${query}`, method: 'GET', headers: new Headers() };
  }
  const headers = new Headers({ 'Content-Type': 'application/json' });
  return { path: `/trpc/${procedure}`, method: 'POST', headers, body: json ?? '{}' };
}

function restRequest(procedure: string, input: Readonly<Record<string, unknown>>): RawRequest | null {
  const route = REST_ROUTES.find((row) => row.procedure === procedure);
  if (!route) throw new Error(`${procedure} has no REST route`);
  const headers = new Headers();
  const { idempotencyKey, lastEventId, ...rest } = input;
  for (const [name, value] of [
    ['Idempotency-Key', idempotencyKey],
    ['Last-Event-ID', lastEventId],
  ] as const) {
    if (typeof value !== 'string') continue;
    try {
      headers.set(name, value);
    } catch {
      return null;
    }
    // The text arrives only without the blanks around it.
    if (headers.get(name) !== value) return null;
  }
  if (route.method === 'POST') {
    headers.set('Content-Type', 'application/json');
    const path = `/api${route.path}`;
    return { path, method: 'POST', headers, body: JSON.stringify(toWire(rest)) };
  }
  let path = `/api${route.path}`;
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries(rest)) {
    if (route.path.includes(':')) path = path.replace(/:\w+/, () => percentEncoded(String(value)));
    else query.set(field, String(value));
  }
  return { path: `${path}?${query}`, method: 'GET', headers };
}

/** Half a surrogate pair has no UTF-8 form and travels as a replacement character. */
function percentEncoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
