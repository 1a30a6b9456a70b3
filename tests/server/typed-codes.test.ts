/**
 * What somebody types into the form of a page without a script leads to the tip page that it names, and never
 * away from the site.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDemoCode, newQrCodeId, readQrCodeId, showQrCodeId } from '#shared/ids.ts';
import { codeOf, pages, textOf } from '#tests/support/rendered-pages.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { UGLY_STRINGS } from '#tests/support/ugly-strings.ts';

const SITE = 'https://tips.example.com';

/** What a browser sends for the text, as the form's only field. */
const formAddress = (text: string) => `/tip?${new URLSearchParams({ code: text })}`;

async function openForm() {
  const t = await createTestApp({ pages });
  /** Where the answer to an address leads; fails when it is no redirect that is asked for anew each time. */
  async function locationFrom(address: string): Promise<string> {
    const { status, headers } = await t.send(address, {});
    expect(status).toBe(303);
    expect(headers.get('Cache-Control')).toBe('no-store');
    return headers.get('Location') ?? '';
  }
  return { t, locationFrom, leadsTo: (text: string) => locationFrom(formAddress(text)) };
}

test.each([
  ['K7Q2M9XW4T', '/tip/K7Q2M9XW4T'],
  [' k7q2m-9xw4t ', '/tip/k7q2m-9xw4t'],
  ['K7Q2M 9XW4T', '/tip/K7Q2M%209XW4T'],
  ['https://tips.example.com/tip/K7Q2M9XW4T, thanks!', '/tip/K7Q2M9XW4T'],
  ['https://evil.example/tip/K7Q2M9XW4T', '/tip/K7Q2M9XW4T'],
  ['tipwell://tip/alex/bartender', '/tip/demo-alex-bartender'],
  ['hello', '/tip/hello'],
  ['  caf\u00e9 & bar?  ', '/tip/caf%C3%A9%20%26%20bar%3F'],
  ['https://evil.example/', '/tip/https%3A%2F%2Fevil.example%2F'],
  ['//evil.example', '/tip/%2F%2Fevil.example'],
  ['\\\\evil.example', '/tip/%5C%5Cevil.example'],
  ['a\r\nSet-Cookie: b', '/tip/a%20Set-Cookie%3A%20b'],
  ['\u{1F600}'.repeat(100), `/tip/${encodeURIComponent('\u{1F600}'.repeat(64))}`],
])('%j leads to %s', async (text, location) => {
  const { leadsTo } = await openForm();
  expect(await leadsTo(text)).toBe(location);
});

test.each([
  '/tip',
  '/tip/',
  '/tip?',
  '/tip?code=',
  '/tip?code=+%20',
  '/tip/?code',
  '/tip?id=K7Q2M9XW4T',
])('%s, which names nothing, leads to the landing page', async (address) => {
  const { locationFrom } = await openForm();
  expect(await locationFrom(address)).toBe('/');
});

test.each([
  '.',
  '..',
  ' .. ',
])('%j, which browsers drop from an address, leads to the landing page', async (text) => {
  const { leadsTo } = await openForm();
  expect(await leadsTo(text)).toBe('/');
});

test('the form may stand at an address with a slash at its end, and sends one field at most', async () => {
  const { locationFrom } = await openForm();
  expect(await locationFrom('/tip/?code=K7Q2M9XW4T&code=0000000000')).toBe('/tip/K7Q2M9XW4T');
});

test('HEAD leads where GET does, and nothing can be sent there', async () => {
  const { t } = await openForm();
  for (const path of ['/tip', '/tip/']) {
    const head = await t.send(`${path}?code=K7Q2M9XW4T`, { method: 'HEAD' });
    expect([head.status, head.headers.get('Location')]).toEqual([303, '/tip/K7Q2M9XW4T']);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const refused = await t.send(`${path}?code=K7Q2M9XW4T`, { method });
      expect([refused.status, refused.headers.get('Allow')]).toEqual([405, 'GET, HEAD']);
    }
  }
});

test('a code that exists leads to its provider, and another text to the page of an unknown code', async () => {
  const { t, leadsTo } = await openForm();
  const code = readQrCodeId(await codeOf(t, 'Nadia Tips'));
  if (code === null) throw new Error('there is no code');
  const pageOf = async (text: string) => {
    const page = await t.send(await leadsTo(text), {});
    return { status: page.status, text: textOf(await page.text()) };
  };
  const found = await pageOf(`Nadia is at <${SITE}/tip/${showQrCodeId(code)}>.`);
  expect(found.status).toBe(200);
  expect(found.text).toContain('Nadia Tips');
  const unknown = await pageOf('Nadia');
  expect(unknown.status).toBe(404);
  expect(unknown.text).toContain('QR Code Not Found');
});

describe('any text', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '/',
      '//',
      '\\',
      '.',
      '..',
      '%2e',
      '%',
      '%00',
      ':',
      '@',
      '?',
      '#',
      '&',
      '+',
      '\r\n',
      '\0',
      '\t',
    ),
    fc.constantFrom(
      'tipwell://tip/',
      '/tip/',
      'https://',
      'evil.example',
      'javascript:',
      'demo-',
      '-dj',
      '\ud800',
    ),
    fc.constantFrom(...UGLY_STRINGS.map(({ text }) => text.slice(0, 100))),
    fc.uint8Array({ minLength: 10, maxLength: 10 }).map((bytes): string => newQrCodeId(() => bytes)),
    fc.string({ unit: 'binary', maxLength: 10 }),
  );

  test('leads to one segment below /tip/, or to the landing page', async () => {
    const { leadsTo } = await openForm();
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const location = await leadsTo(pieces.join(''));
        expect(location).toMatch(/^\/(?:tip\/[\w!'()*.~%-]+)?$/);
        expect(location).not.toMatch(/%(?:[01][0-9A-F]|7F)/);
        const { origin, pathname, search, hash } = new URL(location, SITE);
        expect({ origin, pathname, search, hash }).toEqual({
          origin: SITE,
          pathname: location,
          search: '',
          hash: '',
        });
        const segment = decodeURIComponent(pathname.slice('/tip/'.length));
        const isCode = isDemoCode(segment) || readQrCodeId(segment) !== null;
        if (!isCode) expect([...segment].length).toBeLessThanOrEqual(64);
      }),
      { numRuns: 2_000 },
    );
  });
});
