/** What a page finds against words before it sends them: the same as the server does afterwards. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lengthOf, MAX_MESSAGE_LENGTH, problemWith } from '#shared/message-rules.ts';
import { messageText } from '#shared/messages.ts';

const schema = messageText('The message');

function problemOfSchema(text: string): string | null {
  const result = schema.safeParse(text);
  return result.success ? null : (result.error.issues[0]?.message ?? 'something');
}

it.each([
  ['', null],
  ['Thanks.It was lovely', null],
  [`  ${'é'.repeat(MAX_MESSAGE_LENGTH)}\n`, null],
  ['😀'.repeat(MAX_MESSAGE_LENGTH), null],
  ['x'.repeat(MAX_MESSAGE_LENGTH + 1), 'The message may have up to 140 characters.'],
  [' '.repeat(10_000), 'The message may have up to 140 characters.'],
  ['a\u202Eb', 'The message has characters that cannot be shown.'],
  ['see WWW.example.com', 'The message must not have links.'],
  ['me@example.org', 'The message must not have links.'],
  ['ｈｔｔｐｓ://x', 'The message must not have links.'],
  ['example。com', 'The message must not have links.'],
])('%j has the problem %j', (text, problem) => {
  expect(problemWith('The message', text)).toBe(problem);
  expect(problemOfSchema(text)).toBe(problem);
});

it('is the same as the schema finds, for any text', () => {
  const pieces = fc.constantFrom(
    'a',
    ' ',
    '\n',
    '\t',
    '.',
    'com',
    '/',
    '://',
    '@',
    '\u200D',
    '\u0301',
    '😀',
    'www.',
    'é',
    'ﬃ',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.array(pieces, { maxLength: 160 }).map((parts) => parts.join('')),
    fc.string({ unit: pieces, minLength: 120, maxLength: 160 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(problemWith('The message', text)).toBe(problemOfSchema(text));
    }),
    { numRuns: 2_000 },
  );
});

it('counts the characters that are bounded', () => {
  expect(lengthOf(' a \n b ')).toBe(3);
  expect(lengthOf('e\u0301')).toBe(1);
  expect(lengthOf('😀')).toBe(1);
});
