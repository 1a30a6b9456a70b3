/**
 * Sessions: an opaque token of which only the SHA-256 is kept, that lives for as long as it is used and ends
 * on the server the moment its owner logs out.
 */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { createSessions } from '#server/auth/sessions.ts';
import { parseConfig } from '#server/config.ts';
import type { UserId } from '#shared/ids.ts';
import {
  type Answer,
  call,
  callRest,
  DOORS,
  type Door,
  refusedBy,
  resultOf,
} from '#tests/support/both-doors.ts';
import { openStream } from '#tests/support/event-streams.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';

const DAY_MS = 86_400_000;

const askWhoIAm = (door: Door, t: TestApp, token: string) => call(door, t, 'auth.me', undefined, { token });

const logOut = (door: Door, t: TestApp, token: string) => call(door, t, 'auth.logout', undefined, { token });

async function expectEnded(t: TestApp, token: string): Promise<void> {
  for (const door of DOORS) {
    for (const answer of [await askWhoIAm(door, t, token), await logOut(door, t, token)]) {
      expect(refusedBy(door, answer)).toMatchObject({ status: 401, code: 'session_ended' });
    }
  }
}

async function expectAlive(t: TestApp, token: string): Promise<void> {
  for (const door of DOORS)
    expect(resultOf(await askWhoIAm(door, t, token))).toMatchObject({ username: 'cam' });
}

test('a token is 256 random bits, and only its SHA-256 is stored', async () => {
  const t = await createTestApp();
  const { token, user } = await t.registerCustomer();
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  expect((await t.data.dump())['sessions']).toEqual([
    {
      token_hash: createHash('sha256').update(token).digest('hex'),
      user_id: user.id,
      created_at_ms: START_MS,
      expires_at_ms: START_MS + 30 * DAY_MS,
      confirmed_at_ms: START_MS,
      device: '',
    },
  ]);
  const everything = JSON.stringify(await t.data.dump());
  expect(everything).not.toContain(token);
  expect(everything).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
  expect(everything).not.toContain(Buffer.from(token).toString('hex'));
});

describe('a session', () => {
  test('that is unused ends after exactly 30 days', async () => {
    const t = await createTestApp();
    const [used, unused] = [(await t.registerCustomer()).token, await t.logIn('cam@example.com')];
    t.clock.nowMs = START_MS + 30 * DAY_MS - 1;
    await expectAlive(t, used);
    t.clock.nowMs = START_MS + 30 * DAY_MS;
    await expectEnded(t, unused);
    await expectAlive(t, used);
  });

  test('that is used daily lives on, and ends 30 days after it was used last', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    for (let day = 1; day <= 50; day++) {
      t.clock.nowMs = START_MS + day * DAY_MS;
      const door = day % 2 === 0 ? 'REST' : 'tRPC';
      expect((await askWhoIAm(door, t, token)).status).toBe(200);
    }
    t.clock.nowMs = START_MS + 80 * DAY_MS;
    await expectEnded(t, token);
  });

  test('ends 90 days after its login, however much it is used', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    for (let day = 10; day < 90; day += 10) {
      t.clock.nowMs = START_MS + day * DAY_MS;
      await expectAlive(t, token);
    }
    const [{ expiresAt } = { expiresAt: null }] = await t.trpc(token).auth.sessions.query();
    expect(expiresAt).toBe(new Date(START_MS + 90 * DAY_MS).toISOString());
    t.clock.nowMs = START_MS + 90 * DAY_MS - 1;
    await expectAlive(t, token);
    t.clock.nowMs = START_MS + 90 * DAY_MS;
    await expectEnded(t, token);
  });

  test('ends 90 days after its login under the token of a changed password too', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    for (const day of [25, 50, 75]) {
      t.clock.nowMs = START_MS + day * DAY_MS;
      await expectAlive(t, token);
    }
    const change = { currentPassword: PASSWORD, newPassword: 'another quite long one' };
    const { accessToken, expiresAt } = await t.trpc(token).auth.changePassword.mutate(change);
    expect(expiresAt).toBe(new Date(START_MS + 90 * DAY_MS).toISOString());
    t.clock.nowMs = START_MS + 90 * DAY_MS;
    await expectEnded(t, accessToken);
  });

  test('that a version without this rule let slide too far ends all the same', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    t.clock.nowMs = START_MS + 90 * DAY_MS;
    const tokenHash = createHash('sha256').update(token).digest();
    await t.storage.extendSession(tokenHash, START_MS + 120 * DAY_MS);
    await expectEnded(t, token);
  });

  test('is written at most once a day, however often it is used', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    const before = await t.data.dump();
    t.clock.nowMs += DAY_MS - 1;
    await expectAlive(t, token);
    expect(await t.data.dump()).toEqual(before);
  });

  test('that has ended is not brought back by using it', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    t.clock.nowMs = START_MS + 30 * DAY_MS;
    await expectEnded(t, token);
    t.clock.nowMs = START_MS;
    await t.app.sweep();
    t.clock.nowMs = START_MS + 30 * DAY_MS;
    await expectEnded(t, token);
    expect((await t.data.dump())['sessions']).toMatchObject([{ expires_at_ms: START_MS + 30 * DAY_MS }]);
  });
});

test('no SESSION_DAYS lets a session live longer than 90 days', async () => {
  const { sessionLifetimeMs } = parseConfig({ SESSION_DAYS: '365' });
  const t = await createTestApp({ config: { sessionLifetimeMs } });
  const { token } = await t.registerCustomer();
  t.clock.nowMs = START_MS + 90 * DAY_MS - 1;
  await expectAlive(t, token);
  t.clock.nowMs = START_MS + 90 * DAY_MS;
  await expectEnded(t, token);
});

test.each([1, 7])('SESSION_DAYS=%i is the lifetime of an unused session', async (days) => {
  const { sessionLifetimeMs } = parseConfig({ SESSION_DAYS: String(days) });
  const t = await createTestApp({ config: { sessionLifetimeMs } });
  const { token } = await t.registerCustomer();
  const answer = await callRest(t, 'POST', '/auth/login', { email: 'cam@example.com', password: PASSWORD });
  expect(resultOf(answer)).toMatchObject({ expires_at: new Date(START_MS + days * DAY_MS).toISOString() });
  const unused = await t.logIn('cam@example.com');
  t.clock.nowMs = START_MS + days * DAY_MS - 1;
  await expectAlive(t, token);
  t.clock.nowMs = START_MS + days * DAY_MS;
  await expectEnded(t, unused);
  await expectAlive(t, token);
});

describe('logout', () => {
  test.each(DOORS)('by %s revokes the token on the server at once, at both doors', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    expect((await logOut(door, t, token)).status).toBeLessThan(300);
    expect((await t.data.dump())['sessions']).toEqual([]);
    await expectEnded(t, token);
  });

  test.each(DOORS)('by %s ends no session but its own', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    const [phone, tablet] = [await t.logIn('cam@example.com'), await t.logIn('cam@example.com')];
    const stranger = await t.registerProvider();
    await logOut(door, t, phone);
    await expectEnded(t, phone);
    await expectAlive(t, token);
    await expectAlive(t, tablet);
    expect(await stranger.trpc.auth.me.query()).toMatchObject({ username: 'pat' });
  });
});

describe('while nothing can be saved', () => {
  const endOthers = (door: Door, t: TestApp, token: string) =>
    call(door, t, 'auth.endOtherSessions', undefined, { token });
  const endOne = (door: Door, t: TestApp, token: string, id: string) =>
    call(door, t, 'auth.endSession', { id }, { token });

  /** Cam is logged in twice, and their disk cannot be written to. */
  async function createScene() {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    t.clock.nowMs += 1;
    const other = await t.logIn('cam@example.com');
    const stranger = await t.registerProvider();
    await t.data.setReadOnly(true);
    const storedCount = async () => (await t.data.dump())['sessions']?.length;
    return { t, token, other, stranger, storedCount };
  }
  type Scene = Awaited<ReturnType<typeof createScene>>;

  const endings: readonly (readonly [string, (door: Door, scene: Scene) => Promise<Answer>])[] = [
    ['logging out', (door, { t, other }) => logOut(door, t, other)],
    ['logging out everywhere else', (door, { t, token }) => endOthers(door, t, token)],
    [
      'ending one session',
      async (door, { t, token }) => {
        const [newest] = await t.trpc(token).auth.sessions.query();
        return endOne(door, t, token, newest?.id ?? '');
      },
    ],
  ];

  describe.each(endings)('%s', (_, end) => {
    // Both doors end a session in the same way, whatever the engine.
    test.each(
      isOnSqlite() ? DOORS : (['REST'] as const),
    )('says so, ends the session all the same, and is saved as soon as it can be (%s)', async (door) => {
      const scene = await createScene();
      const { t, token, other, stranger, storedCount } = scene;
      const stream = await openStream(t.send, door, { token: other });
      await stream.next();
      expect(refusedBy(door, await end(door, scene))).toMatchObject({
        status: 503,
        code: 'storage_unavailable',
      });
      await expectEnded(t, other);
      expect(await stream.nextTip()).toBeNull();
      await expectAlive(t, token);
      expect(await stranger.trpc.auth.me.query()).toMatchObject({ username: 'pat' });

      await t.app.tick();
      expect(await storedCount()).toBe(3);
      await expectEnded(t, other);

      await t.data.setReadOnly(false);
      await t.app.tick();
      expect(await storedCount()).toBe(2);
      await expectEnded(t, other);
      await expectAlive(t, token);
    });
  });

  test('ending a session again answers the same until it is saved', async () => {
    const { t, token, storedCount } = await createScene();
    const [newest] = await t.trpc(token).auth.sessions.query();
    for (let turn = 0; turn < 2; turn++)
      expect((await endOne('REST', t, token, newest?.id ?? '')).status).toBe(503);
    await t.data.setReadOnly(false);
    expect((await endOne('REST', t, token, newest?.id ?? '')).status).toBe(204);
    expect(await storedCount()).toBe(2);
  });
});

describe('a token that is none', () => {
  test('answers session_ended at both doors', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    const stored = createHash('sha256').update(token).digest('base64url');
    const lastChanged = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
    const garbage = [
      'x',
      '0',
      'null',
      'undefined',
      'a.b.c',
      '{}',
      "'or'1'='1",
      'x'.repeat(10_000),
      'A'.repeat(43),
      token.slice(1),
      `${token}A`,
      `${token}=`,
      token.toLowerCase(),
      lastChanged,
      stored,
    ];
    for (const wrong of garbage) {
      for (const door of DOORS) {
        const answer = await askWhoIAm(door, t, wrong);
        expect(refusedBy(door, answer), wrong).toMatchObject({ status: 401, code: 'session_ended' });
      }
    }
  });

  test.each([
    '',
    'Basic',
    'Bearer',
    'Bearer ',
    'Token',
  ])('in the scheme %j is as good as none', async (scheme) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    for (const value of scheme.startsWith('Bearer')
      ? [scheme]
      : [`${scheme} ${token}`.trim(), `${scheme}${token}`]) {
      const headers = { Authorization: value };
      const answer = await callRest(t, 'GET', '/auth/me', undefined, { headers });
      expect(refusedBy('REST', answer)).toMatchObject({ status: 401, code: 'not_logged_in' });
    }
  });

  test('the scheme is read whatever its case', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
      const headers = { Authorization: `${scheme} ${token}` };
      expect((await callRest(t, 'GET', '/auth/me', undefined, { headers })).status).toBe(200);
    }
  });
});

test('a token is never read from a URL, a cookie, another header or a body', async () => {
  const t = await createTestApp();
  const { token } = await t.registerCustomer();
  const names = [
    'token',
    'access_token',
    'accessToken',
    'authorization',
    'Authorization',
    'bearer',
    'tipwell_token',
  ];
  for (const name of names) {
    for (const value of [token, `Bearer ${token}`]) {
      const query = `?${new URLSearchParams({ [name]: value })}`;
      // A parameter that the route does not know is refused whoever asks.
      const byQuery = await callRest(t, 'GET', `/auth/me${query}`);
      expect(refusedBy('REST', byQuery).code).toBe('invalid_input');
      const byTrpcQuery = await t.send(`/trpc/auth.me${query}`);
      expect(byTrpcQuery.status).toBe(401);
      const body = { [name]: value, service_category: 'dj' };
      expect(refusedBy('REST', await callRest(t, 'POST', '/qr-codes', body)).code).toBe('not_logged_in');
    }
  }
  for (const params of [
    { token },
    { Authorization: `Bearer ${token}` },
    { authorization: `Bearer ${token}` },
  ]) {
    const query = new URLSearchParams({ connectionParams: JSON.stringify(params) });
    expect((await t.send(`/trpc/auth.me?${query}`)).status).toBe(401);
  }
  for (const headers of [
    { Cookie: `tipwell_token=${token}; token=${token}` },
    { 'X-Access-Token': token },
    { 'Proxy-Authorization': `Bearer ${token}` },
  ] as const) {
    expect((await callRest(t, 'GET', '/auth/me', undefined, { headers: { ...headers } })).status).toBe(401);
  }
});

test('the sweep deletes what has expired and nothing else', async () => {
  const t = await createTestApp();
  const { token: early } = await t.registerCustomer();
  t.clock.nowMs = START_MS + 1;
  const late = await t.logIn('cam@example.com');
  await t.app.sweep();
  expect((await t.data.dump())['sessions']).toHaveLength(2);

  t.clock.nowMs = START_MS + 30 * DAY_MS;
  await t.app.sweep();
  expect((await t.data.dump())['sessions']).toMatchObject([
    { token_hash: createHash('sha256').update(late).digest('hex') },
  ]);
  await expectEnded(t, early);
  await expectAlive(t, late);
});

describe('watched sessions', () => {
  const LOOKED_FOR_AT_ONCE = 500;

  async function watchMany(count: number) {
    const t = await createTestApp();
    const { token, user } = await t.registerCustomer();
    const clock = () => t.clock.nowMs;
    const sessions = createSessions({ storage: t.storage, clock, random: randomBytes, lifetimeMs: DAY_MS });
    const gone = Array.from({ length: count }, (_, index) =>
      sessions.watch(`usr_${index % 7}` as UserId, `gone ${index}`, 'also_suspended'),
    );
    const alive = sessions.watch(user.id, token, 'also_suspended');
    return { t, user, token, sessions, gone, alive };
  }

  test('are looked for together, in few steps of the storage, with turns of the event loop in between', async () => {
    const { t, sessions, gone, alive } = await watchMany(2 * LOOKED_FOR_AT_ONCE);
    const oneByOne = vi.spyOn(t.storage, 'findSession');
    const together = vi.spyOn(t.storage, 'findEndedSessions');
    let turns = 0;
    const countTurns = () => {
      turns += 1;
      turning = setImmediate(countTurns);
    };
    let turning = setImmediate(countTurns);
    await sessions.tick();
    clearImmediate(turning);
    expect(together.mock.calls.map(([hashes]) => hashes.length)).toEqual([
      LOOKED_FOR_AT_ONCE,
      LOOKED_FOR_AT_ONCE,
      1,
    ]);
    expect(oneByOne).not.toHaveBeenCalled();
    expect(turns).toBeGreaterThanOrEqual(2);
    expect(gone.every(({ ended }) => ended.aborted)).toBe(true);
    expect(alive.ended.aborted).toBe(false);
    // Sessions without a watcher are not looked up.
    together.mockClear();
    await sessions.tick();
    expect(together.mock.calls.map(([hashes]) => hashes.length)).toEqual([1]);
    alive.release();
    await sessions.tick();
    expect(together).toHaveBeenCalledTimes(1);
  });

  test('of others are not looked at when an account ends its own', async () => {
    const { t, user, token, sessions, gone, alive } = await watchMany(30);
    const phone = await t.logIn(user.email);
    const watches = [phone, phone].map((each) => sessions.watch(user.id, each, 'also_suspended'));
    const together = vi.spyOn(t.storage, 'findEndedSessions');
    await sessions.endOthers(user.id, token);
    const present = (await t.storage.findCredentials(user.email))?.passwordHash ?? '';
    const next = { passwordHash: present, expiresAtMs: null, changedAtMs: t.clock.nowMs };
    await sessions.changePassword(user.id, present, next, token);
    expect(together.mock.calls.map(([hashes]) => hashes.length)).toEqual([2, 1]);
    expect(watches.every(({ ended }) => ended.aborted)).toBe(true);
    // The token of this session was replaced.
    expect(alive.ended.aborted).toBe(true);
    expect(gone.some(({ ended }) => ended.aborted)).toBe(false);
  });
});
