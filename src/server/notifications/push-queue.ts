/** Bounds the requests to push services, so that one that does not answer delays only its own devices. */
import { createHostQueue } from '#server/queue/host-queue.ts';
import type { Clock } from '#shared/calendar.ts';
import type { PushOutcome } from './push-request.ts';

const MAX_AT_ONCE = 16;
const MAX_AT_ONCE_TO_HOST = 4;
const REST_MS = 5_000;
const MISSES_BEFORE_REST = 4;

export interface PushQueue {
  /** Makes a request when it is the host's turn; `postponed` when the host recently did not answer. */
  run(host: string, request: () => Promise<PushOutcome | null>): Promise<PushOutcome | null | 'postponed'>;
}

interface Host {
  misses: number;
  restsUntilMs: number;
}

export function createPushQueue(clock: Clock): PushQueue {
  const hosts = new Map<string, Host>();
  const queue = createHostQueue(MAX_AT_ONCE, MAX_AT_ONCE_TO_HOST);

  function rests({ restsUntilMs }: Host): boolean {
    const nowMs = clock();
    // A longer rest means that the clock was turned back since.
    return restsUntilMs > nowMs && restsUntilMs <= nowMs + REST_MS;
  }

  return {
    async run(name, request) {
      const host = hosts.get(name) ?? { misses: 0, restsUntilMs: 0 };
      hosts.set(name, host);
      try {
        return await queue.run(name, async () => {
          if (rests(host)) return 'postponed';
          const outcome = await request();
          if (outcome) host.misses = isMiss(outcome) ? host.misses + 1 : 0;
          if (host.misses >= MISSES_BEFORE_REST) host.restsUntilMs = clock() + REST_MS;
          return outcome;
        });
      } finally {
        for (const [each, state] of hosts) if (queue.isIdle(each) && !rests(state)) hosts.delete(each);
      }
    },
  };
}

function isMiss(outcome: PushOutcome): boolean {
  return outcome.outcome === 'later' && outcome.isUnreachable;
}
