/** Fills an empty database with another's rows in one transaction, checked before its commit. */
import { getTableColumns, getTableName } from 'drizzle-orm';
import { type ClientBase, escapeIdentifier } from 'pg';
import { SOFTWARE } from '#shared/software.ts';
import { AUDIT_HEAD, insertingAct } from '../care/audit.ts';
import { requireArrived } from '../care/backup-file.ts';
import { readMigrations } from '../care/migrations.ts';
import type { NotedPast } from '../checks/past.ts';
import type { Act } from '../port/audit.ts';
import { type AllRows, DatabaseRefused, type Findings, type TableRows } from '../port/database.ts';
import type { AuditHead } from '../rules/audit.ts';
import { listedType } from '../schema/columns.ts';
import { MADE_AT_A_START, rowsAtOnce, TABLES } from '../schema/tables.ts';
import { inspectLedger, inspectSchema } from './ledger-check.ts';
import { migrate } from './migrations.ts';
import { runForOperator } from './operator.ts';
import { holdAlone, requireFinished } from './server-lock.ts';

export function fill(url: string, tables: AllRows, past: NotedPast, act?: Act): Promise<Findings> {
  return runForOperator(url, async (client, name) => {
    const migrations = readMigrations('postgres');
    await holdAlone(client, name);
    await requireFinished(client);
    await migrate(client, migrations);
    await client.query('BEGIN');
    const changed = await inspectSchema(client, migrations);
    if (changed !== null) throw new DatabaseRefused(`${name} cannot be filled. ${changed.problems[0]}`);
    await requireEmpty(client, name);
    for (const table of MADE_AT_A_START.map(getTableName)) await client.query(`DELETE FROM tipwell.${table}`);
    for await (const table of tables) {
      await copy(client, table);
      await client.query(`ANALYZE tipwell.${escapeIdentifier(table.table)}`);
    }
    await continueSequences(client);
    if (act) {
      const { rows } = await client.query<AuditHead>(AUDIT_HEAD);
      await client.query(insertingAct(rows[0], act));
    }
    const findings = await inspectLedger(client, [past]);
    requireArrived(name, findings, past);
    await client.query('COMMIT');
    return findings;
  });
}

/** @throws DatabaseRefused when an account, or an act in the audit log, exists. */
async function requireEmpty(client: ClientBase, name: string): Promise<void> {
  await client.query('LOCK TABLE tipwell.accounts IN SHARE ROW EXCLUSIVE MODE');
  const acts = await client.query('SELECT 1 FROM tipwell.audit_log LIMIT 1');
  if (acts.rows.length > 0)
    throw new DatabaseRefused(
      `${name} is not empty: an operator has acted on it, and its audit log keeps that. Nothing was changed. Name an empty database.`,
    );
  const { rows } = await client.query('SELECT 1 FROM tipwell.accounts LIMIT 1');
  if (rows.length === 0) return;
  throw new DatabaseRefused(
    `${name} is not empty: there are accounts of ${SOFTWARE}'s in it. Nothing was changed. Name an empty database.`,
  );
}

async function copy(client: ClientBase, { table, columns, rows }: TableRows): Promise<void> {
  const types = typesOf(table);
  const values = columns.map((column, index) => `$${index + 1}::${types.get(column) ?? 'text'}[]`);
  const insert = {
    name: `fill ${table}`,
    text: `INSERT INTO tipwell.${escapeIdentifier(table)} (${columns.map(escapeIdentifier).join(', ')})
      OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${values.join(', ')})`,
  };
  const atOnce = rowsAtOnce(table);
  let group: (readonly unknown[])[] = [];
  const send = async () => {
    await client.query({ ...insert, values: columns.map((_, index) => group.map((row) => row[index])) });
    group = [];
  };
  for await (const row of rows) {
    group.push(row);
    if (group.length === atOnce) await send();
  }
  if (group.length > 0) await send();
}

/** Column types by name. PostgreSQL casts 1 and 0 to boolean. */
function typesOf(name: string): ReadonlyMap<string, string> {
  const columns = TABLES.filter((table) => getTableName(table) === name).flatMap((table) =>
    Object.values(getTableColumns(table)),
  );
  return new Map(columns.map((column) => [column.name, listedType(column)]));
}

async function continueSequences(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ query: string }>(`
    SELECT format('SELECT setval(%L, max(%I)) FROM %s HAVING max(%I) IS NOT NULL',
      pg_get_serial_sequence(c.oid::regclass::text, a.attname), a.attname, c.oid::regclass, a.attname) AS query
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = to_regnamespace('tipwell') AND c.relkind = 'r' AND a.attidentity <> ''`);
  for (const { query } of rows) await client.query(query);
}
