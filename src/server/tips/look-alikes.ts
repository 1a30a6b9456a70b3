/**
 * Folds a text to one letter for all that look the same, without case and accents: by Unicode's NFKD, and a table of
 * look-alikes that Unicode keeps apart. Listed words are folded as well, so that merging two letters costs no match.
 */

/** A letter is in one row at most, and in none when the resemblance is vague (the Cyrillic i as u). */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: '\u0430\u03B1\u0251\u1D00\u0250\u2C65',
  b: '\u0432\u044C\u044A\u03B2\u0299\u0253\u0180\u0183',
  c: '\u0441\u03F2\u1D04\u0188\u023C\u0254\u2184',
  d: '\u0501\u1D05\u0257\u0111\u00F0\u0256\u018C',
  e: '\u0435\u0454\u044D\u03B5\u03F5\u1D07\u0259\u025B\u01DD\u0247\u025C',
  f: '\u0493\u03DD\uA730\u0192',
  g: '\u0261\u0581\u0262\u0260\u01E5',
  h: '\u043D\u04BB\u0570\u029C\u0266\u0127\u0265',
  i: '\u0456\u03B9\u0131\u0269\u026A\u0268\u1D7B',
  j: '\u0458\u03F3\u1D0A\u0237\u0249\u029D',
  k: '\u043A\u049B\u03BA\u1D0B\u0199\u0138\u029E',
  l: '\u04CF\u029F\u0142\u026B\u019A\u026D\u01C0',
  m: '\u043C\u1D0D\u0271\u026F',
  n: '\u043F\u03B7\u0578\u0274\u0272\u014B\u019E\u0273',
  o: '\u043E\u03BF\u03C3\u03C2\u0585\u1D0F\u00F8\u0275',
  p: '\u0440\u03C1\u1D18\u01A5\u00FE\u1D7D',
  q: '\u051B\u0563\uA7AF\u02A0\u024B',
  r: '\u0433\u0280\u027C\u027D\u0279\u024D',
  s: '\u0455\uA731\u0282\u023F\u01A8',
  t: '\u0442\u03C4\u1D1B\u01AD\u0167\u0288\u0287',
  u: '\u0446\u03C5\u03BC\u057D\u1D1C\u0289\u028A\u028B',
  v: '\u0475\u03BD\u1D20\u028C',
  w: '\u0448\u0461\u051D\u03C9\u1D21\u028D',
  x: '\u0445\u03C7\u1D8D',
  y: '\u0443\u04AF\u03B3\u028F\u01B4\u024F',
  z: '\u03B6\u1D22\u01B6\u0290\u0291\u0240',
  ae: '\u00E6',
  oe: '\u0153',
  // Arabic and Persian write these letters in more than one way, and stretch words by a line without meaning.
  '\u064A': '\u0649\u06CC',
  '\u0643': '\u06A9',
  '\u0647': '\u0629',
  '': '\u0640',
};

const LETTER_OF = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([letter, alike]) => [...alike].map((one) => [one, letter] as const)),
);

/** Ranges of 26 letters without a compatibility form: in black circles and squares, and of flags. */
const ORNATE_ALPHABETS = /[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}\u{1F1E6}-\u{1F1FF}]/gu;
const KATAKANA = /[\u30A1-\u30F6]/g;
const KATAKANA_TO_HIRAGANA = 0x60;
/** Trade marks would be read as letters behind a word. */
const TRADE_MARKS = /[\u2120\u2122]/g;
const APOSTROPHES = /[\u2018\u2019\u02BC\u00B4`]/g;
/** The apostrophe of a contraction separates two words: he'll is not hell. */
const CONTRACTION = /'(?=(?:ll|re|ve|d|m|s|t)(?!\p{L}))/gu;
/** Zero-width characters, soft hyphens, directions, variation selectors. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** Marks of no script, which pile up on letters (zalgo), except those that make another kana. */
const LOOSE_MARKS = /(?![\u3099\u309A])\p{M}(?<=\p{sc=Zinh})/gu;
/** In these scripts a mark is an accent or a point, which may be omitted; in others it may be a vowel. */
const ACCENTS =
  /(?<=[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Armn}\p{sc=Geor}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{N}])\p{M}+/gu;

export function foldLetters(text: string): string {
  const bare = text
    .replace(TRADE_MARKS, '.')
    .replace(APOSTROPHES, "'")
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .replace(LOOSE_MARKS, '')
    .replace(ACCENTS, '');
  // By way of upper case, where one letter becomes two (the German sharp s) and two become one (sigma).
  const lower = bare.toLowerCase().toUpperCase().toLowerCase().normalize('NFKD').replace(LOOSE_MARKS, '');
  const plain = lower
    .normalize('NFC')
    .replace(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - KATAKANA_TO_HIRAGANA))
    .replace(ORNATE_ALPHABETS, plainLetter);
  return [...plain]
    .map((one) => LETTER_OF.get(one) ?? one)
    .join('')
    .replace(CONTRACTION, ' ');
}

function plainLetter(ornate: string): string {
  const code = ornate.codePointAt(0) ?? 0;
  const first = code >= 0x1f1e6 ? 0x1f1e6 : code >= 0x1f170 ? 0x1f170 : 0x1f150;
  return String.fromCharCode(0x61 + code - first);
}
