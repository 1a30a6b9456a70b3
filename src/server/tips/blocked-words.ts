/**
 * The operator's list of words that no message to a receiver may contain. Each becomes a regular expression over folded
 * messages (`look-alikes.ts`). No two consecutive parts of it match the same run of characters, so that it fails within
 * the length of the word: with 2,000 words of 60 letters the slowest message of 140 characters took 16 ms of CPU, and
 * reading the list 3 s (Node.js 26, one core of a small server).
 */
import { foldLetters } from './look-alikes.ts';

export interface BlockedWords {
  matches(text: string): boolean;
}

/** Its message names the line that cannot be used. */
export class UnusableLine extends Error {
  override name = 'UnusableLine';
}

export const MAX_LINES = 2_000;
export const MAX_LINE_LENGTH = 60;
export const NO_BLOCKED_WORDS: BlockedWords = { matches: () => false };

/** Digits and signs that stand for a letter in a disguised word; v and l also stand for u and i. */
const STAND_INS: Readonly<Record<string, string>> = {
  a: '4@\u2200',
  b: '86\u20BF\u0E3F',
  c: '(<[{\u00A2\u20B5\u00A9',
  e: '3\u20AC',
  g: '96',
  i: '1!|\u00A6l',
  l: '1!|\u00A6\u00A3',
  n: '\u20A6',
  o: '0',
  p: '\u20B1',
  q: '9',
  r: '\u00AE',
  s: '5$\u00A7\u20B4',
  t: '7+\u2020\u20AE',
  u: 'v',
  w: '\u20A9',
  y: '\u00A5',
  z: '2',
};
const LETTER_SIGNS = Object.values(STAND_INS)
  .join('')
  .replace(/[\p{L}\p{N}]/gu, '');
const STRETCHED = '=';
/** Digits of a number (4.5, table 455) become these private characters, which stand for no letter. */
const NUMBER_ZERO = 0xe000;

const WRITTEN = `\\p{L}\\p{M}\\p{N}${LETTER_SIGNS}`;
/** Scripts without spaces between words (and Korean, whose particles are written to the word). */
const SPACELESS = 'Han Hira Kana Bopo Hang Thai Laoo Khmr Mymr Tibt'
  .split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const IS_SPACELESS = new RegExp(`^[${SPACELESS}]`, 'u');

/**
 * Every other character of a message becomes one of four, because a class of Unicode takes a millisecond to compile: a
 * space, `*` for a sign that may replace a letter, `.` for any other sign, and a line feed between a script with spaces
 * and one without.
 */
const SKIPPED = '[*.\\n]*';
const BETWEEN_WORDS = '[ *.\\n]+';
const DIGITS = `0-9${String.fromCodePoint(NUMBER_ZERO)}-${String.fromCodePoint(NUMBER_ZERO + 9)}`;
/** A digit beside a letter ends a word. */
const NO_LETTER = ` *.\\n${DIGITS}${LETTER_SIGNS}`;
const START = `(?<![^${NO_LETTER}])(?<![${DIGITS}](?=[${DIGITS}]))`;
const END = `(?![^${NO_LETTER}])(?!(?<=[${DIGITS}])[${DIGITS}])`;
/** Shorter words keep too few letters to be recognised. */
const MIN_MASKED_LENGTH = 4;

/** A word or phrase on each line; a line that begins with `#` is a comment. @throws UnusableLine */
export function parseBlockedWords(text: string): BlockedWords {
  const patterns: RegExp[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .entries()) {
    const entry = line.trim();
    if (entry === '' || entry.startsWith('#')) continue;
    if (patterns.length === MAX_LINES)
      throw new UnusableLine(
        `line ${index + 1} is one more than the ${MAX_LINES} words that a list may have`,
      );
    patterns.push(patternOf(entry, `line ${index + 1}`));
  }
  if (patterns.length === 0) return NO_BLOCKED_WORDS;
  const matches = (message: string) => {
    const disguised = foldDisguises(message);
    return patterns.some((pattern) => pattern.test(disguised));
  };
  // V8 compiles an expression when it is first run, and once more when it is run again.
  matches('');
  matches('');
  return { matches };
}

function patternOf(entry: string, where: string): RegExp {
  const phrase = entry.replace(/^\*+|\*+$/g, '').trim();
  if (phrase.includes('*'))
    throw new UnusableLine(`${where} has a * inside, where only the beginning and the end may have one`);
  const words = foldSigns(phrase, (word) => word)
    .split(/ +/)
    .map((word) => word.match(/[^*.]\p{M}*/gu) ?? [])
    .filter((word) => word.length > 0);
  const letters = words.flat();
  // Some characters fold to several letters, so that these are counted as well.
  if (Math.max([...entry].length, letters.length + words.length - 1) > MAX_LINE_LENGTH)
    throw new UnusableLine(`${where} is longer than ${MAX_LINE_LENGTH} characters`);
  const [first] = letters;
  const last = letters.at(-1);
  if (first === undefined || last === undefined)
    throw new UnusableLine(`${where} has no letter and no digit`);

  const start = IS_SPACELESS.test(first) ? '' : START;
  const end = entry.endsWith('*') || IS_SPACELESS.test(last) ? '' : END;
  const written = (one: (word: readonly string[]) => string) => words.map(one).join(BETWEEN_WORDS);
  const joined = written((word) => stretchable(word, IS_SPACELESS.test(word[0] ?? '') ? '\\n?' : SKIPPED));
  // A match within another word contains no signs: wish-it does not contain *shit*.
  const within = entry.startsWith('*') ? [written((word) => stretchable(word, ''))] : [];
  const masked = `${within.length > 0 ? '' : start}${written(maskable)}`;
  return new RegExp(`(?:${[`${start}${joined}`, ...within, masked].join('|')})${end}`, 'u');
}

/** A single listed letter may be stretched but not doubled, which makes another word: pene is not penne. */
function stretchable(word: readonly string[], between: string): string {
  const runs: string[][] = [];
  for (const letter of word) {
    const run = runs.at(-1);
    if (run?.[0] === letter) run.push(letter);
    else runs.push([letter]);
  }
  return runs
    .map((run) => {
      const once = classOf(run[0] ?? '');
      if (run.length === 1) return `${once}${STRETCHED}?`;
      return `(?:${once}${STRETCHED}|${run.map(() => once).join(between)})`;
    })
    .join(between);
}

function maskable(word: readonly string[]): string {
  if (word.length < MIN_MASKED_LENGTH) return stretchable(word, '');
  return word.map((letter, at) => classOf(letter, at > 0 && at < word.length - 1 ? '*@' : '')).join('');
}

function classOf(listed: string, mask = ''): string {
  const [character = '', ...marks] = listed;
  if (marks.length > 0) return listed;
  if (/\d/.test(character)) return `[${character}${asNumber(character)}${mask}]`;
  const isSign = !/^\p{L}$/u.test(character);
  const standsFor = Object.keys(STAND_INS).find((letter) => isSign && STAND_INS[letter]?.includes(character));
  const letter = standsFor ?? character;
  return `[${letter}${STAND_INS[letter] ?? ''}${mask}]`;
}

const MASKS = new RegExp(
  `(?![${LETTER_SIGNS}])[*#%&~^_\u2022\u00B7\u25CF\u00D7\u2013\u2014\\-\\p{Extended_Pictographic}]`,
  'gu',
);
const OTHER_SIGNS = new RegExp(`[^ *${WRITTEN}]`, 'gu');
const LONE = '[^ *.]\\p{M}*(?![^ *.])';
/** Single letters with signs between them (s.h.i.t), or with the same gap that has a space (s h i t). */
const SPELLED = new RegExp(
  `(?<![^ *.])${LONE}(?:(?:[*.]+${LONE})+|([*.]{0,2} [ *.]{0,2})${LONE}(?:\\1${LONE})*)`,
  'gu',
);
/** Two letters around signs may be a longer word: f**k. */
const MASKED = /^[^ *.]\*+[^ *.]$/u;
/** Punctuation that counts as a letter only before another one, or between two. */
const PUNCTUATION = /[!\u00A6|]+(?![^ *.])|(?<![^ *.])[(<[{\u00A9\u00AE]|[(<[{\u00A9\u00AE](?![^ *.])/gu;

function foldSigns(text: string, join: (spelled: string) => string): string {
  return foldLetters(text)
    .replace(/\s/g, ' ')
    .replace(MASKS, '*')
    .replace(OTHER_SIGNS, '.')
    .replace(SPELLED, (spelled) => (MASKED.test(spelled) ? spelled : join(spelled.replace(/[ *.]+/g, ''))))
    .replace(PUNCTUATION, '.');
}

/** The words of one letter that may stand beside a spelled one: u r a s h i t. */
const WORDS_OF_ONE_LETTER = /^[aiury]+|[aiury]+$/g;
/** Three equal characters, except in a number, or a double letter that hardly any word has. */
const STRETCH = /([^ *.\uE000-\uE009])\1{2,}|([hijquvwxy])\2/gu;
const ENDS_OF_SPACELESS = new RegExp(
  `(?<=[${SPACELESS}])(?![${SPACELESS}])(?=\\p{L})|(?<=\\p{L})(?<![${SPACELESS}])(?=[${SPACELESS}])`,
  'gu',
);

function foldDisguises(message: string): string {
  const withoutNeighbours = (spelled: string) => {
    const bare = spelled.replace(WORDS_OF_ONE_LETTER, '');
    return bare === spelled ? spelled : `${spelled} ${bare}`;
  };
  return foldSigns(message, withoutNeighbours)
    .replace(/\d+(?:[*.]\d+)+/g, asNumber)
    .replace(/[^ *.]+/g, (piece) => (/\p{L}/u.test(piece) ? piece : asNumber(piece)))
    .replace(STRETCH, `$1$2${STRETCHED}`)
    .replace(ENDS_OF_SPACELESS, '\n');
}

function asNumber(text: string): string {
  return text.replace(/\d/g, (digit) => String.fromCharCode(NUMBER_ZERO + Number(digit)));
}
