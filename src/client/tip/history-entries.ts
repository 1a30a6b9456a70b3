/**
 * The steps of the tip flow as entries of the browser's history. An entry says which step it is and what was
 * chosen, so that Back, Forward and a reload find it again.
 */
import { navigate } from 'wouter/use-browser-location';
import { currentPath } from '../paths.ts';
import type { Receipt } from './tip-flow.ts';

export type Entry =
  | { readonly step: 'select-amount'; readonly figures: string }
  | {
      readonly step: 'payment';
      readonly figures: string;
      /**
       * In which load of the page it was put above the entry of its amount; null when that lies elsewhere.
       */
      readonly load: number | null;
    }
  /** The success of a demo, which has no transaction that an address could name. */
  | { readonly step: 'success'; readonly receipt: Receipt };

/** What the present entry says; a new one is an amount that is not chosen yet. */
export function presentEntry(): Entry {
  // Nothing else writes the state of a tip page's entries.
  return history.state ?? { step: 'select-amount', figures: '' };
}

/** Says of the present entry what it is. */
export function markEntry(entry: Entry, address = currentPath()): void {
  navigate(address, { replace: true, state: entry });
}
