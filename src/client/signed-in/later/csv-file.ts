/** Downloads a CSV file of the account's tips by REST, because tRPC carries no files. */
import { authorization } from '../../api-client/api.ts';
import { verifySession } from '../../calls.ts';
import { saveFile } from '../save-file.ts';
import { timeZoneHere } from '../time-here.ts';

/** A row for each tip, or one for each day, week or month. */
export type CsvFile = 'tips' | 'earnings';

const ADDRESSES: Readonly<Record<CsvFile, string>> = {
  tips: '/api/transactions',
  earnings: '/api/transactions/insights',
};

const NOT_MADE = 'The file could not be downloaded. Check your connection and try again.';

export class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

/** @param asked has no time zone. @throws DownloadError when the server refuses the file or does not answer. */
export async function downloadCsv(file: CsvFile, asked: URLSearchParams): Promise<void> {
  const query = new URLSearchParams([...asked, ['time_zone', timeZoneHere()]]);
  const { bytes, name } = await fetchCsv(`${ADDRESSES[file]}?${query}`);
  saveFile(bytes, 'text/csv', name);
}

async function fetchCsv(address: string) {
  try {
    const answer = await fetch(address, { headers: { ...authorization(), Accept: 'text/csv' } });
    if (answer.ok) return { bytes: new Uint8Array(await answer.arrayBuffer()), name: nameOf(answer) };
    // After the end of the session the server refuses this call too, which logs this page out.
    if (answer.status === 401) void verifySession();
    throw new DownloadError(await detailOf(answer));
  } catch (cause) {
    throw cause instanceof DownloadError ? cause : new DownloadError(NOT_MADE, { cause });
  }
}

/** RFC 6266, section 4.1. */
function nameOf({ headers }: Response): string {
  return /filename="([^"]+)"/.exec(headers.get('Content-Disposition') ?? '')?.[1] ?? 'tips.csv';
}

async function detailOf(answer: Response): Promise<string> {
  const { detail }: Readonly<Record<string, unknown>> = Object(await answer.json().catch(() => null));
  return typeof detail === 'string' ? detail : NOT_MADE;
}
