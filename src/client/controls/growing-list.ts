/** A list that a button makes longer. The button goes, or moves down; the first of the new rows takes the focus. */
import { type RefObject, useLayoutEffect, useRef } from 'react';

interface GrowingList<List> {
  readonly list: RefObject<List | null>;
  /** To be called before more rows are loaded. */
  readonly markLastRead: () => void;
}

/** @param count of its rows, each of which takes the focus from scripts (`tabIndex` -1). */
export function useGrowingList<List extends HTMLElement>(count: number): GrowingList<List> {
  const list = useRef<List>(null);
  const lastRead = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const next = count > 0 && lastRead.current?.nextElementSibling;
    if (!(next instanceof HTMLElement)) return;
    lastRead.current = null;
    next.focus({ preventScroll: true });
  }, [count]);
  return {
    list,
    markLastRead: () => {
      lastRead.current = list.current?.lastElementChild ?? null;
    },
  };
}
