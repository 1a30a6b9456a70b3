/**
 * A SQLite file as the server and the operator's commands handle it.
 */
import { brand } from '#shared/brand.ts';
import { DatabaseRefused, type ManagedDatabase } from '../database.ts';
import type { Storage } from '../storage.ts';
import { readAll } from './all-rows.ts';
import { backUp, inspectDatabase } from './backup.ts';
import { type Database, holdDatabase, openDatabase, refuseDamage } from './connection.ts';
import { checkIntegrity, checkLedger } from './ledger-check.ts';
import { isSchemaCurrent, isTipwells, migrate, readMigrations } from './migrations.ts';
import { restore } from './restore.ts';
import { createSqliteStorage } from './storage.ts';

export function manageSqlite(path: string): ManagedDatabase {
  return {
    name: path,

    async openForServer() {
      const release = holdDatabase(path);
      try {
        const storage = openStorage(path, { mustExist: false }, bringUpToDate);
        const close = async () => {
          await storage.close();
          release();
        };
        return { ...storage, close };
      } catch (error) {
        release();
        throw error;
      }
    },

    // A server may hold the same file: each step is one short transaction, which that server waits for.
    openForCommand: async () => openStorage(path, { mustExist: true }, requireCurrent),
    check: async (noted) => inspectDatabase(path, readMigrations(), noted),
    backUp: async (file) => backUp(path, file, readMigrations()),
    restore: async (backup, options) => restore(backup, path, readMigrations(), options),
    readAll: (use) => readAll(path, readMigrations(), use),
    async fill() {
      throw new DatabaseRefused('Only a PostgreSQL database can be filled with the rows of another.');
    },
  };
}

/** @param prepare is called before anything else is done with the database; when it throws, the file is closed. */
function openStorage(
  path: string,
  options: { readonly mustExist: boolean },
  prepare: (database: Database) => void,
): Storage {
  return refuseDamage(path, () => {
    const database = openDatabase(path, options);
    try {
      prepare(database);
      return createSqliteStorage(database);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function bringUpToDate(database: Database): void {
  migrate(database, readMigrations());
  const [damage = checkLedger(database)[0]?.invariant] = checkIntegrity(database, 'quick');
  if (damage !== undefined) {
    throw new DatabaseRefused(
      `The database ${database.name} is damaged (${damage}). See all of it with \`npm run db:check\`, and restore a backup.`,
    );
  }
  // The pages that the checks have read are not those that requests will ask for.
  database.pragma('shrink_memory');
}

function requireCurrent(database: Database): void {
  if (isTipwells(database) && isSchemaCurrent(database, readMigrations())) return;
  throw new DatabaseRefused(
    `${database.name} has not the tables of this version. Start ${brand.name} once, then try again.`,
  );
}
