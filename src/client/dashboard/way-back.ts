/** The way back from what was opened over another screen: it goes back in the history where that one is just before. */
import { navigate } from 'wouter/use-browser-location';

/** The history state of an entry whose former entry shows what its way back leads to. */
export const FROM_THERE = { isFromThere: true };

/** Goes back to `address` where the present entry was opened from there, else shows it in the place of the entry. */
export function goBackTo(address: string): void {
  const state: unknown = window.history.state;
  const isFromThere = typeof state === 'object' && state !== null && 'isFromThere' in state;
  if (!isFromThere) {
    navigate(address, { replace: true });
    return;
  }
  // The browser goes back later, and a second click meanwhile must not go one entry further.
  window.history.replaceState(null, '');
  window.history.back();
}
