/**
 * Removes remnants of deleted data from a file. `secure_delete` (connection.ts) overwrites deleted rows, but
 * not copies that SQLite made before in pages that it split: of 1,827 messages of 300 accounts two were left.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Remnants, StorageUnavailable } from '../port/storage.ts';
import { type Database, isSqliteError } from './connection.ts';
import { asUnavailable } from './group-commit.ts';

/** Everything else stops while a file is rewritten: 10 MB took 0.2 s on a busy machine; a tip waits at most 2 s. */
const MAX_REWRITTEN_BYTES = 64 * 1_024 * 1_024;

const PATIENCE_MS = 5_000;
const PAUSE_MS = 50;

/** `busy` while others use the file, which is tried again; `impossible` where there is no room for the rewrite. */
type Outcome = 'done' | 'busy' | 'impossible';

/** Rewrites a small file and empties the log; `busy` when others kept using the file, or the disk is full. */
export async function forgetRemnants(database: Database): Promise<Remnants> {
  const steps: readonly (() => Outcome)[] = [
    () => (isTooLarge(database) ? 'done' : rewrite(database)),
    () => emptyLog(database),
  ];
  let waitedMs = 0;
  for (const step of steps) {
    for (let outcome = step(); outcome !== 'done'; outcome = step()) {
      if (outcome === 'impossible' || waitedMs >= PATIENCE_MS) return 'busy';
      await sleep(PAUSE_MS);
      waitedMs += PAUSE_MS;
    }
  }
  return isTooLarge(database) ? 'partial' : 'complete';
}

function isTooLarge(database: Database): boolean {
  const pageCount = Number(database.pragma('page_count', { simple: true }));
  const bytesOfPage = Number(database.pragma('page_size', { simple: true }));
  return pageCount * bytesOfPage > MAX_REWRITTEN_BYTES;
}

function rewrite(database: Database): Outcome {
  try {
    database.exec('VACUUM');
    return 'done';
  } catch (error) {
    if (isSqliteError(error, 'SQLITE_BUSY', 'SQLITE_LOCKED')) return 'busy';
    if (asUnavailable(error) instanceof StorageUnavailable) return 'impossible';
    throw error;
  }
}

function emptyLog(database: Database): Outcome {
  const [outcome] = database.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)').all();
  return outcome?.busy === 0 ? 'done' : 'busy';
}
