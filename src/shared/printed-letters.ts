/**
 * Letters, digits and symbols that the print kit has typefaces for: whoever prints is told before of what it lacks. A
 * test compares this with the typefaces. Chinese characters count as there: only the files tell which rare ones are
 * not.
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
const SYMBOL = /[\p{S}\p{P}]/u;
/** All but one, of a family, which the typeface of emoji has by its members. */
const EMOJI = /(?!\u{1F46A})\p{Emoji}/u;

/** Letters and digits of these scripts, and of none, that no typeface has: historic ones, phonetic ones, ornaments. */
const LETTERS_WITHOUT = new RegExp(
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
    // Letters that no single script has, such as those of mathematics.
    String.raw`\u02CD\u1CE9\u1CEB-\u1CF1\u1CF3\u1CFA\u2070\u2075-\u2089\u2102-\u2109\u210B-\u210E\u2110-\u2112`,
    String.raw`\u2114-\u2131\u2133\u2134\u2136-\u2138\u213C-\u2149\u2150-\u215F\u2189\u2E2F\uA717-\uA71F\uA9CF`,
    String.raw`\u{10107}-\u{102FB}\u{1CCF0}-\u{1D7FF}\u{1EC71}-\u{1ED3D}\u{1FBF0}-\u{1FBF9}`,
  ].join('')}]`,
  'u',
);

/** Symbols that no typeface has; emoji, which stand among them, are there. */
const SYMBOLS_WITHOUT = new RegExp(
  `[${[
    String.raw`\u02D8\u02DB\u0FD5-\u0FD8\u16EB-\u1736\u1802-\u1805\u1CD3\u2017\u201B\u201F\u2023\u2031\u2034\u2036-\u2038`,
    String.raw`\u203D-\u2041\u2043\u2045-\u2046\u204A-\u204E\u2050\u2052-\u208E\u20C1\u2101\u2104\u2106-\u2108`,
    String.raw`\u2114\u2117-\u2120\u2123-\u2125\u2129\u213A\u2140-\u218B\u219A-\u21B7\u21BA-\u21C3\u21C7-\u21CA`,
    String.raw`\u21CD-\u21CF\u21D1\u21D3\u21D5-\u21E5\u21EA-\u21F4\u21F6-\u21FF\u2201\u2204\u220C-\u220E\u2210`,
    String.raw`\u2214\u2216-\u2219\u221B-\u221C\u2221-\u2222\u2224\u222F-\u2233\u2238-\u223C\u223E-\u2242\u2244`,
    String.raw`\u2246-\u2247\u2249-\u224B\u224D-\u225F\u2263\u2268-\u2269\u226C-\u226D\u2270-\u2271`,
    String.raw`\u2274-\u2275\u2278-\u2281\u2288-\u2289\u228C-\u2294\u229A-\u229F\u22A1-\u22A4\u22A6-\u22BE`,
    String.raw`\u22C0-\u22D9\u22DC-\u22EE\u22F0-\u2304\u2308-\u2311\u2313-\u2317\u2319-\u2327\u232B-\u23AF`,
    String.raw`\u23B2-\u23BD\u23CD\u23D0-\u23D9\u23DC-\u2422\u2424-\u244A\u25AC-\u25B0\u25B4-\u25B5`,
    String.raw`\u25B8-\u25BB\u25BE-\u25BF\u25C2-\u25C5\u25C8\u25CD\u25D4-\u25E1\u25E7-\u25EE\u25F0-\u25FF`,
    String.raw`\u2607-\u2608\u260A-\u260D\u2610-\u2613\u2619-\u261B\u2621-\u262B\u262D-\u263F\u2643-\u265E`,
    String.raw`\u2670-\u2671\u2680-\u2711\u2715-\u2719\u271B-\u273C\u273E\u2741-\u2752\u2758-\u29BE`,
    String.raw`\u29C0-\u29F9\u29FC-\u2B19\u2B1D-\u2B94\u2B96-\u2E39\u2E3C-\u2E40\u2E42-\u2E5D\u2FFC-\u2FFF`,
    String.raw`\u31E4-\u31EF\u4DC0-\u4DFF\uA700-\uA716\uAB5B-\uAB6B\uFFFC\u{10100}-\u{1F10F}\u{1F16D}-\u{1F16F}\u{1F1AD}`,
    String.raw`\u{1F260}-\u{1FBFA}`,
    // Symbols that belong to a script.
    String.raw`\u332C\uA8F8-\uA8FC\uFBC3-\uFBD2\uFD90\uFD91\uFDC8-\uFDCE`,
  ].join('')}]`,
  'u',
);

function isPrinted(character: string): boolean {
  if (LETTER_OR_DIGIT.test(character)) return OF_A_SCRIPT.test(character) && !LETTERS_WITHOUT.test(character);
  if (!SYMBOL.test(character) || EMOJI.test(character)) return true;
  return OF_A_SCRIPT.test(character) && !SYMBOLS_WITHOUT.test(character);
}

/** @returns each letter, digit or symbol of a text once that a print shows as the sign of a missing one. */
export function lettersNotPrinted(text: string): readonly string[] {
  return [...new Set(text.normalize('NFC'))].filter((character) => !isPrinted(character));
}
