/**
 * The ledger's invariants, each one query that finds rows which break it. The queries are the SQL that SQLite and PostgreSQL
 * understand alike; tables are named without a schema.
 */
import { SERVICE_CATEGORIES } from '#shared/categories.ts';

/** A sentence, and a query for one text column that names the rows which break it. */
export type Invariant = readonly [sentence: string, offenders: string];

export interface LedgerViolation {
  readonly invariant: string;
  /** Names of the rows that break it, at most `MAX_OFFENDERS`. */
  readonly offenders: readonly string[];
}

const MAX_OFFENDERS = 10;

export const REFERENCES_LEAD_SOMEWHERE = 'every reference leads somewhere';

const QUARTER_HOUR_MS = 900_000;

const services = SERVICE_CATEGORIES.map((category) => `'${category}'`).join(', ');

/** Rounds half up to a cent, as feesFor() does, in the integer arithmetic of SQL. */
const share = (rate: string) => `(amount_cents * ${rate} + 5000) / 10000`;

/** Whether the entry `e` is none of the given row, which its position leads to. */
const isOther = (kind: string, cents: string, row: string) =>
  `e.kind IS DISTINCT FROM '${kind}' OR e.cents IS DISTINCT FROM ${cents}
     OR e.transaction_sequence IS DISTINCT FROM t.sequence OR e.created_at_ms IS DISTINCT FROM ${row}.created_at_ms`;

const missingOfTip = (party: 'giver' | 'receiver', kind: string, cents: string) =>
  `SELECT t.id FROM transactions t
     LEFT JOIN entries e ON e.account_id = t.${party}_id AND e.position = t.${party}_position
   WHERE ${isOther(kind, cents, 't')}`;

const missingOfReversal = (party: 'giver' | 'receiver', kind: string, cents: string) =>
  `SELECT t.id FROM reversals v JOIN transactions t ON t.sequence = v.transaction_sequence
     LEFT JOIN entries e ON e.account_id = t.${party}_id AND e.position = v.${party}_position
   WHERE ${isOther(kind, cents, 'v')}`;

const isReceived = (alias: string) => `${alias}.kind IN ('received', 'received_reversed')`;

/** The accounts whose value is not that of their entries. */
const unlikeEntries = (value: string, ofEntries: string) =>
  `SELECT a.id FROM accounts a
     LEFT JOIN (SELECT e.account_id, ${ofEntries} AS total FROM entries e GROUP BY e.account_id) s ON s.account_id = a.id
   WHERE a.${value} <> coalesce(s.total, 0)`;

export const INVARIANTS: readonly Invariant[] = [
  [
    'net amount and receiver fee make up the amount',
    'SELECT id FROM transactions WHERE net_amount_cents + receiver_fee_cents <> amount_cents',
  ],
  [
    'fees are those of the rates stored with the tip',
    `SELECT id FROM transactions WHERE giver_fee_cents <> ${share('giver_fee_rate')}
       OR receiver_fee_cents <> ${share('receiver_fee_rate')}`,
  ],
  [
    'nothing is negative',
    `SELECT id FROM transactions WHERE amount_cents < 0 OR giver_fee_cents < 0 OR receiver_fee_cents < 0
       OR net_amount_cents < 0 OR giver_fee_rate < 0 OR receiver_fee_rate < 0
     UNION ALL SELECT id FROM accounts WHERE total_tips_received_cents < 0 OR total_tips_given_cents < 0`,
  ],
  [
    'a tip has a known giver, receiver and QR code, and goes to the owner of the code, for the service of the code',
    `SELECT t.id FROM transactions t LEFT JOIN accounts g ON g.id = t.giver_id LEFT JOIN qr_codes q ON q.id = t.qr_code_id
       LEFT JOIN accounts r ON r.id = t.receiver_id
     WHERE g.id IS NULL OR r.id IS NULL OR q.user_id IS DISTINCT FROM t.receiver_id
       OR q.category IS DISTINCT FROM t.service_category`,
  ],
  ['nobody tips themselves', 'SELECT id FROM transactions WHERE giver_id = receiver_id'],
  ['services are known', `SELECT id FROM transactions WHERE service_category NOT IN (${services})`],
  [
    'an idempotency key left one tip of its giver',
    `SELECT min(id) FROM transactions WHERE idempotency_key IS NOT NULL GROUP BY giver_id, idempotency_key HAVING count(*) > 1`,
  ],
  [
    'a tip is reversed at most once',
    `SELECT t.id FROM transactions t
     WHERE (SELECT count(*) FROM reversals v WHERE v.transaction_sequence = t.sequence) > 1`,
  ],
  [
    'each tip has its entry in both accounts',
    `${missingOfTip('giver', 'given', 't.amount_cents')}
     UNION ${missingOfTip('receiver', 'received', 't.net_amount_cents')}`,
  ],
  [
    'each reversal has its entry in both accounts',
    `${missingOfReversal('giver', 'given_reversed', '-t.amount_cents')}
     UNION ${missingOfReversal('receiver', 'received_reversed', '-t.net_amount_cents')}`,
  ],
  [
    'each entry is that of a tip or a reversal',
    `SELECT e.account_id || ' ' || e.position FROM entries e LEFT JOIN transactions t ON t.sequence = e.transaction_sequence
       LEFT JOIN reversals v ON v.transaction_sequence = e.transaction_sequence
     WHERE NOT coalesce(CASE e.kind
       WHEN 'given' THEN e.account_id = t.giver_id AND e.position = t.giver_position
       WHEN 'received' THEN e.account_id = t.receiver_id AND e.position = t.receiver_position
       WHEN 'given_reversed' THEN e.account_id = t.giver_id AND e.position = v.giver_position
       WHEN 'received_reversed' THEN e.account_id = t.receiver_id AND e.position = v.receiver_position
     END, FALSE)`,
  ],
  [
    'the entries of an account have no gap, and end with its last position',
    `SELECT account_id || ' ' || position FROM (
       SELECT account_id, position, row_number() OVER (PARTITION BY account_id ORDER BY position) AS place FROM entries
     ) e WHERE place <> position
     UNION ALL ${unlikeEntries('last_position', 'max(e.position)')}`,
  ],
  [
    'each entry carries the balance of those up to it',
    `SELECT account_id || ' ' || position FROM (
       SELECT e.account_id, e.position, e.balance_after_cents AS balance, ${isReceived('e')} AS is_received,
         sum(CASE WHEN ${isReceived('e')} THEN e.cents ELSE 0 END) OVER chain AS received,
         sum(CASE WHEN ${isReceived('e')} THEN 0 ELSE e.cents END) OVER chain AS given
       FROM entries e WINDOW chain AS (PARTITION BY e.account_id ORDER BY e.position ROWS UNBOUNDED PRECEDING)
     ) b WHERE balance <> CASE WHEN is_received THEN received ELSE given END`,
  ],
  [
    'the total received is the sum of the entries',
    unlikeEntries('total_tips_received_cents', `sum(CASE WHEN ${isReceived('e')} THEN e.cents ELSE 0 END)`),
  ],
  [
    'the total given is the sum of the entries',
    unlikeEntries('total_tips_given_cents', `sum(CASE WHEN ${isReceived('e')} THEN 0 ELSE e.cents END)`),
  ],
  [
    'a quarter of an hour has the sums of the tips that were received in it',
    `SELECT coalesce(b.account_id, s.account_id) || ' ' || coalesce(b.start_ms, s.start_ms)
       || ' ' || coalesce(b.service_category, s.service_category)
     FROM tip_buckets b FULL JOIN (
       SELECT e.account_id, t.created_at_ms - t.created_at_ms % ${QUARTER_HOUR_MS} AS start_ms, t.service_category,
         sum(CASE e.kind WHEN 'received' THEN 1 ELSE -1 END) AS count, sum(e.cents) AS cents
       FROM entries e JOIN transactions t ON t.sequence = e.transaction_sequence WHERE ${isReceived('e')}
       GROUP BY 1, 2, 3
     ) s ON s.account_id = b.account_id AND s.start_ms = b.start_ms AND s.service_category = b.service_category
     WHERE coalesce(b.count, 0) <> coalesce(s.count, 0) OR coalesce(b.cents, 0) <> coalesce(s.cents, 0)`,
  ],
];

/** A query for the first rows that break an invariant. */
export function firstOffenders(offenders: string): string {
  return `SELECT * FROM (${offenders}) AS offenders LIMIT ${MAX_OFFENDERS}`;
}

/** A violation as the operator reads it. */
export function spellViolation({ invariant, offenders }: LedgerViolation): string {
  return `Violated: ${invariant} (${offenders.join(', ')})`;
}
