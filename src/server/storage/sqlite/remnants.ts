/**
 * Clears away what was deleted, and could still be read in the files of a database. `secure_delete` (connection.ts) overwrites each
 * row that is deleted or changed; left are copies that SQLite made in pages which it split, before the row was deleted: of 1,827
 * words of 300 accounts, two were measured to be left in the unused parts of pages.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Remnants, StorageUnavailable } from '../port/storage.ts';
import type { Database } from './connection.ts';
import { asUnavailable } from './group-commit.ts';

/**
 * The largest file that is written anew, in bytes. It stops everything else meanwhile, also in a server while a command does it: 10 MB
 * were measured to take 0.2 s on a busy machine, and a tip waits 2 s for another process at most.
 */
const MAX_REWRITTEN_BYTES = 64 * 1_024 * 1_024;

/** How long to go on trying while others use the file, in milliseconds. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 50;

/** Writes a file anew that is not too large, and empties the log. It is `busy` when others did not let it for some seconds. */
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

/** @returns whether nobody else had the file. */
function rewrite(database: Database): boolean {
  try {
    database.exec('VACUUM');
    return true;
  } catch (error) {
    if (asUnavailable(error) instanceof StorageUnavailable) return false;
    throw error;
  }
}

/** @returns whether nobody else was reading what is in the log. */
function emptyLog(database: Database): boolean {
  const [outcome] = database.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)').all();
  return outcome?.busy === 0;
}
