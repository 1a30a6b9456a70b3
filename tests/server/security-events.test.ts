/**
 * What the log tells of attacks, and of what is done with accounts: each security event by its name, with who
 * and from where.
 */
import { describe, expect, test, vi } from 'vitest';
import type { Config } from '#server/config.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';
import { totpAt } from '#tests/support/totp.ts';

/** A machine that is busy with other things takes longer than the second that vitest waits. */
const PATIENCE = { timeout: 30_000 };
const PEER = '203.0.113.9';
const JSON_HEADERS = { 'Content-Type': 'application/json' };

async function open(config: Partial<Config> = {}) {
  const t = await createTestApp({ config });
  const { provider, customer } = await t.setTheScene();
  t.logLines.length = 0;
  const lines = () => t.logLines.map((line) => JSON.parse(line));
  /**
   * So many events, once they are written: those about an account that is looked up come after the answer.
   */
  const events = (count: number) =>
    vi.waitFor(() => {
      const told = lines().filter(({ msg }) => msg === 'security event');
      expect(told).toHaveLength(count);
      return told.map(({ event, account, email, address }) => ({ event, account, email, address }));
    }, PATIENCE);
  const send = (method: string, path: string, body?: unknown, token?: string) =>
    t.send(
      path,
      {
        method,
        headers: { ...JSON_HEADERS, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
      PEER,
    );
  const logIn = (email: string, password = PASSWORD) => send('POST', '/api/auth/login', { email, password });
  return { t, provider, customer, lines, events, send, logIn };
}

describe('guessing leaves a trace', () => {
  test('a failed login names the account, or the hash of an email that is nobody’s, and never what was typed', async () => {
    const { t, customer, events, logIn } = await open();
    for (const email of ['CAM@example.com', 'hunter2@Nobody.example', 'HUNTER2@nobody.example'])
      expect((await logIn(email, 'Secret-typed-here')).status).toBe(401);
    const told = await events(3);
    const failed = { event: 'login_failed', address: PEER };
    // Each waits for its own look-up, so that the order of two that follow each other is not told.
    const [unknown, again, ...others] = told.filter(({ account }) => account === undefined);
    expect(told).toContainEqual({ ...failed, account: customer.user.id });
    expect(unknown).toEqual({ ...failed, email: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect([again, others]).toEqual([unknown, []]);
    expect(t.logLines.join('')).not.toMatch(/hunter2|nobody\.example|cam@|typed/i);
  });

  test('so do the guesses of one batch, each for itself', async () => {
    const { customer, provider, events, send } = await open();
    const guess = (email: string) => ({ email, password: 'wrong guess' });
    const body = { 0: guess('cam@example.com'), 1: guess('x@example.com'), 2: guess('pat@example.com') };
    await send('POST', '/trpc/auth.login,auth.login,auth.login?batch=1', body);
    expect((await events(3)).map(({ event, account }) => [event, account])).toEqual(
      expect.arrayContaining([
        ['login_failed', customer.user.id],
        ['login_failed', undefined],
        ['login_failed', provider.user.id],
      ]),
    );
  });

  test('a login that the limits stop is told apart from a wrong password', async () => {
    const { customer, events, logIn } = await open({ isRateLimited: true });
    for (let guess = 0; guess < 5; guess += 1) await logIn('cam@example.com', 'wrong guess');
    expect((await logIn('cam@example.com')).status).toBe(429);
    const told = await events(6);
    expect(told.map(({ event }) => event)).toEqual([...Array(5).fill('login_failed'), 'login_limited']);
    for (const event of told) expect(event).toMatchObject({ account: customer.user.id, address: PEER });
  });

  test('a right password without its code, because somebody else may know it', async () => {
    const { t, customer, events, logIn } = await open();
    const { secondFactors } = customer.trpc;
    const { secret } = await secondFactors.beginTotp.mutate();
    await secondFactors.confirmTotp.mutate({ code: totpAt(secret, t.clock.nowMs) });
    expect((await logIn('cam@example.com')).status).toBe(401);
    expect(await events(2)).toEqual([
      { event: 'second_factor_added', account: customer.user.id, address: expect.anything() },
      { event: 'login_needs_code', account: customer.user.id, address: PEER },
    ]);
  });

  test('a wrong current password, and what somebody may not do, with the account whose session it is', async () => {
    const { customer, events, send } = await open();
    const closing = { current_password: 'not the password', confirmation: 'close' };
    await send('POST', '/api/auth/me/closing', closing, customer.token);
    await send('POST', '/api/qr-codes', { service_category: 'barber' }, customer.token);
    await send('GET', '/api/auth/me');
    await send('GET', '/api/auth/me', undefined, 'x'.repeat(43));
    expect(await events(4)).toEqual([
      { event: 'password_refused', account: customer.user.id, address: PEER },
      { event: 'access_refused', account: customer.user.id, address: PEER },
      { event: 'access_refused', address: PEER },
      { event: 'access_refused', address: PEER },
    ]);
  });
});

test('a webhook that is sent elsewhere, or gets another secret, is told of', async () => {
  const { provider, events } = await open();
  const { webhooks } = provider.trpc;
  const { id } = await webhooks.add.mutate({ url: 'https://till.example.com/a', events: ['tip.received'] });
  // The form sends all that it has.
  await webhooks.change.mutate({ id, url: 'https://till.example.com/a', events: ['tip.refunded'] });
  await webhooks.change.mutate({ id, url: 'https://till.example.com/b' });
  await webhooks.rotate.mutate({ id });
  await webhooks.remove.mutate({ id });
  expect((await events(4)).map(({ event, account }) => [event, account])).toEqual(
    ['webhook_added', 'webhook_changed', 'webhook_changed', 'webhook_removed'].map((event) => [
      event,
      provider.user.id,
    ]),
  );
});

test('what is done with an account is told, whichever door it came through', async () => {
  const { t, provider, events, send, logIn } = await open();
  const person = { email: 'new@example.com', username: 'new', full_name: 'New', password: PASSWORD };
  const registered = await send('POST', '/api/auth/register', {
    ...person,
    phone: null,
    is_service_provider: false,
  });
  const { id } = await registered.json();
  const { access_token: token } = await (await logIn(person.email)).json();
  const { access_token: other } = await (await logIn(person.email)).json();
  await send('POST', '/api/auth/logout', undefined, other);
  const asNew = t.trpc(token).auth;
  await asNew.updateProfile.mutate({ fullName: 'Newer' });
  await asNew.updateProfile.mutate({ username: 'newer', phone: '+1 555 010 0100' });
  await asNew.updateProfile.mutate({ email: 'newer@example.com', currentPassword: PASSWORD });
  await asNew.endOtherSessions.mutate();
  await (await send('GET', '/api/auth/me/export', undefined, token)).arrayBuffer();
  const changed = await asNew.changePassword.mutate({
    currentPassword: PASSWORD,
    newPassword: 'another horse entirely',
  });
  await t.trpc(changed.accessToken).auth.close.mutate({
    currentPassword: 'another horse entirely',
    confirmation: 'close',
  });
  await logIn('newer@example.com', 'another horse entirely');
  const told = await events(13);
  expect(told.map(({ event }) => event)).toEqual([
    'account_registered',
    'login_succeeded',
    'login_succeeded',
    'session_ended',
    'username_changed',
    'phone_changed',
    'email_changed',
    'other_sessions_ended',
    'export_made',
    'password_changed',
    'closing_begun',
    'closing_taken_back',
    'login_succeeded',
  ]);
  for (const { account } of told) expect(account).toBe(id);
  expect(t.logLines.join('')).not.toMatch(/newer@|555 010/);
  expect(provider.user.id).not.toBe(id);
});

describe('the line of a request', () => {
  test('has the address of its client, and the code of each refusal', async () => {
    const { lines, send, customer } = await open();
    await send('GET', '/api/nothing-here');
    await send('POST', '/api/transactions', { amount: 5 }, customer.token);
    await send('GET', '/trpc/auth.me,transactions.summary?batch=1&input={}');
    await send('GET', '/api/docs');
    expect(lines().filter(({ msg }) => msg === 'request')).toMatchObject([
      { address: PEER, status: 404, code: 'not_found' },
      { address: PEER, status: 422, code: 'invalid_input' },
      { address: PEER, status: 401, code: 'not_logged_in' },
      { address: PEER, status: 200 },
    ]);
    expect(lines().at(-1)).not.toHaveProperty('code');
  });

  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['2001:DB8:1:2::3', '2001:db8:1:2::3'],
    ['1.1.1.1, 198.51.100.7', '198.51.100.7'],
    ['[2001:db8::9]:4711', '2001:db8::9'],
    ['no address', '10.0.0.1'],
  ])('names the client whom a trusted proxy speaks for: %s', async (forwardedFor, address) => {
    const { t, lines } = await open({ trustedProxies: ['10.0.0.0/8'] });
    await t.send('/api/docs', { headers: { 'X-Forwarded-For': forwardedFor } }, '10.0.0.1');
    await t.send('/api/docs', { headers: { 'X-Forwarded-For': forwardedFor } }, '192.0.2.1');
    expect(lines().map((line) => line.address)).toEqual([address, '192.0.2.1']);
  });
});

test('addresses and accounts are hashed where the operator wants it, alike in each line and after a restart, and nowhere else', async () => {
  const { t, customer, events, lines, logIn } = await open({ hashesLogNames: true });
  await logIn('cam@example.com', 'wrong guess');
  await events(1);
  await logIn('cam@example.com');
  const [failed, succeeded] = await events(2);
  expect(failed).toEqual({
    event: 'login_failed',
    account: expect.stringMatching(/^[0-9a-f]{16}$/),
    address: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(succeeded).toEqual({ ...failed, event: 'login_succeeded' });
  for (const line of lines()) expect(line.address).toBe(failed?.address);
  expect(t.logLines.join('')).not.toMatch(new RegExp(`${PEER}|${customer.user.id}`));

  const again = await createTestApp({ config: { hashesLogNames: true }, data: t.data });
  await again.send('/api/docs', {}, PEER);
  expect(JSON.parse(again.logLines.at(-1) ?? '').address).toBe(failed?.address);
  const elsewhere = await createTestApp({ config: { hashesLogNames: true } });
  await elsewhere.send('/api/docs', {}, PEER);
  expect(JSON.parse(elsewhere.logLines.at(-1) ?? '').address).not.toBe(failed?.address);
});
