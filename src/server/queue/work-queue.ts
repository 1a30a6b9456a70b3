/**
 * Fair queues for the most expensive work that clients can request, mostly in threads: hashing passwords,
 * drawing codes and prints, decoding photos. Turns go round between the clients' networks, and within a
 * network between accounts, so that a flood delays others by at most one turn of each. Because an attacker
 * can have any number of networks, known owners have every other turn, and a place before any stranger.
 */
import { AppError } from '#shared/errors.ts';

export interface QueueLimits {
  readonly atOnce: number;
  /** A further owner is refused as `busy`, unless another one makes room. */
  readonly maxWaiting: number;
  readonly patienceMs: number;
}

/** Far below the time after which the server cuts a silent connection. */
const PATIENCE_MS = 8_000;

export const WORK_LIMITS = {
  /** Some thirty milliseconds of a thread each. Logins may wait in greater number than other work. */
  hashing: { atOnce: 2, maxWaiting: 64, patienceMs: PATIENCE_MS },
  /** Decoding a photo takes one of the threads that hash passwords, for some ten milliseconds. */
  photos: { atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
  /** In a thread of its own a code takes some ten milliseconds, a sheet some hundred. */
  drawing: { atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
  /** Insights of ten years take some ten milliseconds of the event loop, with other work in between. */
  insights: { atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
} as const satisfies Readonly<Record<string, QueueLimits>>;

/**
 * Calls its listener when the client hangs up, or at once when it already has.
 * @returns a function that stops listening.
 */
export type OnHangUp = (listener: () => void) => () => void;

export interface WorkOwner {
  /** A network; for a known owner, the account itself. */
  readonly origin: string;
  readonly account: string;
  /** True when a marked device or an open session proves the account. */
  readonly isKnown: boolean;
  readonly onHangUp?: OnHangUp;
}

export interface WorkQueue {
  /**
   * Does `work` when its turn comes. In a full queue, the owner with the most waiting loses its last work to
   * an owner with less, and the stranger with the most loses its last work to a known owner.
   * @throws AppError `busy` when there is no room, when the work is displaced, or after `patienceMs`.
   */
  take<Result>(owner: WorkOwner, work: () => Promise<Result>): Promise<Result>;
}

interface Waiting {
  begin(): void;
  refuse(): void;
}

/**
 * The waiting work by origin and then by account, each in the order of its turn. No lane or queue in it is
 * empty.
 */
type Lanes = Map<string, Lane>;
type Lane = Map<string, Waiting[]>;

export function createWorkQueue({ atOnce, maxWaiting, patienceMs }: QueueLimits): WorkQueue {
  const known: Lanes = new Map();
  const strangers: Lanes = new Map();
  let isTurnOfKnown = true;
  let waitingCount = 0;
  let runningCount = 0;

  const lanesOf = (owner: WorkOwner) => (owner.isKnown ? known : strangers);

  function enqueue(owner: WorkOwner, waiting: Waiting): void {
    const { origin, account } = owner;
    const lanes = lanesOf(owner);
    const lane = lanes.get(origin) ?? new Map<string, Waiting[]>();
    const queue = lane.get(account) ?? [];
    lanes.set(origin, lane.set(account, queue));
    queue.push(waiting);
    waitingCount += 1;
  }

  /** Known owners and strangers alternate while both wait. */
  function next(): Waiting | undefined {
    const isOfKnown = strangers.size === 0 || (isTurnOfKnown && known.size > 0);
    const first = takeFirst(isOfKnown ? known : strangers);
    if (first === undefined) return undefined;
    isTurnOfKnown = !isOfKnown;
    waitingCount -= 1;
    return first;
  }

  /** Removes the work that makes room for `owner`; none when `owner` has no better right than any other. */
  function displaceFor(owner: WorkOwner): Waiting | undefined {
    const displaced = owner.isKnown && strangers.size > 0 ? takeLast(strangers) : takeFromLongest(owner);
    if (displaced) waitingCount -= 1;
    return displaced;
  }

  /** Takes the last work of the owner with the most, unless `owner` would then have as much. */
  function takeFromLongest(owner: WorkOwner): Waiting | undefined {
    const lanes = lanesOf(owner);
    const own = lanes.get(owner.origin);
    // Of two equally long lanes, the strangers' makes room.
    const from = [strangers, known].sort((one, other) => sizeOfLongest(other) - sizeOfLongest(one))[0];
    if (from && sizeOf(own) + 1 < sizeOfLongest(from)) return takeLast(from);
    const [most] = own ? byLength(own) : [];
    if (!most || (own?.get(owner.account)?.length ?? 0) + 1 >= most[1].length) return undefined;
    return takeLast(lanes, owner.origin);
  }

  function takeOut(owner: WorkOwner, waiting: Waiting): boolean {
    const lanes = lanesOf(owner);
    const lane = lanes.get(owner.origin);
    const queue = lane?.get(owner.account);
    const index = queue?.indexOf(waiting) ?? -1;
    if (!lane || !queue || index === -1) return false;
    queue.splice(index, 1);
    if (queue.length === 0) lane.delete(owner.account);
    if (lane.size === 0) lanes.delete(owner.origin);
    waitingCount -= 1;
    return true;
  }

  function goOn(): void {
    while (runningCount < atOnce) {
      const first = next();
      if (!first) return;
      runningCount += 1;
      first.begin();
    }
  }

  return {
    async take(owner, work) {
      let stopWaiting = (): void => {};
      await new Promise<void>((begin, reject) => {
        if (waitingCount >= maxWaiting) {
          const displaced = displaceFor(owner);
          if (!displaced) throw new AppError('busy');
          displaced.refuse();
        }
        const refuse = () => reject(new AppError('busy'));
        const waiting = { begin, refuse };
        const withdraw = () => {
          if (takeOut(owner, waiting)) refuse();
        };
        enqueue(owner, waiting);
        goOn();
        const tooLate = setTimeout(withdraw, patienceMs);
        const stopListening = owner.onHangUp?.(withdraw);
        stopWaiting = () => {
          clearTimeout(tooLate);
          stopListening?.();
        };
      }).finally(() => stopWaiting());
      try {
        return await work();
      } finally {
        runningCount -= 1;
        goOn();
      }
    },
  };
}

function takeFirst(lanes: Lanes): Waiting | undefined {
  for (const [origin, lane] of lanes) {
    for (const [account, queue] of lane) {
      const first = queue.shift();
      // A served account and its origin go to the end.
      lane.delete(account);
      if (queue.length > 0) lane.set(account, queue);
      lanes.delete(origin);
      if (lane.size > 0) lanes.set(origin, lane);
      return first;
    }
  }
  return undefined;
}

/** Takes the last work of the account with the most in the lane of `origin`, else in the longest lane. */
function takeLast(lanes: Lanes, origin = bySize(lanes)[0]?.[0]): Waiting | undefined {
  const lane = origin === undefined ? undefined : lanes.get(origin);
  const [most] = lane ? byLength(lane) : [];
  if (origin === undefined || !lane || !most) return undefined;
  const [account, queue] = most;
  const last = queue.pop();
  if (queue.length === 0) lane.delete(account);
  if (lane.size === 0) lanes.delete(origin);
  return last;
}

function bySize(lanes: Lanes): [string, Lane][] {
  return [...lanes].sort(([, one], [, other]) => sizeOf(other) - sizeOf(one));
}

function byLength(lane: Lane): [string, Waiting[]][] {
  return [...lane].sort(([, one], [, other]) => other.length - one.length);
}

function sizeOfLongest(lanes: Lanes): number {
  return sizeOf(bySize(lanes)[0]?.[1]);
}

function sizeOf(lane: Lane | undefined): number {
  return [...(lane?.values() ?? [])].reduce((sum, queue) => sum + queue.length, 0);
}
