/** Restores a backup: keeps the present database aside, ends sessions, tells the operator of changes. */
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SOFTWARE } from '#shared/software.ts';
import { AUDIT_HEAD } from '../care/audit.ts';
import { flush, flushFolder } from '../care/backup-file.ts';
import { isCurrent, readMigrations, UnknownVersion } from '../care/migrations.ts';
import { compareWithPresent, settle } from '../care/restore.ts';
import { findFirstDifference, type NotedPast } from '../checks/past.ts';
import { DatabaseRefused, type Restored, type RestoreOptions, type UndoneAct } from '../port/database.ts';
import type { AuditHead } from '../rules/audit.ts';
import { copyDatabase, requireSound } from './backup.ts';
import { DAMAGE, type Database, holdDatabase, isSqliteError, openDatabase } from './connection.ts';
import {
  ALL_FILES,
  bringBack,
  COMPANIONS,
  giveToOwner,
  incomingBeside,
  locate,
  requireLasting,
  tighten,
  undoUnfinishedRestore,
} from './database-files.ts';
import { checkIntegrity, tipsOfPast } from './ledger-check.ts';
import { appliedTo } from './migrations.ts';

/** `ManagedDatabase.restore` of the file at `path`. Sessions end in the copy before it takes its place. */
export async function restore(backup: string, path: string, options: RestoreOptions): Promise<Restored> {
  const place = locate(path);
  requireLasting(place, backup);
  const release = holdDatabase(path);
  const incoming = incomingBeside(place);
  let keptAside: string | null = null;
  try {
    if (locate(backup) === place) throw new DatabaseRefused('The backup is the database itself.');
    requireBackup(backup, options.noted);
    copyDatabase(backup, incoming, `the restored database beside ${path}`);
    const { tipCount, past } = requireSound(incoming, options.noted);
    const prepared = await prepare(incoming, place, options);
    flush(incoming);
    giveToOwner(place, [incoming, `${place}.lock`]);
    tighten(place);
    // Of a database that was moved away, the log may be left.
    const isAnythingThere = ['', '-wal'].some((suffix) => existsSync(`${place}${suffix}`));
    if (isAnythingThere) keptAside = keepAside(place);
    // The log goes before the file is replaced, so that the restored one never meets a foreign log.
    for (const suffix of COMPANIONS) rmSync(`${place}${suffix}`, { force: true });
    flushFolder(dirname(place));
    renameSync(incoming, place);
    flushFolder(dirname(place));
    return { tipCount, past, ...prepared, keptAside };
  } finally {
    undoUnfinishedRestore(place);
    if (keptAside !== null && !existsSync(place)) bringBack(keptAside, place);
    release();
  }
}

/** The reasons of a database that cannot be opened are those of a server, which advises to restore a backup. */
function requireBackup(backup: string, noted: NotedPast | null): void {
  if (!statSync(backup, { throwIfNoEntry: false })?.isFile())
    throw new DatabaseRefused(`There is no file ${backup}. Nothing was changed.`);
  const refused = (reason: string) =>
    new DatabaseRefused(`The backup ${backup} ${reason}. Nothing was changed.`);
  try {
    requireSound(backup, noted);
  } catch (error) {
    if (error instanceof UnknownVersion)
      throw refused(`was made by a newer or different version of ${SOFTWARE}; restore it with that one`);
    if (error instanceof DatabaseRefused && isSqliteError(error.cause, ...DAMAGE))
      throw refused('is damaged or no SQLite database; take another one');
    throw error;
  }
}

async function prepare(incoming: string, place: string, options: RestoreOptions) {
  const database = openDatabase(incoming, { mustExist: true });
  try {
    const compared = await compare(database, place, options);
    const ask = askIn(database);
    const hasTable = (name: string) => hasTableIn(database, 'main', name);
    // With a write-ahead log, the change could stay in a log that is not moved.
    database.pragma('journal_mode = DELETE');
    database.exec('BEGIN');
    const run = (statement: string) => database.exec(statement);
    const auditHead = () => database.prepare<[], AuditHead>(AUDIT_HEAD).get();
    const settled = await settle({ ask, hasTable, run, auditHead }, compared, options);
    database.exec('COMMIT');
    return { ...settled, isCurrent: isCurrent(appliedTo(database), readMigrations('sqlite')) };
  } catch (error) {
    if (!isSqliteError(error, 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY')) throw error;
    throw new DatabaseRefused(`Cannot end the sessions of the backup: ${error.message}`, { cause: error });
  } finally {
    database.close();
  }
}

/**
 * Null when there is no present database, or a damaged one, which is a reason to restore.
 * @throws DatabaseRefused when another reason keeps it from being read, such as its mode: it may have a past to guard.
 */
async function compare(incoming: Database, place: string, { acceptsOtherPast }: RestoreOptions) {
  if (!existsSync(place)) return null;
  try {
    const present = openDatabase(place, { mustExist: true, readonly: true });
    try {
      if (checkIntegrity(present, 'quick').length > 0) return null;
      const difference = findFirstDifference(tipsOfPast(incoming), tipsOfPast(present));
      present.prepare('ATTACH ? AS backup').run(incoming.name);
      const schemas = { backup: 'backup', present: 'main' } as const;
      const beside = {
        ...schemas,
        ask: askIn(present),
        listActs: (query: string) => present.prepare<[], UndoneAct>(query).all(),
        hasTable: (whose: keyof typeof schemas, name: string) => hasTableIn(present, schemas[whose], name),
      };
      return await compareWithPresent(beside, difference);
    } finally {
      present.close();
    }
  } catch (error) {
    if (!(error instanceof DatabaseRefused || isSqliteError(error, 'SQLITE'))) throw error;
    const cause = error instanceof DatabaseRefused ? error.cause : error;
    // A file without tables, as a broken off start leaves it, is an error of the query alone.
    if (acceptsOtherPast || isSqliteError(cause, ...DAMAGE, 'SQLITE_ERROR')) return null;
    throw new DatabaseRefused(
      `Nothing was changed: the present database could not be compared with the backup, and --other-past restores without that. ${error.message}`,
      { cause: error },
    );
  }
}

function hasTableIn(database: Database, schema: string, name: string): boolean {
  const query = `SELECT 1 FROM ${schema}.sqlite_schema WHERE type = 'table' AND name = '${name}'`;
  return askIn(database)(query) !== null;
}

function askIn(database: Database) {
  return (query: string) => database.prepare<[], number>(query).pluck().get() ?? null;
}

/**
 * Gives the present database a second name, so that a kill leaves it or the restored one under the first; the next
 * start takes the second one away again.
 */
function keepAside(place: string): string {
  const isTaken = (name: string) => ALL_FILES.some((suffix) => existsSync(`${name}${suffix}`));
  let aside = `${place}.before-restore`;
  for (let count = 2; isTaken(aside); count += 1) aside = `${place}.before-restore-${count}`;
  const present = (suffix: string) => existsSync(`${place}${suffix}`);
  try {
    for (const suffix of ALL_FILES.filter(present)) linkSync(`${place}${suffix}`, `${aside}${suffix}`);
  } catch {
    // Where a file system has no hard links, there is no database under its name for a moment.
    moveAside(place, aside);
  }
  flushFolder(dirname(place));
  return aside;
}

function moveAside(place: string, aside: string): void {
  try {
    for (const suffix of ALL_FILES.toReversed())
      if (existsSync(`${place}${suffix}`)) renameSync(`${place}${suffix}`, `${aside}${suffix}`);
  } catch (error) {
    bringBack(aside, place);
    throw error;
  }
}
