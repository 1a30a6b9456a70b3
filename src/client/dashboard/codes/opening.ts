/** The address names the dialog over the codes, so that Back closes it and a reload keeps it. */
import { useSearch } from 'wouter';

const OPENINGS = ['page', 'print'] as const;
export type Opening = (typeof OPENINGS)[number];

interface Opened {
  readonly opening: Opening;
  readonly id: string;
}

export function useOpened(): Opened | null {
  const search = new URLSearchParams(useSearch());
  for (const opening of OPENINGS) {
    const id = search.get(opening);
    if (id !== null) return { opening, id };
  }
  return null;
}
