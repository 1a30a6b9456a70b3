/** Bounds the requests to push services, so that one that does not answer delays only its own devices. */
import { createHostQueue } from '#server/queue/host-queue.ts';
import { type Clock, isNear } from '#shared/calendar.ts';
import type { PushOutcome } from './push-request.ts';

const MAX_AT_ONCE = 16;
const MAX_AT_ONCE_TO_HOST = 4;
const REST_MS = 5_000;
const MISSES_BEFORE_REST = 4;
/** Longer than the first waits between the tries of a device. */
const REMEMBERED_MS = 10 * 60_000;

export interface PushQueue {
  /** Makes a request when it is the host's turn; `postponed` when the host recently did not answer. */
  run(host: string, request: () => Promise<PushOutcome | null>): Promise<PushOutcome | null | 'postponed'>;
}

interface Misses {
  readonly count: number;
  readonly lastMs: number;
}

export function createPushQueue(clock: Clock): PushQueue {
  /** The hosts that did not answer, since they last did. The one that missed last stands last. */
  const missed = new Map<string, Misses>();
  const queue = createHostQueue(MAX_AT_ONCE, MAX_AT_ONCE_TO_HOST);

  function rests(host: string): boolean {
    const misses = missed.get(host);
    return (
      misses !== undefined && misses.count >= MISSES_BEFORE_REST && isNear(REST_MS, misses.lastMs, clock())
    );
  }

  function note(host: string, isMiss: boolean): void {
    const nowMs = clock();
    for (const [each, { lastMs }] of missed) {
      if (isNear(REMEMBERED_MS, lastMs, nowMs)) break;
      missed.delete(each);
    }
    const count = missed.get(host)?.count ?? 0;
    missed.delete(host);
    if (isMiss) missed.set(host, { count: count + 1, lastMs: nowMs });
  }

  return {
    run: (host, request) =>
      queue.run(host, async () => {
        if (rests(host)) return 'postponed';
        const outcome = await request();
        if (outcome) note(host, outcome.outcome === 'later' && outcome.isUnreachable);
        return outcome;
      }),
  };
}
