/**
 * The ledger's invariants, each one query that finds rows which break it. Runs at start-up, after tests, on backups
 * and as `npm run db:check`.
 */
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { TRANSACTION_STATUSES } from '#shared/tips.ts';
import { COLUMNS_OF_PAST, tipText } from '../past.ts';
import type { Database } from './connection.ts';

const quoted = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Rounds half up to a cent, as feesFor() does, in SQLite's integer arithmetic. */
const share = (rate: string) => `(amount_cents * ${rate} + 5000) / 10000`;

/** Each invariant as a sentence, with a query for the ids of the rows that break it. */
const INVARIANTS: readonly (readonly [sentence: string, offenders: string])[] = [
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
    `SELECT id FROM transactions WHERE min(amount_cents, giver_fee_cents, receiver_fee_cents, net_amount_cents,
       giver_fee_rate, receiver_fee_rate) < 0
     UNION ALL SELECT id FROM accounts WHERE min(total_tips_received_cents, total_tips_given_cents) < 0`,
  ],
  [
    'a tip has a known giver, receiver and QR code, and goes to the owner of the code, for the service of the code',
    `SELECT t.id FROM transactions t LEFT JOIN accounts g ON g.id = t.giver_id LEFT JOIN qr_codes q ON q.id = t.qr_code_id
       LEFT JOIN accounts r ON r.id = t.receiver_id
     WHERE g.id IS NULL OR r.id IS NULL OR q.user_id IS NOT t.receiver_id OR q.category IS NOT t.service_category`,
  ],
  ['nobody tips themselves', 'SELECT id FROM transactions WHERE giver_id = receiver_id'],
  [
    'status and category are known',
    `SELECT id FROM transactions WHERE status NOT IN (${quoted(TRANSACTION_STATUSES)})
       OR service_category NOT IN (${quoted(SERVICE_CATEGORIES)})`,
  ],
  [
    'an idempotency key left one tip of its giver',
    `SELECT min(id) FROM transactions WHERE idempotency_key IS NOT NULL GROUP BY giver_id, idempotency_key HAVING count(*) > 1`,
  ],
  [
    'the sequence of the ledger has no gap, and ends with the last one given out',
    `SELECT 'sequence ' || given FROM (
       SELECT coalesce(max(seq), 0) AS given FROM sqlite_sequence WHERE name = 'transactions'
     ) WHERE given <> (SELECT count(*) FROM transactions)
       OR given <> (SELECT coalesce(max(sequence), 0) FROM transactions)
     UNION ALL SELECT 'sequence of ' || quote(name) FROM sqlite_sequence
       GROUP BY name HAVING name IS NOT 'transactions' OR count(*) > 1 OR typeof(max(seq)) <> 'integer'`,
  ],
  [
    'the total received is the sum of the net amounts',
    `SELECT a.id FROM accounts a LEFT JOIN (SELECT receiver_id, sum(net_amount_cents) AS total FROM transactions GROUP BY receiver_id) t
       ON t.receiver_id = a.id WHERE a.total_tips_received_cents <> coalesce(t.total, 0)`,
  ],
  [
    'the total given is the sum of the amounts',
    `SELECT a.id FROM accounts a LEFT JOIN (SELECT giver_id, sum(amount_cents) AS total FROM transactions GROUP BY giver_id) t
       ON t.giver_id = a.id WHERE a.total_tips_given_cents <> coalesce(t.total, 0)`,
  ],
];

export interface LedgerViolation {
  readonly invariant: string;
  /** Ids of the rows that break it, at most ten. */
  readonly offenders: readonly string[];
}

/**
 * Checks every invariant of the ledger in one consistent view.
 * @returns what is violated; empty when all is well.
 */
export function checkLedger(database: Database): LedgerViolation[] {
  return database.transaction(() => {
    const violations = INVARIANTS.map(([invariant, query]) => ({
      invariant,
      offenders: database.prepare<[], string>(`SELECT * FROM (${query}) LIMIT 10`).pluck().all(),
    }));
    const orphans = database
      .prepare<[], string>(
        `SELECT "table" || ' row ' || coalesce(rowid, '?') FROM pragma_foreign_key_check LIMIT 10`,
      )
      .pluck()
      .all();
    return [...violations, { invariant: 'every reference leads somewhere', offenders: orphans }].filter(
      ({ offenders }) => offenders.length > 0,
    );
  })();
}

/** The tips of a ledger one by one, from the first, as the past is made of them. */
export function* tipsOfPast(database: Database): Generator<string, void> {
  const tips = database.prepare<[], readonly unknown[]>(
    `SELECT ${COLUMNS_OF_PAST} FROM transactions ORDER BY sequence`,
  );
  for (const values of tips.raw().iterate()) yield tipText(values);
}

/**
 * SQLite's own check of the file, page by page.
 * @param depth `quick` leaves out comparing indexes with their tables.
 * @returns what is damaged; empty when all is well.
 */
export function checkIntegrity(database: Database, depth: 'quick' | 'full'): string[] {
  const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check';
  return database
    .prepare<[], string>(`PRAGMA ${pragma}`)
    .pluck()
    .all()
    .filter((line) => line !== 'ok');
}
