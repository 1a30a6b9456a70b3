/**
 * What tests do to the data past the storage port: they forge what nobody could bring about through it, read what it does not
 * tell, and make it fail. Another engine can stand behind the same names; `dump` reads whole tables.
 */
import { type Database, openDatabase } from '#server/storage/sqlite/connection.ts';

/** The end of time, as far as a date can tell it. */
const FOREVER_MS = 8_640_000_000_000_000;

/** The stored hashes by username. */
export function readPasswordHashes(database: Database): ReadonlyMap<string, string> {
  const rows = database.prepare<[], [string, string]>('SELECT username, password_hash FROM accounts').raw();
  return new Map(rows.all());
}

export function setFullName(database: Database, username: string, fullName: string): void {
  database.prepare('UPDATE accounts SET full_name = ? WHERE username = ?').run(fullName, username);
}

export function setPasswordHash(database: Database, username: string, hash: string): void {
  database.prepare('UPDATE accounts SET password_hash = ? WHERE username = ?').run(hash, username);
}

/** Makes every account one whose password the operator made, and which must change it. */
export function demandNewPasswords(database: Database): void {
  database.prepare('UPDATE accounts SET password_expires_at_ms = ?').run(FOREVER_MS);
}

export function deleteSessions(database: Database): void {
  database.exec('DELETE FROM sessions');
}

export function expireSessionsOf(database: Database, userId: string, expiresAtMs: number): void {
  database.prepare('UPDATE sessions SET expires_at_ms = ? WHERE user_id = ?').run(expiresAtMs, userId);
}

/** Puts the same bytes in the place of all pictures of codes. */
export function replacePictures(database: Database, png: Uint8Array): void {
  database.prepare('UPDATE qr_pictures SET png = ?').run(png);
}

/** Makes every write fail as on a disk that cannot be written, or lets writes succeed again. */
export function setReadOnly(database: Database, isReadOnly: boolean): void {
  database.pragma(`query_only = ${isReadOnly ? 'ON' : 'OFF'}`);
}

/** Makes each new row of a table fail inside the database. @returns a function that ends this. */
export function failInserts(database: Database, table: 'accounts' | 'sessions'): () => void {
  database.exec(`CREATE TRIGGER no_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`);
  return () => void database.exec(`DROP TRIGGER no_${table}`);
}

/** Makes the last statement of each tip that moves the receiver's total by this much fail, with a message. */
export function failReceiving(database: Database, cents: number, message: string): void {
  database.exec(`CREATE TRIGGER fault BEFORE UPDATE OF total_tips_received_cents ON accounts
    WHEN NEW.total_tips_received_cents - OLD.total_tips_received_cents = ${cents}
    BEGIN SELECT RAISE(ABORT, '${message}'); END`);
}

/** Takes away the table of attempts, as only a defect could. */
export function dropAttempts(database: Database): void {
  database.exec('DROP TABLE attempts');
}

/** Keeps everybody else from writing to a database. @returns a function that ends this. */
export function holdWriteLock(path: string): () => void {
  const database = openDatabase(path, { mustExist: true });
  database.exec('BEGIN IMMEDIATE');
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

/** Opens a second connection to a database that a server has, for as long as `use` takes. */
export function lookInto<Result>(path: string, use: (database: Database) => Result): Result {
  const database = openDatabase(path, { mustExist: true });
  try {
    return use(database);
  } finally {
    database.close();
  }
}
