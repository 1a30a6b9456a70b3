/**
 * The rules of registration that both sides speak, edge by edge: what a page refuses, the server refuses for
 * the same reason, because it is the same schema.
 */
import { describe, expect, test } from 'vitest';
import { credentials, registration } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';

const CUSTOMER = {
  email: 'cam@example.com',
  username: 'cam',
  fullName: 'Cam Customer',
  password: 'correct horse battery',
  phone: null,
  isServiceProvider: false,
};

const read = (fields: Record<string, unknown>) => registration.safeParse({ ...CUSTOMER, ...fields });

/** The fields that were refused, none when all was well. */
function refusedFields(fields: Record<string, unknown>): string[] {
  const result = read(fields);
  return result.success ? [] : result.error.issues.map(({ path }) => path.join('.'));
}

function sentences(fields: Record<string, unknown>): string[] {
  const result = read(fields);
  return result.success ? [] : result.error.issues.map(({ message }) => message);
}

test('every field but the phone is required, and each says so in words', () => {
  const { error } = registration.safeParse({ isServiceProvider: false });
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['email', 'Email is required.'],
    ['username', 'Username is required.'],
    ['fullName', 'Full name is required.'],
    ['password', 'Password is required.'],
  ]);
  for (const field of ['email', 'username', 'fullName', 'password']) {
    for (const blank of [undefined, null, '', '   ', '\t\n']) {
      expect(sentences({ [field]: blank })).toEqual([expect.stringMatching(/ is required\.$/)]);
    }
    for (const value of [1, true, [], {}]) {
      expect(sentences({ [field]: value })).toEqual([expect.stringMatching(/ must be text\.$/)]);
    }
  }
});

test.each([undefined, null, 'true', 1, 0])('whether one is a provider must be said, not %j', (said) => {
  expect(sentences({ isServiceProvider: said })).toEqual(['Please say whether you are a service provider.']);
});

describe('email', () => {
  test('is trimmed and kept as typed', () => {
    expect(read({ email: '  Cam.Customer+tips@Example.COM\n' }).data?.email).toBe(
      'Cam.Customer+tips@Example.COM',
    );
  });

  test.each(['a@example.com', "o'brien@example.co.uk", 'x_y-z@sub.example.org'])('may be %s', (email) => {
    expect(read({ email }).data?.email).toBe(email);
  });

  test.each([
    'cam',
    'cam@',
    '@example.com',
    'cam@example',
    'cam @example.com',
    'cam@exam ple.com',
    'a@b@example.com',
    'cam@example..com',
    '.cam@example.com',
    'cam@-example.com',
    '<cam@example.com>',
    'cam@example.com,dan@example.com',
    'cam@example.com\0',
    'cam@example.com\nBcc: x@example.com',
  ])('may not be %j', (email) => {
    expect(sentences({ email })).toEqual(['Please enter a valid email address.']);
  });

  test('has up to 254 characters', () => {
    const ofLength = (length: number) =>
      `${'x'.repeat(60)}@${`${'y'.repeat(60)}.`.repeat(3)}${'z'.repeat(length - 60 - 1 - 183 - 4)}.com`;
    expect(ofLength(254)).toHaveLength(254);
    expect(refusedFields({ email: ofLength(254) })).toEqual([]);
    expect(refusedFields({ email: ofLength(255) })).toEqual(['email']);
  });
});

describe('username', () => {
  test('is trimmed and lower-cased', () => {
    expect(read({ username: ' Cam.The_Great-1 ' }).data?.username).toBe('cam.the_great-1');
  });

  test.each(['abc', 'a1c', '123', 'a.b', 'a_b', 'a-b', 'a..b', 'x'.repeat(30)])('may be %s', (username) => {
    expect(read({ username }).data?.username).toBe(username);
  });

  test.each([
    'ab',
    'x'.repeat(31),
    '.abc',
    'abc.',
    '_abc',
    'abc_',
    '-abc',
    'abc-',
    'a b',
    'a@b',
    'a/b',
    'a+b',
    'zoë',
    'аdmin2',
    'x\u200by1',
    'a\nb',
    'a%62',
    '<b>',
    '😀😀😀',
  ])('may not be %j', (username) => {
    expect(refusedFields({ username })).toEqual(['username']);
  });

  test.each([
    'admin',
    'Admin',
    ' SUPPORT ',
    'api',
    'www',
    'root',
    'demo',
    'me',
    brand.name,
  ])('may not be the reserved word %j', (username) => {
    // Two letters are too short to begin with.
    expect(refusedFields({ username })).toEqual(['username']);
    if (username.trim().length > 2) expect(sentences({ username })).toEqual(['This username is reserved.']);
  });
});

test('a username that would pass for the site is refused as reserved', () => {
  for (const username of ['tipwell.support', 'admin1', 'Support-Joe', 'help2', 'the_official'])
    expect(sentences({ username })).toEqual(['This username is reserved.']);
});

describe('full name', () => {
  test('is trimmed and composed (NFC), so that equal names are equal bytes', () => {
    expect(read({ fullName: '  Zoe\u0308 Caf\u0065\u0301 \n' }).data?.fullName).toBe('Zoë Café');
  });

  test.each([
    '李',
    'X Æ A-12',
    "O'Brien-Smith, Jr.",
    'محمد علي',
    'שָׁלוֹם',
    'नमस्ते',
    '1',
    'Pat ☺️',
    '❤️ Dana',
    '🎧 DJ',
    'Ana\u00a0María',
    '👍🏽',
    '🇦🇹',
    'José',
    '李明',
    '葛\u{e0100}城',
    'Ng',
    'O',
    'é',
    'Þór',
    'Nguyễn Thị Ánh',
  ])('may be %j', (fullName) => {
    expect(read({ fullName }).data?.fullName).toBe(fullName);
  });

  test.each([
    ['Arabic with harakat', '\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f'],
    ['Persian with a non-joiner', '\u0639\u0644\u06cc\u200c\u0631\u0636\u0627'],
    ['Hebrew with points', '\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd'],
    ['a Hindi conjunct', '\u0915\u094d\u0937\u0940\u0930'],
    ['a Hindi half form', '\u0915\u094d\u200d\u0937'],
    ['a Hindi open virama', '\u0915\u094d\u200c\u0937'],
    ['a Marathi r', '\u0938\u0941\u0930\u094d\u200d\u092f\u093e'],
    ['a Bengali r', '\u09b0\u200d\u09cd\u09af\u09be\u09ac'],
    ['a Sinhala conjunct', '\u0dc1\u0dca\u200d\u0dbb\u0dd3'],
    ['a Malayalam chillu at the end', '\u0d2e\u0d4b\u0d39\u0d28\u0d4d\u200d'],
    ['Thai', '\u0e17\u0e35\u0e48\u0e23\u0e31\u0e01'],
    ['a Burmese name of four signs in a row', '\u1000\u103b\u1031\u102c\u103a'],
    ['Tibetan', '\u0f56\u0f62\u0f92\u0fb1\u0f74\u0f51'],
    ['Korean', '\ubc15\uc9c0\uc131'],
    ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}'],
    ['a profession', '\u{1f469}\u{1f3fd}\u200d\u{1f373} Ana'],
    ['a couple', '\u{1f9d1}\u{1f3fb}\u200d\u2764\ufe0f\u200d\u{1f48b}\u200d\u{1f9d1}\u{1f3fc}'],
    ['a rainbow flag', '\u{1f3f3}\ufe0f\u200d\u{1f308}'],
    ['the flag of Scotland', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['a keycap', '1\ufe0f\u20e3'],
  ])('may be what people write: %s', (_, fullName) => {
    expect(sentences({ fullName })).toEqual([]);
    expect(read({ fullName }).data?.fullName).toBe(fullName.normalize('NFC'));
  });

  test('has up to 60 characters, an emoji counting as one', () => {
    expect(refusedFields({ fullName: 'x'.repeat(60) })).toEqual([]);
    expect(refusedFields({ fullName: 'x'.repeat(61) })).toEqual(['fullName']);
    expect(refusedFields({ fullName: '🎧'.repeat(60) })).toEqual([]);
    expect(refusedFields({ fullName: '🎧'.repeat(61) })).toEqual(['fullName']);
    // The length is counted after composition: 61 code points are typed, and 60 are kept.
    expect(refusedFields({ fullName: `${'x'.repeat(59)}e\u0301` })).toEqual([]);
  });

  test.each([
    ['a NUL', 'a\0b'],
    ['a bell', 'a\x07b'],
    ['a line break', 'a\nb'],
    ['a tab', 'a\tb'],
    ['DEL', 'a\x7fb'],
    ['a C1 control', 'a\x85b'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a right-to-left override', 'a\u202eb'],
    ['a left-to-right override', 'a\u202db'],
    ['an embedding', 'a\u202ab'],
    ['an isolate', 'a\u2066b'],
    ['a right-to-left mark', 'a\u200fb'],
    ['an Arabic letter mark', 'a\u061cb'],
    ['a zero-width space', 'a\u200bb'],
    ['a zero-width non-joiner', 'a\u200cb'],
    ['a zero-width joiner', 'a\u200db'],
    ['a byte order mark', 'a\ufeffb'],
    ['a word joiner', 'a\u2060b'],
    ['a soft hyphen', 'a\u00adb'],
    ['a combining grapheme joiner', 'a\u034fb'],
    ['a Hangul filler', 'a\u3164b'],
    ['a tag character', 'a\u{e0061}b'],
    ['a lone surrogate', 'a\ud83db'],
    ['a noncharacter', 'a\uffffb'],
    ['an annotation', 'a\ufff9b\ufffb'],
    ['a joiner before a letter', '\u{1f468}\u200da'],
    ['a joiner at the end', '\u{1f468}\u200d'],
    ['two joiners', '\u{1f468}\u200d\u200d\u{1f469}'],
    ['a non-joiner between emoji', '\u{1f468}\u200c\u{1f469}'],
    ['a non-joiner at the end of a Persian word', '\u0639\u0644\u06cc\u200c'],
    ['a joiner between Persian letters', '\u0639\u200d\u0644'],
    ['a joiner without a virama', '\u0915\u200d\u0937'],
    ['a variation selector behind a letter', 'ab\ufe0f'],
    ['a message in the tags of a flag', '\u{1f3f4}\u{e0068}\u{e0069}\u{e007f}'],
    ['a pile of four marks', 'Zq\u0300\u0301\u0302\u0303'],
    ['a pile of marks with joiners between', '\u0915\u0301\u0301\u094d\u200d\u0301'],
  ])('has no %s', (_, fullName) => {
    expect(sentences({ fullName })).toEqual(['Full name has characters that cannot be shown.']);
  });

  test.each([
    '\u200b\u200b',
    '\u3164',
    '\ufe0f',
    '\u0301\u0302',
    '\u202e',
  ])('is not made of nothing that shows (%j)', (fullName) => {
    expect(refusedFields({ fullName })).toEqual(['fullName']);
  });

  test.each([
    '\u2800',
    '\u2800\u2800 \u2800',
    '\u0301',
    '\u064e',
    '???',
    '- . -',
    '$$$',
    '\u{1d159}',
  ])('has a letter, a digit or an emoji, which %j has not', (fullName) => {
    expect(sentences({ fullName })).toEqual(['Full name needs a letter, a digit or an emoji.']);
  });

  test('may have three marks in a row, and no more', () => {
    expect(refusedFields({ fullName: 'Q\u0316\u0301\u0338' })).toEqual([]);
    expect(refusedFields({ fullName: 'Q\u0316\u0301\u0338\u0489' })).toEqual(['fullName']);
  });

  test('as typed may be as long as 60 characters ever are in pieces', () => {
    // This letter decomposes into a letter and three marks.
    expect(read({ fullName: '\u1f82'.normalize('NFD').repeat(60) }).data?.fullName).toBe('\u1f82'.repeat(60));
  });
});

describe('phone', () => {
  test.each([undefined, null, '', '   '])('left blank (%j) is null', (phone) => {
    expect(read({ phone }).data?.phone).toBeNull();
  });

  test.each(['5551234', '+1 (555) 123-4567', '0043.660/1234567', '1'.repeat(20)])('may be %s', (phone) => {
    expect(read({ phone: ` ${phone} ` }).data?.phone).toBe(phone);
  });

  test.each([
    '555123',
    '1'.repeat(21),
    'call me',
    '+1 555 CALL-NOW',
    '555-1234 ext. 5',
    '++15551234',
    '1234567+',
    '<1234567>',
    '( ) - . /',
    `5551234${' '.repeat(60)}5`,
    '٥٥٥١٢٣٤',
    '555\u200b1234',
    '555\u202e1234',
  ])('may not be %j', (phone) => {
    expect(sentences({ phone })).toEqual(['Please enter a valid phone number.']);
  });

  test.each([5551234, true, [], {}])('may not be %j, which is no text', (phone) => {
    expect(sentences({ phone })).toEqual(['Phone must be text.']);
  });
});

describe('password', () => {
  test('has 8 to 256 characters, an emoji counting as one', () => {
    const length = ['Password must have 8 to 256 characters.'];
    expect(sentences({ password: 'x'.repeat(7) })).toEqual(length);
    expect(sentences({ password: '🎧'.repeat(7) })).toEqual(length);
    expect(sentences({ password: 'x'.repeat(8) })).toEqual([]);
    expect(sentences({ password: '🎧'.repeat(8) })).toEqual([]);
    expect(sentences({ password: 'x'.repeat(256) })).toEqual([]);
    expect(sentences({ password: '🎧'.repeat(256) })).toEqual([]);
    expect(sentences({ password: 'x'.repeat(257) })).toEqual(length);
  });

  test('is counted as it is hashed, after NFKC', () => {
    // One ligature is three letters; a letter and its accent are one.
    expect(refusedFields({ password: 'ﬃﬃﬃ' })).toEqual([]);
    expect(refusedFields({ password: 'ﬃ'.repeat(86) })).toEqual(['password']);
    expect(refusedFields({ password: 'e\u0301'.repeat(7) })).toEqual(['password']);
  });

  test('need not be composed of anything, and keeps its spaces', () => {
    for (const password of ['aaaaaaab', '  padded  with  ', 'ÄÖÜäöüßẞ', '\tTabbed\t\t']) {
      expect(read({ password }).data?.password).toBe(password);
    }
  });

  test('is not the email or the username, whatever the case or the width of its letters', () => {
    const sentence = ['Password must not be your email or your username.'];
    const person = { email: 'Cam@Example.com', username: 'Cam-Customer' };
    for (const password of [
      'Cam@Example.com',
      'cam@example.com',
      'CAM@EXAMPLE.COM',
      'cam-customer',
      'CAM-CUSTOMER',
      'ｃａｍ－ｃｕｓｔｏｍｅｒ',
      'ｃａｍ＠ｅｘａｍｐｌｅ．ｃｏｍ',
    ]) {
      expect(sentences({ ...person, password })).toEqual(sentence);
    }
    expect(sentences({ ...person, password: 'cam-customer1' })).toEqual([]);
  });
});

describe('services', () => {
  const PROVIDER = { isServiceProvider: true };
  const sentence = 'Please select at least one service category.';

  test.each([
    undefined,
    null,
    [],
    {},
    'bartender',
    7,
  ])('a provider with %j selects at least one', (chosen) => {
    expect(sentences({ ...PROVIDER, serviceCategories: chosen })).toEqual([sentence]);
  });

  test('each of the eight may be offered, and all of them, once each and in the order of the screens', () => {
    for (const category of SERVICE_CATEGORIES) {
      expect(read({ ...PROVIDER, serviceCategories: [category] }).data?.serviceCategories).toEqual([
        category,
      ]);
    }
    const backwards = [...SERVICE_CATEGORIES].reverse();
    expect(
      read({ ...PROVIDER, serviceCategories: [...backwards, ...backwards] }).data?.serviceCategories,
    ).toEqual(SERVICE_CATEGORIES);
  });

  test.each(['astronaut', 'Bartender', '', null, 1, {}, '__proto__'])('%j is no service', (category) => {
    expect(refusedFields({ ...PROVIDER, serviceCategories: ['dj', category] })).toEqual([
      'serviceCategories.1',
    ]);
  });

  test('a list without end is refused', () => {
    const serviceCategories = Array.from({ length: 101 }, () => 'dj');
    expect(refusedFields({ ...PROVIDER, serviceCategories })).toEqual(['serviceCategories']);
  });

  test.each([
    undefined,
    null,
    ['bartender'],
    ['astronaut', 7, null],
    'garbage',
    42,
    { dj: true },
  ])('a customer has none, whatever was sent along (%j)', (sent) => {
    expect(read({ serviceCategories: sent }).data?.serviceCategories).toEqual([]);
  });
});

test('fields that nobody asked for are dropped', () => {
  const { data } = read({ id: 'usr_1', isAdmin: true, totalTipsReceivedCents: 5, passwordHash: 'x' });
  expect(Object.keys(data ?? {}).sort()).toEqual([
    'email',
    'fullName',
    'isServiceProvider',
    'password',
    'phone',
    'serviceCategories',
    'username',
  ]);
});

test('a login takes the email trimmed and the password as it is, whatever the rules for new ones', () => {
  expect(credentials.parse({ email: ' Cam@Example.com ', password: ' x ' })).toEqual({
    email: 'Cam@Example.com',
    password: ' x ',
  });
  expect(credentials.safeParse({ email: ' ', password: '' }).error?.issues).toHaveLength(2);
});
