/** Addresses of login, dashboard and receipts. Apart from paths.ts: a tip page needs none before somebody pays. */
import { TRANSACTION_PREFIX } from '#shared/page-paths.ts';
import { paths } from '../paths.ts';

/** The parameter of the dashboard that names the code in shift mode. */
export const SHOWN = 'show';

export function showOf(qrId: string): string {
  return `${paths.dashboard}?${new URLSearchParams({ [SHOWN]: qrId })}`;
}

/** The id in the path of a transaction's receipt, undecoded; null in any other path. */
export function transactionIdIn(pathname: string): string | null {
  const [root, id] = pathname.split(TRANSACTION_PREFIX);
  return root === '' && id && !id.includes('/') ? id : null;
}

export const DASHBOARD_TABS = ['qr-codes', 'transactions', 'insights', 'profile'] as const;
export type DashboardTab = (typeof DASHBOARD_TABS)[number];

export function dashboardTab(tab: DashboardTab): string {
  return `${paths.dashboard}?tab=${tab}`;
}

export const AUTH_TABS = ['login', 'sign-up'] as const;
export type AuthTab = (typeof AUTH_TABS)[number];

export function authFor(next: string, tab: AuthTab = 'login'): string {
  const query = new URLSearchParams({
    ...(tab !== 'login' && { tab }),
    // The login leads to the dashboard by default.
    ...(next !== paths.dashboard && { next }),
  });
  return query.size === 0 ? paths.auth : `${paths.auth}?${query}`;
}

export function authTabIn(search: string): AuthTab {
  const named = new URLSearchParams(search).get('tab');
  return AUTH_TABS.find((tab) => tab === named) ?? 'login';
}
