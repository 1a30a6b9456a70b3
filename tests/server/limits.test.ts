/**
 * How often one may try: failed logins, registrations and tips, counted over both doors together and for
 * whoever really called, whatever happens to the server or its clock meanwhile.
 */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import argon2 from 'argon2';
import { describe, expect, test, vi } from 'vitest';
import { createLimits } from '#server/limits/limits.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { AppError } from '#shared/errors.ts';
import {
  createLimitedApp,
  createSlowApp,
  guess,
  register,
  stranger,
  WRONG,
} from '#tests/support/attempts.ts';
import {
  type Answer,
  type CallOptions,
  call,
  callRest,
  callTrpcBatch,
  DOORS,
  type Door,
  doorFor,
  logInThrough,
  refusedBy,
  resultOf,
  tally,
  times,
  tipThrough,
} from '#tests/support/both-doors.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';
import { isOnSqlite } from '#tests/support/test-data.ts';

/** What is counted in memory, or decided before anything is counted, is so on every engine. */
const testOnSqlite = test.runIf(isOnSqlite());

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

function pass(t: TestApp, seconds: number): void {
  t.clock.nowMs += seconds * 1_000;
}
describe('failed logins', () => {
  test.each(
    DOORS,
  )('are 5 to one account from one address, then even the right password waits (%s)', async (door) => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const answers = await times(5, (turn) => guess(t, 'cam@example.com', {}, doorFor(turn)));
    expect(tally(answers)).toEqual({ wrong_credentials: 5 });

    const sixth = await logInThrough(door, t, 'CAM@example.com', PASSWORD);
    expect(refusedBy(door, sixth)).toMatchObject({ status: 429, code: 'too_many_requests' });
    const wait = Number(sixth.headers.get('Retry-After'));
    expect(wait).toBeGreaterThan(14 * MINUTE_S);
    expect(wait).toBeLessThanOrEqual(15 * MINUTE_S);
  });

  test('leave the account open to another address, and the address to another account', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    await t.registerCustomer('dan');
    await times(6, () => guess(t, 'cam@example.com', stranger(1)));
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(1))).status).toBe(429);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(2))).status).toBe(200);
    expect((await logInThrough('REST', t, 'dan@example.com', PASSWORD, stranger(1))).status).toBe(200);
  });

  test('are forgotten when the time is up that Retry-After named', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    await times(5, () => guess(t, 'cam@example.com'));
    const refused = await logInThrough('REST', t, 'cam@example.com', PASSWORD);
    pass(t, Number(refused.headers.get('Retry-After')) - 2);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD)).status).toBe(429);
    pass(t, 2);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD)).status).toBe(200);
  });

  test('count alike for emails that nobody has', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const answersFor = async (email: string) => {
      const answers: Answer[] = [];
      for (let turn = 0; turn < 8; turn++) answers.push(await guess(t, email, {}, doorFor(turn)));
      return answers.map((answer, turn) => {
        const { status, code, detail } = refusedBy(doorFor(turn), answer);
        return { status, code, detail };
      });
    };
    const known = await answersFor('cam@example.com');
    expect(known.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect(await answersFor('nobody@example.com')).toEqual(known);
  });

  test('count whatever the case of the email and the spaces around it', async () => {
    const t = await createLimitedApp();
    const spellings = [
      'nobody@example.com',
      'NOBODY@example.com',
      ' Nobody@Example.com',
      'nobody@EXAMPLE.COM ',
    ];
    const answers = await times(8, (turn) => guess(t, spellings[turn % 4] ?? '', {}, doorFor(turn)));
    expect(tally(answers)).toEqual({ wrong_credentials: 5, too_many_requests: 3 });
  });

  test('alone count: successes do not, nor do they wipe the failures out', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    for (let turn = 0; turn < 12; turn++) {
      const answer = await logInThrough(doorFor(turn), t, 'cam@example.com', PASSWORD);
      expect(answer.status).toBe(200);
    }
    expect(tally(await times(4, () => guess(t, 'cam@example.com')))).toEqual({ wrong_credentials: 4 });
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD)).status).toBe(200);
    expect(tally(await times(3, () => guess(t, 'cam@example.com')))).toEqual({
      wrong_credentials: 1,
      too_many_requests: 2,
    });
  });

  test('of requests that were never tried do not count', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const invalid = await times(10, () => logInThrough('REST', t, 'cam@example.com', ''));
    expect(tally(invalid)).toEqual({ invalid_input: 10 });
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD)).status).toBe(200);
  });

  test('that were only turned away as busy do not count', async () => {
    const t = await createSlowApp();
    await t.registerCustomer('cam');
    // Fills the hashing from many addresses, each with an account of its own.
    const crowd = Array.from({ length: 110 }, (_, index) =>
      guess(t, `nobody-${index}@example.com`, stranger(index)),
    );
    const busy = await Promise.all(
      Array.from({ length: 5 }, () => guess(t, 'cam@example.com', stranger(200))),
    );
    await Promise.all(crowd);
    expect(tally(busy)).toEqual({ busy: 5 });
    expect(tally(await times(6, () => guess(t, 'cam@example.com', stranger(200))))).toEqual({
      wrong_credentials: 5,
      too_many_requests: 1,
    });
  });

  test('are counted before any hashing, so that parallel guesses cannot slip past', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const verify = vi.spyOn(argon2, 'verify');
    try {
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, turn) => guess(t, 'cam@example.com', {}, doorFor(turn))),
      );
      expect(tally(answers)).toEqual({ wrong_credentials: 5, too_many_requests: 35 });
      expect(verify).toHaveBeenCalledTimes(5);
    } finally {
      verify.mockRestore();
    }
  });

  test('are told to wait for seconds only while others are still being verified', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    await times(4, () => guess(t, 'cam@example.com'));
    // Two are tried at once, of which the first may be the fifth wrong one.
    const logins = await Promise.all(
      Array.from({ length: 2 }, (_, turn) => logInThrough(doorFor(turn), t, 'cam@example.com', PASSWORD)),
    );
    expect(logins.map(({ status }) => status).toSorted()).toEqual([200, 429]);
    const refused = logins.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('Retry-After'))).toBeLessThanOrEqual(2);
    await times(1, () => guess(t, 'cam@example.com'));
    const late = await guess(t, 'cam@example.com');
    expect(Number(late.headers.get('Retry-After'))).toBeGreaterThan(14 * MINUTE_S);
  });

  testOnSqlite(
    'with the right password, however many at once, leave others a place in the queue',
    async () => {
      const t = await createSlowApp();
      await t.registerCustomer('cam');
      await t.registerCustomer('dan');
      const flood = Array.from({ length: 200 }, () =>
        logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(1)),
      );
      const others = [stranger(2), stranger(1)].map((from) =>
        logInThrough('REST', t, 'dan@example.com', PASSWORD, from),
      );
      for (const { status } of await Promise.all(others)) expect(status).toBe(200);
      const { fine, ...refused } = tally(await Promise.all(flood));
      expect(fine).toBeGreaterThan(0);
      expect(Object.keys(refused)).toEqual(['busy']);
    },
  );

  test('are 30 from one address, over all accounts', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const answers = await times(30, (turn) =>
      guess(t, `nobody-${turn}@example.com`, stranger(1), doorFor(turn)),
    );
    expect(tally(answers)).toEqual({ wrong_credentials: 30 });

    const next = await logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(1));
    expect(refusedBy('REST', next).code).toBe('too_many_requests');
    expect(Number(next.headers.get('Retry-After'))).toBeGreaterThan(14 * MINUTE_S);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(2))).status).toBe(200);

    pass(t, 15 * MINUTE_S + 1);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(1))).status).toBe(200);
  });

  test('of an address that is refused use up no account', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    await times(30, (turn) => guess(t, `nobody-${turn}@example.com`, stranger(1)));
    expect(tally(await times(120, () => guess(t, 'cam@example.com', stranger(1))))).toEqual({
      too_many_requests: 120,
    });
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(2))).status).toBe(200);
  });

  test('are 100 to one account in 24 hours, over all addresses', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    await t.registerCustomer('dan');
    const answers = await times(100, (turn) => guess(t, 'cam@example.com', stranger(turn), doorFor(turn)));
    expect(tally(answers)).toEqual({ wrong_credentials: 100 });

    const next = await logInThrough('tRPC', t, 'cam@example.com', PASSWORD, stranger(200));
    expect(refusedBy('tRPC', next).code).toBe('too_many_requests');
    expect(Number(next.headers.get('Retry-After'))).toBeGreaterThan(DAY_S - MINUTE_S);
    expect((await logInThrough('REST', t, 'dan@example.com', PASSWORD, stranger(200))).status).toBe(200);

    pass(t, DAY_S - HOUR_S);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(201))).status).toBe(429);
    pass(t, HOUR_S + 1);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(201))).status).toBe(200);
  });

  test('count for each call of a batch', async () => {
    const t = await createLimitedApp();
    await t.registerCustomer('cam');
    const call = ['auth.login', { email: 'cam@example.com', password: WRONG }] as const;
    const answer = await callTrpcBatch(
      t,
      Array.from({ length: 10 }, () => call),
    );
    expect(answer.text.split('"wrong_credentials"')).toHaveLength(1 + 5);
    expect(answer.text.split('"too_many_requests"')).toHaveLength(1 + 5);
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  });
});

describe('an attempt that cannot be given back', () => {
  const EMAIL = 'cam@example.com';
  const CALLER = { address: '203.0.113.1', network: '203.0.113.1', device: null };

  /** A login whose disk becomes read-only while its password is looked at. */
  async function tryOnFailingDisk<Result>(t: TestApp, attempt: () => Promise<Result>) {
    const limits = createLimits(t.storage, () => t.clock.nowMs);
    const tried = await limits
      .limitLogin(EMAIL, CALLER, async () => {
        await t.data.setReadOnly(true);
        return attempt();
      })
      .catch((error: unknown) => error);
    await t.data.setReadOnly(false);
    return tried;
  }
  const counts = async (t: TestApp) => (await t.data.dump())['attempts']?.map((row) => Object(row).count);

  test('because nothing can be saved leaves the answer what it is, and is forgotten with its window', async () => {
    const t = await createLimitedApp();
    expect(await tryOnFailingDisk(t, async () => 'logged in')).toBe('logged in');
    expect(await counts(t)).toEqual([1, 1, 1]);
    t.clock.nowMs += DAY_S * 1_000;
    await t.app.sweep();
    expect(await counts(t)).toEqual([]);
  });

  test('because nothing can be saved hides no refusal', async () => {
    const t = await createLimitedApp();
    const busy = new AppError('busy');
    expect(
      await tryOnFailingDisk(t, async () => {
        throw busy;
      }),
    ).toBe(busy);
  });

  test('because of a defect fails with that defect', async () => {
    const t = await createLimitedApp();
    const limits = createLimits(t.storage, () => t.clock.nowMs);
    let wasBroken = false;
    const tried = limits.limitLogin(EMAIL, CALLER, async () => {
      await t.data.dropAttempts();
      wasBroken = true;
    });
    await expect(tried).rejects.toThrow(/no such table|does not exist/);
    expect(wasBroken).toBe(true);
  });
});

describe('registrations', () => {
  test('are 20 an hour from one address, over both doors', async () => {
    const t = await createLimitedApp();
    expect(tally(await times(20, (turn) => register(t, turn)))).toEqual({ fine: 20 });
    const next = await register(t, 20);
    expect(refusedBy('REST', next)).toMatchObject({ status: 429, code: 'too_many_requests' });
    const wait = Number(next.headers.get('Retry-After'));
    expect(wait).toBeGreaterThan(59 * MINUTE_S);
    expect(wait).toBeLessThanOrEqual(HOUR_S);
    expect(tally([await register(t, 21), await register(t, 22, stranger(9))])).toEqual({
      too_many_requests: 1,
      fine: 1,
    });
    expect((await t.data.dump())['accounts']).toHaveLength(21);

    pass(t, wait);
    expect(tally([await register(t, 23)])).toEqual({ fine: 1 });
  });

  testOnSqlite('are tried no more than 200 times, so that nobody can ask for every email', async () => {
    const t = await createLimitedApp();
    await register(t, 0);
    const asked = await times(205, () => register(t, 0));
    expect(tally(asked)).toEqual({ email_taken: 199, too_many_requests: 6 });
  });

  test('are counted before any hashing', async () => {
    const t = await createLimitedApp();
    const hash = vi.spyOn(argon2, 'hash');
    try {
      await Promise.all(Array.from({ length: 40 }, (_, turn) => register(t, turn)));
      expect(hash).toHaveBeenCalledTimes(20);
    } finally {
      hash.mockRestore();
    }
  });
});

describe('tips', () => {
  test('are 30 a minute from one giver, over both doors and all addresses', async () => {
    const t = await createLimitedApp();
    const { customer, code } = await t.setTheScene();
    const other = await t.registerCustomer('dan');
    const tip = { receiverQrId: code.id, amountCents: 1_000, serviceCategory: 'bartender' };
    const give = (turn: number, token: string) =>
      tipThrough(doorFor(turn), t, tip, { token, ...stranger(turn) });

    expect(tally(await times(30, (turn) => give(turn, customer.token)))).toEqual({ fine: 30 });
    const next = await give(30, customer.token);
    expect(refusedBy('REST', next)).toMatchObject({ status: 429, code: 'too_many_requests' });
    const wait = Number(next.headers.get('Retry-After'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(MINUTE_S);
    expect((await give(31, customer.token)).status).toBe(429);
    expect((await give(30, other.token)).status).toBe(201);
    expect(await customer.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: 30_000 });

    pass(t, wait);
    expect((await give(32, customer.token)).status).toBe(201);
  });

  test('are 30 a minute from one giver over all processes that share the data', async () => {
    const wrapStorage = (storage: Storage): Storage => ({ ...storage, isShared: true });
    const config = { isRateLimited: true };
    const t = await createTestApp({ config, wrapStorage });
    const other = await createTestApp({ config, wrapStorage, data: t.data });
    const { customer, code } = await t.setTheScene();
    const tip = { receiverQrId: code.id, amountCents: 1_000, serviceCategory: 'bartender' };
    const give = (app: TestApp) => tipThrough('REST', app, tip, customer);
    expect(tally(await times(40, (turn) => give(turn % 2 ? t : other)))).toEqual({
      fine: 30,
      too_many_requests: 10,
    });
    pass(t, MINUTE_S);
    expect((await give(t)).status).toBe(201);
  });

  test('are counted without a write where one process has the data', async () => {
    const wrapStorage = (storage: Storage): Storage => ({ ...storage, isShared: false });
    const t = await createTestApp({ config: { isRateLimited: true }, wrapStorage });
    const { customer, code } = await t.setTheScene();
    const tip = { receiverQrId: code.id, amountCents: 1_000, serviceCategory: 'bartender' };
    expect((await tipThrough('REST', t, tip, customer)).status).toBe(201);
    expect(JSON.stringify((await t.data.dump())['attempts'])).not.toContain('"tip"');
  });

  test('count for each call of a batch', async () => {
    const t = await createLimitedApp();
    const { customer, code } = await t.setTheScene();
    const tip = { receiverQrId: code.id, amountCents: 1_000, serviceCategory: 'bartender' };
    const batch = Array.from({ length: 10 }, () => ['transactions.create', tip] as const);
    for (let sent = 0; sent < 4; sent++) await callTrpcBatch(t, batch, customer);
    expect(await customer.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: 30_000 });
  });
});

describe('creations of QR codes', () => {
  const createThrough = (door: Door, t: TestApp, category: string, options: CallOptions) =>
    call(door, t, 'qrCodes.create', { serviceCategory: category }, options);

  testOnSqlite(
    'are 30 an hour for one account, over both doors and all addresses, made or refused',
    async () => {
      const t = await createLimitedApp();
      const { token } = await t.registerProvider('pat', ['dj', 'barber']);
      const other = await t.registerProvider('quinn', ['dj']);
      const createOne = (turn: number, category = 'dj') =>
        createThrough(doorFor(turn), t, category, { token, ...stranger(turn) });

      expect(tally(await times(30, (turn) => createOne(turn)))).toEqual({ fine: 1, qr_code_exists: 29 });
      for (const turn of [30, 31]) {
        const refused = await createOne(turn, 'barber');
        expect(refusedBy(doorFor(turn), refused)).toMatchObject({ status: 429, code: 'too_many_requests' });
        const wait = Number(refused.headers.get('Retry-After'));
        expect(wait).toBeGreaterThan(59 * MINUTE_S);
        expect(wait).toBeLessThanOrEqual(HOUR_S);
      }
      expect((await createThrough('REST', t, 'dj', other)).status).toBe(201);

      pass(t, HOUR_S);
      expect((await createOne(32, 'barber')).status).toBe(201);
    },
  );

  test('are 60 a day for one account, also after a restart, so that no list of codes grows without end', async () => {
    const before = await createLimitedApp();
    const pat = await before.registerProvider('pat', ['dj']);
    const replace = async (t: TestApp, id: string) => call('REST', t, 'qrCodes.replace', { id }, pat);
    let id: string = Object(resultOf(await createThrough('REST', before, 'dj', pat))).id;
    for (let turn = 1; turn < 60; turn += 1) {
      if (turn === 30) pass(before, HOUR_S);
      id = Object(resultOf(await replace(before, id))).id;
    }
    pass(before, HOUR_S);
    const t = await createTestApp({ config: { isRateLimited: true }, data: before.data });
    t.clock.nowMs = before.clock.nowMs;
    const refused = await replace(t, id);
    expect(refusedBy('REST', refused)).toMatchObject({ status: 429, code: 'too_many_requests' });
    const wait = Number(refused.headers.get('Retry-After'));
    expect(wait).toBeGreaterThan(21 * HOUR_S);
    expect(wait).toBeLessThanOrEqual(22 * HOUR_S);
    pass(t, wait);
    expect((await replace(t, id)).status).toBe(201);
  });

  testOnSqlite('are as many as are asked for with RATE_LIMIT=off', async () => {
    const t = await createTestApp();
    const { token } = await t.registerProvider('pat', ['dj']);
    const answers = await times(35, (turn) => createThrough(doorFor(turn), t, 'dj', { token }));
    expect(tally(answers)).toEqual({ fine: 1, qr_code_exists: 34 });
  });
});

describe('what is read of a whole history', () => {
  const period = { from: '2026-05-01', to: '2026-05-31' };

  testOnSqlite(
    'is 600 lists, 600 sums and 120 insights in a minute for one account, over both doors, also with an input that is refused',
    async () => {
      const t = await createLimitedApp();
      const { token } = await t.registerProvider('pat', ['dj']);
      const other = await t.registerProvider('quinn', ['dj']);
      const limited = [
        ['transactions.list', { cursor: 'no tip' }, 200],
        ['messages.blocked', undefined, 200],
        ['qrCodes.ended', {}, 200],
        ['transactions.sums', {}, 300],
        ['transactions.summary', { timeZone: 'Mars/Phobos' }, 300],
        ['transactions.insights', period, 120],
      ] as const;
      for (const [procedure, input, most] of limited) {
        const answers = await times(most, (turn) => call(doorFor(turn), t, procedure, input, { token }));
        expect(tally(answers)['too_many_requests']).toBeUndefined();
      }
      for (const [procedure, input] of limited) {
        for (const door of DOORS) {
          const refused = await call(door, t, procedure, input, { token });
          expect(refusedBy(door, refused)).toMatchObject({ status: 429, code: 'too_many_requests' });
          expect((await call(door, t, procedure, input, other)).status).not.toBe(429);
        }
      }
      pass(t, MINUTE_S);
      expect((await call('REST', t, 'transactions.insights', period, { token })).status).toBe(200);
    },
  );
});

testOnSqlite('looking codes up is not limited', async () => {
  const t = await createLimitedApp();
  const { code } = await t.setTheScene();
  for (let turn = 0; turn < 150; turn++)
    expect((await callRest(t, 'GET', `/qr-codes/${code.id}`)).status).toBe(200);
});

testOnSqlite('RATE_LIMIT=off lets everything through', async () => {
  const t = await createTestApp({ config: { isRateLimited: false } });
  expect(tally(await times(40, () => guess(t, 'nobody@example.com')))).toEqual({ wrong_credentials: 40 });
});

describe('a restart', () => {
  /** The same data under a new process. */
  const restarted = (t: TestApp) => createTestApp({ data: t.data, config: { isRateLimited: true } });

  test('forgives no failed login', async () => {
    const before = await createLimitedApp();
    await before.registerCustomer('cam');
    await times(5, () => guess(before, 'cam@example.com'));
    const t = await restarted(before);
    const answer = await logInThrough('REST', t, 'cam@example.com', PASSWORD);
    expect(refusedBy('REST', answer).code).toBe('too_many_requests');
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD, stranger(9))).status).toBe(200);
  });

  test('gives no new registrations', async () => {
    const before = await createLimitedApp();
    await times(20, (turn) => register(before, turn));
    expect(tally([await register(await restarted(before), 20)])).toEqual({ too_many_requests: 1 });
  });
});

test('what is counted names neither an email nor an address', async () => {
  const t = await createLimitedApp();
  await times(3, () => guess(t, 'My secret password, typed in the wrong field', stranger(7)));
  const counted = JSON.stringify((await t.data.dump())['attempts']);
  expect(counted).toContain('login_to_account');
  expect(counted).not.toMatch(/secret|203\.0\.113/i);
});

test('the sweep deletes what no longer counts, and nothing else', async () => {
  const t = await createLimitedApp();
  await guess(t, 'cam@example.com');
  pass(t, 15 * MINUTE_S);
  await t.app.sweep();
  expect((await t.data.dump())['attempts']).toMatchObject([{ limit_name: 'login_to_account' }]);
  pass(t, DAY_S);
  await t.app.sweep();
  expect((await t.data.dump())['attempts']).toEqual([]);
});

test.runIf(isOnSqlite())(
  'the sweep deletes at most 500 rows of a kind in a turn of the event loop, until none is left',
  async () => {
    const t = await createLimitedApp();
    const { user, token } = await t.registerCustomer();
    const endsAtMs = t.clock.nowMs + 1_000;
    const { passwordHash = '' } = (await t.storage.findCredentials(user.email)) ?? {};
    await Promise.all(
      Array.from({ length: 1_200 }, async (_, row) => {
        const tokenHash = createHash('sha256').update(String(row)).digest();
        const session = { tokenHash, userId: user.id, createdAtMs: 0, expiresAtMs: endsAtMs, device: '' };
        const attempt = {
          limit: 'login_from_address',
          account: '',
          address: String(row),
          maxCount: 1,
          windowMs: 1_000,
        };
        await t.storage.createSession(session, passwordHash, 9_999);
        await t.storage.takeAttempt([attempt], t.clock.nowMs);
      }),
    );
    pass(t, 1);

    const countOf = async (table: string) => {
      const asked = `SELECT count(*) AS count FROM ${table} WHERE ${table === 'sessions' ? 'expires' : 'ends'}_at_ms = $1`;
      const [row] = await t.data.run(asked, endsAtMs);
      return Number(row?.['count']);
    };
    const readCounts = async () => ({
      sessions: await countOf('sessions'),
      attempts: await countOf('attempts'),
    });
    const seen = { sessions: [1_200], attempts: [1_200] };
    let isSwept = false;
    const sweeping = t.app.sweep().finally(() => {
      isSwept = true;
    });
    while (!isSwept) {
      await nextTurn();
      const counts = await readCounts();
      for (const kind of ['sessions', 'attempts'] as const) seen[kind].push(counts[kind]);
    }
    await sweeping;

    const steps = (counts: readonly number[]) =>
      counts.map((count, turn) => (counts[turn - 1] ?? count) - count).filter((deleted) => deleted > 0);
    expect({ sessions: steps(seen.sessions), attempts: steps(seen.attempts) }).toEqual({
      sessions: [500, 500, 200],
      attempts: [500, 500, 200],
    });
    expect(await t.trpc(token).auth.me.query()).toMatchObject({ id: user.id });
  },
);
