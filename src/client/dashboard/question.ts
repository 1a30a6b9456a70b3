/** The state of a confirmation, and where the focus goes when it or the pressed button is gone. */
import { type RefObject, useState } from 'react';
import { flushSync } from 'react-dom';

export function useQuestion<Subject>(fallback: RefObject<HTMLElement | null>) {
  const [asked, setAsked] = useState<Subject | null>(null);
  return {
    asked,
    ask: (subject: Subject) => setAsked(() => subject),
    close(): void {
      // Nothing behind an open dialog takes the focus.
      flushSync(() => setAsked(null));
      focusIfLost(fallback.current);
    },
  };
}

export function focusIfLost(element: HTMLElement | null | undefined): void {
  if (document.activeElement === document.body) element?.focus();
}
