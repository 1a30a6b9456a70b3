/** Wherever somebody is taken after logging in, it is on this site. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextFrom } from '#client/auth/next.ts';
import { authFor } from '#client/later/addresses.ts';
import { paths } from '#client/paths.ts';

const ORIGIN = 'https://tips.example.com';

const nextOf = (next: string) => nextFrom(`?${new URLSearchParams({ next })}`);

/** What a browser would make of it: the address bar's own reading is the judge. */
function expectToStay(next: string | null): void {
  if (next === null) return;
  const url = new URL(next, `${ORIGIN}/auth`);
  expect(url.origin).toBe(ORIGIN);
  expect(url.pathname + url.search + url.hash).toBe(next);
  // Nor when it is read once more, as by a link that is copied.
  expect(next).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/);
}

const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
  .map((units) => String.fromCharCode(...units));

const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '/',
        '//',
        '\\',
        '/\\',
        '..',
        '.',
        '@',
        ':',
        'https:',
        'javascript:',
        'evil.example',
        '?',
        '#',
      ),
      fc.constantFrom(
        '\t',
        '\n',
        '\r',
        ' ',
        '\0',
        '%2f',
        '%5c',
        '%09',
        '%00',
        '%2e%2e',
        'tip',
        ';',
        '\u3002',
        '\uff0f',
      ),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

describe('the address to go on to', () => {
  it('never leaves the site, whatever it says', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          hostileText,
          hostileText.map((text) => `/${text}`),
        ),
        (text) => {
          expectToStay(nextOf(text));
        },
      ),
      { numRuns: 10_000 },
    );
  });

  it('never leaves the site, however the query is written', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, hostileText), (text) => {
        expectToStay(nextFrom(`?next=${text}`));
        expectToStay(nextFrom(text));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    '//evil.example',
    '///evil.example',
    '////evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    ' /dashboard',
    '/\u0000/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/tip/..//evil.example',
    '/%2e%2e//evil.example',
    'https:evil.example',
    'https://evil.example',
    'https://tips.example.com.evil.example/',
    'https://tips.example.com/dashboard',
    'HTTPS://evil.example',
    'http:/evil.example',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '@evil.example',
    '?next=//evil.example',
    '#top',
    '',
  ])('is none when %j is asked for', (next) => {
    expect(nextOf(next)).toBeNull();
  });

  it.each([
    ['/%2f/evil.example', '/%2f/evil.example'],
    ['/%5cevil.example', '/%5cevil.example'],
    ['/@evil.example', '/@evil.example'],
    ['/:evil.example', '/:evil.example'],
    ['/tip/../dashboard', '/dashboard'],
  ])('of %j stays on the site as %j', (next, path) => {
    expect(nextOf(next)).toBe(path);
    expectToStay(path);
  });

  it.each([
    '/',
    '/dashboard',
    '/dashboard?tab=transactions',
    '/scan',
    '/tip/K7Q2M9XW4T',
    '/tip/demo-alex-bartender',
    '/tip/any?userId=alex&service=bartender',
    '/tip/al%20ex',
    '/tip/a%2Fb?x=%26#top',
  ])('is %j as it was asked for', (next) => {
    expect(nextOf(next)).toBe(next);
  });

  it('is none when none is asked for', () => {
    expect(nextFrom('')).toBeNull();
    expect(nextFrom('?other=/scan')).toBeNull();
  });
});

describe('the way to the login and back', () => {
  it('leads to the page that sent there, whatever its code', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (code) => {
        fc.pre(code !== '.' && code !== '..');
        const page = paths.tip(code);
        expect(nextFrom(new URL(authFor(page), ORIGIN).search)).toBe(page);
      }),
    );
  });

  it('says nothing when that is the dashboard', () => {
    expect(authFor(paths.dashboard)).toBe('/auth');
  });
});
