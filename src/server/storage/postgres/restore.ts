/**
 * Restores a backup. The schema that was there before is kept aside, all sessions end, and the operator is told what the backup
 * brings back. While the new schema is being filled a mark lies in it, so that nobody takes it for a whole one: no server starts on
 * it, and the next restore puts what was there before back first.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientBase, escapeIdentifier } from 'pg';
import {
  type AccountDifferences,
  DatabaseRefused,
  otherPast,
  type Restored,
  type RestoreOptions,
} from '../database.ts';
import { connectOrRefuse, nameOf } from './connection.ts';
import { inspectLedger, inspectSchema, pastColumnsIn, requireTipwells, UNHURRIED } from './ledger-check.ts';
import { appliedTo, isSchemaCurrent, type Migration } from './migrations.ts';
import { holdAlone, MARK } from './server-lock.ts';
import { findTools } from './tools.ts';

const ASIDE = 'tipwell_before_restore';

/** The name of the key that signs device marks; the next start makes a new one. */
const DEVICE_MARK_SECRET = 'device_mark';

/** `ManagedDatabase.restore` of the database at `url`. */
export async function restore(
  url: string,
  backup: string,
  migrations: readonly Migration[],
  options: RestoreOptions,
): Promise<Restored> {
  if (!existsSync(backup)) throw new DatabaseRefused(`There is no file ${backup}.`);
  const name = nameOf(url);
  const client = await connectOrRefuse(url, UNHURRIED);
  const folder = mkdtempSync(join(tmpdir(), 'tipwell-restore-'));
  try {
    await holdAlone(client, name);
    await undoUnfinished(client);
    const tools = await findTools(client, url, `Cannot restore ${name}`);
    const listFile = join(folder, 'list');
    writeFileSync(listFile, contentsOf(await tools.list(backup), backup).join('\n'));
    const aside = await setAside(client);
    try {
      await tools.restore(backup, listFile);
      return await finish(client, url, { backup, aside, migrations, options });
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      await undoUnfinished(client);
      throw error;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await client.end();
  }
}

/**
 * The lines of what a dump contains, without that which makes the schema: it is there already.
 * @throws DatabaseRefused when something in it lies outside of the schema.
 */
function contentsOf(lines: readonly string[], backup: string): string[] {
  const entries = lines.filter((line) => /^\d+;/.test(line));
  const isSchema = (line: string) => / SCHEMA - tipwell /.test(line);
  if (!entries.some(isSchema)) throw new DatabaseRefused(`${backup} is no backup of this product's.`);
  return entries.filter((line) => !isSchema(line));
}

/** Keeps the present schema under another name and makes an empty one with the mark, in one step. */
async function setAside(client: ClientBase): Promise<string | null> {
  await client.query('BEGIN');
  const isThere = await hasSchema(client, 'tipwell');
  const aside = isThere ? await freeName(client) : null;
  if (aside !== null) await client.query(`ALTER SCHEMA tipwell RENAME TO ${escapeIdentifier(aside)}`);
  await client.query('CREATE SCHEMA tipwell');
  await client.query(`CREATE TABLE ${MARK} (aside text)`);
  await client.query(`INSERT INTO ${MARK} VALUES ($1)`, [aside]);
  await client.query('COMMIT');
  return aside;
}

/** Puts back what was there before a restore that has not come to its end, in one step. */
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

/** Checks what was restored, ends what must not come back, and takes the mark away, in one step. */
async function finish(
  client: ClientBase,
  url: string,
  restoring: {
    readonly backup: string;
    readonly aside: string | null;
    readonly migrations: readonly Migration[];
    readonly options: RestoreOptions;
  },
): Promise<Restored> {
  const { backup, aside, migrations, options } = restoring;
  const untrusted = (problem: string) => new DatabaseRefused(`${backup} cannot be trusted. ${problem}`);
  await requireTipwells(client, url);
  await client.query('BEGIN');
  await client.query(`DROP TABLE ${MARK}`);
  const changed = await inspectSchema(client, migrations);
  if (changed?.problems[0] !== undefined) throw untrusted(changed.problems[0]);
  const noted = options.noted === null ? [] : [options.noted];
  const { problems, differences, tipCount, past } = await inspectLedger(client, noted);
  const [problem] = [...problems, ...differences];
  if (problem !== undefined) throw untrusted(problem);
  const compared = aside === null ? null : await compareWithPresent(client, aside);
  if (compared !== null && compared.difference !== null && !options.acceptsOtherPast)
    throw otherPast(compared.difference, compared.lostTips);
  if (compared !== null) options.tellLostTips(compared.lostTips);
  const newestTipAtMs = await readNumber(
    client,
    'SELECT created_at_ms FROM tipwell.transactions ORDER BY sequence DESC LIMIT 1',
  );
  const sessionCount = await readNumber(client, 'SELECT count(*) FROM tipwell.sessions');
  // A copy for trying something out would wake up the same devices.
  if (await hasTables(client, 'tipwell', 'push_devices'))
    await client.query('DELETE FROM tipwell.push_devices');
  if (!options.keepsSessions) {
    await client.query('DELETE FROM tipwell.sessions');
    await client.query('DELETE FROM tipwell.secrets WHERE name = $1', [DEVICE_MARK_SECRET]);
  }
  const isCurrent = isSchemaCurrent(await appliedTo(client), migrations);
  await client.query('COMMIT');
  return {
    tipCount,
    past,
    newestTipAtMs,
    sessionCount: sessionCount ?? 0,
    lostTips: compared?.lostTips ?? null,
    accounts: compared?.accounts ?? null,
    keptAside: aside === null ? null : `the schema ${aside} of the same database`,
    isCurrent,
  };
}

/** Compares what was restored with what was there before; null when that is none of ours, or too different to be read. */
async function compareWithPresent(
  client: ClientBase,
  aside: string,
): Promise<{
  readonly difference: number | null;
  readonly lostTips: number;
  readonly accounts: AccountDifferences;
} | null> {
  const present = escapeIdentifier(aside);
  if (!(await hasTables(client, aside, 'accounts', 'transactions'))) return null;
  const tips = async (schema: string) =>
    `SELECT row_number() OVER (ORDER BY sequence) AS place, ROW(${await pastColumnsIn(client, schema)})::text AS tip
     FROM ${escapeIdentifier(schema)}.transactions`;
  const difference = await readNumber(
    client,
    `SELECT place FROM (${await tips('tipwell')}) one JOIN (${await tips(aside)}) other USING (place)
     WHERE one.tip <> other.tip ORDER BY place LIMIT 1`,
  );
  const lostTips = await readNumber(
    client,
    `SELECT count(*) FROM ${present}.transactions other
     WHERE NOT EXISTS (SELECT FROM tipwell.transactions one WHERE one.id = other.id)`,
  );
  const changedPasswords = await readNumber(
    client,
    `SELECT count(*) FROM tipwell.accounts one JOIN ${present}.accounts other USING (id)
     WHERE one.password_hash <> other.password_hash`,
  );
  const missing = await readNumber(
    client,
    `SELECT count(*) FROM ${present}.accounts other
     WHERE NOT EXISTS (SELECT FROM tipwell.accounts one WHERE one.id = other.id)`,
  );
  const accounts = { changedPasswords: changedPasswords ?? 0, missing: missing ?? 0 };
  return { difference, lostTips: lostTips ?? 0, accounts };
}

/** Whether a schema has these tables; a damaged one is why people restore. */
async function hasTables(client: ClientBase, schema: string, ...tables: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ count: number }>(
    'SELECT count(*) AS count FROM pg_tables WHERE schemaname = $1 AND tablename = ANY ($2)',
    [schema, tables],
  );
  return rows[0]?.count === tables.length;
}

async function hasSchema(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [name]);
  return rows.length > 0;
}

async function freeName(client: ClientBase): Promise<string> {
  let name = ASIDE;
  for (let count = 2; await hasSchema(client, name); count += 1) name = `${ASIDE}_${count}`;
  return name;
}

/** The one number that a query answers; null when it answers no row. */
async function readNumber(client: ClientBase, query: string): Promise<number | null> {
  const { rows } = await client.query<number[]>({ text: query, rowMode: 'array' });
  return rows[0]?.[0] ?? null;
}
