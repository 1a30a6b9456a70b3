/** Downloads statements as CSV, which only the REST door makes. */
import { authorization } from '../api/api.ts';
import { verifySession } from '../calls.ts';
import { addressOf, NO_FILTER } from '../signed-in/later/tip-filter.ts';
import { saveFile } from '../signed-in/save-file.ts';
import { timeZoneHere } from '../signed-in/time-here.ts';
import type { StatementQuery } from './period.ts';

export type CsvFile = 'tips' | 'daily-record';

const NOT_MADE = 'The file could not be downloaded. Check your connection and try again.';

/** That a file was not saved, and why, in a sentence for people. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

/** Saves a file. @throws DownloadError with the server's sentence when it refuses the file, or does not answer. */
export async function downloadCsv(file: CsvFile, query: StatementQuery): Promise<void> {
  const { bytes, name } = await fetchCsv(addressFor(file, query));
  saveFile(bytes, 'text/csv', name);
}

function addressFor(file: CsvFile, query: StatementQuery): string {
  const asked = addressOf({ ...NO_FILTER, ...query });
  asked.set('time_zone', timeZoneHere());
  if (file === 'tips') return `/api/transactions?${asked}`;
  asked.delete('direction');
  return `/api/transactions/insights?${asked}`;
}

async function fetchCsv(address: string) {
  try {
    const answer = await fetch(address, { headers: { ...authorization(), Accept: 'text/csv' } });
    if (answer.ok) return { bytes: new Uint8Array(await answer.arrayBuffer()), name: nameOf(answer) };
    // The session may have ended: then the server says so again, and this page is logged out.
    if (answer.status === 401) void verifySession();
    throw new DownloadError(await detailOf(answer));
  } catch (cause) {
    throw cause instanceof DownloadError ? cause : new DownloadError(NOT_MADE, { cause });
  }
}

/** The name that the server gives the file (RFC 6266). */
function nameOf({ headers }: Response): string {
  return /filename="([^"]+)"/.exec(headers.get('Content-Disposition') ?? '')?.[1] ?? 'tips.csv';
}

async function detailOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const detail: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'detail') : null;
  return typeof detail === 'string' ? detail : NOT_MADE;
}
