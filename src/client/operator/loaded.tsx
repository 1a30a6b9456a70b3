/** The answer of a query in a part of the console, and what stands there before it comes or when it does not. */
import { type ReactNode, useState } from 'react';
import { toastError } from '../toasts.ts';
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
  const [retryCount, setRetryCount] = useState(0);

  function retry() {
    setRetryCount(retryCount + 1);
    void refetch();
  }

  return (
    <>
      {/* The pressed button goes: from here reading and Tab go on with what takes its place. */}
      {retryCount > 0 && <span key={retryCount} ref={takeFocus} tabIndex={-1} className="visually-hidden" />}
      {data !== undefined ? (
        children(data)
      ) : error ? (
        <Problem title={title ?? 'This could not be loaded'} onRetry={retry}>
          <p>{failureOf(error).detail}</p>
          {advice}
        </Problem>
      ) : (
        <Loading {...(loading !== undefined && { text: loading })} />
      )}
    </>
  );
}

/** Tells of what somebody has asked for beside an answer that stays, such as its next page. */
export function toastFailure({ error }: { readonly error: unknown }): void {
  if (error) toastError(failureOf(error).detail);
}

function takeFocus(place: HTMLElement | null): void {
  place?.focus({ preventScroll: true });
}
