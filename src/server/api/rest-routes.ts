/**
 * The REST door as one table: method, path and status, and the procedure that answers. What a procedure takes and
 * refuses, its route takes and refuses.
 */
import { isTrackedEnvelope } from '@trpc/server';
import { z } from 'zod';
import { login, profileChange, session, user } from '#shared/accounts.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { PRINT_TYPES, printed } from '#shared/print.ts';
import { MAX_PHOTO_BYTES, qrCode, qrCodeLookup, tipPageChange } from '#shared/qr-codes.ts';
import {
  MAX_PAGE_SIZE,
  newTip,
  type TipStreamStart,
  type Transaction,
  type TransactionPage,
  tipSummary,
  transaction,
} from '#shared/tips.ts';
import { type Caller, inputOf, type ProcedureName } from './router.ts';

/** What of a request a row of the table may use. */
export interface RestRequest {
  /** The body as the procedure takes it, still unchecked. */
  readonly body: unknown;
  parameter(name: string): string;
  query(name: string): string | undefined;
  header(name: string): string | undefined;
  /** Reads a body of bytes. @throws AppError `photo_too_large` as soon as there are more of them. */
  bytes(atMost: number): Promise<Uint8Array>;
  /**
   * Calls the procedure of the row, which checks its input itself.
   * @param input or what reads it, once the procedure knows who asks, and has counted it.
   */
  ask(input: unknown | (() => Promise<unknown>)): Promise<unknown>;
  /** Calls any procedure, by its types. */
  caller(): Caller;
}

interface RestAnswer {
  readonly body: unknown;
  /** Path and query of the next page, if there is one. */
  readonly next?: string;
}

/** An object that never changes, and is the same one when it is asked for again. */
interface RestLastingAnswer {
  readonly lasting: object;
}

/** An answer that is to be saved as a file. */
export interface RestFile {
  readonly file: {
    /** In ASCII. */
    readonly name: string;
    readonly type: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
  };
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

/** What a row of the table may say beside its method, path and procedure. */
interface RestTerms {
  /** Whether it answers without a session. */
  readonly isPublic?: true;
  /** Whether it answers also before a password was changed that the operator made. */
  readonly isForAnyPassword?: true;
  readonly status: 200 | 201 | 204;
  /** What the body of a POST or PATCH holds, in the procedure's words; without it, what the procedure takes. Null for no body. */
  readonly input?: z.ZodType | null;
  /** Whether the body is a picture as it is. */
  readonly takesPicture?: true;
  /** The types of the file that is answered in place of JSON. */
  readonly fileTypes?: readonly string[];
  /** What the answer holds, in the procedure's words; a list of it when `isList`. */
  readonly output?: z.ZodType;
  readonly isList?: true;
  /** Whether it can be asked for page by page, each naming the next one in its `Link` header. */
  readonly isPaged?: true;
  /** Whether `output` is the data of each server-sent event. */
  readonly isStream?: true;
  /** The refusals of its own, beside those that any route has. */
  readonly refusals?: readonly ErrorCode[];
  /** How the procedure is asked; without it, with the body. */
  readonly call?: (
    request: RestRequest,
  ) => Promise<RestAnswer | RestFile | RestLastingAnswer | RestPages | RestStream>;
}

/** A row of the table. */
export interface RestRoute extends RestTerms {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below /api, in Hono's notation. */
  readonly path: string;
  readonly procedure: ProcedureName;
  readonly refusals: NonNullable<RestTerms['refusals']>;
  readonly call: NonNullable<RestTerms['call']>;
}

/** A tip as REST takes it: its key travels in a header. */
export const restTip = newTip.omit({ idempotencyKey: true });

/** A login as OAuth's clients know it (RFC 6749, section 5.1). */
export const restLogin = login.extend({ tokenType: z.literal('bearer') });

async function askForLogin({ ask, body }: RestRequest): Promise<RestAnswer> {
  const { accessToken, ...rest } = login.parse(await ask(body));
  return { body: { accessToken, tokenType: 'bearer', ...rest } };
}

function route(
  method: RestRoute['method'],
  path: string,
  procedure: ProcedureName,
  terms: RestTerms,
): RestRoute {
  const input = method === 'POST' || method === 'PATCH' ? inputOf(procedure) : undefined;
  const call: RestRoute['call'] = async ({ ask, body }) => ({ body: await ask(body) });
  return { method, path, procedure, refusals: [], call, ...(input && { input }), ...terms };
}

/** Of whatever changes a code. */
const CODE_REFUSALS = ['qr_code_not_found', 'qr_code_replaced', 'qr_code_retired'] as const;

export const REST_ROUTES: readonly RestRoute[] = [
  route('POST', '/auth/register', 'auth.register', {
    isPublic: true,
    status: 201,
    output: user,
    refusals: ['invalid_input', 'email_taken', 'username_taken', 'too_many_requests'],
  }),
  route('POST', '/auth/login', 'auth.login', {
    isPublic: true,
    status: 200,
    output: restLogin,
    refusals: ['wrong_credentials', 'invalid_input', 'too_many_requests'],
    call: askForLogin,
  }),
  route('POST', '/auth/logout', 'auth.logout', { isForAnyPassword: true, status: 204 }),
  route('GET', '/auth/me', 'auth.me', { isForAnyPassword: true, status: 200, output: user }),
  route('PATCH', '/auth/me', 'auth.updateProfile', {
    status: 200,
    input: profileChange,
    output: user,
    refusals: ['invalid_input', 'wrong_password', 'email_taken', 'username_taken', 'too_many_requests'],
  }),
  route('POST', '/auth/password', 'auth.changePassword', {
    isForAnyPassword: true,
    status: 200,
    output: restLogin,
    refusals: ['wrong_password', 'invalid_input', 'too_many_requests'],
    call: askForLogin,
  }),
  route('GET', '/auth/sessions', 'auth.sessions', { status: 200, output: session, isList: true }),
  route('DELETE', '/auth/sessions', 'auth.endOtherSessions', { status: 204 }),
  route('DELETE', '/auth/sessions/:sessionId', 'auth.endSession', {
    status: 204,
    refusals: ['session_not_found'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('sessionId') }) }),
  }),
  route('GET', '/qr-codes', 'qrCodes.list', { status: 200, output: qrCode, isList: true }),
  route('POST', '/qr-codes', 'qrCodes.create', {
    status: 201,
    output: qrCode,
    refusals: [
      'providers_only',
      'category_not_offered',
      'qr_code_exists',
      'invalid_input',
      'too_many_requests',
    ],
  }),
  route('GET', '/qr-codes/:qrId', 'qrCodes.lookup', {
    isPublic: true,
    status: 200,
    output: qrCodeLookup,
    refusals: [...CODE_REFUSALS],
    call: async ({ caller, parameter }) => ({
      lasting: await caller().qrCodes.lookup({ id: parameter('qrId') }),
    }),
  }),
  route('PATCH', '/qr-codes/:qrId', 'qrCodes.update', {
    status: 200,
    input: tipPageChange,
    output: qrCode,
    refusals: [...CODE_REFUSALS, 'invalid_input', 'too_many_requests'],
    async call({ ask, body, parameter }) {
      const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
      return { body: await ask(isObject ? { ...body, id: parameter('qrId') } : body) };
    },
  }),
  route('POST', '/qr-codes/:qrId/replacement', 'qrCodes.replace', {
    status: 201,
    input: null,
    output: qrCode,
    refusals: [...CODE_REFUSALS, 'providers_only', 'too_many_requests'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('qrId') }) }),
  }),
  route('PUT', '/qr-codes/:qrId/photo', 'qrCodes.setPhoto', {
    takesPicture: true,
    status: 200,
    output: qrCode,
    refusals: [...CODE_REFUSALS, 'photo_too_large', 'not_a_photo', 'photo_unreadable', 'too_many_requests'],
    call: async ({ ask, bytes, parameter }) => ({
      body: await ask(async () => ({ id: parameter('qrId'), photo: await bytes(MAX_PHOTO_BYTES) })),
    }),
  }),
  route('DELETE', '/qr-codes/:qrId/photo', 'qrCodes.removePhoto', {
    status: 200,
    output: qrCode,
    refusals: [...CODE_REFUSALS, 'too_many_requests'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('qrId') }) }),
  }),
  route('GET', '/qr-codes/:qrId/print/:file', 'qrCodes.print', {
    status: 200,
    fileTypes: PRINT_TYPES,
    refusals: [...CODE_REFUSALS, 'public_url_is_local', 'invalid_input', 'too_many_requests'],
    async call({ ask, parameter, query }) {
      const size = query('size');
      const { fileName, type, base64 } = printed.parse(
        await ask({
          id: parameter('qrId'),
          file: parameter('file'),
          paper: query('paper'),
          ink: query('ink'),
          size: size === undefined ? undefined : numberFrom(size),
        }),
      );
      return { file: { name: fileName, type, bytes: Uint8Array.from(Buffer.from(base64, 'base64')) } };
    },
  }),
  route('GET', '/transactions', 'transactions.list', {
    status: 200,
    output: transaction,
    isList: true,
    isPaged: true,
    refusals: ['invalid_input'],
    async call({ caller, query }) {
      const limit = query('limit');
      const { list } = caller().transactions;
      const listFrom = (cursor: string | undefined) =>
        list({ limit: limit === undefined ? MAX_PAGE_SIZE : numberFrom(limit), cursor });
      const first = await listFrom(query('cursor'));
      const { transactions, nextCursor } = first;
      if (nextCursor === null) return { body: transactions };
      if (limit === undefined) return { pages: pagesFrom(first, listFrom) };
      const next = `/api/transactions?${new URLSearchParams({ limit, cursor: nextCursor })}`;
      return { body: transactions, next };
    },
  }),
  route('GET', '/transactions/stream', 'transactions.onTip', {
    status: 200,
    output: transaction,
    isStream: true,
    refusals: ['too_many_requests'],
    async call({ caller, header }) {
      const lastEventId = header('Last-Event-ID');
      return { events: eventsFrom(await caller().transactions.onTip({ lastEventId })) };
    },
  }),
  route('GET', '/transactions/summary', 'transactions.summary', {
    status: 200,
    output: tipSummary,
    refusals: ['invalid_input'],
    async call({ ask, query }) {
      const hour = query('day_start_hour');
      return {
        body: await ask({
          timeZone: query('time_zone'),
          serviceCategory: query('service_category'),
          dayStartHour: hour === undefined ? undefined : numberFrom(hour),
        }),
      };
    },
  }),
  // After the stream and the summary, whose paths this one fits as well.
  route('GET', '/transactions/:transactionId', 'transactions.get', {
    status: 200,
    output: transaction,
    refusals: ['transaction_not_found'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('transactionId') }) }),
  }),
  route('POST', '/transactions', 'transactions.create', {
    status: 201,
    input: restTip,
    output: transaction,
    refusals: [
      'login_to_tip',
      ...CODE_REFUSALS,
      'qr_code_paused',
      'invalid_input',
      'own_qr_code',
      'category_mismatch',
      'idempotency_key_reused',
      'too_many_requests',
    ],
    async call({ ask, body, header }) {
      const idempotencyKey = header('Idempotency-Key');
      const tip = typeof body === 'object' && body !== null ? { ...body, idempotencyKey } : body;
      return { body: await ask(tip) };
    },
  }),
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
