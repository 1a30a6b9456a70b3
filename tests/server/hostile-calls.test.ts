/**
 * Calls that no client of ours makes: batches that are too large or mixed, foreign methods, tokens in
 * addresses, and what tRPC cannot take apart. None of them happens.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { answerOf, callRest, outcomesOf, PROCEDURES, refusedBy } from '#tests/support/both-doors.ts';
import { codeOf, isEventStream, readStream } from '#tests/support/event-streams.ts';
import { UNSENT } from '#tests/support/mail-server.ts';
import { createTestApp } from '#tests/support/test-app.ts';

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
  test('other than that of a procedure are refused for every procedure, and nothing happens', async () => {
    const t = await createTestApp();
    const { token } = await t.registerProvider();
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    for (const { path, type } of PROCEDURES) {
      const foreign = type === 'mutation' ? { headers } : { method: 'POST', headers, body: '{}' };
      // RFC 9110, section 15.5.6. A stream says what it refuses in its first event.
      const expectAllow = ({ status, headers }: Response) =>
        expect([path, status, headers.get('Allow')]).toEqual(
          status === 200 ? [path, 200, null] : [path, 405, type === 'mutation' ? 'POST' : 'GET, HEAD'],
        );
      for (const batch of ['', '?batch=1']) {
        const response = await t.send(`/trpc/${path}${batch}`, foreign);
        expect(await codeOf('tRPC', response), path).toBe('method_not_allowed');
        expectAllow(response);
      }
      for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const body = method === 'OPTIONS' ? null : '{}';
        const response = await t.send(`/trpc/${path}`, { method, headers, body });
        expect(await codeOf('tRPC', response), `${method} ${path}`).toBe('method_not_allowed');
        expectAllow(response);
      }
      expect(await (await t.send(`/trpc/${path}`, { method: 'HEAD', headers })).text(), path).toBe('');
      expect((await t.rest('GET', '/auth/me', { token })).status, path).toBe(200);
    }
  });

  const methodsByPath = new Map<string, string[]>(
    [
      '/healthz',
      '/readyz',
      '/api/openapi.json',
      '/api/docs',
      '/api/docs/start.js',
      '/api/docs/swagger-ui.css',
      '/api/docs/swagger-ui-bundle.js',
    ].map((path) => [path, ['GET', 'HEAD']]),
  );
  for (const { path, method } of ENDPOINTS) {
    const methods = methodsByPath.get(`/api${path}`) ?? [];
    methodsByPath.set(`/api${path}`, [...methods, ...(method === 'GET' ? ['GET', 'HEAD'] : [method])]);
  }

  test('that an address does not answer are refused with those that it does, at every address', async () => {
    const t = await createTestApp();
    for (const [path, own] of methodsByPath) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'ODD']) {
        if (own.includes(method)) continue;
        const body = ['GET', 'HEAD', 'OPTIONS', 'ODD'].includes(method) ? null : '{}';
        const headers = { 'Content-Type': 'application/json' };
        const response = await t.send(path, { method, body, headers });
        expect(response.status, `${method} ${path}`).toBe(405);
        expect(response.headers.get('Allow')?.split(', ').sort(), `${method} ${path}`).toEqual(own.sort());
        if (method !== 'HEAD') expect(await codeOf('REST', response)).toBe('method_not_allowed');
      }
    }
  });

  test.each([
    ['', []],
    [', where pages of other origins may call', ['https://app.example.com']],
  ])('HEAD is answered like GET, without the body%s', async (_, corsOrigins) => {
    const t = await createTestApp({ config: { mail: UNSENT, corsOrigins } });
    const { provider, customer, code } = await t.setTheScene();
    const { id: transactionId } = await customer.trpc.transactions.create.mutate({
      receiverQrId: code.id,
      amountCents: 1_000,
      serviceCategory: 'bartender' as const,
    });
    const headers = { Authorization: `Bearer ${provider.token}` };
    await provider.trpc.qrCodes.update.mutate({ id: code.id, isListed: true });
    const webhook = await provider.trpc.webhooks.add.mutate({
      url: 'https://till.example.com/tipwell',
      events: ['tip.received'],
    });
    const paths = ENDPOINTS.filter(({ method }) => method === 'GET').map(({ path }) => `/api${path}`);
    for (const path of [...paths, '/api/openapi.json', '/api/docs', '/healthz', '/readyz']) {
      const address = path
        .replace(':transaction_id', transactionId)
        .replace(':qr_code_id', code.id)
        .replace(':username', provider.user.username)
        .replace(':webhook_id', webhook.id)
        .replace(':file', 'code.svg')
        .replace('summary', 'summary?time_zone=UTC')
        .replace('insights', 'insights?from=2026-05-01&to=2026-05-31');
      const hangUp = new AbortController();
      const [head, get] = [
        await t.send(address, { method: 'HEAD', headers }),
        await t.send(address, { headers, signal: hangUp.signal }),
      ];
      if (isEventStream(get)) await readStream(get, hangUp).close();
      // Simulated payments have no account with a balance.
      const status = path === '/api/payments/balance' ? 409 : 200;
      expect(head.status, path).toBe(status);
      expect(get.status, path).toBe(status);
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
  for (const { method, path, callers } of ENDPOINTS) {
    if (callers === 'everybody') continue;
    const response = await t.send(`/api${path}?${query}`, {
      method,
      ...(['POST', 'PATCH'].includes(method) && {
        headers: { 'Content-Type': 'application/json' },
        body: '{}',
      }),
    });
    // None of these is a parameter.
    expect(response.status, path).toBe(422);
    tried += 1;
  }
  for (const { path, type } of PROCEDURES) {
    if (ENDPOINTS.some(({ procedure, callers }) => procedure === path && callers === 'everybody')) continue;
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
      { method: 'POST', headers: json, body: '{}'.padEnd(64 * 1024 + 1) },
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
      const refused = refusedBy('tRPC', await answerOf(response));
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
