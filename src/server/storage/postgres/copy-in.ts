/**
 * Fills an empty database with the rows of another, in one transaction and in bounded memory, and checks all of it before the
 * commit.
 */
import { type ClientBase, escapeIdentifier } from 'pg';
import { brand } from '#shared/brand.ts';
import { DatabaseRefused, type Findings, type TableRows } from '../database.ts';
import { columnsOfPast, createPast, spellPast, tipText } from '../past.ts';
import { connectOrRefuse, nameOf } from './connection.ts';
import { inspectLedger, inspectSchema, UNHURRIED } from './ledger-check.ts';
import { type Migration, migrate } from './migrations.ts';
import { holdAlone, requireFinished } from './server-lock.ts';

const ROWS_AT_ONCE = 1_000;
/** Pictures have kilobytes each. */
const PICTURES_AT_ONCE = 100;

/** What a server makes of an empty database before anybody registers: the moved rows take their place. */
const MADE_AT_A_START = ['secrets', 'attempts', 'checked_accounts', 'checkpoints'];

/** `ManagedDatabase.fill` of the database at `url`. */
export async function fill(
  url: string,
  tables: Iterable<TableRows>,
  migrations: readonly Migration[],
): Promise<Findings> {
  const name = nameOf(url);
  const client = await connectOrRefuse(url, UNHURRIED);
  try {
    await holdAlone(client, name);
    await requireFinished(client);
    await migrate(client, migrations);
    await client.query('BEGIN');
    const changed = await inspectSchema(client, migrations);
    if (changed !== null) throw new DatabaseRefused(`${name} cannot be filled. ${changed.problems[0]}`);
    await requireEmpty(client, name);
    for (const table of MADE_AT_A_START) await client.query(`DELETE FROM tipwell.${table}`);
    const past = createPast();
    for (const table of tables) {
      await copy(client, withPast(table, past));
      await client.query(`ANALYZE tipwell.${escapeIdentifier(table.table)}`);
    }
    await continueSequences(client);
    const findings = await inspectLedger(client, [past.note()]);
    const [problem] = [...findings.problems, ...findings.differences];
    if (problem !== undefined || findings.past !== spellPast(past.note()))
      throw new DatabaseRefused(`What arrived in ${name} cannot be trusted. ${problem ?? 'Tips were added'}`);
    await client.query('COMMIT');
    return findings;
  } finally {
    await client.end();
  }
}

/** @throws DatabaseRefused when somebody has registered. */
async function requireEmpty(client: ClientBase, name: string): Promise<void> {
  await client.query('LOCK TABLE tipwell.accounts IN SHARE ROW EXCLUSIVE MODE');
  const { rows } = await client.query('SELECT 1 FROM tipwell.accounts LIMIT 1');
  if (rows.length === 0) return;
  throw new DatabaseRefused(
    `${name} is not empty: there are accounts of ${brand.name}'s in it. Nothing was changed. Name an empty database.`,
  );
}

/** Adds the tips among the rows to a past, while they are read. */
function withPast(table: TableRows, past: ReturnType<typeof createPast>): TableRows {
  if (table.table !== 'transactions') return table;
  const places = columnsOfPast({ payments: true })
    .split(',')
    .map((column) => {
      const [, constant] = /^'(.*)'$/.exec(column.trim()) ?? [];
      return constant === undefined ? table.columns.indexOf(column.trim()) : { constant };
    });
  const rows = (function* () {
    for (const row of table.rows) {
      past.add(tipText(places.map((place) => (typeof place === 'number' ? row[place] : place.constant))));
      yield row;
    }
  })();
  return { ...table, rows };
}

/** Inserts the rows of a table, many at a time, each column as one array. */
async function copy(client: ClientBase, { table, columns, rows }: TableRows): Promise<void> {
  const types = await typesOf(client, table);
  const values = columns.map((column, index) => `$${index + 1}::${types.get(column) ?? 'text'}[]`);
  const insert = {
    name: `fill ${table}`,
    text: `INSERT INTO tipwell.${escapeIdentifier(table)} (${columns.map(escapeIdentifier).join(', ')})
      OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${values.join(', ')})`,
  };
  const isBoolean = columns.map((column) => types.get(column) === 'boolean');
  const atOnce = table === 'qr_pictures' ? PICTURES_AT_ONCE : ROWS_AT_ONCE;
  let arrays = columns.map((): unknown[] => []);
  let count = 0;
  const flush = async () => {
    await client.query({ ...insert, values: arrays });
    arrays = columns.map(() => []);
    count = 0;
  };
  for (const row of rows) {
    for (const [index, array] of arrays.entries())
      array.push(isBoolean[index] ? row[index] === 1 || row[index] === true : row[index]);
    count += 1;
    if (count === atOnce) await flush();
  }
  if (count > 0) await flush();
}

/** The types of the columns of a table, by name. */
async function typesOf(client: ClientBase, table: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = to_regclass('tipwell.' || quote_ident($1)) AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** Lets each column that counts by itself go on after its highest value. */
async function continueSequences(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ query: string }>(`
    SELECT format('SELECT setval(%L, max(%I)) FROM %s HAVING max(%I) IS NOT NULL',
      pg_get_serial_sequence(c.oid::regclass::text, a.attname), a.attname, c.oid::regclass, a.attname) AS query
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = to_regnamespace('tipwell') AND c.relkind = 'r' AND a.attidentity <> ''`);
  for (const { query } of rows) await client.query(query);
}
