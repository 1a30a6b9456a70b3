/**
 * No way from any other identity into the operator's console, and none from an operator's token into the rest
 * of the product: every procedure of the console for every identity, and every procedure of the product for an
 * operator.
 */
import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { afterAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import type { Config } from '#server/config.ts';
import { CONSOLE_PATH, CONSOLE_TRPC_PATH, ENROL_PATH } from '#shared/console/parts.ts';
import { DOORS } from '#tests/support/both-doors.ts';
import { outcomeThrough } from '#tests/support/event-streams.ts';
import { addOperator, CONSOLE_PROCEDURES, createOperator } from '#tests/support/operators.ts';
import { typePassword } from '#tests/support/people.ts';
import { pages } from '#tests/support/rendered-pages.ts';
import { stopEverything } from '#tests/support/running-server.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

afterAll(stopEverything);

const MINUTE_MS = 60_000;

/** Whoever knows the address may call these. */
const WAYS_IN = [
  'session.logIn',
  'session.beginPasskeyLogin',
  'session.finishPasskeyLogin',
  'session.readLink',
  'session.useLink',
];

/** What somebody may call who has used a link and has not enrolled. */
const BEFORE_ENROLMENT = [
  'session.me',
  'session.end',
  'enrolment.beginPasskey',
  'enrolment.addPasskey',
  'enrolment.beginTotp',
  'enrolment.confirmTotp',
];

/** What changes something without a fresh proof of the second factor, and why it may. */
const UNGUARDED: Readonly<Record<string, string>> = {
  'backups.make': 'copies the data and changes none of it',
  'people.lift': 'gives back what was taken',
  'people.unlock': 'lets somebody try again',
  'reports.settle': 'keeps the report in reach',
  'installation.invite': 'can be taken back',
  'installation.announce': 'can be ended',
  'session.end': 'ends the session itself',
  'session.endOther': 'takes a way in away',
  'session.beginConfirmation': 'is how the factor is proved',
  'session.confirm': 'is how the factor is proved',
  'enrolment.beginPasskey': 'is over once somebody has enrolled',
  'enrolment.addPasskey': 'is over once somebody has enrolled',
  'enrolment.beginTotp': 'is over once somebody has enrolled',
  'enrolment.confirmTotp': 'is over once somebody has enrolled',
};

type Procedure = (typeof CONSOLE_PROCEDURES)[number];

/** @returns the code of the refusal; null when it was answered. */
async function ask(t: TestApp, { path, type }: Procedure, token: string | undefined, peer?: string) {
  const headers = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(type === 'mutation' && { 'Content-Type': 'application/json' }),
  };
  const init = { method: type === 'mutation' ? 'POST' : 'GET', headers };
  const answer = await t.send(
    `${CONSOLE_TRPC_PATH}/${path}`,
    type === 'mutation' ? { ...init, body: '{}' } : init,
    peer,
  );
  const body = JSON.parse(await answer.text());
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
  if (answer.status === 404) return body.code ?? 'not_found';
  return body.error?.data.errorCode ?? null;
}

const openWith = (console: Config['console']) => createTestApp({ config: { console } });

describe('a procedure of the console', () => {
  test('is for operators alone, who have enrolled and whose session lives', async () => {
    const t = await createTestApp();
    const { provider, customer } = await t.setTheScene();
    await typePassword(t, provider);
    const key = await provider.trpc.apiKeys.create.mutate({ name: 'All', scopes: ['tips:read'] });
    const removed = await createOperator(t);
    const idle = await createOperator(t);
    t.clock.nowMs += 16 * MINUTE_MS;
    await t.storage.operators.remove(removed.operator.id);
    const enrolling = await addOperator(t.storage, t.clock.nowMs, { isEnrolled: false });
    const tokens = {
      'not_logged_in of nobody': undefined,
      'session_ended of a customer': customer.token,
      'session_ended of a provider': provider.token,
      'session_ended of an API key': key.text,
      'session_ended of an unknown token': randomBytes(32).toString('base64url'),
      'session_ended of one removed': removed.token,
      'session_ended of one idle': idle.token,
      'enrolment_needed of one who enrols': enrolling.token,
    };
    for (const [name, token] of Object.entries(tokens)) {
      const [code] = name.split(' ', 1);
      for (const procedure of CONSOLE_PROCEDURES) {
        if (WAYS_IN.includes(procedure.path)) continue;
        if (token === enrolling.token && BEFORE_ENROLMENT.includes(procedure.path)) continue;
        const before = await t.data.dump();
        expect([name, procedure.path, await ask(t, procedure, token)]).toEqual([name, procedure.path, code]);
        expect(await t.data.dump()).toEqual(before);
      }
    }
    expect(WAYS_IN.filter((path) => !CONSOLE_PROCEDURES.some((known) => known.path === path))).toEqual([]);
  });

  test('names the methods that it takes to whoever uses another one (RFC 9110, section 15.5.6)', async () => {
    const t = await createTestApp();
    const { token } = await createOperator(t);
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    for (const { path, type } of CONSOLE_PROCEDURES) {
      const init = type === 'mutation' ? { method: 'GET' } : { method: 'POST', body: '{}' };
      const { status, headers: own } = await t.send(`${CONSOLE_TRPC_PATH}/${path}`, { ...init, headers });
      const allowed = type === 'mutation' ? 'POST' : 'GET, HEAD';
      expect([path, status, own.get('Allow')]).toEqual([path, 405, allowed]);
    }
    const asked = await t.send(`${CONSOLE_TRPC_PATH}/session.me`, { method: 'OPTIONS' });
    expect([asked.status, asked.headers.get('Allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('changes nothing without a fresh proof of the second factor, unless it says why', async () => {
    const t = await createTestApp();
    const { token } = await createOperator(t, { confirmedAtMs: t.clock.nowMs - 5 * MINUTE_MS });
    const unguarded: string[] = [];
    for (const procedure of CONSOLE_PROCEDURES) {
      if (procedure.type !== 'mutation' || WAYS_IN.includes(procedure.path)) continue;
      if (procedure.path in UNGUARDED) unguarded.push(procedure.path);
      else
        expect([procedure.path, await ask(t, procedure, token)]).toEqual([procedure.path, 'factor_needed']);
    }
    const known = CONSOLE_PROCEDURES.map(({ path }) => path);
    expect(unguarded.toSorted()).toEqual(
      Object.keys(UNGUARDED)
        .filter((path) => known.includes(path))
        .toSorted(),
    );
  });

  test.each([
    ['is off', { isOn: false, addresses: [] }, '192.0.2.1'],
    ['is for other addresses', { isOn: true, addresses: ['198.51.100.0/24', '2001:db8::/32'] }, '192.0.2.1'],
  ])('does not exist where the console %s', async (_, console, peer) => {
    const t = await openWith(console);
    const { token } = await createOperator(t);
    for (const procedure of CONSOLE_PROCEDURES)
      expect([procedure.path, await ask(t, procedure, token, peer)]).toEqual([procedure.path, 'not_found']);
    const shown = async (path: string, init?: RequestInit) => {
      const { status, headers, text } = await t.send(path, init, peer).then(async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        text: await answer.text(),
      }));
      const { instance: __, ...body } = JSON.parse(text);
      return [status, [...headers.keys()], body];
    };
    // To the byte what is answered at an address that there is not.
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS'])
      expect(await shown(`${CONSOLE_TRPC_PATH}/session.me`, { method })).toEqual(
        await shown('/elsewhere/session.me', { method }),
      );
  });

  test.each(['198.51.100.7', '2001:db8:1::7', '::ffff:198.51.100.7'])('is there for %s', async (peer) => {
    const t = await openWith({ isOn: true, addresses: ['198.51.100.0/24', '2001:db8::/32'] });
    const { token } = await createOperator(t);
    expect(await ask(t, { path: 'session.me', type: 'query' }, token, peer)).toBeNull();
  });

  test('counts the address of the client behind a trusted proxy, and no other', async () => {
    const t = await createTestApp({
      config: { console: { isOn: true, addresses: ['198.51.100.7'] }, trustedProxies: ['192.0.2.1'] },
    });
    const { token } = await createOperator(t);
    const asked = async (forwarded: string, peer: string) => {
      const headers = { Authorization: `Bearer ${token}`, 'X-Forwarded-For': forwarded };
      return (await t.send(`${CONSOLE_TRPC_PATH}/session.me`, { headers }, peer)).status;
    };
    expect(await asked('198.51.100.7', '192.0.2.1')).toBe(200);
    expect(await asked('198.51.100.8', '192.0.2.1')).toBe(404);
    expect(await asked('198.51.100.7', '192.0.2.2')).toBe(404);
    expect(await asked('198.51.100.7, 203.0.113.9', '192.0.2.1')).toBe(404);
  });

  test('is asked as at the other doors: JSON of a bounded size, no other method, no other origin', async () => {
    const t = await createTestApp({ config: { corsOrigins: ['https://app.example.com'] } });
    const { token } = await createOperator(t);
    const send = async (init: RequestInit, path = 'session.end') => {
      const headers = { Authorization: `Bearer ${token}`, ...init.headers };
      const answer = await t.send(`${CONSOLE_TRPC_PATH}/${path}`, { ...init, headers });
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull();
      return JSON.parse(await answer.text()).error.data.errorCode;
    };
    const json = { 'Content-Type': 'application/json' };
    const method = 'POST';
    expect(await send({ method, headers: { 'Content-Type': 'text/plain' }, body: '{}' })).toBe('not_json');
    expect(await send({ method, headers: json, body: `"${'x'.repeat(70_000)}"` })).toBe('body_too_large');
    expect(await send({ method, headers: json, body: new Uint8Array([0x22, 0xff, 0x22]) })).toBe(
      'malformed_json',
    );
    const packed = { ...json, 'Content-Encoding': 'gzip' };
    expect(await send({ method, headers: packed, body: '{}' })).toBe('encoded_body');
    expect(await send({ headers: {} })).toBe('method_not_allowed');
    expect(await send({ headers: {} }, 'session.nothing')).toBe('not_found');
    const origin = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' };
    expect(await send({ method: 'OPTIONS', headers: origin })).toBe('method_not_allowed');
  });
});

test('an operator’s token is no session and no key anywhere else', async () => {
  const t = await createTestApp();
  await t.setTheScene();
  const { token } = await createOperator(t);
  const stranger = randomBytes(32).toString('base64url');
  for (const door of DOORS) {
    for (const { procedure, path, callers } of ENDPOINTS) {
      const names = path.match(/:\w+/g)?.map((name): [string, string] => [name, 'x']);
      const input = names && Object.fromEntries(names);
      const before = await t.data.dump();
      const codeOf = async (given: string) => {
        const outcome = await outcomeThrough(door, t, procedure, input, { token: given });
        return outcome?.refused?.code ?? 'fine';
      };
      const told = await codeOf(token);
      expect([door, procedure, told]).toEqual([door, procedure, await codeOf(stranger)]);
      if (callers === 'everybody') continue;
      expect([door, procedure, told]).toEqual([door, procedure, 'session_ended']);
      expect(await t.data.dump()).toEqual(before);
    }
  }
});

describe('the page of the console', () => {
  const serve = (isThere: boolean) => {
    const app = new Hono();
    pages.serve(app, {
      lookUp: () => Promise.reject(new Error('no code is looked up')),
      findProvider: async () => null,
      networkOf: () => '203.0.113.1',
      isConsoleThere: () => isThere,
    });
    return app;
  };

  test('is kept by no cache and listed by no search engine, at each of its paths', async () => {
    for (const path of [CONSOLE_PATH, `${CONSOLE_PATH}/people`, ENROL_PATH]) {
      const answer = await serve(true).request(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      expect(answer.headers.get('X-Robots-Tag')).toBe('noindex');
      const html = await answer.text();
      const [script = ''] = /\/operator\/assets\/[\w.-]+\.js/.exec(html) ?? [];
      expect((await serve(true).request(script)).status).toBe(200);
      expect((await serve(false).request(script)).status).toBe(404);
    }
    expect((await serve(true).request(`${CONSOLE_PATH}/`)).headers.get('Location')).toBe(CONSOLE_PATH);
    for (const path of [`${CONSOLE_PATH}/nothing`, '/%6fperator', `${CONSOLE_PATH}/people/1`])
      expect((await serve(true).request(path)).status).toBe(404);
  });

  test('is that of an address that there is not, where the console does not exist', async () => {
    const nowhere = await serve(false).request('/nowhere');
    for (const path of [CONSOLE_PATH, `${CONSOLE_PATH}/`, `${CONSOLE_PATH}/people`, ENROL_PATH]) {
      const answer = await serve(false).request(path);
      expect(answer.status).toBe(404);
      expect([...answer.headers]).toEqual([...nowhere.headers]);
    }
  });
});
