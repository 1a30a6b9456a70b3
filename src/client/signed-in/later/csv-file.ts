/** Downloads a CSV file of the account's tips by REST, because tRPC carries no files. */
import { authorization } from '../../api-client/api.ts';
import { verifySession } from '../../calls.ts';
import { timeZoneHere } from '../time-here.ts';
import { fetchFile, saveAnswer } from './file-answer.ts';

const CSV = 'text/csv';

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
  try {
    const answer = await fetchFile(`${ADDRESSES[file]}?${query}`, { ...authorization(), Accept: CSV });
    if (answer.ok) return await saveAnswer(answer, CSV, 'tips.csv');
    // After the end of the session the server refuses this call too, which logs this page out.
    if (answer.status === 401) void verifySession();
    throw new DownloadError(await detailOf(answer));
  } catch (cause) {
    throw cause instanceof DownloadError ? cause : new DownloadError(NOT_MADE, { cause });
  }
}

async function detailOf(answer: Response): Promise<string> {
  const { detail }: Readonly<Record<string, unknown>> = Object(await answer.json().catch(() => null));
  return typeof detail === 'string' ? detail : NOT_MADE;
}
