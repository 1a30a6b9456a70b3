/** The open event streams of all accounts: who may open another one, and who gives up a place when all are taken. */
import { AppError } from '#shared/errors.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';

const MAX_STREAMS_PER_ACCOUNT = 20;
const MAX_STREAMS = 5_000;
const RETRY_AFTER_S = 30;

export interface Followers {
  /**
   * When all places are taken, the newest stream of an account with the most is displaced.
   * @throws AppError `too_many_requests` when the account has 20; `busy` when none has at least two more than it.
   */
  add(userId: UserId): Follower;
  /** Does nothing for one that was removed or displaced before. */
  remove(userId: UserId, follower: Follower): void;
  /** Oldest first. */
  of(userId: UserId): Iterable<Follower>;
  accounts(): Iterable<UserId>;
  size(): number;
}

export function createFollowers(): Followers {
  /** Oldest first. */
  const followers = new Map<UserId, Set<Follower>>();
  /** The accounts by their number of streams, so that finding one with the most needs no search. */
  const accountsWith = Array.from({ length: MAX_STREAMS_PER_ACCOUNT + 1 }, () => new Set<UserId>());
  let open = 0;

  function regroup(userId: UserId, before: number, after: number): void {
    open += after - before;
    accountsWith[before]?.delete(userId);
    if (after > 0) accountsWith[after]?.add(userId);
  }

  function remove(userId: UserId, follower: Follower): void {
    const ofAccount = followers.get(userId);
    if (!ofAccount?.delete(follower)) return;
    if (ofAccount.size === 0) followers.delete(userId);
    regroup(userId, ofAccount.size + 1, ofAccount.size);
  }

  /** The account that loses a stream keeps as many as the other gets: the two do not displace each other in turn. */
  function makeRoomFor(own: number): void {
    for (let most = MAX_STREAMS_PER_ACCOUNT; most >= own + 2; most -= 1) {
      const [userId] = accountsWith[most] ?? [];
      if (userId === undefined) continue;
      const newest = [...(followers.get(userId) ?? [])].at(-1);
      if (newest === undefined) continue;
      remove(userId, newest);
      newest.displace();
      return;
    }
    throw busy();
  }

  return {
    add(userId) {
      const ofAccount = followers.get(userId) ?? new Set();
      if (ofAccount.size >= MAX_STREAMS_PER_ACCOUNT)
        throw new AppError('too_many_requests', { retryAfterSeconds: RETRY_AFTER_S });
      if (open >= MAX_STREAMS) makeRoomFor(ofAccount.size);
      const follower = new Follower();
      followers.set(userId, ofAccount.add(follower));
      regroup(userId, ofAccount.size - 1, ofAccount.size);
      return follower;
    },
    remove,
    of: (userId) => followers.get(userId) ?? [],
    accounts: () => followers.keys(),
    size: () => open,
  };
}

export function busy(): AppError {
  return new AppError('busy', { retryAfterSeconds: RETRY_AFTER_S });
}

export class Follower {
  #isAwake = false;
  #wakeUp: (() => void) | null = null;
  #isDisplaced = false;
  /** A client that misses a thank-you finds it in the list. */
  readonly thanked = new Set<TransactionId>();

  displace(): void {
    this.#isDisplaced = true;
    this.wake();
  }

  /** @throws DOMException AbortError when another stream has taken the place. */
  throwIfDisplaced(): void {
    if (this.#isDisplaced) throw new DOMException('Another stream took the place of this one', 'AbortError');
  }

  wake = (): void => {
    this.#isAwake = true;
    this.#wakeUp?.();
  };

  /** Resolves at the next wake-up, or at once when one came since the last look. */
  async sleep(): Promise<void> {
    if (!this.#isAwake) {
      await new Promise<void>((resolve) => {
        this.#wakeUp = resolve;
      });
      this.#wakeUp = null;
    }
    this.#isAwake = false;
  }
}
