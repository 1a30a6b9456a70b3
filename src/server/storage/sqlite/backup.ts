/**
 * Backups: a consistent copy while the server runs and writes. A file is trusted only after its tables were compared with
 * those that the migrations make, it was read through, and its ledger adds up.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseRefused, type Findings } from '../database.ts';
import { createComparedPast, type NotedPast, spellPast } from '../past.ts';
import { isSqliteError, openDatabase, refuseDamage } from './connection.ts';
import { flush, makeFile } from './database-files.ts';
import { checkIntegrity, checkLedger, tipsOfPast } from './ledger-check.ts';
import { checkSchema, type Migration } from './migrations.ts';

/** `ManagedDatabase.check` of the file at `path`. */
export function inspectDatabase(
  path: string,
  migrations: readonly Migration[],
  noted: readonly NotedPast[] = [],
): Findings {
  return refuseDamage(path, () => {
    const database = openDatabase(path, { mustExist: true, readonly: true });
    try {
      // The sums of a long ledger must not have to fit into memory.
      database.pragma('temp_store = FILE');
      return database.transaction(() => {
        const differences = checkSchema(database, migrations).map((difference) => `Changed: ${difference}`);
        // Triggers and views of other tables could answer the checks below; so could damage.
        if (differences.length > 0) return unread(differences);
        const damages = checkIntegrity(database, 'full').map((damage) => `Damaged: ${damage}`);
        if (damages.length > 0) return unread(damages);
        const violations = checkLedger(database).map(
          ({ invariant, offenders }) => `Violated: ${invariant} (${offenders.join(', ')})`,
        );
        const compared = createComparedPast(noted);
        for (const tip of tipsOfPast(database)) compared.add(tip);
        const { past, differences: rewritten } = compared.compare();
        return {
          problems: violations,
          differences: rewritten,
          tipCount: past.count,
          past: spellPast(past),
        };
      })();
    } finally {
      database.close();
    }
  });
}

/** The findings where the ledger could not be read for all that is wrong. */
function unread(problems: readonly string[]): Findings {
  return { problems, differences: [], tipCount: 0, past: '' };
}

/** `ManagedDatabase.backUp` of the file at `path`. */
export function backUp(
  path: string,
  target: string,
  migrations: readonly Migration[],
  noted: readonly NotedPast[],
): Findings {
  const file = resolve(target);
  if (existsSync(file))
    throw new DatabaseRefused(`${file} exists already; a backup never overwrites a file.`);
  const unfinished = `${file}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    copyDatabase(path, unfinished, `the backup ${file}`);
    const findings = requireWhole(unfinished, migrations, noted);
    flush(unfinished);
    renameSync(unfinished, file);
    flush(dirname(file));
    return findings;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/**
 * Copies a database with what is still in its log into a new file, for this user alone from its first byte.
 * @param name what the copy is called when it cannot be written.
 * @throws DatabaseRefused when there is no database, or the copy cannot be written.
 */
export function copyDatabase(path: string, copy: string, name: string): void {
  refuseDamage(path, () => {
    const database = openDatabase(path, { mustExist: true, readonly: true });
    try {
      makeFile(copy);
      // One read transaction for all of it: copying page by page would start over at every write.
      database.prepare('VACUUM INTO ?').run(copy);
    } catch (error) {
      if (!isSqliteError(error, 'SQLITE_CANTOPEN', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY'))
        throw error;
      throw new DatabaseRefused(`Cannot write ${name}: ${error.message}`, { cause: error });
    } finally {
      database.close();
    }
  });
}

/** @throws DatabaseRefused when anything is wrong with the file, or its ledger does not begin as it was noted. */
export function requireSound(
  path: string,
  migrations: readonly Migration[],
  noted: NotedPast | null = null,
): Findings {
  const findings = requireWhole(path, migrations, noted === null ? [] : [noted]);
  const [difference] = findings.differences;
  if (difference !== undefined) throw untrusted(path, difference);
  return findings;
}

function requireWhole(path: string, migrations: readonly Migration[], noted: readonly NotedPast[]): Findings {
  const findings = inspectDatabase(path, migrations, noted);
  const [problem] = findings.problems;
  if (problem !== undefined) throw untrusted(path, problem);
  return findings;
}

function untrusted(path: string, problem: string): DatabaseRefused {
  return new DatabaseRefused(`${path} cannot be trusted. ${problem}`);
}
