/**
 * Backups: a consistent copy while the server runs and writes, and the way back. A file is trusted only after it was
 * read through and its ledger adds up, and nothing that was there before is ever overwritten.
 */

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { brand } from '#shared/brand.ts';
import {
  type Database,
  DatabaseRefused,
  holdDatabase,
  isSqliteError,
  openDatabase,
  refuseDamage,
} from './connection.ts';
import { checkIntegrity, checkLedger } from './ledger-check.ts';
import { isSchemaCurrent, isTipwells, type Migration, refuseUnknownMigrations } from './migrations.ts';

/** Files that SQLite keeps beside a database. */
const COMPANIONS = ['-wal', '-shm'];

export interface Findings {
  /** What is wrong, in sentences; empty when the file is whole and its ledger adds up. */
  readonly problems: readonly string[];
  readonly tipCount: number;
}

/**
 * Reads a whole database file and its ledger.
 * @throws DatabaseRefused when it is missing, no database, or none of Tipwell's.
 */
export function inspectDatabase(path: string): Findings {
  return refuseDamage(path, () => {
    const database = openDatabase(path, { mustExist: true, readonly: true });
    try {
      if (!isTipwells(database)) throw new DatabaseRefused(`${path} is no database of ${brand.name}'s.`);
      const damages = checkIntegrity(database, 'full').map((damage) => `Damaged: ${damage}`);
      // What a damaged file says of its ledger is worth nothing.
      if (damages.length > 0) return { problems: damages, tipCount: 0 };
      const violations = checkLedger(database).map(
        ({ invariant, offenders }) => `Violated: ${invariant} (${offenders.join(', ')})`,
      );
      return { problems: violations, tipCount: countTips(database) };
    } finally {
      database.close();
    }
  });
}

/**
 * Copies a database, consistent as of one moment, also while a server writes to it; the copy appears under its name
 * only once it is complete, checked and on the disk.
 * @returns how many tips the copy holds.
 * @throws DatabaseRefused when there is no database, the target exists, or the copy does not check out.
 */
export function backUp(path: string, target: string): number {
  const file = resolve(target);
  if (existsSync(file))
    throw new DatabaseRefused(`${file} exists already; a backup never overwrites a file.`);
  const unfinished = `${file}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    refuseDamage(path, () => {
      const database = openDatabase(path, { mustExist: true, readonly: true });
      try {
        // One read transaction for all of it: copying page by page would start over at every write.
        database.prepare('VACUUM INTO ?').run(unfinished);
        // People's data: for whoever makes the backup alone, wherever it is put.
        chmodSync(unfinished, 0o600);
      } catch (error) {
        if (!isSqliteError(error, 'SQLITE_CANTOPEN', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY'))
          throw error;
        throw new DatabaseRefused(`Cannot write the backup ${file}: ${error.message}`, { cause: error });
      } finally {
        database.close();
      }
    });
    const { tipCount } = requireSound(unfinished);
    flush(unfinished);
    renameSync(unfinished, file);
    flush(dirname(file));
    return tipCount;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

export interface Restored {
  readonly tipCount: number;
  /** Where the file that was there before lies now; null when there was none. */
  readonly keptAside: string | null;
  /** Whether its schema is today's; else the next start brings it up to date. */
  readonly isCurrent: boolean;
}

/**
 * Puts a backup in the place of the database, which is kept aside. The backup itself stays untouched.
 * @throws DatabaseRefused when a server holds the database, or the backup is damaged, does not add up, or comes from a
 *   newer version; nothing has changed then.
 */
export function restore(backup: string, path: string, migrations: readonly Migration[]): Restored {
  const release = holdDatabase(path);
  try {
    const incoming = `${path}.incoming`;
    if (resolve(backup) === resolve(path)) throw new DatabaseRefused('The backup is the database itself.');
    requireSound(backup);
    copyFileSync(backup, incoming);
    const { tipCount } = requireSound(incoming);
    const database = openDatabase(incoming, { mustExist: true, readonly: true });
    let isCurrent: boolean;
    try {
      refuseUnknownMigrations(database, migrations);
      isCurrent = isSchemaCurrent(database, migrations);
    } finally {
      database.close();
    }
    flush(incoming);
    const keptAside = existsSync(path) ? setAside(path) : null;
    for (const companion of COMPANIONS) rmSync(`${path}${companion}`, { force: true });
    renameSync(incoming, path);
    flush(dirname(path));
    return { tipCount, keptAside, isCurrent };
  } finally {
    for (const rest of ['', ...COMPANIONS]) rmSync(`${path}.incoming${rest}`, { force: true });
    release();
  }
}

/** Moves a database with all that belongs to it to a free name beside it. */
function setAside(path: string): string {
  let aside = `${path}.before-restore`;
  for (let count = 2; existsSync(aside); count += 1) aside = `${path}.before-restore-${count}`;
  for (const companion of COMPANIONS) {
    if (existsSync(`${path}${companion}`)) renameSync(`${path}${companion}`, `${aside}${companion}`);
  }
  renameSync(path, aside);
  return aside;
}

function requireSound(path: string): Findings {
  const findings = inspectDatabase(path);
  const [problem] = findings.problems;
  if (problem !== undefined) throw new DatabaseRefused(`${path} cannot be trusted. ${problem}`);
  return findings;
}

function countTips(database: Database): number {
  return database.prepare<[], number>('SELECT count(*) FROM transactions').pluck().get() ?? 0;
}

/** Makes sure that a file, or the names in a folder, are on the disk. */
function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
