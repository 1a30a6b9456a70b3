/**
 * The browser's offer to install the dashboard as an app (https://wicg.github.io/manifest-incubations/,
 * "BeforeInstallPromptEvent"). It comes once, soon after a page was loaded, and is kept for whoever opens the
 * profile; the browser shows no banner of its own.
 */
import { useSyncExternalStore } from 'react';

interface Offer extends Event {
  prompt(): Promise<unknown>;
}

let offer: Offer | null = null;
const listeners = new Set<() => void>();

window.addEventListener('beforeinstallprompt', (event) => {
  if (!isOffer(event)) return;
  event.preventDefault();
  become(event);
});
window.addEventListener('appinstalled', () => become(null));

/** @returns a function that lets the browser ask whether to install, once; null without an offer. */
export function useInstallOffer(): (() => Promise<unknown>) | null {
  const present = useSyncExternalStore(subscribe, () => offer);
  return (
    present &&
    (() => {
      // An offer can be taken up once; the browser makes another one when it is turned down.
      become(null);
      return present.prompt();
    })
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function become(next: Offer | null): void {
  offer = next;
  for (const listener of listeners) listener();
}

function isOffer(event: Event): event is Offer {
  return 'prompt' in event;
}
