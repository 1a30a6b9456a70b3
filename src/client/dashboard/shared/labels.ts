/** How the dashboard writes its tabs, types of accounts and states of codes. */
import type { User } from '#shared/accounts.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import type { DashboardTab } from '../../later/addresses.ts';

export function accountTypeOf({ isServiceProvider }: Pick<User, 'isServiceProvider'>): string {
  return isServiceProvider ? 'Service Provider' : 'Customer';
}

export const TAB_LABELS: Readonly<Record<DashboardTab, string>> = {
  'qr-codes': 'QR Codes',
  transactions: 'Transactions',
  insights: 'Insights',
  profile: 'Profile',
};

export const STATUS_LABELS: Readonly<Record<QrCodeStatus, string>> = {
  active: 'Active',
  paused: 'Paused',
  replaced: 'Replaced',
  retired: 'Retired',
};
