/** What operators did, the newest first; whether nobody changed the log; and the log as a file. */
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import type { AuditFilterInput, AuditRowShown } from '#shared/console/audit.ts';
import { consolePath } from '#shared/console/parts.ts';
import { isTransactionId, isUserId, readQrCodeId, showQrCodeId } from '#shared/ids.ts';
import { useGrowingList } from '../../controls/growing-list.ts';
import { saveFile } from '../../signed-in/save-file.ts';
import { toastError, toastMessage } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { consoleApi, consoleHooks, failureOf } from '../console-api.ts';
import { CopyButton } from '../copy-button.tsx';
import { Loaded, toastFailure } from '../loaded.tsx';
import { formatCount } from '../quantities.ts';
import { When } from '../when.tsx';
import styles from './audit.module.css';
import { chosenIn, filterOf, searchOf } from './chosen.ts';
import { Filter } from './filter.tsx';

/** What was set where that has no id: terms and announcements. The log has their times in UTC. */
const TIMES =
  /^((?:version \d+, )?from )(\d{4}-\d\d-\d\dT[\d:.]{12}Z)(?: until (\d{4}-\d\d-\d\dT[\d:.]{12}Z))?(:.*)?$/s;

export function Audit() {
  const [pathname, navigate] = useLocation();
  const search = useSearch();
  const chosen = chosenIn(search);
  const [isOpen] = useState(search !== '');
  return (
    <div className={styles.audit}>
      <Chain />
      <details className={styles.chain} open={isOpen}>
        <summary>Filter</summary>
        <Filter
          chosen={chosen}
          onChange={(next) => navigate(`${pathname}${searchOf(next)}`, { replace: true })}
        />
      </details>
      <Rows filter={filterOf(chosen)} isFiltered={searchOf(chosen) !== ''} />
    </div>
  );
}

function Chain() {
  const { data, isError } = consoleHooks.audit.check.useQuery();
  if (isError) return <p className={styles.soft}>The log could not be checked.</p>;
  if (!data) return <p className={styles.soft}>The log is being checked...</p>;
  const { firstWrong, rows, note } = data;
  if (firstWrong !== null) {
    return (
      <p role="alert" className={styles.wrong}>
        <strong>Somebody has changed this log:</strong> row {firstWrong} does not follow from the one before.
        Compare it with the log of a backup.
      </p>
    );
  }
  return (
    <details className={styles.chain}>
      <summary>
        The log is whole: {formatCount(rows)} {rows === 1 ? 'row' : 'rows'}, each follows from the one before.
      </summary>
      <p>
        Rows that were cut off at the end leave no trace here. Keep this line somewhere else: later,{' '}
        <code>npm run audit -- check --digest LINE</code> finds out.
      </p>
      <CopyButton text={note} what="note" />
    </details>
  );
}

interface RowsProps {
  readonly filter: AuditFilterInput;
  readonly isFiltered: boolean;
}

function Rows({ filter, isFiltered }: RowsProps) {
  const query = consoleHooks.audit.list.useInfiniteQuery(filter, {
    initialCursor: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  const { list, markLastRead } = useGrowingList<HTMLOListElement>(rows.length);
  const shown = () => (
    <section className={styles.section} aria-label="What operators did">
      {rows.length === 0 && (
        <p role="status">{isFiltered ? 'Nothing of this is in the log.' : 'The log is empty.'}</p>
      )}
      <ol ref={list} className={styles.rows}>
        {rows.map((row) => (
          <Row key={row.number} row={row} />
        ))}
      </ol>
      <div className={styles.actions}>
        {hasNextPage && (
          // The key makes another button for each page: the pressed one would move down with its focus.
          <Button
            key={data?.pages.length}
            look="quiet"
            aria-disabled={isFetchingNextPage}
            onClick={() => {
              if (isFetchingNextPage) return;
              markLastRead();
              void fetchNextPage().then(toastFailure);
            }}
          >
            {isFetchingNextPage ? 'Loading...' : 'Show Earlier Ones'}
          </Button>
        )}
        {rows.length > 0 && (
          <Button look="quiet" onClick={() => void download(filter)}>
            Download CSV
          </Button>
        )}
      </div>
    </section>
  );
  return (
    <Loaded query={query} title="The log could not be loaded">
      {shown}
    </Loaded>
  );
}

async function download(filter: AuditFilterInput): Promise<void> {
  try {
    const { csv, fileName, isCut } = await consoleApi.audit.csv.query(filter);
    saveFile(new TextEncoder().encode(csv), 'text/csv', fileName);
    if (isCut) toastMessage('The file has the newest 10,000 rows. Choose a period for earlier ones.');
  } catch (error) {
    toastError(failureOf(error).detail);
  }
}

function Row({
  row: { number, at, actorKind, actor, host, text, subject, reason },
}: {
  readonly row: AuditRowShown;
}) {
  return (
    <li tabIndex={-1} className={styles.row}>
      <div>
        <strong>{text}</strong>
        {subject !== null && (
          <span className={styles.subject}>
            <Subject id={subject} />
          </span>
        )}
        {reason !== null && <q className={styles.reason}>{reason}</q>}
        {reason === null && <span className={styles.soft}>No reason was given.</span>}
      </div>
      <div className={styles.by}>
        <bdi>{actor}</bdi> {actorKind === 'command' ? 'by a command on' : 'from'} <bdi>{host}</bdi>
        <span className={styles.when}>
          <When at={at} /> · {formatCount(number)}
        </span>
      </div>
    </li>
  );
}

/** Leads to whom or what it was done to, where the console has a part about it. */
function Subject({ id }: { readonly id: string }) {
  const code = readQrCodeId(id);
  const part = isUserId(id)
    ? 'people'
    : isTransactionId(id)
      ? 'transactions'
      : code !== null
        ? 'codes'
        : null;
  const [, before, from, until, rest] = TIMES.exec(id) ?? [];
  if (from !== undefined)
    return (
      <>
        {before}
        <When at={from} />
        {until !== undefined && (
          <>
            {' until '}
            <When at={until} />
          </>
        )}
        {rest}
      </>
    );
  if (part === null) return <code>{id}</code>;
  return (
    <Link className={styles.link} href={`${consolePath(part)}?find=${id}`}>
      <code>{code === null ? id : showQrCodeId(code)}</code>
    </Link>
  );
}
