/**
 * The care of one's own account: a new password locks everybody else out, sessions can be seen and ended, and
 * nobody reaches another's. All through both doors.
 */
import { createHash, randomBytes } from 'node:crypto';
import argon2 from 'argon2';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import { createAccountSupport } from '#server/auth/account-support.ts';
import { createAccounts } from '#server/auth/accounts.ts';
import { NO_FACTOR_DUTY } from '#server/auth/factor-duty.ts';
import { createLogins } from '#server/auth/logins.ts';
import { createSessions } from '#server/auth/sessions.ts';
import { createFactors } from '#server/factors/factors.ts';
import { NO_DRAFTS } from '#server/mail/drafts.ts';
import {
  type Answer,
  call,
  callRest,
  callTrpc,
  changePasswordThrough,
  DOORS,
  type Door,
  logInThrough,
  PROCEDURES,
  PUBLIC_URL,
  refusedBy,
  registerThrough,
  resultOf,
} from '#tests/support/both-doors.ts';
import { openStream, outcomeThrough, refusalOf } from '#tests/support/event-streams.ts';
import { beginSession, START_MS } from '#tests/support/people.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

const NEW_PASSWORD = 'a better horse battery';
const DAY_MS = 86_400_000;

const ANDROID =
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

interface SeenSession {
  readonly id: string;
  readonly device: string | null;
  readonly isCurrent: boolean;
}

const change = (door: Door, t: TestApp, token: string, present: string, next: string) =>
  changePasswordThrough(door, t, present, next, { token });

const endSession = (door: Door, t: TestApp, token: string, id: string) =>
  call(door, t, 'auth.endSession', { id }, { token });

const endOthers = (door: Door, t: TestApp, token: string) =>
  call(door, t, 'auth.endOtherSessions', undefined, { token });

const sessionsOf = (t: TestApp, token: string): Promise<readonly SeenSession[]> =>
  t.trpc(token).auth.sessions.query();

async function isAlive(t: TestApp, token: string): Promise<boolean> {
  return (await callRest(t, 'GET', '/auth/me', undefined, { token })).status === 200;
}

/** What a change of password answered, read through either door. */
const changed = z.union([
  z.object({ accessToken: z.string(), expiresAt: z.iso.datetime(), user: z.unknown() }),
  z
    .object({
      access_token: z.string(),
      token_type: z.literal('bearer'),
      expires_at: z.iso.datetime(),
      user: z.unknown(),
    })
    .transform(({ access_token, expires_at, user }) => ({
      accessToken: access_token,
      expiresAt: expires_at,
      user,
    })),
]);
const changedBy = (answer: Answer) => changed.parse(resultOf(answer));

const isFine = ({ status }: Answer) => status === 200 || status === 204;

describe('a change of password', () => {
  test.each(
    DOORS,
  )('through %s: the new one opens, the old one does not, other sessions have ended', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const other = await t.logIn('cam@example.com');
    const stranger = await t.registerCustomer('dan');
    t.clock.nowMs += DAY_MS;
    const { accessToken, expiresAt, user } = changedBy(await change(door, t, token, PASSWORD, NEW_PASSWORD));
    expect(expiresAt).toBe(new Date(t.clock.nowMs + 30 * DAY_MS).toISOString());
    expect(user).toMatchObject({ username: 'cam' });

    const old = await logInThrough(door, t, 'cam@example.com', PASSWORD);
    expect(refusedBy(door, old).code).toBe('wrong_credentials');
    expect((await logInThrough(door, t, 'cam@example.com', NEW_PASSWORD)).status).toBe(200);
    expect(await isAlive(t, accessToken)).toBe(true);
    expect(await isAlive(t, other)).toBe(false);
    expect(await isAlive(t, stranger.token)).toBe(true);
    expect((await logInThrough(door, t, 'dan@example.com', PASSWORD)).status).toBe(200);
  });

  test.each(
    DOORS,
  )('makes the token of its own session worthless, which goes on under another (%s)', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const [before] = await sessionsOf(t, token);
    const { accessToken } = changedBy(await change(door, t, token, PASSWORD, NEW_PASSWORD));
    expect(accessToken).not.toBe(token);
    for (const old of DOORS) {
      const answer =
        old === 'REST'
          ? await callRest(t, 'GET', '/auth/me', undefined, { token })
          : await callTrpc(t, 'auth.me', undefined, { token });
      expect(refusedBy(old, answer).code).toBe('session_ended');
    }
    const { id: _, ...rest } = before ?? { id: '' };
    expect(await sessionsOf(t, accessToken)).toMatchObject([{ ...rest, isCurrent: true }]);
    expect(JSON.stringify(await t.data.dump())).not.toContain(accessToken);
  });

  test.each(
    DOORS,
  )('closes the event streams of all tokens that it ends; the new one opens another (%s)', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const other = await t.logIn('cam@example.com');
    const stranger = await t.registerCustomer('dan');
    const [own, lost, theirs] = [
      await openStream(t.send, 'REST', { token }),
      await openStream(t.send, door, { token: other }),
      await openStream(t.send, door, { token: stranger.token }),
    ];
    for (const stream of [own, lost, theirs]) await stream.next();
    const { accessToken } = changedBy(await change(door, t, token, PASSWORD, NEW_PASSWORD));
    expect(await lost.nextTip()).toBeNull();
    expect(await own.nextTip()).toBeNull();
    expect(t.app.streams()).toBe(1);
    const again = await openStream(t.send, door, { token: accessToken });
    await again.next();
    expect(t.app.streams()).toBe(2);
    for (const stream of [again, theirs]) await stream.close();
  });

  test.each(DOORS)('with a wrong present password changes nothing (%s)', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    await t.logIn('cam@example.com');
    const before = await t.data.dump();
    const answer = await change(door, t, token, 'not the password', NEW_PASSWORD);
    expect(refusedBy(door, answer)).toMatchObject({ status: 422, code: 'wrong_password' });
    expect(await t.data.dump()).toEqual(before);
  });

  test.each([
    ['short', 'Password must have 8 to 256 characters.'],
    ['password123', 'This password is too easy to guess. Use a few unrelated words, without names or years.'],
    ['cam-camera', 'Password must not be your email or your username.'],
    ['CAM-Camera@example.com', 'Password must not be your email or your username.'],
  ])('to %s is refused with the reason, under its field, through both doors', async (next, message) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam-camera');
    const before = await t.data.dump();
    for (const door of DOORS) {
      const field = door === 'REST' ? 'new_password' : 'newPassword';
      const refused = refusedBy(door, await change(door, t, token, PASSWORD, next));
      expect(refused).toMatchObject({ status: 422, code: 'invalid_input', fields: [{ field, message }] });
    }
    expect(await t.data.dump()).toEqual(before);
  });

  test('to the present one, however it is typed, is refused through both doors, and by nothing but that', async () => {
    const t = await createTestApp();
    const person = { email: 'cam@example.com', username: 'cam', password: 'caf\u00e9 \ufb01ne horse' };
    expect((await registerThrough('REST', t, person)).status).toBe(201);
    const token = changedBy(await logInThrough('REST', t, person.email, person.password)).accessToken;
    const before = await t.data.dump();
    const message = 'Please choose a password other than the present one.';
    for (const door of DOORS) {
      const field = door === 'REST' ? 'new_password' : 'newPassword';
      for (const next of ['caf\u00e9 \ufb01ne horse', 'cafe\u0301 fine horse']) {
        const refused = refusedBy(door, await change(door, t, token, 'caf\u00e9 fine horse', next));
        expect(refused).toMatchObject({ status: 422, code: 'invalid_input', fields: [{ field, message }] });
      }
      // A wrong present password is refused before the new one is compared with it.
      const wrong = await change(door, t, token, 'another cafe, and horses', 'another cafe, and horses');
      expect(refusedBy(door, wrong).code).toBe('wrong_password');
    }
    expect(await t.data.dump()).toEqual(before);
  });

  test('of two at once only one counts', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const nexts = ['first new password', 'second new password'];
    const answers = await Promise.all(nexts.map((next) => change('REST', t, token, PASSWORD, next)));
    // The session of the other has ended where it is looked for only after the first change.
    expect([
      [200, 401],
      [200, 422],
    ]).toContainEqual(answers.map(({ status }) => status).sort());
    const winner = nexts[answers.findIndex(({ status }) => status === 200)] ?? '';
    expect((await logInThrough('REST', t, 'cam@example.com', winner)).status).toBe(200);
  });
});

describe('a login whose password was verified, but whose session had not begun', () => {
  const given = { email: 'cam@example.com', password: PASSWORD };

  /**
   * The accounts of `t`, as one login sees them for whom `meanwhile` happens each time that its password was
   * verified. The app itself goes on as if in another process.
   */
  async function accountsOf(t: TestApp, meanwhile: () => Promise<unknown> = async () => {}) {
    const { storage } = t;
    const clock = () => t.clock.nowMs;
    const real = t.passwords;
    const sessions = createSessions({ storage, clock, random: randomBytes, lifetimeMs: DAY_MS });
    const interrupted = {
      ...real,
      async verify(hash: string | null, password: string) {
        const isRight = await real.verify(hash, password);
        await meanwhile();
        return isRight;
      },
    };
    const parts = {
      storage,
      sessions,
      passwords: interrupted,
      clock,
      random: randomBytes,
      draft: NO_DRAFTS,
      factorDuty: NO_FACTOR_DUTY,
    };
    const factors = createFactors({ ...parts, publicUrl: PUBLIC_URL, key: randomBytes(32) });
    const invitations = { admit: async () => null };
    const accounts = createAccounts({ ...parts, invitations, termsOfUse: null });
    return { ...accounts, login: createLogins({ ...parts, factors }).byPassword };
  }

  function supportOf(t: TestApp) {
    const { storage, passwords } = t;
    const clock = () => t.clock.nowMs;
    const sessions = createSessions({ storage, clock, random: randomBytes, lifetimeMs: DAY_MS });
    return createAccountSupport({
      storage,
      sessions,
      passwords,
      clock,
      random: randomBytes,
      draft: NO_DRAFTS,
    });
  }

  test('that is closed by an operator while its time to close comes is none that the operator closed', async () => {
    const t = await createTestApp();
    const { user } = await t.registerCustomer('cam');
    let closing: Promise<unknown> | undefined;
    const remnants = await supportOf(t).closeAtOnce('cam@example.com', (subject) => {
      closing ??= t.storage.closeAccount(user.id, t.clock.nowMs, false);
      const actor = { kind: 'command', name: 'root', host: 'tips' } as const;
      return { actor, action: 'account_closed', subject, reason: null, atMs: t.clock.nowMs };
    });
    expect(await closing).toBe('closed');
    expect(remnants).toBeNull();
    expect(await t.storage.audit.listAbout(user.id, 9)).toEqual([]);
  });

  const setHash = (t: TestApp, hash: string) => t.data.setPasswordHash('cam', hash);
  const makeOutdated = async (t: TestApp) =>
    await setHash(t, await argon2.hash(PASSWORD, { memoryCost: 8_192, timeCost: 2, parallelism: 1 }));
  const sessionCount = async (t: TestApp) => (await t.data.dump())['sessions']?.length;

  describe.each([
    ['a hash of today', async () => {}],
    ['an outdated hash', makeOutdated],
  ])('with %s', (_, prepare) => {
    test('is refused like a wrong password when the password is changed, and leaves no session', async () => {
      const t = await createTestApp();
      const { token } = await t.registerCustomer('cam');
      await prepare(t);
      let changing: ReturnType<typeof change> | undefined;
      const accounts = await accountsOf(
        t,
        () => (changing ??= change('REST', t, token, PASSWORD, NEW_PASSWORD)),
      );
      const logins = await Promise.allSettled(Array.from({ length: 5 }, () => accounts.login(given, '')));
      const answer = await changing;
      expect(answer?.status).toBe(200);
      for (const login of logins)
        expect(login).toMatchObject({ status: 'rejected', reason: { code: 'wrong_credentials' } });
      expect(await sessionCount(t)).toBe(1);
      expect(answer && (await isAlive(t, changedBy(answer).accessToken))).toBe(true);
      expect((await logInThrough('REST', t, 'cam@example.com', NEW_PASSWORD)).status).toBe(200);
    });

    test('is refused when the operator resets the password, and leaves no session', async () => {
      const t = await createTestApp();
      await t.registerCustomer('cam');
      await prepare(t);
      let resetting: Promise<string | null> | undefined;
      const accounts = await accountsOf(t, () => (resetting ??= supportOf(t).resetPassword(given.email)));
      const logins = await Promise.allSettled(Array.from({ length: 5 }, () => accounts.login(given, '')));
      for (const login of logins)
        expect(login).toMatchObject({ status: 'rejected', reason: { code: 'wrong_credentials' } });
      expect(await sessionCount(t)).toBe(0);
      const password = (await resetting) ?? '';
      expect((await logInThrough('REST', t, 'cam@example.com', password)).status).toBe(200);
    });
  });

  test('still begins one when another login made the hash anew', async () => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    await makeOutdated(t);
    const other = await accountsOf(t);
    let logins = 0;
    const accounts = await accountsOf(t, async () => {
      if (logins++ === 0) await other.login(given, '');
    });
    const { accessToken } = await accounts.login(given, '');
    expect(logins).toBe(2);
    expect(await isAlive(t, accessToken)).toBe(true);
  });

  test('is refused when the hash will not stand still', async () => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    const accounts = await accountsOf(t, async () => setHash(t, await t.passwords.hash(PASSWORD)));
    await expect(accounts.login(given, '')).rejects.toMatchObject({ code: 'wrong_credentials' });
    expect(await sessionCount(t)).toBe(1);
  });
});

/** The accounts of `t`, to hand in what a request read before it waited for its turn at hashing. */
function accountsBehind(t: TestApp, passwords: TestApp['passwords'] = t.passwords) {
  const { storage } = t;
  const clock = () => t.clock.nowMs;
  const sessions = createSessions({ storage, clock, random: randomBytes, lifetimeMs: DAY_MS });
  const accounts = createAccounts({
    storage,
    sessions,
    passwords,
    clock,
    random: randomBytes,
    draft: NO_DRAFTS,
    invitations: { admit: async () => null },
    termsOfUse: null,
    factorDuty: NO_FACTOR_DUTY,
  });
  return { sessions, accounts };
}

test('a change of password in a session that ended meanwhile changes nothing', async () => {
  const t = await createTestApp();
  const { token } = await t.registerCustomer('cam');
  const { sessions, accounts } = accountsBehind(t, {
    ...t.passwords,
    async verify(hash: string | null, password: string) {
      await t.trpc(token).auth.logout.mutate();
      return t.passwords.verify(hash, password);
    },
  });
  const account = await sessions.resume(token);
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await expect(accounts.changePassword(account, change, token)).rejects.toMatchObject({
    code: 'session_ended',
  });
  expect((await logInThrough('REST', t, 'cam@example.com', PASSWORD)).status).toBe(200);
});

test('a right password is right also where the email has changed in another session meanwhile', async () => {
  const t = await createTestApp();
  const { token } = await t.registerCustomer('cam');
  const other = await t.logIn('cam@example.com');
  const { sessions, accounts } = accountsBehind(t);
  const account = await sessions.resume(other);
  await t.trpc(token).auth.updateProfile.mutate({ email: 'cam.next@example.com', currentPassword: PASSWORD });
  await accounts.confirm(account, { password: PASSWORD }, other);
  const wrong = accounts.confirm(account, { password: NEW_PASSWORD }, other);
  await expect(wrong).rejects.toMatchObject({ code: 'wrong_password' });
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  expect(await accounts.changePassword(account, change, other)).toMatchObject({
    user: { email: 'cam.next@example.com' },
  });
});

describe('a password that the operator made', () => {
  /** The password stays what it is, but only until then. */
  async function createScene() {
    const t = await createTestApp();
    const { user, token: ended } = await t.registerCustomer('cam');
    const found = await t.storage.findCredentials('cam@example.com');
    const passwordHash = found?.passwordHash ?? '';
    const next = { passwordHash, expiresAtMs: START_MS + DAY_MS, changedAtMs: START_MS };
    await t.storage.changePassword(user.id, passwordHash, next, null);
    expect(await isAlive(t, ended)).toBe(false);
    return { t, token: await t.logIn('cam@example.com') };
  }

  test.each(
    DOORS,
  )('lets its owner do nothing but change it, see themselves and log out (%s)', async (door) => {
    const { t, token } = await createScene();
    const isOpen = (procedure: string) =>
      /^auth\.(?:register|login|logout)$|^qrCodes\.(?:lookup|provider)$|^(?:transactions\.terms|notifications\.thank)$/.test(
        procedure,
      );
    /** What a path has to name; anything else of it would be refused before anybody asks whose it is. */
    const namedIn = (through: Door, procedure: string) => {
      const all = { id: 'any', file: 'code.svg' };
      if (through === 'tRPC') return all;
      const { path = '' } = ENDPOINTS.find((row) => row.procedure === procedure) ?? {};
      const count = path.split(':').length - 1;
      return Object.fromEntries(Object.entries(all).slice(0, count));
    };
    const refused = new Map<string, string>();
    for (const { path } of PROCEDURES.filter(({ path }) => !isOpen(path))) {
      const outcome = await outcomeThrough(door, t, path, namedIn(door, path), { token });
      refused.set(path, outcome?.refused?.code ?? 'fine');
    }
    expect(Object.fromEntries(refused)).toEqual({
      'auth.me': 'fine',
      'auth.changePassword': 'invalid_input',
      'auth.confirmByPasskey': 'invalid_input',
      'auth.passkeyConfirmOptions': 'fine',
      'auth.passkeyLogin': 'invalid_input',
      'auth.passkeyOptions': 'fine',
      'auth.confirm': 'invalid_input',
      'auth.forgotPassword': 'invalid_input',
      'auth.resetPassword': 'invalid_input',
      'auth.confirmEmail': 'password_change_required',
      'auth.sendConfirmation': 'password_change_required',
      'auth.mailSettings': 'password_change_required',
      'auth.changeMailSettings': 'password_change_required',
      'transactions.mailReceipt': 'password_change_required',
      'auth.updateProfile': 'password_change_required',
      'auth.close': 'password_change_required',
      'auth.export': 'password_change_required',
      'auth.announcements': 'password_change_required',
      'auth.operatorActs': 'password_change_required',
      'auth.sessions': 'password_change_required',
      'auth.endOtherSessions': 'password_change_required',
      'auth.endSession': 'password_change_required',
      'qrCodes.list': 'password_change_required',
      'qrCodes.ended': 'password_change_required',
      'qrCodes.create': 'password_change_required',
      'qrCodes.update': 'password_change_required',
      'qrCodes.replace': 'password_change_required',
      'qrCodes.setPhoto': 'password_change_required',
      'qrCodes.removePhoto': 'password_change_required',
      'qrCodes.print': 'password_change_required',
      'transactions.list': 'password_change_required',
      'transactions.create': 'password_change_required',
      'transactions.get': 'password_change_required',
      'transactions.refund': 'password_change_required',
      'transactions.entries': 'password_change_required',
      'transactions.sums': 'password_change_required',
      'transactions.insights': 'password_change_required',
      'transactions.onTip': 'password_change_required',
      'transactions.summary': 'password_change_required',
      'transactions.giveUp': 'password_change_required',
      'webhooks.events': 'password_change_required',
      'webhooks.list': 'password_change_required',
      'webhooks.add': 'password_change_required',
      'webhooks.change': 'password_change_required',
      'webhooks.rotate': 'password_change_required',
      'webhooks.remove': 'password_change_required',
      'webhooks.deliveries': 'password_change_required',
      'webhooks.test': 'password_change_required',
      'webhooks.sendAgain': 'password_change_required',
      'messages.thank': 'password_change_required',
      'messages.hide': 'password_change_required',
      'messages.report': 'password_change_required',
      'messages.block': 'password_change_required',
      'messages.unblock': 'password_change_required',
      'messages.blocked': 'password_change_required',
      'messages.thankYous': 'password_change_required',
      'messages.saveThankYous': 'password_change_required',
      'payments.payoutStatus': 'password_change_required',
      'payments.balance': 'password_change_required',
      'payments.onboard': 'password_change_required',
      'payments.openDashboard': 'password_change_required',
      'notifications.key': 'password_change_required',
      'notifications.devices': 'password_change_required',
      'notifications.register': 'password_change_required',
      'notifications.update': 'password_change_required',
      'notifications.remove': 'password_change_required',
      'notifications.test': 'password_change_required',
      'apiKeys.list': 'password_change_required',
      'apiKeys.create': 'password_change_required',
      'apiKeys.end': 'password_change_required',
      'secondFactors.list': 'fine',
      'secondFactors.passkeyOptions': 'password_change_required',
      'secondFactors.addPasskey': 'password_change_required',
      'secondFactors.removePasskey': 'password_change_required',
      'secondFactors.beginTotp': 'password_change_required',
      'secondFactors.confirmTotp': 'password_change_required',
      'secondFactors.removeTotp': 'password_change_required',
      'secondFactors.renewRecoveryCodes': 'password_change_required',
    });
    const stream = await openStream(t.send, door, { token });
    expect(await refusalOf(t, stream, 0)).toMatchObject({ status: 403, code: 'password_change_required' });
    const summary = await callTrpc(t, 'transactions.summary', { timeZone: 'UTC' }, { token });
    expect(refusedBy('tRPC', summary)).toMatchObject({
      status: 403,
      code: 'password_change_required',
      detail: 'Please choose a password of your own first.',
    });
  });

  test.each(DOORS)('says so to its owner, until it is changed (%s)', async (door) => {
    const { t, token } = await createScene();
    const name = door === 'REST' ? 'must_change_password' : 'mustChangePassword';
    const me = (held: string) => call(door, t, 'auth.me', undefined, { token: held });
    expect(resultOf(await me(token))).toMatchObject({ [name]: true });
    const login = resultOf(await logInThrough(door, t, 'cam@example.com', PASSWORD));
    expect(login).toMatchObject({ user: { [name]: true } });
    const { accessToken, user } = changedBy(await change(door, t, token, PASSWORD, NEW_PASSWORD));
    expect(user).toMatchObject({ [name]: false });
    expect(resultOf(await me(accessToken))).toMatchObject({ [name]: false });
    expect(await sessionsOf(t, accessToken)).toHaveLength(1);
    expect(resultOf(await logInThrough(door, t, 'cam@example.com', NEW_PASSWORD))).toMatchObject({
      user: { [name]: false },
    });
  });

  test.each(DOORS)('can be left by logging out (%s)', async (door) => {
    const { t, token } = await createScene();
    const answer = await call(door, t, 'auth.logout', undefined, { token });
    expect(isFine(answer)).toBe(true);
    expect(await isAlive(t, token)).toBe(false);
  });

  test.each(DOORS)('opens for a day, and then answers like a wrong one (%s)', async (door) => {
    const { t, token } = await createScene();
    t.clock.nowMs = START_MS + DAY_MS - 1;
    expect((await logInThrough(door, t, 'cam@example.com', PASSWORD)).status).toBe(200);
    t.clock.nowMs = START_MS + DAY_MS;
    const late = refusedBy(door, await logInThrough(door, t, 'cam@example.com', PASSWORD));
    const wrong = refusedBy(door, await logInThrough(door, t, 'cam@example.com', 'not the password'));
    expect({ ...late, requestId: '' }).toEqual({ ...wrong, requestId: '' });
    // A session that was begun in time lives on, but cannot change a password that has expired.
    expect(await isAlive(t, token)).toBe(true);
    const tooLate = await change(door, t, token, PASSWORD, NEW_PASSWORD);
    expect(refusedBy(door, tooLate)).toMatchObject({ status: 422, code: 'wrong_password' });
    t.clock.nowMs -= 1;
    expect(isFine(await change(door, t, token, PASSWORD, NEW_PASSWORD))).toBe(true);
  });

  test.each(DOORS)('is not replaced by itself, which would make it last (%s)', async (door) => {
    const { t, token } = await createScene();
    expect(refusedBy(door, await change(door, t, token, PASSWORD, PASSWORD)).code).toBe('invalid_input');
    expect((await logInThrough(door, t, 'cam@example.com', PASSWORD)).status).toBe(200);
    t.clock.nowMs += DAY_MS;
    const late = await logInThrough(door, t, 'cam@example.com', PASSWORD);
    expect(refusedBy(door, late).code).toBe('wrong_credentials');
  });

  test('is replaced by one that lasts', async () => {
    const { t, token } = await createScene();
    await change('REST', t, token, PASSWORD, NEW_PASSWORD);
    t.clock.nowMs += 365 * DAY_MS;
    expect((await logInThrough('REST', t, 'cam@example.com', NEW_PASSWORD)).status).toBe(200);
  });
});

describe('sessions', () => {
  test('are listed the newest first, each with what it was begun with, and which one asks', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const begin = async (userAgent: string) => {
      t.clock.nowMs += 1_000;
      await logInThrough('REST', t, 'cam@example.com', PASSWORD, { headers: { 'User-Agent': userAgent } });
    };
    for (const agent of [ANDROID, IPHONE, 'curl/8.5.0', '<script>alert(1)</script>', 'x'.repeat(4_000)])
      await begin(agent);
    await (await t.registerCustomer('dan')).trpc.auth.me.query();

    const answer = resultOf(await callRest(t, 'GET', '/auth/sessions', undefined, { token }));
    expect(answer).toMatchObject([
      { device: 'x'.repeat(30), is_current: false },
      { device: 'scriptalert1', is_current: false },
      { device: 'curl', is_current: false },
      { device: 'Safari on iOS', is_current: false },
      {
        device: 'Chrome on Android',
        created_at: new Date(START_MS + 1_000).toISOString(),
        expires_at: new Date(START_MS + 1_000 + 30 * DAY_MS).toISOString(),
        is_current: false,
      },
      { device: null, created_at: new Date(START_MS).toISOString(), is_current: true },
    ]);
  });

  test('are named without a word about their tokens', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const listed = JSON.stringify(await sessionsOf(t, token));
    const hash = createHash('sha256').update(token).digest();
    for (const secret of [token, hash.toString('hex'), hash.toString('base64url')])
      expect(listed).not.toContain(secret);
  });

  test('that have expired are not listed, nor can they be ended', async () => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    t.clock.nowMs += DAY_MS;
    const token = await t.logIn('cam@example.com');
    const old = (await sessionsOf(t, token)).find(({ isCurrent }) => !isCurrent);
    t.clock.nowMs = START_MS + 30 * DAY_MS;
    expect(await sessionsOf(t, token)).toMatchObject([{ isCurrent: true }]);
    await t.trpc(token).auth.confirm.mutate({ password: PASSWORD });
    const answer = await endSession('REST', t, token, old?.id ?? '');
    expect(refusedBy('REST', answer).code).toBe('session_not_found');
  });

  test.each(DOORS)('can be ended one by one, with their streams (%s)', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    t.clock.nowMs += 1_000;
    const phone = await t.logIn('cam@example.com');
    t.clock.nowMs += 1_000;
    const tablet = await t.logIn('cam@example.com');
    const stream = await openStream(t.send, door, { token: phone });
    await stream.next();
    const [, second] = await sessionsOf(t, token);
    expect(isFine(await endSession(door, t, token, second?.id ?? ''))).toBe(true);
    expect(await stream.nextTip()).toBeNull();
    expect([await isAlive(t, token), await isAlive(t, phone), await isAlive(t, tablet)]).toEqual([
      true,
      false,
      true,
    ]);
    const again = await endSession(door, t, token, second?.id ?? '');
    expect(refusedBy(door, again)).toMatchObject({ status: 404, code: 'session_not_found' });
  });

  test.each(DOORS)('of somebody else answer as if they did not exist, and live on (%s)', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const stranger = await t.registerCustomer('dan');
    const [theirs] = await sessionsOf(t, stranger.token);
    const refusals = [theirs?.id ?? '', 'ses_none'].map(async (id) => {
      const { status, code, detail } = refusedBy(door, await endSession(door, t, token, id));
      return { status, code, detail };
    });
    const [refusedTheirs, refusedNone] = await Promise.all(refusals);
    expect(refusedTheirs).toEqual(refusedNone);
    expect(refusedTheirs?.code).toBe('session_not_found');
    expect(await isAlive(t, stranger.token)).toBe(true);
  });

  test.each(DOORS)('can all be ended but the one that asks (%s)', async (door) => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const others = [await t.logIn('cam@example.com'), await t.logIn('cam@example.com')];
    const stranger = await t.registerCustomer('dan');
    expect(isFine(await endOthers(door, t, token))).toBe(true);
    expect(await sessionsOf(t, token)).toMatchObject([{ isCurrent: true }]);
    for (const other of others) expect(await isAlive(t, other)).toBe(false);
    expect(await isAlive(t, stranger.token)).toBe(true);
  });

  test('are at most 50 of an account: the next login ends the oldest, and nobody else’s', async () => {
    const t = await createTestApp();
    const stranger = await t.registerCustomer('dan');
    const { token, user } = await t.registerCustomer('cam');
    for (let count = 2; count <= 50; count += 1) {
      const createdAtMs = START_MS + count;
      await beginSession(t.storage, user.email, { createdAtMs, expiresAtMs: START_MS + DAY_MS });
    }
    t.clock.nowMs = START_MS + 51;
    expect(await isAlive(t, token)).toBe(true);
    const newest = await t.logIn('cam@example.com');
    expect(await isAlive(t, token)).toBe(false);
    expect(await sessionsOf(t, newest)).toHaveLength(50);
    expect(await isAlive(t, stranger.token)).toBe(true);
  });
});
