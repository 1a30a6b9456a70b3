/**
 * The browser's offer to install the dashboard (https://wicg.github.io/manifest-incubations/). It comes once, soon
 * after a page was loaded, and is kept until somebody opens the profile.
 */
import { useSyncExternalStore } from 'react';
import { createListeners } from '../listeners.ts';

interface Offer extends Event {
  prompt(): Promise<unknown>;
}

let offer: Offer | null = null;
const { subscribe, tell } = createListeners();

window.addEventListener('beforeinstallprompt', (event) => {
  if (!isOffer(event)) return;
  event.preventDefault();
  become(event);
});
window.addEventListener('appinstalled', () => become(null));

/** @returns a function that lets the browser ask once whether to install; null without an offer. */
export function useInstallOffer(): (() => Promise<unknown>) | null {
  const present = useSyncExternalStore(subscribe, () => offer);
  return (
    present &&
    (() => {
      // An offer can be used once; the browser makes another one when a person declines it.
      become(null);
      return present.prompt();
    })
  );
}

function become(next: Offer | null): void {
  offer = next;
  tell();
}

function isOffer(event: Event): event is Offer {
  return 'prompt' in event;
}
