/** The receipts of guests, which a token names: it stands for the tip, and for the right of its giver. */
import { GUEST_RECEIPT_PREFIX } from '#shared/page-paths.ts';
import { transactionOfToken } from '#shared/receipt-token.ts';
import type { Transaction } from '#shared/tips.ts';
import type { Api, Failure } from '../api-client/api.ts';
import { call, type Outcome } from '../calls.ts';
import { paths } from '../paths.ts';

/** What names a transaction to whoever is told of it: its id, or the token to the guest who gave it. */
export function nameOf({ id, receiptUrl }: Pick<Transaction, 'id' | 'receiptUrl'>): string {
  return receiptUrl === null ? id : receiptUrl.slice(receiptUrl.lastIndexOf('/') + 1);
}

/** Whether the name of a transaction has the form of a token. */
export function isGuests(name: string): boolean {
  return transactionOfToken(name) !== null;
}

/** The id of the transaction that a name stands for. */
export function idOf(name: string): string {
  return transactionOfToken(name) ?? name;
}

/** The path of the page of a transaction of this name. */
export function receiptPage(name: string): string {
  return isGuests(name) ? GUEST_RECEIPT_PREFIX + name : paths.transaction(name);
}

/**
 * Makes a call about the transaction of this name: as a guest when it is a token, whoever is signed in. It
 * never rejects.
 */
export function callAbout<Answer>(
  name: string,
  run: (api: Api) => Promise<Answer>,
): Promise<Outcome<Answer>> {
  return call(run, isGuests(name) ? 'guestApi' : 'api');
}

/**
 * Whether such a call failed because there is no transaction of this name: to a token that is none the server
 * asks for a login.
 */
export function isUnknown({ status }: Failure, name: string): boolean {
  return status === 404 || (status === 401 && isGuests(name));
}
