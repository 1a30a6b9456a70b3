/** Shows a fallback for a part that failed to render, most often because its chunk could not be fetched. */
import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidUpdate(_: BoundaryProps, before: { readonly hasFailed: boolean }) {
    if (before.hasFailed || !this.state.hasFailed) return;
    // Back leads to what was there before, also without a connection.
    window.addEventListener('popstate', () => this.setState({ hasFailed: false }), { once: true });
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
