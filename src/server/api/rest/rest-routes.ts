/**
 * The REST door as one table: method, path and status, and the procedure that answers. What a procedure takes and
 * refuses, its route takes and refuses.
 */
import { z } from 'zod';
import type { ExportPiece, ExportStart } from '#shared/account-export.ts';
import { closingAnswer, login, profileChange, session, user } from '#shared/accounts.ts';
import { PRINT_TYPES, printed } from '#shared/print.ts';
import { endedQrCode, MAX_PHOTO_BYTES, qrCode, qrCodeLookup, tipPageChange } from '#shared/qr-codes.ts';
import { NOTICE_ROUTES } from './notice-routes.ts';
import { PAYMENT_ROUTES } from './payment-routes.ts';
import { numberFrom, type RestAnswer, type RestRequest, type RestRoute, route } from './rest-route.ts';
import { CODE_REFUSALS, TRANSACTION_ROUTES } from './transaction-routes.ts';
import { WORD_ROUTES } from './word-routes.ts';

/** A login as OAuth's clients know it (RFC 6749, section 5.1). */
export const restLogin = login.extend({ tokenType: z.literal('bearer') });

async function askForLogin({ ask, body }: RestRequest): Promise<RestAnswer> {
  const { accessToken, ...rest } = login.parse(await ask(body));
  return { body: { accessToken, tokenType: 'bearer', ...rest } };
}

/** The bytes of the rest of an export. */
async function* bytesOf(
  items: AsyncIterator<ExportStart | ExportPiece>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    for (let item = await items.next(); !item.done; item = await items.next())
      if ('base64' in item.value) yield Uint8Array.from(Buffer.from(item.value.base64, 'base64'));
  } finally {
    await items.return?.();
  }
}

/** Registered with IANA. */
const ZIP_TYPE = 'application/zip';

export const REST_ROUTES: readonly RestRoute[] = [
  route('POST', '/auth/register', 'auth.register', {
    isPublic: true,
    status: 201,
    output: user,
    refusals: ['email_taken', 'username_taken', 'too_many_requests'],
  }),
  route('POST', '/auth/login', 'auth.login', {
    isPublic: true,
    status: 200,
    output: restLogin,
    refusals: ['wrong_credentials', 'too_many_requests'],
    call: askForLogin,
  }),
  route('POST', '/auth/logout', 'auth.logout', { isForAnyPassword: true, status: 204 }),
  route('GET', '/auth/me', 'auth.me', { isForAnyPassword: true, status: 200, output: user }),
  route('PATCH', '/auth/me', 'auth.updateProfile', {
    status: 200,
    input: profileChange,
    output: user,
    refusals: [
      ...(['password_needed', 'wrong_password', 'email_taken', 'username_taken'] as const),
      ...(['username_changed_often', 'too_many_requests'] as const),
    ],
  }),
  route('POST', '/auth/confirm', 'auth.confirm', {
    isForAnyPassword: true,
    status: 204,
    refusals: ['wrong_password', 'too_many_requests'],
  }),
  route('POST', '/auth/password', 'auth.changePassword', {
    isForAnyPassword: true,
    status: 200,
    output: restLogin,
    refusals: ['wrong_password', 'too_many_requests'],
    call: askForLogin,
  }),
  route('POST', '/auth/me/closing', 'auth.close', {
    status: 200,
    output: closingAnswer,
    refusals: ['wrong_password', 'too_many_requests'],
  }),
  route('GET', '/auth/me/export', 'auth.export', {
    status: 200,
    parameters: ['time_zone'],
    fileTypes: [ZIP_TYPE],
    refusals: ['password_needed', 'too_many_requests'],
    async call({ caller, query }) {
      const items = (await caller().auth.export({ timeZone: query('time_zone') }))[Symbol.asyncIterator]();
      const { value: start } = await items.next();
      if (!start || !('fileName' in start)) throw new Error('an export has no name');
      return { download: { name: start.fileName, type: ZIP_TYPE, parts: bytesOf(items) } };
    },
  }),
  route('GET', '/auth/sessions', 'auth.sessions', { status: 200, output: session, isList: true }),
  route('DELETE', '/auth/sessions', 'auth.endOtherSessions', {
    status: 204,
    refusals: ['password_needed'],
  }),
  route('DELETE', '/auth/sessions/:session_id', 'auth.endSession', {
    status: 204,
    refusals: ['password_needed', 'session_not_found'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('session_id') }) }),
  }),
  route('GET', '/qr-codes', 'qrCodes.list', { status: 200, output: qrCode, isList: true }),
  route('POST', '/qr-codes', 'qrCodes.create', {
    status: 201,
    output: qrCode,
    refusals: ['providers_only', 'category_not_offered', 'qr_code_exists', 'too_many_requests'],
  }),
  route('GET', '/ended-qr-codes', 'qrCodes.ended', {
    status: 200,
    output: endedQrCode,
    isList: true,
    isPaged: true,
    parameters: ['limit', 'cursor'],
    refusals: ['too_many_requests'],
    async call({ caller, query }) {
      const limit = query('limit');
      const asked = limit === undefined ? {} : { limit: numberFrom(limit) };
      const { codes, nextCursor } = await caller().qrCodes.ended({ ...asked, cursor: query('cursor') });
      if (nextCursor === null) return { body: codes };
      const next = new URLSearchParams({
        ...(asked.limit !== undefined && { limit: String(asked.limit) }),
        cursor: nextCursor,
      });
      return { body: codes, next: `/api/ended-qr-codes?${next}` };
    },
  }),
  route('GET', '/qr-codes/:qr_code_id', 'qrCodes.lookup', {
    isPublic: true,
    status: 200,
    output: qrCodeLookup,
    refusals: [...CODE_REFUSALS],
    call: async ({ caller, parameter }) => ({
      lasting: await caller().qrCodes.lookup({ id: parameter('qr_code_id') }),
    }),
  }),
  route('PATCH', '/qr-codes/:qr_code_id', 'qrCodes.update', {
    status: 200,
    input: tipPageChange,
    output: qrCode,
    refusals: [...CODE_REFUSALS, 'too_many_requests'],
    async call({ ask, body, parameter }) {
      const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
      return { body: await ask(isObject ? { ...body, id: parameter('qr_code_id') } : body) };
    },
  }),
  route('POST', '/qr-codes/:qr_code_id/replacement', 'qrCodes.replace', {
    status: 201,
    input: null,
    output: qrCode,
    refusals: [...CODE_REFUSALS, 'providers_only', 'too_many_requests'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('qr_code_id') }) }),
  }),
  route('PUT', '/qr-codes/:qr_code_id/photo', 'qrCodes.setPhoto', {
    takesPicture: true,
    status: 200,
    output: qrCode,
    refusals: [...CODE_REFUSALS, 'photo_too_large', 'not_a_photo', 'photo_unreadable', 'too_many_requests'],
    call: async ({ ask, bytes, parameter }) => ({
      body: await ask(async () => ({ id: parameter('qr_code_id'), photo: await bytes(MAX_PHOTO_BYTES) })),
    }),
  }),
  route('DELETE', '/qr-codes/:qr_code_id/photo', 'qrCodes.removePhoto', {
    status: 200,
    output: qrCode,
    refusals: [...CODE_REFUSALS, 'too_many_requests'],
    call: async ({ ask, parameter }) => ({ body: await ask({ id: parameter('qr_code_id') }) }),
  }),
  route('GET', '/qr-codes/:qr_code_id/print/:file', 'qrCodes.print', {
    status: 200,
    parameters: ['paper', 'ink', 'size'],
    fileTypes: PRINT_TYPES,
    refusals: [...CODE_REFUSALS, 'public_url_is_local', 'too_many_requests'],
    async call({ ask, parameter, query }) {
      const size = query('size');
      const { fileName, type, base64 } = printed.parse(
        await ask({
          id: parameter('qr_code_id'),
          file: parameter('file'),
          paper: query('paper'),
          ink: query('ink'),
          size: size === undefined ? undefined : numberFrom(size),
        }),
      );
      return { file: { name: fileName, type, bytes: Uint8Array.from(Buffer.from(base64, 'base64')) } };
    },
  }),
  ...TRANSACTION_ROUTES,
  ...WORD_ROUTES,
  ...PAYMENT_ROUTES,
  ...NOTICE_ROUTES,
];
