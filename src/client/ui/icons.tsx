/** The two icons of the tip page, drawn here so that the page need not load the library of icons. */
import type { ReactNode } from 'react';

export function ArrowLeftIcon() {
  return (
    <Icon>
      <path d="M20 12H4l7-7m-7 7 7 7" />
    </Icon>
  );
}

export function RetryIcon() {
  return (
    <Icon>
      <path d="M20 12.5a8 8 0 1 1-2.4-6.2L20 8.5v-5m0 5h-5" />
    </Icon>
  );
}

function Icon({ children }: { readonly children: ReactNode }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}
