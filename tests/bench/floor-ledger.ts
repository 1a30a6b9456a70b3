/**
 * The ledger of a floor: its rows in the tables that the product had before its own became lean, a plain row of ids
 * and words for each tip and entry. The floor stays what it was when the product's tables change.
 */
import type { ClientBase } from 'pg';
import { readMigrations } from '#server/storage/care/migrations.ts';
import { migrate as migratePostgres } from '#server/storage/postgres/migrations.ts';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { migrate } from '#server/storage/sqlite/migrations.ts';

/** So many of the migrations made those tables. */
const VERSION = { sqlite: 28, postgres: 25 } as const;

/** What a seeded ledger has rows in, with the order that guards ask for. The product has the last three as views. */
const COPIED = [
  ['accounts', 'id'],
  ['provider_categories', 'user_id'],
  ['qr_codes', 'id'],
  ['sessions', 'token_hash'],
  ['transactions', 'sequence'],
  ['entries', 'account_id, position'],
  ['tip_buckets', 'account_id, start_ms'],
] as const;

/** @throws Error when the copy does not add up. */
export function copyForFloor(ledgerPath: string, path: string): void {
  const database = openDatabase(path);
  migrate(database, readMigrations('sqlite').slice(0, VERSION.sqlite));
  database.prepare('ATTACH ? AS product').run(ledgerPath);
  const columnsOf = database
    .prepare<[string, string], string>('SELECT name FROM pragma_table_info(?, ?)')
    .pluck();
  database.transaction(() => {
    for (const [table, order] of COPIED) {
      const known = new Set(columnsOf.all(table, 'product'));
      const columns = columnsOf.all(table, 'main').filter((column) => known.has(column));
      database.exec(
        `INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM product.${table} ORDER BY ${order}`,
      );
    }
  })();
  database.exec('DETACH product');
  const [violation] = checkLedger(database);
  database.close();
  if (violation) throw new Error(`the ledger of the floor does not add up: ${violation.invariant}`);
}

/** Turns a copy of the product's database into that of a floor. @param client may do everything with it. */
export async function turnIntoFloor(client: ClientBase): Promise<void> {
  await client.query('ALTER SCHEMA tipwell RENAME TO product');
  await migratePostgres(client, readMigrations('postgres').slice(0, VERSION.postgres));
  for (const [table, order] of COPIED) {
    const { rows } = await client.query<{ columns: string }>(
      `SELECT string_agg(quote_ident(attname), ', ') AS columns FROM pg_attribute ours
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
         AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = $2::regclass AND attname = ours.attname AND attnum > 0)`,
      [`tipwell.${table}`, `product.${table}`],
    );
    const columns = rows[0]?.columns ?? '';
    await client.query(
      `INSERT INTO tipwell.${table} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM product.${table} ORDER BY ${order}`,
    );
  }
  await client.query(
    `SELECT setval(pg_get_serial_sequence('tipwell.transactions', 'sequence'), max(sequence)) FROM tipwell.transactions`,
  );
  await client.query('DROP SCHEMA product CASCADE');
}
