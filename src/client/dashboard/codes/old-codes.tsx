/** The replaced and retired codes, for whoever finds an old print. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { showQrCodeId } from '#shared/ids.ts';
import { useGrowingList } from '../../controls/growing-list.ts';
import { endedCodesKey, trpc } from '../../signed-in/api-hooks.ts';
import { FRESH } from '../../signed-in/part.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { STATUS_LABELS } from '../shared/labels.ts';
import styles from './old-codes.module.css';

export function OldCodes() {
  const { client } = trpc.useUtils();
  const pages = useInfiniteQuery({
    ...FRESH,
    // Invalidations of the procedure's own key reach this one as well.
    queryKey: [...endedCodesKey, { type: 'infinite' }],
    queryFn: ({ pageParam }: { readonly pageParam: string | null }) =>
      client.qrCodes.ended.query({ cursor: pageParam }),
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const codes = pages.data?.pages.flatMap((page) => page.codes) ?? [];
  const { list, markLastRead } = useGrowingList<HTMLUListElement>(codes.length);
  const summary = useRef<HTMLElement>(null);

  function showMore() {
    markLastRead();
    void pages.fetchNextPage();
  }

  function tryAgain() {
    // The button goes when the codes arrive.
    summary.current?.focus();
    void pages.refetch();
  }

  return (
    <details className={styles.old}>
      <summary ref={summary}>Old codes</summary>
      <p className={styles.note}>These no longer work. Take their prints down.</p>
      <ul ref={list}>
        {codes.map((code) => (
          <li key={code.id} tabIndex={-1} className={styles.code}>
            <span>
              <span className={styles.id}>{showQrCodeId(code.id)}</span> ·{' '}
              {CATEGORY_LABELS[code.serviceCategory]}
            </span>
            <Badge>{STATUS_LABELS[code.status]}</Badge>
          </li>
        ))}
      </ul>
      {pages.isError && <p className={styles.note}>These codes could not be loaded.</p>}
      {(pages.hasNextPage || pages.isError) && (
        // The key makes another button for each page: the pressed one would move down with its focus.
        <Button
          key={pages.data?.pages.length}
          look="quiet"
          aria-disabled={pages.isFetching}
          onClick={pages.hasNextPage ? showMore : tryAgain}
        >
          {pages.hasNextPage ? 'Show More' : 'Retry'}
        </Button>
      )}
    </details>
  );
}
