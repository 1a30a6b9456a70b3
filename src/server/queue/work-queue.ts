/**
 * Bounds the most expensive work that anybody can ask of the server. Networks take turns, and accounts within a
 * network, so that a flood from one of them delays anybody else by one turn. Because networks can be had in any number,
 * known owners have every other turn, and a place before any stranger.
 */
import { measure, stopwatch } from '#server/measures.ts';
import { AppError } from '#shared/errors.ts';
import { createFairQueue, type OnHangUp } from './fair-queue.ts';

/** Far below the time after which the server cuts a silent connection. */
const PATIENCE_MS = 8_000;

export interface WorkLimits {
  readonly name: string;
  readonly atOnce: number;
  readonly maxWaiting: number;
  /** Work that has not begun by then is refused. */
  readonly patienceMs: number;
}

export const WORK_LIMITS = {
  /** A hash takes some 30 ms of a thread. */
  hashing: { name: 'hashing', atOnce: 2, maxWaiting: 64, patienceMs: PATIENCE_MS },
  /** Decoding takes some 10 ms of one of the threads that hash passwords. */
  photos: { name: 'photos', atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
  /** A code takes some 10 ms of a thread of its own, a sheet some 100 ms. */
  drawing: { name: 'drawing', atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
  /** Ten years take some 10 ms of the event loop, with other work in between. */
  insights: { name: 'insights', atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
} as const satisfies Readonly<Record<string, WorkLimits>>;

export interface WorkOwner {
  /** A network; or, for a known owner, the account itself. */
  readonly origin: string;
  readonly account: string;
  /** A marked device or an open session has shown that the caller belongs to the account. */
  readonly isKnown: boolean;
  readonly onHangUp?: OnHangUp;
}

export interface WorkQueue {
  /**
   * When too many wait, the last of the owner with the most makes room for an owner with fewer, and the last of the
   * stranger with the most for a known owner. @throws AppError `busy` when there is no room.
   */
  take<Result>(owner: WorkOwner, work: () => Promise<Result>): Promise<Result>;
}

export function createWorkQueue({ name, atOnce, maxWaiting, patienceMs }: WorkLimits): WorkQueue {
  const known = createFairQueue<string>();
  const strangers = createFairQueue<string>();
  let isTurnOfKnown = true;
  let runningCount = 0;

  /** Known owners and strangers take turns for as long as both wait. */
  function letNextGo(): boolean {
    const isOfKnown = known.count([]) > 0 && (isTurnOfKnown || strangers.count([]) === 0);
    isTurnOfKnown = !isOfKnown;
    return (isOfKnown ? known : strangers).letNextGo() !== undefined;
  }

  function begin(): void {
    while (runningCount < atOnce && letNextGo()) runningCount += 1;
  }

  /** @throws AppError `busy` when the owner has no better right to a place than any who wait. */
  function makeRoomFor({ origin, account, isKnown }: WorkOwner): void {
    const queue = isKnown ? known : strangers;
    // A stranger makes room when a known owner has as many.
    const fullest = strangers.countOfFullest([]) >= known.countOfFullest([]) ? strangers : known;
    if (isKnown && strangers.count([]) > 0) strangers.refuseLast([]);
    else if (queue.count([origin]) + 1 < fullest.countOfFullest([])) fullest.refuseLast([]);
    else if (queue.count([origin, account]) + 1 < queue.countOfFullest([origin])) queue.refuseLast([origin]);
    else throw new AppError('busy');
  }

  return {
    async take(owner, work) {
      if (known.count([]) + strangers.count([]) >= maxWaiting) makeRoomFor(owner);
      const queue = owner.isKnown ? known : strangers;
      const watch = stopwatch();
      const turn = queue.wait([owner.origin, owner.account], { onHangUp: owner.onHangUp, patienceMs });
      begin();
      await turn.catch((error: unknown) => {
        measure('work', { queue: name, waitSeconds: watch(), workSeconds: null });
        throw error;
      });
      const waitSeconds = watch();
      try {
        return await work();
      } finally {
        measure('work', { queue: name, waitSeconds, workSeconds: watch() - waitSeconds });
        runningCount -= 1;
        begin();
      }
    },
  };
}
