/**
 * Opens a SQLite file so that acknowledged tips are kept: write-ahead log, every commit flushed before it is
 * answered, foreign keys enforced. Also holds the lock against a second server.
 */

import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { SOFTWARE } from '#shared/software.ts';
import { DatabaseRefused } from '../port/database.ts';
import {
  asideOfUnfinishedRestore,
  hasOtherNames,
  locate,
  makeFile,
  makeFolderOf,
  tighten,
  undoUnfinishedRestore,
} from './database-files.ts';

export type { Database };

export const IN_MEMORY = ':memory:';

/** A file without a name lives as long as the process that has it open. */
export const SAVE_IT_FIRST = 'Do not stop or restart the server: docs/troubleshooting.md says how to save it';

interface OpenOptions {
  /** Called before each statement with its text and values; its error fails the statement. */
  readonly onStatement?: (statement: unknown) => void;
  readonly mustExist?: boolean;
  /** The bytes of a database, for one that lives in memory only. */
  readonly contents?: Buffer;
  readonly readonly?: boolean;
}

/** How long opening waits for another process; an open connection never waits inside SQLite. */
const OPENING_PATIENCE_MS = 2_000;
/** For the lock of a running server, which is held for as long as that one lives. */
export const HELD_PATIENCE_MS = 0;

/** Pages of the write-ahead log: what consecutive commits write again, a late checkpoint copies once. */
const LONGEST_LOG = 8_000;
const SHORTEST_LOG = 1_000;
const LOG_SHARE = 1 / 8;

/** A file is made private unless only read. @throws DatabaseRefused when it is damaged, linked, or cannot be opened. */
export function openDatabase(path: string, options: OpenOptions = {}): Database {
  requirePresent(path, options);
  try {
    if (path !== IN_MEMORY && !options.readonly) prepareFile(locate(path), options.mustExist ?? false);
    const database = new SqliteDatabase(options.contents ?? path, {
      timeout: OPENING_PATIENCE_MS,
      fileMustExist: options.mustExist ?? false,
      readonly: options.readonly ?? false,
      ...(options.onStatement && { verbose: options.onStatement }),
    });
    try {
      if (!options.readonly) database.pragma('journal_mode = WAL');
      // Set after WAL, on which SQLite falls back to NORMAL and may lose acknowledged tips in a power failure.
      database.pragma('synchronous = FULL');
      database.pragma('foreign_keys = ON');
      // REPLACE fires delete triggers, which guard the ledger, only with this setting.
      database.pragma('recursive_triggers = ON');
      database.pragma('trusted_schema = OFF');
      // Deleted data, such as that of a closed account, must be overwritten in the file.
      database.pragma('secure_delete = ON');
      database.pragma('cache_size = -32000');
      // Statement journals in memory are cheaper than in a file.
      database.pragma('temp_store = MEMORY');
      // A checkpoint stops all writing, so the log may grow to 32 MB, or less where that would fill the disk.
      database.pragma(`wal_autocheckpoint = ${lengthOfLog(path, pageBytes(database))}`);
      // A log that grew behind a long reader is truncated afterwards.
      database.pragma(`journal_size_limit = ${LONGEST_LOG * pageBytes(database)}`);
      // A busy wait inside SQLite would stop the event loop; group-commit.ts waits outside of it.
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

/** SQLite says the same of a missing file and of one that it may not open. */
function requirePresent(path: string, { mustExist = false, contents }: OpenOptions): void {
  if (!mustExist || contents || !isMissing(path)) return;
  throw new DatabaseRefused(
    isHeld(path)
      ? `The database ${path} was deleted or moved while a server has it open. ${SAVE_IT_FIRST}.`
      : `There is no database ${path} yet. Start ${SOFTWARE} once, then try again.`,
  );
}

/** Whether a server holds the lock; a missing or unreadable lock says nothing of one. */
function isHeld(path: string): boolean {
  try {
    const lock = new SqliteDatabase(`${locate(path)}.lock`, {
      timeout: HELD_PATIENCE_MS,
      fileMustExist: true,
      readonly: true,
    });
    try {
      lock.pragma('schema_version');
      return false;
    } finally {
      lock.close();
    }
  } catch (error) {
    return isSqliteError(error, 'SQLITE_BUSY');
  }
}

function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function lengthOfLog(path: string, bytesOfPage: number): number {
  if (path === IN_MEMORY) return LONGEST_LOG;
  const { bavail, bsize } = statfsSync(dirname(locate(path)));
  const affordable = Math.floor((bavail * bsize * LOG_SHARE) / bytesOfPage);
  return Math.min(LONGEST_LOG, Math.max(SHORTEST_LOG, affordable));
}

function pageBytes(database: Database): number {
  return Number(database.pragma('page_size', { simple: true }));
}

/** The files that SQLite creates beside a database get its mode. */
function prepareFile(place: string, mustExist: boolean): void {
  if (asideOfUnfinishedRestore(place) !== null)
    throw new Error(
      'a restore of it was broken off. Start the server, which undoes it, or restore the backup again.',
    );
  if (hasOtherNames(place)) {
    throw new Error(
      'the file has a second name (a hard link), under which another process would go unnoticed. Delete that name, or put a copy in the place of the file.',
    );
  }
  if (!mustExist) {
    requireNoLogAlone(place);
    makeFolderOf(place);
    makeFile(place);
  }
  if (existsSync(place)) tighten(place);
}

/** SQLite deletes the log beside an empty file, and with it the newest tips of a database that was moved away. */
function requireNoLogAlone(place: string): void {
  const log = `${place}-wal`;
  if (existsSync(place) || (statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new Error(
    `its log ${log} is there, with the newest tips, and the file is not: it was deleted or moved. Move it back, or restore a backup. For a new database delete the log.`,
  );
}

/**
 * Takes the lock of a running server, which the operating system frees with the process. It is a file of its own, so
 * that backups can read the database, and lies where symbolic links lead, so that one file has one lock.
 * @returns a function that releases it. @throws DatabaseRefused when another process holds it or it cannot be taken.
 */
export function holdDatabase(path: string): () => void {
  if (path === IN_MEMORY) return () => {};
  try {
    const lockFile = `${locate(path)}.lock`;
    makeFolderOf(lockFile);
    makeFile(lockFile);
    const lock = new SqliteDatabase(lockFile, { timeout: HELD_PATIENCE_MS });
    try {
      lock.pragma('journal_mode = MEMORY');
      lock.exec('BEGIN EXCLUSIVE');
      undoUnfinishedRestore(locate(path));
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => lock.close();
  } catch (error) {
    const whatToDo = isMissing(path)
      ? `its file was deleted or moved. ${SAVE_IT_FIRST}.`
      : 'stop that one first.';
    const reason = isSqliteError(error, 'SQLITE_BUSY')
      ? `another ${SOFTWARE} process is using it; ${whatToDo}`
      : reasonOf(error);
    throw new DatabaseRefused(`Cannot use the database ${path}: ${reason}`, { cause: error });
  }
}

export const DAMAGE = ['SQLITE_NOTADB', 'SQLITE_CORRUPT'] as const;

/** Matches SQLite's error codes, extended ones such as `SQLITE_IOERR_WRITE` included. */
export function isSqliteError(
  error: unknown,
  ...codes: readonly string[]
): error is Error & { code: string } {
  return (
    error instanceof SqliteDatabase.SqliteError &&
    codes.some((code) => error.code === code || error.code.startsWith(`${code}_`))
  );
}

/** @throws DatabaseRefused for damage and faults of the disk; other errors of `step` are passed on. */
export function refuseFaults<Result>(path: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (!isSqliteError(error, ...DAMAGE, 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY')) throw error;
    throw new DatabaseRefused(`Cannot open the database ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (isSqliteError(error, ...DAMAGE)) {
    return 'the file is damaged or no SQLite database. Restore a backup with `npm run db:restore -- FILE`.';
  }
  if (isSqliteError(error, 'SQLITE_IOERR_GETTEMPPATH')) {
    return 'no folder for temporary files can be written to. Let SQLITE_TMPDIR name one that can, such as that of the database.';
  }
  if (isSqliteError(error, 'SQLITE_CANTOPEN'))
    return `${error.message}. Commands run as the user of the service, who alone may open its files.`;
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && error.code === 'EACCES'
    ? `${error.message}. The file or its folder belongs to another user: give it to that of the service, as by \`sudo chown -R tipwell: /var/lib/tipwell\`.`
    : error.message;
}
