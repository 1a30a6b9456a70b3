/** The address names the tip whose dialog is open, so that Back closes it and a reload keeps it. */
import { navigate } from 'wouter/use-browser-location';
import { FROM_THERE } from '../from-there.ts';

export const TIP = 'tip';

export function openTip(id: string): void {
  navigate(`${window.location.search || '?'}&${TIP}=${id}`, { state: FROM_THERE });
}
