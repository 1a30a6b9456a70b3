/** What one more attempt comes to that is limited. */
import type { AttemptCount } from '../port/storage.ts';

/** What is stored of the attempts under one count. */
interface StoredAttempts {
  readonly count: number;
  readonly endsAtMs: number;
}

/**
 * What one more attempt comes to: `used_up` when any of the counts is, else `taken`, with the rows that are to be saved.
 * @param counts each with what is stored of it.
 */
export function countAttempt(
  counts: readonly (AttemptCount & { readonly stored: StoredAttempts | undefined })[],
  nowMs: number,
) {
  const windows = counts.map(({ limit, account, address, maxCount, windowMs, stored }) => ({
    row: { limit, account, address, ...windowAt(nowMs, windowMs, stored) },
    maxCount,
  }));
  const usedUp = windows.filter(({ row, maxCount }) => row.count >= maxCount);
  if (usedUp.length > 0) {
    return { outcome: 'used_up', freeAtMs: Math.max(...usedUp.map(({ row }) => row.endsAtMs)) } as const;
  }
  return { outcome: 'taken', rows: windows.map(({ row }) => ({ ...row, count: row.count + 1 })) } as const;
}

/** The window in which an attempt is counted. One that lies too far ahead was begun before the clock was turned back. */
function windowAt(nowMs: number, windowMs: number, stored: StoredAttempts | undefined): StoredAttempts {
  const lastEndMs = nowMs + windowMs;
  if (!stored || stored.endsAtMs <= nowMs) return { count: 0, endsAtMs: lastEndMs };
  return { count: stored.count, endsAtMs: Math.min(stored.endsAtMs, lastEndMs) };
}
