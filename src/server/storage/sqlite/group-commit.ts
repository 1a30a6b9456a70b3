/**
 * The one way to write: steps, gathered for as long as each turn of the event loop brings more, share one durable commit,
 * each in its own savepoint, and are answered after that commit. Flushing to the disk is what a write costs, so sharing the flush is
 * what makes many small tips fast without losing one. Waits for a busy file happen here, outside SQLite, so that
 * they never stop the event loop.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageUnavailable } from '../port/storage.ts';
import { type Database, isSqliteError } from './connection.ts';
import { type FileWatch, WITHOUT_FILES } from './file-watch.ts';

/** Bounds how long one commit may keep the event loop: a step takes some tens of microseconds. */
const MAX_STEPS_PER_COMMIT = 128;
/** How long to go on trying while another process holds the write lock, in milliseconds. */
const BUSY_PATIENCE_MS = 2_000;
const BUSY_PAUSE_MS = 10;
/** How long a full disk is left alone before the log is copied back again: each try writes pages that have their place already. */
const ROOM_PAUSE_MS = 250;

interface QueuedStep {
  /** Runs in its own savepoint and keeps its result until the commit; a throw undoes this step alone. */
  run(): void;
  /** Answers with what `run` produced. */
  settle(): void;
  reject(error: unknown): void;
}

export interface GroupCommit {
  /**
   * Runs a synchronous step atomically and durably; reads in it see all earlier steps.
   * @throws StorageUnavailable when it could not be saved; whatever `step` throws, with nothing changed.
   */
  write<Result>(step: () => Result): Promise<Result>;
  /** Waits for all accepted steps, and accepts no more. */
  close(): Promise<void>;
}

/** @param lossOfFile says why nothing that is written would last. */
export function createGroupCommit(database: Database, lossOfFile: FileWatch = WITHOUT_FILES): GroupCommit {
  const queue: QueuedStep[] = [];
  let draining: Promise<void> | null = null;
  let isClosed = false;

  const savepoint = database.prepare('SAVEPOINT step');
  const release = database.prepare('RELEASE step');
  const undo = database.prepare('ROLLBACK TO step');

  /** Runs one step in a savepoint. A step that fails and cannot be undone ends the group: rather nothing than half. */
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
      // A full disk or a failing one may end the whole transaction; what came before is then undone as well.
      if (!database.inTransaction) throw error;
      undo.run();
      release.run();
      return error;
    }
  }

  const commitTogether = database.transaction((steps: readonly QueuedStep[]) => steps.map(runAlone));

  /** Whether a commit has found the disk full, and the log has not been copied back since. */
  let isShortOfRoom = false;
  let lastTry = { endsAt: Number.NEGATIVE_INFINITY, error: null as unknown };

  /**
   * Copies the log back into the file and gives its room to the disk. Short of its usual length the log would keep it,
   * however much is freed elsewhere: a tip takes some 40 KB of the log, and less than 1 KB of the file.
   * @throws the driver's SQLITE_FULL when there is no room for the copy either, now or a moment ago.
   */
  function makeRoom(): void {
    if (performance.now() < lastTry.endsAt + ROOM_PAUSE_MS) throw lastTry.error;
    try {
      const [outcome] = database.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)').all();
      // Busy: another connection reads what is in the log.
      isShortOfRoom = outcome?.busy !== 0;
    } catch (error) {
      lastTry = { endsAt: performance.now(), error };
      throw error;
    }
  }

  function requireFile(): void {
    const loss = lossOfFile();
    if (loss !== null) throw new StorageUnavailable(new Error(loss));
  }

  async function commit(steps: readonly QueuedStep[]): Promise<void> {
    const deadline = performance.now() + BUSY_PATIENCE_MS;
    let isRetried = isShortOfRoom;
    for (;;) {
      try {
        // A commit that failed and could not be rolled back either would swallow this one.
        if (database.inTransaction) database.exec('ROLLBACK');
        // The first room that becomes free is needed to copy the log back, so that comes before any step.
        if (isShortOfRoom) makeRoom();
        requireFile();
        const failures = commitTogether.immediate(steps);
        // Before anything is acknowledged, because it may have gone since.
        requireFile();
        for (const [index, step] of steps.entries()) {
          if (failures[index] === null) step.settle();
          else step.reject(asUnavailable(failures[index]));
        }
        return;
      } catch (error) {
        if (isSqliteError(error, 'SQLITE_FULL') && !isRetried) {
          isShortOfRoom = true;
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
      // Requests that the next turns of the loop parse join this commit, as long as each turn brings more: with one turn
      // only, about half of the requests that wait for the same disk were measured to come too late.
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

/** Turns the driver's "not now" into the port's; everything else is a defect and stays what it is. */
export function asUnavailable(error: unknown): unknown {
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
