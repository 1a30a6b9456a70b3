/** The storage port on SQLite: each step runs in one turn of the event loop, those that write in a group commit. */
import type { Storage } from '../port/storage.ts';
import type { Engine } from '../steps/engine.ts';
import { createListeners } from '../steps/listeners.ts';
import { Ended, runAtOnce, together } from '../steps/step.ts';
import { createStorage } from '../steps/storage.ts';
import type { Database } from './connection.ts';
import { prepareStatements } from './driver.ts';
import { type FileWatch, WITHOUT_FILES } from './file-watch.ts';
import { asUnavailable, createGroupCommit } from './group-commit.ts';
import { createRecentCheck } from './recent-check.ts';
import { forgetRemnants } from './remnants.ts';

/** The storage port over an open and migrated database, which it closes in the end. @param lossOfFile why no write would last. */
export function createSqliteStorage(
  database: Database,
  lossOfFile: FileWatch = WITHOUT_FILES,
  statements = prepareStatements(database),
): Storage {
  const checkRecent = createRecentCheck(database, statements);
  const groupCommit = createGroupCommit(database, lossOfFile);
  const listeners = createListeners();

  const write: Engine['change'] = (step) => groupCommit.write(() => runAtOnce(step(statements)));

  const engine: Engine = {
    isShared: false,
    listeners,
    // All of it sees one consistent state. Async, so that an error is a rejection.
    async read(step) {
      try {
        return runAtOnce(step(statements));
      } catch (error) {
        throw asUnavailable(error);
      }
    },
    change: write,
    transact: (step) => write((prepared) => step(prepared, false)),
    mayHaveHappened: () => false,
  };

  /** Changes when another connection has committed (https://sqlite.org/pragma.html#pragma_data_version). */
  const dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck();
  let knownVersion = dataVersion.get();

  return {
    ...createStorage(engine),

    async lookForOthers() {
      const present = await engine.read(() => new Ended(dataVersion.get()));
      if (present === knownVersion) return;
      knownVersion = present;
      listeners.tellCodes('any');
    },

    forgetRemnants: () => forgetRemnants(database),

    checkRecent: () => groupCommit.write(checkRecent),

    // The clock is the process's own: a file has none.
    checkGround: async () => lossOfFile(),

    proveWritable: () => proveWritable(engine),

    async close() {
      await groupCommit.close();
      database.close();
    },
  };
}

/**
 * A count of attempts at nothing, over before it began, which takes as much room as the longest tip: one that splits a page of
 * each index was measured to write 29 pages (11 as a rule). Of this row the table and an index hold the long text each.
 */
const PROOF = {
  limit: 'readiness',
  account: 'readiness '.padEnd(64 * 1_024),
  address: '',
  count: 0,
  endsAtMs: 0,
} as const;

/** Proves that tips could be recorded. */
async function proveWritable({ transact, change }: Engine): Promise<void> {
  const { account } = PROOF;
  await transact(({ deleteAttemptsOn, saveAttemptCount }) =>
    // One that is left from a proof that was cut off would be kept as it is, which writes little.
    together(deleteAttemptsOn.change({ account }), saveAttemptCount.change(PROOF)),
  );
  // In a commit of its own: what is made and deleted in one never reaches the disk.
  await change(({ deleteAttemptsOn }) => deleteAttemptsOn.change({ account }));
}
