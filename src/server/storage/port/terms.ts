/** The storage port for the terms of tips. */
import type { Terms } from '#shared/money.ts';
import type { Act } from './audit.ts';

/** The largest tip of any terms: its fees at any rate are exact, and so is the sum of 90,000 of them. */
export const MAX_AMOUNT_CENTS = 100_000_000_000;

export interface StoredTerms extends Terms {
  readonly fromMs: number;
  readonly createdAtMs: number;
}

/** `taken` when the version exists; `currency_fixed` when a tip was given in another currency. */
export type AddTermsOutcome = 'added' | 'taken' | 'currency_fixed';

export interface TermsStorage {
  /** All versions, oldest first; none while the specified terms hold. */
  listTerms(): Promise<StoredTerms[]>;
  addTerms(terms: StoredTerms, act?: Act): Promise<AddTermsOutcome>;
  /** Whether any tip was given or any payment begun, which fixes the currency. */
  hasTips(): Promise<boolean>;
}
