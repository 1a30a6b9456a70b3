/**
 * Clears away what was deleted, and could still be read in the files of a database. `secure_delete` (connection.ts) overwrites each
 * row that is deleted or changed; left are copies that SQLite made in pages which it split, before the row was deleted: of 1,827
 * words of 300 accounts, two were measured to be left in the unused parts of pages.
 */
import type { Database } from './connection.ts';

/**
 * The largest file that is written anew, in bytes. It stops everything else meanwhile: 10 MB were measured to take 0.2 s, on a busy
 * machine.
 */
const MAX_REWRITTEN_BYTES = 128 * 1_024 * 1_024;

/** Empties the log, and writes a file anew that is not too large. @returns `partial` when it is. */
export function forgetRemnants(database: Database): 'complete' | 'partial' {
  const pageCount = Number(database.pragma('page_count', { simple: true }));
  const bytesOfPage = Number(database.pragma('page_size', { simple: true }));
  const isRewritten = pageCount * bytesOfPage <= MAX_REWRITTEN_BYTES;
  if (isRewritten) database.exec('VACUUM');
  const [outcome] = database.prepare<[], { busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)').all();
  // Busy: another connection reads what is in the log.
  return isRewritten && outcome?.busy === 0 ? 'complete' : 'partial';
}
