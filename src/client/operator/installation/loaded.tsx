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

/** What a query answers, as soon as it has; a later failure leaves it as it is. */
export function Loaded<Data>({ query: { data, error, refetch }, children }: LoadedProps<Data>) {
  if (data !== undefined) return children(data);
  if (!error) return <Loading />;
  return (
    <Problem title="This could not be loaded" onRetry={() => void refetch()}>
      <p>{failureOf(error).detail}</p>
    </Problem>
  );
}
