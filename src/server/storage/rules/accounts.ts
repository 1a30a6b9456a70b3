/** What making an account, changing it and beginning a session come to. */
import { hash } from 'node:crypto';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import type { UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import type { Account, AccountChange, LiveSession, NewAccount, NewSession } from '../port/storage.ts';

/** An email as it is compared: nobody has an address that differs from another's in case alone. */
export function emailKeyOf(email: string): string {
  return email.toLowerCase();
}

/** An account as it is stored, without its categories. */
export interface AccountRow extends Omit<Account, 'serviceCategories' | 'mustChangePassword'> {
  readonly passwordExpiresAtMs: number | null;
}

/** What is stored of a new account, beside its categories: nothing given or received yet, and a password that its owner chose. */
export function newAccountRow({ serviceCategories: _, ...account }: NewAccount) {
  return {
    ...account,
    emailKey: emailKeyOf(account.email),
    totalTipsReceivedCents: cents(0),
    totalTipsGivenCents: cents(0),
    lastPosition: 0,
    passwordExpiresAtMs: null,
    closesAtMs: null,
    closedAtMs: null,
  };
}

/** @param row with the categories that the account offers, in any order, joined by commas; null for a customer. */
export function accountOf(row: AccountRow & { readonly categories: string | null }): Account {
  const offered = row.categories?.split(',') ?? [];
  return {
    id: row.id,
    email: row.email,
    username: row.username,
    fullName: row.fullName,
    phone: row.phone,
    isServiceProvider: row.isServiceProvider,
    serviceCategories: SERVICE_CATEGORIES.filter((category) => offered.includes(category)),
    totalTipsReceivedCents: row.totalTipsReceivedCents,
    totalTipsGivenCents: row.totalTipsGivenCents,
    mustChangePassword: row.passwordExpiresAtMs !== null,
    createdAtMs: row.createdAtMs,
  };
}

/** What an account comes to with a change. @returns its columns, and which services it offers newly and no more. */
export function changedAccount(account: Account, change: AccountChange) {
  const { email = account.email } = change.email ?? {};
  const { username = account.username, fullName = account.fullName, phone = account.phone } = change;
  const services = change.serviceCategories ?? account.serviceCategories;
  return {
    row: {
      id: account.id,
      email,
      emailKey: emailKeyOf(email),
      username,
      fullName,
      phone,
      isServiceProvider: services.length > 0,
    },
    offered: services.filter((category) => !account.serviceCategories.includes(category)),
    retired: account.serviceCategories.filter((category) => !services.includes(category)),
  };
}

/** A session as it is stored when it is new: whoever begins one has just proved to know the password. */
export function newSessionRow(session: NewSession) {
  return {
    ...session,
    tokenHash: Buffer.from(session.tokenHash),
    confirmedAtMs: session.createdAtMs,
  };
}

/** A session that was found, as the port tells it. */
export function liveSessionOf(
  row: AccountRow &
    Pick<LiveSession, 'expiresAtMs' | 'confirmedAtMs'> & {
      readonly categories: string | null;
      readonly sessionCreatedAtMs: number;
    },
): LiveSession {
  const { sessionCreatedAtMs, expiresAtMs, confirmedAtMs } = row;
  return { account: accountOf(row), createdAtMs: sessionCreatedAtMs, expiresAtMs, confirmedAtMs };
}

/** The name of an account that was closed, and of its tip pages: the row stays, since the ledger refers to it, and says nobody's name. */
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
