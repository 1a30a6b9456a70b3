/**
 * Names in any script are set as their readers write them: signs stand where they belong, letters join, and a name
 * in letters that no typeface has is told before it is printed.
 */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { letter, runsOf } from '#server/print/lettering.ts';
import { FROM_RIGHT } from '#server/print/shaping.ts';
import { lettersNotPrinted } from '#shared/printed-letters.ts';

/** The glyphs of a text from left to right, each with the letters that it shows. */
async function glyphsOf(text: string) {
  const lettered = await letter(text, 'display');
  return runsOf(lettered.text, lettered).flatMap(({ font, text: part, isFromRight }) => {
    const { glyphs, positions } = font.typeface.layout(part, isFromRight ? [FROM_RIGHT] : []);
    return glyphs.map(({ id, codePoints }, index) => ({
      id,
      letters: String.fromCodePoint(...codePoints),
      advance: positions[index]?.xAdvance,
    }));
  });
}

const MISSING = '\ufffd';
/** The planes of Unicode that have the letters of living scripts. */
const CODE_POINTS = 0x20000;
/** One in so many. */
const TRIED_OF_THE_OTHERS = 50;

/** Words of each script, most of which have signs on, below, before or around a letter. */
const WORDS: readonly (readonly [script: string, words: string])[] = [
  ['Arabic', 'محمد عبد الله الشريف گڑھی'],
  ['Kashmiri', 'جٔرمَن'],
  ['Hebrew', 'שָׁלוֹם דוד'],
  ['Thai', 'ญี่ปุ่น ผู้ชง'],
  ['Devanagari', 'श्रीकृष्ण त्रिपाठी'],
  ['Bengali', 'শ্রীকৃষ্ণ চট্টোপাধ্যায়'],
  ['Gurmukhi', 'ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ ਟਾਪੂ'],
  ['Gujarati', 'શ્રીકૃષ્ણ ત્રિવેદી અંગોલા'],
  ['Odia', 'ଶ୍ରୀକୃଷ୍ଣ ପଟ୍ଟନାୟକ'],
  ['Tamil', 'ஸ்ரீகிருஷ்ணன் கௌரி'],
  ['Telugu', 'శ్రీకృష్ణ వెంకటేశ్వర్లు బ్రెజిల్'],
  ['Kannada', 'ಶ್ರೀಕೃಷ್ಣ ದಕ್ಷಿಣ'],
  ['Malayalam', 'ശ്രീകൃഷ്ണൻ ദ്വീപ്'],
  ['Sinhala', 'ශ්‍රී ක්‍රිෂ්ණ පෙරේරා'],
  ['Burmese', 'ကျော်စွာ မြန်မာ'],
  ['Khmer', 'ស្រីមុំ មីយ៉ាន់ម៉ា'],
  ['Lao', 'ຍີ່ປຸ່ນ ນ້ຳ'],
  ['Ethiopic', 'ኃይለ ሥላሴ'],
  ['Georgian', 'ქეთევან გიორგაძე'],
  ['Armenian', 'Արմեն Սարգսյան'],
  ['Vietnamese', 'Nguyễn Thị Hồng Ế'],
];

describe.each(WORDS)('%s', (_, words) => {
  test('has a typeface with each letter, and is not told to lack one', async () => {
    expect(lettersNotPrinted(words)).toEqual([]);
    const glyphs = await glyphsOf(words);
    expect(glyphs.length).toBeGreaterThan(0);
    expect(glyphs.filter(({ id, letters }) => id === 0 || letters.includes(MISSING))).toEqual([]);
  });
});

test.each([
  ['a Burmese sign before its consonant', 'ကေ', ['ေ', 'က']],
  ['a Bengali sign before its consonant', 'কি', ['ি', 'ক']],
  ['a Khmer sign before its consonant', 'ខែ', ['ែ', 'ខ']],
  ['a Sinhala sign before its consonant', 'කෙ', ['ෙ', 'ක']],
  ['a Malayalam sign before a doubled consonant', 'ക്കെ', ['െ', 'ക്ക']],
  ['two consonants in the shape of both', 'क्ष', ['क्ष']],
  ['Hebrew from right to left', 'דוד', ['ד', 'ו', 'ד']],
  ['a bracket in Hebrew with its opening to the word', 'ד(ו', ['ו', '(', 'ד']],
])('%s', async (_, word, letters) => {
  expect((await glyphsOf(word)).map((glyph) => glyph.letters)).toEqual(letters);
});

test('Arabic letters join: the same one has other shapes at the ends of a word and within', async () => {
  const shapes = (await glyphsOf('ههه')).map(({ id }) => id);
  expect(new Set(shapes).size).toBe(3);
});

test('a bracket in Hebrew is mirrored', async () => {
  const [fromRight] = (await glyphsOf('ד(')).map(({ id }) => id);
  const [fromLeft] = (await glyphsOf(')')).map(({ id }) => id);
  expect(fromRight).toBe(fromLeft);
});

/** Marks each code point that a file of any typeface of the product is said to have: no other can be in one. */
function markSaidToBeThere(): Uint8Array {
  const marks = new Uint8Array(CODE_POINTS);
  for (const path of globSync('node_modules/@fontsource*/*/unicode.json')) {
    const rangesOf = z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(path, 'utf8')));
    for (const range of Object.values(rangesOf).join().split(',')) {
      const [first = '', last = first] = range.trim().replace('U+', '').split('-');
      marks.fill(1, Number.parseInt(first, 16), Number.parseInt(last, 16) + 1);
    }
  }
  return marks;
}

test('who prints is told of exactly those letters, digits and symbols that no typeface has', async () => {
  const wrong: string[] = [];
  const saidToBeThere = markSaidToBeThere();
  for (let codePoint = 0; codePoint < CODE_POINTS; codePoint += 1) {
    const character = String.fromCodePoint(codePoint);
    // Which Chinese characters a typeface lacks is not told (decision 021); fillers are invisible.
    if (!/[\p{L}\p{N}\p{S}\p{P}]/u.test(character)) continue;
    if (/[\p{Script=Han}\p{Default_Ignorable_Code_Point}]/u.test(character)) continue;
    if (character.normalize('NFC') !== character || character === MISSING) continue;
    // To look through all files in vain takes longest, and is tried with some that are in none.
    const isTried = saidToBeThere[codePoint] === 1 || codePoint % TRIED_OF_THE_OTHERS === 0;
    const isMissing = !isTried || (await letter(character, 'text')).text === MISSING;
    if (isMissing !== lettersNotPrinted(character).length > 0) wrong.push(codePoint.toString(16));
  }
  expect(wrong).toEqual([]);
});

test('a letter that is missing is told once, however often it stands there', () => {
  expect(lettersNotPrinted('ꦗꦮꦗ Ann ✦ 𝓐')).toEqual(['ꦗ', 'ꦮ', '✦', '𝓐']);
});
