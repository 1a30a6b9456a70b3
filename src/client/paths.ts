/**
 * The addresses of the client's pages.
 */
import { PAGE_PATHS, TIP_PREFIX } from '#shared/page-paths.ts';

export const paths = {
  ...PAGE_PATHS,
  /** The path of a code, which may be any text that was scanned or typed. */
  tip: (qrId: string) => TIP_PREFIX + encodeURIComponent(qrId),
} as const;

/** The paths of all tip pages. */
export const TIP_PAGE = new RegExp(`^${TIP_PREFIX}[^/]+/?$`);

/** Whether a tip page stands at this path. */
export function isTipPage(pathname: string): boolean {
  return TIP_PAGE.test(pathname);
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

export const DASHBOARD_TABS = ['qr-codes', 'transactions', 'profile'] as const;
export type DashboardTab = (typeof DASHBOARD_TABS)[number];

/** The address of a tab of the dashboard. */
export function dashboardTab(tab: DashboardTab): string {
  return `${paths.dashboard}?tab=${tab}`;
}

/** The address of the login that leads to `next` afterwards; without a `next` it leads to the dashboard. */
export function authFor(next: string): string {
  return next === paths.dashboard ? paths.auth : `${paths.auth}?${new URLSearchParams({ next })}`;
}

/** The browser's present path and query. */
export function currentPath(): string {
  return window.location.pathname + window.location.search;
}
