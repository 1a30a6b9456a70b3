/**
 * The typed client of the server's procedures. Whoever's session has ended is logged out here, whichever call found
 * out.
 */
import { createTRPCClient, httpBatchLink, isTRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter } from '#server/api/router.ts';
import type { PasswordChange } from '#shared/accounts.ts';
import type { ErrorCode, FieldError } from '#shared/errors.ts';
import { removeWorker } from './service-worker.ts';
import { beginSession, endSession, readToken } from './session/session.ts';

export type { AppRouter };

export const TRPC_URL = '/trpc';
/** As many as the server takes in one request. */
const MAX_BATCH_SIZE = 10;

const CHANGE_PASSWORD = 'auth.changePassword';

/** A change of password under way: the token that calls go out with may be worthless before the next one is here. */
let renewal: Promise<void> | null = null;

const refusalListeners = new Set<() => void>();

/** Calls `listener` whenever the server has ended this page's session. */
export function onSessionRefused(listener: () => void): void {
  refusalListeners.add(listener);
}

export const endSessionWhenRefused: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      const token = readToken();
      return next(op).subscribe({
        next: (value) => observer.next(value),
        complete: () => observer.complete(),
        error(error) {
          const fail = () => {
            // Only for the token that was refused: another tab may have logged in meanwhile.
            if (error.data?.errorCode === 'session_ended' && token === readToken()) {
              endSession();
              for (const listener of refusalListeners) listener();
              void removeWorker();
            }
            observer.error(error);
          };
          if (renewal === null || op.path === CHANGE_PASSWORD) fail();
          else void renewal.then(fail, fail);
        },
      });
    });

export const batchLink = httpBatchLink<AppRouter>({
  url: TRPC_URL,
  maxItems: MAX_BATCH_SIZE,
  headers: authorization,
});

export const api = createTRPCClient<AppRouter>({ links: [endSessionWhenRefused, batchLink] });
export type Api = typeof api;

/** Changes the password. This device goes on under the token that is answered, and other tabs follow. */
export async function changePassword(change: PasswordChange): Promise<void> {
  renewal = api.auth.changePassword
    .mutate(change)
    .then(({ accessToken, user }) => beginSession(accessToken, user));
  try {
    await renewal;
  } finally {
    renewal = null;
  }
}

/** The header that says who is asking. */
export function authorization(): { Authorization?: string } {
  const token = readToken();
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

export interface Failure {
  /** The server's sentence for people; null when there was no answer from Tipwell. */
  readonly detail: string | null;
  readonly code: ErrorCode | null;
  readonly status: number | null;
  readonly fieldErrors: readonly FieldError[];
  /** For "too many" and "not now": how long to wait, in seconds. */
  readonly retryAfterSeconds: number | null;
}

/** What a rejected call was told. */
export function failureOf(error: unknown): Failure {
  const refusal = isTRPCClientError<AppRouter>(error) ? error : null;
  const data = refusal?.data;
  return {
    detail: (data && refusal?.message) ?? null,
    code: data?.errorCode ?? null,
    status: data?.httpStatus ?? null,
    fieldErrors: data?.fieldErrors ?? [],
    retryAfterSeconds: data?.retryAfterSeconds ?? null,
  };
}
