/**
 * All writes: steps that gather while turns of the event loop bring more share one durable commit, and are answered
 * after it (docs/decisions/003-storage-port.md).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { measure } from '#server/measures.ts';
import { StorageUnavailable } from '../port/storage.ts';
import { DAMAGE, type Database, isSqliteError } from './connection.ts';
import { type FileWatch, WITHOUT_FILES } from './file-watch.ts';

/** Bounds the time of a commit on the event loop; a step takes some tens of microseconds. */
const MAX_STEPS_PER_COMMIT = 128;
/** How long another process's write lock is waited for, in milliseconds. */
const BUSY_PATIENCE_MS = 2_000;
const BUSY_PAUSE_MS = 10;
/** The pause between checkpoints on a full disk; each try writes pages that have their place already. */
const ROOM_PAUSE_MS = 250;

interface QueuedStep {
  /** Keeps its result until the commit. Runs again when the transaction was rolled back. */
  run(): void;
  settle(): void;
  reject(error: unknown): void;
}

export interface GroupCommit {
  /**
   * Runs a synchronous step atomically and durably. It may run twice, the first time without effect, and so changes
   * nothing but the database. @throws StorageUnavailable when it was not saved, and the errors of `step`.
   */
  write<Result>(step: () => Result): Promise<Result>;
  close(): Promise<void>;
}

/** @param lossOfFile tells why a write would not last; null when it would. */
export function createGroupCommit(database: Database, lossOfFile: FileWatch = WITHOUT_FILES): GroupCommit {
  const queue: QueuedStep[] = [];
  let draining: Promise<void> | null = null;
  let isClosed = false;
  const runTogether = createRunTogether(database);
  const room = createRoom(database);

  function requireFile(): void {
    const loss = lossOfFile();
    if (loss !== null) throw new StorageUnavailable(new Error(loss));
  }

  async function commit(steps: readonly QueuedStep[]): Promise<void> {
    const deadline = performance.now() + BUSY_PATIENCE_MS;
    let isRetried = room.isShort();
    for (;;) {
      try {
        // An earlier transaction that could not be rolled back would swallow this one.
        if (database.inTransaction) database.exec('ROLLBACK');
        // The first freed room is needed for the checkpoint.
        if (room.isShort()) room.make();
        requireFile();
        const failures = runTogether(steps);
        measure('group', { size: steps.length });
        // The file may have been lost since the step was accepted.
        requireFile();
        for (const [index, step] of steps.entries()) {
          if (failures[index] === null) step.settle();
          else step.reject(asUnavailable(failures[index]));
        }
        return;
      } catch (error) {
        if (isSqliteError(error, 'SQLITE_FULL') && !isRetried) {
          room.noteFull();
          isRetried = true;
          continue;
        }
        if (!isSqliteError(error, 'SQLITE_BUSY') || performance.now() > deadline) {
          for (const step of steps) step.reject(asUnavailable(error));
          return;
        }
        await sleep(BUSY_PAUSE_MS);
      }
    }
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      // Steps join for as long as each turn brings more; with one turn, half of the waiting requests came too late.
      for (let waiting = 0; waiting < queue.length && queue.length < MAX_STEPS_PER_COMMIT; ) {
        waiting = queue.length;
        await new Promise(setImmediate);
      }
      await commit(queue.splice(0, MAX_STEPS_PER_COMMIT));
    }
    draining = null;
  }

  return {
    write<Result>(step: () => Result): Promise<Result> {
      if (isClosed) return Promise.reject(new StorageUnavailable(new Error('the storage is closed')));
      return new Promise<Result>((resolve, reject) => {
        let settle = () => {};
        queue.push({
          run() {
            const result = step();
            settle = () => resolve(result);
          },
          settle: () => settle(),
          reject,
        });
        draining ??= drain();
      });
    },

    async close() {
      isClosed = true;
      await draining;
    },
  };
}

/** Runs steps in one transaction. @returns the error of each, null for committed ones. @throws what ended it. */
function createRunTogether(database: Database): (steps: readonly QueuedStep[]) => readonly unknown[] {
  const savepoint = database.prepare('SAVEPOINT step');
  const release = database.prepare('RELEASE step');
  const undo = database.prepare('ROLLBACK TO step');

  /** Runs a step in a savepoint. A step that fails and cannot be rolled back ends the whole group. */
  function runAlone(step: QueuedStep): unknown {
    try {
      savepoint.run();
    } catch (error) {
      if (!database.inTransaction) throw error;
      return error;
    }
    try {
      step.run();
      release.run();
      return null;
    } catch (error) {
      // A full or failing disk may roll back the whole transaction, earlier steps included.
      if (!database.inTransaction) throw error;
      undo.run();
      release.run();
      return error;
    }
  }

  const runAll = database.transaction((steps: readonly QueuedStep[]) => {
    for (const step of steps) step.run();
    return steps.map((): unknown => null);
  });
  const runEachAlone = database.transaction((steps: readonly QueuedStep[]) => steps.map(runAlone));

  return (steps) => {
    try {
      return runAll.immediate(steps);
    } catch (error) {
      if (database.inTransaction || steps.length === 1 || asUnavailable(error) !== error) throw error;
      // Savepoints for all would cost each tip a copy of every page that it changes.
      return runEachAlone.immediate(steps);
    }
  };
}

/** Room on a full disk: a tip takes 40 KB of the log and less than 1 KB of the file. */
function createRoom(database: Database) {
  /** Whether a commit met a full disk and no checkpoint has succeeded since. */
  let isShort = false;
  let lastTry = { endsAt: Number.NEGATIVE_INFINITY, error: null as unknown };
  return {
    isShort: () => isShort,
    noteFull(): void {
      isShort = true;
    },

    /**
     * Empties the log, which would otherwise keep its room while it is shorter than usual.
     * @throws the driver's SQLITE_FULL when there is no room for the checkpoint, now or a moment ago.
     */
    make(): void {
      if (performance.now() < lastTry.endsAt + ROOM_PAUSE_MS) throw lastTry.error;
      try {
        const [outcome] = database.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)').all();
        isShort = outcome?.busy !== 0;
      } catch (error) {
        lastTry = { endsAt: performance.now(), error };
        throw error;
      }
    },
  };
}

/** Turns temporary failures into the port's error; others are defects and stay as they are. Damage is told. */
export function asUnavailable(error: unknown): unknown {
  if (isSqliteError(error, ...DAMAGE)) measure('damage', { error });
  const isPassing = isSqliteError(
    error,
    'SQLITE_BUSY',
    'SQLITE_LOCKED',
    'SQLITE_FULL',
    'SQLITE_IOERR',
    'SQLITE_READONLY',
    'SQLITE_CANTOPEN',
    'SQLITE_PROTOCOL',
  );
  return isPassing ? new StorageUnavailable(error) : error;
}
