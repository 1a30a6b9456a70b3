/** The tips that the card of an arrival shows, until it goes by itself or is dismissed. */
import { useEffect, useState } from 'react';
import type { Transaction } from '#shared/tips.ts';

/** How long the card stays after the last tip. */
const SHOWN_MS = 7_000;
/** A card that has been growing for this long takes no more tips: the next ones are a card of their own. */
const LONGEST_GROWTH_MS = 20_000;

export interface Arrival {
  /** The tips on the card; none while there is no card. */
  readonly tips: readonly Transaction[];
  readonly dismiss: () => void;
}

interface Card {
  readonly tips: readonly Transaction[];
  readonly sinceMs: number;
}

/** @returns the present arrival, and what shows tips together with those that are on the card. */
export function useArrival(): Arrival & { readonly show: (tips: readonly Transaction[]) => void } {
  const [card, setCard] = useState<Card | null>(null);
  const dismiss = () => setCard(null);
  useEffect(() => {
    if (card === null) return;
    const timer = setTimeout(() => setCard(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [card]);

  function show(tips: readonly Transaction[]): void {
    const now = new Date();
    setCard((present) =>
      present && now.getTime() - present.sinceMs < LONGEST_GROWTH_MS
        ? { ...present, tips: [...present.tips, ...tips] }
        : { tips, sinceMs: now.getTime() },
    );
  }
  return { tips: card?.tips ?? [], dismiss, show };
}
