import type { ReactNode } from 'react';
import { Loading, Problem } from '../../ui/states.tsx';
import { failureOf } from '../console-api.ts';

interface LoadedProps<Data> {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly children: (data: Data) => ReactNode;
}

/** Draws the answer of a query once it is there. A later failure keeps it. */
export function Loaded<Data>({ query: { data, error, refetch }, children }: LoadedProps<Data>) {
  if (data !== undefined) return children(data);
  if (!error) return <Loading />;
  return (
    <Problem title="This could not be loaded" onRetry={() => void refetch()}>
      <p>{failureOf(error).detail}</p>
    </Problem>
  );
}
