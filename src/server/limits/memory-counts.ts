/** Counts of attempts in memory, which a restart forgets. */
import type { AttemptCount } from '../storage/port/attempts.ts';
import type { Storage } from '../storage/port/storage.ts';
import type { Quota } from './quota.ts';

/** Subjects remembered for each limit; beyond that, the one whose window ends first is forgotten. */
const MAX_REMEMBERED = 50_000;

/** Each limit has a map of its subjects in the order in which their windows end: ended ones are at the front. */
export function createMemoryCounts() {
  const windows = new Map<string, Map<string, { count: number; endsAtMs: number }>>();

  function windowsOf({ limit }: AttemptCount) {
    const present = windows.get(limit) ?? new Map<string, { count: number; endsAtMs: number }>();
    windows.set(limit, present);
    return present;
  }

  function windowOf(counted: AttemptCount, nowMs: number) {
    const ofLimit = windowsOf(counted);
    const subject = subjectOf(counted);
    const present = ofLimit.get(subject);
    const lastEndMs = nowMs + counted.windowMs;
    if (present && present.endsAtMs > nowMs) {
      // A window that ends later than a new one was begun before the clock was turned back.
      present.endsAtMs = Math.min(present.endsAtMs, lastEndMs);
      return present;
    }
    ofLimit.delete(subject);
    for (const [oldest, { endsAtMs }] of ofLimit) {
      if (endsAtMs > nowMs && ofLimit.size < MAX_REMEMBERED) break;
      ofLimit.delete(oldest);
    }
    const begun = { count: 0, endsAtMs: lastEndMs };
    ofLimit.set(subject, begun);
    return begun;
  }

  return {
    size: (limit: string): number => windows.get(limit)?.size ?? 0,

    returnAttempt(counts: readonly AttemptCount[]): void {
      for (const counted of counts) {
        const window = windowsOf(counted).get(subjectOf(counted));
        if (window && window.count > 0) window.count -= 1;
      }
    },

    takeAttempt(
      counts: readonly AttemptCount[],
      nowMs: number,
      quota?: Quota,
    ): Awaited<ReturnType<Storage['takeAttempt']>> {
      // Every tip takes this path: a loop was measured to cost half of what nested arrays did.
      const taken = [];
      let freeAtMs = -Infinity;
      for (const counted of counts) {
        const window = windowOf(counted, nowMs);
        if (window.count >= counted.maxCount) freeAtMs = Math.max(freeAtMs, window.endsAtMs);
        quota?.note(counted, Math.max(0, counted.maxCount - window.count - 1), window.endsAtMs - nowMs);
        taken.push(window);
      }
      if (freeAtMs > -Infinity) return { outcome: 'used_up', freeAtMs };
      for (const window of taken) window.count += 1;
      return { outcome: 'taken' };
    },
  };
}

/** The subject as one string for each limit. Account ids, addresses and hashes contain no space. */
export function subjectOf({ account, address }: AttemptCount): string {
  return `${account} ${address}`;
}
