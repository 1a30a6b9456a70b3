/** The whole screen without the browser's bars, where browsers let a page have it. */
import { useEffect, useSyncExternalStore } from 'react';

export interface FullScreen {
  readonly isPossible: boolean;
  readonly isOn: boolean;
  /** Has to be called in a click. */
  readonly toggle: () => void;
}

/** Leaves the full screen together with the component. */
export function useFullScreen(): FullScreen {
  const isOn = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null);
  useEffect(() => () => leave(), []);
  return {
    isPossible: document.fullscreenEnabled === true,
    isOn,
    toggle() {
      if (isOn) leave();
      // A refusal leaves everything as it is.
      else document.documentElement.requestFullscreen({ navigationUI: 'hide' }).catch(() => {});
    },
  };
}

function leave(): void {
  if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
}

function subscribe(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}
