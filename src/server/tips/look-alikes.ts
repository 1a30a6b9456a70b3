/**
 * What a character can be read as. Most of it is Unicode's own (NFKD: full width, mathematical, circled, superscript
 * letters); the tables here have what Unicode keeps apart although the eye does not.
 */

/** A character as it is written once case, width and ornament are folded off. */
export interface FoldedCharacter {
  /** A sign is neither letter nor digit; one with readings may stand for a letter. */
  readonly kind: 'letter' | 'digit' | 'sign' | 'space';
  readonly written: string;
  /** What it is, or looks the same as: itself first, then the Latin letters that it is taken for. */
  readonly looksLike: readonly string[];
  /** What it is also read as where somebody disguises a word. */
  readonly standsFor: readonly string[];
}

/** Longer compatibility forms are whole phrases in one character (U+FDFA); unfolding them is work without a gain. */
const MAX_UNFOLDED = 4;

/** What hides between letters without being seen: zero-width characters, soft hyphens, directions, variation selectors. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Cf}]$/u;
const SPACE = /^[\p{White_Space}\p{Cc}]$/u;
const DIGIT = /^\p{Nd}$/u;
/** Modifier letters that look like apostrophes, colons and strokes are signs. */
const LETTER = /^(?![\u02B9-\u02DF\u02E5-\u02FF])[\p{L}\p{N}]$/u;
const MARK = /^\p{M}$/u;
/** Marks that belong to any script, which pile up on letters (zalgo), except those that make another kana. */
const LOOSE_MARK = /^(?![\u3099\u309A])\p{sc=Zinh}$/u;
/** In these scripts a mark is an accent or a point, which may be left out; in others it may be a vowel. */
const MARKS_ARE_ACCENTS =
  /^[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Armenian}\p{sc=Georgian}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{N}]$/u;
/** A syllable of Hangul stays whole, so that a word does not match the half of a syllable. */
const HANGUL_SYLLABLE = /^[\uAC00-\uD7A3]$/u;
const KATAKANA = /^[\u30A1-\u30F6]$/u;
const KATAKANA_TO_HIRAGANA = 0x60;
/** Trade marks would be read as letters behind a word, and the tatweel only draws an Arabic word out. */
const PLAIN_SIGNS = new Set(['\u2122', '\u2120']);
const TATWEEL = '\u0640';

/** Ranges of 26 letters that Unicode does not call a form of a letter: negative circled, negative squared. */
const ALPHABETS = [0x1f150, 0x1f170] as const;
/** Two regional indicators make a flag, so that they stand for letters only where a word is disguised. */
const REGIONAL_INDICATOR_A = 0x1f1e6;

/**
 * Letters by the Latin letter that they are taken for, in lower case, because case is folded before. A letter that only
 * vaguely resembles another one is left out where whole words of its language would be refused (the Cyrillic i as u).
 */
const HOMOGLYPHS = index({
  // Cyrillic; Greek; Armenian; phonetic, small capital and barred letters.
  a: ['\u0430', '\u03B1', '\u0251\u1D00\u0250\u2C65'],
  b: ['\u0432\u044C\u044A', '\u03B2', '\u0299\u0253\u0180\u0183'],
  c: ['\u0441', '\u03F2', '\u1D04\u0188\u023C\u0254\u2184'],
  d: ['\u0501', '\u1D05\u0257\u0111\u00F0\u0256\u018C'],
  e: ['\u0435\u0454\u044D', '\u03B5\u03F5', '\u1D07\u0259\u025B\u01DD\u0247\u025C'],
  f: ['\u0493', '\u03DD', '\uA730\u0192'],
  g: ['\u0261', '\u0581', '\u0262\u0260\u01E5'],
  h: ['\u043D\u04BB', '\u03B7', '\u0570', '\u029C\u0266\u0127\u0265'],
  i: ['\u0456\u04CF', '\u03B9', '\u0131\u0269\u026A\u0268\u1D7B'],
  j: ['\u0458', '\u03F3', '\u1D0A\u0237\u0249\u029D'],
  k: ['\u043A\u049B', '\u03BA', '\u1D0B\u0199\u0138\u029E'],
  l: ['\u04CF', '\u029F\u0142\u026B\u019A\u026D\u01C0'],
  m: ['\u043C', '\u03BC', '\u1D0D\u0271\u026F'],
  n: ['\u043F', '\u03B7\u03BD', '\u0578', '\u0274\u0272\u014B\u019E\u0273'],
  o: ['\u043E', '\u03BF\u03C3', '\u0585', '\u1D0F\u00F8\u0275'],
  p: ['\u0440', '\u03C1', '\u1D18\u01A5\u00FE\u1D7D'],
  q: ['\u051B', '\u0563', '\uA7AF\u02A0\u024B'],
  r: ['\u0433', '\u0280\u027C\u027D\u0279\u024D'],
  s: ['\u0455', '\uA731\u0282\u023F\u01A8'],
  t: ['\u0442', '\u03C4', '\u1D1B\u01AD\u0167\u0288\u0287'],
  u: ['\u0446\u0443', '\u03C5\u03BC', '\u057D', '\u1D1C\u0289\u028A\u028B'],
  v: ['\u0475', '\u03BD', '\u1D20\u028B\u028C'],
  w: ['\u0448\u0461\u051D', '\u03C9', '\u1D21\u026F\u028D'],
  x: ['\u0445', '\u03C7', '\u1D8D'],
  y: ['\u0443\u04AF', '\u03B3\u03C5', '\u028F\u01B4\u024F'],
  z: ['\u03B6', '\u1D22\u01B6\u0290\u0291\u0240'],
  // Arabic and Persian write these two letters, and the end of many words, in more than one way.
  '\u064A': ['\u0649\u06CC'],
  '\u0643': ['\u06A9'],
  '\u0647': ['\u0629'],
});

/** Digits and signs by the letter that they stand for where a word is disguised; and letters for each other. */
const STAND_INS = index({
  a: ['4@\u2200'],
  b: ['86\u20BF\u0E3F'],
  c: ['(<[{\u00A2\u20B5\u00A9'],
  e: ['3\u20AC'],
  g: ['96'],
  i: ['1!|\u00A6l'],
  l: ['1!|\u00A6\u00A3'],
  n: ['\u20A6'],
  o: ['0'],
  p: ['\u20B1'],
  q: ['9'],
  r: ['\u00AE'],
  s: ['5$\u00A7\u20B4'],
  t: ['7+\u2020\u20AE'],
  u: ['v'],
  w: ['\u20A9'],
  y: ['\u00A5'],
  z: ['2'],
});

/** Ligatures and letters that are spelled with two where they are missing on a keyboard. */
const SPELLED_OUT: ReadonlyMap<string, string> = new Map([
  ['\u00E6', 'ae'],
  ['\u0153', 'oe'],
]);

/** Folds a text character by character; what cannot be seen, and accents, leave nothing. */
export function foldCharacters(text: string): readonly FoldedCharacter[] {
  const folded: FoldedCharacter[] = [];
  for (const character of text.normalize('NFC')) {
    if (INVISIBLE.test(character)) continue;
    if (SPACE.test(character)) folded.push(plain('space', ' '));
    else if (PLAIN_SIGNS.has(character)) folded.push(plain('sign', character));
    else folded.push(...foldVisible(character, folded.at(-1)));
  }
  return folded;
}

function foldVisible(character: string, before: FoldedCharacter | undefined): readonly FoldedCharacter[] {
  const flagLetter = letterFrom(REGIONAL_INDICATOR_A, character);
  if (flagLetter !== null)
    return [{ kind: 'sign', written: character, looksLike: [], standsFor: [flagLetter] }];
  const parts: FoldedCharacter[] = [];
  for (const part of unfold(character)) {
    const last = parts.at(-1) ?? before;
    if (MARK.test(part) ? isAccent(part, last) : part === TATWEEL || INVISIBLE.test(part)) continue;
    parts.push(foldPart(part, character));
  }
  // A letter in brackets that is one character is a letter, and so is a digit with a full stop.
  const letters = parts.filter(({ kind }) => kind === 'letter' || kind === 'digit');
  return letters.length > 0 ? letters : parts.slice(0, 1);
}

function foldPart(part: string, character: string): FoldedCharacter {
  if (SPACE.test(part)) return plain('space', ' ');
  const standsFor = STAND_INS.get(part) ?? [];
  if (DIGIT.test(part)) return { kind: 'digit', written: part, looksLike: [part], standsFor };
  if (!LETTER.test(part) && !MARK.test(part))
    return { kind: 'sign', written: part, looksLike: [], standsFor };
  return {
    kind: 'letter',
    written: part,
    looksLike: [part, ...(HOMOGLYPHS.get(part) ?? [])],
    // A capital I and a small l look the same in most typefaces.
    standsFor: character === 'I' ? ['l'] : standsFor,
  };
}

function plain(kind: 'sign' | 'space', written: string): FoldedCharacter {
  return { kind, written, looksLike: [], standsFor: [] };
}

/** A character without its case and ornaments, decomposed. */
function unfold(character: string): string {
  if (HANGUL_SYLLABLE.test(character)) return character;
  for (const first of ALPHABETS) {
    const letter = letterFrom(first, character);
    if (letter !== null) return letter;
  }
  // By way of upper case, because that is where one letter becomes two (the German sharp s) and two become one (sigma);
  // without marks, because one of them has a letter as its upper case (the Greek iota below).
  const decomposed = [...character.normalize('NFKD')].filter((part) => !LOOSE_MARK.test(part)).join('');
  const folded = decomposed.toLowerCase().toUpperCase().toLowerCase().normalize('NFKD');
  const unfolded = SPELLED_OUT.get(folded) ?? folded;
  if ([...unfolded].length > MAX_UNFOLDED) return character;
  return [...unfolded].map(toHiragana).join('');
}

/** The two syllabaries of Japanese write the same words. */
function toHiragana(part: string): string {
  return KATAKANA.test(part) ? String.fromCodePoint((part.codePointAt(0) ?? 0) - KATAKANA_TO_HIRAGANA) : part;
}

/** Whether a mark may be left out, as it is by those who write without accents. */
function isAccent(mark: string, last: FoldedCharacter | undefined): boolean {
  return LOOSE_MARK.test(mark) || last?.kind !== 'letter' || MARKS_ARE_ACCENTS.test(last.written);
}

function letterFrom(first: number, character: string): string | null {
  const place = (character.codePointAt(0) ?? 0) - first;
  return place >= 0 && place < 26 ? String.fromCodePoint(0x61 + place) : null;
}

/** A table the other way round: the letters that each character is taken for. */
function index(table: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, readonly string[]> {
  const letters = new Map<string, string[]>();
  for (const [letter, rows] of Object.entries(table)) {
    for (const character of rows.join('')) {
      const known = letters.get(character) ?? [];
      letters.set(character, [...known, letter]);
    }
  }
  return letters;
}
