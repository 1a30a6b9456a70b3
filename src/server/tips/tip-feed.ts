/**
 * The event streams of accounts. A stream is only told that its account has new entries, and reads those after its last
 * position from the ledger (docs/decisions/007-the-feed-reads-the-ledger.md). All streams share a fair queue, so that a
 * long replay delays nothing else.
 */

import { createStepQueue } from '#server/queue/step-queue.ts';
import type { EntryName, EntryRecord } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { isReversal } from '#server/storage/rules/events.ts';
import { BEGINNING, isTransactionId, type UserId } from '#shared/ids.ts';
import type { StreamReset, Transaction } from '#shared/tips.ts';
import { busy, createFollowers, type Follower } from './followers.ts';
import type { TransactionView } from './transaction-view.ts';

/** Entries per read of the ledger, which are held while a reader takes none. */
const READ_SIZE = 20;
/** Reads of the ledger and entries delivered, by all streams together, in one turn of the event loop. */
const STEPS_PER_TURN = 25;
/** A client that missed more reloads the list. */
const MAX_REPLAY = 1_000;

export interface StreamedTip {
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
  readonly events: AsyncGenerator<StreamedTip>;
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

export function createTipFeed(storage: Storage, view: TransactionView): TipFeed {
  const followers = createFollowers();
  const closing = new AbortController();
  const queue = createStepQueue(STEPS_PER_TURN);

  storage.subscribe({
    onEntries(accounts) {
      for (const userId of accounts === 'any' ? followers.accounts() : accounts) wake(userId);
    },
    onThanks(giver, id) {
      for (const follower of followers.of(giver)) {
        if (follower.thanked.size < READ_SIZE) follower.thanked.add(id);
        follower.wake();
      }
    },
  });

  function wake(userId: UserId): void {
    for (const follower of followers.of(userId)) follower.wake();
  }

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
  ): AsyncGenerator<StreamedTip, void> {
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
      followers.remove(userId, follower);
    }
  }

  return {
    async follow(userId, lastSeen, until) {
      if (closing.signal.aborted) throw busy();
      const follower = followers.add(userId);
      // A generator that is never started would never reach its `finally`.
      until.addEventListener('abort', () => followers.remove(userId, follower), { once: true });
      if (until.aborted) followers.remove(userId, follower);
      try {
        const start = await startOf(storage, userId, lastSeen);
        return {
          startsAfter: start.startsAfter,
          reset: start.reset,
          events: stream(userId, follower, start, until),
        };
      } catch (error) {
        followers.remove(userId, follower);
        throw error;
      }
    },

    size: () => followers.size(),

    close() {
      closing.abort();
      for (const userId of followers.accounts()) wake(userId);
    },
  };
}

type Feed = Pick<Storage, 'findNewestEntry' | 'findEntryPosition'>;

async function startOf(storage: Feed, userId: UserId, lastSeen: string | null): Promise<Start> {
  const newest = await storage.findNewestEntry(userId);
  const now = { startsAfter: newest ? streamIdOf(newest) : BEGINNING, position: newest?.position ?? 0 };
  if (lastSeen === null) return { ...now, reset: null };
  const position = await positionOf(storage, userId, lastSeen);
  if (position === null) return { ...now, reset: 'unknown_event' };
  if (now.position - position > MAX_REPLAY) return { ...now, reset: 'too_many_missed' };
  return { startsAfter: lastSeen, position, reset: null };
}

async function positionOf(storage: Feed, userId: UserId, event: string): Promise<number | null> {
  if (event === BEGINNING) return 0;
  const entry = readStreamId(event);
  return entry && storage.findEntryPosition(userId, entry);
}

const idOf = ({ kind, transaction, changeNumber }: EntryRecord): string =>
  streamIdOf({
    transactionId: transaction.id,
    isReversal: isReversal(kind),
    changeNumber,
  });

const TIP_ID = 'txn_';
const REVERSAL_ID = 'rev_';
const CHANGE = /^chg_([0-9a-z]{26})_([1-9][0-9]{0,5})$/;

function streamIdOf({ transactionId, changeNumber, ...entry }: EntryName): string {
  const name = transactionId.slice(TIP_ID.length);
  if (changeNumber !== null) return `chg_${name}_${changeNumber}`;
  return entry.isReversal ? REVERSAL_ID + name : transactionId;
}

function readStreamId(event: string): EntryName | null {
  const [, name, number] = CHANGE.exec(event) ?? [];
  const changeNumber = number === undefined ? null : Number(number);
  const isOfReversal = event.startsWith(REVERSAL_ID);
  const own = isOfReversal ? TIP_ID + event.slice(REVERSAL_ID.length) : event;
  const id = name === undefined ? own : TIP_ID + name;
  return isTransactionId(id) ? { transactionId: id, isReversal: isOfReversal, changeNumber } : null;
}
