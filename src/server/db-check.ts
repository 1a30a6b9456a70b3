/**
 * `npm run db:check`: is the database file whole, and does the ledger add up? Reads only, also while a server runs.
 */
import { join } from 'node:path';
import { brand } from '#shared/brand.ts';
import { ConfigError, parseConfig, readEnvironment } from './config.ts';
import { DatabaseRefused, openDatabase, refuseDamage } from './storage/sqlite/connection.ts';
import { checkIntegrity, checkLedger } from './storage/sqlite/ledger-check.ts';
import { isSchemaCurrent, isTipwells, readMigrations } from './storage/sqlite/migrations.ts';

const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../drizzle');

/** Says what it finds; answers the exit code. */
function check(path: string): number {
  const database = openDatabase(path, { mustExist: true, readonly: true });
  try {
    if (!isTipwells(database)) throw new DatabaseRefused(`${path} is no database of ${brand.name}'s.`);
    const damages = checkIntegrity(database, 'full').map((damage) => `Damaged: ${damage}`);
    // What a damaged file says of its ledger is worth nothing.
    const violations = damages.length > 0 ? [] : checkLedger(database);
    const findings = [
      ...damages,
      ...violations.map(({ invariant, offenders }) => `Violated: ${invariant} (${offenders.join(', ')})`),
    ];
    for (const finding of findings) say(finding);
    if (findings.length > 0) return 1;
    const tips = database.prepare<[], number>('SELECT count(*) FROM transactions').pluck().get();
    say(`${path} is whole, and its ledger of ${tips} tips adds up.`);
    if (!isSchemaCurrent(database, readMigrations(MIGRATIONS_FOLDER))) {
      say('It was written by an older version; starting the server brings it up to date.');
    }
    return 0;
  } finally {
    database.close();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  const { databasePath } = parseConfig(readEnvironment());
  process.exitCode = refuseDamage(databasePath, () => check(databasePath));
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof DatabaseRefused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
