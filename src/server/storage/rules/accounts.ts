/** What making an account, changing it and beginning a session come to. */
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { cents } from '#shared/money.ts';
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
