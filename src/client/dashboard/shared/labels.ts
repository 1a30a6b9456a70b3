/** How the dashboard writes types of accounts and states of codes. */
import type { User } from '#shared/accounts.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';

export function accountTypeOf({ isServiceProvider }: User): string {
  return isServiceProvider ? 'Service Provider' : 'Customer';
}

export const STATUS_LABELS: Readonly<Record<QrCodeStatus, string>> = {
  active: 'Active',
  paused: 'Paused',
  replaced: 'Replaced',
  retired: 'Retired',
};
