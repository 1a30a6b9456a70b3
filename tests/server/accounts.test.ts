/**
 * Registration and login through both doors: who may have which name, what an account looks like afterwards,
 * and the rules that only the server can know.
 */
import { describe, expect, test } from 'vitest';
import {
  call,
  callRest,
  callTrpc,
  DOORS,
  logInThrough,
  refusedBy,
  registerThrough,
  resultOf,
} from '#tests/support/both-doors.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

const DAYS_30_AFTER_START = '2026-06-14T12:00:00.000Z';

const PROVIDER = {
  email: ' Pat.Provider@Example.com ',
  username: 'Pat',
  full_name: ' Pat Provider ',
  password: PASSWORD,
  phone: ' +1 (555) 123-4567 ',
  is_service_provider: true,
  service_categories: ['dj', 'bartender', 'dj'],
};

const PAT = {
  id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
  email: 'Pat.Provider@Example.com',
  username: 'pat',
  full_name: 'Pat Provider',
  phone: '+1 (555) 123-4567',
  is_service_provider: true,
  service_categories: ['bartender', 'dj'],
  total_tips_received: 0,
  total_tips_received_minor: 0,
  total_tips_given: 0,
  total_tips_given_minor: 0,
  currency: 'USD',
  must_change_password: false,
  must_add_second_factor: false,
  day_start_hour: null,
};

/** An account may hold no key beyond these: nothing of its password, nothing of its sessions. */
const PAT_BY_TRPC = {
  id: PAT.id,
  email: PAT.email,
  username: 'pat',
  fullName: 'Pat Provider',
  phone: PAT.phone,
  isServiceProvider: true,
  serviceCategories: ['bartender', 'dj'],
  totalTipsReceivedCents: 0,
  totalTipsGivenCents: 0,
  mustChangePassword: false,
  mustAddSecondFactor: false,
  dayStartHour: null,
};

const count = async (t: TestApp, table: 'accounts' | 'sessions') => (await t.data.dump())[table]?.length;

describe('registration', () => {
  test('by REST answers 201 and the user, with the fields of the specification and no token', async () => {
    const t = await createTestApp();
    const answer = await callRest(t, 'POST', '/auth/register', PROVIDER);
    expect(answer.status).toBe(201);
    expect(resultOf(answer)).toStrictEqual(PAT);
    expect(await count(t, 'sessions')).toBe(0);
  });

  test('by tRPC answers the same user, spelled its way', async () => {
    const t = await createTestApp();
    const { full_name, is_service_provider, service_categories, ...person } = PROVIDER;
    const answer = await callTrpc(t, 'auth.register', {
      ...person,
      fullName: full_name,
      isServiceProvider: is_service_provider,
      serviceCategories: service_categories,
    });
    expect(resultOf(answer)).toStrictEqual(PAT_BY_TRPC);
    expect(await count(t, 'sessions')).toBe(0);
  });

  test.each(['', '   ', null])('with a blank phone (%j) keeps null', async (phone) => {
    const t = await createTestApp();
    expect(resultOf(await callRest(t, 'POST', '/auth/register', { ...PROVIDER, phone }))).toMatchObject({
      phone: null,
    });
  });

  test('of a customer ignores the services that were sent along, even garbage', async () => {
    const t = await createTestApp();
    for (const [index, sent] of [['bartender'], ['astronaut', 7], 'garbage', { a: 1 }].entries()) {
      const person = { ...PROVIDER, email: `c${index}@example.com`, username: `cam-${index}` };
      const answer = await callRest(t, 'POST', '/auth/register', {
        ...person,
        is_service_provider: false,
        service_categories: sent,
      });
      expect(resultOf(answer)).toMatchObject({ is_service_provider: false, service_categories: [] });
    }
    expect((await t.data.dump())['provider_categories']).toEqual([]);
  });

  test('stores nothing of what nobody asked for', async () => {
    const t = await createTestApp();
    const answer = await callRest(t, 'POST', '/auth/register', {
      ...PROVIDER,
      id: 'usr_chosen',
      total_tips_received: 1_000_000,
      total_tips_received_cents: 1_000_000,
      password_hash: 'x',
    });
    expect(resultOf(answer)).toStrictEqual(PAT);
  });
});

describe.each(DOORS)('taken names at the %s door', (door) => {
  test('an email is unique whatever its case and the spaces around it', async () => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    for (const email of ['cam@example.com', 'CAM@example.com', ' Cam@Example.Com ']) {
      const answer = await registerThrough(door, t, { email, username: 'somebody', password: PASSWORD });
      expect(refusedBy(door, answer)).toMatchObject({ status: 409, code: 'email_taken' });
    }
    expect(await count(t, 'accounts')).toBe(1);
  });

  test('a username is unique whatever its case and the spaces around it', async () => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    for (const username of ['cam', 'CAM', ' Cam ']) {
      const answer = await registerThrough(door, t, { email: 'x@example.com', username, password: PASSWORD });
      expect(refusedBy(door, answer)).toMatchObject({ status: 409, code: 'username_taken' });
    }
    expect(await count(t, 'accounts')).toBe(1);
  });

  test('of two who want the same at once, one gets it', async () => {
    const t = await createTestApp();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((index) =>
        registerThrough(door, t, {
          email: index % 2 ? 'same@example.com' : 'SAME@example.com',
          username: `person-${index}`,
          password: PASSWORD,
        }),
      ),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status >= 300)) {
      expect(refusedBy(door, answer).code).toBe('email_taken');
    }
    expect(await count(t, 'accounts')).toBe(1);
  });

  test('another username with the same email costs nobody the username', async () => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    await registerThrough(door, t, { email: 'cam@example.com', username: 'free', password: PASSWORD });
    const answer = await registerThrough(door, t, {
      email: 'free@example.com',
      username: 'free',
      password: PASSWORD,
    });
    expect(resultOf(answer)).toMatchObject({ username: 'free' });
  });
});

describe.each(DOORS)('passwords that are easy to guess at the %s door', (door) => {
  test.each([
    'password1',
    'PASSWORD1',
    '12345678',
    'qwertyuiop',
    'Iloveyou',
    'tipwell123',
    'p@ssword',
    // Passwords far down in a list of 3,000, and patterns that no list needs.
    '12101989',
    'atletico',
    '87654321',
    'aaaaaaaaaaaa',
    'abcabcabc',
    '12341234',
    'CDEFGHIJK',
    // What somebody tries who knows the time, the product and its people.
    'Summer2026!',
    'Tipwell2026',
    'T1pw3ll!!',
    'Bartender2026',
    'SomeBody2026',
    'Some body',
    // Full-width letters are the same password after NFKC, which is what is hashed.
    'ｐａｓｓｗｏｒｄ１',
    '１２３４５６７８',
  ])('%s is refused', async (password) => {
    const t = await createTestApp();
    const answer = await registerThrough(door, t, { email: 'c@example.com', username: 'cam', password });
    expect(refusedBy(door, answer)).toMatchObject({
      status: 422,
      code: 'invalid_input',
      detail: 'This password is too easy to guess. Use a few unrelated words, without names or years.',
      fields: [{ field: 'password' }],
    });
    expect(await count(t, 'accounts')).toBe(0);
  });

  test.each([
    'k3v9xq2m',
    'sunny tables walk',
    'quietly seven harbours',
    'パスワード秘密の言葉',
    'x'.repeat(9) + 'harbour tables'.repeat(17),
  ])('%s is taken', async (password) => {
    const t = await createTestApp();
    const answer = await registerThrough(door, t, { email: 'c@example.com', username: 'cam', password });
    expect(answer.status).toBeLessThan(300);
  });

  test('the words of the person count at a change of the password too', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer('zebulon');
    const change = { currentPassword: PASSWORD, newPassword: 'Zebulon2026!' };
    expect(refusedBy(door, await call(door, t, 'auth.changePassword', change, { token }))).toMatchObject({
      code: 'invalid_input',
      detail: 'This password is too easy to guess. Use a few unrelated words, without names or years.',
    });
  });

  test.each([
    'cam@example.com',
    'CAM@example.com',
    'cam-customer',
    'Cam-Customer',
  ])('%s, the email or the username, is refused', async (password) => {
    const t = await createTestApp();
    const person = { email: 'cam@example.com', username: 'cam-customer', password };
    expect(refusedBy(door, await registerThrough(door, t, person))).toMatchObject({
      status: 422,
      code: 'invalid_input',
      fields: [{ field: 'password' }],
    });
    expect(await count(t, 'accounts')).toBe(0);
  });
});

describe('login', () => {
  test('by REST answers a bearer token, when it ends, and the user', async () => {
    const t = await createTestApp();
    await callRest(t, 'POST', '/auth/register', PROVIDER);
    const answer = await logInThrough('REST', t, 'pat.provider@example.com', PASSWORD);
    expect(answer.status).toBe(200);
    expect(resultOf(answer)).toStrictEqual({
      access_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      token_type: 'bearer',
      expires_at: DAYS_30_AFTER_START,
      user: PAT,
      reopened: false,
    });
  });

  test('by tRPC answers the same, spelled its way', async () => {
    const t = await createTestApp();
    await callRest(t, 'POST', '/auth/register', PROVIDER);
    expect(resultOf(await logInThrough('tRPC', t, 'pat.provider@example.com', PASSWORD))).toStrictEqual({
      accessToken: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      expiresAt: DAYS_30_AFTER_START,
      user: PAT_BY_TRPC,
      reopened: false,
    });
  });

  test.each(DOORS)('by %s takes the email in any case, and shows it as its owner wrote it', async (door) => {
    const t = await createTestApp();
    await callRest(t, 'POST', '/auth/register', PROVIDER);
    for (const email of [
      'PAT.PROVIDER@EXAMPLE.COM',
      'pat.provider@example.com',
      ' Pat.Provider@Example.com ',
    ]) {
      expect(resultOf(await logInThrough(door, t, email, PASSWORD))).toMatchObject({
        user: { email: 'Pat.Provider@Example.com' },
      });
    }
  });

  test.each(DOORS)('by %s takes the password to the letter', async (door) => {
    const t = await createTestApp();
    await registerThrough(door, t, { email: 'c@example.com', username: 'cam', password: ' Keep My Spaces ' });
    for (const password of ['Keep My Spaces', ' keep my spaces ', ' Keep My Spaces', '']) {
      expect((await logInThrough(door, t, 'c@example.com', password)).status).not.toBe(200);
    }
    expect((await logInThrough(door, t, 'c@example.com', ' Keep My Spaces ')).status).toBe(200);
  });

  test.each(DOORS)('by %s wants the email, not the username', async (door) => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    expect(refusedBy(door, await logInThrough(door, t, 'cam', PASSWORD)).code).toBe('wrong_credentials');
  });

  test('gives every session a token of its own', async () => {
    const t = await createTestApp();
    await t.registerCustomer('cam');
    const tokens = await Promise.all([1, 2, 3].map(() => t.logIn('cam@example.com')));
    expect(new Set(tokens).size).toBe(3);
    expect(await count(t, 'sessions')).toBe(4);
  });
});

describe('me', () => {
  test('answers the user at both doors, totals included', async () => {
    const t = await createTestApp();
    const { provider, customer, code } = await t.setTheScene();
    await customer.trpc.transactions.create.mutate({
      receiverQrId: code.id,
      amountCents: 1_050,
      serviceCategory: 'bartender',
    });
    expect(resultOf(await callRest(t, 'GET', '/auth/me', undefined, provider))).toMatchObject({
      username: 'pat',
      total_tips_received: 10.18,
      total_tips_given: 0,
    });
    expect(resultOf(await callTrpc(t, 'auth.me', undefined, customer))).toMatchObject({
      username: 'cam',
      totalTipsReceivedCents: 0,
      totalTipsGivenCents: 1_050,
    });
  });
});

test('logout by REST answers 204 without a body', async () => {
  const t = await createTestApp();
  const { token } = await t.registerCustomer();
  const answer = await callRest(t, 'POST', '/auth/logout', {}, { token });
  expect([answer.status, answer.text]).toEqual([204, '']);
});

test('logout by REST wants no body and no content type, as `curl -X POST` sends none', async () => {
  const t = await createTestApp();
  const { token } = await t.registerCustomer();
  expect((await callRest(t, 'POST', '/auth/logout', undefined, { token })).status).toBe(204);
  expect((await callRest(t, 'GET', '/auth/me', undefined, { token })).status).toBe(401);
});
