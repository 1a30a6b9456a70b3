import { useSyncExternalStore } from 'react';

/**
 * The token of a link in a mail, from the fragment of the address; null without one. A link that is opened in
 * the tab that asked for it changes the fragment alone, and loads no page.
 */
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
