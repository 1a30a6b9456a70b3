/** A history of transactions, page by page. */
import type { Transaction, TransactionPage } from '#shared/tips.ts';

/**
 * All pages from `first` on, or it alone without a list. What arrives meanwhile is newer than all of them, so that together they
 * are one state.
 */
export async function* pagesFrom(
  first: TransactionPage,
  list: ((cursor: string) => Promise<TransactionPage>) | null,
): AsyncGenerator<readonly Transaction[], void> {
  for (let page = first; ; page = await list(page.nextCursor)) {
    yield page.transactions;
    if (page.nextCursor === null || list === null) return;
  }
}
