/**
 * Hearing of tips: through both doors alike, both sides of a tip hear of it, once, in the order of the
 * ledger, from where they left off; and nobody hears of another's.
 */
import { describe, expect, test, vi } from 'vitest';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { call, DOORS, resultOf, tipThrough } from '#tests/support/both-doors.ts';
import { createChance } from '#tests/support/chance.ts';
import { openStream, STREAM_PATHS, type StreamedTip } from '#tests/support/event-streams.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';
import { enter } from '#tests/support/test-ledger.ts';
import { BEGINNING, ledgerOf, openTipScene, openTips, READ_SIZE, settle } from '#tests/support/tip-scene.ts';

/** The longest replay: a client that missed more loads the list again. */
const MAX_REPLAY = 1_000;

/** What a door makes of an event has nothing to do with the engine. */
const DOORS_HERE = isOnSqlite() ? DOORS : (['REST'] as const);

describe.each(DOORS_HERE)('through %s', (door) => {
  test('giver and receiver hear of a tip as it is in the ledger, under its id', async () => {
    const scene = await openTipScene();
    const streams = [
      await openTips(door, scene, { token: scene.customer.token }),
      await openTips(door, scene, { token: scene.provider.token }),
    ];
    const ids = await scene.giveTips(3);
    for (const [index, stream] of streams.entries()) {
      const tips = await stream.take(3);
      const { user } = index === 0 ? scene.customer : scene.provider;
      expect(tips.map(({ eventId }) => eventId)).toEqual(ids);
      expect(tips).toEqual(await ledgerOf(scene.t, user.id));
      await stream.close();
    }
    expect(scene.t.app.streams()).toBe(0);
  });

  test('an event holds exactly what the door answers to whoever gives the tip', async () => {
    const scene = await openTipScene();
    const { t, customer, code } = scene;
    const stream = await openTips(door, scene, { token: customer.token });
    const tip = { receiverQrId: code, amountCents: 1_050, serviceCategory: 'bartender' };
    const answer = await tipThrough(door, t, tip, customer);
    await stream.start();
    const event = await stream.next();
    expect(event?.name).toBe(door === 'REST' ? 'tip' : 'message');
    expect(JSON.parse(event?.data ?? '')).toEqual(resultOf(answer));
    await stream.close();
  });

  test('without a last event only what is new comes', async () => {
    const scene = await openTipScene();
    await scene.giveTips(5);
    const stream = await openTips(door, scene, { token: scene.provider.token });
    const ids = await scene.giveTips(2, 2_000);
    expect((await stream.take(2)).map(({ id }) => id)).toEqual(ids);
    await stream.close();
  });

  test.each([
    0,
    READ_SIZE,
    READ_SIZE + 1,
    2 * READ_SIZE + 50,
  ])('with %i tips after the last event these come first, then each as it happens', async (missed) => {
    const scene = await openTipScene();
    const [lastEventId] = (await scene.giveTips(4)).slice(-1);
    const missedIds = await scene.giveTips(missed, 2_000);
    const stream = await openTips(door, scene, { token: scene.provider.token, lastEventId });
    const liveIds = await scene.giveTips(3, 9_000);
    const tips = await stream.take(missed + 3);
    expect(tips.map(({ id }) => id)).toEqual([...missedIds, ...liveIds]);
    await stream.close();
  });

  test('tips recorded while the replay is being read come after it, each once', async () => {
    const scene = await openTipScene();
    const [lastEventId] = await scene.giveTips(1);
    await scene.recordTips(8 * READ_SIZE);
    const stream = await openTips(door, scene, { token: scene.provider.token, lastEventId });
    const tips: StreamedTip[] = [];
    for (let round = 0; round < 32; round += 1) {
      tips.push(...(await stream.take(5)));
      await scene.giveTips(5, 50_000 + 5 * round);
    }
    tips.push(...(await stream.take(8 * READ_SIZE + 160 - tips.length)));
    expect(tips).toEqual((await ledgerOf(scene.t, scene.provider.user.id)).slice(1));
    await stream.close();
  });

  test('the order is that of the ledger, also when the clock goes backwards', async () => {
    const scene = await openTipScene();
    const [lastEventId] = await scene.giveTips(1);
    const ids: string[] = [];
    for (const hours of [5, 3, 4, 1, 2]) {
      scene.t.clock.nowMs = START_MS + hours * 3_600_000;
      ids.push(...(await scene.giveTips(1)));
    }
    const stream = await openTips(door, scene, { token: scene.customer.token, lastEventId });
    expect((await stream.take(5)).map(({ id }) => id)).toEqual(ids);
    await stream.close();
  });

  test('a tip that is sent again under its key is told once', async () => {
    const scene = await openTipScene();
    const stream = await openTips(door, scene, { token: scene.provider.token });
    const tip = {
      receiverQrId: scene.code,
      amountCents: 1_234,
      serviceCategory: 'bartender',
      idempotencyKey: 'once',
    } as const;
    await Promise.all(Array.from({ length: 5 }, () => scene.customer.trpc.transactions.create.mutate(tip)));
    const [last] = await scene.giveTips(1, 2_000);
    const tips = await stream.take(2);
    expect(tips.map(({ amountCents }) => amountCents)).toEqual([1_234, 2_000]);
    expect(tips[1]?.id).toBe(last);
    await stream.close();
  });

  test('both sides hear of a refund as an event of its own, whoever asked for it, and go on after it', async () => {
    const scene = await openTipScene();
    const { t, customer, provider } = scene;
    const [kept, undone, refunded] = await scene.giveTips(3);
    if (kept === undefined || undone === undefined || refunded === undefined) throw new Error('no tips');
    const people = [customer, provider];
    const streams = await Promise.all(people.map(({ token }) => openTips(door, scene, { token })));
    await customer.trpc.transactions.refund.mutate({ id: undone, idempotencyKey: 'refund' });
    await provider.trpc.transactions.refund.mutate({ id: refunded });
    // The same request again, and one that is refused, are told to nobody.
    await customer.trpc.transactions.refund.mutate({ id: undone, idempotencyKey: 'refund' });
    await expect(provider.trpc.transactions.refund.mutate({ id: undone })).rejects.toThrow();
    const [last = ''] = await scene.giveTips(1, 5_000);
    const namesOf = (id: string) => `rev_${id.slice('txn_'.length)}`;
    for (const [index, stream] of streams.entries()) {
      const person = people[index] ?? customer;
      await stream.start();
      const events = [await stream.next(), await stream.next(), await stream.next()];
      expect(events.map((event) => event?.id)).toEqual([namesOf(undone), namesOf(refunded), last]);
      for (const [place, id] of [undone, refunded, last].entries()) {
        const answer = await call(door, t, 'transactions.get', { id }, person);
        expect(JSON.parse(events[place]?.data ?? '')).toEqual(resultOf(answer));
      }
      const by = door === 'REST' ? 'refunded_by' : 'refundedBy';
      expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({ status: 'refunded', [by]: 'giver' });
      expect(JSON.parse(events[1]?.data ?? '')).toMatchObject({ status: 'refunded', [by]: 'receiver' });
      await stream.close();

      // Whoever saw the refund last goes on with what came after it, and whoever saw the tip last hears of
      // its refund.
      for (const [lastEventId, missed] of [
        [namesOf(undone), [namesOf(refunded), last]],
        [namesOf(refunded), [last]],
        [undone, [refunded, namesOf(undone), namesOf(refunded), last]],
      ] as const) {
        const again = await openTips(door, scene, { token: person.token, lastEventId });
        expect(await again.start()).toEqual({ eventId: lastEventId, reset: null });
        expect((await again.take(missed.length)).map(({ eventId }) => eventId)).toEqual(missed);
        await again.close();
      }
    }
    // A refund that there was not, and other people’s, are unknown.
    const stranger = await enter(t, 'kim');
    for (const [token, lastEventId] of [
      [provider.token, namesOf(kept)],
      [stranger.token, namesOf(undone)],
    ] as const) {
      const stream = await openTips(door, scene, { token, lastEventId });
      expect(await stream.start()).toMatchObject({ reset: 'unknown_event' });
      await stream.close();
    }
  });

  test('a stream that begins after a refund begins after its event', async () => {
    const scene = await openTipScene();
    const { provider, customer } = scene;
    const [id = ''] = await scene.giveTips(1);
    await customer.trpc.transactions.refund.mutate({ id });
    const stream = await openTips(door, scene, { token: provider.token });
    expect(await stream.start()).toEqual({ eventId: `rev_${id.slice('txn_'.length)}`, reset: null });
    const ids = await scene.giveTips(1);
    expect((await stream.take(1)).map(({ eventId }) => eventId)).toEqual(ids);
    await stream.close();
  });

  test('all streams of an account hear the same', async () => {
    const scene = await openTipScene();
    const streams = await Promise.all(
      DOORS.flatMap((each) => [each, each]).map((each) =>
        openTips(each, scene, { token: scene.provider.token }),
      ),
    );
    const ids = await scene.giveTips(10);
    for (const stream of streams) {
      expect((await stream.take(10)).map(({ id }) => id)).toEqual(ids);
      await stream.close();
    }
  });

  test('a stream begins with an id to resume after: of one’s own newest transaction, or the beginning', async () => {
    const scene = await openTipScene();
    const stranger = await enter(scene.t, 'sam', ['barber']);
    const toStranger = { receiverQrId: stranger.codes[0] ?? '', serviceCategory: 'barber' } as const;
    const tipStranger = () =>
      scene.customer.trpc.transactions.create.mutate({ ...toStranger, amountCents: 1_000 });
    const begin = async (token: string) => {
      const stream = await openTips(door, scene, { token });
      const start = await stream.start();
      await stream.close();
      return start;
    };
    await tipStranger();
    expect(await begin(scene.provider.token)).toEqual({ eventId: BEGINNING, reset: null });
    const [own] = (await scene.giveTips(2)).slice(-1);
    await tipStranger();
    expect(await begin(scene.provider.token)).toEqual({ eventId: own, reset: null });
  });

  test('a stream that broke before its first tip resumes without a gap', async () => {
    const scene = await openTipScene();
    const { token } = scene.provider;
    let lastEventId: string | undefined;
    const heard: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const stream = await openTips(door, scene, { token, lastEventId });
      const { eventId, reset } = await stream.start();
      expect([eventId, reset]).toEqual([lastEventId ?? BEGINNING, null]);
      heard.push(...(await stream.take(2 * Math.min(round, 1))).map(({ id }) => id));
      await stream.close();
      lastEventId = String(heard.at(-1) ?? eventId);
      await scene.giveTips(2, 1_000 + 10 * round);
    }
    const ids = (await ledgerOf(scene.t, scene.provider.user.id)).map(({ id }) => id);
    expect(heard).toEqual(ids.slice(0, 4));
  });

  test("another's id as the last event is one that does not exist: the stream begins now and says so", async () => {
    const scene = await openTipScene();
    const stranger = await enter(scene.t, 'sam', ['barber']);
    const [id = ''] = await scene.giveTips(1);
    for (const lastEventId of [id, id.split('').reverse().join(''), 'x'.repeat(5_000), '0', 'txn_%']) {
      const stream = await openTips(door, scene, { token: stranger.token, lastEventId });
      expect(await stream.start(), lastEventId).toEqual({ eventId: BEGINNING, reset: 'unknown_event' });
      await stream.close();
    }
    const stream = await openTips(door, scene, { token: scene.provider.token, lastEventId: 'unknown' });
    expect(await stream.start()).toEqual({ eventId: id, reset: 'unknown_event' });
    const [next] = await scene.giveTips(1, 2_000);
    expect((await stream.nextTip())?.id).toBe(next);
    await stream.close();
  });

  test('an empty last event is none', async () => {
    const scene = await openTipScene();
    const [id] = await scene.giveTips(1);
    const stream = await openTips(door, scene, { token: scene.provider.token, lastEventId: '' });
    expect(await stream.start()).toEqual({ eventId: id, reset: null });
    await stream.close();
  });

  test('whoever missed 1,000 tips hears all of them, and whoever missed more that the list knows more', async () => {
    const scene = await openTipScene();
    const { token } = scene.provider;
    const [lastEventId] = await scene.recordTips(1);
    const missed = await scene.recordTips(MAX_REPLAY);
    const whole = await openTips(door, scene, { token, lastEventId });
    expect(await whole.start()).toEqual({ eventId: lastEventId, reset: null });
    expect((await whole.take(MAX_REPLAY)).map(({ id }) => id)).toEqual(missed);

    const late = await openTips(door, scene, { token, lastEventId: BEGINNING });
    expect(await late.start()).toEqual({ eventId: missed.at(-1), reset: 'too_many_missed' });
    const [next] = await scene.giveTips(1, 2_000);
    for (const stream of [whole, late]) {
      expect((await stream.nextTip())?.id).toBe(next);
      await stream.close();
    }
  });

  test('a stream that cannot read the ledger ends, and only the log says why', async () => {
    const scene = await openTipScene();
    const { t } = scene;
    const stream = await openTips(door, scene, { token: scene.provider.token });
    await stream.start();
    await settle();
    const reading = vi.spyOn(t.storage, 'listEntriesSince');
    reading.mockRejectedValueOnce(new StorageUnavailable(new Error('the disk is on fire')));
    const [id] = await scene.giveTips(1);
    const said: string[] = [];
    for (let event = await stream.next(); event !== null; event = await stream.next()) said.push(event.data);
    expect(said.join()).not.toMatch(/fire|storage\.ts|stack/);
    expect(t.app.streams()).toBe(0);
    expect(console.error).not.toHaveBeenCalled();
    expect(t.logLines.join('')).toContain('the disk is on fire');
    // A client that resumes gets the tips that could not be read.
    const [lastEventId] = await scene.giveTips(1);
    const again = await openTips(door, scene, { token: scene.provider.token, lastEventId: id });
    expect((await again.nextTip())?.id).toBe(lastEventId);
    await again.close();
  });

  test('a reader that does not read makes the server read no further than a little ahead', async () => {
    const scene = await openTipScene();
    const [lastEventId] = await scene.recordTips(1);
    const reading = vi.spyOn(scene.t.storage, 'listEntriesSince');
    const idle = await openTips(door, scene, { token: scene.provider.token, lastEventId });
    await settle();
    reading.mockClear();
    await scene.giveTips(10 * READ_SIZE, 2_000);
    await settle();
    // Reading all tips would take ten reads and more.
    expect(reading.mock.calls.length).toBeLessThanOrEqual(2);
    expect(await idle.take(10 * READ_SIZE)).toEqual(
      (await ledgerOf(scene.t, scene.provider.user.id)).slice(1),
    );
    await idle.close();
  });

  test('no event is lost or doubled when the reader disconnects 10 times at random', async () => {
    const TIPS = 150;
    const scene = await openTipScene();
    const [first] = await scene.giveTips(1);
    const writing = scene.giveTips(TIPS, 2_000);
    const chance = createChance(20_261_203);
    const heard: StreamedTip[] = [];
    let lastEventId = first;
    for (let connection = 0; connection <= 10; connection += 1) {
      const stream = await openTips(door, scene, { token: scene.provider.token, lastEventId });
      const count = connection === 10 ? TIPS - heard.length : chance.below(13);
      heard.push(...(await stream.take(count)));
      lastEventId = heard.at(-1)?.id ?? first;
      await stream.close();
    }
    await writing;
    expect(heard).toEqual((await ledgerOf(scene.t, scene.provider.user.id)).slice(1));
    expect(scene.t.app.streams()).toBe(0);
  });
});

test('a last event is named in the header, or by tRPC’s clients in the input or the query', async () => {
  const scene = await openTipScene();
  const [lastEventId = '', id] = await scene.giveTips(2);
  const { token } = scene.provider;
  for (const query of [{ input: JSON.stringify({ lastEventId }) }, { lastEventId }]) {
    const path = `${STREAM_PATHS.tRPC}?${new URLSearchParams(query)}`;
    const stream = await openTips('tRPC', scene, { token, path });
    expect((await stream.nextTip())?.id).toBe(id);
    await stream.close();
  }
});

test('30 accounts and 300 tips: each hears its own, in order, and nobody another’s', async () => {
  const t = await createTestApp();
  const people = await Promise.all(
    Array.from({ length: 30 }, (_, index) => enter(t, `person-${index}`, ['dj'])),
  );
  const streams = await Promise.all(
    people.map(({ token }, index) => openStream(t.send, DOORS[index % 2] ?? 'REST', { token })),
  );
  const chance = createChance(20_261_204);
  let heardInAll = 0;
  const reading = people.map(async ({ user }, index) => {
    const heard: StreamedTip[] = [];
    for (let tip = await streams[index]?.nextTip(); tip; tip = await streams[index]?.nextTip()) {
      heard.push(tip);
      heardInAll += 1;
    }
    return { id: user.id, heard };
  });
  for (let round = 0; round < 15; round += 1) {
    await Promise.all(
      Array.from({ length: 20 }, () => {
        const from = chance.below(people.length);
        const to = (from + 1 + chance.below(people.length - 1)) % people.length;
        return people[from]?.trpc.transactions.create.mutate({
          receiverQrId: people[to]?.codes[0] ?? '',
          amountCents: 1_000 + chance.below(9_000),
          serviceCategory: 'dj',
        });
      }),
    );
  }
  // Two people hear of each tip.
  await vi.waitFor(() => expect(heardInAll).toBeGreaterThanOrEqual(600), { timeout: 60_000 });
  await settle();
  t.app.endStreams();
  for (const { id, heard } of await Promise.all(reading)) {
    expect(heard.length).toBeGreaterThan(5);
    expect(heard).toEqual(await ledgerOf(t, id));
  }
  expect((await t.data.dump(['transactions']))['transactions']).toHaveLength(300);
});
