/** A part of a screen that the server is asked for, in the states that a screen can draw. */

/** What was once loaded stays ready, also when asking again has failed. */
export type Part<Data> =
  | { readonly status: 'loading' }
  | { readonly status: 'failed' }
  | { readonly status: 'ready'; readonly data: Data };

/** Options of a query that is asked again whenever somebody looks at the screen again. */
export const FRESH = {
  refetchOnMount: 'always',
  refetchOnReconnect: 'always',
  refetchOnWindowFocus: 'always',
} as const;

interface QueryState<Answer> {
  readonly data: Answer | undefined;
  readonly isError: boolean;
}

/** The part that a query stands for; `read` makes its data of the answer. */
export function partOf<Answer, Data>(
  { data, isError }: QueryState<Answer>,
  read: (answer: Answer) => Data,
): Part<Data> {
  if (data !== undefined) return { status: 'ready', data: read(data) };
  return { status: isError ? 'failed' : 'loading' };
}
