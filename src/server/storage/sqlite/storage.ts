/** The storage port on SQLite: a step runs in one turn of the event loop, a writing one in a group commit. */
import type { Storage } from '../port/storage.ts';
import { liveSessionOf } from '../rules/accounts.ts';
import type { Statements } from '../statements/all.ts';
import type { Engine } from '../steps/engine.ts';
import { createGroups } from '../steps/groups.ts';
import { createListeners } from '../steps/listeners.ts';
import { Ended, runAtOnce, together } from '../steps/step.ts';
import { createStorage } from '../steps/storage.ts';
import type { Database } from './connection.ts';
import { prepareStatements } from './driver.ts';
import { type FileWatch, WITHOUT_FILES } from './file-watch.ts';
import { asUnavailable, createGroupCommit } from './group-commit.ts';
import { createRecentCheck } from './recent-check.ts';
import { forgetRemnants } from './remnants.ts';

type SessionToFind = Parameters<Statements['liveSession']['one']>[0];

/** Takes over an open, migrated database. @param lossOfFile tells why a write would not last; null when it would. */
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
    // One consistent state for the whole step. Async, so that an error becomes a rejection.
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

  /** Changes when another connection commits (https://sqlite.org/pragma.html#pragma_data_version). */
  const dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck();
  let knownVersion = dataVersion.get();

  // The sessions of one turn are found in one snapshot: alone, each begins a read and meets the caches cold.
  const findInSnapshot = database.transaction((group: readonly SessionToFind[]) =>
    group.map((wanted) => {
      const row = runAtOnce(statements.liveSession.one(wanted));
      return row ? liveSessionOf(row) : null;
    }),
  );
  const sessions = createGroups((group: readonly SessionToFind[]) =>
    engine.read(() => new Ended(findInSnapshot(group))),
  );

  return {
    ...createStorage(engine),

    findSession: (token, nowMs) => sessions.add({ tokenHash: Buffer.from(token), nowMs }),

    async lookForOthers() {
      const present = await engine.read(() => new Ended(dataVersion.get()));
      if (present === knownVersion) return;
      knownVersion = present;
      listeners.tellCodes('any');
      // Streams read on from the ledger; one to which nothing happened says nothing.
      listeners.tellEntries('any');
    },

    forgetRemnants: () => forgetRemnants(database),

    checkRecent: () => groupCommit.write(checkRecent),

    checkGround: async () => lossOfFile(),

    proveWritable: () => proveWritable(engine),

    async close() {
      await Promise.all([groupCommit.close(), sessions.close()]);
      database.close();
    },
  };
}

/** An expired count as large as the largest tip, which splits a page of each index: 29 pages instead of 11. */
const PROOF = {
  limit: 'readiness',
  account: 'readiness '.padEnd(64 * 1_024),
  address: '',
  count: 0,
  endsAtMs: 0,
} as const;

async function proveWritable({ transact, change }: Engine): Promise<void> {
  const { account } = PROOF;
  await transact(({ deleteAttemptsOn, saveAttemptCount }) =>
    // A row left by an interrupted proof would be kept as it is, writing little.
    together(deleteAttemptsOn.change({ account }), saveAttemptCount.change(PROOF)),
  );
  // A row that is inserted and deleted in one commit never reaches the disk.
  await change(({ deleteAttemptsOn }) => deleteAttemptsOn.change({ account }));
}
