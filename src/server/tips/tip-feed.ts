/**
 * The event streams of accounts. A stream is only told that its account has new entries, and reads those after its last
 * position from the ledger (docs/decisions/007-the-feed-reads-the-ledger.md). All streams share a fair queue, so that a
 * long replay delays nothing else.
 */

import { createStepQueue } from '#server/queue/step-queue.ts';
import type { EntryName, EntryRecord } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { AppError } from '#shared/errors.ts';
import { BEGINNING, isTransactionId, type TransactionId, type UserId } from '#shared/ids.ts';
import type { StreamReset, Transaction } from '#shared/tips.ts';
import type { TransactionView } from './transaction-view.ts';

const MAX_STREAMS_PER_ACCOUNT = 20;
const MAX_STREAMS = 5_000;
/** Entries per read of the ledger, which are held while a reader takes none. */
const READ_SIZE = 20;
/** Reads of the ledger and entries delivered, by all streams together, in one turn of the event loop. */
const STEPS_PER_TURN = 25;
/** A client that missed more reloads the list. */
const MAX_REPLAY = 1_000;
const RETRY_AFTER_S = 30;

export interface TipEvent {
  /** The transaction's id for a tip, other ids for changes of it, the preceding event's for a thank-you. */
  readonly id: string;
  readonly transaction: Transaction;
}

export interface TipStream {
  /** The event before the first one; `BEGINNING` when there is none yet. */
  readonly startsAfter: string;
  /** Null when the stream continues after `lastSeen`; otherwise why it skips entries. */
  readonly reset: StreamReset | null;
  /** Ends by throwing an AbortError, after which a client may reconnect. */
  readonly events: AsyncGenerator<TipEvent>;
}

export interface TipFeed {
  /**
   * Opens a stream of an account's tips and their changes: first those after the event `lastSeen`, then new ones. When
   * `lastSeen` is null, unknown or followed by more than 1,000 entries, the stream has new ones only. It subscribes
   * before it reads, so that no entry is missed, and ends when `until` is aborted, the feed closes, or another account
   * takes its place: when all 5,000 are taken, an account that would still have fewer streams than the one with the
   * most displaces the newest stream of that one.
   * @throws AppError `too_many_requests` when the account has 20 streams; `busy` when all places are taken and no
   *   account has at least two streams more, or when the feed is closed.
   */
  follow(userId: UserId, lastSeen: string | null, until: AbortSignal): Promise<TipStream>;
  size(): number;
  close(): void;
}

interface Start extends Omit<TipStream, 'events'> {
  readonly position: number;
}

class Follower {
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

export function createTipFeed(storage: Storage, view: TransactionView): TipFeed {
  /** Oldest first. */
  const followers = new Map<UserId, Set<Follower>>();
  /** The accounts by their number of streams, so that finding one with the most needs no search. */
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

  /** The account that loses a stream keeps as many as the other gets: the two do not displace each other in turn. */
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

  const idOf = ({ kind, transaction, changeNumber }: EntryRecord): string =>
    eventIdOf({
      transactionId: transaction.id,
      isReversal: kind === 'received_reversed' || kind === 'given_reversed',
      changeNumber,
    });

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
      // A generator that is never started would never reach its `finally`.
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
const CHANGE = /^chg_([0-9a-z]{26})_([1-9][0-9]{0,5})$/;

function eventIdOf({ transactionId, isReversal, changeNumber }: EntryName): string {
  const name = transactionId.slice(TRANSACTION_PREFIX.length);
  if (changeNumber !== null) return `chg_${name}_${changeNumber}`;
  return isReversal ? REVERSAL_PREFIX + name : transactionId;
}

function readEventId(event: string): EntryName | null {
  const [, name, number] = CHANGE.exec(event) ?? [];
  const changeNumber = number === undefined ? null : Number(number);
  const isReversal = event.startsWith(REVERSAL_PREFIX);
  const own = isReversal ? TRANSACTION_PREFIX + event.slice(REVERSAL_PREFIX.length) : event;
  const id = name === undefined ? own : TRANSACTION_PREFIX + name;
  return isTransactionId(id) ? { transactionId: id, isReversal, changeNumber } : null;
}
