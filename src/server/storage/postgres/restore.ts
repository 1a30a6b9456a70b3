/**
 * Restores a backup; the present schema is kept aside. A mark in the new schema says that it is not complete: no server
 * starts on it, and the next restore first puts the old schema back.
 */
import { existsSync } from 'node:fs';
import { type ClientBase, escapeIdentifier } from 'pg';
import { AUDIT_HEAD } from '../care/audit.ts';
import { requireTrusted } from '../care/backup-file.ts';
import { isCurrent, readMigrations } from '../care/migrations.ts';
import { type Ask, compareWithPresent, type Incoming, settle } from '../care/restore.ts';
import { DatabaseRefused, type Restored, type RestoreOptions, type UndoneAct } from '../port/database.ts';
import type { AuditHead } from '../rules/audit.ts';
import { hasCode } from './connection.ts';
import { inspectLedger, inspectSchema, pastColumnsIn, requireTipwells } from './ledger-check.ts';
import { appliedTo } from './migrations.ts';
import { runForOperator } from './operator.ts';
import { holdAlone, MARK } from './server-lock.ts';
import { findTools } from './tools.ts';

const ASIDE = 'tipwell_before_restore';
/**
 * SQLSTATE codes of data that is damaged, lost or of another form: values, columns, types, operators, tables, files,
 * pages (https://www.postgresql.org/docs/current/errcodes-appendix.html). Lack of room or of a right is no such damage.
 */
const UNREADABLE = ['22', '42703', '42804', '42883', '42P01', '58', 'XX'];

export async function restore(url: string, backup: string, options: RestoreOptions): Promise<Restored> {
  if (!existsSync(backup)) throw new DatabaseRefused(`There is no file ${backup}.`);
  return runForOperator(url, async (client, name) => {
    await holdAlone(client, name);
    await undoUnfinished(client);
    const tools = await findTools(client, url, `Cannot restore ${name}`);
    const contents = contentsOf(await tools.list(backup), backup);
    const aside = await setAside(client);
    try {
      await tools.restore(backup, contents);
      await requireTipwells(client, url);
      return await finish(client, backup, aside, options);
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      await undoUnfinished(client);
      throw error;
    }
  });
}

/**
 * The entries of Tipwell's schema, without the schema itself, which exists already: a dump of a whole database has more
 * (https://www.postgresql.org/docs/current/app-pgrestore.html, `--list`). @throws DatabaseRefused for a dump without it.
 */
function contentsOf(lines: readonly string[], backup: string): string[] {
  if (!lines.some((line) => / SCHEMA - tipwell /.test(line)))
    throw new DatabaseRefused(`${backup} is no backup of this product’s.`);
  return lines.filter((line) => /^\d+; \d+ \d+ [A-Z ]+ tipwell /.test(line));
}

/** Renames the present schema and creates an empty one with the mark, in one transaction. */
async function setAside(client: ClientBase): Promise<string | null> {
  await client.query('BEGIN');
  const aside = await nameAside(askIn(client));
  if (aside !== null) await client.query(`ALTER SCHEMA tipwell RENAME TO ${escapeIdentifier(aside)}`);
  await client.query('CREATE SCHEMA tipwell');
  await client.query(`CREATE TABLE ${MARK} (aside text)`);
  await client.query(`INSERT INTO ${MARK} VALUES ($1)`, [aside]);
  await client.query('COMMIT');
  return aside;
}

/** Puts back the schema from before an unfinished restore, in one transaction. */
async function undoUnfinished(client: ClientBase): Promise<void> {
  const { rows: marks } = await client.query(`SELECT 1 WHERE to_regclass('${MARK}') IS NOT NULL`);
  if (marks.length === 0) return;
  await client.query('BEGIN');
  const { rows } = await client.query<{ aside: string | null }>(`SELECT aside FROM ${MARK}`);
  await client.query('DROP SCHEMA tipwell CASCADE');
  const aside = rows[0]?.aside ?? null;
  if (aside !== null) await client.query(`ALTER SCHEMA ${escapeIdentifier(aside)} RENAME TO tipwell`);
  await client.query('COMMIT');
}

/** Checks the restored data, ends its sessions and removes the mark, in one transaction. */
async function finish(
  client: ClientBase,
  backup: string,
  aside: string | null,
  options: RestoreOptions,
): Promise<Restored> {
  const migrations = readMigrations('postgres');
  await client.query('BEGIN');
  await client.query(`DROP TABLE ${MARK}`);
  const changed = await inspectSchema(client, migrations);
  requireTrusted(backup, changed?.problems ?? []);
  const noted = options.noted === null ? [] : [options.noted];
  const { problems, differences, tipCount, past } = await inspectLedger(client, noted);
  requireTrusted(backup, [...problems, ...differences]);
  const ask = askIn(client);
  const compared = aside === null ? null : await compare(client, ask, aside);
  const incoming: Incoming = {
    ask,
    hasTable: (table) => hasTable(ask, 'tipwell', table),
    run: (statement) => client.query(statement),
    auditHead: async () => (await client.query<AuditHead>(AUDIT_HEAD)).rows[0],
  };
  const settled = await settle(incoming, compared, options);
  const seen = await appliedTo(client);
  await client.query('COMMIT');
  const keptAside = aside === null ? null : `the schema ${aside} of the same database`;
  return { tipCount, past, ...settled, keptAside, isCurrent: isCurrent(seen, migrations) };
}

/** Compares the restored data with the former; null when that is foreign, damaged or too different to be read. */
async function compare(client: ClientBase, ask: Ask, aside: string) {
  // An error would end the transaction, and the restore with it, for which damage is the reason.
  await client.query('SAVEPOINT comparing');
  try {
    return await compareReadable(client, ask, aside);
  } catch (error) {
    if (!hasCode(error, ...UNREADABLE)) throw error;
    await client.query('ROLLBACK TO SAVEPOINT comparing');
    return null;
  }
}

async function compareReadable(client: ClientBase, ask: Ask, aside: string) {
  for (const table of ['accounts', 'transactions']) if (!(await hasTable(ask, aside, table))) return null;
  const tips = async (schema: string) =>
    `SELECT row_number() OVER (ORDER BY sequence) AS place, ROW(${await pastColumnsIn(client, schema)})::text AS tip
     FROM ${escapeIdentifier(schema)}.transactions`;
  const difference = await ask(
    `SELECT place FROM (${await tips('tipwell')}) one JOIN (${await tips(aside)}) other USING (place)
     WHERE one.tip <> other.tip ORDER BY place LIMIT 1`,
  );
  const schemas = { backup: 'tipwell', present: aside } as const;
  const beside = {
    backup: schemas.backup,
    present: escapeIdentifier(aside),
    ask,
    listActs: async (query: string) => (await client.query<UndoneAct>(query)).rows,
    hasTable: (whose: keyof typeof schemas, name: string) => hasTable(ask, schemas[whose], name),
  };
  return compareWithPresent(beside, difference);
}

async function nameAside(ask: Ask): Promise<string | null> {
  const isTaken = async (name: string) =>
    (await ask(`SELECT 1 FROM pg_namespace WHERE nspname = '${name}'`)) !== null;
  if (!(await isTaken('tipwell'))) return null;
  let name = ASIDE;
  for (let count = 2; await isTaken(name); count += 1) name = `${ASIDE}_${count}`;
  return name;
}

/** A damaged schema, which is a reason to restore, may lack a table, or the view in its place. */
async function hasTable(ask: Ask, schema: string, table: string): Promise<boolean> {
  const query = `SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace('${schema}') AND relname = '${table}' AND relkind IN ('r', 'v')`;
  return (await ask(query)) !== null;
}

function askIn(client: ClientBase): Ask {
  return async (query) => {
    const { rows } = await client.query<number[]>({ text: query, rowMode: 'array' });
    return rows[0]?.[0] ?? null;
  };
}
