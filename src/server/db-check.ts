/**
 * `npm run db:check`: is the database file whole, and does the ledger add up? Reads only, also while a server runs.
 */
import { ConfigError, parseConfig, readEnvironment } from './config.ts';
import { DatabaseRefused, openDatabase } from './storage/sqlite/connection.ts';
import { checkIntegrity, checkLedger } from './storage/sqlite/ledger-check.ts';

function check(): number {
  const { databasePath } = parseConfig(readEnvironment());
  const database = openDatabase(databasePath, { mustExist: true, readonly: true });
  try {
    const damages = checkIntegrity(database, 'full');
    const violations = checkLedger(database);
    for (const damage of damages) say(`Damaged: ${damage}`);
    for (const { invariant, offenders } of violations)
      say(`Violated: ${invariant} (${offenders.join(', ')})`);
    if (damages.length > 0 || violations.length > 0) return 1;
    const tips = database.prepare<[], number>('SELECT count(*) FROM transactions').pluck().get();
    say(`${databasePath} is whole, and its ledger of ${tips} tips adds up.`);
    return 0;
  } finally {
    database.close();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = check();
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof DatabaseRefused)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
