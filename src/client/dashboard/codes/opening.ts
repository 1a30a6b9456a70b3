/**
 * What is open over the codes: the tip page of a code, or its prints. It stands in the address, so that Back closes it and a
 * reload keeps it.
 */
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { dashboardTab } from '../../paths.ts';

const OPENINGS = ['page', 'print'] as const;
export type Opening = (typeof OPENINGS)[number];

interface Opened {
  readonly opening: Opening;
  readonly id: string;
}

const CODES = dashboardTab('qr-codes');
/** The history state of an entry that Back leaves towards the codes. */
const FROM_CODES = { isFromCodes: true };

/** The address at which something is open over the codes. */
function openingOf(opening: Opening, id: string): string {
  return `${CODES}&${new URLSearchParams({ [opening]: id })}`;
}

/** Opens something over the codes. */
export function openOver(opening: Opening, id: string): void {
  navigate(openingOf(opening, id), { state: FROM_CODES });
}

/** What the present address opens; null when that is nothing. */
export function useOpened(): Opened | null {
  const search = new URLSearchParams(useSearch());
  for (const opening of OPENINGS) {
    const id = search.get(opening);
    if (id !== null) return { opening, id };
  }
  return null;
}

/** Returns to the codes, by the entry of the history that they have. */
export function closeOpened(): void {
  const state: unknown = window.history.state;
  const isFromCodes = typeof state === 'object' && state !== null && 'isFromCodes' in state;
  if (isFromCodes) window.history.back();
  else navigate(CODES, { replace: true });
}
