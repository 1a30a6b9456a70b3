/**
 * Turns at hashing passwords, which is the most that anybody can ask of the server: two at once, the others wait. Turns go round
 * between the networks that callers come from, and within one between accounts, so that nobody's flood keeps anybody else
 * waiting for longer than one turn of each.
 */
import { AppError } from '#shared/errors.ts';

/** As many as leave the other work its processor. */
const MAX_AT_ONCE = 2;
/** About two seconds of work; whoever comes later is asked to come back. */
const MAX_WAITING = 64;

/** Whose turn it is. */
export interface TurnOwner {
  /** A network; or, for whoever has shown to belong there, the account itself. */
  readonly origin: string;
  readonly account: string;
}

export interface Turns {
  /**
   * Does `work` when its turn comes. When too many are waiting, the last of whoever has the most of them makes room for whoever has fewer.
   * @throws AppError `busy` to whom there is no room for, or who made room.
   */
  take<Result>(owner: TurnOwner, work: () => Promise<Result>): Promise<Result>;
}

interface Waiting {
  begin(): void;
  refuse(): void;
}

export function createTurns(): Turns {
  /** By origin and account, each in the order in which it is their turn; nothing in it is empty. */
  const lanes = new Map<string, Map<string, Waiting[]>>();
  let waitingCount = 0;
  let runningCount = 0;

  function enqueue({ origin, account }: TurnOwner, waiting: Waiting): void {
    const lane = lanes.get(origin) ?? new Map<string, Waiting[]>();
    const queue = lane.get(account) ?? [];
    lanes.set(origin, lane.set(account, queue));
    queue.push(waiting);
    waitingCount += 1;
  }

  function next(): Waiting | undefined {
    for (const [origin, lane] of lanes) {
      for (const [account, queue] of lane) {
        const first = queue.shift();
        // Whoever had a turn goes to the end.
        lane.delete(account);
        if (queue.length > 0) lane.set(account, queue);
        lanes.delete(origin);
        if (lane.size > 0) lanes.set(origin, lane);
        waitingCount -= 1;
        return first;
      }
    }
    return undefined;
  }

  /** Takes the last of whoever has the most waiting, unless it would be no more than `owner` has then. */
  function displaceFor({ origin, account }: TurnOwner): Waiting | undefined {
    const own = lanes.get(origin);
    const [longest] = [...lanes].sort(([, one], [, other]) => sizeOf(other) - sizeOf(one));
    const isOwnShareFree = longest !== undefined && sizeOf(own) + 1 < sizeOf(longest[1]);
    const [from, lane] = isOwnShareFree ? longest : [origin, own];
    const [most] = [...(lane ?? [])].sort(([, one], [, other]) => other.length - one.length);
    if (lane === undefined || most === undefined) return undefined;
    const [of, queue] = most;
    if (!isOwnShareFree && (own?.get(account)?.length ?? 0) + 1 >= queue.length) return undefined;
    const last = queue.pop();
    if (queue.length === 0) lane.delete(of);
    if (lane.size === 0) lanes.delete(from);
    waitingCount -= 1;
    return last;
  }

  function goOn(): void {
    while (runningCount < MAX_AT_ONCE) {
      const first = next();
      if (!first) return;
      runningCount += 1;
      first.begin();
    }
  }

  return {
    async take(owner, work) {
      await new Promise<void>((begin, reject) => {
        if (waitingCount >= MAX_WAITING) {
          const displaced = displaceFor(owner);
          if (!displaced) throw new AppError('busy');
          displaced.refuse();
        }
        enqueue(owner, { begin, refuse: () => reject(new AppError('busy')) });
        goOn();
      });
      try {
        return await work();
      } finally {
        runningCount -= 1;
        goOn();
      }
    },
  };
}

function sizeOf(lane: ReadonlyMap<string, readonly Waiting[]> | undefined): number {
  return [...(lane?.values() ?? [])].reduce((sum, queue) => sum + queue.length, 0);
}
