/**
 * Bodies and methods that no client of ours sends: too large, too deep, of another type, not JSON, not UTF-8, aimed
 * at prototypes, or sent to the wrong place. Both doors refuse them alike, before a procedure runs.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { REST_ROUTES } from '#server/api/rest-routes.ts';
import type { ErrorCode } from '#shared/errors.ts';
import {
  answerOf,
  callRest,
  DOORS,
  type Door,
  outcomesOf,
  PROCEDURES,
  refusedBy,
  trpcRequest,
} from '#tests/support/both-doors.ts';
import { isEventStream, readStream, refusalIn } from '#tests/support/event-streams.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';

const MAX_BODY_BYTES = 64 * 1024;
const LOGIN = { REST: '/api/auth/login', tRPC: '/trpc/auth.login' } as const satisfies Record<Door, string>;
const WRONG_LOGIN = '{"email":"nobody@example.com","password":"not the password"}';
/** Every way in that takes a body. */
const BODY_PATHS = [
  ...REST_ROUTES.filter(({ input }) => input).map(({ path }) => ({
    door: 'REST' as const,
    path: `/api${path}`,
  })),
  ...PROCEDURES.filter(({ type }) => type === 'mutation').map(({ path }) => ({
    door: 'tRPC' as const,
    path: `/trpc/${path}`,
  })),
];

/** These read no body, so that there is nothing in it to refuse. */
const TAKES_NO_INPUT: ReadonlySet<string> = new Set(['/trpc/auth.logout', '/trpc/auth.endOtherSessions']);

describe('a body of more than 64 KiB', () => {
  test.each(BODY_PATHS)('announced by Content-Length is refused unread at $path', async ({ door, path }) => {
    const t = await createTestApp();
    const body = counted(chunksOf(padded(MAX_BODY_BYTES + 1)));
    const headers = { 'Content-Length': String(MAX_BODY_BYTES + 1) };
    expect(await post(t, door, path, body.stream, headers)).toBe('body_too_large');
    expect(body.chunksRead()).toBeLessThanOrEqual(1);
  });

  test.each(BODY_PATHS)('sent in chunks without a length is refused at $path', async ({ door, path }) => {
    const t = await createTestApp();
    const body = counted(chunksOf(padded(MAX_BODY_BYTES + 1)));
    expect(await post(t, door, path, body.stream)).toBe('body_too_large');
  });

  test.each(DOORS)('that never ends is not read to its end through %s', async (door) => {
    const t = await createTestApp();
    const body = counted(endless());
    expect(await post(t, door, LOGIN[door], body.stream)).toBe('body_too_large');
    expect(body.chunksRead()).toBeLessThan(20);
  });

  test.each(DOORS)('is refused by PUT and DELETE alike through %s', async (door) => {
    const t = await createTestApp();
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const init = {
        method,
        body: padded(MAX_BODY_BYTES + 1),
        headers: { 'Content-Type': 'application/json' },
      };
      expect((await t.send(LOGIN[door], init)).status).toBe(413);
    }
  });
});

test.each(DOORS)('a body of exactly 64 KiB is read through %s, with a length and without', async (door) => {
  const t = await createTestApp();
  const body = padded(MAX_BODY_BYTES);
  const headers = { 'Content-Length': String(MAX_BODY_BYTES) };
  expect(await post(t, door, LOGIN[door], counted(chunksOf(body)).stream, headers)).toBe('wrong_credentials');
  expect(await post(t, door, LOGIN[door], counted(chunksOf(body)).stream)).toBe('wrong_credentials');
});

describe('nesting', () => {
  const BRACKETS = 30_000;
  const deepList = `${'['.repeat(BRACKETS)}${']'.repeat(BRACKETS)}`;
  const deepObject = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;

  test.each(BODY_PATHS)('30,000 deep is refused at $path', async ({ door, path }) => {
    const t = await createTestApp();
    const { token } = await t.registerProvider();
    const headers = { Authorization: `Bearer ${token}` };
    const expected = TAKES_NO_INPUT.has(path) ? null : 'invalid_input';
    expect(await post(t, door, path, deepList, headers)).toBe(expected);
    if (expected === null) return;
    expect(await post(t, door, path, deepObject, headers)).toBe(expected);
    expect(await post(t, door, path, '['.repeat(BRACKETS), headers)).toBe('malformed_json');
  });

  test.each(DOORS)('within any field of a registration is refused through %s', async (door) => {
    const t = await createTestApp();
    const path = door === 'REST' ? '/api/auth/register' : '/trpc/auth.register';
    const provider = registration(door, 'deep', { isServiceProvider: true, serviceCategories: ['dj'] });
    for (const field of Object.keys(provider)) {
      for (const deep of [deepList, deepObject]) {
        const body = JSON.stringify({ ...provider, [field]: '@' }).replace('"@"', () => deep);
        expect(await post(t, door, path, body), field).toBe('invalid_input');
      }
    }
  });

  test.each(DOORS)('within the list that a customer has no use for is ignored through %s', async (door) => {
    const t = await createTestApp();
    const path = door === 'REST' ? '/api/auth/register' : '/trpc/auth.register';
    const customer = registration(door, 'shallow', { isServiceProvider: false, serviceCategories: '@' });
    const body = JSON.stringify(customer).replace('"@"', () => deepList);
    expect(await post(t, door, path, body)).toBeNull();
    expect((await t.trpc(await t.logIn('shallow@example.com')).auth.me.query()).serviceCategories).toEqual(
      [],
    );
  });

  test('in the input of a query is refused', async () => {
    const t = await createTestApp();
    const { path } = trpcRequest('qrCodes.lookup', `{"id":${deepList}}`);
    expect(await codeOf('tRPC', await t.send(path))).toBe('invalid_input');
  });
});

describe('a content type that is not JSON is refused with 415', () => {
  const TYPES = [
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json-patch+json',
    'application/vnd.api+json',
    'text/plain, application/json',
    'x/application/json',
    'json',
    '',
  ];
  test.each(BODY_PATHS)('at $path', async ({ door, path }) => {
    const t = await createTestApp();
    for (const type of TYPES) {
      expect(await post(t, door, path, WRONG_LOGIN, { 'Content-Type': type }), type).toBe('not_json');
    }
    const body = new TextEncoder().encode(WRONG_LOGIN);
    const nameless = { method: 'POST', body, headers: { 'Content-Length': String(body.length) } };
    expect(await codeOf(door, await t.send(path, nameless)), 'no type').toBe('not_json');
  });
});

test('a POST that needs no body may come without one, and then without a type or a length', async () => {
  const t = await createTestApp();
  const { token } = await t.registerProvider();
  expect((await t.rest('POST', '/auth/logout', { token })).status).toBe(204);
  expect((await t.rest('GET', '/auth/me', { token })).status).toBe(401);
});

test.each(DOORS)('JSON is JSON in any case and with any parameters of its type through %s', async (door) => {
  const t = await createTestApp();
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;x=y',
    'Application/JSON',
  ]) {
    expect(await post(t, door, LOGIN[door], WRONG_LOGIN, { 'Content-Type': type }), type).toBe(
      'wrong_credentials',
    );
  }
});

describe('a body that is not JSON is refused with 400', () => {
  const MALFORMED = [
    '',
    ' ',
    '{',
    '}',
    '{"email":"a@example.com",}',
    "{'email':'a@example.com'}",
    '{email:1}',
    '{} {}',
    '[1,]',
    'undefined',
    'NaN',
    '01',
    '"\\x41"',
    '"tab\there"',
    '{"email":"\0"}',
    '/* no */ {}',
    '<login/>',
    'email=a@example.com&password=x',
    '\ufeff',
    '{}\0',
  ];
  test.each(BODY_PATHS.filter(({ path }) => !TAKES_NO_INPUT.has(path)))('at $path', async ({
    door,
    path,
  }) => {
    const t = await createTestApp();
    const { token } = await t.registerProvider();
    for (const body of MALFORMED) {
      const code = await post(t, door, path, body, { Authorization: `Bearer ${token}` });
      expect(code, JSON.stringify(body)).toBe('malformed_json');
    }
  });

  test.each(DOORS)('when its bytes are not UTF-8 through %s', async (door) => {
    const t = await createTestApp();
    const latin1 = Buffer.from('{"email":"caf\u00e9@example.com","password":"not the password"}', 'latin1');
    const overlong = Buffer.concat([Buffer.from('{"email":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]);
    const surrogate = Buffer.concat([
      Buffer.from('{"email":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]);
    const utf16 = Buffer.from('\ufeff{"email":"a"}', 'utf16le');
    for (const body of [latin1, overlong, surrogate, utf16]) {
      expect(await post(t, door, LOGIN[door], body), body.toString('hex')).toBe('malformed_json');
    }
  });

  test('also when the input of a query is not', async () => {
    const t = await createTestApp();
    for (const input of ['{', "{'id':1}", '%zz', 'undefined']) {
      const path = `/trpc/qrCodes.lookup?input=${encodeURIComponent(input)}`;
      expect(await codeOf('tRPC', await t.send(path)), input).toBe('malformed_json');
    }
  });
});

test.each(
  DOORS,
)('a byte order mark before the JSON is skipped through %s (RFC 8259, section 8.1)', async (door) => {
  const t = await createTestApp();
  expect(await post(t, door, LOGIN[door], `\ufeff${WRONG_LOGIN}`)).toBe('wrong_credentials');
});

describe('JSON that is no object is refused', () => {
  test.each(BODY_PATHS.filter(({ path }) => !TAKES_NO_INPUT.has(path)))('at $path', async ({
    door,
    path,
  }) => {
    const t = await createTestApp();
    const { token } = await t.registerProvider();
    for (const body of ['[]', '[{}]', '"text"', '0', '-1.5e300', 'null', 'true', 'false']) {
      expect(await post(t, door, path, body, { Authorization: `Bearer ${token}` }), body).toBe(
        'invalid_input',
      );
    }
  });
});

describe('prototype pollution', () => {
  test.each(BODY_PATHS)('leaves every prototype as it was at $path', async ({ door, path }) => {
    const t = await createTestApp();
    const { token } = await t.registerProvider();
    const before = prototypes();
    const poison = '{"polluted":true,"isServiceProvider":true,"is_service_provider":true,"toString":1}';
    for (const body of [
      `{"__proto__":${poison}}`,
      `{"constructor":{"prototype":${poison}}}`,
      `{"prototype":${poison}}`,
      `[{"__proto__":${poison}}]`,
      `{"0":{"__proto__":${poison}},"__proto__":{"0":${poison}}}`,
      `{"email":{"__proto__":${poison}},"serviceCategories":{"__proto__":[]},"service_categories":{"length":1}}`,
      '{"toString":null,"valueOf":null,"hasOwnProperty":null,"then":null,"toJSON":null}',
    ]) {
      for (const suffix of ['', '?batch=1']) {
        const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
        const response = await t.send(`${path}${suffix}`, { method: 'POST', body, headers });
        if (!TAKES_NO_INPUT.has(path)) expect([400, 422, 401]).toContain(response.status);
        outcomesOf(door, await answerOf(response));
      }
    }
    expect(prototypes()).toEqual(before);
  });

  test.each(DOORS)('fields that are only inherited do not count through %s', async (door) => {
    const t = await createTestApp();
    await t.registerCustomer();
    const fields = `"email":"cam@example.com","password":"${PASSWORD}"`;
    expect(await post(t, door, LOGIN[door], `{${fields}}`)).toBeNull();
    for (const body of [`{"__proto__":{${fields}}}`, `{"constructor":{"prototype":{${fields}}}}`]) {
      expect(await post(t, door, LOGIN[door], body)).toBe('invalid_input');
    }
  });

  test.each(DOORS)('nobody becomes a provider by __proto__ through %s', async (door) => {
    const t = await createTestApp();
    const path = door === 'REST' ? '/api/auth/register' : '/trpc/auth.register';
    const customer = JSON.stringify(registration(door, 'eve', { isServiceProvider: false }));
    const poison =
      '"isServiceProvider":true,"serviceCategories":["dj"],"is_service_provider":true,"service_categories":["dj"]';
    expect(await post(t, door, path, customer.replace('{', `{"__proto__":{${poison}},`))).toBeNull();
    const { trpc } = { trpc: t.trpc(await t.logIn('eve@example.com')) };
    expect(await trpc.auth.me.query()).toMatchObject({ isServiceProvider: false, serviceCategories: [] });
  });

  test.each([
    '__proto__',
    'auth.__proto__',
    'constructor',
    'toString',
    'auth.constructor',
    'auth.me.call',
    'hasOwnProperty',
    'auth',
    '',
  ])('there is no procedure %j', async (name) => {
    const t = await createTestApp();
    const { token } = await t.registerProvider();
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    for (const batch of ['', '?batch=1']) {
      expect(await codeOf('tRPC', await t.send(`/trpc/${name}${batch}`, { headers }))).toBe('not_found');
      const init = { method: 'POST', headers, body: '{}' };
      expect(await codeOf('tRPC', await t.send(`/trpc/${name}${batch}`, init))).toBe('not_found');
    }
  });
});

test.each(DOORS)('of a key that is there twice the last one counts through %s', async (door) => {
  const t = await createTestApp();
  await t.registerCustomer();
  const both = (first: string, last: string) =>
    `{"email":"${first}","password":"${PASSWORD}","email":"${last}"}`;
  expect(await post(t, door, LOGIN[door], both('nobody@example.com', 'cam@example.com'))).toBeNull();
  expect(await post(t, door, LOGIN[door], both('cam@example.com', 'nobody@example.com'))).toBe(
    'wrong_credentials',
  );
});

describe('a tRPC batch', () => {
  const json = { 'Content-Type': 'application/json' };

  test('of ten is answered, each call for itself', async () => {
    const t = await createTestApp();
    const path = `/trpc/${Array(10).fill('qrCodes.lookup').join()}?batch=1&input=%7B%7D`;
    const outcomes = outcomesOf('tRPC', await answerOf(await t.send(path)));
    expect(outcomes.map(({ refused }) => refused?.code)).toEqual(Array(10).fill('invalid_input'));
  });

  test('of eleven is refused as a whole, and none of it happens', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    const headers = { ...json, Authorization: `Bearer ${token}` };
    const calls = `/trpc/${Array(11).fill('auth.logout').join()}?batch=1`;
    expect(await codeOf('tRPC', await t.send(calls, { method: 'POST', headers, body: '{}' }))).toBe(
      'malformed_request',
    );
    const queries = `/trpc/${Array(11).fill('auth.me').join()}?batch=1&input=%7B%7D`;
    expect(await codeOf('tRPC', await t.send(queries, { headers }))).toBe('malformed_request');
    expect((await t.rest('GET', '/auth/me', { token })).status).toBe(200);
  });

  test('of eleven is refused also when its commas are encoded', async () => {
    const t = await createTestApp();
    const path = `/trpc/${Array(11).fill('auth.me').join('%2C')}?batch=1&input=%7B%7D`;
    expect(await codeOf('tRPC', await t.send(path))).toBe('malformed_request');
  });

  test('of queries and mutations together is refused, and none of it happens', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    const headers = { ...json, Authorization: `Bearer ${token}` };
    for (const calls of ['auth.me,auth.logout', 'auth.logout,auth.me']) {
      for (const init of [{ method: 'POST', headers, body: '{}' }, { headers }]) {
        expect(await codeOf('tRPC', await t.send(`/trpc/${calls}?batch=1`, init))).toBe('malformed_request');
      }
    }
    expect((await t.rest('GET', '/auth/me', { token })).status).toBe(200);
  });

  test('streamed as JSON lines refuses in the same closed form', async () => {
    const t = await createTestApp();
    const headers = { 'trpc-accept': 'application/jsonl' };
    const response = await t.send('/trpc/auth.me,auth.me?batch=1&input=%7B%7D', { headers });
    const text = await response.text();
    expect(text.match(/"errorCode":"not_logged_in"/g)).toHaveLength(2);
    expect(text).not.toMatch(/stack|node_modules|\.ts/);
  });
});

describe('methods', () => {
  test.each(PROCEDURES)('$path answers only its own', async ({ path, type }) => {
    const t = await createTestApp();
    const { token } = await t.registerProvider();
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    const foreign = type === 'mutation' ? { headers } : { method: 'POST', headers, body: '{}' };
    // RFC 9110, section 15.5.6. A stream says what it refuses in its first event.
    const expectAllow = ({ status, headers }: Response) =>
      expect([status, headers.get('Allow')]).toEqual(
        status === 200 ? [200, null] : [405, type === 'mutation' ? 'POST' : 'GET, HEAD'],
      );
    for (const batch of ['', '?batch=1']) {
      const response = await t.send(`/trpc/${path}${batch}`, foreign);
      expect(await codeOf('tRPC', response)).toBe('method_not_allowed');
      expectAllow(response);
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const body = method === 'OPTIONS' ? null : '{}';
      const response = await t.send(`/trpc/${path}`, { method, headers, body });
      expect(await codeOf('tRPC', response), method).toBe('method_not_allowed');
      expectAllow(response);
    }
    expect(await (await t.send(`/trpc/${path}`, { method: 'HEAD', headers })).text()).toBe('');
    expect((await t.rest('GET', '/auth/me', { token })).status).toBe(200);
  });

  const methodsByPath = new Map<string, string[]>(
    [
      ...['/healthz', '/readyz', '/api/openapi.json', '/api/docs', '/api/docs/start.js'],
      ...['/api/docs/swagger-ui.css', '/api/docs/swagger-ui-bundle.js'],
    ].map((path) => [path, ['GET', 'HEAD']]),
  );
  for (const { path, method } of REST_ROUTES) {
    const methods = methodsByPath.get(`/api${path}`) ?? [];
    methodsByPath.set(`/api${path}`, [...methods, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
  }

  test.each([...methodsByPath])('%s says which it answers', async (path, own) => {
    const t = await createTestApp();
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'ODD']) {
      if (own.includes(method)) continue;
      const body = ['GET', 'HEAD', 'OPTIONS', 'ODD'].includes(method) ? null : '{}';
      const response = await t.send(path, {
        method,
        body,
        headers: { 'Content-Type': 'application/json' },
      });
      expect(response.status, method).toBe(405);
      expect(response.headers.get('Allow')?.split(', ').sort()).toEqual(own.sort());
      if (method !== 'HEAD') expect(await codeOf('REST', response)).toBe('method_not_allowed');
    }
  });

  test('HEAD is answered like GET, without the body', async () => {
    const t = await createTestApp();
    const { provider, code } = await t.setTheScene();
    const headers = { Authorization: `Bearer ${provider.token}` };
    const paths = REST_ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => `/api${path}`);
    for (const path of [...paths, '/api/openapi.json', '/api/docs', '/healthz', '/readyz']) {
      const address = path.replace(/:\w+/, code.id);
      const hangUp = new AbortController();
      const [head, get] = [
        await t.send(address, { method: 'HEAD', headers }),
        await t.send(address, { headers, signal: hangUp.signal }),
      ];
      if (isEventStream(get)) await readStream(get, hangUp).close();
      expect(head.status, path).toBe(200);
      expect(get.status, path).toBe(200);
      expect(await head.text()).toBe('');
      expect(head.headers.get('Content-Type')).toBe(get.headers.get('Content-Type'));
    }
  });
});

test('a token in an address logs nobody in', async () => {
  const t = await createTestApp();
  const { token } = await t.registerProvider();
  const bearer = `Bearer ${token}`;
  const params = { Authorization: bearer, authorization: bearer, token, access_token: token };
  const query = new URLSearchParams({
    ...params,
    connectionParams: JSON.stringify(params),
    bearer: token,
    lastEventId: '0',
  });
  let tried = 0;
  for (const { method, path, isPublic } of REST_ROUTES) {
    if (isPublic) continue;
    const response = await t.send(`/api${path}?${query}`, {
      method,
      ...(method === 'POST' && { headers: { 'Content-Type': 'application/json' }, body: '{}' }),
    });
    expect(response.status, path).toBe(401);
    tried += 1;
  }
  for (const { path, type } of PROCEDURES) {
    if (['auth.register', 'auth.login', 'qrCodes.lookup'].includes(path)) continue;
    const request =
      type === 'mutation'
        ? { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(params) }
        : {};
    const response = await t.send(`/trpc/${path}?input=%7B%7D&${query}`, request);
    if (type === 'subscription') expect(await codeOf('tRPC', response), path).toBe('not_logged_in');
    else expect(response.status, path).toBe(401);
    tried += 1;
  }
  expect(tried).toBeGreaterThan(10);
  expect((await t.rest('GET', '/auth/me', { headers: { Cookie: `tipwell_token=${token}` } })).status).toBe(
    401,
  );
  expect((await callRest(t, 'GET', '/auth/me', undefined, { token })).status).toBe(200);
});

describe('a tRPC request that cannot be taken apart into calls is refused like any other', () => {
  const json = { 'Content-Type': 'application/json' };
  const tooMany = `/trpc/${Array(11).fill('auth.me').join()}?batch=1`;
  const ROWS: readonly (readonly [string, RequestInit, ErrorCode])[] = [
    ['/trpc/%', {}, 'not_found'],
    ['/trpc/%zz', {}, 'not_found'],
    ['/trpc/%', { method: 'POST', headers: json, body: '{}' }, 'not_found'],
    ['/trpc/%', { method: 'DELETE' }, 'not_found'],
    ['/trpc/%00', {}, 'not_found'],
    ['/trpc', {}, 'not_found'],
    ['/trpc/', {}, 'not_found'],
    [tooMany, {}, 'malformed_request'],
    [`/trpc/${','.repeat(11)}?batch=1`, {}, 'malformed_request'],
    ['/trpc/auth.me,auth.logout?batch=1', {}, 'malformed_request'],
    ['/trpc/auth.me?connectionParams=%7B', {}, 'malformed_request'],
    ['/trpc/auth.me?connectionParams=1', {}, 'malformed_request'],
    ['/trpc/auth.me', { headers: { Accept: 'application/jsonl' } }, 'malformed_request'],
    ['/trpc/auth.me', { headers: { Accept: 'text/html, application/jsonl' } }, 'malformed_request'],
    ['/trpc/auth.me', { headers: { 'trpc-accept': 'application/jsonl' } }, 'malformed_request'],
    ['/trpc/auth.me?batch=0', { headers: { 'trpc-accept': 'application/jsonl' } }, 'malformed_request'],
    ['/trpc/transactions.onTip', { headers: { Accept: 'application/jsonl' } }, 'malformed_request'],
    [
      '/trpc/auth.login',
      { method: 'POST', headers: { ...json, Accept: 'application/jsonl' }, body: '{}' },
      'malformed_request',
    ],
    ['/trpc/auth.me', { headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }, 'not_json'],
    ['/trpc/auth.me', { headers: { 'Content-Type': 'application/octet-stream' } }, 'not_json'],
    ['/trpc/auth.me', { headers: { 'Content-Type': 'application/jsonl' } }, 'not_logged_in'],
    ['/trpc/auth.me?batch=', {}, 'not_logged_in'],
    ['/trpc/auth.me', { method: 'DELETE' }, 'not_json'],
    ['/trpc/auth.login', { method: 'POST', headers: json, body: '{' }, 'malformed_json'],
    [
      '/trpc/auth.login',
      { method: 'POST', headers: json, body: padded(MAX_BODY_BYTES + 1) },
      'body_too_large',
    ],
    [
      '/trpc/auth.login',
      { method: 'POST', headers: { ...json, 'Content-Type': 'application/jsonl' }, body: '{}' },
      'not_json',
    ],
  ];

  test('in JSON that names the request, over a real socket', async () => {
    const t = await createTestApp();
    const server = createServer(getRequestListener(t.app.fetch)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    for (const [path, init, code] of ROWS) {
      const response = await fetch(
        `http://127.0.0.1:${Reflect.get(Object(server.address()), 'port')}${path}`,
        {
          ...init,
          headers: { Connection: 'close', ...init.headers },
        },
      );
      const { status, headers } = response;
      const refused = refusedBy('tRPC', { status, headers, text: await response.text() });
      expect([path.slice(0, 60), refused.code]).toEqual([path.slice(0, 60), code]);
    }
  });

  test('and is written down once, under the same id', async () => {
    const t = await createTestApp();
    const response = await t.send('/trpc/%');
    const id = response.headers.get('X-Request-Id') ?? 'none';
    expect(t.logLines.filter((line) => line.includes(id))).toHaveLength(1);
  });
});

/** Posts a body as JSON unless told otherwise, and answers with the code of the refusal, or null. */
async function post(
  t: TestApp,
  door: Door,
  path: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  headers: Readonly<Record<string, string>> = {},
): Promise<ErrorCode | null> {
  const init: RequestInit & { duplex: 'half' } = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
    duplex: 'half',
  };
  return codeOf(door, await t.send(path, init));
}

async function codeOf(door: Door, response: Response): Promise<ErrorCode | null> {
  if (isEventStream(response)) return (await refusalIn(readStream(response, new AbortController()))).code;
  return outcomesOf(door, await answerOf(response))[0]?.refused?.code ?? null;
}

/** A login that is `bytes` long, with the blanks that JSON allows at its end. */
function padded(bytes: number): string {
  return WRONG_LOGIN.padEnd(bytes);
}

function* chunksOf(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; at += 8_192) yield new TextEncoder().encode(text.slice(at, at + 8_192));
}

function* endless(): Generator<Uint8Array> {
  for (;;) yield new TextEncoder().encode(' '.repeat(8_192));
}

/** A stream that knows how much of it was asked for. */
function counted(chunks: Generator<Uint8Array>) {
  let read = 0;
  const stream = new ReadableStream({
    pull(controller) {
      const { value, done } = chunks.next();
      if (done) return controller.close();
      read += 1;
      controller.enqueue(value);
    },
  });
  return { stream, chunksRead: () => read };
}

/** A registration in the words of the door. */
function registration(
  door: Door,
  username: string,
  role: { isServiceProvider: boolean; serviceCategories?: unknown },
) {
  const email = `${username}@example.com`;
  return door === 'REST'
    ? {
        email,
        username,
        full_name: 'Dee Per',
        password: PASSWORD,
        phone: null,
        is_service_provider: role.isServiceProvider,
        service_categories: role.serviceCategories,
      }
    : { email, username, fullName: 'Dee Per', password: PASSWORD, phone: null, ...role };
}

function prototypes(): unknown {
  return [Object.prototype, Array.prototype, Function.prototype, String.prototype, Promise.prototype].map(
    (prototype) =>
      Reflect.ownKeys(prototype).map((key) => [key, Reflect.getOwnPropertyDescriptor(prototype, key)]),
  );
}
