/**
 * Passwords: argon2id as OWASP wants it, the same work for everybody who knocks, and a gate that keeps a
 * flood of logins from taking the machine. The argon2 package is real; it is only counted here.
 */
import argon2 from 'argon2';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPasswords } from '#server/auth/passwords.ts';
import {
  type Answer,
  callTrpcBatch,
  DOORS,
  type Door,
  logInThrough,
  refusedBy,
  registerThrough,
  resultOf,
  tally,
  tipThrough,
} from '#tests/support/both-doors.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

/** OWASP's parameters, in any order. */
const OWASP = /^\$argon2id\$v=19\$(?=[^$]*\bm=19456\b)(?=[^$]*\bt=2\b)(?=[^$]*\bp=1\b)/;
/** Two hashes at work and 64 waiting. */
const GATE_HOLDS = 66;

/** How many hashes were begun, the most that were ever at work at once, and what each waits for. */
const work = { begun: 0, running: 0, most: 0, digests: [] as string[], until: Promise.resolve() };

async function counted<Result>(hash: () => Promise<Result>): Promise<Result> {
  work.begun += 1;
  work.running += 1;
  work.most = Math.max(work.most, work.running);
  try {
    await work.until;
    return await hash();
  } finally {
    work.running -= 1;
  }
}

beforeEach(() => {
  const { hash, verify } = argon2;
  vi.spyOn(argon2, 'verify').mockImplementation((digest, plain) => {
    work.digests.push(digest);
    return counted(() => verify(digest, plain));
  });
  vi.spyOn(argon2, 'hash').mockImplementation(((...words: Parameters<typeof hash>) =>
    counted(() => hash(...words))) as typeof hash);
});

afterEach(() => vi.mocked(argon2.verify).mockRestore());
afterEach(() => vi.mocked(argon2.hash).mockRestore());

function forgetWork(): void {
  Object.assign(work, { begun: 0, running: 0, most: 0, digests: [] });
}

/** @returns what lets the hashing go on, which stands still until then. */
function holdHashing(): () => void {
  forgetWork();
  let goOn = () => {};
  work.until = new Promise((resolve) => {
    goOn = resolve;
  });
  onTestFinished(() => {
    goOn();
    work.until = Promise.resolve();
  });
  return goOn;
}

/** An app with one account, whose hashing is cheap and stands still. */
async function createHeldApp() {
  const t = await createTestApp();
  await t.registerCustomer('cam');
  return { t, goOn: holdHashing() };
}

/** Waits until all are refused but those that the gate holds. */
async function untilFull(crowd: readonly Promise<Answer>[]): Promise<void> {
  let refused = 0;
  for (const answer of crowd)
    void answer.then(() => {
      refused += 1;
    });
  await expect.poll(() => refused, { interval: 5 }).toBe(crowd.length - GATE_HOLDS);
}

const storedHash = async (t: TestApp): Promise<string> =>
  (await t.data.readPasswordHashes()).get('cam') ?? '';

/** All at once through one door, each from elsewhere; those beyond what the gate holds are refused. */
const crowd = (door: Door, t: TestApp, size: number, email = 'crowd@example.com') =>
  Array.from({ length: size }, (_, index) =>
    logInThrough(door, t, email, 'not the password', { peer: `203.0.113.${index}` }),
  );

describe('what is stored', () => {
  test('is argon2id with 19 MiB, two passes and one lane, under a salt of its own', async () => {
    const t = await createTestApp({ hashing: 'costly' });
    for (const username of ['cam', 'dan'])
      await registerThrough('REST', t, { email: `${username}@example.com`, username, password: PASSWORD });
    const hashes = [...(await t.data.readPasswordHashes()).values()];
    expect(new Set(hashes).size).toBe(2);
    for (const hash of hashes) {
      expect(hash).toMatch(OWASP);
      expect(await argon2.verify(hash, PASSWORD)).toBe(true);
    }
  });

  test('is made of the NFKC form, so that another keyboard types the same password', async () => {
    const t = await createTestApp();
    const composed = 'Crème brûlée №1 ﬁn';
    const typedElsewhere = composed.normalize('NFKD');
    expect(typedElsewhere).not.toBe(composed);
    await registerThrough('REST', t, { email: 'c@example.com', username: 'cam', password: composed });
    for (const door of DOORS) {
      for (const form of [composed, typedElsewhere, composed.normalize('NFKC')]) {
        expect((await logInThrough(door, t, 'c@example.com', form)).status).toBe(200);
      }
      expect((await logInThrough(door, t, 'c@example.com', 'Creme brulee No1 fin')).status).toBe(401);
    }
    expect(await argon2.verify(await storedHash(t), composed.normalize('NFKC'))).toBe(true);
  });

  test('uses the whole password, however long', async () => {
    const t = await createTestApp();
    // Nobody guesses the beginning, which is all that its strength is judged by.
    const long = `correct horse battery ${'x'.repeat(233)}`;
    await registerThrough('REST', t, { email: 'c@example.com', username: 'cam', password: `${long}a` });
    expect((await logInThrough('REST', t, 'c@example.com', `${long}b`)).status).toBe(401);
    expect((await logInThrough('REST', t, 'c@example.com', `${long}a`)).status).toBe(200);
  });
});

describe('a hash made with weaker parameters', () => {
  const today = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
  const keepHash = async (t: TestApp, options: { memoryCost?: number; timeCost?: number }) => {
    const weak = await argon2.hash(PASSWORD, { ...today, ...options });
    await t.data.setPasswordHash('cam', weak);
    return weak;
  };

  test.each([
    ['less memory', { memoryCost: 8_192 }],
    ['fewer passes', { timeCost: 1 }],
  ])('(%s) is replaced by a login', async (_, options) => {
    const t = await createTestApp({ hashing: 'costly' });
    await t.registerCustomer('cam');
    const weak = await keepHash(t, options);
    expect(weak).not.toMatch(OWASP);
    expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD)).status).toBe(200);
    const replaced = await storedHash(t);
    expect(replaced).toMatch(OWASP);
    expect((await logInThrough('tRPC', t, 'cam@example.com', PASSWORD)).status).toBe(200);
    expect(await storedHash(t)).toBe(replaced);
  });

  test('stays as it is when the password was wrong', async () => {
    const t = await createTestApp({ hashing: 'costly' });
    await t.registerCustomer('cam');
    const weak = await keepHash(t, { timeCost: 1 });
    expect((await logInThrough('REST', t, 'cam@example.com', 'not the password')).status).toBe(401);
    expect(await storedHash(t)).toBe(weak);
  });

  test('a hash with the parameters of today stays as it is', async () => {
    const t = await createTestApp({ hashing: 'costly' });
    await t.registerCustomer('cam');
    const hash = await storedHash(t);
    await t.logIn('cam@example.com');
    expect(await storedHash(t)).toBe(hash);
  });
});

describe.each(DOORS)('an unknown email and a wrong password at the %s door', (door) => {
  /** All that a caller sees, apart from the ids that differ with every request. */
  const seen = ({ status, headers, text }: Answer) => {
    const id = headers.get('X-Request-Id') ?? '';
    expect(text.split(id)).toHaveLength(2);
    return {
      status,
      body: text.replace(id, ''),
      headers: [...headers].filter(([name]) => name !== 'x-request-id'),
    };
  };

  test('are answered alike, to the letter', async () => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    const known = await logInThrough(door, t, 'cam@example.com', 'not the password');
    const unknown = await logInThrough(door, t, 'nobody@example.com', 'not the password');
    expect(refusedBy(door, known)).toMatchObject({ status: 401, code: 'wrong_credentials' });
    expect(seen(unknown)).toEqual(seen(known));
  });

  test('take one hash each, at the same cost', async () => {
    const t = await createTestApp({ hashing: 'costly' });
    await t.registerCustomer('cam');
    forgetWork();
    await logInThrough(door, t, 'cam@example.com', 'not the password');
    await logInThrough(door, t, 'nobody@example.com', 'not the password');
    expect(work).toMatchObject({
      begun: 2,
      digests: [expect.stringMatching(OWASP), expect.stringMatching(OWASP)],
    });
    expect(work.digests[0]).toBe(await storedHash(t));
    expect(work.digests[1]).not.toBe(await storedHash(t));
  });

  test('are turned away alike while the hashing is busy', async () => {
    const { t, goOn } = await createHeldApp();
    const flood = crowd(door, t, GATE_HOLDS + 40);
    await untilFull(flood);
    const [known, unknown] = await Promise.all([
      logInThrough(door, t, 'cam@example.com', 'not the password'),
      logInThrough(door, t, 'nobody@example.com', 'not the password'),
    ]);
    goOn();
    await Promise.all(flood);
    expect(refusedBy(door, known)).toMatchObject({ status: 503, code: 'busy' });
    expect(known.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    expect(seen(unknown)).toEqual(seen(known));
  });
});

test('no password at all opens an account that does not exist, not even that of the decoy', async () => {
  const passwords = await createPasswords();
  forgetWork();
  expect(await passwords.verify(null, 'no account has this password')).toBe(false);
  const [decoy] = work.digests;
  expect(await argon2.verify(decoy ?? '', 'no account has this password')).toBe(true);
});

describe('the gate', () => {
  test.each(
    DOORS,
  )('lets two hash at once, has 64 wait, and asks the others to come back (%s)', async (door) => {
    const { t, goOn } = await createHeldApp();
    const flood = crowd(door, t, 100);
    await untilFull(flood);
    expect(work).toMatchObject({ begun: 2, running: 2 });
    goOn();
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ status }) => status === 503);
    for (const answer of refused) {
      expect(refusedBy(door, answer).code).toBe('busy');
      expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    }
    expect(work.begun).toBe(answers.length - refused.length);
    expect(work.begun).toBe(GATE_HOLDS);
    expect(work.most).toBe(2);
  });

  test('is one gate for logins and registrations, and opens again after the flood', async () => {
    const { t, goOn } = await createHeldApp();
    const register = (turn: number) =>
      registerThrough(
        'REST',
        t,
        { email: `new-${turn}@example.com`, username: `newcomer-${turn}`, password: PASSWORD },
        { peer: `198.51.100.${turn}` },
      );
    const flood = crowd('tRPC', t, GATE_HOLDS + 40, 'cam@example.com');
    await untilFull(flood);
    expect(tally(await Promise.all([register(1), register(2)]))).toEqual({ busy: 2 });
    goOn();
    const kinds = tally(await Promise.all(flood));
    expect(kinds).toEqual({ busy: 40, wrong_credentials: GATE_HOLDS });
    expect(work.most).toBe(2);
    expect((await register(3)).status).toBe(201);
    expect((await logInThrough('tRPC', t, 'cam@example.com', PASSWORD)).status).toBe(200);
  });

  test('says how long to wait, once, also when several calls of a batch are refused', async () => {
    const { t, goOn } = await createHeldApp();
    const flood = crowd('tRPC', t, GATE_HOLDS + 40);
    await untilFull(flood);
    const input = { email: 'cam@example.com', password: PASSWORD };
    const answer = await callTrpcBatch(t, [
      ['auth.login', input],
      ['auth.login', input],
    ]);
    goOn();
    await Promise.all(flood);
    expect(answer.text.split('"busy"')).toHaveLength(3);
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  });

  test('lets tips through while logins flood it', async () => {
    const t = await createTestApp({ hashing: 'costly' });
    const { customer, code } = await t.setTheScene();
    const goOn = holdHashing();
    const flood = crowd('REST', t, GATE_HOLDS + 40, 'cam@example.com');
    await untilFull(flood);
    goOn();
    const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' };
    for (const door of DOORS) resultOf(await tipThrough(door, t, tip, customer));
    // Hashes of the flood are at work, and others still wait for their turn.
    expect(work.running).toBe(2);
    expect(work.begun).toBeLessThan(GATE_HOLDS);
    expect(tally(await Promise.all(flood))).toEqual({ busy: 40, wrong_credentials: GATE_HOLDS });
    expect(await customer.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: 4_000 });
  });
});
