/**
 * Rendered pages are kept: by the server, which renders what means the same once, and by browsers, which are
 * sent nothing twice.
 */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import type { Lookup } from '#shared/rendered-page.ts';
import { codeOf, foundBy, get, pages, renderings, serve, textOf } from '#tests/support/rendered-pages.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

describe('what means the same', () => {
  /** Asks for the first, and then for the others, which are the very same page and are not rendered. */
  async function expectOnePage(t: TestApp, [first = '', ...others]: readonly string[]) {
    const { status, html, headers } = await get(t, first);
    const before = renderings.count;
    for (const path of others) {
      const other = await get(t, path);
      expect(other.status, path).toBe(status);
      expect(other.html, path).toBe(html);
      expect(other.headers.get('ETag'), path).toBe(headers.get('ETag'));
    }
    expect(renderings.count - before, first).toBe(0);
  }

  test.each([
    ['the landing page', ['/', '/?x=1', '/?next=/tip/x', '/?%zz', '/?']],
    [
      'the login',
      ['/auth', '/auth?x=1', '/auth?next=/dashboard', '/auth?next=//evil.example/tip/x', '/auth?next='],
    ],
    [
      'the login that a tip page leads to',
      ['/auth?next=/tip/ABCDE12345', '/auth?x&next=%2Ftip%2FABCDE12345&tab=login'],
    ],
    [
      'a text that is no code',
      ['/tip/x', '/tip/y?z', '/tip/%zz', '/tip/x?userId=sam&service=plumber', '/tip/ZZZZZZZZZZ'],
    ],
    [
      'a code that is unknown',
      ['/tip/ZZZZZZZZZZ', '/tip/zzzzz-zzzz1', '/tip/0123456789?x=1', '/tip/ZZZZZZZZZZ?amount=25'],
    ],
    ['a demo', ['/tip/demo-alex-bartender', '/tip/%20Demo-alex-BARTENDER%20/?x=1']],
    ['a demo of an address', ['/tip/x?userId=sam&service=dj', '/tip/y/?service=dj&userId=%20sam&x=1']],
  ])('is one page, rendered at most once: %s', async (_, paths) => {
    await expectOnePage(await createTestApp({ pages }), paths);
  });

  test('is one page of a code, with the amount or without', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    await expectOnePage(
      t,
      ['', '?x=1', '?from=print&utm_source=card', '?amount=', '?%zz'].map((x) => `/tip/${code}${x}`),
    );
    await expectOnePage(
      t,
      ['?amount=25', '?amount=25&other=', '?amount=10&other=25', '?other=$25.00', '?x&amount=25'].map(
        (x) => `/tip/${code}${x}`,
      ),
    );
  });

  test('is asked of the renderer without what anybody may add', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    for (const path of [
      `/tip/${code}?evil`,
      '/auth?evil',
      '/?evil',
      '/tip/demo-sam-dj?evil',
      '/tip/nobody?evil',
    ])
      expect((await get(t, path)).html, path).not.toContain('evil');
  });
});

test('a page that was open during an upgrade finds its parts, and everything else is of now', async () => {
  const t = await createTestApp({ pages });
  const part = await get(t, '/assets/gone-a1b2c3.js');
  expect(part.status).toBe(200);
  expect(part.html).toBe('of the build before');
  expect(part.headers.get('Content-Type')).toMatch(/^text\/javascript/);
  expect(part.headers.get('Cache-Control')).toContain('immutable');
  expect((await get(t, '/icon.svg')).html).toContain('<svg');
  expect((await get(t, '/gone.txt')).status).toBe(404);
});

describe('what somebody has already', () => {
  const PATHS = [
    '/',
    '/auth',
    '/dashboard',
    '/scan',
    '/tip/demo-alex-bartender',
    '/icon.svg',
    '/icon-192.png',
  ];

  test.each(PATHS)('is not sent again: %s', async (path) => {
    const t = await createTestApp({ pages });
    const { status, headers } = await get(t, path);
    const etag = headers.get('ETag') ?? '';
    expect(status).toBe(200);
    expect(etag).toMatch(/^"[\w-]{27}"$/);
    expect(headers.get('Cache-Control')).toBe('no-cache');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(t, path, { 'If-None-Match': known });
      expect(again.status, known).toBe(304);
      expect(again.html).toBe('');
      expect(again.headers.get('ETag')).toBe(etag);
      expect(again.headers.get('Cache-Control')).toBe('no-cache');
      expect(again.headers.get('Vary')).toBe('Accept-Encoding');
      // The headers of a 304 replace those that the browser kept (RFC 9111, section 3.2).
      for (const [name, value] of again.headers) {
        if (name !== 'x-request-id') expect(value, name).toBe(headers.get(name));
      }
    }
    for (const known of ['"other"', etag.slice(1, -1), '']) {
      expect((await get(t, path, { 'If-None-Match': known })).status, known).toBe(200);
    }
  });

  test('has a tag for each encoding, and unpacks to the same', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    for (const path of ['/', '/auth', `/tip/${code}`, `/tip/${code}?amount=25`, '/icon.svg']) {
      const plain = await t.send(path);
      const content = Buffer.from(await plain.arrayBuffer());
      const tags = new Set([plain.headers.get('ETag')]);
      for (const [encoding, unpack] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const packed = await t.send(path, { headers: { 'Accept-Encoding': encoding } });
        expect(packed.headers.get('Content-Encoding'), path).toBe(encoding);
        const body = Buffer.from(await packed.arrayBuffer());
        expect(body.length).toBeLessThan(content.length);
        expect(unpack(body).equals(content), path).toBe(true);
        const etag = packed.headers.get('ETag') ?? '';
        tags.add(etag);
        const again = await get(t, path, { 'Accept-Encoding': encoding, 'If-None-Match': etag });
        expect(again.status).toBe(304);
      }
      expect(tags.size, path).toBe(3);
    }
  });

  test('is another page for another code', async () => {
    const t = await createTestApp({ pages });
    const one = await get(t, `/tip/${await codeOf(t, 'Pat Doe')}`);
    const other = await get(t, `/tip/${await codeOf(t, 'Sam Roe', 'sam')}`, {
      'If-None-Match': one.headers.get('ETag') ?? '',
    });
    expect(other.status).toBe(200);
    expect(textOf(other.html)).toContain('Sam Roe');
  });
});

/** So many pages of codes are kept, and more than of any other kind that is the same for everybody. */
const KEPT_OF_CODES = 500;
const MADE_UP = 30;

test('a page of a code is kept, however many other pages somebody makes up, an unknown or failed one is not, and not too many are', async () => {
  const app = new Hono();
  const isCode = (qrId: string) => /^\d{10}$/.test(qrId);
  let answer: Lookup | null = { kind: 'unknown' };
  serve(
    app,
    async (_, qrId) => answer ?? (isCode(qrId) ? foundBy(qrId, `Provider ${qrId}`) : { kind: 'unknown' }),
  );
  const code = (index: number) => String(index).padStart(10, '0');
  const ask = async (path: string) => (await app.request(path)).status;
  const askFor = (index: number) => ask(`/tip/${code(index)}`);
  expect(await askFor(0)).toBe(404);
  answer = { kind: 'failed', detail: null };
  expect(await askFor(0)).toBe(503);
  answer = null;
  let renderedBefore = renderings.count;
  const rendered = () => {
    const count = renderings.count - renderedBefore;
    renderedBefore = renderings.count;
    return count;
  };
  expect(await askFor(0)).toBe(200);
  expect(await askFor(0)).toBe(200);
  expect(rendered()).toBe(1);

  for (let other = 1; other < KEPT_OF_CODES; other += 1) await askFor(other);
  expect(rendered()).toBe(KEPT_OF_CODES - 1);
  const common = ['/auth', '/auth?tab=sign-up', '/tip/unknown', '/tip/ZZZZZZZZZZ'];
  for (const path of common) await ask(path);
  for (let index = 0; index < MADE_UP; index += 1) {
    await ask(`/tip/demo-guest${index}-dj`);
    await ask(`/tip/x?userId=guest${index}&service=dj`);
    await ask(`/tip/${code(0)}?other=1${index}`);
  }
  expect(rendered()).toBeGreaterThanOrEqual(3 * MADE_UP);
  // In the order of their last use, so that each would have been the next to go.
  for (let index = 0; index < KEPT_OF_CODES; index += 1) await askFor(index);
  for (const path of common) await ask(path);
  expect(rendered()).toBe(0);

  await askFor(KEPT_OF_CODES);
  expect(rendered()).toBe(1);
  await askFor(0);
  expect(rendered()).toBe(1);
});

describe('of many pages that nobody keeps', () => {
  const flood = (app: Hono, from: string, count: number) =>
    Array.from({ length: count }, async (_, index) =>
      app.request(`/auth?next=/tip/${from}${index}`, { headers: { From: from } }),
    );
  const createApp = () => {
    const app = new Hono();
    serve(
      app,
      async () => ({ kind: 'unknown' }),
      (c) => c.req.header('From') ?? '',
    );
    return app;
  };

  test('one is rendered in a turn of the event loop, however many are asked for at once', async () => {
    const asked = flood(createApp(), 'flood', 30);
    const answered = Promise.all(asked).then((answers) => answers.map(({ status }) => status));
    const before = renderings.count;
    let most = 0;
    for (let last = before; last < before + 30; ) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, renderings.count - last);
      last = renderings.count;
    }
    expect(await answered).toEqual(Array(30).fill(200));
    expect(most).toBe(1);
  });

  test('networks take turns, whatever each of them asks for', async () => {
    const app = createApp();
    let done = 0;
    const asked = flood(app, 'flooding', 30).map((page) =>
      page.then(() => {
        done += 1;
      }),
    );
    await Promise.all(flood(app, 'somebody', 1));
    expect(done).toBeLessThan(5);
    await Promise.all(asked);
  });
});

test('a page that was rendered for a code is answered only while it shows what the look-up finds', async () => {
  const app = new Hono();
  let answer = foundBy('0000000000', 'Pat Doe');
  serve(app, async () => answer);
  const textAt = async (search: string) =>
    textOf(await (await app.request(`/tip/0000000000${search}`)).text());
  for (const search of ['', '?amount=25']) {
    answer = foundBy('0000000000', 'Pat Doe');
    expect(await textAt(search)).toContain('Pat Doe');
    answer = foundBy('0000000000', 'Pat Roe');
    expect(await textAt(search)).toContain('Pat Roe');
    expect(await textAt(search)).not.toContain('Pat Doe');
    answer = { kind: 'unknown' };
    expect((await app.request(`/tip/0000000000${search}`)).status).toBe(404);
  }
});
