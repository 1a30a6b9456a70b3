/**
 * Bounds the most expensive work that anybody can ask of the server. Networks take turns, and accounts within a
 * network, so that a flood from one of them delays anybody else by one turn. Because networks can be had in any number,
 * known owners have every other turn, and a place before any stranger. Because anybody can be the known owner of new
 * accounts, strangers keep a part of the places, and known owners take turns by network as well.
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

/** The rest of the places is left to strangers. */
const PART_OF_KNOWN = 3 / 4;

export interface WorkOwner {
  /** The network that asks. */
  readonly origin: string;
  readonly account: string;
  /** A marked device or an open session has shown that the caller belongs to the account. */
  readonly isKnown: boolean;
  readonly onHangUp?: OnHangUp;
}

export interface WorkQueue {
  /**
   * When too many wait, the last of whoever has the most makes room for whoever has fewer: of strangers by network, of
   * known owners by network and by account. @throws AppError `busy` when there is no room.
   */
  take<Result>(owner: WorkOwner, work: () => Promise<Result>): Promise<Result>;
}

export function createWorkQueue({ name, atOnce, maxWaiting, patienceMs }: WorkLimits): WorkQueue {
  const known = createFairQueue<string>();
  const strangers = createFairQueue<string>();
  const maxKnown = Math.ceil(PART_OF_KNOWN * maxWaiting);
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
  function makeRoomForKnown({ origin, account }: WorkOwner): void {
    const waiting = known.countOfGroup(account);
    if (known.count([]) < maxKnown) strangers.refuseLast([]);
    else if (waiting === 0 && known.count([origin]) + 1 < known.countOfFullest([])) known.refuseLast([]);
    else if (known.count([origin, account]) + 1 < known.countOfFullest([origin])) known.refuseLast([origin]);
    // An account may be known at any number of networks.
    else if (waiting + 1 < known.countOfFullestGroup()) known.refuseLastOfGroups();
    else throw new AppError('busy');
  }

  /** As above. */
  function makeRoomForStranger({ origin, account }: WorkOwner): void {
    const waiting = strangers.count([origin]);
    if (waiting + 1 < strangers.countOfFullest([])) strangers.refuseLast([]);
    // The known owners of a bar share a network, which makes room only where more of it wait than of all strangers.
    else if (waiting === 0 && known.countOfFullest([]) > strangers.count([])) known.refuseLast([]);
    else if (strangers.count([origin, account]) + 1 < strangers.countOfFullest([origin]))
      strangers.refuseLast([origin]);
    else throw new AppError('busy');
  }

  function makeRoomFor(owner: WorkOwner): void {
    const isFull = known.count([]) + strangers.count([]) >= maxWaiting;
    if (owner.isKnown && (isFull || known.count([]) >= maxKnown)) makeRoomForKnown(owner);
    if (!owner.isKnown && isFull) makeRoomForStranger(owner);
  }

  return {
    async take(owner, work) {
      makeRoomFor(owner);
      const { origin, account, isKnown, onHangUp } = owner;
      const watch = stopwatch();
      const queue = isKnown ? known : strangers;
      const turn = queue.wait([origin, account], { group: account, onHangUp, patienceMs });
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
