/** Whatever is scanned or pasted leads to a tip page of this site or is refused in the specification's words. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paths } from '#client/paths.ts';
import { brand } from '#shared/brand.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { readDemoCode } from '#shared/demo-codes.ts';
import { newQrCodeId, readQrCodeId, tipLink, tipPageUrl } from '#shared/ids.ts';
import { BLANK_TEXT, NO_CODE, readScannedText } from '#shared/scanned-text.ts';
import { isPossibleUsername } from '#shared/usernames.ts';

const ORIGIN = 'https://tips.example.com';

/** Any sequence of UTF-16 units, halves of surrogate pairs included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));

/** Texts made of the pieces that mean something to the reader. */
const meaningfulText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'tipwell://tip/',
        'TIPWELL://TIP/',
        'https://',
        '/tip/',
        '/',
        '//',
        '\\',
        '..',
        '.',
        '%2e',
      ),
      fc.constantFrom(
        '%2F',
        '%',
        '%ZZ',
        '%E2%82',
        '?a=/tip/',
        '#',
        ' ',
        '\n',
        '\0',
        'demo-',
        '-barber',
        'javascript:',
      ),
      fc.string({ maxLength: 5 }),
      anyText,
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));

const texts = fc.oneof(anyText, meaningfulText, fc.string({ unit: 'binary' }));
const qrCodeId = fc.uint8Array({ minLength: 10, maxLength: 10 }).map((bytes) => newQrCodeId(() => bytes));
const category = fc.constantFrom(...SERVICE_CATEGORIES);
const userId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{1,20}[A-Za-z0-9]$/).filter(isPossibleUsername);

const accepted = (code: string) => ({ code, problem: null });
const refused = (problem: typeof BLANK_TEXT | typeof NO_CODE) => ({ code: null, problem });

describe('any text', () => {
  it('leads to a tip page of this site, or nowhere', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { code } = readScannedText(text);
        if (code === null) return;
        const url = new URL(paths.tip(code), ORIGIN);
        const [, first, segment = '', ...others] = url.pathname.split('/');
        expect(url.origin).toBe(ORIGIN);
        expect(first).toBe('tip');
        expect(others).toEqual([]);
        expect(url.search + url.hash).toBe('');
        expect(decodeURIComponent(segment)).toBe(code);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is either blank, or has a code, or has none', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { code, problem } = readScannedText(text);
        expect(problem === BLANK_TEXT).toBe(text.trim() === '');
        expect(code === null).toBe(problem !== null);
        if (code !== null) expect(code.trim()).not.toBe('');
      }),
      { numRuns: 2_000 },
    );
  });

  it('may be a demo code or not, but never breaks the reader', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const demo = readDemoCode(text);
        if (demo !== null) expect(isPossibleUsername(demo.userId)).toBe(true);
      }),
    );
  });
});

describe('a link of the own scheme', () => {
  it('becomes the demo code of its two segments', () => {
    fc.assert(
      fc.property(userId, category, (user, service) => {
        const code = `demo-${user}-${service}`;
        expect(readScannedText(tipLink(user, service))).toEqual(accepted(code));
        expect(readDemoCode(code)).toEqual({ userId: user, category: service });
      }),
    );
  });

  it.each([
    ['tipwell://tip/alex/bartender', 'demo-alex-bartender'],
    ['  tipwell://tip/alex/bartender\n', 'demo-alex-bartender'],
    ['tipwell://tip/alex/bartender/', 'demo-alex-bartender'],
    ['tipwell://tip/alex/bartender?from=sticker#top', 'demo-alex-bartender'],
    ['TipWell://tip/alex/bartender', 'demo-alex-bartender'],
    ['tipwell://tip/al%20ex/live_event', 'demo-al ex-live_event'],
    ['tipwell://tip/100%/barber', 'demo-100%-barber'],
    ['tipwell://tip/alex/juggler', 'demo-alex-juggler'],
  ])('%j is %j', (text, code) => {
    expect(readScannedText(text)).toEqual(accepted(code));
  });

  it.each([
    'tipwell://tip/',
    'tipwell://tip/alex',
    'tipwell://tip/alex/',
    'tipwell://tip//barber',
    'tipwell://tip/%20/barber',
    'tipwell://tip/a/b/c',
    'tipwell://tip/?/a/b',
  ])('%j has no code', (text) => {
    expect(readScannedText(text)).toEqual(refused(NO_CODE));
  });

  it('carries the name of the brand', () => {
    expect(tipLink('alex', 'dj').startsWith(`${brand.linkScheme}://`)).toBe(true);
  });
});

describe('any other text with /tip/ in it', () => {
  it('gives the segment behind it, so that a printed code leads to itself', () => {
    fc.assert(
      fc.property(qrCodeId, fc.webUrl({ withFragments: false }), (id, site) => {
        const url = tipPageUrl(ORIGIN, id);
        for (const text of [url, `${url}/`, `${url}?service=dj`, `${url}#top`, ` ${url}\n`]) {
          expect(readScannedText(text)).toEqual(accepted(id));
        }
        expect(readQrCodeId(readScannedText(tipPageUrl(new URL(site).origin, id)).code ?? '')).toBe(id);
      }),
    );
  });

  it('gives back whatever was put there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (code) => {
        fc.pre(code === code.trim() && code !== '.' && code !== '..');
        expect(readScannedText(ORIGIN + paths.tip(code))).toEqual(accepted(code));
      }),
    );
  });

  it.each([
    ['https://tips.example.com/tip/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['tips.example.com/tip/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['/tip/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['HTTPS://TIPS.EXAMPLE.COM/TIP/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['https://elsewhere.example/tip/demo-sam-barber', 'demo-sam-barber'],
    ['https://a.example/tip/ONE/tip/TWO', 'ONE'],
    ['https://a.example/tip/100%25', '100%'],
    ['https://a.example/tip/100%', '100%'],
    ['https://a.example/tip/a%2Fb', 'a/b'],
    ['otherapp://tip/alex/bartender', 'alex'],
    ['Tip me: https://a.example/tip/K7Q2M9XW4T', 'K7Q2M9XW4T'],
  ])('%j is %j', (text, code) => {
    expect(readScannedText(text)).toEqual(accepted(code));
  });

  it.each([
    '/tip/',
    'https://a.example/tip/?userId=alex',
    'https://a.example/tip/#K7Q2M9XW4T',
    'https://a.example/tip//K7Q2M9XW4T',
    'https://a.example/tip/..',
    'https://a.example/tip/%2e%2e',
    'https://a.example/tip/%20',
  ])('%j has no code', (text) => {
    expect(readScannedText(text)).toEqual(refused(NO_CODE));
  });
});

describe('a text without /tip/', () => {
  it('is the code itself, trimmed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const code = text.trim();
        fc.pre(code !== '' && code !== '.' && code !== '..' && !/\/tip\//i.test(code));
        expect(readScannedText(text)).toEqual(accepted(code));
      }),
    );
  });

  it.each([
    [' demo-alex-bartender ', 'demo-alex-bartender'],
    ['k7q2m-9xw4t', 'k7q2m-9xw4t'],
    ['tipwell://other/alex/barber', 'tipwell://other/alex/barber'],
    ['\ud800', '\ufffd'],
  ])('%j is %j', (text, code) => {
    expect(readScannedText(text)).toEqual(accepted(code));
  });

  it.each(['', ' ', '\n\t', '\u00a0\ufeff'])('%j is blank', (text) => {
    expect(readScannedText(text)).toEqual(refused(BLANK_TEXT));
  });

  it.each(['.', '..', ' .. '])('%j would lead out of the tip page', (text) => {
    expect(readScannedText(text)).toEqual(refused(NO_CODE));
  });
});

describe('a demo code', () => {
  it.each([
    ['demo-alex-bartender', 'alex', 'bartender'],
    ['demo-sam-barber', 'sam', 'barber'],
    ['Demo-alex-barber', 'alex', 'barber'],
    ['DEMO-ALEX-BARBER', 'ALEX', 'barber'],
    ['demo-mary-jane-live_event', 'mary-jane', 'live_event'],
    ['demo-demonica-dj', 'demonica', 'dj'],
    [' demo-alex-dj ', 'alex', 'dj'],
    [`demo-${'x'.repeat(30)}-esthetician`, 'x'.repeat(30), 'esthetician'],
  ])('%j is of %j, %j', (code, user, service) => {
    expect(readDemoCode(code)).toEqual({ userId: user, category: service });
  });

  it.each([
    '',
    'demo-',
    'demo-alex',
    'demo-barber',
    'demo--barber',
    'demo- -barber',
    'demo-alex-',
    'demo-alex-juggler',
    'demo-alex-live-event',
    'demo-alex-toString',
    'demoalex-barber',
    'alex-barber',
    'xdemo-alex-barber',
    'demo---dj',
    'demo-al-dj',
    `demo-${'x'.repeat(31)}-dj`,
    'demo-Account locked, call 555 0100-dj',
    'demo-al ex-dj',
    'demo-al/ex-dj',
    'demo-<b>alex</b>-dj',
    'demo-аlex-dj',
    'demo-alex\u202e-dj',
    'demo-demo-dj',
    'demo-admin-dj',
    'demo-Tipwell.Support-dj',
    `demo-${'alex.'.repeat(10_000)}alex-dj`,
  ])('%j is none', (code) => {
    expect(readDemoCode(code)).toBeNull();
  });

  it('is never a printed one', () => {
    fc.assert(
      fc.property(qrCodeId, (id) => {
        expect(readDemoCode(id)).toBeNull();
      }),
    );
  });
});
