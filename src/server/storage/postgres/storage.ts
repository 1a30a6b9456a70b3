/** The storage port on PostgreSQL. Tips, attempts and look-ups of sessions, the most frequent steps, run in groups. */
import { getTableName } from 'drizzle-orm';
import { measure } from '#server/measures.ts';
import type { Opening } from '../port/database.ts';
import type { GivenTip } from '../port/ledger.ts';
import { type Remnants, type Storage, StorageUnavailable } from '../port/storage.ts';
import { liveSessionOf } from '../rules/accounts.ts';
import { ERASED_BY_CLOSING } from '../schema/tables.ts';
import type { Statements } from '../statements/all.ts';
import { type Engine, tellingEntries } from '../steps/engine.ts';
import { createGroups } from '../steps/groups.ts';
import { runToEnd, type Step } from '../steps/step.ts';
import { createStorage } from '../steps/storage.ts';
import { orTermsChanged } from '../steps/terms.ts';
import { openAtomicSteps } from './atomic-steps.ts';
import { type AttemptToTake, takeAttempts, takeBack } from './attempt-groups.ts';
import { createClockGuard } from './clock-check.ts';
import { asDriverError, asPortError, connect, SERVING, type SessionLimits } from './connection.ts';
import { createNotifications } from './notifications.ts';
import { checkRecent } from './recent-check.ts';
import { recordTips } from './tip-groups.ts';

interface SessionToFind {
  readonly hash: string;
  readonly nowMs: number;
}

/** @param limits of the sessions that run the steps of the port. @param warn of what its operator should know. */
export function createPostgresStorage(
  url: string,
  limits: SessionLimits = SERVING,
  warn: Opening['warn'] = () => {},
): Storage {
  const steps = openAtomicSteps(url, limits);
  const clockGuard = createClockGuard(steps);
  const { listeners, close: stopListening } = createNotifications({
    connect: () => connect(url),
    isOwn: steps.isOwn,
    canRead: () =>
      steps
        .lend((client) => client.query('SELECT 1'))
        .then(
          () => true,
          () => false,
        ),
    warn,
  });

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

  const tips = createGroups((group: readonly GivenTip[]) => {
    measure('group', { size: group.length });
    return tellingEntries(
      engine,
      steps.transact((connection, isRepeated) => recordTips(connection, group, isRepeated), 'repeat'),
    );
  });
  // Attempts whose commit is unknown are not counted again, which costs a refused caller at most one attempt.
  const attempts = createGroups((group: readonly AttemptToTake[]) => {
    measure('group', { size: group.length });
    return steps.transact((connection) => takeAttempts(connection, group), 'give_up');
  });
  // Every request of a signed-in person looks up its session: a round trip each would cost as much as the tip.
  const sessions = createGroups((group: readonly SessionToFind[]) =>
    run((statements) => findSessions(statements, group)),
  );

  const storage = createStorage(engine);
  return {
    ...storage,

    findSession: (tokenHash, nowMs) =>
      clockGuard.judge(() => sessions.add({ hash: Buffer.from(tokenHash).toString('hex'), nowMs })),

    findApiKey: (keyHash, nowMs) => clockGuard.judge(() => storage.findApiKey(keyHash, nowMs)),

    async findEndedSessions(tokenHashes, nowMs) {
      if (!clockGuard.isRight()) return [];
      const ended = await storage.findEndedSessions(tokenHashes, nowMs);
      return clockGuard.isRight() ? ended : [];
    },

    recordTip: (tip) => orTermsChanged(tips.add(tip)),

    takeAttempt: (counts, nowMs) => attempts.add({ counts, nowMs }),

    // A repetition could return an attempt of somebody else, so an unknown commit is not repeated.
    returnAttempt: (counts) => steps.transact((connection) => takeBack(connection, counts), 'give_up'),

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

function* proveWritable({ saveAttemptCount, deleteAttemptsOn }: Statements): Step<void> {
  yield* saveAttemptCount.change(PROOF);
  yield* deleteAttemptsOn.change({ account: PROOF.account });
}

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

/** A large table may take minutes, during which everything else goes on. */
const AS_LONG_AS_IT_TAKES = { statementMs: 0, lockMs: 3_000, idleInTransactionMs: 10_000 };

/** VACUUM, because deleted bytes stay in pages; in the write-ahead log they stay until it is overwritten. */
async function forgetRemnants(url: string): Promise<Remnants> {
  try {
    const client = await connect(url, AS_LONG_AS_IT_TAKES);
    try {
      await client.query(`VACUUM ${ERASED_BY_CLOSING.map(getTableName).join(', ')}`);
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
