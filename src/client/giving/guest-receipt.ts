/** The receipts of guests. Their token names the transaction and carries the right of its giver. */
import { GUEST_RECEIPT_PREFIX } from '#shared/page-paths.ts';
import { transactionOfToken } from '#shared/receipt-token.ts';
import type { Transaction } from '#shared/tips.ts';
import type { Api, Failure } from '../api-client/api.ts';
import { call, type Outcome } from '../calls.ts';
import { paths } from '../paths.ts';

/** The name of a transaction for its reader: the id, or the token for the guest who gave it. */
export function nameOf({ id, receiptUrl }: Pick<Transaction, 'id' | 'receiptUrl'>): string {
  return receiptUrl === null ? id : receiptUrl.slice(receiptUrl.lastIndexOf('/') + 1);
}

export function isGuests(name: string): boolean {
  return transactionOfToken(name) !== null;
}

export function idOf(name: string): string {
  return transactionOfToken(name) ?? name;
}

export function receiptPage(name: string): string {
  return isGuests(name) ? GUEST_RECEIPT_PREFIX + name : paths.transaction(name);
}

/** Calls as a guest when the name is a token, even in a session. It never rejects. */
export function callAbout<Answer>(
  name: string,
  run: (api: Api) => Promise<Answer>,
): Promise<Outcome<Answer>> {
  return call(run, isGuests(name) ? 'guestApi' : 'api');
}

/** The server answers an unknown token with a demand for a login. */
export function isUnknown({ status }: Failure, name: string): boolean {
  return status === 404 || (status === 401 && isGuests(name));
}
