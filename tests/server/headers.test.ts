/**
 * Every answer, of every kind, carries the same protection: the content security policy to the letter, no
 * sniffing, no referrer, and nothing of the API kept in a cache. Other origins are let in only when they are
 * configured.
 */
import { createTRPCClient, httpBatchLink, httpBatchStreamLink, httpLink } from '@trpc/client';
import { describe, expect, test } from 'vitest';
import type { AppRouter } from '#server/api/procedures/router.ts';
import { openStream, STREAM_PATHS } from '#tests/support/event-streams.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  'connect-src': ["'self'"],
  'font-src': ["'self'"],
  'manifest-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
};
const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const JSON_TYPE = { 'Content-Type': 'application/json' };

interface Kind {
  readonly name: string;
  readonly status: number;
  readonly path: string;
  readonly init?: RequestInit;
}

const KINDS: readonly Kind[] = [
  { name: 'a description', status: 200, path: '/api/openapi.json' },
  { name: 'a page', status: 200, path: '/api/docs' },
  { name: 'a file', status: 200, path: '/api/docs/swagger-ui.css' },
  { name: 'a probe', status: 200, path: '/healthz' },
  { name: 'a probe of the storage', status: 200, path: '/readyz' },
  { name: 'HEAD', status: 200, path: '/healthz', init: { method: 'HEAD' } },
  { name: 'nobody', status: 401, path: '/api/auth/me' },
  { name: 'nobody through tRPC', status: 401, path: '/trpc/auth.me' },
  { name: 'nothing', status: 404, path: '/nowhere' },
  { name: 'nothing of the API', status: 404, path: '/api/nowhere' },
  { name: 'nothing of tRPC', status: 404, path: '/trpc/nowhere' },
  { name: 'a code that is not there', status: 404, path: '/api/qr-codes/0000000000' },
  { name: 'a broken path', status: 404, path: '/trpc/%zz' },
  { name: 'a method', status: 405, path: '/api/auth/login' },
  { name: 'OPTIONS', status: 405, path: '/api/auth/login', init: { method: 'OPTIONS' } },
  { name: 'a method of tRPC', status: 405, path: '/trpc/auth.login' },
  { name: 'malformed JSON', status: 400, path: '/api/auth/login', init: posting('{') },
  { name: 'malformed JSON of tRPC', status: 400, path: '/trpc/auth.login', init: posting('{') },
  { name: 'too much', status: 413, path: '/api/auth/login', init: posting(' '.repeat(65_537)) },
  { name: 'too much of tRPC', status: 413, path: '/trpc/auth.login', init: posting(' '.repeat(65_537)) },
  { name: 'no JSON', status: 415, path: '/api/auth/login', init: posting('x', 'text/plain') },
  { name: 'no JSON of tRPC', status: 415, path: '/trpc/auth.login', init: posting('x', 'text/plain') },
  { name: 'a broken rule', status: 422, path: '/api/auth/login', init: posting('{}') },
  { name: 'a broken rule of tRPC', status: 422, path: '/trpc/auth.login', init: posting('{}') },
];

describe.each(KINDS)('$name ($status)', ({ status, path, init }) => {
  test('has every protective header', async () => {
    const t = await createTestApp();
    const response = await t.send(path, init);
    expect(response.status).toBe(status);
    expectProtected(response);
    expect(response.headers.get('Strict-Transport-Security')).toBe('max-age=31536000');
    expectNotKept(path, response);
  });
});

describe('the answer of a broken server', () => {
  test.each([
    '/api/qr-codes/0000000000',
    '/trpc/qrCodes.lookup?input=%7B%22id%22%3A%220000000000%22%7D',
  ])('has every protective header, and says nothing of the inside: %s', async (path) => {
    const t = await createTestApp();
    await t.data.setFault('a detail from deep inside');
    const response = await t.send(path);
    expect(response.status).toBe(500);
    expectProtected(response);
    expectNotKept(path, response);
    const text = await response.text();
    expect(text).toContain('Something went wrong on our side. Please try again.');
    expect(text).not.toMatch(/database|sqlite|\.ts|node_modules|stack/i);
    expect(t.logLines.join('')).toContain('unexpected error');
  });

  test('has every protective header while the server stops', async () => {
    const t = await createTestApp({ isShuttingDown: () => true });
    for (const path of ['/api/auth/me', '/trpc/auth.me', '/readyz']) {
      const response = await t.send(path);
      expect(response.status).toBe(503);
      expect(response.headers.get('Retry-After')).toMatch(/^\d+$/);
      expectProtected(response);
    }
  });
});

test('an answer to somebody logged in is protected and not kept', async () => {
  const t = await createTestApp();
  const { provider, code } = await t.setTheScene();
  const headers = { Authorization: `Bearer ${provider.token}` };
  for (const path of [
    '/api/auth/me',
    '/api/qr-codes',
    `/api/qr-codes/${code.id}`,
    '/api/transactions',
    '/trpc/auth.me',
    '/trpc/auth.me,qrCodes.list?batch=1&input=%7B%7D',
  ]) {
    const response = await t.send(path, { headers });
    expect(response.status, path).toBe(200);
    expectProtected(response);
    expectNotKept(path, response);
  }
  for (const door of ['REST', 'tRPC'] as const) {
    const stream = await openStream(t.send, door, { token: provider.token });
    expect(stream.response.status).toBe(200);
    expectProtected(stream.response);
    expectNotKept(STREAM_PATHS[door], stream.response);
    await stream.close();
  }
  const logout = await t.send('/api/auth/logout', { method: 'POST', headers: { ...headers, ...JSON_TYPE } });
  expect(logout.status).toBe(204);
  expectProtected(logout);
  expectNotKept('/api', logout);
});

test('HSTS is promised by an https address only', async () => {
  const http = await createTestApp({ config: { publicUrl: 'http://tips.example.com' } });
  for (const { path, init } of KINDS) {
    expect((await http.send(path, init)).headers.has('Strict-Transport-Security'), path).toBe(false);
  }
});

test('each request has an id of its own, which nobody can choose', async () => {
  const t = await createTestApp();
  const chosen = '11111111-1111-4111-8111-111111111111';
  const ids = new Set<string | null>();
  for (let request = 0; request < 5; request += 1) {
    ids.add((await t.send('/healthz', { headers: { 'X-Request-Id': chosen } })).headers.get('X-Request-Id'));
  }
  expect(ids.size).toBe(5);
  expect(ids).not.toContain(chosen);
});

test('no answer says what it is made with', async () => {
  const t = await createTestApp();
  for (const { path, init } of KINDS) {
    const { headers } = await t.send(path, init);
    expect(headers.has('X-Powered-By')).toBe(false);
    expect(headers.has('Server')).toBe(false);
  }
});

describe('other origins', () => {
  const FRIEND = 'https://app.example.com';
  const OTHERS = [
    'https://evil.example.com',
    'https://app.example.com.evil.com',
    'http://app.example.com',
    'null',
  ];
  const PATHS = ['/api/auth/me', '/api/openapi.json', '/api/nowhere', '/trpc/auth.me', '/trpc/nowhere'];

  test('are kept out unless they are configured', async () => {
    const t = await createTestApp();
    for (const path of [...PATHS, '/healthz']) {
      for (const origin of [FRIEND, ...OTHERS, 'https://tips.example.com']) {
        expect(corsHeaders(await t.send(path, { headers: { Origin: origin } }))).toEqual({});
        const preflight = await t.send(path, preflightFrom(origin));
        expect(corsHeaders(preflight)).toEqual({});
      }
    }
  });

  test('that are configured may call both doors, and only exactly those', async () => {
    const t = await createTestApp({ config: { corsOrigins: [FRIEND, 'http://localhost:5173'] } });
    for (const path of PATHS) {
      for (const origin of [FRIEND, 'http://localhost:5173']) {
        const answer = await t.send(path, { headers: { Origin: origin } });
        expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(origin);
        expect(answer.headers.get('Vary')).toMatch(/\borigin\b/i);
        expect(answer.headers.get('Access-Control-Expose-Headers')?.split(',').sort()).toEqual([
          'Content-Disposition',
          'Link',
          'RateLimit',
          'RateLimit-Policy',
          'Retry-After',
          'X-Request-Id',
        ]);
        expectProtected(answer);
      }
      for (const origin of [...OTHERS, `${FRIEND}/`, FRIEND.toUpperCase()]) {
        const answer = await t.send(path, { headers: { Origin: origin } });
        expect(answer.headers.has('Access-Control-Allow-Origin'), origin).toBe(false);
        const preflight = await t.send(path, preflightFrom(origin));
        expect(preflight.headers.has('Access-Control-Allow-Origin'), origin).toBe(false);
      }
    }
  });

  test('that are configured get a preflight for exactly the headers that the API reads', async () => {
    const t = await createTestApp({ config: { corsOrigins: [FRIEND] } });
    for (const path of ['/api/transactions', '/trpc/transactions.create']) {
      const answer = await t.send(path, preflightFrom(FRIEND));
      expect(answer.status).toBe(204);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(FRIEND);
      expect(answer.headers.get('Access-Control-Allow-Headers')?.split(',').sort()).toEqual([
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'Last-Event-ID',
        'trpc-accept',
      ]);
      expect(answer.headers.get('Access-Control-Allow-Methods')?.split(',')).toEqual(
        expect.arrayContaining(['POST']),
      );
      expect(answer.headers.get('Access-Control-Max-Age')).toBe('600');
      expectProtected(answer);
    }
  });

  test.each([
    ['httpLink', httpLink],
    ['httpBatchLink', httpBatchLink],
    ['httpBatchStreamLink', httpBatchStreamLink],
  ])('that are configured may send what tRPC’s client sends with %s', async (_, linkTo) => {
    const t = await createTestApp({ config: { corsOrigins: [FRIEND] } });
    const { token } = await t.registerCustomer();
    const sent: Request[] = [];
    const client = createTRPCClient<AppRouter>({
      links: [
        linkTo({
          url: 'http://localhost/trpc',
          headers: { Authorization: `Bearer ${token}` },
          fetch(url, init) {
            const made = { ...init, signal: null } as RequestInit;
            sent.push(new Request(String(url), made));
            return t.send(String(url), made);
          },
        }),
      ],
    });
    await client.auth.me.query();
    await client.auth.logout.mutate();
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'POST']);
    for (const { url, method, headers } of sent) {
      const preflight = await t.send(new URL(url).pathname, {
        method: 'OPTIONS',
        headers: { Origin: FRIEND, 'Access-Control-Request-Method': method },
      });
      const allowed = (preflight.headers.get('Access-Control-Allow-Headers') ?? '').toLowerCase().split(',');
      expect(allowed).toEqual(expect.arrayContaining([...headers.keys()]));
    }
  });

  test('that are configured hear of OPTIONS which methods an address has, and of none where there is nothing', async () => {
    const t = await createTestApp({ config: { corsOrigins: [FRIEND] } });
    for (const [path, methods] of [
      ['/api/transactions', 'GET, HEAD, POST'],
      ['/api/qr-codes/7K3MX9Q2AB/photo', 'PUT, DELETE'],
      ['/api/openapi.json', 'GET, HEAD'],
      ['/trpc/transactions.create', 'POST'],
      ['/trpc/auth.me', 'GET, HEAD'],
    ] as const)
      for (const init of [preflightFrom(FRIEND), { method: 'OPTIONS' }]) {
        const answer = await t.send(path, init);
        expect([answer.status, answer.headers.get('Allow')], path).toEqual([204, methods]);
        expect(answer.headers.get('Access-Control-Allow-Methods')?.split(',').join(', ')).toBe(methods);
        expect([await answer.text(), answer.headers.get('Content-Type')]).toEqual(['', null]);
        expectProtected(answer);
      }
    for (const path of ['/api/nowhere', '/api/transactions/a/b/c', '/trpc/nowhere']) {
      const answer = await t.send(path, preflightFrom(FRIEND));
      expect([answer.status, answer.headers.get('Allow')], path).toEqual([404, null]);
    }
  });

  test('never get credentials, and nothing outside the two doors', async () => {
    const t: TestApp = await createTestApp({ config: { corsOrigins: [FRIEND] } });
    for (const path of [...PATHS, '/healthz', '/readyz', '/']) {
      const answer = await t.send(path, { headers: { Origin: FRIEND } });
      expect(answer.headers.has('Access-Control-Allow-Credentials')).toBe(false);
      if (!PATHS.includes(path)) expect(corsHeaders(answer), path).toEqual({});
    }
  });
});

function posting(body: string, type = 'application/json'): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': type }, body };
}

function preflightFrom(origin: string): RequestInit {
  const headers = {
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
  };
  return { method: 'OPTIONS', headers };
}

function expectProtected({ headers }: Response): void {
  const policy = (headers.get('Content-Security-Policy') ?? '')
    .split(';')
    .map((part) => part.trim().split(/\s+/));
  expect(Object.fromEntries(policy.map(([directive, ...sources]) => [directive, sources]))).toEqual(POLICY);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('X-Frame-Options')).toBe('DENY');
  expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
  expect(headers.get('X-Request-Id')).toMatch(REQUEST_ID);
}

/** No answer of the API may be kept but the files of its description. */
function expectNotKept(path: string, { headers }: Response): void {
  if (!/^\/(?:api|trpc|healthz|readyz)/.test(path) || /^\/api\/(?:docs|openapi)/.test(path)) return;
  expect(headers.get('Cache-Control')).toBe('no-store');
}

function corsHeaders({ headers }: Response): object {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}
