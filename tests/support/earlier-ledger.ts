/**
 * Ledgers as the last released version kept them, before entries: long ones, written set by set, because
 * recording each tip would take its time.
 */

import { readMigrations } from '#server/storage/care/migrations.ts';
import type { Database } from '#server/storage/sqlite/connection.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';

export const EARLIER_VERSION = 4;
const EARLIER_MIGRATIONS = readMigrations('sqlite').slice(0, EARLIER_VERSION);

/** The columns of a tip that a receipt shows, `status` apart: that word was a column of its own. */
export const RECEIPT_COLUMNS = `sequence, id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents,
  receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, idempotency_key, created_at_ms`;

const PEOPLE = 60;
const PROVIDERS = 20;
const BEGIN_MS = Date.UTC(2025, 10, 3, 6);

/**
 * Makes the tables of the earlier version in an empty database, with 60 people, of whom 20 offer three
 * services each, and tips between them. Fifty tips at a time come within a minute, and an hour later the next
 * fifty, at amounts and rates of several kinds, every third with an idempotency key. The clock is a little
 * behind now and then.
 */
export function makeEarlierLedger(database: Database, tipCount: number): void {
  migrate(database, EARLIER_MIGRATIONS);
  database.transaction(() => {
    database.exec(`
      WITH RECURSIVE person (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM person WHERE n + 1 < ${PEOPLE})
      INSERT INTO accounts (id, email, email_key, username, full_name, phone, is_service_provider, password_hash,
        total_tips_received_cents, total_tips_given_cents, created_at_ms)
      SELECT 'usr_' || printf('%04d', n * 37 % ${PEOPLE}), 'P' || n || '@b.c', 'p' || n || '@b.c', 'p' || n, 'Person ' || n, NULL,
        n < ${PROVIDERS}, 'none', 0, 0, ${BEGIN_MS} FROM person;
      INSERT INTO provider_categories
      SELECT accounts.id, value FROM accounts, json_each('["bartender","dj","server"]') WHERE is_service_provider;
      INSERT INTO qr_codes
      SELECT printf('%010d', row_number() OVER (ORDER BY user_id, category)), user_id, category, ${BEGIN_MS} FROM provider_categories;
      CREATE TEMP TABLE people AS SELECT row_number() OVER (ORDER BY id) - 1 AS place, id FROM accounts;
      CREATE TEMP TABLE codes AS SELECT row_number() OVER (ORDER BY id) - 1 AS place, id, user_id, category FROM qr_codes;
      CREATE UNIQUE INDEX temp.people_place ON people (place, id);
      CREATE UNIQUE INDEX temp.codes_place ON codes (place, id, user_id, category);
      WITH RECURSIVE tip (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM tip WHERE n < ${tipCount}),
      chosen AS (
        SELECT n, n * 2654435761 % 4294967296 AS chance, c.id AS qr_code_id, c.user_id AS receiver_id, c.category,
          1000 + CASE n % 4 WHEN 0 THEN 0 ELSE n * 7919 % 99001 END AS amount, CASE n % 7 WHEN 0 THEN 0 ELSE 500 END AS giver_rate,
          CASE n % 11 WHEN 0 THEN 0 ELSE 300 END AS receiver_rate
        FROM tip CROSS JOIN codes c ON c.place = (n * n + n / 13) % ${3 * PROVIDERS}
      ),
      given AS (
        SELECT chosen.*, p.id AS giver_id, (amount * giver_rate + 5000) / 10000 AS giver_fee,
          (amount * receiver_rate + 5000) / 10000 AS receiver_fee
        FROM chosen CROSS JOIN people p
          ON p.place = (n * 31 + n / 17) % ${PEOPLE}
      )
      INSERT INTO transactions (id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents,
        receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, status, idempotency_key, created_at_ms)
      SELECT 'txn_' || printf('%08x%018d', chance, n), giver, receiver_id, qr_code_id, category, amount, giver_fee, receiver_fee,
        amount - receiver_fee, giver_rate, receiver_rate, 'completed', CASE n % 3 WHEN 0 THEN 'key ' || chance END,
        ${BEGIN_MS} + n / 50 * 3600000 + n % 50 * 1100 - n % 5 * 2000
      FROM (
        SELECT *, CASE WHEN giver_id <> receiver_id THEN giver_id
          ELSE (SELECT min(id) FROM people WHERE people.id <> receiver_id) END AS giver FROM given
      ) ORDER BY n;
      CREATE TEMP TABLE sums AS
      SELECT account_id, sum(received) AS received, sum(given) AS given FROM (
        SELECT receiver_id AS account_id, net_amount_cents AS received, 0 AS given FROM transactions
        UNION ALL SELECT giver_id, 0, amount_cents FROM transactions
      ) GROUP BY account_id;
      UPDATE accounts SET total_tips_received_cents = received, total_tips_given_cents = given
      FROM sums WHERE account_id = accounts.id;
      DROP TABLE temp.people; DROP TABLE temp.codes; DROP TABLE temp.sums;
    `);
  })();
}
