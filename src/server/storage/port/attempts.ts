/** The storage port for counts of limited attempts. */
import type { Act } from './audit.ts';

/** A counter of attempts: at most `maxCount` within `windowMs` from the first of them. */
export interface AttemptCount {
  readonly limit: string;
  /** The hash of an account; empty when the limit is not per account. */
  readonly account: string;
  /** The hash of an address, network, device or session; empty when the limit counts none of these. */
  readonly address: string;
  readonly maxCount: number;
  readonly windowMs: number;
}

export interface AttemptStorage {
  /** Counts one attempt in each of `counts`, or in none when one is used up. */
  takeAttempt(
    counts: readonly AttemptCount[],
    nowMs: number,
  ): Promise<{ readonly outcome: 'taken' } | { readonly outcome: 'used_up'; readonly freeAtMs: number }>;
  returnAttempt(counts: readonly AttemptCount[]): Promise<void>;
  forgetAttempts(account: string, act?: Act): Promise<number>;
  forgetEndedAttempts(nowMs: number, atMost: number): Promise<number>;
}
