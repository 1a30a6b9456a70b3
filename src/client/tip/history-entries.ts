/** The steps of the tip flow as entries of the browser's history, each with its choice: for Back, Forward, reloads. */
import { navigate } from 'wouter/use-browser-location';
import { currentPath } from '../paths.ts';
import type { Receipt } from './tip-flow.ts';

export type Entry =
  | {
      readonly step: 'select-amount';
      readonly figures: string;
      /** Whether its payment was refused for good; read by the page that is loaded then. */
      readonly isUncharged?: true;
    }
  | {
      readonly step: 'payment';
      readonly figures: string;
      /** The account that chose the amount, or GUEST; null while nobody is known to have chosen it. */
      readonly preparedBy: string | null;
      /** That of the attempt which was opened here; null when the next one is. */
      readonly key: string | null;
      /** Whether the entry of its amount is the one below it, also after a reload. */
      readonly isAboveAmount: boolean;
    }
  /** The success of a demo, which has no transaction for an address to name. */
  | { readonly step: 'success'; readonly receipt: Receipt };

export function presentEntry(): Entry {
  // Nothing else writes the state of a tip page's entries.
  return history.state ?? { step: 'select-amount', figures: '' };
}

export function markEntry(entry: Entry, address = currentPath()): void {
  navigate(address, { replace: true, state: entry });
}
