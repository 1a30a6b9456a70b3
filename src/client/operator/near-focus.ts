/** Keeps the focus near an element that had it, where that element goes. */
import { useLayoutEffect, useRef } from 'react';

/** @returns what moves a focus that is lost to the nearest heading around whatever has the focus now. */
export function rememberFocus(): () => void {
  const places: Element[] = [];
  for (let place = document.activeElement; place !== null; place = place.parentElement) places.push(place);
  return () => {
    if (document.activeElement !== document.body) return;
    for (const place of places) {
      const heading = place.isConnected ? place.querySelector(':is(h1, h2, h3)[tabindex]') : null;
      if (heading instanceof HTMLElement) return heading.focus();
    }
  };
}

/**
 * For a list whose rows have buttons that take them away.
 * @param count of its rows. @returns what is called when such a button is pressed.
 */
export function useNearFocus(count: number): () => void {
  const keepFocus = useRef<() => void>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus goes with a row
  useLayoutEffect(() => {
    keepFocus.current?.();
    keepFocus.current = undefined;
  }, [count]);
  return () => {
    keepFocus.current = rememberFocus();
  };
}
