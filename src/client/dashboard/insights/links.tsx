/** What the period of the Insights tab leads to: its statement, its file, and when its days end. */
import { useState } from 'react';
import { Link } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { dashboardTab } from '../../later/addresses.ts';
import { paths } from '../../paths.ts';
import { DownloadError, downloadCsv } from '../../signed-in/later/csv-file.ts';
import { hourName } from '../../signed-in/time-here.ts';
import styles from './links.module.css';
import type { InsightsView } from './view.ts';

interface LinksProps {
  readonly user: User;
  readonly view: InsightsView;
}

export function Links({ user, view }: LinksProps) {
  const { isUnderWay, run } = useAttempts();
  const [failure, setFailure] = useState<string | null>(null);
  const { granularity, from, to, serviceCategory } = view;
  const dayStartHour = user.dayStartHour ?? 0;
  const period = {
    from,
    to,
    ...(dayStartHour > 0 && { day_start_hour: String(dayStartHour) }),
    ...(serviceCategory !== null && { service_category: serviceCategory }),
  };

  async function download() {
    setFailure(null);
    try {
      await downloadCsv('earnings', new URLSearchParams({ ...period, granularity }));
    } catch (error) {
      if (!(error instanceof DownloadError)) throw error;
      setFailure(error.message);
    }
  }

  return (
    <div>
      <p className={styles.links}>
        <Link
          className={styles.link}
          href={`${paths.statement}?${new URLSearchParams({ direction: 'received', ...period })}`}
        >
          Statement
        </Link>
        <button
          type="button"
          className={styles.link}
          aria-disabled={isUnderWay}
          onClick={() => void run(download)}
        >
          {isUnderWay ? 'Making...' : 'CSV'}
        </button>
        <Link
          className={[styles.link, styles.days].join(' ')}
          href={`${dashboardTab('profile')}&open=services`}
        >
          Days end at {hourName(dayStartHour)}
        </Link>
      </p>
      {failure !== null && (
        <p role="alert" className={styles.failure}>
          {failure}
        </p>
      )}
    </div>
  );
}
