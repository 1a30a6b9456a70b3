/** Keeps the screen on while a page is looked at (W3C, Screen Wake Lock API). */
import { useEffect, useState } from 'react';

/**
 * Browsers end the lock whenever the page is hidden, so that it is asked for again each time the page is looked at.
 * @returns whether the screen may go dark, because the browser has no such lock or refuses it, as many do while the battery is low.
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
