/**
 * Pages say how tips are paid here, where a payment service takes them; and say nothing of it where payments
 * are simulated.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { codeOf, get, pages, pagesFor, textOf } from '#tests/support/rendered-pages.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const RIBBON = 'Test mode: no real money moves.';
const EMPTY = ['/scan', '/statement', '/transactions/txn_1', '/nowhere'];

/** The addresses of every kind of page. */
async function addresses(t: TestApp): Promise<readonly string[]> {
  const code = await codeOf(t, 'Pat Doe');
  return [
    '/',
    '/auth',
    '/auth?tab=sign-up',
    '/offline',
    '/dashboard',
    `/tip/${code}`,
    `/tip/${code}?amount=20`,
    '/tip/demo-alex-bartender',
    '/tip/nobody',
    ...EMPTY,
  ];
}

test('pages are as they were built where payments are simulated', async () => {
  const t = await createTestApp({ pages });
  for (const address of await addresses(t)) {
    const { html } = await get(t, address);
    expect(html, address).toContain('<html lang="en">');
    expect(html, address).not.toMatch(/data-payments|test-mode|Test mode/);
    if (EMPTY.includes(address)) expect(html).toBe(readFileSync('dist/client/index.html', 'utf8'));
  }
});

test('every page says that its payments are a test, also to people, and its styles are allowed', async () => {
  const t = await createTestApp({ pages: pagesFor('test') });
  for (const address of await addresses(t)) {
    const { html, headers } = await get(t, address);
    expect(html, address).toContain('<html data-payments="test" lang="en">');
    expect(textOf(html).split(RIBBON).length, address).toBeGreaterThan(1);
    // Nothing that the client draws may come before it, or take its place.
    expect(html, address).toMatch(/<body><aside class="test-mode"[^>]*>[^<]*<\/aside>\s*<div id="root">/);
    const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style);
    expect(styles.length, address).toBeGreaterThan(0);
    for (const style of styles) {
      const hash = createHash('sha256').update(style).digest('base64');
      expect(headers.get('Content-Security-Policy'), address).toContain(`'sha256-${hash}'`);
    }
    const packed = await t.send(address, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(gunzipSync(new Uint8Array(await packed.arrayBuffer())).toString(), address).toBe(html);
  }
});

test('every page says that its payments are real, and none that they are simulated or a test', async () => {
  const t = await createTestApp({ pages: pagesFor('live') });
  for (const address of await addresses(t)) {
    const { html } = await get(t, address);
    expect(html, address).toContain('<html data-payments="live" lang="en">');
    expect(html, address).not.toContain('test-mode');
  }
  const { html } = await get(t, '/');
  expect(textOf(html)).toContain('Tips are paid by card through Stripe.');
  expect(textOf(html)).not.toMatch(/simulated|Test mode/);
});
