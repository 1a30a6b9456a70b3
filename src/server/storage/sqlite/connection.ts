/**
 * Opens a SQLite file the one way that keeps acknowledged tips: write-ahead log, every commit flushed to the disk
 * before it is answered, foreign keys enforced. Also holds the lock that keeps a second server off the same file.
 */

import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { brand } from '#shared/brand.ts';
import { DatabaseRefused } from '../port/database.ts';
import { hasOtherNames, locate, makeFile, makeFolderOf, tighten } from './database-files.ts';

export type { Database };

/** The path of a database that lives in memory only, for tests. */
export const IN_MEMORY = ':memory:';

interface OpenOptions {
  /** Called before each statement with its text, values filled in; an error that it throws fails the statement. */
  readonly onStatement?: (statement: unknown) => void;
  /** Refuse to make a file that is not there. */
  readonly mustExist?: boolean;
  readonly readonly?: boolean;
}

/** How long opening may wait for another process, in milliseconds; an open connection never waits inside SQLite. */
const OPENING_PATIENCE_MS = 2_000;

/** Of the write-ahead log, in pages. Consecutive commits write the same pages again, which a late copy copies once. */
const LONGEST_LOG = 8_000;
const SHORTEST_LOG = 1_000;
/** The part of the free disk that the log may take. */
const LOG_SHARE = 1 / 8;

/**
 * Opens the database file at `path`, making it and its folder when missing, for this user alone. A file that others could
 * read is closed to them, unless it is only read.
 * @throws DatabaseRefused when the file is no database, is damaged, has a second name, or cannot be opened.
 */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  try {
    if (path !== IN_MEMORY && !options.readonly) prepareFile(locate(path), options.mustExist ?? false);
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
      // What is deleted is overwritten: an account that is closed has to be gone from the file as well.
      database.pragma('secure_delete = ON');
      database.pragma('cache_size = -32000');
      // What each step of a commit would need to be undone is kept in memory, instead of a file that nobody reads.
      database.pragma('temp_store = MEMORY');
      // Each copying back of the log stops all writing, and pages that are written again and again in between are
      // copied once: some 32 MB of log, and less where that would fill the disk.
      database.pragma(`wal_autocheckpoint = ${lengthOfLog(path, pageBytes(database))}`);
      // A long reader keeps the log from starting over; the room that it has grown to by then is given back.
      database.pragma(`journal_size_limit = ${LONGEST_LOG * pageBytes(database)}`);
      // A busy wait inside SQLite would stop the event loop; group-commit.ts waits outside instead.
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

/** How many pages the log may have before it is copied back, which are fewer on a disk that it would fill. */
function lengthOfLog(path: string, bytesOfPage: number): number {
  if (path === IN_MEMORY) return LONGEST_LOG;
  const { bavail, bsize } = statfsSync(dirname(locate(path)));
  const affordable = Math.floor((bavail * bsize * LOG_SHARE) / bytesOfPage);
  return Math.min(LONGEST_LOG, Math.max(SHORTEST_LOG, affordable));
}

function pageBytes(database: Database): number {
  return Number(database.pragma('page_size', { simple: true }));
}

/** Prepares a file before SQLite opens it, because the files that SQLite makes beside it get its mode. */
function prepareFile(place: string, mustExist: boolean): void {
  if (hasOtherNames(place)) {
    throw new Error(
      'the file has a second name (a hard link), under which another process would go unnoticed. Delete that name, or put a copy in the place of the file.',
    );
  }
  if (!mustExist) {
    makeFolderOf(place);
    makeFile(place);
  }
  if (existsSync(place)) tighten(place);
}

/**
 * Takes the lock that a running server holds for its database file; the operating system frees it when the process
 * ends, however it ends. The lock lies beside the file so that backups can still read the file itself, and where symbolic
 * links lead to it, so that the same file cannot be locked under two names.
 * @returns a function that lets go.
 * @throws DatabaseRefused when another process holds it, or it cannot be taken at all.
 */
export function holdDatabase(path: string): () => void {
  if (path === IN_MEMORY) return () => {};
  try {
    const lockFile = `${locate(path)}.lock`;
    makeFolderOf(lockFile);
    makeFile(lockFile);
    const lock = new SqliteDatabase(lockFile, { timeout: 0 });
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
