import { useSyncExternalStore } from 'react';

/** The address's part from `#` on. A link opened in the tab that shows its page changes that, and loads no page. */
export const useFragment = (): string =>
  useSyncExternalStore(
    subscribe,
    () => window.location.hash,
    () => '',
  );

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}
