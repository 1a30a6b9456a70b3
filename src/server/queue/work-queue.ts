/**
 * Turns at the work that is the most that anybody can ask of the server, mostly in threads: hashing passwords, drawing codes and prints,
 * decoding photos. So much at once, the others wait, though not for long. Turns go round between the networks that callers come
 * from, and within one between accounts, so that nobody's flood keeps anybody else waiting for longer than one turn of each. Because
 * networks can be had in any number, whoever has shown to belong to an account has every other turn, and a place before any stranger.
 */
import { AppError } from '#shared/errors.ts';

/** How much waits, and for how long. */
export interface QueueLimits {
  readonly atOnce: number;
  /** Whoever comes when so many wait is asked to come back, unless somebody makes room. */
  readonly maxWaiting: number;
  /** A turn that has not come by then does not come: far below the time after which the server cuts a silent connection. */
  readonly patienceMs: number;
}

/** Far below the time after which the server cuts a silent connection. */
const PATIENCE_MS = 8_000;

export const WORK_LIMITS = {
  /** Some thirty milliseconds of a thread each. A login is worth waiting for more than anything else. */
  hashing: { atOnce: 2, maxWaiting: 64, patienceMs: PATIENCE_MS },
  /** Decoding a photo takes one of the threads that hash passwords, for some ten milliseconds. */
  photos: { atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
  /** In a thread of its own a code takes some ten milliseconds, a sheet some hundred. */
  drawing: { atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
  /** Those of ten years take some ten milliseconds of the event loop, with the work of others in between. */
  insights: { atOnce: 1, maxWaiting: 50, patienceMs: PATIENCE_MS },
} as const satisfies Readonly<Record<string, QueueLimits>>;

/**
 * Calls its listener when nobody waits for the result any more, also when that was before.
 * @returns a function that stops listening.
 */
export type OnHangUp = (listener: () => void) => () => void;

/** Who asks for a turn. */
export interface WorkOwner {
  /** A network; or, for whoever has shown to belong there, the account itself. */
  readonly origin: string;
  readonly account: string;
  /** Whether they have shown to belong to the account: a marked device, or an open session. */
  readonly isKnown: boolean;
  /** What has not begun by then never does. */
  readonly onHangUp?: OnHangUp;
}

export interface WorkQueue {
  /**
   * Does `work` when its turn comes. When too many are waiting, the last of whoever has the most of them makes room for
   * an owner who has fewer, and the last of the stranger who has the most makes room for a known owner.
   * @throws AppError `busy` to whom there is no room for, who made room, or whose turn has not come in time.
   */
  take<Result>(owner: WorkOwner, work: () => Promise<Result>): Promise<Result>;
}

interface Waiting {
  begin(): void;
  refuse(): void;
}

/** Who waits, by origin and then by account, each in the order of their turns. No lane and no queue is empty. */
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

  /** Known ones and strangers in turns, as long as both wait. */
  function next(): Waiting | undefined {
    const isOfKnown = strangers.size === 0 || (isTurnOfKnown && known.size > 0);
    const first = takeFirst(isOfKnown ? known : strangers);
    if (first === undefined) return undefined;
    isTurnOfKnown = !isOfKnown;
    waitingCount -= 1;
    return first;
  }

  /** Takes out who is to make room for `owner`; nobody when `owner` has no better right than any of them. */
  function displaceFor(owner: WorkOwner): Waiting | undefined {
    const displaced = owner.isKnown && strangers.size > 0 ? takeLast(strangers) : takeFromLongest(owner);
    if (displaced) waitingCount -= 1;
    return displaced;
  }

  /** Takes the last of whoever has the most waiting, unless it would be no more than `owner` has then. */
  function takeFromLongest(owner: WorkOwner): Waiting | undefined {
    const lanes = lanesOf(owner);
    const own = lanes.get(owner.origin);
    // Of two lanes that are equally long, the strangers' makes room.
    const from = [strangers, known].sort((one, other) => sizeOfLongest(other) - sizeOfLongest(one))[0];
    if (from && sizeOf(own) + 1 < sizeOfLongest(from)) return takeLast(from);
    const [most] = own ? byLength(own) : [];
    if (!most || (own?.get(owner.account)?.length ?? 0) + 1 >= most[1].length) return undefined;
    return takeLast(lanes, owner.origin);
  }

  /** Takes out what waits and is not wanted any more. @returns false for what waits no longer. */
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
      // The account and the origin that had a turn go to the end.
      lane.delete(account);
      if (queue.length > 0) lane.set(account, queue);
      lanes.delete(origin);
      if (lane.size > 0) lanes.set(origin, lane);
      return first;
    }
  }
  return undefined;
}

/** Takes the last of the account that has the most waiting in the lane of `origin`, else in the longest lane. */
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
