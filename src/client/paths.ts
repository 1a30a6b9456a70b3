/** The addresses of the client's pages. */
import { PAGE_PATHS, PROVIDER_PREFIX, TIP_PREFIX, TRANSACTION_PREFIX } from '#shared/page-paths.ts';

export const paths = {
  ...PAGE_PATHS,
  tip: (qrId: string) => TIP_PREFIX + encodeURIComponent(qrId),
  provider: (username: string) => PROVIDER_PREFIX + username,
  transaction: (id: string) => TRANSACTION_PREFIX + id,
} as const;

/** The parameter of a tip page that names the transaction of a receipt. */
export const PAID = 'paid';
/** The parameter of a tip page that names the transaction of a payment at the payment service. */
export const PAYMENT = 'payment';
/** The parameter that the payment service's link back adds when a person leaves without paying. */
export const LEFT = 'left';

export function receiptAt(pathname: string, transactionId: string): string {
  return `${pathname}?${new URLSearchParams({ [PAID]: transactionId })}`;
}

const TIP_PAGE = new RegExp(`^${TIP_PREFIX}[^/]+/?$`);

export function isTipPage(pathname: string): boolean {
  return TIP_PAGE.test(pathname);
}

export function currentPath(): string {
  return window.location.pathname + window.location.search;
}
