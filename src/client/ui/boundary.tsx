/** Shows a fallback for a part that failed to render, most often because its chunk could not be fetched. */
import { Component, type ReactNode, Suspense } from 'react';

interface BoundaryProps {
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

/** Of the browser, and of wouter's links. */
const STEPS = ['popstate', 'pushState', 'replaceState'];

export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate(_: BoundaryProps, before: { readonly hasFailed: boolean }) {
    if (before.hasFailed || !this.state.hasFailed) return;
    // Another address, by Back or a link, leads to what can be shown, also without a connection.
    const waiting = new AbortController();
    const tryAgain = () => {
      waiting.abort();
      this.setState({ hasFailed: false });
    };
    for (const step of STEPS) window.addEventListener(step, tryAgain, waiting);
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

interface LaterProps {
  /** Shown until the part has come. */
  readonly meanwhile?: ReactNode;
  /** Shown in the place of a part that cannot be shown. */
  readonly otherwise?: ReactNode;
  readonly children: ReactNode;
}

/** A part that is fetched by itself: what is around it stays, also where it cannot be fetched. */
export function Later({ meanwhile, otherwise, children }: LaterProps) {
  return (
    <Boundary fallback={otherwise}>
      <Suspense fallback={meanwhile}>{children}</Suspense>
    </Boundary>
  );
}
