/** Full screen and wake lock, where browsers offer them. */
import { useEffect, useState, useSyncExternalStore } from 'react';

interface FullScreen {
  readonly isPossible: boolean;
  readonly isOn: boolean;
  /** Browsers allow it in a click only. */
  readonly toggle: () => void;
}

export function useFullScreen(): FullScreen {
  const isOn = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null);
  useEffect(() => () => leave(), []);
  return {
    isPossible: document.fullscreenEnabled === true,
    isOn,
    toggle() {
      if (isOn) leave();
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

/**
 * Browsers end the lock (W3C, Screen Wake Lock API) when the page is hidden, so that it is requested again.
 * @returns whether the screen may go dark: many browsers refuse the lock on a low battery.
 */
export function useWakeLock(): boolean {
  const [mayGoDark, setMayGoDark] = useState(false);

  useEffect(() => {
    if (!('wakeLock' in navigator)) {
      setMayGoDark(true);
      return;
    }
    let lock: WakeLockSentinel | null = null;
    let isAsking = false;
    let isLeft = false;

    async function ask() {
      if (document.hidden || isAsking || lock?.released === false) return;
      isAsking = true;
      try {
        lock = await navigator.wakeLock.request('screen');
        lock.addEventListener('release', () => {
          if (!isLeft && !document.hidden) setMayGoDark(true);
        });
        setMayGoDark(false);
      } catch {
        setMayGoDark(!document.hidden);
      }
      isAsking = false;
      if (isLeft) void lock?.release();
    }

    const look = () => void ask();
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      isLeft = true;
      document.removeEventListener('visibilitychange', look);
      void lock?.release();
    };
  }, []);

  return mayGoDark;
}
