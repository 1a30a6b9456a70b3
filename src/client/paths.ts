/**
 * Every address of the client, and where somebody is taken after logging in.
 */
export const paths = {
  home: '/',
  auth: '/auth',
  dashboard: '/dashboard',
  scan: '/scan',
  /** `qrId` as it was scanned or typed. */
  tip: (qrId: string) => `/tip/${encodeURIComponent(qrId)}`,
} as const;

/** Whether a tip page stands at this path. */
export function isTipPage(pathname: string): boolean {
  return /^\/tip\/[^/]+\/?$/.test(pathname);
}

/**
 * The code in the address of a tip page, as it was before it became an address. The router's own parameter is only half
 * decoded.
 */
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

/**
 * Where `?next=` leads, if that is a path of this site. Whatever a browser could take for another site
 * (`https://...`, `//host`, `/\host`, with control characters in between or not) counts as nothing (OWASP, Unvalidated
 * Redirects and Forwards).
 */
export function nextFrom(search: string, origin: string): string | null {
  const next = new URLSearchParams(search).get('next');
  if (next === null || !/^\/(?![/\\])[\x21-\x7e]*$/.test(next) || next.includes('\\')) return null;
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith('//')) return null;
  return url.pathname + url.search + url.hash;
}
