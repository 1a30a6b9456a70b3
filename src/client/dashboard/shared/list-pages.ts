/** The pages of a list of tips. Loading them again takes one call for each, so that they grow instead of their number. */
import type { InfiniteData } from '@tanstack/react-query';
import type { Transaction, TransactionPage } from '#shared/tips.ts';

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

/** The same rows below `added` ones, in as few pages as the server takes. */
export function packed({ pages }: LoadedPages, added: readonly Transaction[] = []): LoadedPages {
  const rows = [...added, ...pages.flatMap(({ transactions }) => transactions)];
  const blockedGiverIds = [...new Set(pages.flatMap((page) => page.blockedGiverIds))];
  const cut: TransactionPage[] = [];
  do {
    const transactions = rows.splice(0, MAX_ROWS);
    const { nextCursor = null } = pages.at(-1) ?? {};
    cut.push({
      transactions,
      blockedGiverIds,
      nextCursor: rows.length > 0 ? (transactions.at(-1)?.id ?? null) : nextCursor,
    });
  } while (rows.length > 0);
  // Where a page begins is read of the first alone; the others begin after the one before.
  return { pages: cut, pageParams: cut.map(() => FIRST_PAGE) };
}
