/** The states of a part until its module and its data have come. */
import { type ReactNode, Suspense } from 'react';
import { Boundary } from '../../ui/boundary.tsx';
import { Problem } from '../../ui/states.tsx';
import { LOAD_FAILED } from './queries.ts';

interface FetchedProps {
  readonly sketch: ReactNode;
  readonly children: ReactNode;
}

export function Fetched({ sketch, children }: FetchedProps) {
  return (
    <Boundary fallback={<LoadFailed onRetry={reload} />}>
      <Suspense fallback={sketch}>{children}</Suspense>
    </Boundary>
  );
}

/** A dialog may be opened from anywhere, so that its failure is brought into view. */
export function FetchedDialog({ children }: { readonly children: ReactNode }) {
  return (
    <Boundary
      fallback={
        <div ref={bringIntoView}>
          <LoadFailed onRetry={reload} />
        </div>
      }
    >
      <Suspense>{children}</Suspense>
    </Boundary>
  );
}

interface NotReadyProps {
  readonly status: 'loading' | 'failed';
  readonly sketch: ReactNode;
  readonly onRetry: () => void;
}

export function NotReady({ status, sketch, onRetry }: NotReadyProps) {
  if (status === 'loading') return <div aria-busy="true">{sketch}</div>;
  return <LoadFailed onRetry={onRetry} />;
}

function LoadFailed({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Problem title={LOAD_FAILED} onRetry={onRetry}>
      <p>Nothing is lost. Please try again in a moment.</p>
    </Problem>
  );
}

/** Browsers do not fetch a failed module again until the page is reloaded. */
function reload(): void {
  window.location.reload();
}

function bringIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
