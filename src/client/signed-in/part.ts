/** A part of a screen with data of the server. It stays ready when loading it again fails. */
export type Part<Data> =
  | { readonly status: 'loading' }
  | { readonly status: 'failed' }
  | { readonly status: 'ready'; readonly data: Data };

/** Options of a query that is repeated when somebody returns to the screen. */
export const FRESH = {
  refetchOnMount: 'always',
  refetchOnReconnect: 'always',
  refetchOnWindowFocus: 'always',
} as const;

interface QueryState<Answer> {
  readonly data: Answer | undefined;
  readonly isError: boolean;
}

export function partOf<Answer, Data>(
  { data, isError }: QueryState<Answer>,
  read: (answer: Answer) => Data,
): Part<Data> {
  if (data !== undefined) return { status: 'ready', data: read(data) };
  return { status: isError ? 'failed' : 'loading' };
}
