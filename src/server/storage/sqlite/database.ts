/**
 * A SQLite file as the server and the operator's commands handle it.
 */
import { DatabaseRefused, type ManagedDatabase, type Opening } from '../database.ts';
import { requireCurrent } from '../seen-migrations.ts';
import { type Storage, StorageUnavailable } from '../storage.ts';
import { readAll } from './all-rows.ts';
import { backUp, inspectDatabase } from './backup.ts';
import { type Database, holdDatabase, openDatabase, refuseDamage } from './connection.ts';
import { type FileWatch, WITHOUT_FILES, watchFiles } from './file-watch.ts';
import { asUnavailable } from './group-commit.ts';
import { appliedTo, migrate, readMigrations } from './migrations.ts';
import { createRecentCheck } from './recent-check.ts';
import { restore } from './restore.ts';
import { createSqliteStorage } from './storage.ts';

/** How many windows a start checks in one commit: each commit is flushed to the disk. */
const WINDOWS_PER_COMMIT = 100;

export function manageSqlite(path: string): ManagedDatabase {
  return {
    name: path,

    async openForServer(opening) {
      const release = holdDatabase(path);
      try {
        const storage = openStorage(path, { mustExist: false }, (database) => {
          bringUpToDate(database, opening);
          return watchFiles(path);
        });
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
    openForCommand: async () =>
      openStorage(path, { mustExist: true }, (database) => {
        requireCurrent(path, appliedTo(database), readMigrations());
        return WITHOUT_FILES;
      }),
    check: async (noted) => inspectDatabase(path, readMigrations(), noted),
    backUp: async (file, noted) => backUp(path, file, readMigrations(), noted),
    restore: async (backup, options) => restore(backup, path, readMigrations(), options),
    readAll: (use) => readAll(path, readMigrations(), use),
    async fill() {
      throw new DatabaseRefused('Only a PostgreSQL database can be filled with the rows of another.');
    },
  };
}

/**
 * @param prepare is called before anything else is done with the database; when it throws, the file is closed. What it returns
 *   watches the file from then on.
 */
function openStorage(
  path: string,
  options: { readonly mustExist: boolean },
  prepare: (database: Database) => FileWatch,
): Storage {
  return refuseDamage(path, () => {
    const database = openDatabase(path, options);
    try {
      return createSqliteStorage(database, prepare(database));
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

function bringUpToDate(database: Database, opening: Opening): void {
  if (appliedTo(database).length === 0) opening.tellNew();
  migrate(database, readMigrations(), opening.announce);
  const tellEnd = opening.announce('checking the ledger', { tips: countUnchecked(database) });
  const [problem] = checkToTheEnd(database, opening);
  if (problem !== undefined) {
    throw new DatabaseRefused(
      `The database ${database.name} is damaged (${problem}). See all of it with \`npm run db:check\`, and restore a backup.`,
    );
  }
  tellEnd();
  // The pages that the check has read are not those that requests will ask for.
  database.pragma('shrink_memory');
}

/** How many tips were given since the last check. */
function countUnchecked(database: Database): number {
  const count = database
    .prepare<[], number>(
      `SELECT coalesce((SELECT max(sequence) FROM transactions), 0) -
         coalesce((SELECT transaction_sequence FROM checkpoints), 0)`,
    )
    .pluck()
    .get();
  return count ?? 0;
}

/** Checks what was written to the ledger since the last check. @returns what is wrong with it, in sentences. */
function checkToTheEnd(database: Database, { warn }: Pick<Opening, 'warn'>): readonly string[] {
  const checkRecent = createRecentCheck(database);
  const checkWindows = database.transaction(() => {
    let step = checkRecent();
    for (let windows = 1; windows < WINDOWS_PER_COMMIT && !step.isDone; windows += 1) {
      if (step.problems.length > 0) return step;
      step = checkRecent();
    }
    return step;
  });
  try {
    for (;;) {
      const { problems, isDone } = checkWindows.immediate();
      if (isDone || problems.length > 0) return problems;
    }
  } catch (error) {
    if (!(asUnavailable(error) instanceof StorageUnavailable)) throw error;
    warn('what was written to the ledger since the last check could not be checked', error);
    return [];
  }
}
