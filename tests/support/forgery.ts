/**
 * Forgeries by somebody who may write to the database file, and so can drop the triggers that guard its
 * tables.
 */
import { type Database, openDatabase } from '#server/storage/sqlite/connection.ts';
import { letWriteToViews } from './ledger-views.ts';

const idOf = (username: string) => `(SELECT id FROM accounts WHERE username = '${username}')`;
export const PAT = idOf('pat');
export const CAM = idOf('cam');
export const SAM = idOf('sam');

export const ENTRY_COLUMNS =
  '(account_id, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms)';

/** Falsifies a file and leaves its tables, triggers and indexes as they were. */
export function forge(path: string, statements: string): void {
  const database = openDatabase(path, { mustExist: true });
  try {
    forgeIn(database, statements);
  } finally {
    database.close();
  }
}

export function forgeIn(database: Database, statements: string): void {
  const guards = database
    .prepare<[], { type: string; name: string; sql: string }>(
      `SELECT type, name, sql FROM sqlite_schema WHERE type = 'trigger' OR name = 'tips_idempotency'`,
    )
    .all();
  database.pragma('foreign_keys = OFF');
  database.pragma('ignore_check_constraints = ON');
  for (const { type, name } of guards) database.exec(`DROP ${type} ${name}`);
  letWriteToViews(database);
  database.exec(statements);
  for (const { sql } of guards) database.exec(sql);
  database.pragma('ignore_check_constraints = OFF');
  database.pragma('foreign_keys = ON');
}

/**
 * Statements by which two tips of one amount between the same two people change places, while all sums stay
 * true. Neither is reversed.
 */
export function exchangeTips(one: number, other: number): string {
  const away = 1_000_000;
  const move = (from: number, to: number) =>
    `UPDATE transactions SET sequence = ${to} WHERE sequence = ${from};`;
  return `
    CREATE TEMP TABLE places AS SELECT sequence, giver_position, receiver_position FROM transactions;
    ${move(one, away)} ${move(other, one)} ${move(away, other)}
    UPDATE transactions SET (giver_position, receiver_position) = (
      SELECT giver_position, receiver_position FROM places WHERE places.sequence = transactions.sequence
    );
    DROP TABLE places;
    UPDATE entries SET created_at_ms = (SELECT created_at_ms FROM transactions WHERE sequence = transaction_sequence);`;
}
