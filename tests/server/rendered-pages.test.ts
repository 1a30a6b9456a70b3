/**
 * Pages that arrive rendered: who is tipped and how much stands in the HTML itself, whatever names there are;
 * and a shared link says it too.
 */
import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import {
  codeOf,
  dataOf,
  foundBy,
  get,
  metaOf,
  pages,
  serve,
  textOf,
  titleOf,
  unescaped,
} from '#tests/support/rendered-pages.ts';
import { createTestApp } from '#tests/support/test-app.ts';

describe('a tip page', () => {
  test('says who is tipped and how much may be, and so does a link to it', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    const { status, headers, html } = await get(t, `/tip/${code}`);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(headers.get('Cache-Control')).toBe('no-cache');
    expect(headers.get('Vary')).toBe('Accept-Encoding');
    const text = textOf(html);
    for (const part of ['Pat Doe', '@pat', 'Nail Tech', 'Choose an amount', 'Proceed to Payment']) {
      expect(text).toContain(part);
    }
    for (const dollars of [10, 15, 20, 25, 30, 50, 75, 100, 150, 200])
      expect(text).toContain(` $${dollars} `);
    expect(titleOf(html)).toBe('Tip Pat Doe · Tipwell');
    expect(metaOf(html, 'og:title')).toBe('Tip Pat Doe, Nail Tech');
    expect(metaOf(html, 'og:description')).toContain('Pat Doe');
    expect(metaOf(html, 'description')).toBe(metaOf(html, 'og:description'));
    expect(metaOf(html, 'og:url')).toBe(`${PUBLIC_URL}/tip/${code}`);
    expect(metaOf(html, 'og:image')).toBe(`${PUBLIC_URL}/icon-512.png`);
    expect(html).toMatch(/<noscript><p[^>]*>Paying takes JavaScript\./);
  });

  test('carries the look-up along, so that nobody has to ask again', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    const { html } = await get(t, `/tip/${code}`);
    expect(dataOf(html)).toEqual({
      kind: 'found',
      found: await t.trpc().qrCodes.lookup.query({ id: code }),
    });
  });

  test('is the same however its code is typed', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    const { html } = await get(t, `/tip/${code}`);
    const typed = code.replaceAll('1', 'l').replaceAll('0', 'o').toLowerCase();
    for (const path of [
      `/tip/${typed}`,
      `/tip/${typed.slice(0, 5)}-${typed.slice(5)}`,
      `/tip/%20${code}%20`,
      `/tip/${code}/`,
    ]) {
      const other = await get(t, path);
      expect(other.status, path).toBe(200);
      expect(other.html, path).toBe(html);
    }
  });

  test('builds its address on PUBLIC_URL, whatever the request says of its host', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    const { html } = await get(t, `/tip/${code}?from=print`, {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      Forwarded: 'host=evil.example',
    });
    expect(html).not.toContain('evil.example');
    expect(metaOf(html, 'og:url')).toBe(`${PUBLIC_URL}/tip/${code}`);
  });

  test('has the amount that its form was sent with', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    const quick = await get(t, `/tip/${code}?amount=25&other=`);
    expect(quick.html.match(/<input[^>]* checked=""[^>]*>/g)).toEqual([
      expect.stringContaining('value="25"'),
    ]);
    expect(textOf(quick.html)).toContain('Total $26.25');
    const custom = await get(t, `/tip/${code}?other=1234,56`);
    expect(custom.html).not.toContain('checked=""');
    expect(textOf(custom.html)).toContain('Total $1,296.29');
    const wrong = await get(t, `/tip/${code}?other=${encodeURIComponent('"><script>x</script>')}`);
    expect(wrong.html).toContain('value="&quot;&gt;&lt;script&gt;x&lt;/script&gt;"');
    expect(textOf((await get(t, `/tip/${code}`)).html)).not.toContain('Total');
  });

  test('of a demo is rendered too, and keeps what its address says', async () => {
    const t = await createTestApp({ pages });
    const demo = await get(t, '/tip/demo-alex-bartender');
    expect(demo.status).toBe(200);
    expect(textOf(demo.html)).toMatch(/Alex .*@alex .*Bartender .*This is a demo\./);
    expect(titleOf(demo.html)).toBe('Demo tip page, Bartender · Tipwell');
    expect(metaOf(demo.html, 'og:title')).toBe('Demo tip page, Bartender');
    expect(dataOf(demo.html)).toBeNull();
    expect((await get(t, '/tip/%20Demo-alex-bartender%20')).status).toBe(200);
    const madeUp = await get(t, '/tip/anything?userId=sam&service=dj');
    expect(textOf(madeUp.html)).toMatch(/Sam .*@sam .*DJ /);
    expect(metaOf(madeUp.html, 'og:url')).toBe(`${PUBLIC_URL}/tip/demo-sam-dj?userId=sam&service=dj`);
    expect(madeUp.html).toContain('<input type="hidden" name="userId" value="sam"/>');
    expect(madeUp.html).toContain('<input type="hidden" name="service" value="dj"/>');
  });

  test.each([
    '/tip/demo-x?userId=Call-8005551234&service=bartender',
    '/tip/x?userId=Call-8005551234&service=bartender',
    '/tip/demo-Call-8005551234-bartender',
  ])('of a demo says in its title and to those it is shared with nothing that its address made up: %s', async (path) => {
    const t = await createTestApp({ pages });
    const { status, html } = await get(t, path);
    expect(status).toBe(200);
    expect(textOf(html)).toContain('Call-8005551234');
    expect(titleOf(html)).toBe('Demo tip page, Bartender · Tipwell');
    expect(metaOf(html, 'og:title')).toBe('Demo tip page, Bartender');
    for (const name of ['description', 'og:description'])
      expect(metaOf(html, name)).toBe('See how a tip is given. This is a demo: nobody is tipped.');
  });

  test.each([
    '/tip/ZZZZZZZZZZ',
    '/tip/x',
    '/tip/%zz',
    '/tip/demo-alex-plumber',
    '/tip/x?userId=sam&service=plumber',
    '/tip/x?userId=Account%20locked%20-%20call%20555%200100&service=escort',
    '/tip/x?userId=tipwell.support&service=dj',
    '/tip/x?userId=admin&service=dj',
    '/tip/x?userId=al&service=dj',
    `/tip/x?userId=${'x'.repeat(31)}&service=dj`,
    '/tip/x?userId=%E2%80%AEmas&service=dj',
    '/tip/demo-Account%20locked-bartender',
    '/tip/demo-support-bartender',
  ])('says that a code is unknown: %s', async (path) => {
    const t = await createTestApp({ pages });
    const { status, headers, html } = await get(t, path);
    expect(status).toBe(404);
    expect(headers.get('ETag')).toBeNull();
    expect(textOf(html)).toContain('QR Code Not Found');
    expect(textOf(html)).toContain('Go Home');
    expect(titleOf(html)).toBe('QR Code Not Found · Tipwell');
  });

  test('says that it could not be looked up, and offers to try again', async () => {
    const t = await createTestApp({ pages });
    await t.data.setFault('a detail from deep inside');
    const { status, headers, html } = await get(t, '/tip/ZZZZZZZZZZ');
    expect(status).toBe(503);
    expect(headers.get('Retry-After')).toBe('2');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(textOf(html)).toMatch(/Tipwell could not look this code up .*Nothing is lost.*Retry/);
    // Whoever comes back from a payment, or to its receipt, has been charged.
    for (const query of ['', '?payment=txn_1', '?paid=txn_1'])
      expect(textOf((await get(t, `/tip/ZZZZZZZZZZ${query}`)).html)).not.toContain('Nothing was charged');
    expect(textOf((await get(t, '/offline')).html)).not.toContain('Nothing was charged');
    expect(html).not.toMatch(/sqlite|database/i);
    expect((await get(t, '/tip/demo-alex-bartender')).status).toBe(200);
    expect((await get(t, '/')).status).toBe(200);
  });
});

describe('a code that exists', () => {
  const FORGED = [
    '?userId=Account+locked&service=dj',
    '?userId=mallory&service=barber',
    '?userId=mallory&service=plumber',
    '?service=dj&userId=',
    '?amount=&userId=mallory&service=dj',
  ];

  test('is never overridden by what its address says, also on its first visit', async () => {
    for (const forged of FORGED) {
      const t = await createTestApp({ pages });
      const code = await codeOf(t, 'Pat Doe');
      const typed = `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase();
      for (const path of [`/tip/${code}`, `/tip/${typed}`, `/tip/${code}/`]) {
        const { status, html } = await get(t, path + forged);
        expect(status, path + forged).toBe(200);
        expect(html).toBe((await get(t, `/tip/${code}`)).html);
        expect(titleOf(html)).toBe('Tip Pat Doe · Tipwell');
        expect(html).not.toMatch(/mallory|locked/i);
      }
    }
  });

  test('is not overridden by an address that looks like its own either', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    const shown = `${code.slice(0, 5)}-${code.slice(5)}`;
    for (const near of [
      ...['%E2%80%8B', '%2F', '%00', ';a=b', '%2520', '.', ':', '%zz', '%EF%BC%BE'].map((end) => code + end),
      ...['.', '%E2%80%8B', '%2F', `${'-'.repeat(60)}`, `${'%20'.repeat(60)}`].map((start) => start + code),
      `${code.slice(0, 4)}%C2%AD${code.slice(4)}`,
      `${code.slice(0, 4)}.${code.slice(4)}`,
      `${code}-x`,
      `x-${code}`,
      `${shown}-x`,
      `x-${shown}`,
      `${shown.toLowerCase()}-x`,
      `a-${code}-b`,
    ]) {
      const { status, html } = await get(t, `/tip/${near}?userId=Bob.Person&service=bartender`);
      expect(status, near).toBe(404);
      expect(html, near).toBe((await get(t, '/tip/x')).html);
    }
  });

  test('keeps the amount beside it', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    const { html } = await get(t, `/tip/${code}?userId=mallory&service=dj&amount=25`);
    expect(html).toBe((await get(t, `/tip/${code}?amount=25`)).html);
    expect(textOf(html)).toContain('Total $26.25');
  });

  test('that is not there is the demo that its address builds, and says so to the script', async () => {
    const t = await createTestApp({ pages });
    const { status, html } = await get(t, '/tip/ZZZZZZZZZZ?userId=sam&service=dj');
    expect(status).toBe(200);
    expect(textOf(html)).toMatch(/Sam .*@sam .*DJ .*This is a demo\./);
    expect(dataOf(html)).toEqual({ kind: 'unknown' });
    expect((await get(t, '/tip/ZZZZZZZZZZ?userId=sam&service=plumber')).status).toBe(404);
  });

  test.each([
    'anything',
    '%20anything%20',
    'table-7',
    'nonexistent-code',
    'test-provider-1',
    'abc123def456',
    'demo-x',
    'demo-support-bartender',
    'zzzzz-zzzzz',
    '%20z%20ZZZZ-ZZZZ--Z%20',
  ])('leaves any other text to a demo: %s', async (id) => {
    const t = await createTestApp({ pages });
    const { status, html } = await get(t, `/tip/${id}?userId=sam&service=dj`);
    expect(status).toBe(200);
    expect(textOf(html)).toMatch(/Sam .*@sam .*DJ .*This is a demo\./);
  });

  test('is not taken for a demo while it cannot be looked up', async () => {
    const t = await createTestApp({ pages });
    await t.data.setFault('a detail from deep inside');
    const { status, html } = await get(t, '/tip/ZZZZZZZZZZ?userId=mallory&service=dj');
    expect(status).toBe(503);
    expect(html).not.toMatch(/mallory/i);
  });
});

describe('search engines', () => {
  const robotsOf = (html: string) => metaOf(html, 'robots');

  test('may list the landing page', async () => {
    const t = await createTestApp({ pages });
    const { headers, html } = await get(t, '/');
    expect(headers.has('X-Robots-Tag')).toBe(false);
    expect(robotsOf(html)).toBeUndefined();
  });

  test('are told to list no page that is somebody’s, or nobody’s', async () => {
    const t = await createTestApp({ pages });
    const code = await codeOf(t, 'Pat Doe');
    for (const path of [
      `/tip/${code}`,
      '/tip/ZZZZZZZZZZ',
      '/tip/demo-alex-bartender',
      '/auth',
      '/auth?next=/tip/x',
      '/dashboard',
      '/scan',
      '/nowhere',
    ]) {
      const { headers, html } = await get(t, path);
      expect(headers.get('X-Robots-Tag'), path).toBe('noindex');
      expect(html, path).toMatch(/<meta name="robots" content="noindex" ?\/>/);
      expect(headers.get('Cache-Control'), path).toBe('no-cache');
      const known = { 'If-None-Match': headers.get('ETag') ?? '"none"' };
      expect((await get(t, path, known)).headers.get('X-Robots-Tag'), path).toBe('noindex');
    }
    await t.data.setFault('a detail from deep inside');
    expect((await get(t, '/tip/ZZZZZZZZZZ')).headers.get('X-Robots-Tag')).toBe('noindex');
  });

  test('may fetch everything, because a page that they must not fetch cannot tell them so', async () => {
    const t = await createTestApp({ pages });
    const { status, headers, html } = await get(t, '/robots.txt');
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toMatch(/^text\/plain/);
    const rules = html.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules).toEqual(['User-agent: *', 'Disallow:']);
  });
});

/** Each is a full name that the server accepts. */
const HOSTILE = [
  '<script>window.pwned=1</script>',
  '</script><script>window.pwned=1</script>',
  '</title><script>window.pwned=1</script>',
  '<!--<script>',
  '--> Ann',
  '"><svg/onload=window.pwned=1>',
  "' onfocus='window.pwned=1",
  '</style><style>@import"//evil.example/x"</style>',
  '&lt;b&gt; &amp;lt; \\u003c \\',
  '$& $1 $$ <!--head--><!--body--><!--data-->',
  'Łukasz Ωmega 王小明 😀',
];

test.each(HOSTILE)('a name is only ever text: %s', async (name) => {
  const t = await createTestApp({ pages });
  const code = await codeOf(t, name);
  const reference = await get(t, `/tip/${await codeOf(t, 'Plain', 'plain')}`);
  const { html } = await get(t, `/tip/${code}`);
  const tags = (text: string) => text.match(/<\/?[a-z!][a-z0-9-]*/gi);
  expect(tags(html)).toEqual(tags(reference.html));
  expect(titleOf(html)).toBe(`Tip ${name} · Tipwell`);
  expect(metaOf(html, 'og:title')).toBe(`Tip ${name}, Nail Tech`);
  expect(unescaped(/<h1[^>]*><bdi>(.*?)<\/bdi><\/h1>/s.exec(html)?.[1])).toBe(name);
  expect(dataOf(html)).toMatchObject({ found: { serviceProvider: { fullName: name } } });
});

test('the data block cannot be ended or broken by what is in it', async () => {
  const app = new Hono();
  const fullName = '</script><!-- \u2028\u2029 &';
  serve(app, async () => foundBy('0123456789', fullName));
  const html = await (await app.request('/tip/0123456789')).text();
  const block = /<script type="application\/json" id="rendered">(.*?)<\/script>/s.exec(html)?.[1];
  expect(block).not.toMatch(/[<>&\u2028\u2029]/);
  expect(dataOf(html)).toMatchObject({ found: { serviceProvider: { fullName } } });
});

test('the landing page says what Tipwell is, and so does a link to it', async () => {
  const t = await createTestApp({ pages });
  const { status, html } = await get(t, '/');
  expect(status).toBe(200);
  expect(textOf(html)).toMatch(
    /Join the future of cashless tipping.*How it works.*\$10 to \$10,000.*5% \+ 3%/,
  );
  expect(titleOf(html)).toBe('Tipwell - Join the future of cashless tipping');
  expect(metaOf(html, 'description')).toContain('QR code');
  expect(metaOf(html, 'og:title')).toBe('Tipwell - Join the future of cashless tipping');
  expect(metaOf(html, 'og:url')).toBe(`${PUBLIC_URL}/`);
  expect(html).toMatch(/<noscript><p>Logging in and sending tips take JavaScript\./);
});

test('the login has its form, which no browser sends by itself', async () => {
  const t = await createTestApp({ pages });
  const { status, html } = await get(t, '/auth');
  expect(status).toBe(200);
  expect(html).toContain('<title>Login or Sign Up · Tipwell</title>');
  expect(metaOf(html, 'description')).toContain('sign up');
  expect(textOf(html)).toContain('Join the future of cashless tipping');
  expect(html).toMatch(/<noscript><p>Logging in takes JavaScript\./);
  const form = /<form.*<\/form>/s.exec(html)?.[0] ?? '';
  expect(form).toMatch(/^<form[^>]* method="dialog"/);
  expect(form).toMatch(/<input[^>]* type="password"[^>]* name="password"/);
  expect((await t.send('/auth', { method: 'POST' })).status).toBe(405);

  const sent = await get(t, '/auth?next=%2Ftip%2FABCDE12345');
  expect(textOf(sent.html)).toContain('you go straight back to your tip.');
  expect(sent.html).toContain('href="/auth?tab=sign-up&amp;next=%2Ftip%2FABCDE12345"');
  for (const elsewhere of ['/dashboard', '//evil.example/tip/x', '/\\evil.example/tip/x'])
    expect((await get(t, `/auth?next=${encodeURIComponent(elsewhere)}`)).html).not.toContain('your tip');
});

/**
 * How a Content-Security-Policy allows a text that stands in a page
 * (https://www.w3.org/TR/CSP3/#grammardef-hash-source).
 */
function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

describe('a rendered page', () => {
  test.each([
    '/',
    '/auth',
    '/auth?next=/tip/x',
    '/tip/demo-alex-bartender',
    '/tip/x',
  ])('runs no script and has no style but those that the policy allows: %s', async (path) => {
    const t = await createTestApp({ pages });
    const { headers, html } = await get(t, path);
    const policy = headers.get('Content-Security-Policy')?.split('; ') ?? [];
    const sourcesOf = (directive: string) =>
      policy.find((part) => part.startsWith(`${directive} `))?.split(' ') ?? [];

    const styles = Array.from(html.matchAll(/<style>(.*?)<\/style>/gs), ([, css = '']) => css);
    expect(styles).toHaveLength(1);
    for (const style of styles) expect(sourcesOf('style-src')).toContain(hashSource(style));
    expect(html).not.toMatch(/ style="| on[a-z]+="/);

    const scripts = Array.from(
      html.matchAll(/<script([^>]*)>(.*?)<\/script>/gs),
      ([, attributes, content]) => ({
        attributes: attributes ?? '',
        content: content ?? '',
      }),
    );
    const [data, starter, ...others] = scripts;
    expect(others).toEqual([]);
    expect(data?.attributes).toBe(' type="application/json" id="rendered"');
    expect(starter?.attributes).toMatch(/^ type="module" data-scripts="(?:\/assets\/[\w.-]+\.js ?)+"$/);
    // The starter is the same script on every page; the other one that the policy allows is the dashboard's.
    const filler = /<script data-later="[^"]*">(.*?)<\/script>/s.exec((await get(t, '/dashboard')).html)?.[1];
    expect(sourcesOf('script-src').toSorted()).toEqual(
      ["'self'", hashSource(filler ?? ''), hashSource(starter?.content ?? ''), 'script-src'].toSorted(),
    );
    // The page waits for nothing: every style sheet is switched off, and the icon stands in the page.
    const links = Array.from(
      html.matchAll(/<link rel="(.*?)" href="(.*?)"( disabled)?(?: \/)?>/g),
      (found) => found,
    );
    const fetched = links.filter(([, rel, href, disabled]) => {
      const isOnlyNamed = ['canonical', 'apple-touch-icon'].includes(rel ?? '');
      return !isOnlyNamed && disabled === undefined && !href?.startsWith('data:');
    });
    expect(fetched).toEqual([]);
    expect(links.map(([, rel]) => rel)).toContain('icon');
    expect(html.match(/<link /g)).toHaveLength(links.length);
  });

  test('has the policy of every page, and no other answer allows anything inline', async () => {
    const t = await createTestApp({ pages });
    const policiesOf = async (paths: readonly string[]) => {
      const answers = await Promise.all(paths.map((path) => get(t, path)));
      return [...new Set(answers.map(({ headers }) => headers.get('Content-Security-Policy')))];
    };
    const ofPages = await policiesOf(['/', '/auth', '/tip/x', '/dashboard', '/nowhere']);
    const ofOthers = await policiesOf([
      '/icon.svg',
      '/healthz',
      '/api/auth/me',
      '/api/docs',
      '/api/openapi.json',
      '/trpc/auth.me',
    ]);
    expect(ofPages).toHaveLength(1);
    expect(ofOthers).toHaveLength(1);
    expect(ofOthers[0]).not.toContain('sha256-');
    expect(ofPages[0]?.replaceAll(/ 'sha256-[^']+'/g, '')).toBe(ofOthers[0]);
  });

  test('answers HEAD as it would GET, without the body', async () => {
    const t = await createTestApp({ pages });
    for (const path of ['/', '/auth', '/auth?next=/tip/x', '/tip/demo-alex-bartender', '/tip/x']) {
      const { status, headers } = await get(t, path);
      const head = await t.send(path, { method: 'HEAD' });
      expect(head.status).toBe(status);
      expect(await head.text()).toBe('');
      for (const name of ['Content-Type', 'Cache-Control', 'ETag']) {
        expect(head.headers.get(name), `${path} ${name}`).toBe(headers.get(name));
      }
    }
  });
});

test.each([
  '/%74ip/CODE',
  '/%74ip/CODE/',
  '/t%69p/demo-alex-bartender',
  '/%74ip/x?userId=sam&service=dj',
  '/%61uth',
  '/%61uth/',
  '/d%61shboard',
  '/d%61shboard/',
  '/sc%61n',
  '/%6Fffline',
])('an address that the client reads otherwise than the server is nowhere: %s', async (path) => {
  const t = await createTestApp({ pages });
  const code = await codeOf(t, 'Pat Doe');
  const nowhere = await get(t, '/nowhere');
  const { status, html } = await get(t, path.replace('CODE', code));
  expect(status).toBe(404);
  expect(html).toBe(nowhere.html);
});
