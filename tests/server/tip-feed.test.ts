/**
 * Hearing of tips: through both doors alike, both sides of a tip hear of it, once, in the order of the ledger, from
 * where they left off; nobody hears of another's; and a stream ends with its session, without holding its place.
 */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { StorageUnavailable } from '#server/storage/storage.ts';
import { createTipFeed } from '#server/tips/tip-feed.ts';
import { createTransactionView } from '#server/tips/transaction-view.ts';
import { newTransactionId, type QrCodeId, type UserId } from '#shared/ids.ts';
import { cents, feesFor, GIVER_FEE_RATE, RECEIVER_FEE_RATE } from '#shared/money.ts';
import { callRest, callTrpc, DOORS, type Door, resultOf, tipThrough } from '#tests/support/both-doors.ts';
import { createChance } from '#tests/support/chance.ts';
import { dump } from '#tests/support/database-dump.ts';
import {
  openStream,
  refusalOf,
  STREAM_PATHS,
  type StreamedTip,
  type StreamOptions,
  type TipStream,
} from '#tests/support/event-streams.ts';
import { deleteSessions } from '#tests/support/stored-data.ts';
import { createTestApp, START_MS, type TestApp } from '#tests/support/test-app.ts';
import { beginSession, createTestLedger, enter } from '#tests/support/test-ledger.ts';

const requestTo = (path: string, init: RequestInit) => new Request(`http://localhost${path}`, init);

const DAY_MS = 86_400_000;
const STREAMS_PER_ACCOUNT = 20;
const STREAMS_IN_ALL = 5_000;
/** How many tips the feed reads at once: a replay of more takes several reads. */
const READ_SIZE = 20;
/** Reads and tips in one turn of the event loop: those of its I/O, and as many of what had to wait for a turn. */
const STEPS_IN_A_TURN = 2 * 25;
/** Whoever missed more loads the list again. */
const MAX_REPLAY = 1_000;
const BEGINNING = 'beginning';
/** Twenty tabs whose connection breaks every ten seconds. */
const OPENINGS_A_MINUTE = 120;

async function openScene() {
  const t = await createTestApp();
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  const [code = ''] = provider.codes;

  /** Tips of the customer's for the provider, told apart by their amounts: `first` cents and upwards. */
  async function giveTips(count: number, first = 1_000): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const tip = { receiverQrId: code, amountCents: first + index, serviceCategory: 'bartender' } as const;
      ids.push((await customer.trpc.transactions.create.mutate(tip)).id);
    }
    return ids;
  }

  /** The same past the doors, for many of them. */
  async function recordTips(count: number): Promise<string[]> {
    const given = Array.from({ length: count }, async () => {
      const amountCents = cents(1_000);
      const id = newTransactionId(randomBytes);
      await t.storage.recordTip({
        id,
        giverId: customer.user.id,
        qrCodeId: code as QrCodeId,
        serviceCategory: 'bartender',
        amountCents,
        ...feesFor(amountCents),
        giverFeeRate: GIVER_FEE_RATE,
        receiverFeeRate: RECEIVER_FEE_RATE,
        status: 'completed',
        idempotencyKey: null,
        createdAtMs: START_MS,
      });
      return id;
    });
    return Promise.all(given);
  }

  return { t, provider, customer, code, giveTips, recordTips };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

function open(door: Door, { t }: Pick<Scene, 't'>, options: StreamOptions): Promise<TipStream> {
  return openStream(t.send, door, options);
}

const VIEW = createTransactionView(new Uint8Array(32));

/** What an account gave and received, in the order in which the ledger recorded it, as the account sees it. */
function ledgerOf({ database }: TestApp, userId: string): StreamedTip[] {
  const tips = dump(database)['transactions']?.map((row) => Object(row)) ?? [];
  return tips
    .filter((tip) => tip.giver_id === userId || tip.receiver_id === userId)
    .sort((one, other) => one.sequence - other.sequence)
    .map((tip) => ({
      eventId: tip.id,
      id: tip.id,
      giverId: tip.giver_id === userId ? userId : expect.stringMatching(/^gvr_/),
      receiverId: tip.receiver_id,
      amountCents: tip.amount_cents,
    }));
}

/** Lets everything happen that has nothing left to wait for. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until the app has so many streams open; the test's own time-out ends it otherwise. */
async function untilOpen(t: TestApp, count: number): Promise<void> {
  while (t.app.streams() !== count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each(DOORS)('through %s', (door) => {
  test('giver and receiver hear of a tip as it is in the ledger, under its id', async () => {
    const scene = await openScene();
    const streams = [
      await open(door, scene, { token: scene.customer.token }),
      await open(door, scene, { token: scene.provider.token }),
    ];
    const ids = await scene.giveTips(3);
    for (const [index, stream] of streams.entries()) {
      const tips = await stream.take(3);
      const { user } = index === 0 ? scene.customer : scene.provider;
      expect(tips.map(({ eventId }) => eventId)).toEqual(ids);
      expect(tips).toEqual(ledgerOf(scene.t, user.id));
      await stream.close();
    }
    expect(scene.t.app.streams()).toBe(0);
  });

  test('an event holds exactly what the door answers to whoever gives the tip', async () => {
    const scene = await openScene();
    const { t, customer, code } = scene;
    const stream = await open(door, scene, { token: customer.token });
    const tip = { receiverQrId: code, amountCents: 1_050, serviceCategory: 'bartender' };
    const answer = await tipThrough(door, t, tip, customer);
    await stream.start();
    const event = await stream.next();
    expect(event?.name).toBe(door === 'REST' ? 'tip' : 'message');
    expect(JSON.parse(event?.data ?? '')).toEqual(resultOf(answer));
    await stream.close();
  });

  test('without a last event only what is new comes', async () => {
    const scene = await openScene();
    await scene.giveTips(5);
    const stream = await open(door, scene, { token: scene.provider.token });
    const ids = await scene.giveTips(2, 2_000);
    expect((await stream.take(2)).map(({ id }) => id)).toEqual(ids);
    await stream.close();
  });

  test.each([
    0,
    1,
    READ_SIZE - 1,
    READ_SIZE,
    READ_SIZE + 1,
    2 * READ_SIZE + 50,
  ])('with %i tips after the last event these come first, then each as it happens', async (missed) => {
    const scene = await openScene();
    const [lastEventId] = (await scene.giveTips(4)).slice(-1);
    const missedIds = await scene.giveTips(missed, 2_000);
    const stream = await open(door, scene, { token: scene.provider.token, lastEventId });
    const liveIds = await scene.giveTips(3, 9_000);
    const tips = await stream.take(missed + 3);
    expect(tips.map(({ id }) => id)).toEqual([...missedIds, ...liveIds]);
    await stream.close();
  });

  test('tips recorded while the replay is being read come after it, each once', async () => {
    const scene = await openScene();
    const [lastEventId] = await scene.giveTips(1);
    await scene.giveTips(15 * READ_SIZE, 2_000);
    const stream = await open(door, scene, { token: scene.provider.token, lastEventId });
    const tips: StreamedTip[] = [];
    for (let round = 0; round < 60; round += 1) {
      tips.push(...(await stream.take(5)));
      await scene.giveTips(5, 50_000 + 5 * round);
    }
    tips.push(...(await stream.take(30 * READ_SIZE - tips.length)));
    expect(tips).toEqual(ledgerOf(scene.t, scene.provider.user.id).slice(1));
    await stream.close();
  });

  test('the order is that of the ledger, also when the clock goes backwards', async () => {
    const scene = await openScene();
    const [lastEventId] = await scene.giveTips(1);
    const ids: string[] = [];
    for (const hours of [5, 3, 4, 1, 2]) {
      scene.t.clock.nowMs = START_MS + hours * 3_600_000;
      ids.push(...(await scene.giveTips(1)));
    }
    const stream = await open(door, scene, { token: scene.customer.token, lastEventId });
    expect((await stream.take(5)).map(({ id }) => id)).toEqual(ids);
    await stream.close();
  });

  test('a tip that is sent again under its key is told once', async () => {
    const scene = await openScene();
    const stream = await open(door, scene, { token: scene.provider.token });
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

  test('all streams of an account hear the same', async () => {
    const scene = await openScene();
    const streams = await Promise.all(
      DOORS.flatMap((each) => [each, each]).map((each) => open(each, scene, { token: scene.provider.token })),
    );
    const ids = await scene.giveTips(10);
    for (const stream of streams) {
      expect((await stream.take(10)).map(({ id }) => id)).toEqual(ids);
      await stream.close();
    }
  });

  test('the answer is a stream of events that nobody on the way may keep or gather', async () => {
    const scene = await openScene();
    const stream = await open(door, scene, { token: scene.provider.token });
    const { status, headers } = stream.response;
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^text\/event-stream\b/);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('X-Accel-Buffering')).toBe('no');
    expect(headers.has('Content-Encoding')).toBe(false);
    await stream.close();
  });

  test('a stream says at once that it is open, before anything has happened', async () => {
    const scene = await openScene();
    const stream = await open(door, scene, { token: scene.provider.token });
    const id = door === 'REST' ? BEGINNING : null;
    expect(await stream.next()).toMatchObject({ name: 'connected', id });
    await stream.close();
  });

  test('a stream begins with an id to resume after: of one’s own newest transaction, or the beginning', async () => {
    const scene = await openScene();
    const stranger = await enter(scene.t, 'sam', ['barber']);
    const toStranger = { receiverQrId: stranger.codes[0] ?? '', serviceCategory: 'barber' } as const;
    const tipStranger = () =>
      scene.customer.trpc.transactions.create.mutate({ ...toStranger, amountCents: 1_000 });
    const begin = async (token: string) => {
      const stream = await open(door, scene, { token });
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
    const scene = await openScene();
    const { token } = scene.provider;
    let lastEventId: string | undefined;
    const heard: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      const stream = await open(door, scene, { token, lastEventId });
      const { eventId, reset } = await stream.start();
      expect([eventId, reset]).toEqual([lastEventId ?? BEGINNING, null]);
      heard.push(...(await stream.take(2 * Math.min(round, 1))).map(({ id }) => id));
      await stream.close();
      lastEventId = String(heard.at(-1) ?? eventId);
      await scene.giveTips(2, 1_000 + 10 * round);
    }
    const ids = ledgerOf(scene.t, scene.provider.user.id).map(({ id }) => id);
    expect(heard).toEqual(ids.slice(0, 4));
  });

  test("another's id as the last event is one that does not exist: the stream begins now and says so", async () => {
    const scene = await openScene();
    const stranger = await enter(scene.t, 'sam', ['barber']);
    const [id = ''] = await scene.giveTips(1);
    for (const lastEventId of [id, id.split('').reverse().join(''), 'x'.repeat(5_000), '0', 'txn_%']) {
      const stream = await open(door, scene, { token: stranger.token, lastEventId });
      expect(await stream.start(), lastEventId).toEqual({ eventId: BEGINNING, reset: 'unknown_event' });
      await stream.close();
    }
    const stream = await open(door, scene, { token: scene.provider.token, lastEventId: 'unknown' });
    expect(await stream.start()).toEqual({ eventId: id, reset: 'unknown_event' });
    const [next] = await scene.giveTips(1, 2_000);
    expect((await stream.nextTip())?.id).toBe(next);
    await stream.close();
  });

  test('an empty last event is none', async () => {
    const scene = await openScene();
    const [id] = await scene.giveTips(1);
    const stream = await open(door, scene, { token: scene.provider.token, lastEventId: '' });
    expect(await stream.start()).toEqual({ eventId: id, reset: null });
    await stream.close();
  });

  test('whoever missed 1,000 tips hears all of them, and whoever missed more that the list knows more', async () => {
    const scene = await openScene();
    const { token } = scene.provider;
    const [lastEventId] = await scene.recordTips(1);
    const missed = await scene.recordTips(MAX_REPLAY);
    const whole = await open(door, scene, { token, lastEventId });
    expect(await whole.start()).toEqual({ eventId: lastEventId, reset: null });
    expect((await whole.take(MAX_REPLAY)).map(({ id }) => id)).toEqual(missed);

    const late = await open(door, scene, { token, lastEventId: BEGINNING });
    expect(await late.start()).toEqual({ eventId: missed.at(-1), reset: 'too_many_missed' });
    const [next] = await scene.giveTips(1, 2_000);
    for (const stream of [whole, late]) {
      expect((await stream.nextTip())?.id).toBe(next);
      await stream.close();
    }
  });

  test('however many streams replay at once, each turn of the event loop has a few tips of all of them', async () => {
    const scene = await openScene();
    const { token } = scene.provider;
    const [lastEventId] = await scene.recordTips(1);
    const missed = await scene.recordTips(10 * READ_SIZE);
    const reading = vi.spyOn(scene.t.storage, 'listTransactionsSince');
    const streams: TipStream[] = [];
    for (let index = 0; index < STREAMS_PER_ACCOUNT; index += 1)
      streams.push(await open(door, scene, { token, lastEventId }));
    const inTurn = { reads: 0, tips: 0 };
    const most = { reads: 0, tips: 0 };
    const endTurn = () => {
      most.reads = Math.max(most.reads, reading.mock.calls.length - inTurn.reads);
      most.tips = Math.max(most.tips, inTurn.tips);
      inTurn.reads = reading.mock.calls.length;
      inTurn.tips = 0;
      turning = setImmediate(endTurn);
    };
    let turning = setImmediate(endTurn);
    const heard = await Promise.all(
      streams.map(async (stream) => {
        const ids: unknown[] = [];
        while (ids.length < missed.length) {
          ids.push((await stream.nextTip())?.id);
          inTurn.tips += 1;
        }
        return ids;
      }),
    );
    endTurn();
    clearImmediate(turning);
    for (const ids of heard) expect(ids).toEqual(missed);
    // What was read ahead arrives in later turns.
    expect(most.tips).toBeLessThanOrEqual(2 * STEPS_IN_A_TURN);
    expect(most.reads).toBeLessThanOrEqual(STEPS_IN_A_TURN);
    await Promise.all(streams.map((stream) => stream.close()));
  });

  test('a reader that takes nothing has no more than a few heartbeats waiting for it', async () => {
    const scene = await openScene();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const stream = await open(door, scene, { token: scene.provider.token });
      await stream.next();
      for (let minute = 0; minute < 10; minute += 1) await vi.advanceTimersByTimeAsync(60_000);
      const [id] = await scene.giveTips(1);
      let beats = 0;
      for (let event = await stream.next(); event?.id !== id; event = await stream.next()) beats += 1;
      expect(beats).toBeLessThanOrEqual(3);
      await stream.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('a token that is not in the header opens nothing', async () => {
    const scene = await openScene();
    const { token } = scene.provider;
    const params = { token, Authorization: `Bearer ${token}`, authorization: `Bearer ${token}` };
    const queries = [
      ...['token', 'access_token', 'accessToken', 'authorization', 'Authorization', 'bearer'].flatMap(
        (name) => [token, `Bearer ${token}`].map((value) => ({ [name]: value })),
      ),
      { connectionParams: JSON.stringify(params) },
      { connectionParams: JSON.stringify({ authorization: token }), input: JSON.stringify(params) },
    ];
    for (const query of queries) {
      const path = `${STREAM_PATHS[door]}?${new URLSearchParams(query)}`;
      const refused = await refusalOf(scene.t, await open(door, scene, { path }), 0);
      expect(refused, path).toMatchObject({ status: 401, code: 'not_logged_in' });
    }
    const headers = { Cookie: `tipwell_token=${token}; token=${token}`, 'X-Access-Token': token };
    const refused = await refusalOf(scene.t, await open(door, scene, { headers }), 0);
    expect(refused).toMatchObject({ status: 401, code: 'not_logged_in' });
    expect(scene.t.app.streams()).toBe(0);
  });

  test('the 21st stream of an account is refused, whichever doors the others came through', async () => {
    const scene = await openScene();
    const { t, provider, customer } = scene;
    const streams: TipStream[] = [];
    for (let index = 0; index < STREAMS_PER_ACCOUNT; index += 1) {
      streams.push(await open(DOORS[index % 2] ?? door, scene, { token: provider.token }));
    }
    expect(t.app.streams()).toBe(STREAMS_PER_ACCOUNT);
    for (const token of [provider.token, await anotherSession(scene)]) {
      const refused = await refusalOf(t, await open(door, scene, { token }), STREAMS_PER_ACCOUNT);
      expect(refused).toMatchObject({ status: 429, code: 'too_many_requests', retryAfterSeconds: 30 });
    }
    expect(t.app.streams()).toBe(STREAMS_PER_ACCOUNT);

    streams.push(await open(door, scene, { token: customer.token }));
    expect(t.app.streams()).toBe(STREAMS_PER_ACCOUNT + 1);
    await Promise.all(streams.map((stream) => stream.close()));
    await untilOpen(t, 0);
  });

  test('a stream that is closed frees its place at once', async () => {
    const scene = await openScene();
    const { token } = scene.provider;
    for (let index = 0; index < 3 * STREAMS_PER_ACCOUNT; index += 1) {
      const stream = await open(door, scene, { token });
      expect(stream.response.status).toBe(200);
      expect(scene.t.app.streams()).toBe(1);
      await stream.close();
      expect(scene.t.app.streams()).toBe(0);
    }
  });

  test('a place is freed also when the client had gone before its stream began', async () => {
    const scene = await openScene();
    const hangUp = new AbortController();
    hangUp.abort();
    const headers = { Authorization: `Bearer ${scene.provider.token}` };
    const response = await scene.t.send(STREAM_PATHS[door], { headers, signal: hangUp.signal });
    // As the web server does with an answer to a closed connection.
    await response.body?.cancel();
    await untilOpen(scene.t, 0);
  }, 5_000);

  test('a connection that closes frees its places, also when nothing tells the answers that wait on it', async () => {
    const { t, provider } = await openScene();
    const socket = Object.assign(new EventEmitter(), { remoteAddress: '192.0.2.1', setTimeout() {} });
    const warned = vi.spyOn(process, 'emitWarning');
    const headers = { Authorization: `Bearer ${provider.token}` };
    const hangUp = new AbortController();
    const responses: Response[] = [];
    for (let index = 0; index < STREAMS_PER_ACCOUNT; index += 1) {
      const init = index === 0 ? { headers, signal: hangUp.signal } : { headers };
      responses.push(await t.app.fetch(requestTo(STREAM_PATHS[door], init), { incoming: { socket } }));
    }
    expect(t.app.streams()).toBe(STREAMS_PER_ACCOUNT);
    const listening = socket.listenerCount('close');
    hangUp.abort();
    await responses[0]?.body?.cancel();
    expect([t.app.streams(), socket.listenerCount('close')]).toEqual([
      STREAMS_PER_ACCOUNT - 1,
      listening - 1,
    ]);
    socket.emit('close');
    expect([t.app.streams(), socket.listenerCount('close')]).toEqual([0, 0]);
    const late = Object.assign(socket, { closed: true });
    await t.app.fetch(requestTo(STREAM_PATHS[door], { headers }), { incoming: { socket: late } });
    expect(t.app.streams()).toBe(0);
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });

  test('opening streams is limited, whichever door they come through, and whatever they find', async () => {
    const t = await createTestApp({ config: { isRateLimited: true } });
    const [{ token }, other] = [await enter(t, 'pat'), await enter(t, 'sam')];
    for (let index = 0; index < OPENINGS_A_MINUTE; index += 1) {
      const lastEventId = index % 3 === 0 ? 'unknown' : undefined;
      const stream = await openStream(t.send, DOORS[index % 2] ?? door, { token, lastEventId });
      expect(await refusalOf(t, stream, 0)).toBeNull();
    }
    const refused = await refusalOf(t, await openStream(t.send, door, { token }), 0);
    expect(refused).toMatchObject({ status: 429, code: 'too_many_requests', retryAfterSeconds: 60 });
    expect(await refusalOf(t, await openStream(t.send, door, { token: other.token }), 0)).toBeNull();
    t.clock.nowMs += 60_000;
    expect(await refusalOf(t, await openStream(t.send, door, { token }), 0)).toBeNull();
  });

  test('a refused stream holds no place', async () => {
    const scene = await openScene();
    const { t, provider } = scene;
    const looking = vi.spyOn(t.storage, 'listTransactions');
    for (let index = 0; index < 2 * STREAMS_PER_ACCOUNT; index += 1) {
      looking.mockRejectedValueOnce(new StorageUnavailable(new Error('the disk is on fire')));
      const stream = await open(door, scene, { token: provider.token });
      expect((await refusalOf(t, stream, 0))?.code).toBe('storage_unavailable');
    }
    const stream = await open(door, scene, { token: provider.token });
    expect(await refusalOf(t, stream, 0)).toBeNull();
  });

  test('HEAD asks for a stream and holds none', async () => {
    const scene = await openScene();
    const headers = { Authorization: `Bearer ${scene.provider.token}` };
    const response = await scene.t.send(STREAM_PATHS[door], { method: 'HEAD', headers });
    expect(response.ok).toBe(true);
    expect(await response.text()).toBe('');
    await settle();
    expect(scene.t.app.streams()).toBe(0);
  });

  test.each([
    '',
    '/',
  ])('a socket of a stream may stand still for some heartbeats only (path + "%s")', async (end) => {
    const { t, provider } = await openScene();
    const patience: number[] = [];
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress: '192.0.2.1',
      setTimeout: (ms: number) => patience.push(ms),
    });
    const hangUp = new AbortController();
    const headers = { Authorization: `Bearer ${provider.token}` };
    const response = await t.app.fetch(
      requestTo(`${STREAM_PATHS[door]}${end}`, { headers, signal: hangUp.signal }),
      { incoming: { socket } },
    );
    const isOpen = t.app.streams() === 1;
    hangUp.abort();
    await response.body?.cancel();
    if (!isOpen) return expect(response.status).toBe(404);
    expect(patience).toHaveLength(1);
    expect(patience[0]).toBeGreaterThan(30_000);
    expect(patience[0]).toBeLessThanOrEqual(60_000);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });

  test('heartbeats come while nothing happens, and do not disturb what does', async () => {
    const scene = await openScene();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const stream = await open(door, scene, { token: scene.provider.token });
      await stream.start();
      const beat = door === 'REST' ? { name: 'comment', data: 'heartbeat' } : { name: 'ping' };
      for (let minute = 0; minute < 3; minute += 1) {
        const next = stream.next();
        await vi.advanceTimersByTimeAsync(15_000);
        expect(await next).toMatchObject({ ...beat, id: null });
      }
      const ids = await scene.giveTips(2);
      expect((await stream.take(2)).map(({ id }) => id)).toEqual(ids);
      await stream.close();
    } finally {
      vi.useRealTimers();
    }
  });

  test('logging out ends the streams of that session at either door, and no others', async () => {
    for (const exit of DOORS) {
      const scene = await openScene();
      const { t, provider, customer } = scene;
      const leaving = await anotherSession(scene);
      const ending = [
        await open('REST', scene, { token: leaving }),
        await open('tRPC', scene, { token: leaving }),
      ];
      const staying = [
        await open(door, scene, { token: provider.token }),
        await open(door, scene, { token: customer.token }),
      ];
      const [first] = await scene.giveTips(1);
      for (const stream of ending) expect((await stream.nextTip())?.id).toBe(first);
      const answer =
        exit === 'REST'
          ? await callRest(t, 'POST', '/auth/logout', {}, { token: leaving })
          : await callTrpc(t, 'auth.logout', undefined, { token: leaving });
      expect(answer.status).toBeLessThan(300);
      for (const stream of ending) expect(await stream.next()).toBeNull();
      expect(t.app.streams()).toBe(2);

      const [second] = await scene.giveTips(1, 2_000);
      for (const stream of staying) {
        expect((await stream.take(2)).map(({ id }) => id)).toEqual([first, second]);
        await stream.close();
      }
      const refused = await refusalOf(t, await open(door, scene, { token: leaving, lastEventId: first }), 0);
      expect(refused).toMatchObject({ status: 401, code: 'session_ended' });
    }
  });

  test('a session that expires ends its streams at the next tick, and no others', async () => {
    const t = await createTestApp();
    const { token, trpc } = await t.registerCustomer();
    const used = await t.logIn('cam@example.com');
    const [ending, staying] = [
      await openStream(t.send, door, { token }),
      await openStream(t.send, door, { token: used }),
    ];
    t.clock.nowMs = START_MS + 30 * DAY_MS - 1;
    await t.app.tick();
    expect(t.app.streams()).toBe(2);
    expect(await t.trpc(used).auth.me.query()).toMatchObject({ username: 'cam' });

    t.clock.nowMs = START_MS + 30 * DAY_MS;
    await t.app.tick();
    let event = await ending.next();
    while (event !== null) event = await ending.next();
    expect(t.app.streams()).toBe(1);
    await expect(trpc.auth.me.query()).rejects.toThrow();
    await staying.close();
  });

  test('a session that is gone from the ledger, for whatever reason, ends its streams at the next tick', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    const stream = await openStream(t.send, door, { token });
    await stream.start();
    deleteSessions(t.database);
    await t.app.tick();
    expect(await stream.next()).toBeNull();
    expect(t.app.streams()).toBe(0);
  });

  test('a server that stops ends all streams in order and opens no more', async () => {
    const scene = await openScene();
    const streams = await Promise.all(
      [...DOORS, ...DOORS].map((each, index) =>
        open(each, scene, { token: index < 2 ? scene.provider.token : scene.customer.token }),
      ),
    );
    await scene.giveTips(1);
    scene.t.app.endStreams();
    for (const stream of streams) {
      const tips: unknown[] = [];
      for (let event = await stream.next(); event !== null; event = await stream.next()) {
        expect(['serialized-error', 'return']).not.toContain(event.name);
        tips.push(event);
      }
    }
    expect(scene.t.app.streams()).toBe(0);
    const refused = await refusalOf(scene.t, await open(door, scene, { token: scene.provider.token }), 0);
    expect(refused).toMatchObject({ status: 503, code: 'busy', retryAfterSeconds: 30 });
  });

  test('when all places are taken, the newest stream of whoever has the most breaks off for a newcomer', async () => {
    const scene = await openScene();
    const { t, provider, customer } = scene;
    const accounts = Array.from(
      { length: STREAMS_IN_ALL / STREAMS_PER_ACCOUNT - 1 },
      (_, index) => `many-${index}`,
    );
    const streams: TipStream[] = [];
    for (let index = 0; index < STREAMS_PER_ACCOUNT; index += 1)
      streams.push(await open(door, scene, { token: provider.token }));
    for (const name of accounts) {
      const { token } = await enter(t, name);
      for (let index = 1; index < STREAMS_PER_ACCOUNT; index += 1) await open(door, scene, { token });
    }
    while (t.app.streams() < STREAMS_IN_ALL) {
      const one = await enter(t, `one-${t.app.streams()}`);
      await open(door, scene, { token: one.token });
    }
    const late = await open(door, scene, { token: customer.token });
    const [id] = await scene.giveTips(1);
    expect((await late.nextTip())?.id).toBe(id);
    expect(await streams.at(-1)?.nextTip()).toBeNull();
    expect((await streams.at(-2)?.nextTip())?.id).toBe(id);
    expect(t.app.streams()).toBe(STREAMS_IN_ALL);
  });

  test('a stream whose reader stands still ends with its session, without an error that nobody hears', async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => unheard.push(reason);
    process.on('unhandledRejection', hear);
    try {
      for (const count of [0, 1, 2, 3, READ_SIZE]) {
        const scene = await openScene();
        const { t, provider } = scene;
        const stream = await open(door, scene, { token: provider.token });
        await settle();
        await scene.giveTips(count);
        await settle();
        deleteSessions(t.database);
        await t.app.tick();
        await settle();
        expect(unheard).toEqual([]);
        expect((await stream.take(count + 1)).length).toBeLessThanOrEqual(count);
        expect(t.app.streams()).toBe(0);
      }
    } finally {
      process.off('unhandledRejection', hear);
    }
  });

  test('a stream that cannot read the ledger ends, and only the log says why', async () => {
    const scene = await openScene();
    const { t } = scene;
    vi.mocked(console.error)
      .mockClear()
      .mockImplementationOnce(() => {});
    const stream = await open(door, scene, { token: scene.provider.token });
    await stream.start();
    await settle();
    const reading = vi.spyOn(t.storage, 'listTransactionsSince');
    reading.mockRejectedValueOnce(new StorageUnavailable(new Error('the disk is on fire')));
    const [id] = await scene.giveTips(1);
    const said: string[] = [];
    for (let event = await stream.next(); event !== null; event = await stream.next()) said.push(event.data);
    expect(said.join()).not.toMatch(/fire|storage\.ts|stack/);
    expect(t.app.streams()).toBe(0);
    expect(console.error).not.toHaveBeenCalled();
    expect(t.logLines.join('')).toContain('the disk is on fire');
    // Nothing is lost: whoever comes back gets what could not be read.
    const [lastEventId] = await scene.giveTips(1);
    const again = await open(door, scene, { token: scene.provider.token, lastEventId: id });
    expect((await again.nextTip())?.id).toBe(lastEventId);
    await again.close();
  });

  test('a reader that does not read makes the server read no further than a little ahead', async () => {
    const scene = await openScene();
    const [lastEventId] = await scene.recordTips(1);
    const reading = vi.spyOn(scene.t.storage, 'listTransactionsSince');
    const idle = await open(door, scene, { token: scene.provider.token, lastEventId });
    await settle();
    reading.mockClear();
    await scene.giveTips(10 * READ_SIZE, 2_000);
    await settle();
    // All of it would be ten reads and more.
    expect(reading.mock.calls.length).toBeLessThanOrEqual(2);
    expect(await idle.take(10 * READ_SIZE)).toEqual(ledgerOf(scene.t, scene.provider.user.id).slice(1));
    await idle.close();
  });

  test('no event is lost or doubled when the reader disconnects 30 times at random', async () => {
    const scene = await openScene();
    const [first] = await scene.giveTips(1);
    const writing = scene.giveTips(1_000, 2_000);
    const chance = createChance(20_261_203);
    const heard: StreamedTip[] = [];
    let lastEventId = first;
    for (let connection = 0; connection <= 30; connection += 1) {
      const stream = await open(door, scene, { token: scene.provider.token, lastEventId });
      const count = connection === 30 ? 1_000 - heard.length : chance.below(33);
      heard.push(...(await stream.take(count)));
      lastEventId = heard.at(-1)?.id ?? first;
      await stream.close();
    }
    await writing;
    expect(heard).toEqual(ledgerOf(scene.t, scene.provider.user.id).slice(1));
    expect(scene.t.app.streams()).toBe(0);
  });
});

test('a last event is named in the header, or by tRPC’s clients in the input or the query', async () => {
  const scene = await openScene();
  const [lastEventId = '', id] = await scene.giveTips(2);
  const { token } = scene.provider;
  for (const query of [{ input: JSON.stringify({ lastEventId }) }, { lastEventId }]) {
    const path = `${STREAM_PATHS.tRPC}?${new URLSearchParams(query)}`;
    const stream = await open('tRPC', scene, { token, path });
    expect((await stream.nextTip())?.id).toBe(id);
    await stream.close();
  }
});

test('50 accounts and 2,000 tips: each hears its own, in order, and nobody another’s', async () => {
  const t = await createTestApp();
  const people = await Promise.all(
    Array.from({ length: 50 }, (_, index) => enter(t, `person-${index}`, ['dj'])),
  );
  const streams = await Promise.all(
    people.map(({ token }, index) => openStream(t.send, DOORS[index % 2] ?? 'REST', { token })),
  );
  const chance = createChance(20_261_204);
  const reading = people.map(async ({ user }, index) => {
    const heard: StreamedTip[] = [];
    for (let tip = await streams[index]?.nextTip(); tip; tip = await streams[index]?.nextTip())
      heard.push(tip);
    return { id: user.id, heard };
  });
  for (let round = 0; round < 100; round += 1) {
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
  await settle();
  t.app.endStreams();
  for (const { id, heard } of await Promise.all(reading)) {
    expect(heard.length).toBeGreaterThan(20);
    expect(heard).toEqual(ledgerOf(t, id));
  }
  expect(dump(t.database)['transactions']).toHaveLength(2_000);
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
    const { tips } = await feed.follow(userId as UserId, null, until.signal);
    let end: string | null = null;
    tips.next().catch((error: unknown) => {
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
        // Their first reads take turns: none is left waiting for one.
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
    await settle();
    expect(streams.filter(({ endedBy }) => endedBy() === 'AbortError')).toEqual([streams.at(-1)]);
  });

  test('when all places are taken, an account without a stream takes the newest of whoever has the most', async () => {
    const { feed, open } = await openFeed();
    // Two each, but for one that has three, the newest of which is not the newest of all.
    const [oldest, middle, newest] = await open(3, () => 'usr_most');
    const others = await open(STREAMS_IN_ALL - 3, (index) => `usr_${Math.floor(index / 2)}`);
    const [newcomer] = await open(1, () => 'usr_more');
    await settle();
    expect(newest?.endedBy()).toBe('AbortError');
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
      // Nor can those that were displaced take back what they lost.
      await expect(open(1, () => 'usr_0')).rejects.toMatchObject({ code: 'busy' });
      expect(feed.size()).toBe(STREAMS_IN_ALL);
      await settle();
      const displaced = streams.flatMap(({ endedBy }, index) => (endedBy() === null ? [] : [index]));
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
    let find = (_: []) => {};
    const found = new Promise<[]>((resolve) => {
      find = resolve;
    });
    vi.spyOn(storage, 'listTransactions').mockImplementationOnce(() => found);
    const opening = open(1, () => 'usr_most');
    await open(1, () => 'usr_more');
    find([]);
    const [displaced] = await opening;
    await settle();
    expect(displaced?.endedBy()).toBe('AbortError');
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
      const ended = streams.filter(({ stream }) => stream.endedBy() !== null);
      if (!isFull) {
        expect([refusal, ended]).toEqual([null, []]);
        outcomes.free += 1;
      } else if (most < own + 2) {
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
    const { tips } = await feed.follow(provider.id, first.id, new AbortController().signal);
    for await (const transaction of tips) {
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
    const lookingUp = vi.spyOn(storage, 'listTransactions').mockImplementationOnce(async () => {
      const recorded = await storage.recordTip(tip());
      if (recorded.outcome === 'recorded') feed.announce(recorded.transaction);
      return [];
    });
    const { tips } = await feed.follow(provider.id, null, hangUp.signal);
    expect(lookingUp).toHaveBeenCalledOnce();
    expect((await tips.next()).value).toMatchObject({ receiverId: provider.id });
    // Asleep now, and woken by the next one.
    const next = tips.next();
    const recorded = await storage.recordTip(tip({ amountCents: 3_000 }));
    if (recorded.outcome === 'recorded') feed.announce(recorded.transaction);
    expect((await next).value).toMatchObject({ amountCents: 3_000 });
    hangUp.abort();
    await expect(tips.next()).rejects.toThrow('aborted');
  });
});

/** Another session of the provider's. */
function anotherSession({ t, provider }: Scene): Promise<string> {
  return beginSession(t.storage, provider.user.email);
}
