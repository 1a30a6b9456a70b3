/** How the states of a code are called on screen. */
import type { QrCodeStatus } from '#shared/qr-codes.ts';

export const STATUS_LABELS: Readonly<Record<QrCodeStatus, string>> = {
  active: 'Active',
  paused: 'Paused',
  replaced: 'Replaced',
  retired: 'Retired',
};
