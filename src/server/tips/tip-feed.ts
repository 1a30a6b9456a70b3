/**
 * Who hears of a tip. A stream is told only THAT an account has new entries and reads from the ledger those
 * that it has not sent yet, by their positions: so replay and live are one thing, nothing is buffered for
 * slow readers, and no entry is missed or sent twice, whichever process wrote it. All streams together take
 * turns, so that no replay, however long, holds up anything else.
 */

import { createStepQueue } from '#server/queue/step-queue.ts';
import type { EntryName, EntryRecord } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { AppError } from '#shared/errors.ts';
import { BEGINNING, isTransactionId, type TransactionId, type UserId } from '#shared/ids.ts';
import type { StreamReset, Transaction } from '#shared/tips.ts';
import type { TransactionView } from './transaction-view.ts';

/** Enough for the tabs and devices of one person. */
const MAX_STREAMS_PER_ACCOUNT = 20;
/** The streams of all accounts together. */
const MAX_STREAMS = 5_000;
/** How many entries are read from the ledger at once, and held for a reader that takes none of them. */
const READ_SIZE = 20;
/** Reads of the ledger and entries handed out, by all streams together, in one turn of the event loop. */
const STEPS_PER_TURN = 25;
/**
 * Whoever missed more is told to load the list, which brings many tips in one answer and only as far as
 * somebody looks.
 */
const MAX_REPLAY = 1_000;
const RETRY_AFTER_S = 30;

/**
 * News of an account, as its streams tell it: an entry, or that the account was thanked for a tip that it
 * gave.
 */
export interface TipEvent {
  /**
   * The id of the transaction for a tip, another one for its reversal; for thanks that of the event before.
   */
  readonly id: string;
  readonly transaction: Transaction;
}

/** An open stream, and where it begins. */
export interface TipStream {
  /** The event after which it begins; `BEGINNING` when there is none yet. */
  readonly startsAfter: string;
  /**
   * Null when it begins where its reader left off; otherwise why it begins now, after entries that it does
   * not tell.
   */
  readonly reset: StreamReset | null;
  /** Ends by throwing an AbortError, which tells a client to connect again if it may. */
  readonly events: AsyncGenerator<TipEvent>;
}

export interface TipFeed {
  /**
   * Opens a stream of what happens to an account, tips given and received and their reversals: first what came after the event
   * `lastSeen`, then each as it happens; only what is new when it is null, no event of this account's, or followed by more than 1,000.
   * It is subscribed before it reads, so that nothing falls in between, and ends when `until` is aborted, the feed
   * closes, or another account takes its place: when all 5,000 are taken, one that would still have fewer streams than
   * the account with the most displaces the newest stream of that account, so that none is kept out by those with many.
   * @throws AppError `too_many_requests` when the account has 20 streams; `busy` when all places are taken and nobody has
   *   at least two streams more than the account, or when the feed is closed.
   */
  follow(userId: UserId, lastSeen: string | null, until: AbortSignal): Promise<TipStream>;
  /** How many streams are open. */
  size(): number;
  /** Ends all streams and lets nobody in any more. */
  close(): void;
}

/** Where a stream begins, and the position of that in the account. */
interface Start extends Omit<TipStream, 'events'> {
  readonly position: number;
}

/**
 * One open stream: knows whether something has happened since it last looked, and whether it still has its
 * place.
 */
class Follower {
  #isAwake = false;
  #wakeUp: (() => void) | null = null;
  #isDisplaced = false;
  /**
   * The tips that the account was thanked for since the stream last told. Whoever misses one finds it in the
   * list.
   */
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

/** @param storage is listened to for as long as the process lives. */
export function createTipFeed(storage: Storage, view: TransactionView): TipFeed {
  /** The streams of each account, oldest first. */
  const followers = new Map<UserId, Set<Follower>>();
  /** The accounts by how many streams they have, so that finding one with the most looks at nobody else. */
  const accountsWith = Array.from({ length: MAX_STREAMS_PER_ACCOUNT + 1 }, () => new Set<UserId>());
  const closing = new AbortController();
  const queue = createStepQueue(STEPS_PER_TURN);
  let open = 0;

  function subscribe(userId: UserId): Follower {
    if (closing.signal.aborted) throw new AppError('busy', { retryAfterSeconds: RETRY_AFTER_S });
    const ofAccount = followers.get(userId) ?? new Set();
    if (ofAccount.size >= MAX_STREAMS_PER_ACCOUNT)
      throw new AppError('too_many_requests', { retryAfterSeconds: RETRY_AFTER_S });
    if (open >= MAX_STREAMS) makeRoomFor(ofAccount.size);
    const follower = new Follower();
    followers.set(userId, ofAccount.add(follower));
    regroup(userId, ofAccount.size - 1, ofAccount.size);
    return follower;
  }

  /** Gives up the place of a stream, unless it has none any more. */
  function unsubscribe(userId: UserId, follower: Follower): void {
    const ofAccount = followers.get(userId);
    if (!ofAccount?.delete(follower)) return;
    if (ofAccount.size === 0) followers.delete(userId);
    regroup(userId, ofAccount.size + 1, ofAccount.size);
  }

  function regroup(userId: UserId, before: number, after: number): void {
    open += after - before;
    accountsWith[before]?.delete(userId);
    if (after > 0) accountsWith[after]?.add(userId);
  }

  /**
   * Frees a place for an account that has `own` streams. The account that loses one is left with at least as
   * many as the other gets, so that the two do not displace each other in turn.
   */
  function makeRoomFor(own: number): void {
    for (let most = MAX_STREAMS_PER_ACCOUNT; most >= own + 2; most -= 1) {
      const [userId] = accountsWith[most] ?? [];
      if (userId === undefined) continue;
      const newest = [...(followers.get(userId) ?? [])].at(-1);
      if (newest === undefined) continue;
      unsubscribe(userId, newest);
      newest.displace();
      return;
    }
    throw new AppError('busy', { retryAfterSeconds: RETRY_AFTER_S });
  }

  storage.subscribe({
    onEntries(accounts) {
      for (const userId of accounts === 'any' ? followers.keys() : accounts) wake(userId);
    },
    onThanks(giver, id) {
      for (const follower of followers.get(giver) ?? []) {
        if (follower.thanked.size < READ_SIZE) follower.thanked.add(id);
        follower.wake();
      }
    },
  });

  function wake(userId: UserId): void {
    for (const follower of followers.get(userId) ?? []) follower.wake();
  }

  async function startOf(userId: UserId, lastSeen: string | null): Promise<Start> {
    const newest = await storage.findNewestEntry(userId);
    const now = { startsAfter: newest ? eventIdOf(newest) : BEGINNING, position: newest?.position ?? 0 };
    if (lastSeen === null) return { ...now, reset: null };
    const position = await positionOf(userId, lastSeen);
    if (position === null) return { ...now, reset: 'unknown_event' };
    if (now.position - position > MAX_REPLAY) return { ...now, reset: 'too_many_missed' };
    return { startsAfter: lastSeen, position, reset: null };
  }

  async function positionOf(userId: UserId, event: string): Promise<number | null> {
    if (event === BEGINNING) return 0;
    const entry = readEventId(event);
    return entry && storage.findEntryPosition(userId, entry);
  }

  const idOf = ({ kind, transaction }: EntryRecord): string =>
    eventIdOf({
      transactionId: transaction.id,
      isReversal: kind === 'received_reversed' || kind === 'given_reversed',
    });

  /** The tips for which an account was thanked since this was asked last. */
  async function takeThanked(userId: UserId, follower: Follower): Promise<Transaction[]> {
    const ids = [...follower.thanked];
    follower.thanked.clear();
    const found = await Promise.all(ids.map((id) => storage.findTransaction(userId, id)));
    return view.all(
      found.filter((record) => record !== null),
      userId,
    );
  }

  async function* stream(
    userId: UserId,
    follower: Follower,
    { position: from, startsAfter }: Start,
    until: AbortSignal,
  ): AsyncGenerator<TipEvent, void> {
    let position = from;
    let lastId = startsAfter;
    const goOn = () => {
      until.throwIfAborted();
      closing.signal.throwIfAborted();
      follower.throwIfDisplaced();
    };
    until.addEventListener('abort', follower.wake, { once: true });
    try {
      for (;;) {
        await queue.step(follower);
        goOn();
        const records = await storage.listEntriesSince(userId, position, READ_SIZE);
        const seen = await view.all(
          records.map(({ transaction }) => transaction),
          userId,
        );
        for (const [index, record] of records.entries()) {
          const transaction = seen[index];
          if (!transaction) throw new Error('an entry of a stream cannot be seen');
          await queue.step(follower);
          goOn();
          position = record.position;
          lastId = idOf(record);
          yield { id: lastId, transaction };
        }
        if (records.length === READ_SIZE) continue;
        for (const transaction of await takeThanked(userId, follower)) {
          await queue.step(follower);
          goOn();
          yield { id: lastId, transaction };
        }
        if (follower.thanked.size === 0) await follower.sleep();
      }
    } finally {
      unsubscribe(userId, follower);
    }
  }

  return {
    async follow(userId, lastSeen, until) {
      const follower = subscribe(userId);
      // A generator that is never started would never get to its `finally`.
      until.addEventListener('abort', () => unsubscribe(userId, follower), { once: true });
      if (until.aborted) unsubscribe(userId, follower);
      try {
        const start = await startOf(userId, lastSeen);
        return {
          startsAfter: start.startsAfter,
          reset: start.reset,
          events: stream(userId, follower, start, until),
        };
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

const TRANSACTION_PREFIX = 'txn_';
const REVERSAL_PREFIX = 'rev_';

function eventIdOf({ transactionId, isReversal }: EntryName): string {
  return isReversal ? REVERSAL_PREFIX + transactionId.slice(TRANSACTION_PREFIX.length) : transactionId;
}

function readEventId(event: string): EntryName | null {
  const isReversal = event.startsWith(REVERSAL_PREFIX);
  const id = isReversal ? TRANSACTION_PREFIX + event.slice(REVERSAL_PREFIX.length) : event;
  return isTransactionId(id) ? { transactionId: id, isReversal } : null;
}
