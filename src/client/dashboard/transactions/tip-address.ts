/** The address names the tip whose dialog is open, so that Back closes it and a reload keeps it. */
import { navigate } from 'wouter/use-browser-location';
import { paths } from '../../paths.ts';
import { FROM_THERE } from '../from-there.ts';

export const TIP = 'tip';

export function openTip(id: string): void {
  const query = new URLSearchParams(window.location.search);
  query.set(TIP, id);
  navigate(`${paths.dashboard}?${query}`, { state: FROM_THERE });
}
