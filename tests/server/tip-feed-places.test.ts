/**
 * The feed past the doors: how its places are shared when all are taken, and where a stream of it begins and
 * ends.
 */
import { describe, expect, test, vi } from 'vitest';
import { createGuestReceipts } from '#server/tips/guest-receipts.ts';
import { createTipFeed } from '#server/tips/tip-feed.ts';
import { createTransactionView } from '#server/tips/transaction-view.ts';
import type { UserId } from '#shared/ids.ts';
import { createChance } from '#tests/support/chance.ts';
import { createTestLedger } from '#tests/support/test-ledger.ts';
import { STREAMS_IN_ALL, STREAMS_PER_ACCOUNT, settle } from '#tests/support/tip-scene.ts';

/** A machine that is busy with other things takes longer than the second that vitest waits. */
const PATIENCE = { timeout: 30_000 };
const KEY = new Uint8Array(32);
const VIEW = createTransactionView({
  key: KEY,
  undoMs: 0,
  clock: Date.now,
  publicUrl: 'https://tips.example.com',
  receipts: createGuestReceipts(KEY),
  messages: { findMessages: async () => [] },
  learnTerms: async () => {},
  isOfKeys: () => true,
});

/** A stream past the doors, and how it ended: the name of its error, or null while it is open. */
interface FollowedStream {
  readonly hangUp: () => void;
  readonly endedBy: () => string | null;
}

/** A feed past the doors, whose streams are all being read. */
async function openFeed() {
  const { storage } = await createTestLedger();
  const feed = createTipFeed(storage, VIEW);
  const opened: FollowedStream[] = [];

  async function follow(userId: string): Promise<FollowedStream> {
    const until = new AbortController();
    const { events } = await feed.follow(userId as UserId, null, until.signal);
    let end: string | null = null;
    events.next().catch((error: unknown) => {
      end = error instanceof Error ? error.name : 'unknown';
    });
    return { hangUp: () => until.abort(), endedBy: () => end };
  }

  return {
    feed,
    storage,
    async open(count: number, ownerOf: (index: number) => string): Promise<FollowedStream[]> {
      const streams: FollowedStream[] = [];
      for (let index = 0; index < count; index += 1) {
        streams.push(await follow(ownerOf(index)));
        // First reads take turns, and none may be waiting any more.
        if (index % 100 === 99) await settle();
      }
      opened.push(...streams);
      return streams;
    },
    hangUpAll() {
      for (const { hangUp } of opened.splice(0)) hangUp();
    },
  };
}

const endedOf = <Each extends { readonly stream: FollowedStream }>(streams: readonly Each[]) =>
  streams.filter(({ stream }) => stream.endedBy() !== null);

describe('the feed', () => {
  test('has 5,000 places in all, and with a stream each nobody makes room for a newcomer', async () => {
    const { feed, open } = await openFeed();
    const streams = await open(STREAMS_IN_ALL, (index) => `usr_${index}`);
    expect(feed.size()).toBe(STREAMS_IN_ALL);
    await expect(open(1, () => 'usr_more')).rejects.toMatchObject({ code: 'busy', retryAfterSeconds: 30 });
    await expect(open(1, () => 'usr_7')).rejects.toMatchObject({ code: 'busy', retryAfterSeconds: 30 });
    expect(feed.size()).toBe(STREAMS_IN_ALL);
    streams.at(-1)?.hangUp();
    expect(feed.size()).toBe(STREAMS_IN_ALL - 1);
    await open(1, () => 'usr_more');
    expect(feed.size()).toBe(STREAMS_IN_ALL);
    await vi.waitFor(
      () => expect(streams.filter(({ endedBy }) => endedBy() === 'AbortError')).toEqual([streams.at(-1)]),
      PATIENCE,
    );
  });

  test('when all places are taken, an account without a stream takes the newest of whoever has the most', async () => {
    const { feed, open } = await openFeed();
    // Two each, but for one that has three, the newest of which is not the newest of all.
    const [oldest, middle, newest] = await open(3, () => 'usr_most');
    const others = await open(STREAMS_IN_ALL - 3, (index) => `usr_${Math.floor(index / 2)}`);
    const [newcomer] = await open(1, () => 'usr_more');
    await vi.waitFor(() => expect(newest?.endedBy()).toBe('AbortError'), PATIENCE);
    for (const stream of [oldest, middle, newcomer, ...others]) expect(stream?.endedBy()).toBeNull();
    expect(feed.size()).toBe(STREAMS_IN_ALL);

    // The displaced one holds no place that it could give back.
    newest?.hangUp();
    expect(feed.size()).toBe(STREAMS_IN_ALL);
  });

  test('250 accounts that take all places leave a fair share to each that comes later, and keep theirs', async () => {
    const { feed, open, hangUpAll } = await openFeed();
    for (let round = 0; round < 2; round += 1) {
      const owner = (index: number) => Math.floor(index / STREAMS_PER_ACCOUNT);
      const streams = await open(STREAMS_IN_ALL, (index) => `usr_${owner(index)}`);
      const fairShare = STREAMS_PER_ACCOUNT - 1;
      const late = await open(fairShare, () => 'usr_late');
      await expect(open(1, () => 'usr_late')).rejects.toMatchObject({ code: 'busy' });
      // Accounts that lost a place cannot take it back.
      await expect(open(1, () => 'usr_0')).rejects.toMatchObject({ code: 'busy' });
      expect(feed.size()).toBe(STREAMS_IN_ALL);
      const displacedNow = () => streams.flatMap(({ endedBy }, index) => (endedBy() === null ? [] : [index]));
      await vi.waitFor(() => expect(displacedNow()).toHaveLength(fairShare), PATIENCE);
      const displaced = displacedNow();
      expect(new Set(displaced.map(owner)).size).toBe(fairShare);
      for (const index of displaced) expect(index % STREAMS_PER_ACCOUNT).toBe(STREAMS_PER_ACCOUNT - 1);
      for (const stream of late) expect(stream.endedBy()).toBeNull();
      hangUpAll();
      expect(feed.size()).toBe(0);
    }
  });

  test('displaces a stream also while it still looks up where to begin', async () => {
    const { feed, storage, open } = await openFeed();
    await open(STREAMS_IN_ALL - 2, (index) => `usr_${index}`);
    await open(1, () => 'usr_most');
    let find = (_: null) => {};
    const found = new Promise<null>((resolve) => {
      find = resolve;
    });
    vi.spyOn(storage, 'findNewestEntry').mockImplementationOnce(() => found);
    const opening = open(1, () => 'usr_most');
    await open(1, () => 'usr_more');
    find(null);
    const [displaced] = await opening;
    await vi.waitFor(() => expect(displaced?.endedBy()).toBe('AbortError'), PATIENCE);
    expect(feed.size()).toBe(STREAMS_IN_ALL);
  });

  test('takes from whoever has the most at the time, however they come and go', async () => {
    const { feed, open } = await openFeed();
    const chance = createChance(20_261_205);
    const streams: { owner: string; stream: FollowedStream }[] = [];
    const openFor = async (owner: string) => {
      const [stream] = await open(1, () => owner);
      if (stream) streams.push({ owner, stream });
    };
    const countsOf = () => {
      const counts = new Map<string, number>();
      for (const { owner } of streams) counts.set(owner, (counts.get(owner) ?? 0) + 1);
      return counts;
    };
    // About 700 accounts with up to 15 streams each.
    const ownerAtFirst = (index: number) => `usr_${Math.floor(10 * Math.sqrt(index))}`;
    for (const [index, stream] of (await open(STREAMS_IN_ALL, ownerAtFirst)).entries())
      streams.push({ owner: ownerAtFirst(index), stream });
    const outcomes = { displaced: 0, busy: 0, free: 0 };
    for (let step = 0; step < 300; step += 1) {
      const owner = chance.below(2) === 0 ? `new_${chance.below(200)}` : chance.pick(streams).owner;
      if (chance.below(10) === 0) {
        const [gone] = streams.splice(chance.below(streams.length), 1);
        gone?.stream.hangUp();
      }
      const counts = countsOf();
      const own = counts.get(owner) ?? 0;
      const most = Math.max(...counts.values());
      const isFull = streams.length === STREAMS_IN_ALL;
      const refusal = await openFor(owner).then(
        () => null,
        (error) => error.code,
      );
      await settle();
      const isDisplacing = isFull && most >= own + 2;
      // A displaced stream that is reading from a database hears of it when that has answered.
      if (isDisplacing) await vi.waitFor(() => expect(endedOf(streams)).not.toEqual([]), PATIENCE);
      const ended = endedOf(streams);
      if (!isFull) {
        expect([refusal, ended]).toEqual([null, []]);
        outcomes.free += 1;
      } else if (!isDisplacing) {
        expect([refusal, ended]).toEqual(['busy', []]);
        outcomes.busy += 1;
      } else {
        expect(refusal).toBeNull();
        expect(ended).toHaveLength(1);
        const [loser] = ended;
        if (!loser) continue;
        expect(counts.get(loser.owner)).toBe(most);
        expect(streams.findLast((each) => each.owner === loser.owner)).toBe(loser);
        streams.splice(streams.indexOf(loser), 1);
        outcomes.displaced += 1;
      }
      expect(feed.size()).toBe(streams.length);
    }
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(5);
  });

  test('lets go of a stream whose reader leaves in the middle', async () => {
    const { storage, setTheScene } = await createTestLedger();
    const { provider, tip } = await setTheScene();
    const first = tip();
    for (const one of [first, tip(), tip()]) await storage.recordTip(one);
    const feed = createTipFeed(storage, VIEW);
    const { events } = await feed.follow(provider.id, first.id, new AbortController().signal);
    for await (const { transaction } of events) {
      expect(transaction.receiverId).toBe(provider.id);
      break;
    }
    expect(feed.size()).toBe(0);
  });

  test('misses nothing that is recorded while it looks up where to begin', async () => {
    const { storage, setTheScene } = await createTestLedger();
    const { provider, tip } = await setTheScene();
    const feed = createTipFeed(storage, VIEW);
    const hangUp = new AbortController();
    const lookingUp = vi.spyOn(storage, 'findNewestEntry').mockImplementationOnce(async () => {
      await storage.recordTip(tip());
      return null;
    });
    const { events } = await feed.follow(provider.id, null, hangUp.signal);
    expect(lookingUp).toHaveBeenCalledOnce();
    expect((await events.next()).value).toMatchObject({ transaction: { receiverId: provider.id } });
    // The stream sleeps now, and the next tip wakes it.
    const next = events.next();
    await storage.recordTip(tip({ amountCents: 3_000 }));
    expect((await next).value).toMatchObject({ transaction: { amountCents: 3_000 } });
    hangUp.abort();
    await expect(events.next()).rejects.toThrow('aborted');
  });
});
