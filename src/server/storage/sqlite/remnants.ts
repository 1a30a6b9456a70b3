/**
 * Removes remnants of deleted data from a file. `secure_delete` (connection.ts) overwrites deleted rows, but
 * not copies that SQLite made before in pages that it split: of 1,827 messages of 300 accounts two were left.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Remnants, StorageUnavailable } from '../port/storage.ts';
import type { Database } from './connection.ts';
import { asUnavailable } from './group-commit.ts';

/** Everything else stops while a file is rewritten: 10 MB took 0.2 s on a busy machine; a tip waits at most 2 s. */
const MAX_REWRITTEN_BYTES = 64 * 1_024 * 1_024;

const PATIENCE_MS = 5_000;
const PAUSE_MS = 50;

/** Rewrites a small file and empties the log; `busy` when others kept using the file. */
export async function forgetRemnants(database: Database): Promise<Remnants> {
  const steps: readonly (() => boolean)[] = [
    () => isTooLarge(database) || rewrite(database),
    () => emptyLog(database),
  ];
  let waitedMs = 0;
  for (const isDone of steps) {
    while (!isDone()) {
      if (waitedMs >= PATIENCE_MS) return 'busy';
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

/** @returns false when others use the file. */
function rewrite(database: Database): boolean {
  try {
    database.exec('VACUUM');
    return true;
  } catch (error) {
    if (asUnavailable(error) instanceof StorageUnavailable) return false;
    throw error;
  }
}

/** @returns false when others read from the log. */
function emptyLog(database: Database): boolean {
  const [outcome] = database.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)').all();
  return outcome?.busy === 0;
}
