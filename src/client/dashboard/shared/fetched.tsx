/** Parts of the dashboard that are fetched when they are opened. Browsers do not fetch a failed module again until the page is reloaded. */
import { type ReactNode, Suspense } from 'react';
import { Boundary } from '../../ui/boundary.tsx';
import { Problem } from '../../ui/states.tsx';
import { LOAD_FAILED } from './queries.ts';

interface FetchedProps {
  /** What stands in its place until it is fetched. */
  readonly sketch: ReactNode;
  readonly children: ReactNode;
}

/** A part of the screen. */
export function Fetched({ sketch, children }: FetchedProps) {
  return (
    <Boundary fallback={<LoadFailed onRetry={reload} />}>
      <Suspense fallback={sketch}>{children}</Suspense>
    </Boundary>
  );
}

/** A dialog, which comes over the screen wherever it stands; that it could not be fetched is brought into view. */
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

/** Says that a part could not be loaded, or its data. */
export function LoadFailed({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Problem title={LOAD_FAILED} onRetry={onRetry}>
      <p>Nothing is lost. Please try again in a moment.</p>
    </Problem>
  );
}

function reload(): void {
  window.location.reload();
}

function bringIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
