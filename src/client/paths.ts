/**
 * The addresses of the client's pages.
 */
import { PAGE_PATHS, TIP_PREFIX, TRANSACTION_PREFIX } from '#shared/page-paths.ts';

export const paths = {
  ...PAGE_PATHS,
  /** The path of a code, which may be any text that was scanned or typed. */
  tip: (qrId: string) => TIP_PREFIX + encodeURIComponent(qrId),
  /** The receipt of a transaction, for its two people. */
  transaction: (id: string) => TRANSACTION_PREFIX + id,
} as const;

/** The parameter of the dashboard's address that names the code which fills the screen. */
export const SHOWN = 'show';

/** The address at which a code of one's own fills the screen. */
export function showOf(qrId: string): string {
  return `${paths.dashboard}?${new URLSearchParams({ [SHOWN]: qrId })}`;
}

/** The parameter of a tip page's address that names the transaction of a receipt. */
export const PAID = 'paid';
/** The one that names a transaction which is, or was, to be paid at a payment service. */
export const PAYMENT = 'payment';

/** The address at which the tip page at this path shows the success of a payment again. */
export function receiptAt(pathname: string, transactionId: string): string {
  return `${pathname}?${new URLSearchParams({ [PAID]: transactionId })}`;
}

/** The paths of all tip pages. */
const TIP_PAGE = new RegExp(`^${TIP_PREFIX}[^/]+/?$`);

/** Whether a tip page stands at this path. */
export function isTipPage(pathname: string): boolean {
  return TIP_PAGE.test(pathname);
}

/** The id in the path of a transaction's receipt, as it stands there; null in any other path. */
export function transactionIdIn(pathname: string): string | null {
  const [root, id] = pathname.split(TRANSACTION_PREFIX);
  return root === '' && id && !id.includes('/') ? id : null;
}

/** The code in the path of a tip page, decoded once; as it stands there when it cannot be decoded. */
export function qrIdFrom(pathname: string): string {
  const segment = pathname.split('/')[2] ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const DASHBOARD_TABS = ['qr-codes', 'transactions', 'insights', 'profile'] as const;
export type DashboardTab = (typeof DASHBOARD_TABS)[number];

/** The address of a tab of the dashboard. */
export function dashboardTab(tab: DashboardTab): string {
  return `${paths.dashboard}?tab=${tab}`;
}

export const AUTH_TABS = ['login', 'sign-up'] as const;
export type AuthTab = (typeof AUTH_TABS)[number];

/** The address of a tab of the login that leads to `next` afterwards. */
export function authFor(next: string, tab: AuthTab = 'login'): string {
  const query = new URLSearchParams({
    ...(tab !== 'login' && { tab }),
    // The login leads to the dashboard by itself.
    ...(next !== paths.dashboard && { next }),
  });
  return query.size === 0 ? paths.auth : `${paths.auth}?${query}`;
}

/** The tab of the login that an address names, else the login itself. */
export function authTabIn(search: string): AuthTab {
  const named = new URLSearchParams(search).get('tab');
  return AUTH_TABS.find((tab) => tab === named) ?? 'login';
}

/** The browser's present path and query. */
export function currentPath(): string {
  return window.location.pathname + window.location.search;
}
