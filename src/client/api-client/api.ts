/** The typed client of the procedures. A page is logged out when its token is refused because the session has ended. */
import {
  createTRPCClient,
  httpBatchLink,
  isTRPCClientError,
  type Operation,
  type TRPCLink,
} from '@trpc/client';
import { observable } from '@trpc/server/observable';
import type { AppRouter } from '#server/api/procedures/router.ts';
import type { ErrorCode, FieldError } from '#shared/errors.ts';
import { createListeners } from '../listeners.ts';
import { endSession, readToken } from '../session/session.ts';
import { whilePatient } from './patience.ts';
import { learnTime } from './server-clock.ts';
import { removeWorker } from './service-worker.ts';

export type { AppRouter };

export const TRPC_URL = '/trpc';
const MAX_BATCH_SIZE = 10;

interface Batch {
  readonly opList: readonly [Operation, ...Operation[]];
}

const CHANGE_PASSWORD = 'auth.changePassword';

/** A change of password ends the present token before the page has the next one; calls wait for it. */
let renewal: Promise<void> | null = null;

const refusals = createListeners();
export const onSessionRefused = refusals.subscribe;

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
            // Another tab may have logged in meanwhile; then the refused token is not the stored one.
            if (error.data?.errorCode === 'session_ended' && token === readToken()) {
              endSession();
              refusals.tell();
              void removeWorker(true);
            }
            observer.error(error);
          };
          if (renewal === null || op.path === CHANGE_PASSWORD) fail();
          else void renewal.then(fail, fail);
        },
      });
    });

/**
 * Sends the idempotency key of a payment in the header too, so that the server can tell when a proxy has put
 * the body of another request behind it. A batch has one header, so that calls with keys are made alone.
 */
function attemptHeader({ opList: [op, other] }: Batch): { 'Idempotency-Key'?: string } {
  const { input }: { readonly input: unknown } = op;
  const isNamed = typeof input === 'object' && input !== null && 'idempotencyKey' in input;
  if (other || !isNamed || typeof input.idempotencyKey !== 'string') return {};
  return { 'Idempotency-Key': input.idempotencyKey };
}

/** What is offered for a time, such as to take a tip back, holds by the server's clock. */
const timedFetch: NonNullable<Parameters<typeof httpBatchLink>[0]['fetch']> = async (url, init) =>
  learnTime(await fetch(url, { ...init, signal: whilePatient(init?.signal) }));

export const batches = {
  url: TRPC_URL,
  maxItems: MAX_BATCH_SIZE,
  fetch: timedFetch,
  headers: (batch: Batch) => ({ ...authorization(), ...attemptHeader(batch) }),
};

export const api = createTRPCClient<AppRouter>({ links: [endSessionWhenRefused, httpBatchLink(batches)] });
export type Api = typeof api;

/** The client of guests, who act by a key or a token: it never sends the token of a session. */
export const guestApi = createTRPCClient<AppRouter>({
  links: [httpBatchLink({ url: TRPC_URL, fetch: timedFetch, headers: attemptHeader })],
});

/** Makes calls that are refused meanwhile wait for a new token of this page. */
export async function holdCallsFor(newToken: Promise<void>): Promise<void> {
  renewal = newToken;
  try {
    await renewal;
  } finally {
    renewal = null;
  }
}

export function authorization(): { Authorization?: string } {
  const token = readToken();
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

export interface Failure {
  /** The server's sentence for people; null when the server did not answer. */
  readonly detail: string | null;
  readonly code: ErrorCode | null;
  readonly status: number | null;
  readonly fieldErrors: readonly FieldError[];
  readonly retryAfterSeconds: number | null;
}

/** Reads the refusal from an error. Without an answer the fields are null, and `fieldErrors` is empty. */
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

/** Says of an act without an answer that it may have been done. @param what such as "the code was changed" */
export function unanswered(what: string): string {
  return `There was no answer, so we don’t know whether ${what}.`;
}
