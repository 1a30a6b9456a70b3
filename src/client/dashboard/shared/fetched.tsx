/** The states of a part until its module and its data have come. */
import type { ReactNode } from 'react';
import type { Part } from '../../signed-in/part.ts';
import { Later } from '../../ui/boundary.tsx';
import { Problem } from '../../ui/states.tsx';
import { LOAD_FAILED } from './queries.ts';

interface FetchedProps {
  readonly sketch: ReactNode;
  readonly children: ReactNode;
}

export function Fetched({ sketch, children }: FetchedProps) {
  return (
    <Later meanwhile={sketch} otherwise={<LoadFailed onRetry={reload} />}>
      {children}
    </Later>
  );
}

/** A dialog may be opened from anywhere, so that its failure is brought into view. */
export function FetchedDialog({ children }: { readonly children: ReactNode }) {
  return (
    <Later
      otherwise={
        <div ref={bringIntoView}>
          <LoadFailed onRetry={reload} />
        </div>
      }
    >
      {children}
    </Later>
  );
}

interface LoadedProps<Data> {
  readonly part: Part<Data>;
  readonly sketch: ReactNode;
  readonly onRetry: () => void;
  readonly children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ part, sketch, onRetry, children }: LoadedProps<Data>) {
  if (part.status === 'ready') return <Fetched sketch={sketch}>{children(part.data)}</Fetched>;
  if (part.status === 'loading') return <div aria-busy="true">{sketch}</div>;
  return <LoadFailed onRetry={onRetry} />;
}

export function LoadFailed({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <Problem
      title={LOAD_FAILED}
      onRetry={() => {
        focusPanel();
        onRetry();
      }}
    >
      <p>Nothing is lost. Please try again in a moment.</p>
    </Problem>
  );
}

/** Hands the focus of what goes when it is pressed to the panel around it. */
export function focusPanel(): void {
  document.activeElement?.closest<HTMLElement>('[role="tabpanel"]')?.focus({ preventScroll: true });
}

/** Hands the focus of what goes when it is pressed, and stands in no panel, to the heading of its screen. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
}

/** Browsers do not fetch a failed module again until the page is reloaded. */
function reload(): void {
  window.location.reload();
}

function bringIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
