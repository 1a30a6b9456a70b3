/**
 * Whatever is scanned or pasted leads to a tip page of this site or is refused in the specification's words.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paths } from '#client/paths.ts';
import { readDemoCode } from '#client/tip/provider.ts';
import { brand } from '#shared/brand.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { isDemoCode, newQrCodeId, readQrCodeId, showQrCodeId, tipLink, tipPageUrl } from '#shared/ids.ts';
import { BLANK_TEXT, NO_CODE, readScannedText } from '#shared/scanned-text.ts';
import { mayStandForPerson } from '#shared/usernames.ts';

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
const userId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{1,20}[A-Za-z0-9]$/).filter(mayStandForPerson);

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

  it('is either blank, or has a code that can be one, or has none', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { code, problem } = readScannedText(text);
        expect(problem === BLANK_TEXT).toBe(text.trim() === '');
        expect(code === null).toBe(problem !== null);
        if (code !== null) expect(isDemoCode(code) || readQrCodeId(code) !== null).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([2_000, 65_536, 300_000])('is read in proportion to its length, with %d characters', (length) => {
    const own = 'tipwell://tip/';
    const pieces = [
      'a',
      '0',
      '.',
      '-',
      'a-',
      'a.',
      ' ',
      '(',
      '/',
      '%',
      '%2F',
      '%2Ftip',
      '/tip',
      '/ti',
      '0000 ',
      '0000-',
      'demo-',
      'demo-a',
      'tipwell:',
      own,
      `${own}a/`,
      `${own}a`,
      `${own}a/b/c `,
      '\ud800',
      '\u200b',
    ];
    for (const start of ['', 'a', '/tip/', '/tip/a', own, `${own}a/`, `${own}a/a`]) {
      for (const piece of pieces) {
        const body = piece.repeat(Math.ceil(length / piece.length)).slice(0, length - start.length - 1);
        // A square of the length would take hours.
        for (const end of ['!', 'a']) expect(readScannedText(start + body + end)).toBeDefined();
      }
    }
  });

  it('may be a demo code or not, but never breaks the reader', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const demo = readDemoCode(text);
        if (demo !== null) expect(mayStandForPerson(demo.userId)).toBe(true);
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
    ['Tip me at tipwell://tip/alex/bartender, please', 'demo-alex-bartender'],
    ['Tip me (tipwell://tip/alex/live_event)!', 'demo-alex-live_event'],
    ['<tipwell://tip/alex/bartender/>', 'demo-alex-bartender'],
    ['https://a.example/?to=tipwell://tip/alex/dj', 'demo-alex-dj'],
    ['https://a.example/tip/K7Q2M9XW4T or tipwell://tip/alex/dj', 'demo-alex-dj'],
    ['tipwell://tip/a/b/c or tipwell://tip/alex/dj', 'demo-alex-dj'],
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
    'tipwell://tip/alex/...',
    'nottipwell://tip/alex/barber',
    `tipwell://tip/${'alex.'.repeat(20)}/barber`,
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

  it('has a code there if anything there can be one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        const { code } = readScannedText(ORIGIN + paths.tip(text));
        if (code === null) expect(readQrCodeId(text)).toBeNull();
        else expect(text).toContain(code);
      }),
    );
  });

  it('gives the code of a link in a sentence, whatever ends the sentence', () => {
    const ending = fc.constantFrom(
      '.',
      ',',
      '!',
      '?',
      ';',
      ':',
      ')',
      ').',
      '>',
      ']',
      '}',
      '"',
      "'",
      '”',
      '’',
      '»',
      '…',
      '。',
      '*',
      '_',
      '',
      '-',
      '%2C',
      '%2E',
      '%29',
      '%3E',
      '%22',
      '%20',
      '%20thanks',
      '&from=chat',
      '</a>',
      '\u200b',
    );
    fc.assert(
      fc.property(qrCodeId, ending, (id, end) => {
        for (const shown of [id, id.toLowerCase(), showQrCodeId(id)]) {
          const sentence = `Tip Marcus here: <${ORIGIN}/tip/${shown}${end} thanks! /tip/0000000000`;
          expect(readScannedText(sentence)).toEqual(accepted(shown));
        }
      }),
    );
  });

  it.each([
    ['https://tips.example.com/tip/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['tips.example.com/tip/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['/tip/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['HTTPS://TIPS.EXAMPLE.COM/TIP/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['https://elsewhere.example/tip/demo-sam-barber', 'demo-sam-barber'],
    ['https://a.example/tip/K7Q2M9XW4T/tip/0000000000', 'K7Q2M9XW4T'],
    ['https://a.example/tip/K7Q2M9XW4T%', 'K7Q2M9XW4T'],
    ['https://a.example/tip/%4B7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['https://a.example/tip/k7q2m%209xw4t', 'k7q2m 9xw4t'],
    ['https://a.example/tip/ABCDEFGHJK,', 'ABCDEFGHJK'],
    ['https://a.example/tip/demo-sam-barber, thanks', 'demo-sam-barber'],
    ['https://a.example/tip/demo-sam-juggler', 'demo-sam-juggler'],
    ['https://chat.example/?u=https%3A%2F%2Fa.example%2Ftip%2FK7Q2M9XW4T&h=1', 'K7Q2M9XW4T'],
    ['otherapp://tip/K7Q2M9XW4T/bartender', 'K7Q2M9XW4T'],
    ['Tip me: https://a.example/tip/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['Tip Marcus here: https://x.example/tip/K7Q2M9XW4T, thanks!', 'K7Q2M9XW4T'],
    ['[Marcus](https://x.example/tip/K7Q2M9XW4T)', 'K7Q2M9XW4T'],
    ['https://x.example/tip/K7Q2M9XW4T 0000000000', 'K7Q2M9XW4T'],
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
    'https://a.example/tip/abc',
    'https://a.example/tip/ONE/tip/K7Q2M9XW4T',
    'https://a.example/tip/K7Q2M9XW4T5',
    'https://a.example/tip/KUQ2M9XW4T',
    'https://a.example/tip/demo-',
    'https://a.example/tip/demo-alex',
    'otherapp://tip/alex/bartender',
  ])('%j has no code', (text) => {
    expect(readScannedText(text)).toEqual(refused(NO_CODE));
  });
});

describe('a text without /tip/', () => {
  it('is a code as people type it, or has one among its words', () => {
    fc.assert(
      fc.property(qrCodeId, (id) => {
        const spaced = `${id.slice(0, 5)} ${id.slice(5)}`.toLowerCase();
        for (const typed of [id, showQrCodeId(id), spaced])
          expect(readScannedText(`\n ${typed} `)).toEqual(accepted(typed));
        for (const word of [showQrCodeId(id), showQrCodeId(id).toLowerCase()])
          expect(readScannedText(`My code is “${word}”, thanks`)).toEqual(accepted(word));
      }),
    );
  });

  it.each([
    [' demo-alex-bartender ', 'demo-alex-bartender'],
    ['k7q2m-9xw4t', 'k7q2m-9xw4t'],
    ['k7q2m 9xw4t', 'k7q2m 9xw4t'],
    ['"K7Q2M 9XW4T".', 'K7Q2M 9XW4T'],
    ['strawberry', 'strawberry'],
    ['tip/K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['my code is k7q2m-9xw4t', 'k7q2m-9xw4t'],
    ['My code is abcde-fghjk!', 'abcde-fghjk'],
    ['code:K7Q2M9XW4T', 'K7Q2M9XW4T'],
    ['Try demo-sam-barber, or K7Q2M9XW4T', 'demo-sam-barber'],
    ['It was demo-sam-juggler.', 'demo-sam-juggler'],
    ['two codes: K7Q2M9XW4T and 0000000000', 'K7Q2M9XW4T'],
    ['the letter O for zero: K7Q2M9XWO4', 'K7Q2M9XWO4'],
  ])('%j is %j', (text, code) => {
    expect(readScannedText(text)).toEqual(accepted(code));
  });

  it.each(['', ' ', '\n\t', '\u00a0\ufeff'])('%j is blank', (text) => {
    expect(readScannedText(text)).toEqual(refused(BLANK_TEXT));
  });

  it.each([
    '.',
    '..',
    ' .. ',
    '\ud800',
    'hello',
    'https://example.com/',
    'tipwell://other/alex/barber',
    'K7Q2M9XW4',
    'K7Q2M9XW4T5',
    'KUQ2M9XW4T',
    'demo-',
    'demo-alex',
    'demo-day is on the 5th - come by',
    // Words and numbers that are no codes, though their letters could be those of one.
    'a strawberry to taste',
    'the third-floor bar',
    'black-white again',
    'call 555-010-1234',
    'tips for bartenders 2026',
    'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  ])('%j has no code', (text) => {
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
