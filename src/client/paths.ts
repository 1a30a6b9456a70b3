/**
 * Every address of the client.
 */
import { PAGE_PATHS, TIP_PREFIX } from '#shared/page-paths.ts';

export const paths = {
  ...PAGE_PATHS,
  /** `qrId` as it was scanned or typed. */
  tip: (qrId: string) => TIP_PREFIX + encodeURIComponent(qrId),
} as const;

/** The paths of all tip pages. */
export const TIP_PAGE = new RegExp(`^${TIP_PREFIX}[^/]+/?$`);

/** Whether a tip page stands at this path. */
export function isTipPage(pathname: string): boolean {
  return TIP_PAGE.test(pathname);
}

/** The code in the address of a tip page, as it was before it became an address. */
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

/** The address of one tab of the dashboard, so that reload and Back keep it. */
export function dashboardTab(tab: DashboardTab): string {
  return `${paths.dashboard}?tab=${tab}`;
}

/** The login screen that leads back to `next` afterwards; it leads to the dashboard by itself. */
export function authFor(next: string): string {
  return next === paths.dashboard ? paths.auth : `${paths.auth}?${new URLSearchParams({ next })}`;
}

/** The address that the browser shows, as a `next`. */
export function currentPath(): string {
  return window.location.pathname + window.location.search;
}
