/**
 * Checking what was written since the last check, on SQLite: the rows of a window, and the memory of how far it came. What must
 * hold of them is decided in `../recent-check.ts`.
 */
import type { UserId } from '#shared/ids.ts';
import type { CheckStep } from '../ledger.ts';
import {
  type AccountToCheck,
  type BucketMove,
  type CheckedAccount,
  type Checkpoint,
  type CheckWindow,
  checkedBeforeIn,
  type DifferingBucket,
  type EntryRow,
  judgeBuckets,
  judgeWindow,
  lastPositionsIn,
  type ReversalRow,
  reversedIn,
  type TransactionRow,
  WINDOW_SIZE,
} from '../recent-check.ts';
import type { Database } from './connection.ts';

/** A reversal as a row, without the nesting of `ReversalRow`. */
type FlatReversal = Omit<ReversalRow, 'transaction'> & {
  readonly [Name in keyof ReversalRow['transaction'] as `tip_${Name}`]: ReversalRow['transaction'][Name];
};

const REVERSALS = `SELECT r.sequence, r.created_at_ms AS createdAtMs, r.giver_position AS giverPosition,
    r.receiver_position AS receiverPosition, t.sequence AS tip_sequence, t.id AS tip_id, t.giver_id AS tip_giverId,
    t.receiver_id AS tip_receiverId, t.service_category AS tip_serviceCategory, t.amount_cents AS tip_amountCents,
    t.net_amount_cents AS tip_netAmountCents, t.created_at_ms AS tip_createdAtMs
  FROM reversals r JOIN transactions t ON t.sequence = r.transaction_sequence`;

/** Makes the function that checks the next window. It is to be run inside a transaction. */
export function createRecentCheck(database: Database): () => CheckStep {
  const checkpoint = database.prepare<[], Checkpoint>(
    `SELECT transaction_sequence AS transactionSequence, reversal_sequence AS reversalSequence FROM checkpoints`,
  );
  const transactionsAfter = database.prepare<[number], TransactionRow>(
    `SELECT t.sequence, t.id, giver_id AS giverId, receiver_id AS receiverId, service_category AS serviceCategory,
       amount_cents AS amountCents, giver_fee_cents AS giverFeeCents, receiver_fee_cents AS receiverFeeCents,
       net_amount_cents AS netAmountCents, giver_fee_rate AS giverFeeRate, receiver_fee_rate AS receiverFeeRate,
       t.created_at_ms AS createdAtMs, giver_position AS giverPosition, receiver_position AS receiverPosition,
       c.user_id AS codeOwnerId, c.category AS codeCategory
     FROM transactions t LEFT JOIN qr_codes c ON c.id = t.qr_code_id
     WHERE t.sequence > ? ORDER BY t.sequence LIMIT ${WINDOW_SIZE}`,
  );
  const reversalsAfter = database.prepare<[number], FlatReversal>(
    `${REVERSALS} WHERE r.sequence > ? ORDER BY r.sequence LIMIT ${WINDOW_SIZE}`,
  );
  const reversalOfTip = database.prepare<[number], FlatReversal>(
    `${REVERSALS} WHERE r.transaction_sequence = ?`,
  );
  const accountToCheck = database.prepare<[UserId], AccountToCheck>(
    `SELECT a.id AS accountId, coalesce(c.position, 0) AS position, coalesce(c.received_cents, 0) AS receivedCents,
       coalesce(c.given_cents, 0) AS givenCents, c.buckets_from_ms AS bucketsFromMs, last_position AS lastPosition,
       total_tips_received_cents AS totalTipsReceivedCents, total_tips_given_cents AS totalTipsGivenCents
     FROM accounts a LEFT JOIN checked_accounts c ON c.account_id = a.id WHERE a.id = ?`,
  );
  const entriesBetween = database.prepare<[UserId, number, number], EntryRow>(
    `SELECT account_id AS accountId, position, kind, transaction_sequence AS transactionSequence, cents,
       balance_after_cents AS balanceAfterCents, created_at_ms AS createdAtMs
     FROM entries WHERE account_id = ? AND position > ? AND position <= ? ORDER BY position`,
  );
  const differingBuckets = database.prepare<[UserId, number], DifferingBucket>(
    `SELECT account_id AS accountId, start_ms AS startMs, service_category AS serviceCategory,
       count - checked_count AS count, cents - checked_cents AS cents
     FROM tip_buckets WHERE account_id = ? AND start_ms >= ? AND (count <> checked_count OR cents <> checked_cents)`,
  );
  const moveCheckpoint = database.prepare<Checkpoint>(
    `UPDATE checkpoints SET transaction_sequence = @transactionSequence, reversal_sequence = @reversalSequence`,
  );
  const saveAccount = database.prepare<CheckedAccount>(
    `INSERT INTO checked_accounts (account_id, position, received_cents, given_cents, buckets_from_ms)
     VALUES (@accountId, @position, @receivedCents, @givenCents, @bucketsFromMs)
     ON CONFLICT DO UPDATE SET position = excluded.position, received_cents = excluded.received_cents,
       given_cents = excluded.given_cents, buckets_from_ms = excluded.buckets_from_ms`,
  );
  // A bucket that is missing is made, empty, so that it differs from what was remembered once its account is judged.
  const saveMove = database.prepare<BucketMove>(
    `INSERT INTO tip_buckets (account_id, start_ms, service_category, count, cents, checked_count, checked_cents,
       detailed_count, gross_cents, largest_cents)
     VALUES (@accountId, @startMs, @serviceCategory, 0, 0, @count, @cents, 0, 0, 0)
     ON CONFLICT DO UPDATE SET checked_count = checked_count + @count, checked_cents = checked_cents + @cents`,
  );
  const lastGivenOut = database
    .prepare<[string], number>('SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?')
    .pluck();

  /** The sequences have no gap, and end with the last ones that SQLite gave out. */
  function problemsOfSequence(
    { transactionSequence, reversalSequence }: Checkpoint,
    window: CheckWindow,
  ): string[] {
    const isOff = (after: number, rows: readonly { readonly sequence: number }[], table: string) =>
      rows.some(({ sequence }, index) => sequence !== after + index + 1) ||
      (rows.length < WINDOW_SIZE && lastGivenOut.get(table) !== after + rows.length);
    const sentence = (table: string) => `the sequence of ${table} has a gap, or misses its end`;
    if (isOff(transactionSequence, window.transactions, 'transactions')) return [sentence('transactions')];
    const isLookedAt = window.transactions.length === 0;
    return isLookedAt && isOff(reversalSequence, window.reversals, 'reversals')
      ? [sentence('reversals')]
      : [];
  }

  return () => {
    const before = checkpoint.get();
    if (!before) return { problems: ['the checkpoint of the ledger has gone'], isDone: false };
    const tips = transactionsAfter.all(before.transactionSequence);
    const reversals = tips.length > 0 ? [] : reversalsAfter.all(before.reversalSequence).map(nest);
    const window = { transactions: tips, reversals };

    const ends = lastPositionsIn(window);
    const accounts = [...ends.keys()].flatMap((accountId) => accountToCheck.get(accountId) ?? []);
    const entries = accounts.flatMap(({ accountId, position }) =>
      entriesBetween.all(accountId, position, ends.get(accountId) ?? 0),
    );
    const checkedBefore = checkedBeforeIn(window, accounts).flatMap(({ accountId, position }) =>
      entriesBetween.all(accountId, position - 1, position),
    );
    const taken = reversedIn(entries).flatMap((sequence) => reversalOfTip.get(sequence) ?? []);
    const judgement = judgeWindow(before, window, {
      accounts,
      entries,
      checkedBefore,
      reversals: taken.map(nest),
    });
    const differing = judgement.complete.flatMap(({ accountId, bucketsFromMs }) =>
      differingBuckets.all(accountId, bucketsFromMs),
    );
    const problems = [
      ...problemsOfSequence(before, window),
      ...judgement.problems,
      ...judgeBuckets(judgement, differing),
    ];
    if (problems.length > 0) return { problems, isDone: false };
    if (tips.length + reversals.length === 0) return { problems, isDone: true };

    for (const account of judgement.accounts) saveAccount.run(account);
    for (const move of judgement.buckets) saveMove.run(move);
    moveCheckpoint.run(judgement.checkpoint);
    return { problems, isDone: tips.length === 0 && reversals.length < WINDOW_SIZE };
  };
}

function nest(flat: FlatReversal): ReversalRow {
  return {
    sequence: flat.sequence,
    createdAtMs: flat.createdAtMs,
    giverPosition: flat.giverPosition,
    receiverPosition: flat.receiverPosition,
    transaction: {
      sequence: flat.tip_sequence,
      id: flat.tip_id,
      giverId: flat.tip_giverId,
      receiverId: flat.tip_receiverId,
      serviceCategory: flat.tip_serviceCategory,
      amountCents: flat.tip_amountCents,
      netAmountCents: flat.tip_netAmountCents,
      createdAtMs: flat.tip_createdAtMs,
    },
  };
}
