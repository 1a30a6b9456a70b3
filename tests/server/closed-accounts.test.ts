/**
 * Leaving: whoever closes their account has seven days in which a login takes it back; then nothing says who
 * they were, and the ledger keeps its numbers.
 */
import { randomBytes } from 'node:crypto';
import { getTableColumns } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createAccountSupport } from '#server/auth/account-support.ts';
import { CLOSING_GRACE_MS } from '#server/auth/accounts.ts';
import { createSessions } from '#server/auth/sessions.ts';
import { NO_DRAFTS } from '#server/mail/drafts.ts';
import { qrCodes } from '#server/storage/schema/codes.ts';
import { call, DOORS, type Door, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { openStream } from '#tests/support/event-streams.ts';
import { UNSENT } from '#tests/support/mail-server.ts';
import { START_MS } from '#tests/support/people.ts';
import { newDevice } from '#tests/support/push-devices.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

const EMAIL = 'pat@example.com';
const TIP = { amountCents: 2_000, serviceCategory: 'bartender' } as const;

const close = (door: Door, t: TestApp, token: string, currentPassword = PASSWORD, confirmation = 'Close ') =>
  call(door, t, 'auth.close', { currentPassword, confirmation }, { token });

/** What a provider can write about a code; a photo is a file of its own. */
const TEXTS_OF_CODE = Object.values(getTableColumns(qrCodes))
  .filter((column) => !column.notNull && column !== qrCodes.photoName)
  .map(({ name }) => name);

/** A provider with a code, who closes the account. */
async function openScene(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const { provider, code } = await t.setTheScene();
  const lookUp = () => t.rest('GET', `/qr-codes/${code.id}`);
  resultOf(await close('tRPC', t, provider.token));
  return { t, lookUp };
}

test.each(
  DOORS,
)('closing needs the password and the word, and neither guess changes anything (%s)', async (door) => {
  const t = await createTestApp();
  const { token } = await t.registerProvider();
  const wrong = refusedBy(door, await close(door, t, token, 'not the password'));
  expect(wrong).toMatchObject({ status: 422, code: 'wrong_password' });
  const unsaid = refusedBy(door, await close(door, t, token, PASSWORD, 'yes'));
  expect(unsaid).toMatchObject({ status: 422, code: 'invalid_input' });
  expect(await t.trpc(token).auth.me.query()).toMatchObject({ username: 'pat' });
});

test.each(DOORS)('wrong passwords for closing count as those for a new password do (%s)', async (door) => {
  const t = await createTestApp({ config: { isRateLimited: true } });
  const { token } = await t.registerProvider();
  for (let guess = 0; guess < 5; guess += 1) await close(door, t, token, 'not the password');
  expect(refusedBy(door, await close(door, t, token))).toMatchObject({ code: 'too_many_requests' });
});

test.each(
  DOORS,
)('closing answers when the account is closed for good, ends all sessions and their streams, and stops all tips (%s)', async (door) => {
  const t = await createTestApp();
  const { provider, customer, code } = await t.setTheScene();
  const second = await t.logIn(EMAIL);
  const stream = await openStream(t.send, 'REST', { token: second });
  await stream.next();
  const lookUp = () => t.rest('GET', `/qr-codes/${code.id}`);
  expect((await lookUp()).body.qr_code.status).toBe('active');
  expect(Object.values(resultOf(await close(door, t, provider.token)) as object)).toEqual([
    new Date(START_MS + CLOSING_GRACE_MS).toISOString(),
  ]);
  expect(await stream.nextTip()).toBeNull();
  for (const token of [provider.token, second])
    expect((await t.rest('GET', '/auth/me', { token })).status).toBe(401);
  expect((await lookUp()).body.qr_code.status).toBe('paused');
  const { token } = customer;
  const paid = await call(door, t, 'transactions.create', { ...TIP, receiverQrId: code.id }, { token });
  expect(refusedBy(door, paid)).toMatchObject({ code: 'qr_code_paused' });
  // The names stay taken for whoever comes back.
  for (const [email, username] of [
    [EMAIL, 'other'],
    ['other@example.com', 'pat'],
  ] as const) {
    const person = { email, username, full_name: 'Other', password: PASSWORD, is_service_provider: false };
    expect((await t.rest('POST', '/auth/register', { body: person })).status).toBe(409);
  }
});

test('a login in the grace takes all of it back, and says so once', async () => {
  const { t, lookUp } = await openScene();
  t.clock.nowMs += CLOSING_GRACE_MS - 1;
  const logIn = () => t.trpc().auth.login.mutate({ email: EMAIL, password: PASSWORD });
  await expect(t.trpc().auth.login.mutate({ email: EMAIL, password: 'wrong' })).rejects.toThrow();
  expect((await lookUp()).body.qr_code.status).toBe('paused');
  expect(await logIn()).toMatchObject({ reopened: true, user: { username: 'pat' } });
  expect((await lookUp()).body.qr_code.status).toBe('active');
  expect(await logIn()).toMatchObject({ reopened: false });
  t.clock.nowMs += 2;
  await t.app.sweep();
  expect(await logIn()).toMatchObject({ reopened: false });
  expect(await t.storage.findCredentials(EMAIL)).toMatchObject({ closesAtMs: null });
});

test.each([
  'before',
  'after',
])('after the grace a login is refused like an unknown email, %s the sweep', async (when) => {
  const { t } = await openScene();
  t.clock.nowMs += CLOSING_GRACE_MS;
  if (when === 'after') await t.app.sweep();
  const login = (email: string) => t.rest('POST', '/auth/login', { body: { email, password: PASSWORD } });
  const known = await login(EMAIL);
  const unknown = await login('nobody@example.com');
  expect(known.status).toBe(401);
  expect({ ...known.body, request_id: '', instance: '' }).toEqual({
    ...unknown.body,
    request_id: '',
    instance: '',
  });
});

test('an account is closed for good also where something else that the sweep does fails', async () => {
  const fail = async (): Promise<never> => {
    throw new Error('on purpose');
  };
  const { t, lookUp } = await openScene({
    wrapStorage: (storage) => ({ ...storage, forgetExpiredSessions: fail }),
  });
  t.clock.nowMs += CLOSING_GRACE_MS;
  await expect(t.app.sweep()).rejects.toThrow('on purpose');
  expect((await lookUp()).status).toBe(410);
  expect(await t.storage.findCredentials(EMAIL)).toBeNull();
});

test('one account that cannot be closed keeps no other from being closed', async () => {
  const failing = new Set<string>();
  const { t, lookUp } = await openScene({
    wrapStorage: (storage) => ({
      ...storage,
      async closeAccount(id, ...others) {
        if (failing.has(id)) throw new Error('on purpose');
        return storage.closeAccount(id, ...others);
      },
    }),
  });
  const sam = await t.registerProvider('sam');
  resultOf(await close('tRPC', t, sam.token));
  const [first] = await t.storage.listClosingAccounts(t.clock.nowMs + CLOSING_GRACE_MS, 1);
  if (first === undefined) throw new Error('nobody is due');
  failing.add(first);
  t.clock.nowMs += CLOSING_GRACE_MS;
  await expect(t.app.sweep()).rejects.toThrow('could not be closed');
  expect(await t.storage.listClosingAccounts(t.clock.nowMs, 9)).toEqual([first]);
  failing.clear();
  await t.app.sweep();
  expect(await t.storage.listClosingAccounts(t.clock.nowMs, 9)).toEqual([]);
  expect((await lookUp()).status).toBe(410);
});

test.each([
  'the sweep',
  'an operator',
])('the step in which %s closes an account has no message left to erase, however many there are', async (who) => {
  const left: (string | null | undefined)[] = [];
  const t = await createTestApp({
    wrapStorage: (storage) => ({
      ...storage,
      async closeAccount(...closing) {
        const found = await storage.messages.findMessages(ids);
        left.push(...found.flatMap(({ message, thankYou }) => [message, thankYou]));
        return storage.closeAccount(...closing);
      },
    }),
  });
  const { provider, customer, code } = await t.setTheScene();
  const { id } = await customer.trpc.transactions.create.mutate({
    ...TIP,
    receiverQrId: code.id,
    message: 'Dear Pepita',
  });
  const ids = [id];
  await provider.trpc.messages.thank.mutate({ id, text: 'Grazie mille' });
  if (who === 'the sweep') {
    await close('REST', t, provider.token);
    t.clock.nowMs += CLOSING_GRACE_MS;
    await t.app.sweep();
  } else {
    const parts = {
      storage: t.storage,
      passwords: t.passwords,
      clock: () => t.clock.nowMs,
      random: randomBytes,
    };
    const sessions = createSessions({ ...parts, lifetimeMs: CLOSING_GRACE_MS });
    await createAccountSupport({ ...parts, sessions, draft: NO_DRAFTS }).closeAtOnce(EMAIL);
  }
  expect(left).toEqual([null, null]);
});

test('after the sweep nothing that is stored, answered or logged says who it was, and the numbers stay', async () => {
  const t = await createTestApp({ config: { mail: UNSENT } });
  const { provider, customer, code } = await t.setTheScene();
  const { trpc, user } = provider;
  await trpc.auth.updateProfile.mutate({
    username: 'patricia.former',
    phone: '+1 555 0199',
    dayStartHour: 5,
  });
  await trpc.auth.updateProfile.mutate({ username: 'patricia', fullName: 'Patricia Unforgettable' });
  await trpc.qrCodes.update.mutate({
    id: code.id,
    displayName: 'Patsy of the bar',
    greeting: 'Cheers darling',
    thankYou: 'Merci from the bar',
  });
  const given = await customer.trpc.transactions.create.mutate({
    ...TIP,
    receiverQrId: code.id,
    message: 'Dear Pepita',
    withName: true,
  });
  await trpc.messages.thank.mutate({ id: given.id, text: 'Grazie mille' });
  await trpc.messages.saveThankYous.mutate({ texts: ['Obrigada'] });
  await trpc.messages.block.mutate({ id: given.id });
  await trpc.notifications.register.mutate(newDevice());
  await trpc.apiKeys.create.mutate({ name: 'Trattoria', scopes: ['tips:read'] });
  expect(given.receiverName).toBe('Patsy of the bar');
  const textsOfCode = async () => {
    const { qr_codes: codes } = await t.data.dump();
    return codes?.flatMap((row) => TEXTS_OF_CODE.map((name) => row[name]));
  };
  expect(await textsOfCode(), 'a text of a code that nothing above writes').not.toContain(null);
  await close('REST', t, provider.token);
  t.clock.nowMs += CLOSING_GRACE_MS;
  await t.rest('POST', '/auth/password/forgotten', { body: { email: EMAIL } });
  expect((await t.data.dump()).mails).toContainEqual(expect.objectContaining({ kind: 'password_link' }));
  await t.app.sweep();

  const stored = JSON.stringify(await t.data.dump());
  const logged = t.logLines.join('');
  for (const word of [
    EMAIL,
    'patricia',
    'Unforgettable',
    'Patsy',
    'darling',
    '555 0199',
    'Provider pat',
    'Merci',
    'Pepita',
    'Grazie',
    'Obrigada',
    'Trattoria',
  ]) {
    expect(stored.toLowerCase(), word).not.toContain(word.toLowerCase());
    expect(logged.toLowerCase(), word).not.toContain(word.toLowerCase());
  }
  const { accounts, blocked_givers: blocked, push_devices: devices } = await t.data.dump();
  expect({ blocked, devices }).toEqual({ blocked: [], devices: [] });
  expect(new Set(await textsOfCode())).toEqual(new Set(['Closed account', null]));
  expect(accounts).toContainEqual(
    expect.objectContaining({
      id: user.id,
      day_start_hour: null,
      accepted_terms: null,
      terms_accepted_at_ms: null,
    }),
  );
  expect(logged).toContain('closed accounts for good');
  const token = await t.logIn('cam@example.com');
  const seen = await t.trpc(token).transactions.get.query({ id: given.id });
  expect(seen).toMatchObject({
    amountCents: given.amountCents,
    netAmountCents: given.netAmountCents,
    thankYou: null,
    receiverName: 'Closed account',
    receiverUsername: `code-${code.id.toLowerCase()}`,
  });
  expect(seen.receiverId).not.toBe(user.id);
  expect(await t.rest('GET', `/qr-codes/${code.id}`)).toMatchObject({
    status: 410,
    body: { code: 'qr_code_retired' },
  });
  for (const username of ['pat', 'patricia.former', 'patricia']) {
    const person = {
      email: EMAIL,
      username,
      full_name: 'New',
      password: PASSWORD,
      is_service_provider: false,
    };
    expect((await t.rest('POST', '/auth/register', { body: person })).body.code).toBe('username_taken');
  }
  const person = { email: EMAIL, username: 'new', full_name: 'New', password: PASSWORD };
  expect(
    (await t.rest('POST', '/auth/register', { body: { ...person, is_service_provider: false } })).status,
  ).toBe(201);
});
