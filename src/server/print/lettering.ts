/** Sets names in any script: each letter takes the first typeface that has it, and a text is as large as it can be. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import bidiFactory from 'bidi-js';
import { type Font, create as openFont } from 'fontkit';
import decompress from 'woff2-encoder/decompress';
import { type Reach, shapedByHarfBuzz } from './shaping.ts';

export type Face = 'display' | 'italic' | 'text';

interface Family {
  readonly name: string;
  /** The part of a file's name between the subset and the extension. */
  readonly style: string;
  /** True when the file's default weight is hair-thin: a PDF cannot embed another weight of a variable file. */
  readonly isThin?: true;
}

const DISPLAY: Family = { name: '@fontsource/instrument-serif', style: '400-normal' };
const ITALIC: Family = { name: '@fontsource/instrument-serif', style: '400-italic' };
const TEXT: Family = { name: '@fontsource-variable/noto-sans', style: 'wght-normal' };
const OTHER_SCRIPTS: readonly Family[] = [
  'arabic',
  'hebrew',
  'thai',
  'bengali',
  'gurmukhi',
  'gujarati',
  'oriya',
  'tamil',
  'telugu',
  'kannada',
  'malayalam',
  'sinhala',
  'myanmar',
  'khmer',
  'lao',
  'ethiopic',
  'georgian',
  'armenian',
].map((script) => ({ name: `@fontsource/noto-sans-${script}`, style: '400-normal' }));
const JAPANESE: Family = { name: '@fontsource-variable/noto-sans-jp', style: 'wght-normal', isThin: true };
const KOREAN: Family = { name: '@fontsource-variable/noto-sans-kr', style: 'wght-normal', isThin: true };
const CHINESE: Family = { name: '@fontsource-variable/noto-sans-sc', style: 'wght-normal', isThin: true };
const EMOJI: Family = { name: '@fontsource-variable/noto-emoji', style: 'wght-normal' };

interface FontFile {
  readonly path: string;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

export interface OpenFont {
  readonly name: string;
  readonly typeface: Font;
  /** The outline that makes each letter as heavy as the others, relative to the font size. */
  readonly stroke: number;
  readonly has: (codePoint: number) => boolean;
  readonly reachOf: (text: string, isFromRight: boolean) => Reach;
}

export interface Run {
  readonly font: OpenFont;
  /** In reading order. */
  readonly text: string;
  readonly isFromRight: boolean;
}

const require = createRequire(import.meta.url);
const bidi = bidiFactory();
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const filesOf = new Map<Family, readonly FontFile[]>();
const openFonts = new Map<string, Promise<OpenFont>>();

/** Invisible characters, such as joiners and variation selectors, and the skin colours of emoji. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]$/u;
const THIN_STROKE = 0.04;
const MARK = /^\p{M}$/u;
/** Replaces a letter that no typeface has. */
const MISSING = '\ufffd';
const MISSING_CODE_POINT = 0xfffd;

function readFiles(family: Family): readonly FontFile[] {
  const known = filesOf.get(family);
  if (known) return known;
  const listed: Record<string, string> = JSON.parse(
    readFileSync(require.resolve(`${family.name}/unicode.json`), 'utf8'),
  );
  const base = family.name.split('/')[1];
  const files = Object.entries(listed).map(([subset, ranges]) => {
    const name = `${base}-${subset.replace(/[[\]]/g, '')}-${family.style}.woff2`;
    return {
      path: require.resolve(`${family.name}/files/${name}`),
      ranges: ranges.split(',').map((range) => {
        const [first = '', last = first] = range.trim().replace('U+', '').split('-');
        return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
      }),
    };
  });
  filesOf.set(family, files);
  return files;
}

function open(path: string, isThin = false): Promise<OpenFont> {
  const known = openFonts.get(path);
  if (known) return known;
  const opening = decompress(readFileSync(path)).then((sfnt): OpenFont => {
    const bytes = Buffer.from(sfnt);
    const font = openFont(bytes);
    if (!('hasGlyphForCodePoint' in font)) throw new Error(`${path} is a collection of typefaces`);
    return {
      name: path,
      ...shapedByHarfBuzz(font, bytes),
      stroke: isThin ? THIN_STROKE : 0,
      has: (codePoint) => font.hasGlyphForCodePoint(codePoint),
    };
  });
  openFonts.set(path, opening);
  return opening;
}

/** The typefaces of a text in order of preference. Characters beside Chinese ones decide their language. */
function familiesFor(text: string, face: Face): readonly Family[] {
  const first = { display: [DISPLAY, TEXT], italic: [ITALIC, TEXT], text: [TEXT] }[face];
  const asian = /[\u3040-\u30ff]/.test(text)
    ? [JAPANESE, KOREAN, CHINESE]
    : /[\u1100-\u11ff\uac00-\ud7af]/.test(text)
      ? [KOREAN, JAPANESE, CHINESE]
      : [CHINESE, JAPANESE, KOREAN];
  return [...first, ...OTHER_SCRIPTS, ...asian, EMOJI];
}

async function fontFor(codePoint: number, families: readonly Family[]): Promise<OpenFont | null> {
  for (const family of families) {
    for (const { path, ranges } of readFiles(family)) {
      if (!ranges.some(([first, last]) => first <= codePoint && codePoint <= last)) continue;
      const font = await open(path, family.isThin);
      if (font.has(codePoint)) return font;
    }
  }
  return null;
}

export interface Lettered {
  readonly text: string;
  readonly isRightToLeft: boolean;
  readonly fonts: ReadonlyMap<number, OpenFont>;
}

/** A letter that no typeface has is replaced by a sign, and a mark that none has is left out. */
export async function letter(text: string, face: Face): Promise<Lettered> {
  const families = familiesFor(text, face);
  const fonts = new Map<number, OpenFont>();
  let known = '';
  for (const character of text.normalize('NFC')) {
    const codePoint = character.codePointAt(0) ?? 0;
    const font = fonts.get(codePoint) ?? (await fontFor(codePoint, families));
    if (font) {
      fonts.set(codePoint, font);
      known += character;
    } else if (!INVISIBLE.test(character) && !MARK.test(character)) known += MISSING;
  }
  const missing = await fontFor(MISSING_CODE_POINT, families);
  if (missing) fonts.set(MISSING_CODE_POINT, missing);
  const [paragraph] = bidi.getEmbeddingLevels(known, 'auto').paragraphs;
  return { text: known, isRightToLeft: (paragraph?.level ?? 0) % 2 === 1, fonts };
}

/** The runs of one line in visual order (Unicode Standard Annex 9, rule L2). @param line of the lettered text. */
export function runsOf(line: string, { fonts, isRightToLeft }: Lettered): Run[] {
  const { levels } = bidi.getEmbeddingLevels(line, isRightToLeft ? 'rtl' : 'ltr');
  const runs: { font: OpenFont; text: string; level: number; isFromRight: boolean }[] = [];
  let index = 0;
  for (const character of line) {
    const level = levels[index] ?? 0;
    index += character.length;
    const codePoint = character.codePointAt(0) ?? 0;
    const own = fonts.get(codePoint);
    const before = runs.at(-1);
    const [isInvisible, isMark] = [INVISIBLE.test(character), MARK.test(character)];
    // A mark or joiner stays with the preceding letter if its typeface has it.
    const stays =
      before?.level === level &&
      (before.font === own || ((isInvisible || isMark) && before.font.has(codePoint)));
    const font = stays ? before.font : own;
    if (!font || (isInvisible && !stays)) continue;
    if (stays) before.text += character;
    else {
      // Else the letter takes the typeface of its mark: the mark alone has no width, and would be drawn over what follows.
      const base = isMark && before?.level === level ? lastLetterOf(before.text, font) : '';
      if (before && base !== '') before.text = before.text.slice(0, -base.length);
      if (before?.text === '') runs.pop();
      runs.push({ font, text: base + character, level, isFromRight: level % 2 === 1 });
    }
  }
  const highest = Math.max(0, ...runs.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    for (let start = 0; start < runs.length; start += 1) {
      let end = start;
      while (end < runs.length && (runs[end]?.level ?? 0) >= level) end += 1;
      if (end - start > 1) runs.splice(start, end - start, ...runs.slice(start, end).reverse());
      start = Math.max(start, end - 1);
    }
  }
  return runs;
}

/** The last letter of a text with its marks; '' where the typeface has not all of it. */
function lastLetterOf(text: string, font: OpenFont): string {
  const letter = [...graphemes.segment(text)].at(-1)?.segment ?? '';
  return [...letter].every((character) => font.has(character.codePointAt(0) ?? 0)) ? letter : '';
}

export interface Place {
  readonly width: number;
  readonly height: number;
  readonly maxSize: number;
  readonly maxLines: number;
}

export interface Fitted {
  readonly size: number;
  readonly lines: readonly string[];
}

/** The room of a line above and below its baseline, relative to the font size. */
const LINE: Reach = { above: 0.82, below: 0.26 };
/** By how much letters may reach above the room of their line: accents on capitals do, and hardly ever meet a letter. */
const OVERHANG = 0.06;

/** The room that each line of a text needs: more where signs are stacked on letters or below them. */
export function lineOf(lettered: Lettered): Reach {
  const reaches = runsOf(lettered.text, lettered).map(({ font, text, isFromRight }) =>
    font.reachOf(text, isFromRight),
  );
  return {
    above: Math.max(LINE.above, ...reaches.map(({ above }) => above - OVERHANG)),
    below: Math.max(LINE.below, ...reaches.map(({ below }) => below)),
  };
}

/** The value of a font size falls by this factor for each line after the first, and for breaking a word. */
const WORTH_OF_A_LINE = 0.85;
const WORTH_OF_BROKEN_WORDS = 0.62;
const WITHOUT_SPACES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Signs that join the next consonant to the one before in a shape of both, and vowels that Thai writes first. */
const JOINS_NEXT =
  /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA\u1039\u17D2\u0E40-\u0E44\u0EC0-\u0EC4]\u200D?$/u;
/** Signs of the letter before, those included that Burmese, Thai and Lao write in a place of their own. */
const BELONGS_TO_LAST = /^[\p{M}\u0E30\u0E32\u0E33\u0E45\u0E46\u0EB0\u0EB2\u0EB3\u0EC6]/u;

/**
 * The text never leaves its place. Words are broken only where whole ones would be tiny.
 * @param leading the distance between lines, relative to the font size.
 * @param widthOf the width of a part of the text at a font size of one.
 */
export function fitText(
  text: string,
  place: Place,
  leading: number,
  widthOf: (part: string) => number,
): Fitted {
  let best: (Fitted & { readonly worth: number }) | null = null;
  for (let lineCount = 1; lineCount <= place.maxLines; lineCount += 1) {
    for (const isBroken of [false, true]) {
      const found = largest(text, place, leading, lineCount, isBroken, widthOf);
      if (!found) continue;
      const worth =
        found.size *
        WORTH_OF_A_LINE ** (found.lines.length - 1) *
        (isBroken && !WITHOUT_SPACES.test(text) ? WORTH_OF_BROKEN_WORDS : 1);
      if (best === null || worth > best.worth) best = { ...found, worth };
    }
  }
  if (!best) throw new Error('a text fits its place at no size');
  return best;
}

function largest(
  text: string,
  { width, height, maxSize }: Place,
  leading: number,
  lineCount: number,
  isBroken: boolean,
  widthOf: (part: string) => number,
): Fitted | null {
  let low = 0;
  let high = Math.min(maxSize, height / (leading * lineCount));
  let found: Fitted | null = null;
  for (let step = 0; step < 14; step += 1) {
    const size = step === 0 ? high : (low + high) / 2;
    const lines = wrap(text, width / size, isBroken, widthOf);
    if (lines && lines.length <= lineCount) {
      found = { size, lines };
      if (step === 0) break;
      low = size;
    } else high = size;
  }
  return found;
}

/** Lines of at most `width` at a font size of one; null when a whole word is wider. */
function wrap(
  text: string,
  width: number,
  isBroken: boolean,
  widthOf: (part: string) => number,
): readonly string[] | null {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (widthOf(word) <= width) {
      lines.push(line);
      line = word;
      continue;
    }
    if (!isBroken) return null;
    if (line !== '') line += ' ';
    for (const segment of partsOf(word)) {
      if (line !== '' && widthOf(line + segment) > width) {
        lines.push(line);
        line = '';
      }
      line += segment;
      if (widthOf(line) > width) return null;
    }
  }
  return [...lines, line];
}

/** The parts of a word between which a line may end. */
function partsOf(word: string): readonly string[] {
  const parts: string[] = [];
  for (const { segment } of graphemes.segment(word)) {
    const before = parts.at(-1);
    if (before !== undefined && (JOINS_NEXT.test(before) || BELONGS_TO_LAST.test(segment)))
      parts[parts.length - 1] = before + segment;
    else parts.push(segment);
  }
  return parts;
}
