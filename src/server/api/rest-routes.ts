/**
 * The REST door as one table: method, path and status, and the procedure that answers. What a procedure refuses, its
 * route refuses.
 */
import { isTrackedEnvelope } from '@trpc/server';
import { z } from 'zod';
import {
  credentials,
  type Login,
  login,
  passwordChange,
  registration,
  session,
  user,
} from '#shared/accounts.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { newQrCode, qrCode, qrCodeLookup } from '#shared/qr-codes.ts';
import {
  MAX_PAGE_SIZE,
  newTip,
  type TipStreamStart,
  type Transaction,
  type TransactionPage,
  transaction,
} from '#shared/tips.ts';
import type { Caller } from './router.ts';

/** What of a request a row of the table may use. */
export interface RestRequest {
  /** The body as the procedure takes it, still unchecked. */
  readonly body: unknown;
  parameter(name: string): string;
  query(name: string): string | undefined;
  header(name: string): string | undefined;
}

interface RestAnswer {
  readonly body: unknown;
  /** Path and query of the next page, if there is one. */
  readonly next?: string;
}

/** A list that is too long for one procedure call. */
export interface RestPages {
  /** None of them is empty. */
  readonly pages: AsyncGenerator<readonly unknown[]>;
}

/** One server-sent event, under an id to resume after. */
export interface RestEvent {
  readonly id: string;
  readonly name: string;
  /** In the procedure's words. */
  readonly data: unknown;
}

/** An answer that goes on. */
export interface RestStream {
  readonly events: AsyncGenerator<RestEvent>;
}

export interface RestRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below /api, in Hono's notation. */
  readonly path: string;
  /** The procedure that it calls, as `router.procedure`. */
  readonly procedure: string;
  readonly isPublic: boolean;
  /** Whether it answers also before a password was changed that the operator made. */
  readonly isForAnyPassword?: true;
  readonly status: 200 | 201 | 204;
  /** What the request body holds, in the procedure's words. */
  readonly input?: z.ZodType;
  /** What the answer holds, in the procedure's words; a list of it when `isList`. */
  readonly output?: z.ZodType;
  readonly isList?: true;
  /** Whether it can be asked for page by page, each naming the next one in its `Link` header. */
  readonly isPaged?: true;
  /** The refusals of its own, beside those that any route has. */
  readonly refusals: readonly ErrorCode[];
  /** Whether `output` is the data of each server-sent event. */
  readonly isStream?: true;
  call(caller: Caller, request: RestRequest): Promise<RestAnswer | RestPages | RestStream>;
}

/** A procedure's input from outside is unknown by nature; the procedure itself parses it and refuses what is wrong. */
type Unchecked = <Input, Output>(
  procedure: (input: Input) => Promise<Output>,
  input: unknown,
) => Promise<Output>;
const callWith: Unchecked = (procedure, input) => Reflect.apply(procedure, undefined, [input]);

/** A tip as REST takes it: its key travels in a header. */
export const restTip = newTip.omit({ idempotencyKey: true });

/** A login as OAuth's clients know it (RFC 6749, section 5.1). */
export const restLogin = login.extend({ tokenType: z.literal('bearer') });
const asBearer = ({ accessToken, expiresAt, user }: Login) => ({
  accessToken,
  tokenType: 'bearer',
  expiresAt,
  user,
});

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
    output: restLogin,
    refusals: ['wrong_credentials', 'invalid_input', 'too_many_requests'],
    call: async (caller, { body }) => ({ body: asBearer(await callWith(caller.auth.login, body)) }),
  },
  {
    method: 'POST',
    path: '/auth/logout',
    procedure: 'auth.logout',
    isPublic: false,
    isForAnyPassword: true,
    status: 204,
    refusals: [],
    call: async (caller) => ({ body: await caller.auth.logout() }),
  },
  {
    method: 'GET',
    path: '/auth/me',
    procedure: 'auth.me',
    isPublic: false,
    isForAnyPassword: true,
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
    isForAnyPassword: true,
    status: 200,
    input: passwordChange,
    output: restLogin,
    refusals: ['wrong_password', 'invalid_input', 'too_many_requests'],
    call: async (caller, { body }) => ({ body: asBearer(await callWith(caller.auth.changePassword, body)) }),
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
    refusals: [
      'providers_only',
      'category_not_offered',
      'qr_code_exists',
      'invalid_input',
      'too_many_requests',
    ],
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
    isPaged: true,
    refusals: ['invalid_input'],
    call: async (caller, { query }) => {
      const limit = query('limit');
      const list = (cursor: string | undefined) =>
        caller.transactions.list({ limit: limit === undefined ? MAX_PAGE_SIZE : numberFrom(limit), cursor });
      const first = await list(query('cursor'));
      const { transactions, nextCursor } = first;
      if (nextCursor === null) return { body: transactions };
      if (limit === undefined) return { pages: pagesFrom(first, list) };
      return {
        body: transactions,
        next: `/api/transactions?${new URLSearchParams({ limit, cursor: nextCursor })}`,
      };
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
    refusals: ['too_many_requests'],
    call: async (caller, { header }) => ({
      events: eventsFrom(await caller.transactions.onTip({ lastEventId: header('Last-Event-ID') })),
    }),
  },
  {
    method: 'POST',
    path: '/transactions',
    procedure: 'transactions.create',
    isPublic: false,
    status: 201,
    input: restTip,
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

/** All pages from `first` on. What arrives meanwhile is newer than all of them, so that together they are one state. */
async function* pagesFrom(first: TransactionPage, list: (cursor: string) => Promise<TransactionPage>) {
  for (let page = first; ; page = await list(page.nextCursor)) {
    yield page.transactions;
    if (page.nextCursor === null) return;
  }
}

/** What a stream says, by name: `connected` or `reset` first, and each tip. */
async function* eventsFrom(items: AsyncIterable<unknown>): AsyncGenerator<RestEvent> {
  for await (const item of items) {
    if (!isTrackedEnvelope<Transaction | TipStreamStart>(item)) throw new Error('an event has no id');
    const [id, content] = item;
    if (!('reset' in content)) yield { id, name: 'tip', data: content };
    else if (content.reset === null) yield { id, name: 'connected', data: {} };
    else yield { id, name: 'reset', data: { reason: content.reset } };
  }
}

/** A whole number as JSON Schema knows it, for which 5.0 is one. */
function numberFrom(digits: string): number {
  return /^\d{1,9}(?:\.0{1,9})?$/.test(digits) ? Number(digits) : Number.NaN;
}
