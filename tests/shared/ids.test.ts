/**
 * A printed code survives being read aloud, typed and misread, and nothing else passes for one; new
 * identifiers are well-formed and use all of their randomness evenly.
 */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  newQrCodeId,
  newTransactionId,
  newUserId,
  readQrCodeId,
  showQrCodeId,
  tipLink,
  tipPageUrl,
} from '#shared/ids.ts';

const qrCodeId = fc.uint8Array({ minLength: 10, maxLength: 10 }).map((bytes) => newQrCodeId(() => bytes));

describe('readQrCodeId()', () => {
  test('reads a new code back from the form that is stored and from the form that is shown', () => {
    fc.assert(
      fc.property(qrCodeId, (id) => {
        expect(readQrCodeId(id)).toBe(id);
        expect(readQrCodeId(showQrCodeId(id))).toBe(id);
      }),
    );
  });

  test('does not mind case, spaces and hyphens, wherever they are', () => {
    const separators = fc.array(fc.constantFrom('', '', ' ', '-', ' - ', '\t', '\u00a0'), {
      minLength: 11,
      maxLength: 11,
    });
    fc.assert(
      fc.property(
        qrCodeId,
        separators,
        fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
        (id, gaps, lows) => {
          const typed = Array.from(id, (character, index) => {
            return `${gaps[index]}${lows[index] ? character.toLowerCase() : character}`;
          });
          expect(readQrCodeId(`${typed.join('')}${gaps[10]}`)).toBe(id);
        },
      ),
    );
  });

  test('reads I and L as 1 and O as 0', () => {
    expect(readQrCodeId('IiLlOo1010')).toBe('1111001010');
    fc.assert(
      fc.property(
        qrCodeId,
        fc.constantFrom('I', 'i', 'L', 'l'),
        fc.constantFrom('O', 'o'),
        (id, one, zero) => {
          // A text that begins like a demo code is never a printed code.
          fc.pre(!id.startsWith('DEM0'));
          expect(readQrCodeId(id.replaceAll('1', one).replaceAll('0', zero))).toBe(id);
        },
      ),
    );
  });

  test.each([
    ['a demo code', 'demo-alex-bartender'],
    ['a demo code that would otherwise read as a printed code', 'demo-ABCDEF'],
    ['a demo code in capitals', 'DEMO-ABCDEF'],
    ['a demo code after a space', '  Demo-ABCDEF'],
    ['a code that is too short', '012345678'],
    ['a code that is too long', '01234567890'],
    ['the letter U', '012345678U'],
    ['nothing', ''],
    ['separators only', ' - - '],
    ['punctuation', '01234_6789'],
    ['digits of another script', '٠١٢٣٤٥٦٧٨٩'],
    ['a code lost among spaces', `0123456789${' '.repeat(60)}`],
    ['an address', 'https://tips.example.com/tip/0123456789'],
  ])('refuses %s', (_what, text) => {
    expect(readQrCodeId(text)).toBeNull();
  });

  test('answers with a well-formed code or null, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        expect(readQrCodeId(text) ?? '0000000000').toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);
      }),
    );
  });
});

test('a code is shown as two groups of five', () => {
  const id = newQrCodeId(randomBytes);
  expect(showQrCodeId(id)).toBe(`${id.slice(0, 5)}-${id.slice(5, 10)}`);
});

test('no code, stored or shown, begins as a demo code does', () => {
  fc.assert(
    fc.property(qrCodeId, (id) => {
      for (const form of [id, showQrCodeId(id)]) expect(form.toLowerCase().startsWith('demo-')).toBe(false);
    }),
  );
});

describe('new identifiers', () => {
  test('carry their kind and 26 characters of the same alphabet in lower case', () => {
    expect(newUserId(randomBytes)).toMatch(/^usr_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(newTransactionId(randomBytes)).toMatch(/^txn_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  test('use every character of the alphabet equally often', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 256; byte += 1) {
      const [character = ''] = newQrCodeId((size) => new Uint8Array(size).fill(byte));
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect([...counts.keys()].sort().join('')).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ');
    expect(new Set(counts.values())).toEqual(new Set([8]));
  });

  test('take a random byte for each of their characters', () => {
    const bytes = Uint8Array.from({ length: 26 }, (_, index) => index);
    expect(newUserId((size) => bytes.subarray(0, size))).toBe('usr_0123456789abcdefghjkmnpqrs');
    expect(newQrCodeId((size) => bytes.subarray(0, size))).toBe('0123456789');
  });
});

test('the address and the link of a code carry it whole', () => {
  const id = newQrCodeId(randomBytes);
  expect(tipPageUrl('https://tips.example.com/pub', id)).toBe(`https://tips.example.com/pub/tip/${id}`);
  expect(tipLink('alex', 'bartender')).toBe('tipwell://tip/alex/bartender');
});
