/** The actions on a statement: printing, and one download at a time. */
import { Download, Printer } from 'lucide-react';
import { useState } from 'react';
import { authorization } from '../api-client/api.ts';
import { verifySession } from '../calls.ts';
import { addressOf, NO_FILTER } from '../signed-in/later/tip-filter.ts';
import { saveFile } from '../signed-in/save-file.ts';
import { timeZoneHere } from '../signed-in/time-here.ts';
import { Button } from '../ui/button.tsx';
import { showPeriod } from './dates.ts';
import { hasDailyRecord } from './load-statement.ts';
import type { StatementQuery } from './period.ts';
import styles from './statement.module.css';

const FILES = {
  tips: { name: 'CSV', label: 'Download CSV' },
  'daily-record': { name: 'Daily record', label: 'Download daily record' },
} as const;

interface ActionsProps {
  readonly query: StatementQuery;
  /** True when the statement is on the screen. A download goes on while another statement loads. */
  readonly isReady: boolean;
}

export function Actions({ query, isReady }: ActionsProps) {
  const [underWay, setUnderWay] = useState<CsvFile | null>(null);
  /** The failure of a file stays until it is requested again. */
  const [failures, setFailures] = useState<Readonly<Partial<Record<CsvFile, string>>>>({});

  async function download(file: CsvFile): Promise<void> {
    if (underWay !== null) return;
    setUnderWay(file);
    const { [file]: _, ...others } = failures;
    setFailures(others);
    try {
      await downloadCsv(file, query);
    } catch (error) {
      if (!(error instanceof DownloadError)) throw error;
      // The screen may show another period by now.
      const what = `${FILES[file].name}, ${showPeriod(query.from, query.to)}`;
      setFailures({ ...others, [file]: `${what}: ${error.message}` });
    } finally {
      setUnderWay(null);
    }
  }

  const sentences = Object.entries(failures);
  if (!isReady && sentences.length === 0) return null;
  const files = hasDailyRecord(query) ? (['tips', 'daily-record'] as const) : (['tips'] as const);
  return (
    <div className={styles.onScreen}>
      {isReady && (
        <div className={styles.actions}>
          <Button onClick={() => window.print()}>
            <Printer aria-hidden /> Print
          </Button>
          {files.map((file) => (
            <Button
              key={file}
              look="quiet"
              aria-disabled={underWay !== null}
              onClick={() => void download(file)}
            >
              <Download aria-hidden /> {underWay === file ? 'Making...' : FILES[file].label}
            </Button>
          ))}
        </div>
      )}
      {sentences.map(([file, sentence]) => (
        <p key={file} role="alert" className={styles.failure}>
          {sentence}
        </p>
      ))}
    </div>
  );
}

type CsvFile = 'tips' | 'daily-record';

const NOT_MADE = 'The file could not be downloaded. Check your connection and try again.';

class DownloadError extends Error {
  override readonly name = 'DownloadError';
}

/** @throws DownloadError when the server refuses the file or does not answer. */
async function downloadCsv(file: CsvFile, query: StatementQuery): Promise<void> {
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
    // After the end of the session the server refuses this call too, which logs this page out.
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
