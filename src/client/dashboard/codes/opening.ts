/** The address names the dialog over the codes, so that Back closes it and a reload keeps it. */
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { dashboardTab } from '../../later/addresses.ts';

const OPENINGS = ['page', 'print'] as const;
export type Opening = (typeof OPENINGS)[number];

interface Opened {
  readonly opening: Opening;
  readonly id: string;
}

const CODES = dashboardTab('qr-codes');
/** The history state of an entry whose former entry shows the codes. */
const FROM_CODES = { isFromCodes: true };

function openingOf(opening: Opening, id: string): string {
  return `${CODES}&${new URLSearchParams({ [opening]: id })}`;
}

export function openOver(opening: Opening, id: string): void {
  navigate(openingOf(opening, id), { state: FROM_CODES });
}

export function useOpened(): Opened | null {
  const search = new URLSearchParams(useSearch());
  for (const opening of OPENINGS) {
    const id = search.get(opening);
    if (id !== null) return { opening, id };
  }
  return null;
}

export function closeOpened(): void {
  const state: unknown = window.history.state;
  const isFromCodes = typeof state === 'object' && state !== null && 'isFromCodes' in state;
  if (!isFromCodes) {
    navigate(CODES, { replace: true });
    return;
  }
  // The browser goes back later, and a second click meanwhile must not go one entry further.
  window.history.replaceState(null, '');
  window.history.back();
}
