/** Checks the whole ledger, as of one moment, also while servers write to it. */
import type { ClientBase } from 'pg';
import { brand } from '#shared/brand.ts';
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
import { DatabaseRefused, type Findings } from '../port/database.ts';
import { nameOf, type SessionLimits } from './connection.ts';
import { appliedTo } from './migrations.ts';
import { checkSchema } from './schema-check.ts';

/** Of a session that reads or writes all of the data, which takes as long as there is data; only locks are soon there or never. */
export const UNHURRIED: SessionLimits = { statementMs: 0, lockMs: 5_000, idleInTransactionMs: 0 };

const ROWS_AT_ONCE = 1_000;

/**
 * Begins a transaction that sees the data as of one moment, in which no tip is half-way: what is committed later has a higher
 * sequence than all that it sees. Tips wait for as long as those take that are being recorded, some milliseconds.
 */
export async function beginSettled(client: ClientBase): Promise<void> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SAVEPOINT before_lock');
  await client.query('LOCK TABLE tipwell.transactions, tipwell.reversals IN SHARE MODE');
  // The first query decides what the transaction sees. Going back to the savepoint releases the lock, and keeps that.
  await client.query('SELECT 1');
  await client.query('ROLLBACK TO SAVEPOINT before_lock');
  await client.query('RELEASE SAVEPOINT before_lock');
}

/** Checks every invariant of the ledger that the session sees. @returns what is violated. */
async function checkLedger(client: ClientBase): Promise<LedgerViolation[]> {
  const details = await hasColumn(client, 'tipwell', 'tip_buckets', 'detailed_count');
  const payments = await hasColumn(client, 'tipwell', 'payments', 'id');
  const violations: LedgerViolation[] = [];
  for (const invariant of [...invariantsWith({ details, payments }), referencesLead(await orphans(client))]) {
    const { rows } = await client.query<string[]>({ text: offendersOf(invariant), rowMode: 'array' });
    violations.push(...violationsOf(invariant, rows.flat()));
  }
  return violations;
}

/** The columns of the past in a schema, of whichever version it is. @param schema as it is called, without quotes. */
export async function pastColumnsIn(client: ClientBase, schema: string): Promise<string> {
  return columnsOfPast({ payments: await hasColumn(client, schema, 'transactions', 'payment_mode') });
}

/** Whether there is a table with a column; a database of a version before, or a backup of it, lacks some. */
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

/** A query for the rows whose foreign keys lead nowhere. PostgreSQL refuses such rows; who switches its triggers off can make them. */
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

/** Reads the past of the ledger that the session sees, inside a transaction, and compares it with what was noted of it. */
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

/**
 * Checks the ledger that the session sees, inside a transaction.
 * @param noted what was noted of the ledger earlier, to see whether it still begins like that.
 */
export async function inspectLedger(client: ClientBase, noted: readonly NotedPast[]): Promise<Findings> {
  return findingsOf(await checkLedger(client), await readPast(client, noted));
}

/** Compares the schema with that of the migrations, inside a transaction. @returns the findings when it differs; null when it does not. */
export async function inspectSchema(
  client: ClientBase,
  migrations: readonly Migration[],
): Promise<Findings | null> {
  const differences = await checkSchema(client, migrations);
  // Views and functions in the place of ours could answer whatever is asked.
  if (differences.length === 0) return null;
  return unread(differences.map((difference) => `Changed: ${difference}`));
}

/** @throws DatabaseRefused when there is no database of this product's. */
export async function requireTipwells(client: ClientBase, url: string): Promise<void> {
  if ((await appliedTo(client)).length > 0) return;
  throw new DatabaseRefused(`${nameOf(url)} is no database of ${brand.name}'s.`);
}
