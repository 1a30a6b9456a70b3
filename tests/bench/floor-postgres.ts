/**
 * The floor on PostgreSQL: `pg` by hand on the same tables with the same durability, a transaction for each
 * tip on a pooled connection as its documentation shows (https://node-postgres.com/features/transactions),
 * and statements prepared by name.
 */
import pg from 'pg';
import { SPECIFIED_TERMS } from '#shared/money.ts';
import {
  type CodeRow,
  draftTip,
  repeatTip,
  type SessionRow,
  serveFloor,
  type TransactionRow,
  type WantedTip,
} from './floor-app.ts';

const [url = '', port = ''] = process.argv.slice(2);

const INT8 = 20;
const pool = new pg.Pool({
  connectionString: url,
  max: 10,
  options: '-c search_path=tipwell -c synchronous_commit=on',
  types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
});

interface Moved {
  readonly position: number;
  readonly balance: number;
}

const FIND_CODE = {
  name: 'find_code',
  text: `SELECT qr_codes.id, user_id, category, username, full_name, status, display_name, greeting, photo_name, takes_words
    FROM qr_codes JOIN accounts ON accounts.id = user_id WHERE qr_codes.id = $1`,
};
const FIND_SESSION = {
  name: 'find_session',
  text: 'SELECT user_id, expires_at_ms FROM sessions WHERE token_hash = $1 AND expires_at_ms > $2',
};
const EXTEND_SESSION = {
  name: 'extend_session',
  text: 'UPDATE sessions SET expires_at_ms = $1 WHERE token_hash = $2',
};
const FIND_BY_KEY = {
  name: 'find_by_key',
  text: `SELECT *, 'completed' AS status FROM transactions
    WHERE giver_id = $1 AND idempotency_key = $2 AND idempotency_key IS NOT NULL`,
};
/** In the order of ids, so that tips cannot deadlock. */
const LOCK_ACCOUNTS = {
  name: 'lock_accounts',
  text: 'SELECT id FROM accounts WHERE id IN ($1, $2) ORDER BY id FOR NO KEY UPDATE',
};
const ADD_TO_GIVEN = {
  name: 'add_to_given',
  text: `UPDATE accounts SET total_tips_given_cents = total_tips_given_cents + $1, last_position = last_position + 1
    WHERE id = $2 RETURNING last_position AS position, total_tips_given_cents AS balance`,
};
const ADD_TO_RECEIVED = {
  name: 'add_to_received',
  text: `UPDATE accounts SET total_tips_received_cents = total_tips_received_cents + $1, last_position = last_position + 1
    WHERE id = $2 RETURNING last_position AS position, total_tips_received_cents AS balance`,
};
const INSERT_TRANSACTION = {
  name: 'insert_transaction',
  text: `INSERT INTO transactions (id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents,
      receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, idempotency_key, created_at_ms,
      giver_position, receiver_position)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${SPECIFIED_TERMS.giverFeeRate}, ${SPECIFIED_TERMS.receiverFeeRate}, $10, $11, $12, $13)
    RETURNING sequence`,
};
const INSERT_ENTRIES = {
  name: 'insert_entries',
  text: `INSERT INTO entries (account_id, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms)
    VALUES ($1, $2, 'given', $3, $4, $5, $6), ($7, $8, 'received', $3, $9, $10, $6)`,
};
const ADD_TO_BUCKET = {
  name: 'add_to_bucket',
  text: `INSERT INTO tip_buckets AS bucket (account_id, start_ms, service_category, count, cents, detailed_count, gross_cents, largest_cents)
    VALUES ($1, $2, $3, 1, $4, 1, $5, $4)
    ON CONFLICT (account_id, start_ms, service_category)
    DO UPDATE SET count = bucket.count + 1, cents = bucket.cents + excluded.cents, detailed_count = bucket.detailed_count + 1,
      gross_cents = bucket.gross_cents + excluded.gross_cents, largest_cents = greatest(bucket.largest_cents, excluded.largest_cents)`,
};

type Statement = { readonly name: string; readonly text: string };

async function first<Row extends pg.QueryResultRow>(
  client: pg.Pool | pg.PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row | undefined> {
  const { rows } = await client.query<Row>({ ...statement, values: [...values] });
  return rows[0];
}

async function recordTip(tip: WantedTip): Promise<TransactionRow> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const code = await first<CodeRow>(client, FIND_CODE, [tip.codeId]);
    await client.query({ ...LOCK_ACCOUNTS, values: [tip.giverId, code?.user_id ?? tip.giverId] });
    const earlier =
      tip.key === null ? undefined : await first<TransactionRow>(client, FIND_BY_KEY, [tip.giverId, tip.key]);
    const row = earlier ? repeatTip(tip, earlier) : draftTip(tip, code);
    if (!earlier) await enter(client, row, tip.key);
    await client.query('COMMIT');
    return row;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function enter(client: pg.PoolClient, row: TransactionRow, key: string | null): Promise<void> {
  const { giver_id, receiver_id, amount_cents, net_amount_cents, created_at_ms: at } = row;
  const given = await first<Moved>(client, ADD_TO_GIVEN, [amount_cents, giver_id]);
  const received = await first<Moved>(client, ADD_TO_RECEIVED, [net_amount_cents, receiver_id]);
  if (!given || !received) throw new Error('an account has gone');
  const inserted = await first<{ sequence: number }>(client, INSERT_TRANSACTION, [
    row.id,
    giver_id,
    receiver_id,
    row.qr_code_id,
    row.service_category,
    amount_cents,
    row.giver_fee_cents,
    row.receiver_fee_cents,
    net_amount_cents,
    key,
    at,
    given.position,
    received.position,
  ]);
  const entries = [giver_id, given.position, inserted?.sequence, amount_cents, given.balance, at];
  const ofReceiver = [receiver_id, received.position, net_amount_cents, received.balance];
  await client.query({ ...INSERT_ENTRIES, values: [...entries, ...ofReceiver] });
  const startMs = at - (at % 900_000);
  await client.query({
    ...ADD_TO_BUCKET,
    values: [receiver_id, startMs, row.service_category, net_amount_cents, row.amount_cents],
  });
}

await serveFloor(Number(port), {
  findCode: (id) => first<CodeRow>(pool, FIND_CODE, [id]),
  findSession: (tokenHash, nowMs) => first<SessionRow>(pool, FIND_SESSION, [tokenHash, nowMs]),
  extendSession: (tokenHash, expiresAtMs) => first(pool, EXTEND_SESSION, [expiresAtMs, tokenHash]),
  recordTip,
  close: () => pool.end(),
});
