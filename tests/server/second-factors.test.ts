/** What second factors do for an account: how its owner logs in, what is refused, told, limited and removed. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import {
  call,
  callRest,
  DOORS,
  type Door,
  logInThrough,
  PROCEDURES,
  PUBLIC_URL,
  refusedBy,
  resultOf,
} from '#tests/support/both-doors.ts';
import { outcomeThrough } from '#tests/support/event-streams.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';
import { STEP_MS, totpAt } from '#tests/support/totp.ts';

const EMAIL = 'cam@example.com';
const QUARTER_MS = 900_000;

async function addApp(t: TestApp, token: string) {
  const { secondFactors } = t.trpc(token);
  const { secret } = await secondFactors.beginTotp.mutate();
  const { recoveryCodes } = await secondFactors.confirmTotp.mutate({ code: totpAt(secret, t.clock.nowMs) });
  t.clock.nowMs += STEP_MS;
  return { secret, recoveryCodes: recoveryCodes ?? [], code: () => totpAt(secret, t.clock.nowMs) };
}

async function addPasskey(t: TestApp, token: string, name = 'Phone') {
  const { secondFactors } = t.trpc(token);
  const authenticator = createAuthenticator(PUBLIC_URL);
  const { options } = await secondFactors.passkeyOptions.mutate();
  const { recoveryCodes } = await secondFactors.addPasskey.mutate({
    response: authenticator.create(options),
    name,
  });
  return { authenticator, recoveryCodes: recoveryCodes ?? [] };
}

const logIn = (t: TestApp, door: Door, credentials: object, peer?: string) =>
  door === 'REST'
    ? callRest(
        t,
        'POST',
        '/auth/login',
        { email: EMAIL, password: PASSWORD, ...credentials },
        { ...(peer && { peer }) },
      )
    : logInThrough('tRPC', t, EMAIL, PASSWORD, { ...(peer && { peer }) });

async function logInByPasskey(
  t: TestApp,
  authenticator: ReturnType<typeof createAuthenticator>,
  cookie?: string,
) {
  const { auth } = t.trpc();
  const { options } = await auth.passkeyOptions.mutate();
  return callRest(
    t,
    'POST',
    '/auth/passkey/login',
    { response: authenticator.get(options) },
    cookie === undefined ? {} : { headers: { Cookie: cookie } },
  );
}

describe('an account with an authenticator app', () => {
  test('needs a code after a right password, and says nothing of that to anybody else', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    expect((await logIn(t, 'REST', {})).status).toBe(200);
    const { code, recoveryCodes } = await addApp(t, token);
    for (const door of DOORS)
      expect(refusedBy(door, await logIn(t, door, {}))).toMatchObject({
        status: 401,
        code: 'second_factor_needed',
      });
    const wrong = { password: 'not the password' };
    for (const more of [{}, { code: code() }, { code: recoveryCodes[0] }])
      expect(refusedBy('REST', await logIn(t, 'REST', { ...wrong, ...more })).code).toBe('wrong_credentials');
    expect(refusedBy('REST', await logIn(t, 'REST', { code: '000000' })).code).toBe('wrong_code');
    // The codes that were sent with a wrong password were not spent by that.
    expect((await logIn(t, 'REST', { code: code() })).status).toBe(200);
    expect(refusedBy('REST', await logIn(t, 'REST', { code: code() })).code).toBe('wrong_code');
    expect((await logIn(t, 'REST', { code: recoveryCodes[0]?.toLowerCase() })).status).toBe(200);
    expect(refusedBy('REST', await logIn(t, 'REST', { code: recoveryCodes[0] })).code).toBe('wrong_code');
    expect(await t.trpc(token).secondFactors.list.query()).toEqual({
      passkeys: [],
      hasTotp: true,
      recoveryCodesLeft: 9,
    });
  });

  test('is logged in to with a code that another login has not used, when the hash is made anew', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const { code } = await addApp(t, token);
    const answers = await Promise.all(Array.from({ length: 4 }, () => logIn(t, 'REST', { code: code() })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
  });

  test('has guesses of its codes limited as guesses of its password are', async () => {
    const t = await createTestApp({ config: { isRateLimited: true } });
    const { token } = await t.registerCustomer('cam');
    const { code } = await addApp(t, token);
    const guess = (peer: string) => logIn(t, 'REST', { code: '000000' }, peer);
    for (let count = 0; count < 5; count += 1)
      expect(refusedBy('REST', await guess('203.0.113.7')).code).toBe('wrong_code');
    expect(refusedBy('REST', await guess('203.0.113.7')).code).toBe('too_many_requests');
    const right = await logIn(t, 'REST', { code: code() }, '203.0.113.7');
    expect(refusedBy('REST', right).code).toBe('too_many_requests');
    // From many addresses, a hundred a day.
    for (let count = 5; count < 100; count += 1) await guess(`198.51.100.${count}`);
    expect(refusedBy('REST', await guess('192.0.2.1')).code).toBe('too_many_requests');
    t.clock.nowMs += 86_400_000;
    expect((await logIn(t, 'REST', { code: code() }, '203.0.113.7')).status).toBe(200);
  });

  test('is open to more guesses of its codes after a new password by a link on the device alone on which it was chosen', async () => {
    const t = await createTestApp({ config: { isRateLimited: true } });
    const { token, user } = await t.registerCustomer('cam');
    const { code } = await addApp(t, token);
    const first = { email: EMAIL, password: PASSWORD, code: code() };
    const cookieOf = ({ headers }: { readonly headers: Headers }) => ({
      headers: { Cookie: headers.get('Set-Cookie') ?? '' },
    });
    const device = cookieOf(await callRest(t, 'POST', '/auth/login', first));
    for (let count = 0; count < 5; count += 1)
      await callRest(t, 'POST', '/auth/login', { ...first, code: '000000' }, device);
    for (let count = 0; count < 100; count += 1)
      await logIn(t, 'REST', { code: '000000' }, `198.51.100.${count}`);
    const link = randomBytes(32).toString('base64url');
    const tokenHash = createHash('sha256').update(link).digest();
    const stored = { tokenHash, purpose: 'password', expiresAtMs: t.clock.nowMs + QUARTER_MS } as const;
    expect(await t.storage.mails.addLink(user.id, user.email, stored, 1)).toBe('added');
    const password = 'another long battery';
    const chosen = { token: link, new_password: password };
    const reset = await callRest(t, 'POST', '/auth/password/reset', chosen, device);
    expect(reset.status).toBe(204);
    const guess = await logIn(t, 'REST', { password, code: '000000' }, '203.0.113.7');
    expect(refusedBy('REST', guess).code).toBe('too_many_requests');
    // The device on which the password was chosen begins anew.
    t.clock.nowMs += STEP_MS;
    const right = { email: EMAIL, password, code: code() };
    expect((await callRest(t, 'POST', '/auth/login', right, cookieOf(reset))).status).toBe(200);
  });

  test('counts right passwords without a code as no wrong guess', async () => {
    const t = await createTestApp({ config: { isRateLimited: true } });
    const { token } = await t.registerCustomer('cam');
    const { code } = await addApp(t, token);
    for (let count = 0; count < 25; count += 1)
      expect(refusedBy('REST', await logIn(t, 'REST', {})).code).toBe('second_factor_needed');
    t.clock.nowMs += QUARTER_MS;
    expect((await logIn(t, 'REST', { code: code() })).status).toBe(200);
  });
});

describe('a passkey', () => {
  test('has no name that cannot be shown, and that PostgreSQL could not keep', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    for (const name of ['My\0phone', 'My\ud83dphone', 'My\u202ephone'])
      await expect(addPasskey(t, token, name)).rejects.toThrow('characters that cannot be shown');
    await addPasskey(t, token, 'Mein Telefon 📱');
  });

  test('logs in through both doors without a code, and as a login by password does', async () => {
    const t = await createTestApp();
    const { token, user } = await t.registerCustomer('cam');
    const { authenticator, recoveryCodes } = await addPasskey(t, token);
    await addApp(t, token);
    const answer = await logInByPasskey(t, authenticator);
    expect(resultOf(answer)).toMatchObject({ token_type: 'bearer', reopened: false, user: { id: user.id } });
    expect(answer.headers.get('Set-Cookie')).toContain('tipwell_device=');
    const { options } = await t.trpc().auth.passkeyOptions.mutate();
    const login = await t.trpc().auth.passkeyLogin.mutate({ response: authenticator.get(options) });
    expect((await t.trpc(login.accessToken).auth.me.query()).email).toBe(EMAIL);
    expect(t.logLines.join('')).toContain('"event":"login_succeeded"');
    // A password alone does not do any more.
    expect(refusedBy('REST', await logIn(t, 'REST', {})).code).toBe('second_factor_needed');
    expect((await logIn(t, 'REST', { code: recoveryCodes[0] })).status).toBe(200);
  });

  test('keeps an account open that is being closed, and none that is closed', async () => {
    const t = await createTestApp();
    const { token, trpc } = await t.registerCustomer('cam');
    const { authenticator } = await addPasskey(t, token);
    const closing = { currentPassword: PASSWORD, confirmation: 'close' } as const;
    await trpc.auth.close.mutate(closing);
    expect(resultOf(await logInByPasskey(t, authenticator))).toMatchObject({ reopened: true });
    const again = resultOf(await logInByPasskey(t, authenticator));
    await t.trpc(String(Reflect.get(Object(again), 'access_token'))).auth.close.mutate(closing);
    t.clock.nowMs += 7 * 86_400_000;
    expect(refusedBy('REST', await logInByPasskey(t, authenticator)).code).toBe('passkey_refused');
    await t.app.sweep();
    const stored = await t.data.dump();
    for (const table of ['passkeys', 'totp_secrets', 'recovery_codes']) expect(stored[table]).toEqual([]);
  });

  test('leads to the choice of a password where the operator made the present one', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const { authenticator } = await addPasskey(t, token);
    await t.data.demandNewPasswords();
    const login: object = Object(resultOf(await logInByPasskey(t, authenticator)));
    expect(login).toMatchObject({ user: { must_change_password: true } });
    const events = t.logLines.filter((line) => line.includes('"event":"'));
    expect(events.join('')).not.toContain('reset_password_used');
  });

  test.each(DOORS)('lets choose one where nobody has the one that the operator made (%s)', async (door) => {
    const t = await createTestApp();
    const { user, token } = await t.registerCustomer('cam');
    const { authenticator } = await addPasskey(t, token);
    const passwordHash = (await t.storage.findCredentials(EMAIL))?.passwordHash ?? '';
    const change = (held: string, fields: object) =>
      call(door, t, 'auth.changePassword', fields, { token: held });
    const newPassword = 'a better horse entirely';
    // A password that its owner chose is asked for as ever.
    expect(refusedBy(door, await change(token, { newPassword })).code).toBe('invalid_input');
    const reset = { passwordHash, expiresAtMs: t.clock.nowMs + 1, changedAtMs: t.clock.nowMs };
    await t.storage.changePassword(user.id, passwordHash, reset, null);
    t.clock.nowMs += 86_400_000;
    const login: object = Object(resultOf(await logInByPasskey(t, authenticator)));
    const held = String(Reflect.get(login, 'access_token'));
    t.clock.nowMs += QUARTER_MS;
    expect(refusedBy(door, await change(held, { newPassword })).code).toBe('password_needed');
    const { auth } = t.trpc(held);
    const { options } = await auth.passkeyConfirmOptions.mutate();
    await auth.confirmByPasskey.mutate({ response: authenticator.get(options) });
    // The password that the operator knows does not become one that lasts.
    expect(refusedBy(door, await change(held, { newPassword: PASSWORD })).code).toBe('invalid_input');
    resultOf(await change(held, { newPassword }));
    expect(await t.logIn(EMAIL, newPassword).catch(String)).toContain('code');
    await expect(auth.me.query()).rejects.toThrow('session');
  });

  test('does in the place of a password that was typed', async () => {
    const t = await createTestApp();
    const { token, trpc } = await t.registerCustomer('cam');
    const { authenticator } = await addPasskey(t, token);
    t.clock.nowMs += QUARTER_MS;
    await expect(trpc.auth.endOtherSessions.mutate()).rejects.toThrow('Enter your password');
    const wrong = await trpc.auth.passkeyConfirmOptions.mutate();
    const response = createAuthenticator(PUBLIC_URL).get(wrong.options);
    await expect(trpc.auth.confirmByPasskey.mutate({ response })).rejects.toThrow('passkey');
    const { options } = await trpc.auth.passkeyConfirmOptions.mutate();
    await trpc.auth.confirmByPasskey.mutate({ response: authenticator.get(options) });
    await trpc.auth.endOtherSessions.mutate();
  });

  test('is refused and logged when it is nobody’s', async () => {
    const t = await createTestApp();
    const answer = await callRest(t, 'POST', '/auth/passkey/login', {
      response: randomBytes(9).toString('hex'),
    });
    expect(refusedBy('REST', answer).code).toBe('passkey_refused');
    expect(t.logLines.join('')).toContain('"event":"passkey_refused"');
  });
});

describe('changing second factors', () => {
  test('asks for a password that was typed a short while ago, but for the list', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('cam');
    const { recoveryCodes } = await addPasskey(t, token);
    t.clock.nowMs += QUARTER_MS;
    const { secondFactors } = t.trpc(token);
    const [passkey] = (await secondFactors.list.query()).passkeys;
    if (!passkey) throw new Error('there is no passkey');
    for (const change of [
      () => secondFactors.passkeyOptions.mutate(),
      () => secondFactors.addPasskey.mutate({ response: '{}', name: 'Phone' }),
      () => secondFactors.removePasskey.mutate(passkey),
      () => secondFactors.beginTotp.mutate(),
      () => secondFactors.confirmTotp.mutate({ code: '000000' }),
      () => secondFactors.removeTotp.mutate(),
      () => secondFactors.renewRecoveryCodes.mutate(),
    ])
      await expect(change()).rejects.toThrow('Enter your password');
    await t.trpc(token).auth.confirm.mutate({ password: PASSWORD });
    const renewed = await secondFactors.renewRecoveryCodes.mutate();
    expect(renewed.recoveryCodes).toHaveLength(10);
    expect(refusedBy('REST', await logIn(t, 'REST', { code: recoveryCodes[0] })).code).toBe('wrong_code');
    await secondFactors.removePasskey.mutate(passkey);
    expect((await logIn(t, 'REST', {})).status).toBe(200);
    expect(await secondFactors.list.query()).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 0 });
  });

  test('that a new password overtakes in another session adds nothing, and renews no codes', async () => {
    const meanwhile: { act: () => Promise<unknown> } = { act: async () => {} };
    const interrupted = () => meanwhile.act();
    const t = await createTestApp({
      wrapStorage: (storage) => ({
        ...storage,
        factors: {
          ...storage.factors,
          addPasskey: (...args) => interrupted().then(() => storage.factors.addPasskey(...args)),
          confirmTotp: (...args) => interrupted().then(() => storage.factors.confirmTotp(...args)),
          renewRecoveryCodes: (...args) =>
            interrupted().then(() => storage.factors.renewRecoveryCodes(...args)),
        },
      }),
    });
    const { user } = await t.registerCustomer('cam');
    const passwords = [PASSWORD, 'another long battery', 'one more long battery'] as const;
    for (const [index, add] of [addPasskey, addApp].entries()) {
      const password = passwords[index] ?? '';
      const [stolen, own] = [await t.logIn(EMAIL, password), await t.logIn(EMAIL, password)];
      meanwhile.act = () =>
        t.trpc(own).auth.changePassword.mutate({
          currentPassword: password,
          newPassword: passwords[index + 1] ?? '',
        });
      await expect(add(t, stolen)).rejects.toThrow('Your session has ended.');
      meanwhile.act = async () => {};
      expect(await t.storage.factors.hasAny({ kind: 'account', id: user.id })).toBe(false);
    }
    const [, , password] = passwords;
    const [stolen, own] = [await t.logIn(EMAIL, password), await t.logIn(EMAIL, password)];
    const { recoveryCodes } = await addPasskey(t, own);
    meanwhile.act = () =>
      t
        .trpc(own)
        .auth.changePassword.mutate({ currentPassword: password, newPassword: 'the last long battery' });
    await expect(t.trpc(stolen).secondFactors.renewRecoveryCodes.mutate()).rejects.toThrow(
      'Your session has ended.',
    );
    const code = recoveryCodes?.[0] ?? '';
    expect((await logIn(t, 'REST', { password: 'the last long battery', code })).status).toBe(200);
  });

  test('stays with a new password, also with one by a link in a mail or by the operator', async () => {
    const t = await createTestApp();
    const { token, user } = await t.registerCustomer('cam');
    const { code } = await addApp(t, token);
    const next = await t.passwords.hash('another long battery');
    const kept = { passwordHash: next, expiresAtMs: null, changedAtMs: t.clock.nowMs };
    const present = (await t.storage.findCredentials(EMAIL))?.passwordHash ?? '';
    expect(await t.storage.changePassword(user.id, present, kept, null)).toBe('changed');
    const password = 'another long battery';
    expect(refusedBy('REST', await logIn(t, 'REST', { password })).code).toBe('second_factor_needed');
    expect((await logIn(t, 'REST', { password, code: code() })).status).toBe(200);
  });
});

describe('a second factor that the operator requires of providers', () => {
  const required = { config: { requiresProviderFactors: true } };
  /** Whatever needs no session, beside what secures the account. */
  const OPEN = [
    'auth.changePassword',
    'auth.confirm',
    'auth.confirmByPasskey',
    'auth.logout',
    'auth.me',
    'auth.passkeyConfirmOptions',
    'secondFactors.addPasskey',
    'secondFactors.beginTotp',
    'secondFactors.confirmTotp',
    'secondFactors.list',
    'secondFactors.passkeyOptions',
    'secondFactors.removePasskey',
    'secondFactors.removeTotp',
    'secondFactors.renewRecoveryCodes',
  ];

  /** What a path has to name; anything else of it would be refused before anybody asks whose it is. */
  function namedIn(door: Door, procedure: string): object {
    const all = { id: 'any', file: 'code.svg' };
    if (door === 'tRPC') return all;
    const { path = '' } = ENDPOINTS.find((row) => row.procedure === procedure) ?? {};
    return Object.fromEntries(Object.entries(all).slice(0, path.split(':').length - 1));
  }

  /** Which procedures refuse a session because of the missing factor, logging out left for the end. */
  async function refusedFor(t: TestApp, door: Door, token: string): Promise<string[]> {
    const refused: string[] = [];
    for (const { path } of PROCEDURES.filter(({ path }) => path !== 'auth.logout')) {
      const outcome = await outcomeThrough(door, t, path, namedIn(door, path), { token });
      if (outcome?.refused?.code !== 'second_factor_required') continue;
      expect(outcome.refused.status, path).toBe(403);
      refused.push(path);
    }
    return refused.sort();
  }

  test.each(
    DOORS,
  )('lets a provider without one do nothing but add it, and everything after that (%s)', async (door) => {
    const t = await createTestApp(required);
    const { token, trpc } = await t.registerProvider('cam');
    const forEverybody = ENDPOINTS.filter(({ callers }) => callers === 'everybody');
    const isPublic = new Set(forEverybody.map(({ procedure }) => procedure));
    const all = PROCEDURES.map(({ path }) => path);
    const open = all.filter((path) => !isPublic.has(path) && !OPEN.includes(path));
    expect(await refusedFor(t, door, token)).toEqual(open.sort());
    expect(resultOf(await logIn(t, 'REST', {}))).toMatchObject({ user: { must_add_second_factor: true } });
    expect(await trpc.auth.me.query()).toMatchObject({ mustAddSecondFactor: true });

    await addApp(t, token);
    expect(await trpc.auth.me.query()).toMatchObject({ mustAddSecondFactor: false });
    expect(await refusedFor(t, door, token)).toEqual(['secondFactors.removeTotp']);
    await addPasskey(t, token);
    await trpc.secondFactors.removeTotp.mutate();
    const [passkey] = (await trpc.secondFactors.list.query()).passkeys;
    await expect(trpc.secondFactors.removePasskey.mutate({ id: passkey?.id ?? '' })).rejects.toThrow(
      'Please add a passkey or an authenticator app first.',
    );
    await trpc.auth.logout.mutate();
  });

  test('is not asked of customers until they become providers', async () => {
    const t = await createTestApp(required);
    const { token, trpc } = await t.registerCustomer('cam');
    expect(await refusedFor(t, 'tRPC', token)).toEqual([]);
    await addApp(t, token);
    await trpc.secondFactors.removeTotp.mutate();
    const change = { isServiceProvider: true, serviceCategories: ['dj' as const] };
    const provider = await trpc.auth.updateProfile.mutate(change);
    expect(provider.mustAddSecondFactor).toBe(true);
    await expect(trpc.qrCodes.list.query()).rejects.toThrow('Please add a passkey');
  });

  test('is not asked of API keys, nor of anybody by default', async () => {
    const t = await createTestApp();
    const { token, trpc } = await t.registerProvider('cam');
    expect(await trpc.auth.me.query()).toMatchObject({ mustAddSecondFactor: false });
    expect(await refusedFor(t, 'REST', token)).toEqual([]);
    const key = await trpc.apiKeys.create.mutate({ name: 'Till', scopes: ['codes:read'] });
    const strict = await createTestApp({ ...required, data: t.data });
    expect((await callRest(strict, 'GET', '/qr-codes', undefined, { token: key.text })).status).toBe(200);
    expect((await callRest(strict, 'GET', '/qr-codes', undefined, { token })).status).toBe(403);
  });
});
