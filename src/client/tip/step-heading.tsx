/** The heading of a step; it takes the focus when the step begins, so that the change is heard. */
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
