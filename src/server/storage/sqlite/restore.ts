/**
 * Restores a backup. The database that was there before is kept aside, all sessions end, and the operator is told what the
 * backup brings back.
 */
import { existsSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type AccountDifferences,
  DatabaseRefused,
  otherPast,
  type Restored,
  type RestoreOptions,
} from '../database.ts';
import { findFirstDifference } from '../past.ts';
import { copyDatabase, requireSound } from './backup.ts';
import { type Database, holdDatabase, isSqliteError, openDatabase } from './connection.ts';
import { COMPANIONS, flush, locate, removeDatabase, tighten } from './database-files.ts';
import { checkIntegrity, tipsOfPast } from './ledger-check.ts';
import { isSchemaCurrent, type Migration } from './migrations.ts';

/** The name of the key that signs device marks; the next start makes a new one. */
const DEVICE_MARK_SECRET = 'device_mark';

/** `ManagedDatabase.restore` of the file at `path`. Sessions end in the copy, before it takes its place. */
export function restore(
  backup: string,
  path: string,
  migrations: readonly Migration[],
  options: RestoreOptions,
): Restored {
  const release = holdDatabase(path);
  const place = locate(path);
  const incoming = `${place}.incoming`;
  try {
    if (locate(backup) === place) throw new DatabaseRefused('The backup is the database itself.');
    requireSound(backup, migrations, options.noted);
    removeDatabase(incoming);
    copyDatabase(backup, incoming, `the restored database beside ${path}`);
    const { tipCount, past } = requireSound(incoming, migrations, options.noted);
    const prepared = prepare(incoming, place, migrations, options);
    flush(incoming);
    tighten(place);
    const keptAside = existsSync(place) ? setAside(place) : null;
    removeDatabase(place);
    renameSync(incoming, place);
    flush(dirname(place));
    return { tipCount, past, ...prepared, keptAside };
  } finally {
    removeDatabase(incoming);
    release();
  }
}

/** Compares the copy with the database whose place it will take, and ends what must not come back. */
function prepare(
  incoming: string,
  place: string,
  migrations: readonly Migration[],
  { keepsSessions, acceptsOtherPast, tellLostTips }: RestoreOptions,
): Omit<Restored, 'tipCount' | 'past' | 'keptAside'> {
  const database = openDatabase(incoming, { mustExist: true });
  try {
    const compared = compareWithPresent(database, place);
    if (compared !== null && compared.difference !== null && !acceptsOtherPast)
      throw otherPast(compared.difference, compared.lostTips);
    if (compared !== null) tellLostTips(compared.lostTips);
    return {
      newestTipAtMs: readNumber(database, 'SELECT created_at_ms FROM transactions ORDER BY sequence DESC'),
      sessionCount: endWhatMustNotComeBack(database, keepsSessions),
      lostTips: compared?.lostTips ?? null,
      accounts: compared?.accounts ?? null,
      isCurrent: isSchemaCurrent(database, migrations),
    };
  } finally {
    database.close();
  }
}

/**
 * In one step, ends all sessions unless they are kept, with the marks that say that a device has logged in before; and always the
 * devices that get notices, which a copy for trying something out would wake up as well.
 * @returns how many sessions there were.
 * @throws DatabaseRefused when the disk does not take it.
 */
function endWhatMustNotComeBack(database: Database, keepsSessions: boolean): number {
  try {
    // In a write-ahead log the change could stay behind when the file takes its place.
    database.pragma('journal_mode = DELETE');
    return database.transaction(() => {
      const count = countSessions(database);
      if (hasTable(database, 'push_devices')) database.exec('DELETE FROM push_devices');
      if (keepsSessions) return count ?? 0;
      if (count !== null) database.exec('DELETE FROM sessions');
      if (hasTable(database, 'secrets'))
        database.prepare('DELETE FROM secrets WHERE name = ?').run(DEVICE_MARK_SECRET);
      return count ?? 0;
    })();
  } catch (error) {
    if (!isSqliteError(error, 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY')) throw error;
    throw new DatabaseRefused(`Cannot end the sessions of the backup: ${error.message}`, { cause: error });
  }
}

/** Compares a backup with the present database; null when there is none, or it cannot be read: a damaged one is why people restore. */
function compareWithPresent(
  incoming: Database,
  place: string,
): {
  readonly difference: number | null;
  readonly lostTips: number;
  readonly accounts: AccountDifferences;
} | null {
  if (!existsSync(place)) return null;
  try {
    const present = openDatabase(place, { mustExist: true, readonly: true });
    try {
      if (checkIntegrity(present, 'quick').length > 0) return null;
      return {
        difference: findFirstDifference(tipsOfPast(incoming), tipsOfPast(present)),
        lostTips: countLostTips(incoming, present),
        accounts: compareAccounts(incoming, present),
      };
    } finally {
      present.close();
    }
  } catch (error) {
    if (error instanceof DatabaseRefused || isSqliteError(error, 'SQLITE')) return null;
    throw error;
  }
}

/** How many tips of the present database a backup does not have, whatever place they have there. */
function countLostTips(incoming: Database, present: Database): number {
  const isThere = incoming.prepare<[unknown], number>('SELECT 1 FROM transactions WHERE id = ?').pluck();
  let lost = 0;
  for (const id of present.prepare<[], unknown>('SELECT id FROM transactions').pluck().iterate()) {
    if (isThere.get(id) === undefined) lost += 1;
  }
  return lost;
}

function compareAccounts(incoming: Database, present: Database): AccountDifferences {
  const hashOf = incoming
    .prepare<[unknown], string>('SELECT password_hash FROM accounts WHERE id = ?')
    .pluck();
  let changedPasswords = 0;
  let missing = 0;
  const rows = present
    .prepare<[], readonly [id: unknown, passwordHash: unknown]>('SELECT id, password_hash FROM accounts')
    .raw()
    .iterate();
  for (const [id, passwordHash] of rows) {
    const restored = hashOf.get(id);
    if (restored === undefined) missing += 1;
    else if (restored !== passwordHash) changedPasswords += 1;
  }
  return { changedPasswords, missing };
}

function countSessions(database: Database): number | null {
  return hasTable(database, 'sessions') ? readNumber(database, 'SELECT count(*) FROM sessions') : null;
}

function hasTable(database: Database, name: string): boolean {
  return (
    database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !== undefined
  );
}

function readNumber(database: Database, query: string): number | null {
  return database.prepare<[], number>(query).pluck().get() ?? null;
}

/** Moves a database with all that belongs to it to a free name beside it. */
function setAside(place: string): string {
  let aside = `${place}.before-restore`;
  for (let count = 2; existsSync(aside); count += 1) aside = `${place}.before-restore-${count}`;
  // The log is moved before its database: the file that takes the place must not find a log that is not its own.
  for (const suffix of COMPANIONS) {
    if (existsSync(`${place}${suffix}`)) renameSync(`${place}${suffix}`, `${aside}${suffix}`);
  }
  renameSync(place, aside);
  return aside;
}
