/** The actions on a statement: printing, and one download at a time. */
import { Download, Printer } from 'lucide-react';
import { useState } from 'react';
import { type CsvFile, DownloadError, downloadCsv } from '../signed-in/later/csv-file.ts';
import { Button } from '../ui/button.tsx';
import { showPeriod } from './dates.ts';
import { hasDailyRecord } from './load-statement.ts';
import { fileOf, type StatementQuery } from './period.ts';
import styles from './statement.module.css';

const FILES = {
  tips: { name: 'CSV', label: 'Download CSV' },
  earnings: { name: 'Daily record', label: 'Download Daily Record' },
} as const satisfies Readonly<Record<CsvFile, unknown>>;

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
      await downloadCsv(file, askedFor(file, query));
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
  const files = hasDailyRecord(query) ? (['tips', 'earnings'] as const) : (['tips'] as const);
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

/** The daily record has received tips only, so that it takes no direction. */
function askedFor(file: CsvFile, query: StatementQuery): URLSearchParams {
  const asked = fileOf(query);
  if (file === 'earnings') asked.delete('direction');
  return asked;
}
