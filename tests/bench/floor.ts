/**
 * The floor on SQLite: better-sqlite3 by hand on the same tables, with the same durability, and one commit
 * for each tip.
 */
import Database from 'better-sqlite3';
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

const [path = '', port = ''] = process.argv.slice(2);

const database = new Database(path);
for (const pragma of [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'recursive_triggers = ON',
  'trusted_schema = OFF',
  'cache_size = -32000',
  'temp_store = MEMORY',
]) {
  database.pragma(pragma);
}

const findCode = database.prepare<[string], CodeRow>(
  `SELECT qr_codes.id, user_id, category, username, full_name, status, display_name, greeting, photo_name, takes_words
   FROM qr_codes JOIN accounts ON accounts.id = user_id WHERE qr_codes.id = ?`,
);
const findSession = database.prepare<[Buffer, number], SessionRow>(
  'SELECT user_id, expires_at_ms FROM sessions WHERE token_hash = ? AND expires_at_ms > ?',
);
const extendSession = database.prepare('UPDATE sessions SET expires_at_ms = ? WHERE token_hash = ?');
const findByKey = database.prepare<[string, string], TransactionRow>(
  `SELECT *, 'completed' AS status FROM transactions WHERE giver_id = ? AND idempotency_key = ? AND idempotency_key IS NOT NULL`,
);
const insertTransaction = database.prepare(
  `INSERT INTO transactions (id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents,
     receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, idempotency_key, created_at_ms,
     giver_position, receiver_position)
   VALUES (@id, @giver_id, @receiver_id, @qr_code_id, @service_category, @amount_cents, @giver_fee_cents,
     @receiver_fee_cents, @net_amount_cents, ${SPECIFIED_TERMS.giverFeeRate}, ${SPECIFIED_TERMS.receiverFeeRate}, @key, @created_at_ms,
     @giver_position, @receiver_position)`,
);
interface Moved {
  readonly position: number;
  readonly balance: number;
}
const addToGiven = database.prepare<[number, string], Moved>(
  `UPDATE accounts SET total_tips_given_cents = total_tips_given_cents + ?, last_position = last_position + 1
   WHERE id = ? RETURNING last_position AS position, total_tips_given_cents AS balance`,
);
const addToReceived = database.prepare<[number, string], Moved>(
  `UPDATE accounts SET total_tips_received_cents = total_tips_received_cents + ?, last_position = last_position + 1
   WHERE id = ? RETURNING last_position AS position, total_tips_received_cents AS balance`,
);
const insertEntry = database.prepare(
  `INSERT INTO entries (account_id, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms)
   VALUES (?, ?, ?, ?, ?, ?, ?)`,
);
const addToBucket = database.prepare(
  `INSERT INTO tip_buckets (account_id, start_ms, service_category, count, cents, detailed_count, gross_cents, largest_cents)
   VALUES (@account_id, @start_ms, @service_category, 1, @net_cents, 1, @gross_cents, @net_cents)
   ON CONFLICT DO UPDATE SET count = count + 1, cents = cents + excluded.cents, detailed_count = detailed_count + 1,
     gross_cents = gross_cents + excluded.gross_cents, largest_cents = max(largest_cents, excluded.largest_cents)`,
);

const recordTip = database.transaction((tip: WantedTip): TransactionRow => {
  const earlier = tip.key === null ? undefined : findByKey.get(tip.giverId, tip.key);
  if (earlier) return repeatTip(tip, earlier);
  const row = draftTip(tip, tip.codeId === null ? null : findCode.get(tip.codeId));
  const { giver_id, receiver_id, net_amount_cents, amount_cents, created_at_ms: at } = row;
  const given = addToGiven.get(amount_cents, giver_id);
  const received = addToReceived.get(net_amount_cents, receiver_id);
  if (!given || !received) throw new Error('an account has gone');
  const { lastInsertRowid: sequence } = insertTransaction.run({
    ...row,
    key: tip.key,
    giver_position: given.position,
    receiver_position: received.position,
  });
  insertEntry.run(giver_id, given.position, 'given', sequence, amount_cents, given.balance, at);
  insertEntry.run(
    receiver_id,
    received.position,
    'received',
    sequence,
    net_amount_cents,
    received.balance,
    at,
  );
  addToBucket.run({
    account_id: receiver_id,
    start_ms: at - (at % 900_000),
    service_category: row.service_category,
    net_cents: net_amount_cents,
    gross_cents: amount_cents,
  });
  return row;
});

await serveFloor(Number(port), {
  findCode: (id) => findCode.get(id),
  findSession: (tokenHash, nowMs) => findSession.get(tokenHash, nowMs),
  extendSession: (tokenHash, expiresAtMs) => extendSession.run(expiresAtMs, tokenHash),
  recordTip: (tip) => recordTip.immediate(tip),
  close: () => void database.close(),
});
