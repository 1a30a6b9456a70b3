/** What buckets tell beside their counts and net amounts, made up from the ledger, in SQL that SQLite and PostgreSQL read alike. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';
import { QUARTER_MS } from './rules.ts';

/** Whether the details of a bucket are not those of all of its tips. */
export const LACKS_DETAILS = 'detailed_count <> count';

/** A tip that is taken from its bucket. */
export interface TakenTip {
  readonly accountId: UserId;
  readonly startMs: number;
  readonly serviceCategory: ServiceCategory;
  readonly netCents: Cents;
  readonly grossCents: Cents;
}

/** Some buckets of an account: those that begin from a time up to, not including, another. */
export interface BucketRange {
  readonly accountId: UserId;
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * What a tip that is reversed takes from its bucket: details included, unless it was the largest, which cannot be taken back from a
 * maximum, or they were not there. Then they count as of no tip, and are made up again when somebody asks for them: the reversal
 * costs the same however many tips its bucket counts.
 *
 * @param net the placeholder of the net amount in cents, as `gross` is that of the amount.
 * @returns the assignments of an UPDATE.
 */
export function takenFromBucket(net: string, gross: string): string {
  const kept = (column: string, taken: string) =>
    `${column} = CASE WHEN count > 1 AND detailed_count = count AND largest_cents > ${net} THEN ${column} - ${taken} ELSE 0 END`;
  return [
    'count = count - 1',
    `cents = cents - ${net}`,
    kept('detailed_count', '1'),
    kept('gross_cents', gross),
    kept('largest_cents', '0'),
  ].join(', ');
}

/**
 * Makes up the details of buckets, which a condition behind it names. Each bucket reads the entries of its own quarter of an hour by
 * their index of times: joined with sums of all of them, the planner of SQLite was seen to compare each bucket of the account
 * with each sum.
 */
export const DETAIL_BUCKETS = `UPDATE tip_buckets SET (detailed_count, gross_cents, largest_cents) = (
    SELECT count(*), coalesce(sum(t.amount_cents), 0), coalesce(max(t.net_amount_cents), 0)
    FROM entries e JOIN transactions t ON t.sequence = e.transaction_sequence
      LEFT JOIN reversals r ON r.transaction_sequence = t.sequence
    WHERE e.account_id = tip_buckets.account_id AND e.created_at_ms >= tip_buckets.start_ms
      AND e.created_at_ms < tip_buckets.start_ms + ${QUARTER_MS} AND e.kind = 'received'
      AND t.service_category = tip_buckets.service_category AND r.sequence IS NULL
  )`;
