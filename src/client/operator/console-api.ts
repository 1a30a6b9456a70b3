/** The client of the console's procedures: `consoleApi` for calls, `consoleHooks` for what a part shows. */
import { QueryClient } from '@tanstack/react-query';
import {
  createTRPCClient,
  httpBatchLink,
  httpBatchStreamLink,
  isTRPCClientError,
  type Operation,
  splitLink,
  type TRPCLink,
} from '@trpc/client';
import { createTRPCReact } from '@trpc/react-query';
import { observable } from '@trpc/server/observable';
import type { ConsoleRouter } from '#server/api/console/console-router.ts';
import { CONSOLE_TRPC_PATH } from '#shared/console/parts.ts';
import type { ErrorCode, FieldError } from '#shared/errors.ts';
import { whilePatient } from '../api-client/patience.ts';
import { endSession, readToken } from './console-session.ts';

const MAX_BATCH_SIZE = 10;
const STALE_AFTER_MS = 10_000;
const MAX_RETRIES = 2;

/** The `trpc.context` of a query that repeats by the clock, which must not keep the session alive. */
export const UNATTENDED = { isUnattended: true } as const;

const endSessionWhenRefused: TRPCLink<ConsoleRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      const token = readToken();
      return next(op).subscribe({
        next: (value) => observer.next(value),
        complete: () => observer.complete(),
        error(error) {
          if (error.data?.errorCode === 'session_ended' && token !== null && token === readToken()) {
            endSession(true);
            queryClient.clear();
          }
          observer.error(error);
        },
      });
    });

const http = {
  url: CONSOLE_TRPC_PATH,
  maxItems: MAX_BATCH_SIZE,
  headers({ opList }: { readonly opList: readonly Pick<Operation, 'context'>[] }) {
    const token = readToken();
    const isUnattended = opList.every(({ context }) => context['isUnattended'] === true);
    return {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(isUnattended && { Unattended: '1' }),
    };
  },
};

/** The procedure that answers in pieces. */
const EXPORT = 'people.export';

const links = [
  endSessionWhenRefused,
  splitLink<ConsoleRouter>({
    condition: ({ path }) => path === EXPORT,
    true: httpBatchStreamLink<ConsoleRouter>(http),
    false: httpBatchLink<ConsoleRouter>({
      ...http,
      fetch: (url, init) => fetch(url, { ...init, signal: whilePatient(init?.signal) }),
    }),
  }),
];

export const consoleApi = createTRPCClient<ConsoleRouter>({ links });
export const consoleHooks = createTRPCReact<ConsoleRouter>();
export const consoleHooksClient = consoleHooks.createClient({ links });

export const queryClient = new QueryClient({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: STALE_AFTER_MS,
      // A refusal would only repeat; another attempt may help without an answer, or after a 503.
      retry: (count, error) => count < MAX_RETRIES && (failureOf(error).status ?? 503) >= 503,
    },
  },
});

export interface ConsoleFailure {
  /** The server's sentence, or one that says that it did not answer. */
  readonly detail: string;
  readonly code: ErrorCode | null;
  readonly status: number | null;
  readonly fieldErrors: readonly FieldError[];
}

export function failureOf(error: unknown): ConsoleFailure {
  const refusal = isTRPCClientError<ConsoleRouter>(error) ? error : null;
  const data = refusal?.data;
  return {
    detail: (data && refusal?.message) ?? 'The server did not answer. Check your connection and try again.',
    code: data?.errorCode ?? null,
    status: data?.httpStatus ?? null,
    fieldErrors: data?.fieldErrors ?? [],
  };
}
