/**
 * Bounds the concurrent requests to push services, for each host and in all, so that a service that does not
 * answer delays only its own devices.
 */
import { createFairQueue } from '#server/queue/fair-queue.ts';
import type { Clock } from '#shared/calendar.ts';
import type { PushOutcome } from './push-request.ts';

const MAX_AT_ONCE = 16;
const MAX_AT_ONCE_TO_HOST = 4;
/** The rest of a push service after it did not answer, for each time in a row. */
const REST_MS = 5_000;
const MISSES_BEFORE_REST = 4;

export interface PushQueue {
  /** Makes a request when it is the host's turn; `postponed` when the host recently did not answer. */
  run(host: string, request: () => Promise<PushOutcome | null>): Promise<PushOutcome | null | 'postponed'>;
}

interface Host {
  running: number;
  misses: number;
  restsUntilMs: number;
}

export function createPushQueue(clock: Clock): PushQueue {
  const hosts = new Map<string, Host>();
  const queue = createFairQueue<Host>();
  let running = 0;

  function begin(): void {
    while (running < MAX_AT_ONCE) {
      const host = queue.letNextGo((each) => each.running < MAX_AT_ONCE_TO_HOST);
      if (!host) return;
      running += 1;
      host.running += 1;
    }
  }

  function rests({ restsUntilMs }: Host): boolean {
    const nowMs = clock();
    // A longer rest means that the clock was turned back since.
    return restsUntilMs > nowMs && restsUntilMs <= nowMs + REST_MS;
  }

  function forgetIdleHosts(): void {
    for (const [name, host] of hosts) {
      if (host.running === 0 && queue.count([host]) === 0 && !rests(host)) hosts.delete(name);
    }
  }

  return {
    async run(name, request) {
      const host = hosts.get(name) ?? { running: 0, misses: 0, restsUntilMs: 0 };
      hosts.set(name, host);
      const turn = queue.wait([host]);
      begin();
      await turn;
      try {
        if (rests(host)) return 'postponed';
        const outcome = await request();
        if (outcome) host.misses = isMiss(outcome) ? host.misses + 1 : 0;
        if (host.misses >= MISSES_BEFORE_REST) host.restsUntilMs = clock() + REST_MS;
        return outcome;
      } finally {
        running -= 1;
        host.running -= 1;
        begin();
        forgetIdleHosts();
      }
    },
  };
}

function isMiss(outcome: PushOutcome): boolean {
  return outcome.outcome === 'later' && outcome.isUnreachable;
}
