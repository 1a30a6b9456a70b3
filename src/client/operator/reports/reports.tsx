/** Messages that were reported: the open ones, oldest first, and behind them those that are settled. */
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { consolePath } from '#shared/console/parts.ts';
import type { ReportedMessage } from '#shared/console/reports.ts';
import { useGrowingList } from '../../controls/growing-list.ts';
import { toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { ActDialog } from '../act-dialog.tsx';
import { consoleApi, consoleHooks } from '../console-api.ts';
import { CopyButton } from '../copy-button.tsx';
import { Fact, FactRows } from '../facts.tsx';
import { Loaded, toastFailure } from '../loaded.tsx';
import { When } from '../when.tsx';
import styles from './reports.module.css';

export function Reports() {
  const [showsSettled, setShowsSettled] = useState(false);
  return (
    <div className={styles.lists}>
      <section aria-labelledby="open-reports">
        <ReportList state="open" title="Open reports" id="open-reports" nothing="No open reports." />
      </section>
      <details onToggle={({ currentTarget }) => setShowsSettled(currentTarget.open)}>
        <summary className={styles.summary}>Settled reports</summary>
        {showsSettled && (
          <ReportList state="settled" title="Settled" id="settled-reports" nothing="No settled reports." />
        )}
      </details>
    </div>
  );
}

interface ReportListProps {
  readonly state: 'open' | 'settled';
  readonly title: string;
  readonly id: string;
  readonly nothing: string;
}

function ReportList({ state, title, id, nothing }: ReportListProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [settling, setSettling] = useState<ReportedMessage>();
  const query = consoleHooks.reports.list.useInfiniteQuery(
    { state },
    { getNextPageParam: ({ next }) => next },
  );
  const reports = query.data?.pages.flatMap((page) => page.reports) ?? [];
  const { list, markLastRead } = useGrowingList<HTMLUListElement>(reports.length);

  function endWith(isSettled: boolean) {
    flushSync(() => setSettling(undefined));
    heading.current?.focus();
    toastSuccess(isSettled ? 'The report is settled.' : 'Somebody else has settled it already.');
  }

  const shown = () => (
    <>
      {reports.length === 0 && <p className={styles.soft}>{nothing}</p>}
      <ul ref={list} className={styles.reports}>
        {reports.map((report) => (
          <li key={report.transactionId} tabIndex={-1} className={styles.place}>
            <Report report={report} onSettle={setSettling} />
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        // The key makes another button for each page: the pressed one would move down with its focus.
        <Button
          key={query.data?.pages.length}
          look="quiet"
          aria-disabled={query.isFetchingNextPage}
          onClick={() => {
            if (query.isFetchingNextPage) return;
            markLastRead();
            void query.fetchNextPage().then(toastFailure);
          }}
        >
          {query.isFetchingNextPage ? 'Loading...' : 'Load More'}
        </Button>
      )}
      {settling && (
        <ActDialog
          title="Settle this report?"
          confirm="Mark as Done"
          act={(reason) =>
            consoleApi.reports.settle.mutate({ transactionId: settling.transactionId, reason })
          }
          onDone={endWith}
          onClose={() => setSettling(undefined)}
        >
          <Written report={settling} />
          <p>It moves to the settled reports. The person who reported it is not told.</p>
        </ActDialog>
      )}
    </>
  );
  return (
    <>
      <h2 id={id} className={styles.heading} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <Loaded query={query} title="The reports could not be loaded">
        {shown}
      </Loaded>
    </>
  );
}

interface ReportProps {
  readonly report: ReportedMessage;
  readonly onSettle: (report: ReportedMessage) => void;
}

function Report({ report, onSettle }: ReportProps) {
  const { transactionId, giverName, giver, receiver, reportedAt, settledAt } = report;
  const hasName = giver !== null && giver.username !== null;
  return (
    <article className={styles.report}>
      <Written report={report} />
      <FactRows>
        <Fact term="From">
          {giver === null ? 'A guest, without an account' : <Person person={giver} />}
          {giverName !== null && (
            <>
              {' '}
              as “<bdi>{giverName}</bdi>”
            </>
          )}
        </Fact>
        <Fact term="Reported by">
          <Person person={receiver} />
        </Fact>
        <Fact term="Reported">
          <When at={reportedAt} />
        </Fact>
        {settledAt !== null && (
          <Fact term="Settled">
            <When at={settledAt} />
          </Fact>
        )}
        <Fact term="Tip">
          <CopyButton text={transactionId} what="transaction id" />
        </Fact>
      </FactRows>
      {settledAt === null && (
        <div className={styles.acts}>
          <Button look="quiet" onClick={() => onSettle(report)}>
            Mark as Done
          </Button>
          {hasName && (
            <Link className={styles.suspend} href={`${consolePath('people')}?person=${giver.id}`}>
              Suspend @{giver.username}
            </Link>
          )}
        </div>
      )}
    </article>
  );
}

function Written({ report: { message, giverName } }: Pick<ReportProps, 'report'>) {
  if (message === null)
    return (
      <p className={styles.soft}>
        {giverName === null ? 'The message was erased.' : 'No message, only a name.'}
      </p>
    );
  return (
    <blockquote className={styles.message}>
      <bdi>{message}</bdi>
    </blockquote>
  );
}

function Person({ person: { id, username } }: { readonly person: ReportedMessage['receiver'] }) {
  if (username === null) return 'A closed account';
  return (
    <Link href={`${consolePath('people')}?person=${id}`}>
      <bdi>@{username}</bdi>
    </Link>
  );
}
