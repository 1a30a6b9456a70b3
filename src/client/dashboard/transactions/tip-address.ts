/** The address names the tip whose dialog is open, so that Back closes it and a reload keeps it. */
import { navigate } from 'wouter/use-browser-location';
import { FROM_THERE } from '../way-back.ts';

export const TIP = 'tip';

export function openTip(id: string): void {
  const query = new URLSearchParams(window.location.search);
  // A second press, before the dialog has come, adds no entry.
  const replace = query.has(TIP);
  query.set(TIP, id);
  navigate(`?${query}`, { replace, state: replace ? window.history.state : FROM_THERE });
}
