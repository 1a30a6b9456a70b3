/**
 * Who hears of a tip. A stream is told only THAT the ledger has grown and reads from it what it has not sent yet, in
 * the ledger's order: so replay and live are one thing, nothing is buffered for slow readers, and no tip is missed or
 * sent twice.
 */
import type { Storage, TransactionRecord } from '#server/storage/storage.ts';
import { AppError } from '#shared/errors.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { Transaction } from '#shared/tips.ts';
import type { TransactionView } from './transaction-view.ts';

/** Tabs and devices of one person; all streams of this process. */
const MAX_STREAMS_PER_ACCOUNT = 20;
const MAX_STREAMS = 5_000;
/** How many tips are read from the ledger at once. */
const READ_SIZE = 100;
const RETRY_AFTER_S = 30;

export interface TipFeed {
  /** Wakes the streams of both sides of a transaction that has just been committed. */
  announce(transaction: TransactionRecord): void;
  /**
   * Opens a stream of the tips that an account gives and receives: first what came after `lastSeen` (with null only
   * what is new), then each as it happens. It is subscribed before it reads, so that nothing falls in between. When
   * `until` is aborted or the feed closes, the stream ends by throwing an AbortError, which tells a client to connect
   * again if it may.
   * @throws AppError `invalid_input` when `lastSeen` is no transaction of this account's, `too_many_requests` and
   *   `busy` when too many streams are open.
   */
  follow(
    userId: UserId,
    lastSeen: TransactionId | null,
    until: AbortSignal,
  ): Promise<AsyncGenerator<Transaction>>;
  /** How many streams are open. */
  size(): number;
  /** Ends all streams and lets nobody in any more. */
  close(): void;
}

/** One open stream: knows whether something has happened since it last looked. */
class Follower {
  #isAwake = false;
  #wakeUp: (() => void) | null = null;

  wake = (): void => {
    this.#isAwake = true;
    this.#wakeUp?.();
  };

  /** Resolves at the next wake, or at once when there was one since the last look. */
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

export function createTipFeed(storage: Storage, view: TransactionView): TipFeed {
  const followers = new Map<UserId, Set<Follower>>();
  const closing = new AbortController();
  let open = 0;

  function subscribe(userId: UserId): Follower {
    const ofAccount = followers.get(userId) ?? new Set();
    if (open >= MAX_STREAMS || closing.signal.aborted)
      throw new AppError('busy', { retryAfterSeconds: RETRY_AFTER_S });
    if (ofAccount.size >= MAX_STREAMS_PER_ACCOUNT) {
      throw new AppError('too_many_requests', { retryAfterSeconds: RETRY_AFTER_S });
    }
    const follower = new Follower();
    followers.set(userId, ofAccount.add(follower));
    open += 1;
    return follower;
  }

  function unsubscribe(userId: UserId, follower: Follower): void {
    const ofAccount = followers.get(userId);
    if (!ofAccount?.delete(follower)) return;
    open -= 1;
    if (ofAccount.size === 0) followers.delete(userId);
  }

  async function startOf(userId: UserId, lastSeen: TransactionId | null): Promise<number> {
    if (lastSeen === null) return storage.lastSequence();
    const sequence = await storage.findSequence(userId, lastSeen);
    if (sequence === null) {
      const fieldErrors = [{ field: 'lastEventId', message: 'The last event id is not valid.' }];
      throw new AppError('invalid_input', { fieldErrors });
    }
    return sequence;
  }

  async function* stream(userId: UserId, follower: Follower, from: number, until: AbortSignal) {
    let sequence = from;
    const goOn = () => {
      until.throwIfAborted();
      closing.signal.throwIfAborted();
    };
    until.addEventListener('abort', follower.wake, { once: true });
    try {
      for (;;) {
        goOn();
        const records = await storage.listTransactionsSince(userId, sequence, READ_SIZE);
        for (const record of records) {
          goOn();
          sequence = record.sequence;
          yield view(record, userId);
        }
        if (records.length < READ_SIZE) await follower.sleep();
      }
    } finally {
      unsubscribe(userId, follower);
    }
  }

  return {
    announce({ giverId, receiverId }) {
      for (const userId of [giverId, receiverId]) {
        for (const follower of followers.get(userId) ?? []) follower.wake();
      }
    },

    async follow(userId, lastSeen, until) {
      const follower = subscribe(userId);
      // A generator that is never started would never get to its `finally`.
      until.addEventListener('abort', () => unsubscribe(userId, follower), { once: true });
      if (until.aborted) unsubscribe(userId, follower);
      try {
        return stream(userId, follower, await startOf(userId, lastSeen), until);
      } catch (error) {
        unsubscribe(userId, follower);
        throw error;
      }
    },

    size: () => open,

    close() {
      closing.abort();
      for (const ofAccount of followers.values()) for (const follower of ofAccount) follower.wake();
    },
  };
}
