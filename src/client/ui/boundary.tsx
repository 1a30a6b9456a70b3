/**
 * Catches what cannot be drawn, most often a part of the client that could not be fetched, and shows something else
 * in its place, so that one part never takes the page down.
 */
import { Component, type ReactNode } from 'react';

interface BoundaryProps {
  /** Drawn instead; nothing when left out. */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

export class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
