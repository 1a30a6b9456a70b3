/**
 * The built client as the production server hands it out: its screens, assets that may be kept for ever, each
 * in the encoding that the browser asked for, and nothing that lies outside the client's folder.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { PAGE_PATHS } from '#shared/page-paths.ts';
import { get, type PlainAnswer } from '#tests/support/http-get.ts';
import { type RunningServer, startServer } from '#tests/support/running-server.ts';

const SCREENS = [
  ...Object.values(PAGE_PATHS),
  '/transactions/txn_00000000000000000000000000',
  '/transactions/anything',
  '/tip/x?userId=sam&service=dj',
  '/tip/demo-alex-bartender',
];
const TYPES: Readonly<Record<string, RegExp>> = {
  css: /^text\/css/,
  js: /^text\/javascript/,
  woff2: /^font\/woff2$/,
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

let server: RunningServer;
let assets: readonly string[];

beforeAll(async () => {
  server = await startServer({ PUBLIC_URL: 'https://tips.example.com' });
  const pages = await Promise.all(SCREENS.map((path) => get(server.port, path)));
  const named = pages.flatMap(({ body }) => body.toString().match(/\/assets\/[\w.-]+/g) ?? []);
  assets = [...new Set(named)];
});

describe('a screen', () => {
  test.each(
    SCREENS,
  )('%s is a page that is asked for again each time, keeps its query to itself, and may use the camera', async (path) => {
    const asked = `${path}${path.includes('?') ? '&' : '?'}next=/tip/x&tab=of-nobody&%zz`;
    for (const address of [path, asked]) {
      const answer = await get(server.port, address);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toMatch(/^text\/html; ?charset=utf-8$/i);
      expect(answer.headers['cache-control']).toBe('no-cache');
      // No site in a frame of it may.
      expect(answer.headers['permissions-policy']).toBe('camera=(self)');
      expect(answer.body.toString()).toMatch(/^<!doctype html>\s*<html lang="en"/i);
      expect(answer.body.toString()).not.toMatch(/tab=of-nobody|%zz/);
      expectProtected(answer);
    }
  });

  test.each(SCREENS)('%s takes nothing that is sent to it, and answers HEAD without a body', async (path) => {
    const { status, headers } = await get(server.port, path, { method: 'POST' });
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, HEAD');
    const answer = await get(server.port, path, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.body).toHaveLength(0);
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
  });
});

test.each([
  ...Object.values(PAGE_PATHS).filter((path) => path !== PAGE_PATHS.home),
  '/transactions/txn_1',
])('%s with a slash at its end leads there', async (path) => {
  const answer = await get(server.port, `${path}/?next=/tip/x`);
  expect(answer.status).toBe(301);
  expect(answer.headers.location).toBe(`${path}?next=/tip/x`);
});

describe('an unknown address', () => {
  test.each([
    '/nowhere',
    '/tips',
    '/t%69p',
    '/tip/a/b',
    '/dashboard/settings',
    '/transactions',
    '/transactions/',
    '/transactions/a/b',
    '/auth/x',
    '/assets/nothing-00000000.js',
    '/assets/',
    '/favicon.ico.php',
    '/wp-login.php',
    '/.env',
    '/.git/config',
    '/%zz',
    '/%00',
    `/${'a'.repeat(2_000)}`,
  ])('%s is a page with status 404, which nobody keeps', async (path) => {
    const answer = await get(server.port, path);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect(answer.headers['cache-control']).toBe('no-cache');
    expectProtected(answer);
  });

  test('is a problem below /api, and JSON below /trpc', async () => {
    const api = await get(server.port, '/api/unknown');
    expect(api.status).toBe(404);
    expect(api.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(api.body.toString())).toMatchObject({ code: 'not_found', status: 404 });
    const trpc = await get(server.port, '/trpc/unknown');
    expect(trpc.status).toBe(404);
    expect(JSON.parse(trpc.body.toString())).toMatchObject({ error: { data: { errorCode: 'not_found' } } });
  });

  test('is unknown to POST as well', async () => {
    expect((await get(server.port, '/nowhere', { method: 'POST' })).status).toBe(404);
  });
});

describe('an asset', () => {
  test('is there for each that the page names, with its type, and may be kept for ever', async () => {
    expect(assets.length).toBeGreaterThan(0);
    for (const path of assets) {
      const answer = await get(server.port, path);
      expect(answer.status, path).toBe(200);
      expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(answer.headers['content-type'], path).toMatch(TYPES[path.replace(/^.*\./, '')] ?? /^$/);
      expect(answer.headers['content-encoding']).toBeUndefined();
      expectProtected(answer);
    }
  });

  test('has a name that changes with its content', () => {
    for (const path of assets) expect(path).toMatch(/-[\da-f]{7}\.(?:js|css|woff2)$/);
  });
});

test('the service worker is asked for again each time, and changes with the pages that it keeps', async () => {
  const [worker, pages, offline, dashboard] = await Promise.all(
    ['/service-worker.js', '/dashboard-pages.js', '/offline', '/dashboard'].map((path) =>
      get(server.port, path),
    ),
  );
  for (const answer of [worker, pages]) {
    expect(answer?.status).toBe(200);
    expect(answer?.headers['content-type']).toMatch(TYPES['js'] ?? /^$/);
    expect(answer?.headers['cache-control']).toBe('no-cache');
    if (answer) expectProtected(answer);
  }
  const tagOf = (answer?: PlainAnswer) => String(answer?.headers.etag).replaceAll('"', '');
  expect(worker?.body.toString()).toContain(`/dashboard-pages.js?${tagOf(offline)}${tagOf(dashboard)}'`);
  const text = pages?.body.toString() ?? '';
  expect(text).toContain(`VERSION = '${tagOf(offline)}';`);
  expect(text).toContain(`'dashboard-${tagOf(dashboard)}'`);
  // What it keeps is there to be kept.
  const files: unknown = JSON.parse(/DASHBOARD_FILES = (\[.*?\]);/.exec(text)?.[1] ?? '[]');
  expect(files).toContainEqual(expect.stringMatching(/^\/assets\/shift-[\w-]+\.js$/));
  for (const path of Array.isArray(files) ? files : [])
    expect((await get(server.port, String(path))).status, String(path)).toBe(200);
});

test('without a brand of its own, files and pages are what the build made, byte for byte', async () => {
  const bytesOf = async (path: string) => (await get(server.port, path)).body;
  const built = (file: string) => readFileSync(join('dist/client', file));
  expect((await bytesOf('/scan')).equals(built('index.html'))).toBe(true);
  for (const file of [
    'manifest.webmanifest',
    'icon.svg',
    'icon-512.png',
    'badge-96.png',
    'apple-touch-icon.png',
  ])
    expect((await bytesOf(`/${file}`)).equals(built(file)), file).toBe(true);
  // What stands between the marks of a template is written into it, and nothing else.
  const parts = built('templates/offline.html')
    .toString()
    .split(/<!--\w+-->/);
  const offline = (await bytesOf('/offline')).toString();
  let at = 0;
  for (const part of parts) {
    const found = offline.indexOf(part, at);
    expect(found).toBeGreaterThanOrEqual(at);
    at = found + part.length;
  }
  expect(at).toBe(offline.length);
});

test('the page for having no connection needs none', async () => {
  const answer = await get(server.port, '/offline');
  expect(answer.status).toBe(200);
  expect(answer.headers['x-robots-tag']).toBe('noindex');
  expectProtected(answer);
  const html = answer.body.toString();
  expect(html).toContain('Tipwell cannot be reached');
  expect(html).not.toMatch(/<script|<link rel="stylesheet"|<img|url\(|<!--|id="rendered"/);
  const led = Array.from(html.matchAll(/<(\w+)[^>]* (?:href|src)="([^"]*)"/g), ([, tag, to]) => [tag, to]);
  expect(led.filter(([tag]) => tag !== 'link')).toEqual([['a', '']]);
  const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(answer.headers['content-security-policy']).toContain(`'sha256-${hash}'`);
});

describe('a page or an asset comes packed', () => {
  const unpack: Readonly<Record<string, (body: Buffer) => Buffer>> = {
    br: brotliDecompressSync,
    gzip: gunzipSync,
  };
  const varies = ({ headers }: PlainAnswer, label: string) =>
    expect(headers.vary, label).toMatch(/\baccept-encoding\b/i);

  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
  ])('for Accept-Encoding: %s, and says, as it does plain, that it depends on that', async (accepted, encoding) => {
    for (const path of ['/', '/dashboard', ...assets.filter((path) => !path.endsWith('.woff2'))]) {
      const plain = await get(server.port, path);
      const packed = await get(server.port, path, { headers: { 'Accept-Encoding': accepted } });
      expect(packed.status, path).toBe(200);
      expect(packed.headers['content-encoding'], path).toBe(encoding);
      expect(unpack[encoding]?.(packed.body).equals(plain.body), path).toBe(true);
      expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
      expect(packed.headers['cache-control']).toBe(plain.headers['cache-control']);
      for (const answer of [plain, packed]) varies(answer, path);
      expectProtected(packed);
    }
  });

  /** A page, and one asset of each type. */
  const oneOfEach = () => [
    '/',
    ...Object.keys(TYPES).flatMap((type) => assets.find((path) => path.endsWith(`.${type}`)) ?? []),
  ];

  test.each([
    'gzip, deflate, br',
    'gzip, deflate, br, zstd',
  ])('as small as can be for Accept-Encoding: %s', async (accepted) => {
    for (const path of oneOfEach()) {
      const packed = await get(server.port, path, { headers: { 'Accept-Encoding': accepted } });
      expect(packed.headers['content-encoding'], path).toBe(path.endsWith('.woff2') ? undefined : 'br');
    }
  });

  test('except a font, which is packed in itself', async () => {
    const fonts = assets.filter((path) => path.endsWith('.woff2'));
    expect(fonts).not.toEqual([]);
    for (const path of fonts) {
      const answer = await get(server.port, path, { headers: { 'Accept-Encoding': 'gzip, br' } });
      expect(answer.status, path).toBe(200);
      expect(answer.headers['content-encoding'], path).toBeUndefined();
      varies(answer, path);
      expect(answer.body.subarray(0, 4).toString()).toBe('wOF2');
    }
  });

  test.each([
    'identity',
    'zstd',
    'deflate',
    '*;q=0',
    '',
    'br;q=0',
    'br;q=0, gzip;q=0',
  ])('but not for Accept-Encoding: %s', async (accepted) => {
    for (const path of oneOfEach()) {
      const answer = await get(server.port, path, { headers: { 'Accept-Encoding': accepted } });
      expect(answer.headers['content-encoding'], path).toBeUndefined();
      varies(answer, path);
    }
  });
});

describe('nothing outside the client is answered', () => {
  const ups = ['..', '%2e%2e', '.%2e', '%2E.', '..%00', '%c0%ae%c0%ae', '%252e%252e', '..;', '....'];
  const slashes = ['/', '%2f', '%2F', '\\', '%5c', '%255c', '//', '%c0%af'];
  /** With how many steps lead up to the folder of the client. */
  const bases = [
    ['/', 0],
    ['/assets/', 1],
    ['/tip/', 1],
    ['//', 0],
    ['/./', 0],
  ] as const;
  /** Files beside the folder of the client, above it, and at the root of the machine, where further steps end. */
  const targets = [
    ['server/main.js', 1],
    ['package.json', 2],
    ['etc/passwd', 9],
  ] as const;

  test.each(bases)('by climbing from %s', async (base, below) => {
    const paths = ups.flatMap((up) =>
      slashes.flatMap((slash) =>
        targets.map(([target, depth]) => `${base}${`${up}${slash}`.repeat(below + depth)}${target}`),
      ),
    );
    for (const path of paths) expectNothing(await get(server.port, path), path);
  });

  test.each([
    '/..%2f..%2fpackage.json',
    '/assets/../../package.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/package.json',
    '/src/server/main.ts',
    '/dist/server/main.js',
    '/server/main.js',
    '/node_modules/hono/package.json',
    '/data/tipwell.db',
    '/tipwell.db',
    '/drizzle/sqlite/meta/_journal.json',
    '/file:///etc/passwd',
    '/C:/Windows/win.ini',
    'http://127.0.0.1/../package.json',
  ])('by naming %s', async (path) => {
    expectNothing(await get(server.port, path), path);
  });
});

/**
 * A refusal, a screen of the client, or the client's own page: in any case not the file that was aimed at.
 */
function expectNothing({ status, body }: PlainAnswer, path: string): void {
  const text = body.toString();
  expect(text, path).not.toMatch(
    /"dependencies"|better-sqlite3|root:.*:0:0:|PATH=|createServer|SQLite format/,
  );
  if (status === 200) expect(text, path).toMatch(/^<!doctype html>/i);
  else expect([301, 400, 404], path).toContain(status);
}

/** The policy to the letter; what is inlined on purpose is allowed by its hash, and nothing else is. */
function expectProtected({ headers }: PlainAnswer): void {
  const policy = String(headers['content-security-policy']);
  expect(policy.replaceAll(/ 'sha(?:256|384|512)-[A-Za-z0-9+/]+={0,2}'/g, '')).toBe(POLICY);
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
  expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
}
