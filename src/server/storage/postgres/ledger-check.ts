/** Checks the whole ledger as of one moment, while servers write. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { SOFTWARE } from '#shared/software.ts';
import { ALL_AUDIT_ROWS, problemsOfAudit } from '../care/audit.ts';
import type { Migration } from '../care/migrations.ts';
import {
  findingsOf,
  type LedgerViolation,
  offendersOf,
  referencesLead,
  unread,
  violationsOf,
} from '../checks/findings.ts';
import { invariantsWith } from '../checks/invariants.ts';
import { columnsOfPast, createComparedPast, type NotedPast, tipText } from '../checks/past.ts';
import type { AuditRow } from '../port/audit.ts';
import { DatabaseRefused, type Findings } from '../port/database.ts';
import { hasCode, nameOf, type SessionLimits } from './connection.ts';
import { appliedTo } from './migrations.ts';
import { checkSchema } from './schema-check.ts';

/** For reading or writing all data. Locks are held for milliseconds unless a process hangs. */
export const UNHURRIED: SessionLimits = { statementMs: 0, lockMs: 5_000, idleInTransactionMs: 0 };

const ROWS_AT_ONCE = 1_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Locks are held for milliseconds; tips queue behind one that is waited for. */
const SETTLING_LOCK_MS = 250;
const SETTLING_PAUSE_MS = 5;
/** Four seconds, and what the questions take. */
const MAX_SETTLING_PAUSES = 800;

/** Begins a transaction whose snapshot has no tip half-way: later commits have higher sequences than all it sees. */
export async function beginSettled(client: ClientBase): Promise<void> {
  // Asked before the transaction, whose snapshot is that of its first query.
  const hasAdjustments = await hasColumn(client, 'tipwell', 'adjustments', 'sequence');
  const hasNumbers = await hasColumn(client, 'tipwell', 'tips', 'sequence');
  const tables = [
    hasNumbers ? 'tips' : 'transactions',
    'reversals',
    ...(hasAdjustments ? ['adjustments'] : []),
  ].map((table) => `tipwell.${table}`);
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query('SAVEPOINT before_lock');
    await client.query(`SET LOCAL lock_timeout = ${SETTLING_LOCK_MS}`);
    await client.query(`LOCK TABLE ${tables.join(', ')} IN SHARE MODE`);
    // The first query takes the snapshot, which stays when rolling back to the savepoint releases the lock.
    await client.query('SELECT 1');
    await client.query('ROLLBACK TO SAVEPOINT before_lock');
    await client.query('RELEASE SAVEPOINT before_lock');
  } catch (error) {
    if (!hasCode(error, LOCK_NOT_AVAILABLE)) throw error;
    await client.query('ROLLBACK');
    await beginWithoutGap(client, tables, error);
  }
}

/**
 * The same without a lock, because VACUUM, ANALYZE and REINDEX CONCURRENTLY hold one against it for as long as they
 * take: all who wrote up to some sequences have ended, and the snapshot has each sequence after those.
 * @throws the refusal when writers leave no such moment in time.
 */
async function beginWithoutGap(
  client: ClientBase,
  tables: readonly string[],
  refusal: unknown,
): Promise<void> {
  let pauses = 0;
  const pause = () => {
    pauses += 1;
    if (pauses > MAX_SETTLING_PAUSES) throw refusal;
    return sleep(SETTLING_PAUSE_MS);
  };
  for (;;) {
    const { rows: ends } = await client.query<{ last: number }>(
      `SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(name, 'sequence')::regclass), 0) AS last
       FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, place) ORDER BY place`,
      [tables],
    );
    // Whoever took one of these sequences held this lock before, and keeps it until its rows can be seen.
    const { rows: writers } = await client.query<Writer>(
      `SELECT DISTINCT virtualtransaction AS name FROM pg_locks
       WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted AND relation = ANY ($1::regclass[])
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [tables],
    );
    while (await haveLocks(client, writers)) await pause();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    const { rows } = await client.query<{ isGapless: boolean }>(
      tables
        .map(
          (table, index) =>
            `SELECT count(*) = coalesce(max(sequence) - $${index + 1}::bigint, 0) AS "isGapless" FROM ${table} WHERE sequence > $${index + 1}`,
        )
        .join(' UNION ALL '),
      ends.map(({ last }) => last),
    );
    if (rows.every(({ isGapless }) => isGapless)) return;
    await client.query('ROLLBACK');
    await pause();
  }
}

interface Writer {
  /** The virtual id of its transaction, which no later transaction gets. */
  readonly name: string;
}

async function haveLocks(client: ClientBase, writers: readonly Writer[]): Promise<boolean> {
  const query = 'SELECT 1 FROM pg_locks WHERE virtualtransaction = ANY ($1::text[]) LIMIT 1';
  const { rows } = await client.query(query, [writers.map(({ name }) => name)]);
  return rows.length > 0;
}

async function checkLedger(client: ClientBase): Promise<LedgerViolation[]> {
  const details = await hasColumn(client, 'tipwell', 'tip_buckets', 'detailed_count');
  const payments = await hasColumn(client, 'tipwell', 'payments', 'id');
  const terms = await hasColumn(client, 'tipwell', 'terms', 'version');
  const adjustments = await hasColumn(client, 'tipwell', 'adjustments', 'sequence');
  const violations: LedgerViolation[] = [];
  const numbers = await hasColumn(client, 'tipwell', 'tips', 'sequence');
  const invariants = invariantsWith({ details, payments, terms, adjustments, numbers });
  for (const invariant of [...invariants, referencesLead(await orphans(client))]) {
    const { rows } = await client.query<string[]>({ text: offendersOf(invariant), rowMode: 'array' });
    violations.push(...violationsOf(invariant, rows.flat()));
  }
  return violations;
}

async function checkAuditLog(client: ClientBase): Promise<string[]> {
  if (!(await hasColumn(client, 'tipwell', 'audit_log', 'hash'))) return [];
  return problemsOfAudit((await client.query<AuditRow>(ALL_AUDIT_ROWS)).rows);
}

export async function pastColumnsIn(client: ClientBase, schema: string): Promise<string> {
  return columnsOfPast({
    payments: await hasColumn(client, schema, 'transactions', 'payment_mode'),
    terms: await hasColumn(client, schema, 'transactions', 'terms_version'),
  });
}

/** Databases and backups of earlier versions lack some columns. */
async function hasColumn(
  client: ClientBase,
  ...place: readonly [schema: string, table: string, column: string]
) {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(quote_ident($1) || '.' || quote_ident($2))
       AND attname = $3 AND NOT attisdropped`,
    [...place],
  );
  return rows.length > 0;
}

/** A query for rows whose foreign key has no target, as when somebody disabled PostgreSQL's triggers. */
async function orphans(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ query: string }>(`
    SELECT format('SELECT %L || concat_ws('' '', %s) FROM %s t WHERE (%s) IS NOT NULL AND NOT EXISTS (SELECT FROM %s o WHERE (%s) = (%s))',
      (SELECT relname FROM pg_class WHERE oid = k.conrelid) || ' ', t.columns, k.conrelid::regclass, t.columns,
      k.confrelid::regclass, o.columns, t.columns) AS query
    FROM pg_constraint k,
      LATERAL (SELECT string_agg(format('t.%I', a.attname), ', ' ORDER BY u.place) AS columns
        FROM unnest(k.conkey) WITH ORDINALITY u (attnum, place)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum) t,
      LATERAL (SELECT string_agg(format('o.%I', a.attname), ', ' ORDER BY u.place) AS columns
        FROM unnest(k.confkey) WITH ORDINALITY u (attnum, place)
        JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.attnum) o
    WHERE k.contype = 'f' AND k.connamespace = to_regnamespace('tipwell')
    ORDER BY k.conname`);
  return rows.map(({ query }) => query).join(' UNION ALL ');
}

async function readPast(client: ClientBase, noted: readonly NotedPast[]) {
  const past = createComparedPast(noted);
  await client.query(`DECLARE past NO SCROLL CURSOR FOR
    SELECT ${await pastColumnsIn(client, 'tipwell')} FROM tipwell.transactions ORDER BY sequence`);
  for (;;) {
    const { rows } = await client.query<unknown[]>({
      text: `FETCH ${ROWS_AT_ONCE} FROM past`,
      rowMode: 'array',
    });
    for (const values of rows) past.add(tipText(values));
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await client.query('CLOSE past');
  return past.compare();
}

export async function inspectLedger(client: ClientBase, noted: readonly NotedPast[]): Promise<Findings> {
  return findingsOf(await checkLedger(client), await readPast(client, noted), await checkAuditLog(client));
}

/** Null when the schema is as the migrations make it. */
export async function inspectSchema(
  client: ClientBase,
  migrations: readonly Migration[],
): Promise<Findings | null> {
  const differences = await checkSchema(client, migrations);
  // A foreign view or function in place of a table could answer anything.
  if (differences.length === 0) return null;
  return unread(differences.map((difference) => `Changed: ${difference}`));
}

/** @throws DatabaseRefused when this is not a database of Tipwell. */
export async function requireTipwells(client: ClientBase, url: string): Promise<void> {
  if ((await appliedTo(client)).length > 0) return;
  throw new DatabaseRefused(`${nameOf(url)} is no database of ${SOFTWARE}'s.`);
}
