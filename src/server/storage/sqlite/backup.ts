/** A backup is a consistent copy while the server writes, trusted after schema, pages and ledger were checked. */
import { resolve } from 'node:path';
import { requireTrusted, writeWhole } from '../care/backup-file.ts';
import { readMigrations } from '../care/migrations.ts';
import { findingsOf, unread } from '../checks/findings.ts';
import { createComparedPast, type NotedPast } from '../checks/past.ts';
import { DatabaseRefused, type Findings } from '../port/database.ts';
import { type Database, isSqliteError, openDatabase, refuseFaults } from './connection.ts';
import { makeFile, requireLasting } from './database-files.ts';
import { checkAuditLog, checkIntegrity, checkLedger, tipsOfPast } from './ledger-check.ts';
import { checkSchema } from './migrations.ts';

export function inspectDatabase(path: string, noted: readonly NotedPast[] = []): Findings {
  return readFile(path, (database) => {
    // The temporary sums of a long ledger may not fit into memory.
    database.pragma('temp_store = FILE');
    return database.transaction(() => {
      const differences = checkSchema(database, readMigrations('sqlite')).map(
        (difference) => `Changed: ${difference}`,
      );
      // Foreign triggers and views could falsify the checks below.
      if (differences.length > 0) return unread(differences);
      const damages = checkIntegrity(database, 'full').map((damage) => `Damaged: ${damage}`);
      if (damages.length > 0) return unread(damages);
      const violations = checkLedger(database);
      const compared = createComparedPast(noted);
      for (const tip of tipsOfPast(database)) compared.add(tip);
      return findingsOf(violations, compared.compare(), checkAuditLog(database));
    })();
  });
}

export async function backUp(path: string, target: string, noted: readonly NotedPast[]): Promise<Findings> {
  requireLasting(path, target);
  return writeWhole(target, (unfinished) => {
    copyDatabase(path, unfinished, `the backup ${resolve(target)}`);
    const findings = inspectDatabase(unfinished, noted);
    requireTrusted(unfinished, findings.problems);
    return findings;
  });
}

/** The copy is private from its first byte. @throws DatabaseRefused when there is no database or it is not writable. */
export function copyDatabase(path: string, copy: string, name: string): void {
  readFile(path, (database) => {
    try {
      makeFile(copy);
      // One read transaction: SQLite's page-wise backup starts over at every write.
      database.prepare('VACUUM INTO ?').run(copy);
    } catch (error) {
      if (!isSqliteError(error, 'SQLITE_CANTOPEN', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY'))
        throw error;
      throw new DatabaseRefused(`Cannot write ${name}: ${error.message}`, { cause: error });
    }
  });
}

/** @throws DatabaseRefused when there is no database or it is damaged. */
function readFile<Result>(path: string, read: (database: Database) => Result): Result {
  return refuseFaults(path, () => {
    const database = openDatabase(path, { mustExist: true, readonly: true });
    try {
      return read(database);
    } finally {
      database.close();
    }
  });
}

/** @throws DatabaseRefused when the file is not sound, or its ledger contradicts a note. */
export function requireSound(path: string, noted: NotedPast | null = null): Findings {
  const findings = inspectDatabase(path, noted === null ? [] : [noted]);
  requireTrusted(path, [...findings.problems, ...findings.differences]);
  return findings;
}
