/** Rows of accounts and sessions, and what a change or the closing of an account makes of them. */
import { hash } from 'node:crypto';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import type { UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import type { Account, AccountChange, LiveSession, NewAccount, NewSession } from '../port/storage.ts';
import type { Suspension } from '../port/suspensions.ts';

export function emailKeyOf(email: string): string {
  return email.toLowerCase();
}

export interface AccountRow
  extends Omit<Account, 'serviceCategories' | 'acceptedTerms' | 'mustChangePassword' | 'suspension'> {
  readonly passwordExpiresAtMs: number | null;
  readonly acceptedTerms: string | null;
  readonly termsAcceptedAtMs: number | null;
  readonly suspendedAtMs: number | null;
  readonly suspensionReason: string | null;
}

export function newAccountRow({ serviceCategories: _, acceptedTerms = null, ...account }: NewAccount) {
  return {
    ...account,
    emailKey: emailKeyOf(account.email),
    totalTipsReceivedCents: cents(0),
    totalTipsGivenCents: cents(0),
    lastPosition: 0,
    dayStartHour: null,
    acceptedTerms: acceptedTerms?.version ?? null,
    termsAcceptedAtMs: acceptedTerms?.atMs ?? null,
    passwordExpiresAtMs: null,
    closesAtMs: null,
    closedAtMs: null,
    ...suspensionRow(null),
  };
}

export function suspensionRow(suspension: Suspension | null) {
  return { suspendedAtMs: suspension?.sinceMs ?? null, suspensionReason: suspension?.reason ?? null };
}

/** @param row.categories comma-separated in any order; null for a customer. */
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
    dayStartHour: row.dayStartHour,
    acceptedTerms:
      row.acceptedTerms === null || row.termsAcceptedAtMs === null
        ? null
        : { version: row.acceptedTerms, atMs: row.termsAcceptedAtMs },
    mustChangePassword: row.passwordExpiresAtMs !== null,
    suspension:
      row.suspendedAtMs === null || row.suspensionReason === null
        ? null
        : { sinceMs: row.suspendedAtMs, reason: row.suspensionReason },
    createdAtMs: row.createdAtMs,
  };
}

/** A value for each member, so that one which is added later does not compile without one. */
export type All<Members> = Readonly<Record<keyof Members, unknown>> & Readonly<Record<string, unknown>>;

export function changedAccount(account: Account, change: AccountChange) {
  const { email = account.email } = change.email ?? {};
  const { username = account.username, fullName = account.fullName, phone = account.phone } = change;
  const { dayStartHour = account.dayStartHour } = change;
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
      dayStartHour,
    } satisfies All<Omit<AccountChange, 'serviceCategories'>>,
    offered: services.filter((category) => !account.serviceCategories.includes(category)),
    retired: account.serviceCategories.filter((category) => !services.includes(category)),
  };
}

export function newSessionRow(session: NewSession) {
  return {
    ...session,
    tokenHash: Buffer.from(session.tokenHash),
    confirmedAtMs: session.createdAtMs,
  };
}

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

/** The name shown for a closed account. Its row stays because the ledger refers to it. */
export const CLOSED_ACCOUNT = 'Closed account';

/** An empty text is the hash of no password. */
const NO_PASSWORD_HASH = '';

/**
 * All that becomes of an account's row; the statement throws for a column that is missing here. The colon makes the
 * placeholder impossible as an email or username, and the id makes it unique.
 */
export function closedAccountRow(id: UserId, closedAtMs: number) {
  const placeholder = `closed:${id}`;
  return {
    id,
    email: placeholder,
    emailKey: placeholder,
    username: placeholder,
    fullName: CLOSED_ACCOUNT,
    phone: null,
    passwordHash: NO_PASSWORD_HASH,
    passwordExpiresAtMs: null,
    closesAtMs: null,
    closedAtMs,
    dayStartHour: null,
    acceptedTerms: null,
    termsAcceptedAtMs: null,
    ...suspensionRow(null),
  };
}

export function isClosingDue(closesAtMs: number | null, nowMs: number): boolean {
  return closesAtMs !== null && closesAtMs <= nowMs;
}

/** Codes of an account that is closing or suspended take no tips. */
export function statusForGivers(status: QrCodeStatus, takesTips: boolean): QrCodeStatus {
  return !takesTips && status === 'active' ? 'paused' : status;
}

/** The hash of a closed account's username. The prefix makes it useless for anything else. */
export function closedUsernameHash(username: string): Buffer {
  return hash('sha256', `username of a closed account: ${username}`, 'buffer');
}

/** The hash under which attempts count an email, which may be a password typed into the wrong field. */
export function attemptsAccountOf(email: string): string {
  return hash('sha256', emailKeyOf(email.trim()), 'hex');
}
