/** Checks whole ledgers: in tests, on backups, for `npm run db:check`. A start checks only new rows. */
import { ALL_AUDIT_ROWS, problemsOfAudit } from '../care/audit.ts';
import { type LedgerViolation, offendersOf, referencesLead, violationsOf } from '../checks/findings.ts';
import { invariantsWith, TIP_INVARIANTS } from '../checks/invariants.ts';
import type { Invariant } from '../checks/ledger-columns.ts';
import { columnsOfPast, tipText } from '../checks/past.ts';
import type { AuditRow } from '../port/audit.ts';
import type { Database } from './connection.ts';

/** The row of `sqlite_sequence` that says how many numbers of a table were never used. */
const unusedOf = (table: string) => `unused ${table}`;

/**
 * SQLite uses every number that it gives out. PostgreSQL leaves out those of undone steps, so that a ledger which was
 * moved from there has gaps, whose sum is noted (`noteUnusedNumbers`).
 */
const sequenceOf = (table: string, what = table): Invariant => [
  `the sequence of ${what} has no gap, and ends with the last one given out`,
  `SELECT 'sequence ' || given FROM (
     SELECT coalesce(max(seq) FILTER (WHERE name = '${table}'), 0) AS given,
       coalesce(max(seq) FILTER (WHERE name = '${unusedOf(table)}'), 0) AS unused FROM sqlite_sequence
   ) WHERE given <> unused + (SELECT count(*) FROM ${table})
     OR given <> (SELECT coalesce(max(sequence), 0) FROM ${table})`,
];

const CHANGES = ['reversals', 'adjustments'] as const;

/** For a ledger that was written with the numbers of another, before anything is added to it. */
export function noteUnusedNumbers(database: Database): void {
  for (const table of ['tips', ...CHANGES])
    database
      .prepare<[string]>(
        `INSERT INTO sqlite_sequence (name, seq)
         SELECT ?, max(sequence) - count(*) FROM "${table}" HAVING max(sequence) > count(*)`,
      )
      .run(unusedOf(table));
}

/** @param tips the table of tips, which earlier versions called otherwise; nothing was moved to these. */
function nothingElseIsNumbered(tips: 'tips' | 'transactions'): Invariant {
  const numbered = [tips, ...CHANGES];
  const names = tips === 'tips' ? [...numbered, ...numbered.map(unusedOf)] : numbered;
  return [
    'nothing else is numbered',
    `SELECT 'sequence of ' || quote(name) FROM sqlite_sequence GROUP BY name
       HAVING name NOT IN (${names.map((name) => `'${name}'`).join(', ')})
         OR count(*) > 1 OR typeof(max(seq)) <> 'integer'`,
  ];
}

const REFERENCES_LEAD = referencesLead(
  `SELECT "table" || ' row ' || coalesce(rowid, '?') FROM pragma_foreign_key_check`,
);

const ownInvariants = (tips: 'tips' | 'transactions'): readonly Invariant[] => [
  sequenceOf(tips, 'transactions'),
  sequenceOf('reversals'),
  nothingElseIsNumbered(tips),
  REFERENCES_LEAD,
];

const totalOf = (total: 'received' | 'given', person: 'receiver' | 'giver', cents: string) =>
  `SELECT a.id FROM accounts a LEFT JOIN (
     SELECT ${person}_id, sum(${cents}) AS total FROM transactions GROUP BY ${person}_id
   ) t ON t.${person}_id = a.id WHERE a.total_tips_${total}_cents <> coalesce(t.total, 0)`;

/** Invariants of files from before entries, such as old backups. */
const EARLIER_INVARIANTS: readonly Invariant[] = [
  ...TIP_INVARIANTS,
  ['the total received is the sum of the net amounts', totalOf('received', 'receiver', 'net_amount_cents')],
  ['the total given is the sum of the amounts', totalOf('given', 'giver', 'amount_cents')],
  sequenceOf('transactions'),
  nothingElseIsNumbered('transactions'),
  REFERENCES_LEAD,
];

export function checkLedger(database: Database): LedgerViolation[] {
  const name = (invariant: Invariant) => database.prepare<[], string>(offendersOf(invariant)).pluck().all();
  return database.transaction(() =>
    invariantsOf(database).flatMap((invariant) => violationsOf(invariant, name(invariant))),
  )();
}

/** @returns problems of the audit log as sentences. Files of earlier versions have no log. */
export function checkAuditLog(database: Database): string[] {
  if (columnsOf(database, 'audit_log').length === 0) return [];
  return problemsOfAudit(database.prepare<[], AuditRow>(ALL_AUDIT_ROWS).iterate());
}

function invariantsOf(database: Database): readonly Invariant[] {
  if (columnsOf(database, 'entries').length === 0) return EARLIER_INVARIANTS;
  const details = columnsOf(database, 'tip_buckets').includes('detailed_count');
  const payments = columnsOf(database, 'payments').length > 0;
  const terms = columnsOf(database, 'terms').length > 0;
  const adjustments = columnsOf(database, 'adjustments').length > 0;
  const numbers = columnsOf(database, 'tips').length > 0;
  const invariants = invariantsWith({ details, payments, terms, adjustments, numbers });
  const own = ownInvariants(numbers ? 'tips' : 'transactions');
  return [...invariants, ...own, ...(adjustments ? [sequenceOf('adjustments')] : [])];
}

function columnsOf(database: Database, table: string): readonly string[] {
  return database.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
}

export function* tipsOfPast(database: Database): Generator<string, void> {
  const present = columnsOf(database, 'transactions');
  const columns = columnsOfPast({
    payments: present.includes('payment_mode'),
    terms: present.includes('terms_version'),
  });
  const tips = database.prepare<[], readonly unknown[]>(
    `SELECT ${columns} FROM transactions ORDER BY sequence`,
  );
  for (const values of tips.raw().iterate()) yield tipText(values);
}

/** @param depth `quick` does not compare indexes with tables. @returns damage; empty when there is none. */
export function checkIntegrity(database: Database, depth: 'quick' | 'full'): string[] {
  const pragma = depth === 'quick' ? 'quick_check' : 'integrity_check';
  return database
    .prepare<[], string>(`PRAGMA ${pragma}`)
    .pluck()
    .all()
    .filter((line) => line !== 'ok');
}
