/**
 * Bounds the concurrent requests to push services, for each host and in all, so that a service that does not
 * answer delays only its own devices.
 */
import type { Clock } from '#shared/calendar.ts';
import type { PushOutcome } from './push-request.ts';

const MAX_AT_ONCE = 16;
const MAX_AT_ONCE_TO_HOST = 4;
const REST_MS = 5_000;
const MISSES_BEFORE_REST = 4;

export interface Lanes {
  /** Makes a request when it is the host's turn; `postponed` when the host recently did not answer. */
  run(host: string, request: () => Promise<PushOutcome | null>): Promise<PushOutcome | null | 'postponed'>;
}

interface Lane {
  running: number;
  readonly waiting: (() => void)[];
  misses: number;
  restsUntilMs: number;
}

export function createPushQueue(clock: Clock): Lanes {
  const lanes = new Map<string, Lane>();
  let running = 0;

  function admit(): void {
    for (const [host, lane] of [...lanes]) {
      while (running < MAX_AT_ONCE && lane.running < MAX_AT_ONCE_TO_HOST) {
        const next = lane.waiting.shift();
        if (!next) break;
        running += 1;
        lane.running += 1;
        next();
      }
      lanes.delete(host);
      if (lane.running > 0 || lane.waiting.length > 0 || rests(lane)) lanes.set(host, lane);
    }
  }

  function rests({ restsUntilMs }: Lane): boolean {
    const nowMs = clock();
    // A longer rest was set before the clock was turned back.
    return restsUntilMs > nowMs && restsUntilMs <= nowMs + REST_MS;
  }

  return {
    async run(host, request) {
      const lane = lanes.get(host) ?? { running: 0, waiting: [], misses: 0, restsUntilMs: 0 };
      lanes.set(host, lane);
      await new Promise<void>((resolve) => {
        lane.waiting.push(resolve);
        admit();
      });
      try {
        if (rests(lane)) return 'postponed';
        const outcome = await request();
        if (outcome) lane.misses = isMiss(outcome) ? lane.misses + 1 : 0;
        if (lane.misses >= MISSES_BEFORE_REST) lane.restsUntilMs = clock() + REST_MS;
        return outcome;
      } finally {
        running -= 1;
        lane.running -= 1;
        admit();
      }
    },
  };
}

function isMiss(outcome: PushOutcome): boolean {
  return outcome.outcome === 'later' && outcome.isUnreachable;
}
