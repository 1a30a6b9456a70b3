/**
 * Of which letters and digits the print kit has typefaces: whoever prints is told before of those that it lacks. A test
 * holds this against the typefaces. Chinese characters count as there: which rare ones are not, only the files tell.
 */

const SCRIPTS = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Bopomofo',
  'Common',
  'Cyrillic',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Greek',
  'Gujarati',
  'Gurmukhi',
  'Han',
  'Hangul',
  'Hebrew',
  'Hiragana',
  'Inherited',
  'Kannada',
  'Katakana',
  'Khmer',
  'Lao',
  'Latin',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thai',
];
const OF_A_SCRIPT = new RegExp(`[${SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}]`, 'u');
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Letters and digits of these scripts, and of none, that no typeface has: historic ones, phonetic ones, ornaments. */
const WITHOUT_TYPEFACE = new RegExp(
  `[${[
    // Latin, Cyrillic and Greek.
    String.raw`\u1C89\u1C8A\u2071\u207F\u2090-\u209C\u2132\u214E\u216A-\u216F\u217A-\u2188\uA7CB-\uA7CF\uA7D2\uA7D4`,
    String.raw`\uA7DA-\uA7F1\uAB30-\uAB69\uFB05\uFB06\u{10140}-\u{1018E}\u{10780}-\u{107BA}\u{1DF00}-\u{1DF2A}`,
    String.raw`\u{1E030}-\u{1E08F}`,
    // Arabic, and the scripts of India and Burma.
    String.raw`\u088F\uFBC3-\uFBD2\uA8F2-\uA8FE\u0C5C\u0CDC\u{10E60}-\u{10E7E}\u{10EC2}-\u{10EFF}\u{116D0}-\u{116E3}`,
    String.raw`\u{11B00}-\u{11B09}\u{11FC0}-\u{11FFF}\u{1EE00}-\u{1EEF1}`,
    // Parts of Korean syllables, and kana of old texts.
    String.raw`\u1100-\u11FF\uA960-\uA97C\uD7B0-\uD7FB\uFFA0\u31BC-\u31BF\u{1AFF0}-\u{1B167}`,
    // Of no script.
    String.raw`\u02CD\u1CE9\u1CEB-\u1CF1\u1CF3\u1CFA\u2070\u2075-\u2089\u2102-\u2109\u210B-\u210E\u2110-\u2112`,
    String.raw`\u2114-\u2131\u2133\u2134\u2136-\u2138\u213C-\u2149\u2150-\u215F\u2189\u2E2F\uA717-\uA71F\uA9CF`,
    String.raw`\u{10107}-\u{102FB}\u{1CCF0}-\u{1D7FF}\u{1EC71}-\u{1ED3D}\u{1FBF0}-\u{1FBF9}`,
  ].join('')}]`,
  'u',
);

/** @returns each letter or digit of a text once that a print shows as the sign of a missing one. */
export function lettersNotPrinted(text: string): readonly string[] {
  const letters = [...text.normalize('NFC')].filter(
    (letter) => LETTER_OR_DIGIT.test(letter) && (!OF_A_SCRIPT.test(letter) || WITHOUT_TYPEFACE.test(letter)),
  );
  return [...new Set(letters)];
}
