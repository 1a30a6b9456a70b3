/**
 * `npm run db:check` on PostgreSQL finds every way in which the books could be wrong, and names it. Each
 * invariant is broken here by hand, past all guards of the tables.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findDiffering, parsePast } from '#server/storage/checks/past.ts';
import { databaseAt } from '#server/storage/open.ts';
import { connect } from '#server/storage/postgres/connection.ts';
import { beginSettled, inspectLedger, UNHURRIED } from '#server/storage/postgres/ledger-check.ts';
import { moveBooks, writeBooks } from '#tests/support/books.ts';
import { CAM, PAT, SAM } from '#tests/support/forgery.ts';
import { rule, statedRules } from '#tests/support/ledger-rules.ts';
import { writingToViews } from '#tests/support/ledger-views.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople } from '#tests/support/people.ts';
import { createMigratedDatabase, createPostgresDatabase } from '#tests/support/postgres.ts';
import { stopEverything } from '#tests/support/running-server.ts';

afterAll(stopEverything);

const second = (changes: string) => `UPDATE transactions SET ${changes} WHERE sequence = 2`;

/** What is done to the books of `writeBooks`, and an invariant that is violated then. */
const FALSIFICATIONS: readonly (readonly [what: string, statement: string, violated: string])[] = [
  ['a net amount that is too high', second('net_amount_cents = 1950'), rule.net],
  ['a giver fee that is a cent too low', second('giver_fee_cents = 99'), rule.fees],
  ['a rate that is not the one charged', second('receiver_fee_rate = 200'), rule.fees],
  ['a tip under terms that never were', second('terms_version = 9'), rule.rates],
  ['a negative fee', second('giver_fee_rate = -500, giver_fee_cents = -99'), rule.signs],
  ['a negative total', `UPDATE accounts SET total_tips_given_cents = -1 WHERE id = ${SAM}`, rule.signs],
  ['a giver whom nobody knows', second(`giver_id = 'usr_gone'`), rule.parties],
  ['a code that nobody knows', second(`qr_code_id = 'GONEGONE00'`), rule.parties],
  ['a receiver who does not own the code', second(`receiver_id = ${SAM}`), rule.parties],
  ['a tip for a service that the code is not for', second(`service_category = 'barber'`), rule.parties],
  ['a tip to oneself', second('giver_id = receiver_id'), rule.others],
  ['an unknown service', second(`service_category = 'magician'`), rule.category],
  [
    'two tips of one idempotency key',
    `UPDATE transactions SET idempotency_key = 'of an earlier version' WHERE sequence <= 2`,
    rule.key,
  ],
  ['a tip that is missing', 'DELETE FROM transactions WHERE sequence = 4', rule.stands],
  ['an entry that is missing', `DELETE FROM entries WHERE position = 2 AND account_id = ${CAM}`, rule.left],
  [
    'an entry of another amount',
    `UPDATE entries SET cents = 1 WHERE position = 2 AND account_id = ${CAM}`,
    rule.left,
  ],
  ['a reversal without its entry', `DELETE FROM entries WHERE kind = 'given_reversed'`, rule.tookBack],
  ['a reversal of an unknown tip', 'UPDATE reversals SET transaction_sequence = 99', rule.tookBack],
  [
    'a second reversal',
    `INSERT INTO reversals OVERRIDING SYSTEM VALUE SELECT 99, transaction_sequence, created_at_ms, giver_position, receiver_position FROM reversals WHERE sequence = 1`,
    rule.once,
  ],
  [
    'an entry that no tip left',
    `INSERT INTO entries (account_id, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms)
     SELECT account_id, 6, kind, transaction_sequence, cents, balance_after_cents + cents, created_at_ms
     FROM entries WHERE position = 5 AND account_id = ${CAM}`,
    rule.stands,
  ],
  [
    'a gap in the entries',
    `UPDATE entries SET position = 9 WHERE position = 5 AND account_id = ${CAM}`,
    rule.chain,
  ],
  [
    'a last position that is too high',
    `UPDATE accounts SET last_position = 99 WHERE id = ${PAT}`,
    rule.chain,
  ],
  [
    'a wrong balance',
    `UPDATE entries SET balance_after_cents = 1 WHERE position = 2 AND account_id = ${PAT}`,
    rule.balance,
  ],
  [
    'a total received that is a cent too high',
    'UPDATE accounts SET total_tips_received_cents = total_tips_received_cents + 1',
    rule.received,
  ],
  [
    'a total given by somebody without tips',
    `UPDATE accounts SET total_tips_given_cents = 1 WHERE id = ${SAM}`,
    rule.given,
  ],
  ['a bucket with a tip too many', 'UPDATE tip_buckets SET count = count + 1', rule.bucket],
  [
    'a largest tip that nobody gave',
    'UPDATE tip_buckets SET detailed_count = count, largest_cents = 1',
    rule.details,
  ],
  [
    'a negative bucket',
    `INSERT INTO tip_buckets (account_id, start_ms, service_category, count, cents) VALUES (${SAM}, 0, 'barber', -1, 0)`,
    rule.sums,
  ],
  [
    'a negative balance',
    `UPDATE entries SET balance_after_cents = -1 WHERE position = 1 AND account_id = ${CAM}`,
    rule.sums,
  ],
  ['a bucket that is missing', 'DELETE FROM tip_buckets', rule.bucket],
  [
    'a bucket of nothing',
    `INSERT INTO tip_buckets (account_id, start_ms, service_category, count, cents) VALUES (${SAM}, 0, 'barber', 1, 1)`,
    rule.bucket,
  ],
  [
    'an empty bucket of an account that nobody knows',
    `INSERT INTO tip_buckets (account_id, start_ms, service_category, count, cents) VALUES ('usr_gone', 0, 'barber', 0, 0)`,
    rule.owner,
  ],
  ['a check of what is not there', 'UPDATE checked_accounts SET position = 99', rule.remembered],
  [
    'a payment of another sum',
    `UPDATE payments SET amount_cents = amount_cents + 1 WHERE state = 'succeeded'`,
    rule.paid,
  ],
  ['a payment of nobody', `UPDATE payments SET giver_id = NULL WHERE state = 'refunded'`, rule.paid],
  ['a guest whose payment was that of somebody', `UPDATE payments SET giver_id = ${SAM}`, rule.paid],
  ['a paid tip that is said to be simulated', second(`payment_mode = 'simulated'`), rule.paid],
  ['a tip without its payment', `DELETE FROM payments WHERE state = 'succeeded'`, rule.payment],
  ['a tip whose payment is pending', `UPDATE payments SET state = 'pending'`, rule.payment],
  ['a tip that is said to be paid', `UPDATE transactions SET payment_mode = 'test'`, rule.payment],
  ['a refund without its reversal', `UPDATE payments SET state = 'refunded'`, rule.refunded],
  [
    'a reversal without its refund',
    `UPDATE payments SET state = 'succeeded' WHERE state = 'refunded'`,
    rule.refunded,
  ],
  [
    'a giver for whom a guest has left no entry',
    `UPDATE transactions SET giver_id = ${SAM}, giver_position = 1 WHERE giver_id IS NULL`,
    rule.left,
  ],
  ['a reversal of a guest who has an entry', 'UPDATE reversals SET giver_position = 1', rule.tookBack],
  ['a capture without its entry', `DELETE FROM entries WHERE kind = 'given_captured'`, rule.adjusted],
  [
    'an adjustment of another sum',
    `UPDATE adjustments SET amount_cents = 1 WHERE kind = 'refund'`,
    rule.adjusted,
  ],
  [
    'an adjustment of a tip that was not paid',
    'UPDATE adjustments SET transaction_sequence = 1',
    rule.adjusted,
  ],
  ['an adjustment that loses a cent', 'UPDATE adjustments SET receiver_fee_cents = 1', rule.closed],
  [
    'a capture that moves cents',
    `UPDATE adjustments SET giver_fee_cents = 1 WHERE kind = 'capture'`,
    rule.closed,
  ],
  [
    'a capture of another charge',
    `UPDATE adjustments SET source = 'pi_2' WHERE kind = 'capture'`,
    rule.adjusted,
  ],
  [
    'a dispute that was won and never was',
    `UPDATE adjustments SET source = 'dp_2' WHERE kind = 'dispute_won'`,
    rule.ends,
  ],
  [
    'a fee that went back in part',
    `UPDATE adjustments SET giver_fee_cents = giver_fee_cents + 1 WHERE kind = 'dispute'`,
    rule.feesBack,
  ],
  [
    'a fee beyond what the engine can count',
    `UPDATE adjustments SET giver_fee_cents = 9000000000000000000 WHERE kind = 'dispute'`,
    rule.feesBack,
  ],
  ['a refund under another key', `UPDATE reversals SET idempotency_key = 'other'`, rule.asked],
  [
    'a key of a guest',
    `UPDATE transactions SET idempotency_key = 'key' WHERE giver_id IS NULL AND payment_mode = 'simulated'`,
    rule.key,
  ],
  ['adjustments with one number', 'UPDATE adjustments SET number = 1', rule.changes],
  [
    'a refund that is entered twice',
    `UPDATE adjustments SET kind = 'refund', source = 're_1' WHERE kind = 'dispute'`,
    rule.changes,
  ],
  [
    'adjustments that leave less than nothing',
    `UPDATE adjustments SET amount_cents = -9999, receiver_fee_cents = -9999 - net_amount_cents WHERE kind = 'refund'`,
    rule.rest,
  ],
  ['a payment of an unknown code', `UPDATE payments SET qr_code_id = 'GONEGONE00'`, rule.references],
  ['a payout account of nobody', `UPDATE payout_accounts SET user_id = 'gone ' || user_id`, rule.references],
  [
    'a session of nobody',
    `INSERT INTO sessions VALUES (decode(repeat('00', 32), 'hex'), 'usr_gone', 0, 0, '', 0)`,
    rule.references,
  ],
  [
    'a code for a service that is not offered',
    `UPDATE provider_categories SET category = 'valet' WHERE category = 'bartender'`,
    rule.references,
  ],
];

/** Takes away whatever keeps the tables from being falsified, for the transaction of a session. */
async function letFalsify(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    // Neither the triggers of the ledger nor those of foreign keys; those of views are left.
    `SELECT format('ALTER TABLE %s DISABLE TRIGGER ALL', oid::regclass) AS statement
     FROM pg_class WHERE relkind = 'r' AND relnamespace = 'tipwell'::regnamespace
     UNION ALL SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS statement
     FROM pg_constraint WHERE contype = 'c' AND connamespace = 'tipwell'::regnamespace`,
  );
  for (const { statement } of rows) await client.query(statement);
  await client.query(
    'DROP INDEX tips_idempotency, reversals_transaction, adjustments_source, adjustments_number',
  );
}

describe('the check of the ledger', () => {
  let url = '';
  let books: Awaited<ReturnType<typeof writeBooks>>;
  let remove = async () => {};

  beforeAll(async () => {
    books = await writeBooks();
    url = await createPostgresDatabase((removing) => {
      remove = removing;
    });
    await moveBooks(books.path, url);
  });
  afterAll(() => remove());

  test('finds nothing in good books, and tells the past of the file that they came from', async () => {
    const { past } = await databaseAt({ engine: 'sqlite', path: books.path }).check([]);
    expect(await databaseAt({ engine: 'postgres', url }).check([])).toEqual({
      problems: [],
      differences: [],
      auditProblems: [],
      tipCount: books.tipCount,
      past,
    });
  });

  test('compares the past with any number of notes in one reading', async () => {
    const { past } = await databaseAt({ engine: 'postgres', url }).check([]);
    const none = { count: 0, digest: 'e3b0c44298fc1c149afbf4c8996fb924' };
    const notes = [none, { count: 2, digest: 'b'.repeat(32) }, { count: 999, digest: 'c'.repeat(32) }];
    const whole = parsePast(past);
    const found = await databaseAt({ engine: 'postgres', url }).check(whole ? [...notes, whole] : notes);
    expect(found).toMatchObject({ problems: [], past });
    expect(findDiffering(found.differences.join('\n'))).toEqual([
      `2:${'b'.repeat(32)}`,
      `999:${'c'.repeat(32)}`,
    ]);
  });

  test(`finds each of ${FALSIFICATIONS.length} falsifications, and nothing while only the guards are away`, async () => {
    const client = await connect(url, UNHURRIED);
    onTestFinished(() => client.end());
    await client.query('BEGIN');
    await letFalsify(client);
    expect((await inspectLedger(client, [])).problems).toEqual([]);
    await writingToViews(client, async () => {
      for (const [what, statement, violated] of FALSIFICATIONS) {
        await client.query('SAVEPOINT good_books');
        try {
          await client.query(statement);
          const { problems } = await inspectLedger(client, []);
          const found = problems.filter((problem) => problem.startsWith(`Violated: ${violated} (`));
          expect(found, what).toHaveLength(1);
        } finally {
          await client.query('ROLLBACK TO good_books');
        }
      }
    });
  });

  test('has a falsification for every invariant', () => {
    const violated = FALSIFICATIONS.map(([, , sentence]) => sentence);
    expect(statedRules.filter((sentence) => !violated.includes(sentence))).toEqual([]);
  });
});

describe('a settled moment, while VACUUM holds a lock on the tips', () => {
  async function open() {
    const url = await createMigratedDatabase();
    const database = databaseAt({ engine: 'postgres', url });
    const storage = await database.openForServer(OPENING);
    onTestFinished(() => storage.close());
    const connectHere = async () => {
      const client = await connect(url, UNHURRIED);
      onTestFinished(() => client.end());
      return client;
    };
    const vacuuming = await connectHere();
    await vacuuming.query('BEGIN; LOCK TABLE tipwell.tips IN SHARE UPDATE EXCLUSIVE MODE');
    return { database, storage, connectHere, scene: await createPeople(storage).setTheScene() };
  }

  test('is found between tips, of which none is refused', async () => {
    const { database, storage, scene } = await open();
    let isTipping = true;
    const tipping = Promise.all(
      Array.from({ length: 4 }, async () => {
        let count = 0;
        for (; isTipping; count += 1) expect((await storage.recordTip(scene.tip())).outcome).toBe('recorded');
        return count;
      }),
    );
    expect((await storage.checkRecent()).problems).toEqual([]);
    const { problems, tipCount } = await database.check([]);
    isTipping = false;
    expect(problems).toEqual([]);
    const counts = await tipping;
    expect(tipCount).toBeLessThanOrEqual(counts.reduce((sum, count) => sum + count, 0));
  });

  test('has no tip before those that took an earlier sequence', async () => {
    const { storage, connectHere, scene } = await open();
    const [slow, client] = [await connectHere(), await connectHere()];
    // What a tip does before it is written.
    await slow.query(`BEGIN; LOCK TABLE tipwell.tips IN ROW EXCLUSIVE MODE;
      SELECT nextval(pg_get_serial_sequence('tipwell.tips', 'sequence'))`);
    await storage.recordTip(scene.tip());
    let hasEnded = false;
    const settled = beginSettled(client).then(() => hasEnded);
    await sleep(700);
    hasEnded = true;
    await slow.query('COMMIT');
    expect(await settled).toBe(true);
    const { rows } = await client.query('SELECT count(*)::integer AS count FROM tipwell.tips');
    expect(rows).toEqual([{ count: 1 }]);
  });
});
