import type { AttemptCount } from '../port/attempts.ts';

interface StoredAttempts {
  readonly count: number;
  readonly endsAtMs: number;
}

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

/** The window of an attempt. A stored window too far ahead began before the clock was turned back. */
function windowAt(nowMs: number, windowMs: number, stored: StoredAttempts | undefined): StoredAttempts {
  const lastEndMs = nowMs + windowMs;
  if (!stored || stored.endsAtMs <= nowMs) return { count: 0, endsAtMs: lastEndMs };
  return { count: stored.count, endsAtMs: Math.min(stored.endsAtMs, lastEndMs) };
}
