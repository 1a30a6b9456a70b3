import type { AccountState } from '#shared/console/parties.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';

export const STATE_LABELS: Readonly<Record<AccountState, string>> = {
  open: 'Open',
  suspended: 'Suspended',
  closing: 'Closing',
  closed: 'Closed',
};

const CODE_LABELS: Readonly<Record<QrCodeStatus, string>> = {
  active: 'Active',
  paused: 'Paused',
  replaced: 'Replaced',
  retired: 'Retired',
};

/** To customers each code of a suspended or closing account looks paused. */
export function codeLabel(status: QrCodeStatus, owner: AccountState): string {
  return status === 'active' && owner !== 'open' ? STATE_LABELS[owner] : CODE_LABELS[status];
}
