/**
 * What closing an account for good leaves in its place. The ledger refers to the row, which therefore stays, with nothing in it that
 * says who it was.
 */
import { hash } from 'node:crypto';
import type { UserId } from '#shared/ids.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import { emailKeyOf } from './accounts.ts';

/** The full name of an account that was closed, and the name on each of its tip pages. */
export const CLOSED_ACCOUNT = 'Closed account';

/** No hash of a password is empty, so that none fits. */
const NO_PASSWORD_HASH = '';

/**
 * What takes the place of everything personal in the row of an account. The colon keeps the placeholder from being an email or a
 * username that somebody could register; the id makes it unique, as both have to be.
 */
export function closedAccountRow(id: UserId, closedAtMs: number) {
  const placeholder = `closed:${id}`;
  return {
    id,
    email: placeholder,
    emailKey: placeholder,
    username: placeholder,
    fullName: CLOSED_ACCOUNT,
    passwordHash: NO_PASSWORD_HASH,
    closedAtMs,
  };
}

/** Whether an account that is to be closed at `closesAtMs`, or at no time when it is null, is over at `nowMs`. */
export function isClosingDue(closesAtMs: number | null, nowMs: number): boolean {
  return closesAtMs !== null && closesAtMs <= nowMs;
}

/** A code of an account that is being closed takes no tips. */
export function statusForGivers(status: QrCodeStatus, isClosing: boolean): QrCodeStatus {
  return isClosing && status === 'active' ? 'paused' : status;
}

/** How the username of a closed account is kept. The words before it make the hash useless for anything else. */
export function closedUsernameHash(username: string): Buffer {
  return hash('sha256', `username of a closed account: ${username}`, 'buffer');
}

/** How the counts of attempts name an account. The email is hashed, because what somebody typed as an email may be a password. */
export function attemptsAccountOf(email: string): string {
  return hash('sha256', emailKeyOf(email.trim()), 'hex');
}
