/** Watches that new tips add up, and that the database and the clock are still those of the start. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '#shared/calendar.ts';
import { measure, onMeasure, stopwatch } from './measures.ts';
import type { Storage } from './storage/port/storage.ts';
import type { Troubles } from './troubles.ts';

const LEDGER_CHECK_INTERVAL_MS = 60_000;
const MAX_STEP_OF_CLOCK_MS = 60_000;
/** A clock that was set wrongly is mostly set again within this time. */
const UNSTEADY_FOR_SECONDS = 3_600;

/** Bounds one check while tips are recorded as fast as they are checked: 200,000 of them. */
const MAX_STEPS = 1_000;

/** @returns problems in sentences. A stopped check continues with the next call. @throws StorageUnavailable */
export async function checkWhatIsNew(
  storage: Pick<Storage, 'checkRecent'>,
  isStopped: () => boolean,
): Promise<readonly string[]> {
  for (let step = 0; step < MAX_STEPS && !isStopped(); step += 1) {
    const { problems, isDone } = await storage.checkRecent();
    if (problems.length > 0 || isDone) return problems;
    await nextTurn();
  }
  return [];
}

export function startLedgerChecks(
  storage: Pick<Storage, 'checkRecent'>,
  log: Logger,
  troubles: Troubles,
): () => void {
  let isStopped = false;
  let isRunning = false;
  let told = '';

  async function run(): Promise<void> {
    const problems = await checkWhatIsNew(storage, () => isStopped);
    // A ledger that did not add up once is not trusted again before a start has checked it.
    measure('ledgerCheck', { isSound: problems.length === 0 && told === '' });
    if (problems.length === 0) return;
    troubles.begin('ledger');
    if (told !== problems.join('\n')) log.error({ problems }, 'the ledger does not add up');
    told = problems.join('\n');
  }

  const checking = setInterval(() => {
    if (isRunning) return;
    isRunning = true;
    run()
      .catch((err: unknown) => {
        if (!isStopped) log.warn({ err }, 'could not check the ledger');
      })
      .finally(() => {
        isRunning = false;
      });
  }, LEDGER_CHECK_INTERVAL_MS).unref();
  return () => {
    isStopped = true;
    clearInterval(checking);
  };
}

/** Tells the first damage that a request meets. Only a start that reads all data through finds it whole again. */
export function watchForDamage(log: Logger, troubles: Troubles): () => void {
  let isTold = false;
  return onMeasure('damage', ({ error: err }) => {
    troubles.begin('data');
    if (!isTold) log.error({ err }, 'the data is damaged');
    isTold = true;
  });
}

/** Reports changes of `Storage.checkGround`. @returns true while the storage may write. It never throws. */
export function createGroundWatch(deps: {
  readonly storage: Pick<Storage, 'checkGround'>;
  readonly clock: Clock;
  readonly log: Logger;
}): () => Promise<boolean> {
  const { storage, clock, log } = deps;
  let isTold = false;
  return async () => {
    try {
      const reason = await storage.checkGround(clock);
      if (reason !== null && !isTold) log.error({ reason }, 'NOTHING IS SAVED: writes are refused');
      if (reason === null && isTold) log.info('writes are taken again');
      isTold = reason !== null;
      return reason === null;
    } catch (err) {
      log.warn({ err }, 'could not compare the data and the clock with those of the start');
      return false;
    }
  };
}

/** Call it every minute. @returns false for an hour after the clock was set by more than a minute. */
export function createClockWatch(clock: Clock, log: Logger): () => boolean {
  const seconds = stopwatch();
  const startedAtMs = () => clock() - seconds() * 1_000;
  let knownMs = startedAtMs();
  let steadyFrom = 0;
  return () => {
    const setByMs = Math.round(startedAtMs() - knownMs);
    knownMs += setByMs;
    if (Math.abs(setByMs) > MAX_STEP_OF_CLOCK_MS) {
      steadyFrom = seconds() + UNSTEADY_FOR_SECONDS;
      log.warn({ setByMs }, 'the clock was set: what has expired is kept for another hour');
    }
    return seconds() >= steadyFrom;
  };
}
