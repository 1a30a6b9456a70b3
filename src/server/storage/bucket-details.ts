/** What buckets tell beside their counts and net amounts, made up from the ledger, in SQL that SQLite and PostgreSQL read alike. */
import type { UserId } from '#shared/ids.ts';
import { QUARTER_MS } from './rules.ts';

/** Some buckets of an account: those that begin from a time up to, not including, another. */
export interface BucketRange {
  readonly accountId: UserId;
  readonly fromMs: number;
  readonly untilMs: number;
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
