/** The numbers of closed sets of words in the ledger's tables. They are stored: none ever changes or is used again. */
import type { $brand } from 'zod';
import { SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { EntryKind } from '../port/ledger.ts';

/** An account's name within the ledger, made with the account. */
export type AccountNumber = number & $brand<'AccountNumber'>;
export type CodeNumber = number & $brand<'CodeNumber'>;

export const CATEGORY_NUMBERS: Readonly<Record<ServiceCategory, number>> = {
  bartender: 1,
  barber: 2,
  nailtech: 3,
  esthetician: 4,
  server: 5,
  escort: 6,
  dj: 7,
  live_event: 8,
};

const CATEGORIES = new Map(SERVICE_CATEGORIES.map((category) => [CATEGORY_NUMBERS[category], category]));

/** @throws Error for a number that no category has, which a table refuses to store. */
export function categoryOf(number: number): ServiceCategory {
  const category = CATEGORIES.get(number);
  if (!category) throw new Error(`no category has the number ${number}`);
  return category;
}

export const KIND_NUMBERS: Readonly<Record<EntryKind, number>> = {
  received: 1,
  given: 2,
  received_reversed: 3,
  given_reversed: 4,
  received_adjusted: 5,
  given_adjusted: 6,
  received_captured: 7,
  given_captured: 8,
};

export const MODE_NUMBERS: Readonly<Record<PaymentMode, number>> = { simulated: 0, test: 1, live: 2 };
