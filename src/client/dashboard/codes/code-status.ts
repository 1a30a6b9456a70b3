/** How the states of a code are called on screen. */
import type { QrCode, QrCodeStatus } from '#shared/qr-codes.ts';

export const STATUS_LABELS: Readonly<Record<QrCodeStatus, string>> = {
  active: 'Active',
  paused: 'Paused',
  replaced: 'Replaced',
  retired: 'Retired',
};

/** Whether a code is the one that its service has at present. */
export function isCurrent({ status }: QrCode): boolean {
  return status === 'active' || status === 'paused';
}
