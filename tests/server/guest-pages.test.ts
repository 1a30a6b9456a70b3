/**
 * What pages say where guests are welcome, and the pages of their receipts, whose tokens are written nowhere.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { receiptTokenFrom, transactionIdFrom } from '#shared/ids.ts';
import { get as request } from '#tests/support/http-get.ts';
import { codeOf, get, pages, pagesFor } from '#tests/support/rendered-pages.ts';
import { startServer, stopEverything } from '#tests/support/running-server.ts';
import { createTestApp } from '#tests/support/test-app.ts';

afterAll(stopEverything);

const TOKEN = receiptTokenFrom(transactionIdFrom(new Uint8Array(26).fill(7)), new Uint8Array(26).fill(9));
const BUILT = readFileSync('dist/client/index.html', 'utf8');

test('every page says that guests are welcome, beside how tips are paid, and none says it where they are not', async () => {
  const welcoming = await createTestApp({ pages: pagesFor('simulated', true) });
  const paid = await createTestApp({ pages: pagesFor('test', true) });
  const other = await createTestApp({ pages });
  for (const path of ['/', '/auth', '/offline', '/tip/demo-alex-bartender', '/dashboard', `/r/${TOKEN}`]) {
    const { html } = await get(welcoming, path);
    expect(html, path).toContain('<html data-guests="on" lang="en">');
    const packed = await welcoming.send(path, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(gunzipSync(new Uint8Array(await packed.arrayBuffer())).toString(), path).toBe(html);
    expect((await get(paid, path)).html, path).toContain(
      '<html data-payments="test" data-guests="on" lang="en">',
    );
    expect((await get(other, path)).html, path).toBe(html.replace(' data-guests="on"', ''));
  }
});

test('a tip page is drawn as the script draws it where guests are welcome', async () => {
  const t = await createTestApp({ pages: pagesFor('simulated', true) });
  const code = await codeOf(t, 'Pat Doe');
  const { html } = await get(t, `/tip/${code}?payment=${TOKEN}`);
  expect(html).toContain('Loading your receipt...');
  expect(html).not.toContain(TOKEN);
  expect((await get(t, `/tip/${code}`)).html).toContain('Proceed to Payment');
});

test.each([
  '',
  '/',
])('the page of a receipt is listed nowhere, kept nowhere and names itself to nobody (/r/TOKEN%s)', async (end) => {
  for (const [name, some] of [
    ['welcome', pagesFor('simulated', true)],
    ['not welcome any more', pages],
  ] as const) {
    const t = await createTestApp({ pages: some });
    const { status, headers, html } = await get(t, `/r/${TOKEN}${end}`);
    expect(status, name).toBe(200);
    expect(headers.get('X-Robots-Tag'), name).toBe('noindex');
    expect(headers.get('Cache-Control'), name).toBe('no-store');
    expect(headers.get('Referrer-Policy'), name).toBe('no-referrer');
    expect(html.replace(' data-guests="on"', ''), name).toBe(BUILT);
    // What it is a receipt of is told to the script only.
    expect((await get(t, `/r/nothing${end}`)).html, name).toBe(html);
  }
});

test('the page of a receipt takes nothing that is sent to it', async () => {
  const t = await createTestApp({ pages });
  const { status, headers } = await t.send(`/r/${TOKEN}`, { method: 'POST' });
  expect(status).toBe(405);
  expect(headers.get('Allow')).toBe('GET, HEAD');
});

test('no token gets into the log, whatever is asked for by it', async () => {
  const server = await startServer({ GUEST_TIPS: 'on', LOG_LEVEL: 'trace' });
  const input = encodeURIComponent(JSON.stringify({ 0: { id: TOKEN } }));
  const paths = [
    `/r/${TOKEN}`,
    `/r/${TOKEN}/`,
    `/r/${TOKEN}/more`,
    `/r/%72${TOKEN}`,
    `/R/${TOKEN}`,
    `/r//${TOKEN}`,
    `/tip/ABCDEFGH12?payment=${TOKEN}`,
    `/tip/ABCDEFGH12?payment=${TOKEN}&left=1`,
    `/auth?next=/r/${TOKEN}`,
    `/tip/ABCDEFGH12?paid=${TOKEN}`,
    `/api/transactions/${TOKEN}`,
    `/api/transactions/${TOKEN}/refund`,
    `/trpc/transactions.get?batch=1&input=${input}`,
    `/trpc/transactions.get%2C${TOKEN}`,
    `/trpc/${TOKEN}?input=${input}`,
    `/nowhere/${TOKEN}`,
    `/assets/${TOKEN}.js`,
    `/photos/${TOKEN}.jpg`,
  ];
  for (const path of paths) await request(server.port, path);
  for (const path of [
    `/api/transactions/${TOKEN}/refund`,
    `/api/transactions/${TOKEN}/cancel`,
    `/r/${TOKEN}`,
  ])
    await request(server.port, path, { method: 'POST' });
  await server.stop();
  const log = server.stderr();
  expect(log.match(/"msg":"request"/g)).toHaveLength(paths.length + 3);
  expect(log).toContain('"route":"/r/:token"');
  expect(log).not.toContain(TOKEN);
  expect(server.stdout()).not.toContain(TOKEN);
});
