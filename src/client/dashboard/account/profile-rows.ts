/** The address names the open row of the profile, so that links reach it and Back closes it. */
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { dashboardTab } from '../../later/addresses.ts';
import { FROM_THERE, goBackTo } from '../way-back.ts';

export const PROFILE_ROWS = ['me', 'services', 'messages', 'notifications', 'security', 'api'] as const;
export type ProfileRow = (typeof PROFILE_ROWS)[number];

const PROFILE = dashboardTab('profile');
const OPEN = 'open';

export function useOpenRow(rows: readonly ProfileRow[]): ProfileRow {
  const named = new URLSearchParams(useSearch()).get(OPEN);
  return rows.find((row) => row === named) ?? 'me';
}

/** Opens a row in place of the one that is open. Back leads to the first row from any of them. */
export function openRow(row: ProfileRow, present: ProfileRow): void {
  if (row === 'me') closeRow();
  else if (present === 'me') navigate(addressOf(row), { state: FROM_THERE });
  else navigate(addressOf(row), { replace: true, state: window.history.state });
}

export function closeRow(): void {
  goBackTo(PROFILE);
}

function addressOf(row: ProfileRow): string {
  return `${PROFILE}&${new URLSearchParams({ [OPEN]: row })}`;
}
