/**
 * Which names may be shown: any writing, but nothing that hides, reorders or piles up. A name is measured
 * before it is normalised, which takes the square of a run of combining marks.
 */

/** Code points, trimmed and composed. */
export const MAX_NAME_LENGTH = 60;
/** UTF-16 units as typed; no character decomposes into more than four (https://unicode.org/faq/normalization.html). */
export const MAX_TYPED_NAME_LENGTH = 4 * MAX_NAME_LENGTH;

/** U+FFF9 to U+FFFB are annotation marks; characters that are ignorable by default have no width. */
const INVISIBLE =
  /\p{Cc}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Bidi_Control}|\p{Noncharacter_Code_Point}|[\uFFF9-\uFFFB]|\p{Default_Ignorable_Code_Point}/u;

/** Letters of joining scripts, between which a non-joiner is visible. */
const JOINING = String.raw`[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mandaic}\p{scx=Nko}\p{scx=Mongolian}\p{scx=Adlam}]`;
/** Signs that remove a consonant's vowel, after which the next consonant joins: Devanagari to Sinhala. */
const VIRAMA = String.raw`[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]`;

/** Invisible characters where writing needs them, each with what comes before it. */
const NEEDED = new RegExp(
  [
    // A joiner between two emoji makes one of them (UTS #51, section 2.3).
    String.raw`\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]?\u200D(?=\p{Extended_Pictographic})`,
    // Whether an emoji is drawn as text or as a picture.
    String.raw`\p{Emoji}[\uFE0E\uFE0F]`,
    // The flags of England, Scotland and Wales.
    String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`,
    // RFC 5892, appendix A: a non-joiner within a word of a joining script, as Persian has it.
    String.raw`(?=[\p{L}\p{M}])${JOINING}\u200C(?=\p{L})(?=${JOINING})`,
    // And either of the two after a virama, at the end of a word too, as Malayalam has it.
    String.raw`${VIRAMA}[\u200C\u200D]`,
    // Which form of a Han character it is (UTS #37), as some Japanese family names have it.
    String.raw`\p{Unified_Ideograph}[\uFE00-\uFE02\u{E0100}-\u{E01EF}]`,
    // Bengali and Kannada write an r that keeps its form with the joiner before the virama.
    String.raw`[\u09B0\u0CB0]\u200D(?=[\u09CD\u0CCD])`,
  ].join('|'),
  'gu',
);

/** Four stacked marks. Spacing marks do not stack: the Burmese name Kyaw has four signs in a row. */
const PILE_OF_MARKS = /(?:[\p{Mn}\p{Me}][\u200C\u200D]?){4}/u;

const LETTER_DIGIT_OR_EMOJI = /[\p{L}\p{N}\p{Emoji_Presentation}\p{Extended_Pictographic}]/u;

/** Whether each character of a composed name is visible or needed by a visible one. */
export function isShowable(name: string): boolean {
  return !INVISIBLE.test(name.replace(NEEDED, '')) && !PILE_OF_MARKS.test(name);
}

export function hasLetterDigitOrEmoji(name: string): boolean {
  return LETTER_DIGIT_OR_EMOJI.test(name);
}
