/**
 * Checking what was written since the last check, on PostgreSQL: the rows of a window, and the memory of how far it came. What
 * must hold of them is decided in `../recent-check.ts`.
 */
import type { ClientBase } from 'pg';
import type { UserId } from '#shared/ids.ts';
import type { CheckStep } from '../ledger.ts';
import {
  type AccountToCheck,
  type Checkpoint,
  type CheckWindow,
  checkedBeforeIn,
  type DifferingBucket,
  type EntryRow,
  type Judgement,
  judgeBuckets,
  judgeWindow,
  lastPositionsIn,
  type ReversalRow,
  reversedIn,
  type TransactionRow,
  WINDOW_SIZE,
} from '../recent-check.ts';
import { hasCode } from './connection.ts';
import { beginSettled } from './ledger-check.ts';

const LOCK = `hashtextextended('tipwell recent check', 0)`;

/** What another process that checks at the moment leaves to do. */
const LEFT_TO_ANOTHER: CheckStep = { problems: [], isDone: true };

const TRANSACTIONS = `SELECT t.sequence, t.id, giver_id AS "giverId", receiver_id AS "receiverId",
    service_category AS "serviceCategory", amount_cents AS "amountCents", giver_fee_cents AS "giverFeeCents",
    receiver_fee_cents AS "receiverFeeCents", net_amount_cents AS "netAmountCents", giver_fee_rate AS "giverFeeRate",
    receiver_fee_rate AS "receiverFeeRate", t.created_at_ms AS "createdAtMs", giver_position AS "giverPosition",
    receiver_position AS "receiverPosition", c.user_id AS "codeOwnerId", c.category AS "codeCategory"
  FROM tipwell.transactions t LEFT JOIN tipwell.qr_codes c ON c.id = t.qr_code_id
  WHERE t.sequence > $1 ORDER BY t.sequence LIMIT ${WINDOW_SIZE}`;

const REVERSALS = `SELECT v.sequence, v.created_at_ms AS "createdAtMs", v.giver_position AS "giverPosition",
    v.receiver_position AS "receiverPosition",
    json_build_object('sequence', t.sequence, 'id', t.id, 'giverId', t.giver_id, 'receiverId', t.receiver_id,
      'serviceCategory', t.service_category, 'amountCents', t.amount_cents, 'netAmountCents', t.net_amount_cents,
      'createdAtMs', t.created_at_ms) AS transaction
  FROM tipwell.reversals v JOIN tipwell.transactions t ON t.sequence = v.transaction_sequence`;

const ACCOUNTS = `SELECT a.id AS "accountId", coalesce(c.position, 0) AS position, coalesce(c.received_cents, 0) AS "receivedCents",
    coalesce(c.given_cents, 0) AS "givenCents", c.buckets_from_ms AS "bucketsFromMs", last_position AS "lastPosition",
    total_tips_received_cents AS "totalTipsReceivedCents", total_tips_given_cents AS "totalTipsGivenCents"
  FROM tipwell.accounts a LEFT JOIN tipwell.checked_accounts c ON c.account_id = a.id WHERE a.id = ANY ($1)`;

const ENTRIES = `SELECT e.account_id AS "accountId", e.position, e.kind, e.transaction_sequence AS "transactionSequence", e.cents,
    e.balance_after_cents AS "balanceAfterCents", e.created_at_ms AS "createdAtMs"
  FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS s (account_id, after, until)
    JOIN tipwell.entries e ON e.account_id = s.account_id AND e.position > s.after AND e.position <= s.until
  ORDER BY e.account_id, e.position`;

const DIFFERING_BUCKETS = `SELECT b.account_id AS "accountId", b.start_ms AS "startMs", b.service_category AS "serviceCategory",
    b.count - b.checked_count AS count, b.cents - b.checked_cents AS cents
  FROM unnest($1::text[], $2::bigint[]) AS s (account_id, from_ms)
    JOIN tipwell.tip_buckets b ON b.account_id = s.account_id AND b.start_ms >= s.from_ms
  WHERE b.count <> b.checked_count OR b.cents <> b.checked_cents`;

const SAVE_ACCOUNTS = `INSERT INTO tipwell.checked_accounts (account_id, position, received_cents, given_cents, buckets_from_ms)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
  ON CONFLICT (account_id) DO UPDATE SET position = excluded.position, received_cents = excluded.received_cents,
    given_cents = excluded.given_cents, buckets_from_ms = excluded.buckets_from_ms`;

/**
 * Locks the buckets in the order of their keys, because tips lock them, too. A bucket that is missing is made, empty, so that it
 * differs from what was remembered once its account is judged.
 */
const SAVE_MOVES = `INSERT INTO tipwell.tip_buckets AS b
    (account_id, start_ms, service_category, count, cents, checked_count, checked_cents)
  SELECT m.account_id, m.start_ms, m.service_category, 0, 0, m.count, m.cents
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
    AS m (account_id, start_ms, service_category, count, cents)
  ORDER BY 1, 2, 3
  ON CONFLICT (account_id, start_ms, service_category) DO UPDATE
    SET checked_count = b.checked_count + excluded.checked_count, checked_cents = b.checked_cents + excluded.checked_cents`;

/**
 * `Storage.checkRecent`. What it reads is as of one settled moment, and what it remembers is saved in a transaction of its own, so
 * that tips that go on meanwhile do not undo it.
 * @param client is in no transaction.
 */
export async function checkRecent(client: ClientBase): Promise<CheckStep> {
  try {
    await beginSettled(client);
    const { rows: turns } = await client.query(`SELECT 1 WHERE pg_try_advisory_xact_lock(${LOCK})`);
    if (turns.length === 0) return LEFT_TO_ANOTHER;
    const { rows: checkpoints } = await client.query<Checkpoint>(
      `SELECT transaction_sequence AS "transactionSequence", reversal_sequence AS "reversalSequence" FROM tipwell.checkpoints`,
    );
    const [before] = checkpoints;
    if (!before) return { problems: ['the checkpoint of the ledger has gone'], isDone: false };
    const window = await readWindow(client, before);
    const judgement = await judge(client, before, window);
    const problems = [
      ...judgement.problems,
      ...judgeBuckets(judgement, await readDifferingBuckets(client, judgement)),
    ];
    if (problems.length > 0) return { problems, isDone: false };
    if (window.transactions.length + window.reversals.length === 0) return { problems, isDone: true };
    await client.query('ROLLBACK');
    const isFirst = await remember(client, before, judgement);
    const isLast = window.transactions.length === 0 && window.reversals.length < WINDOW_SIZE;
    return isFirst ? { problems, isDone: isLast } : LEFT_TO_ANOTHER;
  } catch (error) {
    // A tip and the check wait for each other at most once in a while; the next step looks at the same window.
    if (hasCode(error, '40001', '40P01')) return { problems: [], isDone: false };
    throw error;
  } finally {
    await client.query('ROLLBACK').catch(() => {});
  }
}

async function readWindow(client: ClientBase, before: Checkpoint): Promise<CheckWindow> {
  const { rows: transactions } = await client.query<TransactionRow>(TRANSACTIONS, [
    before.transactionSequence,
  ]);
  if (transactions.length > 0) return { transactions, reversals: [] };
  const { rows: reversals } = await client.query<ReversalRow>(
    `${REVERSALS} WHERE v.sequence > $1 ORDER BY v.sequence LIMIT ${WINDOW_SIZE}`,
    [before.reversalSequence],
  );
  return { transactions, reversals };
}

async function judge(client: ClientBase, before: Checkpoint, window: CheckWindow): Promise<Judgement> {
  const ends = lastPositionsIn(window);
  const { rows: accounts } = await client.query<AccountToCheck>(ACCOUNTS, [[...ends.keys()]]);
  const entriesIn = async (
    spans: readonly { accountId: UserId; after: number; until: number | undefined }[],
  ) => {
    const { rows } = await client.query<EntryRow>(ENTRIES, [
      spans.map(({ accountId }) => accountId),
      spans.map(({ after }) => after),
      spans.map(({ until }) => until),
    ]);
    return rows;
  };
  const entries = await entriesIn(
    accounts.map(({ accountId, position }) => ({ accountId, after: position, until: ends.get(accountId) })),
  );
  const earlier = checkedBeforeIn(window, accounts);
  const checkedBefore =
    earlier.length === 0
      ? []
      : await entriesIn(
          earlier.map(({ accountId, position }) => ({ accountId, after: position - 1, until: position })),
        );
  const { rows: reversals } = await client.query<ReversalRow>(
    `${REVERSALS} WHERE v.transaction_sequence = ANY ($1)`,
    [reversedIn(entries)],
  );
  return judgeWindow(before, window, { accounts, entries, checkedBefore, reversals });
}

async function readDifferingBuckets(
  client: ClientBase,
  { complete }: Judgement,
): Promise<readonly DifferingBucket[]> {
  const { rows } = await client.query<DifferingBucket>(DIFFERING_BUCKETS, [
    complete.map(({ accountId }) => accountId),
    complete.map(({ bucketsFromMs }) => bucketsFromMs),
  ]);
  return rows;
}

/** Remembers a window in one transaction. @returns false when another process did that first; nothing is changed then. */
async function remember(client: ClientBase, before: Checkpoint, judgement: Judgement): Promise<boolean> {
  const { checkpoint, accounts, buckets } = judgement;
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  const { rowCount } = await client.query(
    `UPDATE tipwell.checkpoints SET transaction_sequence = $1, reversal_sequence = $2
     WHERE transaction_sequence = $3 AND reversal_sequence = $4`,
    [
      checkpoint.transactionSequence,
      checkpoint.reversalSequence,
      before.transactionSequence,
      before.reversalSequence,
    ],
  );
  if (rowCount === 0) return false;
  await client.query(SAVE_ACCOUNTS, [
    accounts.map(({ accountId }) => accountId),
    accounts.map(({ position }) => position),
    accounts.map(({ receivedCents }) => receivedCents),
    accounts.map(({ givenCents }) => givenCents),
    accounts.map(({ bucketsFromMs }) => bucketsFromMs),
  ]);
  await client.query(SAVE_MOVES, [
    buckets.map(({ accountId }) => accountId),
    buckets.map(({ startMs }) => startMs),
    buckets.map(({ serviceCategory }) => serviceCategory),
    buckets.map(({ count }) => count),
    buckets.map(({ cents }) => cents),
  ]);
  await client.query('COMMIT');
  return true;
}

/** How many tips were given since the last check. */
export async function countUnchecked(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT coalesce((SELECT max(sequence) FROM tipwell.transactions), 0) -
       coalesce((SELECT transaction_sequence FROM tipwell.checkpoints), 0) AS count`,
  );
  return rows[0]?.count ?? 0;
}

/** Checks all that was written until now, while nobody waits. @returns what is wrong, in sentences. */
export async function checkToTheEnd(client: ClientBase): Promise<readonly string[]> {
  for (;;) {
    const { problems, isDone } = await checkRecent(client);
    if (isDone || problems.length > 0) return problems;
  }
}
