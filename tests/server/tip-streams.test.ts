/**
 * The streams of tips as connections: who may have how many, what is sent while nothing happens, and that
 * each ends with its session, its socket or the server and gives its place back.
 */
import { EventEmitter } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { REFUSALS } from '#shared/refusals.ts';
import { call, DOORS, doorFor } from '#tests/support/both-doors.ts';
import { openStream, refusalOf, STREAM_PATHS, type TipStream } from '#tests/support/event-streams.ts';
import { beginSession, createPeople, START_MS } from '#tests/support/people.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';
import {
  anotherSession,
  BEGINNING,
  openTipScene,
  openTips,
  READ_SIZE,
  STREAMS_IN_ALL,
  STREAMS_PER_ACCOUNT,
  settle,
} from '#tests/support/tip-scene.ts';

const requestTo = (path: string, init: RequestInit) => new Request(`http://localhost${path}`, init);

const DAY_MS = 86_400_000;
/**
 * Reads and tips in one turn of the event loop: those of its I/O, and as many of what had to wait for a turn.
 */
const STEPS_IN_A_TURN = 2 * 25;
/** Streams that an account may open: as many as twenty tabs whose connection breaks every ten seconds. */
const OPENINGS_A_MINUTE = 120;

/** Waits until the app has so many streams open; the test's own time-out ends it otherwise. */
async function untilOpen(t: TestApp, count: number): Promise<void> {
  while (t.app.streams() !== count) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('when all places of both doors are taken, the newest stream of whoever has the most breaks off for a newcomer', async () => {
  const scene = await openTipScene();
  const { t, provider, customer } = scene;
  const streams: TipStream[] = [];
  for (let index = 0; index < STREAMS_PER_ACCOUNT; index += 1)
    streams.push(await openTips(doorFor(index), scene, { token: provider.token }));
  const { addAccount } = createPeople(t.storage);
  for (let account = 0; t.app.streams() < STREAMS_IN_ALL; account += 1) {
    const { email } = await addAccount(`many-${account}`);
    const token = await beginSession(t.storage, email);
    const places = Math.min(STREAMS_PER_ACCOUNT - 1, STREAMS_IN_ALL - t.app.streams());
    for (let index = 0; index < places; index += 1) await openTips(doorFor(account), scene, { token });
  }
  const late = await openTips('REST', scene, { token: customer.token });
  const [id] = await scene.giveTips(1);
  expect((await late.nextTip())?.id).toBe(id);
  expect(await streams.at(-1)?.nextTip()).toBeNull();
  expect((await streams.at(-2)?.nextTip())?.id).toBe(id);
  expect(t.app.streams()).toBe(STREAMS_IN_ALL);
});

describe.each(DOORS)('through %s', (door) => {
  test('the answer is a stream of events that nobody on the way may keep or gather', async () => {
    const scene = await openTipScene();
    const stream = await openTips(door, scene, { token: scene.provider.token });
    const { status, headers } = stream.response;
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^text\/event-stream\b/);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('X-Accel-Buffering')).toBe('no');
    expect(headers.has('Content-Encoding')).toBe(false);
    await stream.close();
  });

  test('a stream says at once that it is open, before anything has happened', async () => {
    const scene = await openTipScene();
    const stream = await openTips(door, scene, { token: scene.provider.token });
    const id = door === 'REST' ? BEGINNING : null;
    expect(await stream.next()).toMatchObject({ name: 'connected', id });
    await stream.close();
  });

  test('however many streams replay at once, each turn of the event loop has a few tips of all of them', async () => {
    const scene = await openTipScene();
    const { token } = scene.provider;
    const [lastEventId] = await scene.recordTips(1);
    const missed = await scene.recordTips(10 * READ_SIZE);
    const reading = vi.spyOn(scene.t.storage, 'listEntriesSince');
    const streams: TipStream[] = [];
    for (let index = 0; index < STREAMS_PER_ACCOUNT; index += 1)
      streams.push(await openTips(door, scene, { token, lastEventId }));
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
    // Tips that were read ahead arrive in later turns.
    expect(most.tips).toBeLessThanOrEqual(2 * STEPS_IN_A_TURN);
    expect(most.reads).toBeLessThanOrEqual(STEPS_IN_A_TURN);
    await Promise.all(streams.map((stream) => stream.close()));
  });

  test('a reader that takes nothing has no more than a few heartbeats waiting for it', async () => {
    const scene = await openTipScene();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const stream = await openTips(door, scene, { token: scene.provider.token });
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
    const scene = await openTipScene();
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
      const refused = await refusalOf(scene.t, await openTips(door, scene, { path }), 0);
      // None of these is a parameter of the route.
      const code = door === 'REST' ? 'invalid_input' : 'not_logged_in';
      expect(refused, path).toMatchObject({ status: REFUSALS[code].status, code });
    }
    const headers = { Cookie: `tipwell_token=${token}; token=${token}`, 'X-Access-Token': token };
    const refused = await refusalOf(scene.t, await openTips(door, scene, { headers }), 0);
    expect(refused).toMatchObject({ status: 401, code: 'not_logged_in' });
    expect(scene.t.app.streams()).toBe(0);
  });

  test('the 21st stream of an account is refused, whichever doors the others came through', async () => {
    const scene = await openTipScene();
    const { t, provider, customer } = scene;
    const streams: TipStream[] = [];
    for (let index = 0; index < STREAMS_PER_ACCOUNT; index += 1) {
      streams.push(await openTips(DOORS[index % 2] ?? door, scene, { token: provider.token }));
    }
    expect(t.app.streams()).toBe(STREAMS_PER_ACCOUNT);
    for (const token of [provider.token, await anotherSession(scene)]) {
      const refused = await refusalOf(t, await openTips(door, scene, { token }), STREAMS_PER_ACCOUNT);
      expect(refused).toMatchObject({ status: 429, code: 'too_many_requests', retryAfterSeconds: 30 });
    }
    expect(t.app.streams()).toBe(STREAMS_PER_ACCOUNT);

    streams.push(await openTips(door, scene, { token: customer.token }));
    expect(t.app.streams()).toBe(STREAMS_PER_ACCOUNT + 1);
    await Promise.all(streams.map((stream) => stream.close()));
    await untilOpen(t, 0);
  });

  test('a stream that is closed frees its place at once', async () => {
    const scene = await openTipScene();
    const { token } = scene.provider;
    for (let index = 0; index < 3 * STREAMS_PER_ACCOUNT; index += 1) {
      const stream = await openTips(door, scene, { token });
      expect(stream.response.status).toBe(200);
      expect(scene.t.app.streams()).toBe(1);
      await stream.close();
      expect(scene.t.app.streams()).toBe(0);
    }
  });

  test('a place is freed also when the client had gone before its stream began', async () => {
    const scene = await openTipScene();
    const hangUp = new AbortController();
    hangUp.abort();
    const headers = { Authorization: `Bearer ${scene.provider.token}` };
    const response = await scene.t.send(STREAM_PATHS[door], { headers, signal: hangUp.signal });
    // The web server cancels the answer to a connection that has closed.
    await response.body?.cancel();
    await untilOpen(scene.t, 0);
  }, 5_000);

  test('a connection that closes frees its places, also when nothing tells the answers that wait on it', async () => {
    const { t, provider } = await openTipScene();
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
    // To hang up is nobody's error.
    expect(t.logLines.filter((line) => line.includes('unexpected error'))).toEqual([]);
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
    const scene = await openTipScene();
    const { t, provider } = scene;
    const looking = vi.spyOn(t.storage, 'findNewestEntry');
    for (let index = 0; index < 2 * STREAMS_PER_ACCOUNT; index += 1) {
      looking.mockRejectedValueOnce(new StorageUnavailable(new Error('the disk is on fire')));
      const stream = await openTips(door, scene, { token: provider.token });
      expect((await refusalOf(t, stream, 0))?.code).toBe('storage_unavailable');
    }
    const stream = await openTips(door, scene, { token: provider.token });
    expect(await refusalOf(t, stream, 0)).toBeNull();
  });

  test('HEAD asks for a stream and holds none', async () => {
    const scene = await openTipScene();
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
    const { t, provider } = await openTipScene();
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
    const scene = await openTipScene();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const stream = await openTips(door, scene, { token: scene.provider.token });
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
      const scene = await openTipScene();
      const { t, provider, customer } = scene;
      const leaving = await anotherSession(scene);
      const ending = [
        await openTips('REST', scene, { token: leaving }),
        await openTips('tRPC', scene, { token: leaving }),
      ];
      const staying = [
        await openTips(door, scene, { token: provider.token }),
        await openTips(door, scene, { token: customer.token }),
      ];
      const [first] = await scene.giveTips(1);
      for (const stream of ending) expect((await stream.nextTip())?.id).toBe(first);
      const answer = await call(exit, t, 'auth.logout', undefined, { token: leaving });
      expect(answer.status).toBeLessThan(300);
      for (const stream of ending) expect(await stream.next()).toBeNull();
      expect(t.app.streams()).toBe(2);

      const [second] = await scene.giveTips(1, 2_000);
      for (const stream of staying) {
        expect((await stream.take(2)).map(({ id }) => id)).toEqual([first, second]);
        await stream.close();
      }
      const refused = await refusalOf(
        t,
        await openTips(door, scene, { token: leaving, lastEventId: first }),
        0,
      );
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
    await t.data.deleteSessions();
    await t.app.tick();
    expect(await stream.next()).toBeNull();
    expect(t.app.streams()).toBe(0);
  });

  test('a server that stops ends all streams in order and opens no more', async () => {
    const scene = await openTipScene();
    const streams = await Promise.all(
      [...DOORS, ...DOORS].map((each, index) =>
        openTips(each, scene, { token: index < 2 ? scene.provider.token : scene.customer.token }),
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
    const refused = await refusalOf(scene.t, await openTips(door, scene, { token: scene.provider.token }), 0);
    expect(refused).toMatchObject({ status: 503, code: 'busy', retryAfterSeconds: 30 });
  });

  test('a stream whose reader stands still ends with its session, without an error that nobody hears', async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => unheard.push(reason);
    process.on('unhandledRejection', hear);
    try {
      for (const count of [0, 1, 2, 3, READ_SIZE]) {
        const scene = await openTipScene();
        const { t, provider } = scene;
        const stream = await openTips(door, scene, { token: provider.token });
        await settle();
        await scene.giveTips(count);
        await settle();
        await t.data.deleteSessions();
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
});
