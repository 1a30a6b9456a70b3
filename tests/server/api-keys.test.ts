/**
 * API keys: how they look, where they work and until when, and what they leave alone. Which endpoint takes
 * which scope is said in access-matrix.test.ts.
 */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isApiKeyText, newApiKeyText } from '#server/auth/api-key-text.ts';
import type { Config } from '#server/config.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { API_SCOPES, type ApiScope } from '#shared/api-scopes.ts';
import { callTrpc, refusedBy } from '#tests/support/both-doors.ts';
import { linkIn, relayAt, startMailServer, UNSENT } from '#tests/support/mail-server.ts';
import { START_MS, typePassword } from '#tests/support/people.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Owner = Awaited<ReturnType<TestApp['registerProvider']>>;
interface Asked {
  readonly scopes?: ApiScope[];
  readonly days?: number;
  readonly addresses?: string[];
}

const makeKey = ({ trpc }: Pick<Owner, 'trpc'>, asked: Asked = {}) =>
  trpc.apiKeys.create.mutate({ name: 'Register', scopes: [...API_SCOPES], ...asked });

async function openScene(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const { provider, customer, code } = await t.setTheScene();
  const list = (token: string, peer?: string) =>
    t.rest('GET', '/transactions', { token, ...(peer !== undefined && { peer }) });
  return { t, provider, customer, code, list };
}

const limited = (config: Partial<Config> = {}) => openScene({ config: { isRateLimited: true, ...config } });

async function expectDead(t: TestApp, text: string, peer?: string): Promise<void> {
  const answer = await t.rest('GET', '/transactions', { token: text, ...(peer !== undefined && { peer }) });
  expect(refusedBy('REST', answer)).toMatchObject({ status: 401, code: 'invalid_api_key' });
  expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer realm="Tipwell", error="invalid_token"');
  expect(answer.text).not.toContain(text);
}

describe('the text of a key', () => {
  test('begins with a prefix for scanners of secrets, and ends with a checksum that tells every mistyped letter', () => {
    for (let count = 0; count < 50; count += 1) {
      const text = newApiKeyText(randomBytes);
      expect(text).toMatch(/^tw_live_[0-9A-Za-z]{32}$/);
      expect(isApiKeyText(text)).toBe(true);
      for (let place = 8; place < text.length; place += 1) {
        const other = text[place] === 'a' ? 'b' : 'a';
        expect(isApiKeyText(text.slice(0, place) + other + text.slice(place + 1))).toBe(false);
      }
    }
    for (const text of ['', 'tw_live_', `tw_live_${'0'.repeat(31)}`, `TW_LIVE_${'0'.repeat(32)}`])
      expect(isApiKeyText(text)).toBe(false);
  });

  test('is drawn from all of its letters alike', () => {
    const counts = new Map<string, number>();
    for (let count = 0; count < 5_000; count += 1)
      for (const letter of newApiKeyText(randomBytes).slice(8, 34))
        counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    // 2,097 of each on average; seven standard deviations are 320.
    for (const count of counts.values()) expect(Math.abs(count - 130_000 / 62)).toBeLessThan(320);
  });

  test('is checked before anything is looked up', async () => {
    const found = vi.fn<Storage['findApiKey']>();
    const wrapStorage = (storage: Storage): Storage => ({
      ...storage,
      findApiKey: found.mockImplementation((...asked) => storage.findApiKey(...asked)),
    });
    const { t, provider } = await openScene({ wrapStorage });
    const { text } = await makeKey(provider);
    const mistyped = text.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    await expectDead(t, mistyped);
    expect(found).not.toHaveBeenCalled();
    await expectDead(t, newApiKeyText(randomBytes));
    expect(found).toHaveBeenCalledTimes(1);
  });

  test('is told once, and stored, logged and exported never; its SHA-256 is stored', async () => {
    const { t, provider, list } = await openScene({ config: { mail: UNSENT } });
    const { text, id } = await makeKey(provider);
    expect((await list(text)).status).toBe(200);
    await t.rest('GET', '/auth/me', { token: text });
    await t.rest('GET', `/transactions/${text}`, { token: text });
    await t.send(`/api/transactions?cursor=${text}`, { headers: { Authorization: `Bearer ${text}x` } });
    const told = await provider.trpc.apiKeys.list.query();
    expect(told).toEqual([expect.objectContaining({ id, name: 'Register', ending: text.slice(-4) })]);
    expect(JSON.stringify(told)).not.toContain(text);
    const [row] = (await t.data.dump())['api_keys'] ?? [];
    expect(Object(row).key_hash).toBe(createHash('sha256').update(text).digest('hex'));
    const everything = JSON.stringify(await t.data.dump()) + t.logLines.join('');
    expect(everything).not.toContain(text.slice(8));
  });
});

describe('a key', () => {
  test('works at REST alone: tRPC refuses it, the stream of tips too, and pages do not look at it', async () => {
    const { t, provider, list } = await openScene();
    const { text } = await makeKey(provider);
    expect((await list(text)).status).toBe(200);
    const answer = await callTrpc(t, 'transactions.list', {}, { token: text });
    expect(refusedBy('tRPC', answer)).toMatchObject({ status: 403, code: 'not_for_api_keys' });
    const stream = await t.rest('GET', '/transactions/stream', { token: text });
    expect(refusedBy('REST', stream)).toMatchObject({ status: 403, code: 'not_for_api_keys' });
    const headers = { Authorization: `Bearer ${text}` };
    for (const path of ['/healthz', '/api/openapi.json', '/api/terms'])
      expect((await t.send(path, { headers })).status, path).toBe(200);
    // Nobody asks for a key where everybody is answered.
    const mistyped = { headers: { Authorization: 'Bearer tw_live_mistyped' } };
    expect((await t.send('/api/terms', mistyped)).status).toBe(200);
  });

  test('names the scope that it lacks, in the sentence and for programs', async () => {
    const { t, provider } = await openScene();
    const { text } = await makeKey(provider, { scopes: ['tips:read'] });
    const answer = await t.rest('GET', '/qr-codes', { token: text });
    expect(refusedBy('REST', answer)).toMatchObject({
      status: 403,
      code: 'missing_scope',
      detail: 'This API key lacks the scope codes:read.',
    });
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      'Bearer realm="Tipwell", error="insufficient_scope", scope="codes:read"',
    );
  });

  test('reads the tips of its account also as CSV, and refunds one under its account', async () => {
    const { t, provider, customer, code, list } = await openScene();
    const { text } = await makeKey(provider, { scopes: ['tips:read', 'tips:refund', 'records:read'] });
    const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
    const { id } = await customer.trpc.transactions.create.mutate(tip);
    const csv = { token: text, headers: { Accept: 'text/csv' } };
    expect((await t.rest('GET', '/transactions', csv)).text).toContain(id);
    const days = 'from=2026-05-15&to=2026-05-15';
    expect((await t.rest('GET', `/transactions/insights?${days}`, csv)).text).toContain('20.00');
    const refunded = await t.rest('POST', `/transactions/${id}/refund`, { token: text });
    expect(refunded.body).toMatchObject({ status: 'refunded', refunded_by: 'receiver' });
    expect((await list(text)).body).toMatchObject([{ id, status: 'refunded' }]);
  });

  test('works until the millisecond of its end, which is a year away by default', async () => {
    const { t, provider, list } = await openScene();
    const [year, day] = [await makeKey(provider), await makeKey(provider, { days: 1 })];
    expect(Date.parse(year.expiresAt)).toBe(START_MS + 365 * DAY_MS);
    t.clock.nowMs = START_MS + DAY_MS - 1;
    expect((await list(day.text)).status).toBe(200);
    t.clock.nowMs += 1;
    await expectDead(t, day.text);
    expect((await list(year.text)).status).toBe(200);
    // Its owner sees for a month why a program has stopped.
    t.clock.nowMs = START_MS + 31 * DAY_MS - 1;
    await t.app.sweep();
    expect(await t.storage.apiKeys.list(provider.user.id)).toHaveLength(2);
    t.clock.nowMs += 1;
    await t.app.sweep();
    expect(await t.storage.apiKeys.list(provider.user.id)).toMatchObject([{ id: year.id }]);
  });

  test('works from its addresses alone, of either kind, and from everywhere without any', async () => {
    const { t, provider, list } = await openScene();
    const made = await makeKey(provider, {
      addresses: ['192.0.2.77/24', '203.0.113.9', '2001:DB8:0:1::5/48'],
    });
    expect(made.addresses).toEqual(['192.0.2.0/24', '203.0.113.9', '2001:db8::/48']);
    const inside = ['192.0.2.1', '::ffff:192.0.2.200', '203.0.113.9', '2001:db8:0:ffff::1'];
    for (const peer of inside) expect((await list(made.text, peer)).status, peer).toBe(200);
    for (const peer of ['192.0.3.1', '203.0.113.10', '2001:db8:1::1', '::1', 'no address'])
      await expectDead(t, made.text, peer);
    const mapped = await makeKey(provider, { addresses: ['::ffff:c633:6400/120'] });
    expect(mapped.addresses).toEqual(['198.51.100.0/24']);
    expect((await list(mapped.text, '198.51.100.7')).status).toBe(200);
    const anywhere = await makeKey(provider);
    for (const peer of [...inside, '::1', 'no address'])
      expect((await list(anywhere.text, peer)).status, peer).toBe(200);
    await expect(makeKey(provider, { addresses: ['192.0.2.1', 'example.com'] })).rejects.toThrow(
      'An address must be written as 192.0.2.1, 192.0.2.0/24, 2001:db8::1 or 2001:db8::/32.',
    );
  });

  test('behind a proxy is judged by the address that the proxy tells', async () => {
    const { t, provider } = await openScene({ config: { trustedProxies: ['192.0.2.1'] } });
    const { text } = await makeKey(provider, { addresses: ['203.0.113.0/24'] });
    const from = async (told: string) =>
      (await t.rest('GET', '/transactions', { token: text, headers: { 'X-Forwarded-For': told } })).status;
    expect(await from('203.0.113.9')).toBe(200);
    expect(await from('203.0.113.9, 198.51.100.7')).toBe(401);
  });

  test('is ended by its owner alone, with a password that was typed a short while ago, and works no more', async () => {
    const { t, provider, customer, list } = await openScene();
    const { id, text } = await makeKey(provider);
    await expect(customer.trpc.apiKeys.end.mutate({ id })).rejects.toThrow('already ended');
    t.clock.nowMs += HOUR_MS;
    await expect(provider.trpc.apiKeys.end.mutate({ id })).rejects.toThrow('Enter your password');
    await expect(makeKey(provider)).rejects.toThrow('Enter your password');
    expect((await list(text)).status).toBe(200);
    await typePassword(t, provider);
    await provider.trpc.apiKeys.end.mutate({ id });
    await expectDead(t, text);
    await expect(provider.trpc.apiKeys.end.mutate({ id })).rejects.toThrow('already ended');
  });

  test('goes on after a new password and after a logout everywhere, and ends with the closing of the account', async () => {
    const { t, provider, list } = await openScene();
    const { text } = await makeKey(provider);
    const newPassword = 'a better horse battery';
    const { accessToken } = await provider.trpc.auth.changePassword.mutate({
      currentPassword: PASSWORD,
      newPassword,
    });
    await t.trpc(accessToken).auth.endOtherSessions.mutate();
    expect((await list(text)).status).toBe(200);
    // Somebody else knows the password then, which the key does not need.
    await t.data.demandNewPasswords();
    expect((await list(text)).status).toBe(200);
    const owner = t.trpc(await t.logIn(provider.user.email, newPassword));
    await owner.auth.changePassword.mutate({ currentPassword: newPassword, newPassword: PASSWORD });
    const last = t.trpc(await t.logIn(provider.user.email));
    await last.auth.close.mutate({ currentPassword: PASSWORD, confirmation: 'close' });
    await expectDead(t, text);
    // Whoever comes back makes a new one.
    const again = t.trpc(await t.logIn(provider.user.email));
    await expectDead(t, text);
    expect(await again.apiKeys.list.query()).toEqual([]);
  });

  test('notes its last use at first and then once an hour, and no request waits for it', async () => {
    const noted = vi.fn<Storage['apiKeys']['noteUse']>();
    const wrapStorage = (storage: Storage): Storage => ({
      ...storage,
      apiKeys: {
        ...storage.apiKeys,
        noteUse: noted.mockImplementation((...asked) => storage.apiKeys.noteUse(...asked)),
      },
    });
    const { t, provider, list } = await openScene({ wrapStorage });
    const { text, lastUsedAt } = await makeKey(provider);
    expect(lastUsedAt).toBeNull();
    // A write that never ends.
    noted.mockImplementationOnce(() => new Promise(() => {}));
    for (let count = 0; count < 5; count += 1) expect((await list(text)).status).toBe(200);
    expect(noted).toHaveBeenCalledTimes(1);

    const other = await makeKey(provider);
    const used = async () =>
      (await provider.trpc.apiKeys.list.query()).find(({ id }) => id === other.id)?.lastUsedAt;
    const expectUsed = (atMs: number) =>
      vi.waitFor(async () => expect(await used()).toBe(new Date(atMs).toISOString()), { timeout: 30_000 });
    await Promise.all(Array.from({ length: 5 }, () => list(other.text)));
    await expectUsed(START_MS);
    t.clock.nowMs += HOUR_MS - 1;
    await list(other.text);
    expect(noted).toHaveBeenCalledTimes(2);
    t.clock.nowMs += 1;
    await list(other.text);
    await expectUsed(START_MS + HOUR_MS);
    expect(noted).toHaveBeenCalledTimes(3);
    noted.mockRejectedValueOnce(new Error('the disk is full'));
    t.clock.nowMs += HOUR_MS;
    expect((await list(other.text)).status).toBe(200);
  });

  test('counts although a cookie comes along', async () => {
    const { t, provider, list } = await openScene();
    const { text } = await makeKey(provider);
    const logIn = { body: { email: provider.user.email, password: PASSWORD } };
    const cookie =
      (await t.rest('POST', '/auth/login', logIn)).headers.get('Set-Cookie')?.split(';')[0] ?? '';
    expect(cookie).not.toBe('');
    const both = await t.rest('GET', '/transactions', { token: text, headers: { Cookie: cookie } });
    expect(both.status).toBe((await list(text)).status);
  });
});

test('of more than twenty keys none is made, and a misspelt field makes none that works from anywhere', async () => {
  const { t, provider } = await openScene();
  const body = { name: 'Register', scopes: ['tips:read'] };
  for (let count = 0; count < 20; count += 1)
    expect((await t.rest('POST', '/api-keys', { ...provider, body })).status).toBe(201);
  const refused = await t.rest('POST', '/api-keys', { ...provider, body });
  expect(refusedBy('REST', refused)).toMatchObject({ status: 409, code: 'too_many_api_keys' });
  const misspelt = await t.rest('POST', '/api-keys', { ...provider, body: { ...body, adresses: ['::1'] } });
  expect(refusedBy('REST', misspelt).fields).toEqual([
    { field: 'adresses', message: 'There is no field `adresses` here. Did you mean `addresses`?' },
  ]);
});

test('a key is told to the confirmed address of its owner, with what it may do', async () => {
  const server = await startMailServer();
  const { t, provider } = await openScene({ config: { mail: relayAt(server) } });
  onTestFinished(async () => {
    await t.app.endMails();
    await server.close();
  });
  await provider.trpc.auth.sendConfirmation.mutate();
  await t.app.sendMails();
  const [confirmation] = server.taken;
  if (!confirmation) throw new Error('no confirmation came');
  await provider.trpc.auth.confirmEmail.mutate({ token: linkIn(confirmation).token });
  const { text } = await makeKey(provider, { scopes: ['tips:read', 'tips:refund'], days: 30 });
  await t.app.sendMails();
  const told = server.taken.at(-1);
  expect(told?.to).toEqual([provider.user.email]);
  expect(told?.headers.get('subject')).toBe('New API key for your account');
  expect(told?.html).toContain('See your tips, Refund tips');
  expect(told?.html).toContain('June 14, 2026');
  expect(told?.html).toContain('/dashboard?tab=profile&amp;open=api');
  expect(told?.html).not.toContain(text.slice(8));
});

test('the log has a key by its name, with who makes and ends it, and never its text', async () => {
  const { t, provider, list } = await openScene();
  const { id, text } = await makeKey(provider);
  await list(text);
  await t.rest('GET', '/qr-codes', { token: newApiKeyText(randomBytes) });
  await provider.trpc.apiKeys.end.mutate({ id });
  const lines = t.logLines.map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === 'security event')).toMatchObject([
    { event: 'key_made', account: provider.user.id },
    { event: 'access_refused' },
    { event: 'key_ended', account: provider.user.id },
  ]);
  expect(lines.find(({ route, msg }) => msg === 'request' && route === '/api/transactions')).toMatchObject({
    key: id,
    status: 200,
  });
  expect(t.logLines.join('')).not.toContain('tw_live_');
});

describe('limits', () => {
  const told = ({ headers }: { readonly headers: Headers }) => [
    headers.get('RateLimit-Policy'),
    headers.get('RateLimit'),
  ];

  test('are each key’s own, told with each answer, and leave those of its owner alone', async () => {
    const { t, provider } = await limited();
    const [key, other] = [await makeKey(provider), await makeKey(provider)];
    const codes = (token: string) => t.rest('GET', '/qr-codes', { token });
    const policy = '"key_request";q=600;w=60';
    expect(told(await codes(key.text))).toEqual([policy, '"key_request";r=599;t=60']);
    for (let count = 1; count < 600; count += 1) await codes(key.text);
    const refused = await codes(key.text);
    expect(refusedBy('REST', refused)).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 60 });
    expect(told(refused)).toEqual([policy, '"key_request";r=0;t=60']);
    for (const token of [other.text, provider.token]) expect((await codes(token)).status).toBe(200);
    t.clock.nowMs += 60_000;
    expect((await codes(key.text)).status).toBe(200);
  });

  test('of what a key does are counted for the key, and the owner’s not for the key', async () => {
    const { t, provider } = await limited();
    const [key, other] = [await makeKey(provider), await makeKey(provider)];
    const refund = (token: string) => t.rest('POST', '/transactions/txn_none/refund', { token });
    for (let count = 0; count < 60; count += 1) expect((await refund(key.text)).status).toBe(404);
    expect((await refund(key.text)).status).toBe(429);
    expect((await refund(other.text)).status).toBe(404);
    for (let count = 0; count < 60; count += 1) expect((await refund(provider.token)).status).toBe(404);
    expect((await refund(provider.token)).status).toBe(429);
    expect((await refund(other.text)).status).toBe(404);
  });

  test('bound what waits for each key, so that a burst of one keeps neither its owner nor another key from an answer', async () => {
    const { provider, list } = await limited();
    const [key, other] = [await makeKey(provider), await makeKey(provider)];
    const burst = Array.from({ length: 150 }, () => list(key.text));
    const beside = [provider.token, other.text].map((token) => list(token));
    for (const answer of await Promise.all(beside)) expect(answer.status).toBe(200);
    const codes = (await Promise.all(burst)).map(({ status }) => status);
    expect(new Set(codes)).toEqual(new Set([200, 503]));
  });

  test('of new codes are those of all keys of an account together, beside the owner’s', async () => {
    const { t, provider } = await limited();
    const keys = [await makeKey(provider), await makeKey(provider)];
    const create = (token: string) =>
      t.rest('POST', '/qr-codes', { token, body: { service_category: 'bartender' } });
    for (let count = 0; count < 30; count += 1)
      expect((await create(keys[count % 2]?.text ?? '')).status).toBe(409);
    for (const { text } of keys) expect((await create(text)).status).toBe(429);
    expect((await create(provider.token)).status).toBe(409);
  });

  test('of wrong keys are those of an address, where right keys and logins go on', async () => {
    const { t, provider, customer, list } = await limited();
    const { text } = await makeKey(provider);
    const wrong = (peer?: string) => list(newApiKeyText(randomBytes), peer);
    for (let count = 0; count < 30; count += 1) expect((await wrong()).status).toBe(401);
    const refused = await wrong();
    expect(refusedBy('REST', refused)).toMatchObject({ status: 429, retryAfterSeconds: 900 });
    expect((await list('tw_live_mistyped')).status).toBe(429);
    expect((await wrong('192.0.2.99')).status).toBe(401);
    expect((await list(text)).status).toBe(200);
    expect((await list(provider.token)).status).toBe(200);
    const body = { email: customer.user.email, password: PASSWORD };
    expect((await t.rest('POST', '/auth/login', { body })).status).toBe(200);
  });
});
