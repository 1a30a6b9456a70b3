/** What can be done with a statement: printing, and one download at a time. */
import { Download, Printer } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { showPeriod } from './dates.ts';
import { type CsvFile, DownloadError, downloadCsv } from './download.ts';
import { hasDailyRecord } from './load-statement.ts';
import type { StatementQuery } from './period.ts';
import styles from './statement.module.css';

const FILES = {
  tips: { name: 'CSV', label: 'Download CSV' },
  'daily-record': { name: 'Daily record', label: 'Download daily record' },
} as const;

interface ActionsProps {
  readonly query: StatementQuery;
  /** Whether the statement is on the screen. A download goes on while another one is loaded. */
  readonly isReady: boolean;
}

export function Actions({ query, isReady }: ActionsProps) {
  const [underWay, setUnderWay] = useState<CsvFile | null>(null);
  /** Why a file could not be had, until it is asked for again. */
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
      // Another period may be on the screen by now.
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
