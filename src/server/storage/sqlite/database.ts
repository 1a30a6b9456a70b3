/** A SQLite file as the server and the operator's commands handle it. */
import { readMigrations, requireCurrent } from '../care/migrations.ts';
import { requireUndamaged } from '../care/opening.ts';
import { COUNT_UNCHECKED } from '../checks/recent-check.ts';
import type { ManagedDatabase } from '../port/database.ts';
import { type Storage, StorageUnavailable } from '../port/storage.ts';
import type { Statements } from '../statements/all.ts';
import { readAll } from './all-rows.ts';
import { backUp, inspectDatabase } from './backup.ts';
import { type Database, holdDatabase, openDatabase, refuseFaults } from './connection.ts';
import { fill } from './copy-in.ts';
import { prepareStatements } from './driver.ts';
import { watchFiles } from './file-watch.ts';
import { asUnavailable } from './group-commit.ts';
import { appliedTo, migrate } from './migrations.ts';
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
        const storage = await openStorage(path, { mustExist: false }, async (database) => {
          if (appliedTo(database).length === 0) opening.tellNew();
          migrate(database, readMigrations('sqlite'), opening.announce);
          const tips = database.prepare<[], number>(COUNT_UNCHECKED).pluck().get() ?? 0;
          const statements = prepareStatements(database);
          const check = () => checkToTheEnd(database, statements);
          await requireUndamaged(path, tips, check, isPassing, opening);
          // The pages that the check has read are not those that requests will ask for.
          database.pragma('shrink_memory');
          return createSqliteStorage(database, watchFiles(path), statements);
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
    openForCommand: () =>
      openStorage(path, { mustExist: true }, async (database) => {
        requireCurrent(path, appliedTo(database), readMigrations('sqlite'));
        return createSqliteStorage(database);
      }),
    check: async (noted) => inspectDatabase(path, noted),
    backUp: (file, noted) => backUp(path, file, noted),
    restore: (backup, options) => restore(backup, path, options),
    readAll: (use) => readAll(path, use),
    fill: (tables, past, act) => fill(path, tables, past, act),
  };
}

function isPassing(error: unknown): boolean {
  return asUnavailable(error) instanceof StorageUnavailable;
}

async function openStorage(
  path: string,
  options: { readonly mustExist: boolean },
  open: (database: Database) => Promise<Storage>,
): Promise<Storage> {
  const database = openDatabase(path, options);
  try {
    return await open(database);
  } catch (error) {
    database.close();
    return refuseFaults(path, () => {
      throw error;
    });
  }
}

function checkToTheEnd(database: Database, statements: Statements): readonly string[] {
  const checkRecent = createRecentCheck(database, statements);
  const checkWindows = database.transaction(() => {
    for (let windows = 1; ; windows += 1) {
      const step = checkRecent();
      if (step.isDone || step.problems.length > 0 || windows === WINDOWS_PER_COMMIT) return step;
    }
  });
  for (;;) {
    const { problems, isDone } = checkWindows.immediate();
    if (isDone || problems.length > 0) return problems;
  }
}
