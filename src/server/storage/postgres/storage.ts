/**
 * The storage port on PostgreSQL: each step is one statement, or one transaction. What is asked for most, tips, limited attempts and
 * sessions, is done in groups.
 */
import type { GivenTip } from '../port/ledger.ts';
import { type Remnants, type Storage, StorageUnavailable } from '../port/storage.ts';
import { liveSessionOf } from '../rules/accounts.ts';
import type { Statements } from '../statements/all.ts';
import { type Engine, tellingEntries } from '../steps/engine.ts';
import { runToEnd, type Step } from '../steps/step.ts';
import { createStorage } from '../steps/storage.ts';
import { openAtomicSteps } from './atomic-steps.ts';
import { type AttemptToTake, takeAttempts, takeBack } from './attempt-groups.ts';
import { createClockGuard } from './clock-check.ts';
import { asDriverError, asPortError, connect } from './connection.ts';
import { createGroupCommit } from './group-commit.ts';
import { createNotifications } from './notifications.ts';
import { checkRecent } from './recent-check.ts';
import { recordTips } from './tip-groups.ts';

interface SessionToFind {
  /** Of its token, in hexadecimal. */
  readonly hash: string;
  readonly nowMs: number;
}

/** The storage port over a database whose schema is today's. */
export function createPostgresStorage(url: string): Storage {
  const steps = openAtomicSteps(url);
  const clockGuard = createClockGuard(steps);
  const { listeners, close: stopListening } = createNotifications(() => connect(url), steps.isOwn);

  const run: Engine['read'] = (step) => steps.run((statements) => runToEnd(step(statements)));

  const engine: Engine = {
    isShared: true,
    listeners,
    read: run,
    change: run,
    transact: (step) =>
      steps.transact(async ({ begun, statements }, isRepeated) => {
        await begun;
        return runToEnd(step(statements, isRepeated));
      }, 'repeat'),
    mayHaveHappened: (error) => error instanceof StorageUnavailable,
  };

  const tips = createGroupCommit((group: readonly GivenTip[]) =>
    tellingEntries(
      engine,
      steps.transact((session, isRepeated) => recordTips(session, group, isRepeated), 'repeat'),
    ),
  );
  // Attempts that may have been counted are not counted again: whoever is refused an answer has one less at most.
  const attempts = createGroupCommit((group: readonly AttemptToTake[]) =>
    steps.transact((session) => takeAttempts(session, group), 'give_up'),
  );
  // Every request of somebody who is logged in asks for its session: a connection and a round trip for each would cost as much as the
  // tip itself.
  const sessions = createGroupCommit((group: readonly SessionToFind[]) =>
    run((statements) => findSessions(statements, group)),
  );

  const storage = createStorage(engine);
  return {
    ...storage,

    findSession: (tokenHash, nowMs) =>
      clockGuard.judge(() => sessions.add({ hash: Buffer.from(tokenHash).toString('hex'), nowMs })),

    async findEndedSessions(tokenHashes, nowMs) {
      if (!clockGuard.isRight()) return [];
      const ended = await storage.findEndedSessions(tokenHashes, nowMs);
      return clockGuard.isRight() ? ended : [];
    },

    recordTip: tips.add,

    takeAttempt: (counts, nowMs) => attempts.add({ counts, nowMs }),

    // Repeated, it could give back what was taken by another: it is rather not given back at all.
    returnAttempt: (counts) => steps.transact((session) => takeBack(session, counts), 'give_up'),

    // Every process is told of every change.
    lookForOthers: async () => {},

    forgetRemnants: () => forgetRemnants(url),

    checkRecent: () => steps.lend(checkRecent),

    checkGround: clockGuard.check,

    proveWritable: () => engine.transact(proveWritable),

    async close() {
      await Promise.all([tips.close(), attempts.close(), sessions.close()]);
      await stopListening();
      await steps.close();
    },
  };
}

const PROOF = { limit: 'readiness', account: 'readiness', address: '', count: 0, endsAtMs: 0 } as const;

/** Proves that tips could be recorded: a row is written and deleted again in one durable transaction. */
function* proveWritable({ saveAttemptCount, deleteAttemptsOn }: Statements): Step<void> {
  yield* saveAttemptCount.change(PROOF);
  yield* deleteAttemptsOn.change({ account: PROOF.account });
}

/** The sessions that a group asks for, with their accounts; null for one that has expired or that there is not. */
function* findSessions({ sessionsWithAccounts }: Statements, group: readonly SessionToFind[]) {
  const rows = yield* sessionsWithAccounts.all({
    hashes: [...new Set(group.map(({ hash }) => hash))].map((hash) => Buffer.from(hash, 'hex')),
  });
  const found = new Map(rows.map((row) => [row.tokenHash.toString('hex'), row]));
  return group.map(({ hash, nowMs }) => {
    const row = found.get(hash);
    return row && row.expiresAtMs > nowMs ? liveSessionOf(row) : null;
  });
}

/** As long as it takes: a large table may take minutes, in which everything else goes on. */
const AS_LONG_AS_IT_TAKES = { statementMs: 0, lockMs: 3_000, idleInTransactionMs: 10_000 };

/**
 * Removes the rows that were deleted or changed from the tables that hold what is personal, without waiting for the server to do it.
 * Their bytes stay in the pages until others take their place, as in its write-ahead log.
 */
async function forgetRemnants(url: string): Promise<Remnants> {
  try {
    const client = await connect(url, AS_LONG_AS_IT_TAKES);
    try {
      await client.query(
        'VACUUM accounts, former_usernames, sessions, qr_codes, photos, attempts, payout_accounts',
      );
    } finally {
      await client.end().catch(() => {});
    }
    return 'partial';
  } catch (error) {
    const reason = asPortError(asDriverError(error));
    if (reason instanceof StorageUnavailable) return 'busy';
    throw reason;
  }
}
