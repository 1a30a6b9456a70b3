/**
 * Backups: a consistent copy while the server runs and writes. A file is trusted only after its tables were compared with
 * those that the migrations make, it was read through, and its ledger adds up.
 */
import { requireTrusted, writeBackup } from '../care/backup-file.ts';
import { readMigrations } from '../care/migrations.ts';
import { findingsOf, unread } from '../checks/findings.ts';
import { createComparedPast, type NotedPast } from '../checks/past.ts';
import { DatabaseRefused, type Findings } from '../port/database.ts';
import { type Database, isSqliteError, openDatabase, refuseDamage } from './connection.ts';
import { makeFile } from './database-files.ts';
import { checkIntegrity, checkLedger, tipsOfPast } from './ledger-check.ts';
import { checkSchema } from './migrations.ts';

/** `ManagedDatabase.check` of the file at `path`. */
export function inspectDatabase(path: string, noted: readonly NotedPast[] = []): Findings {
  return readFile(path, (database) => {
    // The sums of a long ledger must not have to fit into memory.
    database.pragma('temp_store = FILE');
    return database.transaction(() => {
      const differences = checkSchema(database, readMigrations('sqlite')).map(
        (difference) => `Changed: ${difference}`,
      );
      // Triggers and views of other tables could answer the checks below; so could damage.
      if (differences.length > 0) return unread(differences);
      const damages = checkIntegrity(database, 'full').map((damage) => `Damaged: ${damage}`);
      if (damages.length > 0) return unread(damages);
      const violations = checkLedger(database);
      const compared = createComparedPast(noted);
      for (const tip of tipsOfPast(database)) compared.add(tip);
      return findingsOf(violations, compared.compare());
    })();
  });
}

/** `ManagedDatabase.backUp` of the file at `path`. */
export function backUp(path: string, target: string, noted: readonly NotedPast[]): Promise<Findings> {
  return writeBackup(target, (unfinished, file) => {
    copyDatabase(path, unfinished, `the backup ${file}`);
    const findings = inspectDatabase(unfinished, noted);
    requireTrusted(unfinished, findings.problems);
    return findings;
  });
}

/**
 * Copies a database with what is still in its log into a new file, for this user alone from its first byte.
 * @param name what the copy is called when it cannot be written.
 * @throws DatabaseRefused when there is no database, or the copy cannot be written.
 */
export function copyDatabase(path: string, copy: string, name: string): void {
  readFile(path, (database) => {
    try {
      makeFile(copy);
      // One read transaction for all of it: copying page by page would start over at every write.
      database.prepare('VACUUM INTO ?').run(copy);
    } catch (error) {
      if (!isSqliteError(error, 'SQLITE_CANTOPEN', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY'))
        throw error;
      throw new DatabaseRefused(`Cannot write ${name}: ${error.message}`, { cause: error });
    }
  });
}

/** @throws DatabaseRefused when there is no database, or it is damaged. */
function readFile<Result>(path: string, read: (database: Database) => Result): Result {
  return refuseDamage(path, () => {
    const database = openDatabase(path, { mustExist: true, readonly: true });
    try {
      return read(database);
    } finally {
      database.close();
    }
  });
}

/** @throws DatabaseRefused when anything is wrong with the file, or its ledger does not begin as it was noted. */
export function requireSound(path: string, noted: NotedPast | null = null): Findings {
  const findings = inspectDatabase(path, noted === null ? [] : [noted]);
  requireTrusted(path, [...findings.problems, ...findings.differences]);
  return findings;
}
