/** The address names the dialog over the codes, so that Back closes it and a reload keeps it. */
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { dashboardTab } from '../../later/addresses.ts';
import { FROM_THERE, goBackTo } from '../way-back.ts';

const OPENINGS = ['page', 'print'] as const;
export type Opening = (typeof OPENINGS)[number];

interface Opened {
  readonly opening: Opening;
  readonly id: string;
}

const CODES = dashboardTab('qr-codes');

function openingOf(opening: Opening, id: string): string {
  return `${CODES}&${new URLSearchParams({ [opening]: id })}`;
}

export function openOver(opening: Opening, id: string): void {
  navigate(openingOf(opening, id), { state: FROM_THERE });
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
  goBackTo(CODES);
}
