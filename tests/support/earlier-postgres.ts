/**
 * PostgreSQL databases and tips as the version before records of refunds and details of takings wrote them.
 */
import type { Client } from 'pg';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { migrate } from '#server/storage/postgres/migrations.ts';
import { connectUnhurried } from './postgres-server.ts';

const EARLIER_VERSION = 3;

/** Statements of that version, which names no column that came later. */
const RECORD = `
  WITH moved AS (
    UPDATE tipwell.accounts SET last_position = last_position + 1,
      total_tips_received_cents = total_tips_received_cents + CASE username WHEN 'pat' THEN $2::bigint - $4 ELSE 0 END,
      total_tips_given_cents = total_tips_given_cents + CASE username WHEN 'cam' THEN $2::bigint ELSE 0 END
    WHERE username IN ('pat', 'cam')
    RETURNING id, username, last_position, total_tips_received_cents AS received, total_tips_given_cents AS given
  ), inserted AS (
    INSERT INTO tipwell.transactions (
      id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents, receiver_fee_cents,
      net_amount_cents, giver_fee_rate, receiver_fee_rate, idempotency_key, created_at_ms, giver_position, receiver_position
    )
    SELECT $1, g.id, r.id, q.id, q.category, $2, $3, $4, $2::bigint - $4, 500, 300, $6, $5, g.last_position, r.last_position
    FROM moved g, moved r JOIN tipwell.qr_codes q ON q.user_id = r.id WHERE g.username = 'cam' AND r.username = 'pat'
    RETURNING sequence, receiver_id, service_category
  ), entered AS (
    INSERT INTO tipwell.entries
    SELECT m.id, m.last_position, 'given', i.sequence, $2, m.given, $5 FROM moved m, inserted i WHERE m.username = 'cam'
    UNION ALL
    SELECT m.id, m.last_position, 'received', i.sequence, $2::bigint - $4, m.received, $5 FROM moved m, inserted i
    WHERE m.username = 'pat'
  )
  INSERT INTO tipwell.tip_buckets AS bucket (account_id, start_ms, service_category, count, cents)
  SELECT receiver_id, $5::bigint - $5::bigint % 900000, service_category, 1, $2::bigint - $4 FROM inserted
  ON CONFLICT (account_id, start_ms, service_category)
  DO UPDATE SET count = bucket.count + excluded.count, cents = bucket.cents + excluded.cents`;

interface EarlierTip {
  readonly amountCents: number;
  readonly createdAtMs: number;
  readonly idempotencyKey?: string;
}

/**
 * Records a tip of cam's for the code of pat's, as a server of that version does, and stores its key. @param
 * amountCents a multiple of 100.
 */
export async function recordAsBefore(
  client: Client,
  { amountCents, createdAtMs, idempotencyKey }: EarlierTip,
): Promise<void> {
  const { rows } = await client.query('SELECT count(*)::integer AS tips FROM tipwell.transactions');
  const id = `txn_${String(rows[0].tips).padStart(26, '0')}`;
  const fees = [(amountCents * 5) / 100, (amountCents * 3) / 100];
  await client.query(RECORD, [id, amountCents, ...fees, createdAtMs, idempotencyKey ?? null]);
}

/**
 * Makes the tables of that version in an empty database, with a provider pat, a customer cam, and tips of the
 * given amounts.
 */
export async function makeEarlierDatabase(url: string, tips: readonly EarlierTip[]): Promise<void> {
  const client = await connectUnhurried(url);
  try {
    await migrate(client, readMigrations('postgres').slice(0, EARLIER_VERSION));
    await client.query(`
      INSERT INTO tipwell.accounts
      SELECT 'usr_' || name, name || '@b.c', name || '@b.c', name, name, NULL, name = 'pat', 'none', 0, 0, 0
      FROM unnest(ARRAY['pat', 'cam']) AS name;
      INSERT INTO tipwell.provider_categories VALUES ('usr_pat', 'dj');
      INSERT INTO tipwell.qr_codes (id, user_id, category, created_at_ms) VALUES ('7K3MX9Q2AB', 'usr_pat', 'dj', 0)`);
    for (const tip of tips) await recordAsBefore(client, tip);
  } finally {
    await client.end();
  }
}
