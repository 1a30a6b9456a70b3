/**
 * Opens a SQLite file the one way that keeps acknowledged tips: write-ahead log, every commit flushed to the disk
 * before it is answered, foreign keys enforced. Also holds the lock that keeps a second server off the same file.
 */

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { brand } from '#shared/brand.ts';

export type { Database };

/** A file that lives in memory only, for tests. */
export const IN_MEMORY = ':memory:';

/** Thrown at start with a sentence for the operator. */
export class DatabaseRefused extends Error {
  override name = 'DatabaseRefused';
}

interface OpenOptions {
  /** Called before each statement with its text, values filled in; an error that it throws fails the statement. */
  readonly onStatement?: (statement: unknown) => void;
  /** Refuse to make a file that is not there. */
  readonly mustExist?: boolean;
  readonly readonly?: boolean;
}

/** How long opening may wait for another process to let go, in milliseconds; afterwards nothing ever waits inside SQLite. */
const OPENING_PATIENCE_MS = 2_000;

/**
 * Opens the database file at `path`, making it and its folder when missing.
 * @throws DatabaseRefused when the file is no database, is damaged, or cannot be opened.
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  try {
    if (path !== IN_MEMORY && !options.mustExist) mkdirSync(dirname(path), { recursive: true });
    const database = new SqliteDatabase(path, {
      timeout: OPENING_PATIENCE_MS,
      fileMustExist: options.mustExist ?? false,
      readonly: options.readonly ?? false,
      ...(options.onStatement && { verbose: options.onStatement }),
    });
    try {
      if (!options.readonly) database.pragma('journal_mode = WAL');
      // After WAL, because the bundled SQLite falls back to NORMAL when it enters that mode, and NORMAL
      // may lose the last acknowledged tips when the power goes.
      database.pragma('synchronous = FULL');
      database.pragma('foreign_keys = ON');
      // REPLACE deletes rows without firing delete triggers unless this is on: the ledger's guard depends on it.
      database.pragma('recursive_triggers = ON');
      database.pragma('trusted_schema = OFF');
      database.pragma('cache_size = -32000');
      // What each step of a commit would need to be undone is kept in memory, instead of a file that nobody reads.
      database.pragma('temp_store = MEMORY');
      // In pages: some 32 MB of log. Each copying back of the log stops all writing, and pages that are written again
      // and again in between are copied once.
      database.pragma('wal_autocheckpoint = 8000');
      // A busy wait inside SQLite would stop the event loop; storage.ts waits outside instead.
      database.pragma('busy_timeout = 0');
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw new DatabaseRefused(`Cannot open the database ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Takes the lock that a running server holds for its database file; the operating system frees it when the process
 * ends, however it ends. The lock lies beside the file so that backups can still read the file itself.
 * @returns a function that lets go.
 * @throws DatabaseRefused when another process holds it, or it cannot be taken at all.
 */
export function holdDatabase(path: string): () => void {
  if (path === IN_MEMORY) return () => {};
  try {
    mkdirSync(dirname(path), { recursive: true });
    const lock = new SqliteDatabase(`${path}.lock`, { timeout: 0 });
    try {
      lock.pragma('journal_mode = MEMORY');
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => lock.close();
  } catch (error) {
    const reason = isSqliteError(error, 'SQLITE_BUSY')
      ? `another ${brand.name} process is using it; stop that one first.`
      : reasonOf(error);
    throw new DatabaseRefused(`Cannot use the database ${path}: ${reason}`, { cause: error });
  }
}

/** Whether an error came from SQLite with one of these codes, extended codes (`SQLITE_IOERR_WRITE`) included. */
export function isSqliteError(
  error: unknown,
  ...codes: readonly string[]
): error is Error & { code: string } {
  return (
    error instanceof SqliteDatabase.SqliteError &&
    codes.some((code) => error.code === code || error.code.startsWith(`${code}_`))
  );
}

/**
 * Runs a step of opening a file; damage that it meets becomes a sentence for the operator.
 * @throws DatabaseRefused when SQLite finds the file damaged; whatever else `step` throws.
 */
export function refuseDamage<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (!isSqliteError(error, 'SQLITE_NOTADB', 'SQLITE_CORRUPT')) throw error;
    throw new DatabaseRefused(`Cannot open the database ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (isSqliteError(error, 'SQLITE_NOTADB', 'SQLITE_CORRUPT')) {
    return 'the file is damaged or no SQLite database. Restore a backup with `npm run db:restore -- FILE`.';
  }
  return error instanceof Error ? error.message : String(error);
}
