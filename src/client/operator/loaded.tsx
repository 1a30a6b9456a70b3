/** The answer of a query in a part of the console, and what stands there before it comes or when it does not. */
import type { ReactNode } from 'react';
import { Loading, Problem } from '../ui/states.tsx';
import { failureOf } from './console-api.ts';

interface LoadedProps<Data> {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** What failed. */
  readonly title?: string;
  readonly loading?: string;
  /** What else can be done about a failure. */
  readonly advice?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}

/** A later failure keeps the answer. */
export function Loaded<Data>({ query, title, loading, advice, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  if (!error) return <Loading {...(loading !== undefined && { text: loading })} />;
  return (
    <Problem title={title ?? 'This could not be loaded'} onRetry={() => void refetch()}>
      <p>{failureOf(error).detail}</p>
      {advice}
    </Problem>
  );
}
