import { useSyncExternalStore } from 'react';

/** The token of a mail's link. A link opened in the tab that asked for it changes the fragment, and loads no page. */
export function useLinkToken(): string | null {
  return useSyncExternalStore(subscribe, tokenInFragment);
}

function tokenInFragment(): string | null {
  const text = window.location.hash.slice(1);
  return text === '' ? null : text;
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}
