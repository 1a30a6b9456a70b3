/** Turns anything thrown into a row of the table of refusals, which may be said aloud. */
import { TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { z } from 'zod';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { RECENT_PASSWORD_MINUTES } from '#shared/accounts.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import { SOFTWARE } from '#shared/software.ts';
import { toldName } from '#shared/unknown-names.ts';

const NO_OBJECT = 'Send the fields as a JSON object.';

const OWN_REFUSALS: Partial<Record<TRPCError['code'], ErrorCode>> = {
  PARSE_ERROR: 'malformed_request',
  BAD_REQUEST: 'malformed_request',
  NOT_FOUND: 'not_found',
  METHOD_NOT_SUPPORTED: 'method_not_allowed',
  PAYLOAD_TOO_LARGE: 'body_too_large',
  UNSUPPORTED_MEDIA_TYPE: 'not_json',
};

/** An unforeseen error becomes `internal`, and stays attached as the cause for the log. */
export function refusalOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof StorageUnavailable) return new AppError('storage_unavailable', { cause: error });
  if (!(error instanceof TRPCError)) return new AppError('internal', { cause: error });

  const { cause } = error;
  if (error.code === 'BAD_REQUEST') {
    if (cause instanceof z.ZodError) {
      const fieldErrors = cause.issues.map((issue) => ({
        field: fieldOf(issue),
        message: issue.path.length === 0 && issue.code === 'invalid_type' ? NO_OBJECT : issue.message,
      }));
      return new AppError('invalid_input', { fieldErrors, cause });
    }
    if (cause instanceof SyntaxError) return new AppError('malformed_json', { cause });
  }
  if (error.code === 'INTERNAL_SERVER_ERROR') {
    // tRPC decodes the path first, and throws this when its percent-encoding is wrong.
    return cause instanceof URIError
      ? new AppError('not_found', { cause })
      : refusalOf(cause ?? new Error(error.message, { cause: error }));
  }
  return new AppError(OWN_REFUSALS[error.code] ?? 'internal', { cause: error });
}

/** Names the field of an issue: the first unknown member of an object that takes no others. */
function fieldOf(issue: z.core.$ZodIssue): string {
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return [...issue.path, ...(unknown === undefined ? [] : [toldName(unknown)])].join('.');
}

export function unreadCall(error: TRPCError | undefined): AppError {
  // tRPC throws this for a GET with the type of a form or of bytes: the method is right, and the type is wrong.
  if (error?.code === 'METHOD_NOT_SUPPORTED') return new AppError('not_json', { cause: error });
  return refusalOf(error);
}

/** The errors are those of RFC 6750, section 3.1, and for a login that is too long ago of RFC 9470, section 3. */
function reasonOf({ code, scope }: AppError): string {
  if (scope !== undefined) return `, error="insufficient_scope", scope="${scope}"`;
  if (code === 'session_ended' || code === 'invalid_api_key') return ', error="invalid_token"';
  if (code !== 'password_needed') return '';
  return `, error="insufficient_user_authentication", max_age="${RECENT_PASSWORD_MINUTES * 60}"`;
}

/** WWW-Authenticate (RFC 9110, section 11.6.1), Accept-Encoding and Retry-After, in a batch with the longest wait. */
export function headersOf(...refusals: readonly AppError[]): Record<string, string> {
  const headers: Record<string, string> = {};
  const unauthenticated = refusals.find(({ status, scope }) => status === 401 || scope !== undefined);
  if (unauthenticated) {
    headers['WWW-Authenticate'] = `Bearer realm="${SOFTWARE}"${reasonOf(unauthenticated)}`;
  }
  // RFC 9110, section 15.5.16.
  if (refusals.some(({ code }) => code === 'encoded_body')) headers['Accept-Encoding'] = 'identity';
  const waits = refusals.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? []);
  if (waits.length > 0) headers['Retry-After'] = String(Math.max(...waits));
  return headers;
}

export const MUTATIONS = 'POST';
export const QUERIES = 'GET, HEAD';

/** The headers of an answer to calls through tRPC: those above, and the methods that would have been right. */
export function callHeadersOf(
  refusals: readonly AppError[],
  type: string,
  more: Record<string, string> = {},
): Headers {
  const headers = new Headers({ ...headersOf(...refusals), ...more });
  if (refusals.some(({ status }) => status === 405))
    headers.set('Allow', type === 'mutation' ? MUTATIONS : QUERIES);
  return headers;
}

const TRPC_CODES = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  408: 'TIMEOUT',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  431: 'PAYLOAD_TOO_LARGE',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
} as const satisfies Record<AppError['status'], keyof typeof TRPC_ERROR_CODES_BY_KEY>;

export function trpcErrorOf(refusal: AppError, requestId: string | null, path: string | null) {
  const code = TRPC_CODES[refusal.status];
  return {
    message: refusal.message,
    code: TRPC_ERROR_CODES_BY_KEY[code],
    data: {
      code,
      httpStatus: refusal.status,
      path,
      errorCode: refusal.code,
      fieldErrors: refusal.fieldErrors,
      retryAfterSeconds: refusal.retryAfterSeconds ?? null,
      requestId,
    },
  };
}
