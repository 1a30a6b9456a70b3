/** Opens and closes the dialog over the codes. Apart from opening.ts: nobody does either before the codes are there. */
import { navigate } from 'wouter/use-browser-location';
import { dashboardTab } from '../../later/addresses.ts';
import { FROM_THERE, goBackTo } from '../way-back.ts';
import type { Opening } from './opening.ts';

const CODES = dashboardTab('qr-codes');

export function openOver(opening: Opening, id: string): void {
  navigate(`${CODES}&${new URLSearchParams({ [opening]: id })}`, { state: FROM_THERE });
}

export function closeOpened(): void {
  goBackTo(CODES);
}
