/** The heading of a step. It takes the focus when the step begins, so that screen readers announce it. */
import { type ReactNode, useEffect, useRef } from 'react';

export function StepHeading({ children }: { readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {children}
    </h2>
  );
}
