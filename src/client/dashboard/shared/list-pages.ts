/** The pages of a list of tips. Loading them again takes one call for each, so that they grow instead of their number. */
import type { InfiniteData } from '@tanstack/react-query';
import type { TransactionPage } from '#shared/tips.ts';

/** The most that the server gives at once. */
const MAX_ROWS = 200;

interface PageParam {
  readonly cursor: string | null;
  readonly index: number;
}

export type LoadedPages = InfiniteData<TransactionPage, PageParam>;

export const FIRST_PAGE: PageParam = { cursor: null, index: 0 };

export function pageAfter({ nextCursor }: TransactionPage, { length }: readonly unknown[]): PageParam | null {
  return nextCursor === null ? null : { cursor: nextCursor, index: length };
}

/** The same rows in as few pages as the server takes. */
export function packed(loaded: LoadedPages): LoadedPages {
  const rows = loaded.pages.flatMap(({ transactions }) => transactions);
  const blockedGiverIds = loaded.pages.flatMap((page) => page.blockedGiverIds);
  const end = loaded.pages.at(-1)?.nextCursor ?? null;
  const pages: TransactionPage[] = [];
  const pageParams: PageParam[] = [];
  let cursor: string | null = null;
  for (let index = 0; index === 0 || index * MAX_ROWS < rows.length; index += 1) {
    const transactions = rows.slice(index * MAX_ROWS, (index + 1) * MAX_ROWS);
    const isLast = (index + 1) * MAX_ROWS >= rows.length;
    const nextCursor = isLast ? end : (transactions.at(-1)?.id ?? null);
    pageParams.push({ cursor, index });
    pages.push({ transactions, nextCursor, blockedGiverIds: index === 0 ? blockedGiverIds : [] });
    cursor = nextCursor;
  }
  return { pages, pageParams };
}
