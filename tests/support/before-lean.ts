/**
 * A ledger as the last version kept it whose tables had ids and words instead of numbers, with all that a present
 * ledger holds.
 */
import { readMigrations } from '#server/storage/care/migrations.ts';
import { type Database, openDatabase } from '#server/storage/sqlite/connection.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';

/** The number of migrations of that version. */
export const BEFORE_LEAN = 28;

/** The former tables that later are views. */
export const FORMER_TABLES = ['transactions', 'entries', 'tip_buckets'] as const;

/**
 * Writes the rows of a present ledger to the tables of that version in an empty file, as its own statements would
 * have.
 * @param keyOf makes the key of each tip out of its sequence, because that version stored all keys.
 */
export function writeAsBeforeLean(path: string, present: string, keyOf: (sequence: number) => string): void {
  const database = openDatabase(path);
  database.function('key_of', { deterministic: true }, (sequence) => keyOf(Number(sequence)));
  migrate(database, readMigrations('sqlite').slice(0, BEFORE_LEAN));
  const triggers = query<{ name: string; sql: string }>(
    database,
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`,
  );
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  database.pragma('foreign_keys = OFF');
  database.prepare('ATTACH ? AS present').run(present);
  const tables = query<{ name: string }>(
    database,
    `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations'`,
  );
  for (const { name } of tables) {
    const columns = query<{ name: string }>(
      database,
      `SELECT name FROM pragma_table_info('${name}', 'main') INTERSECT SELECT name FROM pragma_table_info('${name}', 'present')`,
    ).map((column) => `"${column.name}"`);
    database.exec(`DELETE FROM main.${name};
      INSERT INTO main.${name} (${columns}) SELECT ${columns} FROM present.${name} ORDER BY ${ORDERS[name] ?? 1}`);
  }
  database.exec(
    'UPDATE transactions SET idempotency_key = key_of(sequence) WHERE idempotency_key IS NULL AND giver_id IS NOT NULL',
  );
  database.exec('DETACH present');
  for (const { sql } of triggers) database.exec(sql);
  database.close();
}

/** Rows of these were numbered in the order of their making. */
const ORDERS: Readonly<Record<string, string>> = { accounts: 'number', qr_codes: 'sequence' };

function query<Row>(database: Database, statement: string): Row[] {
  return database.prepare<[], Row>(statement).all();
}
