/**
 * Whatever strangers, neighbours behind the same address or owners of other accounts do, nobody is locked out
 * of a device that has logged in before, or out of a session that is open; and nobody's neighbours are kept
 * from registering.
 */
import { EventEmitter } from 'node:events';
import argon2 from 'argon2';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createLimitedApp,
  createSlowApp,
  guess,
  register,
  stranger,
  WRONG,
} from '#tests/support/attempts.ts';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import {
  type Answer,
  type CallOptions,
  call,
  callRest,
  callTrpc,
  callTrpcBatch,
  changePasswordThrough,
  DOORS,
  type Door,
  doorFor,
  logInThrough,
  PUBLIC_URL,
  refusedBy,
  registerThrough,
  tally,
  times,
} from '#tests/support/both-doors.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';
import { totpAt } from '#tests/support/totp.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NAME = '__Host-tipwell_device';
const HOME = '198.51.100.7';

/** The device mark that an answer sets, as a browser would send it back; null when it sets none. */
function markIn(answer: Answer): string | null {
  const [line, ...more] = answer.headers.getSetCookie();
  expect(more).toEqual([]);
  return line?.split(';')[0] ?? null;
}

/** A caller at `peer` whose browser brings this cookie along. */
const withMark = (mark: string | null, peer = HOME): CallOptions => ({
  peer,
  headers: { Cookie: mark ?? '' },
});

async function markOf(t: TestApp, email: string, options: CallOptions = { peer: HOME }, door: Door = 'REST') {
  const answer = await logInThrough(door, t, email, PASSWORD, options);
  expect(answer.status, answer.text).toBe(200);
  return markIn(answer);
}

const changePassword = (door: Door, t: TestApp, token: string, present: string, next: string) =>
  changePasswordThrough(door, t, present, next, { token, peer: HOME });

describe('a device that has logged in before', () => {
  test('goes on logging in through both doors while 100 guesses of strangers lock its account', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const marks: (string | null)[] = [];
    for (const door of DOORS) marks.push(await markOf(t, 'cam@example.com', { peer: HOME }, door));
    await times(110, (turn) => guess(t, 'cam@example.com', stranger(turn)));
    for (const [turn, mark] of marks.entries()) {
      const door = doorFor(turn);
      const unmarked = await logInThrough(door, t, 'cam@example.com', PASSWORD, stranger(200 + turn));
      expect(refusedBy(door, unmarked).code).toBe('too_many_requests');
      for (const peer of [HOME, '198.51.100.99']) {
        const answer = await logInThrough(door, t, 'cam@example.com', PASSWORD, withMark(mark, peer));
        expect(answer.status, answer.text).toBe(200);
      }
    }
  });

  test('goes on logging in through both doors while its neighbours use up its address', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const marks: (string | null)[] = [];
    for (const door of DOORS) marks.push(await markOf(t, 'cam@example.com', { peer: HOME }, door));
    await times(40, (turn) => guess(t, `nobody-${turn}@example.com`, { peer: HOME }, doorFor(turn)));
    // Logins without a password are attempts as well.
    await times(400, (turn) => logInThrough(doorFor(turn), t, 'cam@example.com', '', { peer: HOME }));
    for (const [turn, mark] of marks.entries()) {
      const logIn = (options: CallOptions) =>
        logInThrough(doorFor(turn), t, 'cam@example.com', PASSWORD, options);
      expect((await logIn({ peer: HOME })).status).toBe(429);
      expect((await logIn(withMark(mark))).status).toBe(200);
    }
  });

  test('may be wrong 5 times in 15 minutes and 30 times a day, which locks nobody but itself', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const [mark, other] = [await markOf(t, 'cam@example.com'), await markOf(t, 'cam@example.com')];
    const tryOften = () =>
      times(8, (turn) => guess(t, 'cam@example.com', withMark(mark, `198.51.100.${turn}`), doorFor(turn)));
    for (let round = 0; round < 6; round++) {
      expect(tally(await tryOften())).toEqual({ wrong_credentials: 5, too_many_requests: 3 });
      const locked = await logInThrough('REST', t, 'cam@example.com', PASSWORD, withMark(mark));
      expect(refusedBy('REST', locked).code).toBe('too_many_requests');
      expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, withMark(other))).status).toBe(200);
      expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, { peer: HOME })).status).toBe(200);
      t.clock.nowMs += 15 * MINUTE_MS;
    }
    expect(tally(await tryOften())).toEqual({ too_many_requests: 8 });
    t.clock.nowMs += DAY_MS;
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, withMark(mark))).status).toBe(200);
  });

  test('is like any other for accounts that it has not logged in to', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    await t.registerCustomer('mallory');
    const mark = await markOf(t, 'mallory@example.com');
    for (let round = 0; round < 2; round++) {
      const answers = await times(50, (turn) =>
        guess(t, 'cam@example.com', withMark(mark, `203.0.113.${turn}`), doorFor(turn)),
      );
      expect(tally(answers)).toEqual({ wrong_credentials: 50 });
      t.clock.nowMs += 15 * MINUTE_MS;
    }
    expect((await guess(t, 'cam@example.com', withMark(mark))).status).toBe(429);
  });

  test('knows the 8 accounts that it logged in to last, those of a batch too', async () => {
    const t = await createLimitedApp();
    const emails = Array.from({ length: 9 }, (_, index) => `p${index}xx@example.com`);
    for (const email of emails) await t.registerCustomer(email.split('@')[0]);
    let mark = await markOf(t, emails[0] ?? '');
    const batch = emails.slice(1, 8).map((email) => ['auth.login', { email, password: PASSWORD }] as const);
    mark = markIn(await callTrpcBatch(t, batch, withMark(mark)));
    const isKnown = async (email: string) => {
      for (let turn = 0; turn < 6; turn++) await guess(t, email, { peer: HOME });
      t.clock.nowMs += 1;
      return (await logInThrough('REST', t, email, PASSWORD, withMark(mark))).status === 200;
    };
    expect(await Promise.all([isKnown(emails[0] ?? ''), isKnown(emails[7] ?? '')])).toEqual([true, true]);
    mark = await markOf(t, emails[8] ?? '', withMark(mark));
    expect(await isKnown(emails[0] ?? '')).toBe(false);
    expect(await isKnown(emails[7] ?? '')).toBe(true);
    expect(mark?.length).toBeLessThan(300);
  });

  test('is still known after a restart', async () => {
    const before = await createLimitedApp();
    await before.registerCustomer('cam');
    const mark = await markOf(before, 'cam@example.com');
    await times(6, () => guess(before, 'cam@example.com', { peer: HOME }));
    const t = await createTestApp({ data: before.data, config: { isRateLimited: true } });
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, { peer: HOME })).status).toBe(429);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, withMark(mark))).status).toBe(200);
  });
});

describe('devices that know one account', () => {
  const marksOf = (t: TestApp, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => markOf(t, 'cam@example.com', stranger(index))));

  test('guess 200 times a day together, and then as unknown ones, until its password is changed', async () => {
    const t = await createLimitedApp();
    const { token } = await t.registerCustomer('cam');
    const marks = await marksOf(t, 46);
    const answers = await times(45 * 5, (turn) =>
      guess(t, 'cam@example.com', withMark(marks[turn % 45] ?? null), doorFor(turn)),
    );
    expect(tally(answers)).toEqual({ wrong_credentials: 205, too_many_requests: 20 });
    // The phone of the owner, who is somewhere else, is kept out no more than one without a mark.
    const atHome = withMark(marks[45] ?? null);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, atHome)).status).toBe(429);
    const elsewhere = withMark(marks[45] ?? null, '198.51.100.8');
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, elsewhere)).status).toBe(200);
    // Its own five guesses hold there, too.
    const own = await times(6, () => guess(t, 'cam@example.com', elsewhere));
    expect(tally(own)).toEqual({ wrong_credentials: 5, too_many_requests: 1 });
    const next = 'a better horse battery';
    const logIn = (mark: string | null) =>
      logInThrough('REST', t, 'cam@example.com', next, withMark(mark, '198.51.100.9'));
    const changed = await changePasswordThrough('REST', t, PASSWORD, next, {
      token,
      headers: { Cookie: marks[0] ?? '' },
    });
    expect((await logIn(markIn(changed))).status).toBe(200);
    // The other marks of before have ended: their devices count by their address, which has used up nothing yet.
    await times(5, (turn) => guess(t, 'cam@example.com', withMark(marks[turn + 1] ?? null, '198.51.100.9')));
    expect((await logIn(marks[9] ?? null)).status).toBe(429);
    expect((await logIn(markIn(changed))).status).toBe(200);
  });

  test('are twenty phones of a bar, each of which is wrong five times a day', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const marks = await marksOf(t, 20);
    const wrong = await times(100, (turn) =>
      guess(t, 'cam@example.com', withMark(marks[turn % 20] ?? null), doorFor(turn)),
    );
    expect(tally(wrong)).toEqual({ wrong_credentials: 100 });
    t.clock.nowMs += 15 * MINUTE_MS;
    const right = await times(20, (turn) =>
      logInThrough(doorFor(turn), t, 'cam@example.com', PASSWORD, withMark(marks[turn] ?? null)),
    );
    expect(tally(right)).toEqual({ fine: 20 });
  });

  test('guess no codes once it has its first second factor, but for the one that added it', async () => {
    const t = await createLimitedApp();
    const { trpc, token } = await t.registerCustomer('cam');
    const marks = await marksOf(t, 8);
    const { secret } = await trpc.secondFactors.beginTotp.mutate();
    const code = totpAt(secret, t.clock.nowMs);
    const added = await callRest(
      t,
      'POST',
      '/auth/me/totp/confirmation',
      { code },
      { token, headers: { Cookie: marks[0] ?? '' } },
    );
    expect(added.status, added.text).toBe(201);
    const own = markIn(added);
    const guessCode = (mark: string | null) =>
      callRest(
        t,
        'POST',
        '/auth/login',
        { email: 'cam@example.com', password: PASSWORD, code: '000000' },
        withMark(mark),
      );
    const guessed = await times(24, (turn) => guessCode(marks[turn % 8] ?? null));
    expect(tally(guessed)).toEqual({ wrong_code: 5, too_many_requests: 19 });
    expect(refusedBy('REST', await guessCode(own)).code).toBe('wrong_code');
    // A further factor ends no marks.
    const { options } = await trpc.secondFactors.passkeyOptions.mutate();
    const response = createAuthenticator(PUBLIC_URL).create(options);
    const further = await callRest(t, 'POST', '/auth/me/passkeys', { response, name: 'Phone' }, { token });
    expect([further.status, markIn(further)]).toEqual([201, null]);
    expect(refusedBy('REST', await guessCode(own)).code).toBe('wrong_code');
  });

  test('begin 1,200 logins by a passkey in 15 minutes from one address, however many there are', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const marks = await marksOf(t, 21);
    const begin = (options: CallOptions) => callRest(t, 'POST', '/auth/passkey/options', undefined, options);
    const answers = await times(21 * 60, (turn) => begin(withMark(marks[turn % 21] ?? null)));
    expect(tally(answers)).toEqual({ fine: 1_200, too_many_requests: 60 });
    const others = [{ peer: HOME }, withMark(marks[20] ?? null, '198.51.100.9')];
    for (const options of others) expect((await begin(options)).status).toBe(200);
  });
});

describe('the mark of a device', () => {
  test.each(
    DOORS,
  )('is set by a login, not by what is refused or only read, for this site alone (%s)', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const answer = await logInThrough(door, t, 'CAM@example.com', PASSWORD);
    const [line = ''] = answer.headers.getSetCookie();
    const [pair = '', ...attributes] = line.split('; ');
    expect(pair).toMatch(/^__Host-tipwell_device=[A-Za-z0-9_.-]{40,}$/);
    expect(attributes.sort()).toEqual([
      'HttpOnly',
      `Max-Age=${365 * 86_400}`,
      'Path=/',
      'SameSite=Strict',
      'Secure',
    ]);
    const known = await guess(t, 'cam@example.com', {}, door);
    const unknown = await guess(t, 'nobody@example.com', {}, door);
    const me = await callRest(t, 'GET', '/auth/me', undefined, { token });
    for (const other of [known, unknown, me]) expect(other.headers.getSetCookie()).toEqual([]);
  });

  test('has neither Secure nor the prefix __Host- on plain http, which forbids both', async () => {
    const t = await createTestApp({ config: { publicUrl: 'http://localhost:3000' } });
    await t.registerCustomer('cam');
    const answer = await callTrpc(t, 'auth.login', { email: 'cam@example.com', password: PASSWORD });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^tipwell_device=[^;]+; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Strict$/),
    ]);
    expect(PUBLIC_URL).toMatch(/^https:/);
  });

  test('logs nobody in', async () => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    const mark = await markOf(t, 'cam@example.com');
    for (const door of DOORS) {
      const answer = await call(door, t, 'auth.me', undefined, withMark(mark));
      expect(refusedBy(door, answer).code).toBe('not_logged_in');
      expect((await guess(t, 'cam@example.com', withMark(mark), door)).status).toBe(401);
    }
  });

  test('says nothing about whom it belongs to, and is another one each time', async () => {
    const t = await createTestApp();
    const { user } = await t.registerCustomer('cam');
    const marks = [await markOf(t, 'cam@example.com'), await markOf(t, 'cam@example.com')];
    expect(new Set(marks).size).toBe(2);
    const parts = marks.map((mark) => (mark ?? '').split('=')[1]?.split('.') ?? []);
    expect(parts[0]?.filter((part) => parts[1]?.includes(part))).toEqual([]);
    for (const part of parts.flat()) {
      const bytes = Buffer.from(part, 'base64url');
      for (const secret of ['cam', 'cam@example.com', user.id]) expect(bytes.includes(secret)).toBe(false);
    }
    expect(marks.join()).not.toContain(user.id);
  });

  test('has the same length, and no part twice, for however many accounts', async () => {
    const t = await createTestApp();
    const partsOf = (mark: string | null) => (mark ?? '').split('=')[1]?.split('.') ?? [];
    let mark: string | null = null;
    for (const name of ['ann', 'bea', 'cam']) {
      await t.registerCustomer(name);
      const known = partsOf(mark);
      mark = await markOf(t, `${name}@example.com`, withMark(mark));
      const parts = partsOf(mark);
      expect(parts).toHaveLength(10);
      expect(new Set(parts).size).toBe(10);
      for (const part of parts) expect(part).toMatch(/^[\w-]{22}$/);
      // The parts for the accounts before stay in the mark.
      expect(parts.slice(3, 6).filter((part) => known.length > 0 && !known.includes(part))).toEqual([]);
    }
  });

  test('that was made up, cut or put together from two is none', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    await t.registerCustomer('mallory');
    const mark = (await markOf(t, 'cam@example.com')) ?? '';
    const own = (await markOf(t, 'mallory@example.com')) ?? '';
    await times(6, () => guess(t, 'cam@example.com', { peer: HOME }));
    const [id = '', ofId = '', ofCam = ''] = (mark.split('=')[1] ?? '').split('.');
    const [ownId = '', ofOwnId = ''] = (own.split('=')[1] ?? '').split('.');
    const forged = [
      '',
      '..',
      '.'.repeat(50),
      'x'.repeat(5_000),
      `${id}.${ofId}`,
      `${ownId}.${ofOwnId}.${ofCam}`,
      `${ownId}.${ofId}.${ofCam}`,
      `${id}.${ofId}.${ofCam.slice(1)}`,
      `${id}.${ofId}.${ofCam}A`,
      `${id}.${ofId}..`,
      `${id}.${ofCam}`,
      '%E0%A4%A',
      `"${mark.split('=')[1]}`,
    ];
    for (const value of forged) {
      const answer = await logInThrough('REST', t, 'cam@example.com', PASSWORD, withMark(`${NAME}=${value}`));
      expect(answer.status, value).toBe(429);
    }
    const among = withMark(`other=1; ${mark}; ${NAME}_x=2`);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, among)).status).toBe(200);
  });
});

describe('wrong current passwords in a session', () => {
  test.each(DOORS)('are counted for that session alone: 5 in 15 minutes (%s)', async (door) => {
    const t = await createLimitedApp();
    const { token } = await t.registerCustomer('cam');
    const other = await t.logIn('cam@example.com');
    const wrong = await times(7, () => changePassword(door, t, token, WRONG, 'a better horse battery'));
    expect(tally(wrong)).toEqual({ wrong_password: 5, too_many_requests: 2 });
    expect((await changePassword(door, t, token, PASSWORD, 'a better horse battery')).status).toBe(429);
    // Neither the login nor another session hears of it.
    expect((await logInThrough(door, t, 'cam@example.com', PASSWORD, { peer: HOME })).status).toBe(200);
    expect((await changePassword(door, t, other, PASSWORD, 'a better horse battery')).status).toBe(200);
  });

  test('and whatever else is sent to change it take no turns at hashing after the tenth time', async () => {
    const t = await createLimitedApp();
    const { token } = await t.registerCustomer('cam');
    const verify = vi.spyOn(argon2, 'verify');
    try {
      const sent = await times(40, (turn) => changePassword(doorFor(turn), t, token, 'x'.repeat(600), WRONG));
      expect(tally(sent)).toEqual({ invalid_input: 10, too_many_requests: 30 });
      expect(verify).not.toHaveBeenCalled();
    } finally {
      verify.mockRestore();
    }
  });

  test('are at most 30 a day', async () => {
    const t = await createLimitedApp();
    const { token } = await t.registerCustomer('cam');
    const kinds: Record<string, number> = {};
    for (let round = 0; round < 8; round++) {
      const wrong = await times(6, (turn) =>
        changePassword(doorFor(turn), t, token, WRONG, 'a better horse battery'),
      );
      for (const [kind, count] of Object.entries(tally(wrong))) kinds[kind] = (kinds[kind] ?? 0) + count;
      t.clock.nowMs += 15 * MINUTE_MS;
    }
    expect(kinds).toEqual({ wrong_password: 30, too_many_requests: 18 });
  });

  test.each(
    DOORS,
  )('are possible, and a right one too, while the login is locked by strangers (%s)', async (door) => {
    const t = await createLimitedApp();
    const { token } = await t.registerCustomer('cam');
    await times(110, (turn) => guess(t, 'cam@example.com', stranger(turn)));
    await times(35, (turn) => guess(t, `nobody-${turn}@example.com`, { peer: HOME }));
    const wrong = await changePassword(door, t, token, WRONG, 'a better horse battery');
    expect(refusedBy(door, wrong).code).toBe('wrong_password');
    expect((await changePassword(door, t, token, PASSWORD, 'a better horse battery')).status).toBe(200);
  });
});

describe('right passwords', () => {
  test('count for no account and no address, however often somebody logs in', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const answers = await times(130, (turn) =>
      logInThrough(doorFor(turn), t, 'cam@example.com', PASSWORD, { peer: HOME }),
    );
    expect(tally(answers)).toEqual({ fine: 130 });
  });

  test('of somebody without the code keep the owner neither out nor from changing the password', async () => {
    const t = await createLimitedApp();
    const { token, trpc } = await t.registerCustomer('cam');
    const { secret } = await trpc.secondFactors.beginTotp.mutate();
    await trpc.secondFactors.confirmTotp.mutate({ code: totpAt(secret, t.clock.nowMs) });
    const thief = await times(25, (turn) =>
      logInThrough(doorFor(turn), t, 'cam@example.com', PASSWORD, stranger(turn)),
    );
    expect(tally(thief)).toEqual({ second_factor_needed: 25 });
    t.clock.nowMs += MINUTE_MS;
    const right = { email: 'cam@example.com', password: PASSWORD, code: totpAt(secret, t.clock.nowMs) };
    const login = await callRest(t, 'POST', '/auth/login', right, { peer: HOME });
    expect(login.status).toBe(200);
    expect((await changePassword('REST', t, token, PASSWORD, 'a better horse battery')).status).toBe(200);
  });

  test('of a session are bounded with its wrong ones, because each takes the work of a hash', async () => {
    const t = await createLimitedApp();
    const { token } = await t.registerCustomer('cam');
    const another = await t.logIn('cam@example.com');
    const answers = await times(22, (turn) =>
      changePassword(doorFor(turn), t, turn % 4 < 2 ? token : another, PASSWORD, PASSWORD),
    );
    expect(tally(answers)).toEqual({ invalid_input: 20, too_many_requests: 2 });
  });

  test('are not used up by wrong guesses', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    await times(60, (turn) => guess(t, 'cam@example.com', stranger(turn)));
    const answers = await times(15, (turn) =>
      logInThrough(doorFor(turn), t, 'cam@example.com', PASSWORD, { peer: HOME }),
    );
    expect(tally(answers)).toEqual({ fine: 15 });
  });

  test('of many at one address at the same time are all let in', async () => {
    const t = await createSlowApp();
    const emails = Array.from({ length: 45 }, (_, index) => `guest-${index}@example.com`);
    for (const [index, email] of emails.entries()) {
      const person = { email, username: `guest-${index}`, password: PASSWORD };
      expect((await registerThrough('REST', t, person, stranger(index))).status).toBe(201);
    }
    const logins = emails.map((email, turn) =>
      logInThrough(doorFor(turn), t, email, PASSWORD, { peer: HOME }),
    );
    expect(tally(await Promise.all(logins))).toEqual({ fine: 45 });
  });

  test('of one’s own accounts in numbers keep nobody else out, behind the same address neither', async () => {
    const t = await createSlowApp();
    await t.registerCustomer('cam');
    await t.registerCustomer('dan');
    const mark = await markOf(t, 'cam@example.com');
    const owned = Array.from({ length: 18 }, (_, index) => `own-${index}@example.com`);
    for (const [index, email] of owned.entries())
      await registerThrough(
        'REST',
        t,
        { email, username: `own-${index}`, password: PASSWORD },
        { peer: HOME },
      );
    let busyCount = 0;
    for (let round = 0; round < 3; round++) {
      const flood = Array.from({ length: 180 }, (_, turn) =>
        logInThrough(doorFor(turn), t, owned[turn % owned.length] ?? '', PASSWORD, { peer: HOME }),
      );
      const others = [
        logInThrough('REST', t, 'dan@example.com', PASSWORD, stranger(round)),
        logInThrough('tRPC', t, 'cam@example.com', PASSWORD, withMark(mark)),
      ];
      const [dan, cam] = await Promise.all(others);
      const flooded = tally(await Promise.all(flood));
      expect([dan?.status, cam?.status]).toEqual([200, 200]);
      busyCount += flooded['busy'] ?? 0;
    }
    expect(busyCount).toBeGreaterThan(0);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, withMark(mark))).status).toBe(200);
  });
});

test('devices that know accounts of one’s own, in any number, keep nobody at other addresses out', async () => {
  const t = await createSlowApp();
  await t.registerCustomer('cam');
  const mark = await markOf(t, 'cam@example.com');
  const { token } = await t.registerCustomer('dan');
  await t.registerCustomer('eve');
  const marked: { email: string; from: CallOptions }[] = [];
  for (let index = 0; index < 70; index++) {
    const person = { email: `own-${index}@example.com`, username: `own-${index}`, password: PASSWORD };
    await registerThrough('REST', t, person, stranger(index));
    const mark = await markOf(t, person.email, stranger(100));
    marked.push({ email: person.email, from: withMark(mark, '203.0.113.100') });
  }
  const flood = marked.map(({ email, from }) => logInThrough('REST', t, email, PASSWORD, from));
  const others = await Promise.all([
    logInThrough('REST', t, 'cam@example.com', PASSWORD, withMark(mark)),
    changePassword('REST', t, token, PASSWORD, 'a better horse battery'),
    logInThrough('REST', t, 'eve@example.com', PASSWORD, stranger(101)),
    registerThrough(
      'REST',
      t,
      { email: 'fay@example.com', username: 'fay', password: PASSWORD },
      stranger(102),
    ),
  ]);
  expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
  expect(tally(await Promise.all(flood))['busy']).toBeGreaterThan(0);
});

test.each(
  DOORS,
)('a flood from as many networks as one likes keeps out neither a known device nor an open session (%s)', async (door) => {
  const t = await createSlowApp();
  await t.registerCustomer('cam');
  const mark = await markOf(t, 'cam@example.com');
  const { token } = await t.registerCustomer('dan');
  const flood = Array.from({ length: 96 }, (_, index) =>
    guess(t, `nobody-${index}@example.com`, { peer: `2001:db8:${index.toString(16)}::1` }, door),
  );
  const [cam, dan] = await Promise.all([
    logInThrough(door, t, 'cam@example.com', PASSWORD, withMark(mark)),
    changePassword(door, t, token, PASSWORD, 'a better horse battery'),
  ]);
  expect([cam.status, dan.status]).toEqual([200, 200]);
  const flooded = tally(await Promise.all(flood));
  expect(flooded['busy']).toBeGreaterThan(0);
  expect(flooded['wrong_credentials']).toBeGreaterThan(0);
});

describe('registrations', () => {
  test('that were refused close an address to nobody', async () => {
    const t = await createLimitedApp();
    await register(t, 0);
    const taken = await times(40, () => register(t, 0));
    expect(tally(taken)).toEqual({ email_taken: 40 });
    expect(tally(await times(19, (turn) => register(t, turn + 1)))).toEqual({ fine: 19 });
    expect(tally([await register(t, 90)])).toEqual({ too_many_requests: 1 });
  });

  test('are tried 200 times an hour from an address, over both doors, counted before the body is looked at', async () => {
    const t = await createLimitedApp();
    const send = (door: Door, peer: string) => call(door, t, 'auth.register', { email: 'x' }, { peer });
    const answers = await times(210, (turn) => send(doorFor(turn), HOME));
    expect(tally(answers)).toEqual({ invalid_input: 200, too_many_requests: 10 });
    for (const door of DOORS) {
      const refused = await send(door, HOME);
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(59 * 60);
      expect(refusedBy(door, await send(door, '198.51.100.9')).code).toBe('invalid_input');
    }
    t.clock.nowMs += 60 * MINUTE_MS;
    for (const door of DOORS) expect(refusedBy(door, await send(door, HOME)).code).toBe('invalid_input');
  });
});

test('changes of an email are tries to register, which tell that one is taken as well, through both doors', async () => {
  const t = await createLimitedApp();
  const { token } = await t.registerCustomer('cam');
  await t.registerCustomer('dan');
  const change = (door: Door, peer: string, fields: object) =>
    call(door, t, 'auth.updateProfile', fields, { token, peer });
  const taken = { email: 'dan@example.com', currentPassword: PASSWORD };
  for (const door of DOORS) expect(refusedBy(door, await change(door, HOME, taken)).code).toBe('email_taken');
  const tries = await times(200, (turn) =>
    call(doorFor(turn), t, 'auth.register', { email: 'x' }, { peer: HOME }),
  );
  expect(tally(tries)).toEqual({ invalid_input: 198, too_many_requests: 2 });
  for (const door of DOORS) {
    expect(refusedBy(door, await change(door, HOME, taken)).code).toBe('too_many_requests');
    expect((await change(door, HOME, { fullName: 'Cam Another' })).status).toBe(200);
    expect(refusedBy(door, await change(door, '198.51.100.9', taken)).code).toBe('email_taken');
  }
});

test('logins are tried 300 times in 15 minutes from an address, over both doors, counted before the body is looked at', async () => {
  const t = await createLimitedApp();
  const send = (door: Door, options: CallOptions) => logInThrough(door, t, 'x', '', options);
  const answers = await times(310, (turn) => send(doorFor(turn), { peer: HOME }));
  expect(tally(answers)).toEqual({ invalid_input: 300, too_many_requests: 10 });
  for (const door of DOORS) {
    expect(refusedBy(door, await send(door, { peer: HOME })).code).toBe('too_many_requests');
    expect(refusedBy(door, await send(door, { peer: '198.51.100.9' })).code).toBe('invalid_input');
  }
});

describe('an IPv6 network of 48 bits', () => {
  const within = (index: number): CallOptions => ({ peer: `2001:db8:1:${index.toString(16)}::1` });

  test('has no more guesses than 8 networks of 64 bits', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const answers = await times(245, (turn) => guess(t, `nobody-${turn}@example.com`, within(turn)));
    expect(tally(answers)).toEqual({ wrong_credentials: 240, too_many_requests: 5 });
    expect((await guess(t, 'x@example.com', { peer: '2001:db8:2::1' })).status).toBe(401);
    expect((await guess(t, 'x@example.com', { peer: '192.0.2.77' })).status).toBe(401);
  });

  test('has no more registrations than 8 networks of 64 bits', async () => {
    const t = await createLimitedApp();
    const answers = await times(163, (turn) =>
      registerThrough(
        'REST',
        t,
        { email: `p${turn}@example.com`, username: `p${turn}xx`, password: PASSWORD },
        within(turn),
      ),
    );
    expect(tally(answers)).toEqual({ fine: 160, too_many_requests: 3 });
  });
});

test('whoever hangs up while they wait for a turn at hashing is never verified', async () => {
  const t = await createTestApp();
  const { token } = await t.registerCustomer('cam');
  const { verify } = argon2;
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const verified = vi
    .spyOn(argon2, 'verify')
    .mockImplementation((...given) => gate.then(() => verify(...given)));
  const hashed = vi.spyOn(argon2, 'hash');
  onTestFinished(() => [verified, hashed].forEach((spy) => void spy.mockRestore()));
  const running = [1, 2].map((index) => guess(t, `nobody-${index}@example.com`, stranger(index)));
  await vi.waitFor(() => expect(verified).toHaveBeenCalledTimes(2));

  const socket = Object.assign(new EventEmitter(), { remoteAddress: HOME, setTimeout() {}, closed: false });
  const leaver: Pick<TestApp, 'send'> = {
    send: async (path, init) =>
      t.app.fetch(new Request(new URL(path, 'http://localhost'), init), { incoming: { socket } }),
  };
  const person = { email: 'dan@example.com', username: 'dan', password: PASSWORD };
  const waiting = [
    registerThrough('REST', leaver, person),
    logInThrough('REST', leaver, 'cam@example.com', WRONG),
    callRest(leaver, 'POST', '/auth/confirm', { password: PASSWORD }, { token }),
    callRest(leaver, 'POST', '/auth/password/reset', {
      token: 'x'.repeat(43),
      new_password: 'a new horse battery',
    }),
  ];
  Object.assign(socket, { closed: true }).emit('close');
  // Those whose requests come in only now have left before.
  open();
  expect(tally(await Promise.all(waiting))).toEqual({ busy: 4 });
  expect(tally(await Promise.all(running))).toEqual({ wrong_credentials: 2 });
  expect([verified.mock.calls.length, hashed.mock.calls.length]).toEqual([2, 0]);
});

test.each([
  [5, 15, 'Too many attempts. Please try again in 15 minutes.'],
  [5, 1, 'Too many attempts. Please try again in 60 seconds.'],
])('whoever has to wait is told for how long', async (count, minutes, sentence) => {
  const t = await createLimitedApp();
  await times(count, () => guess(t, 'nobody@example.com', { peer: HOME }));
  t.clock.nowMs += (15 - minutes) * MINUTE_MS;
  for (const door of DOORS)
    expect(refusedBy(door, await guess(t, 'nobody@example.com', { peer: HOME }, door)).detail).toBe(sentence);
});
