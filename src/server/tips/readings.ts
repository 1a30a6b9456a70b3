/**
 * A text as a sequence of steps, each with what a character can be read as and where a word can begin or end at it.
 * All that a matcher has to know about the surroundings of a character is worked out here once, in one pass for each
 * question, so that the matcher itself goes through the text without ever looking back or ahead.
 *
 * A run of letters and digits is a piece; what stands between two pieces is a gap. A lone piece is one letter, or the
 * same one several times (`ss`). Lone pieces in a row are a spelling (`s h i t`, `s-h-i-t`).
 */
import { type FoldedCharacter, foldCharacters } from './look-alikes.ts';

export interface Step {
  /** The letters that the character can be consumed as; none for a mere separator. */
  readonly readings: readonly string[];
  /** What it is for certain, for the list's own words. */
  readonly meant: readonly string[];
  /** Whether it may be only one more of the letter before it. */
  readonly mayRepeat: boolean;
  /** `joins` lets a word go on behind it, `spells` only a spelled one, and `parts` none; null for letters and digits. */
  readonly gap: 'joins' | 'spells' | 'parts' | null;
  /** Whether it may stand in the place of one letter (f*ck); `second` where the sign before it does too (f**k). */
  readonly mask: 'first' | 'second' | null;
  readonly isLone: boolean;
  /** Whether a word can begin or end here; the same for a word that is spelled. */
  readonly begins: boolean;
  readonly ends: boolean;
  readonly beginsSpelled: boolean;
  readonly endsSpelled: boolean;
}

interface Piece {
  readonly from: number;
  /** The place behind its last character. */
  readonly to: number;
  readonly text: string;
  readonly isLone: boolean;
  readonly hasLetter: boolean;
  readonly isSpaceless: boolean;
  /** The spaces in the gap before it. */
  readonly spaces: number;
}

/** What the pieces of a text come to for the gap between two of them. */
interface Gap {
  readonly kind: 'joins' | 'spells' | 'parts';
  /** Whether a word can begin behind it, or end before it, for all that is spelled around it. */
  readonly canBegin: boolean;
  readonly canEnd: boolean;
}

/** Scripts without spaces between words (and Korean, whose particles are written to the word). */
const SPACELESS =
  /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]$/u;
const MASK = /^[*#%&@~^_\u2022\u00B7\u25CF\u00D7\u2013\u2014-]$|^\p{Extended_Pictographic}$/u;
/** A mark that is kept is part of a letter. */
const MARK = /^\p{M}$/u;
const APOSTROPHE = /^['\u2018\u2019\u02BC\u00B4`]$/;
const CONTRACTED = /^(?:ll|re|ve|d|m|s)$/;
/** Between two digits these belong to a number: 4.5, 4:55, 4-5. */
const WITHIN_NUMBER = /^[.,:/\u2013-]$/;
/** Punctuation of its own, which is a letter only with another one behind it; and what also needs one before it. */
const NEEDS_NEXT = /^[!|\u00A6]$/;
const NEEDS_BOTH = /^[(<[{\u00A9\u00AE]$/;
/** What is also a word of one letter, and may stand before or behind a spelled word: a s h i t, u r s h i t. */
const WORD_OF_ONE_LETTER = /^[aiury]$/;
/** Letters that hardly any word doubles, so that doubling one is a disguise. */
const RARELY_DOUBLED = /^[hijquvwxy]$/;

export function readSteps(text: string): readonly Step[] {
  const characters = foldCharacters(text);
  const pieces = piecesOf(characters);
  const gaps = gapsOf(characters, pieces);
  const repeats = repeatsOf(characters, pieces);
  const leads = leadsOf(characters);
  const steps: Step[] = [];
  let next = 0;
  for (const [place, character] of characters.entries()) {
    while ((pieces[next]?.to ?? characters.length) <= place) next += 1;
    const piece = pieces[next];
    const isInside = piece !== undefined && piece.from <= place;
    const before = gaps[next];
    const behind = isInside ? next + 1 : next;
    const isSpace = character.kind === 'space';
    const isLone = isInside ? piece.isLone : standsAlone(characters, place, pieces[next - 1], piece);
    const canStand = !isSpace && canStandFor(characters, place, piece, isLone, leads);
    const standsFor = canStand ? character.standsFor : [];
    const begins = isBoundary(character, characters[place - 1]);
    const ends = isBoundary(character, characters[place + 1]);
    const canBegin = !isLone || (before?.canBegin ?? true);
    const canEnd = !isLone || (gaps[behind]?.canEnd ?? true);
    steps.push({
      readings: [...character.looksLike, ...standsFor],
      meant: character.looksLike.length > 0 ? character.looksLike : standsFor,
      mayRepeat: repeats[place] ?? true,
      gap: isInside ? null : gapAt(character, before),
      mask: isInside ? null : maskAt(characters, place),
      isLone,
      // A space is beginning and end enough for a word that is not spelled, whatever is spelled around it.
      begins: begins && (canBegin || (piece?.spaces ?? 0) > 0),
      ends: ends && (canEnd || (pieces[behind]?.spaces ?? 0) > 0),
      beginsSpelled: begins && canBegin && isLone,
      endsSpelled: ends && canEnd && isLone,
    });
  }
  return steps;
}

function piecesOf(characters: readonly FoldedCharacter[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let spaces = 0;
  let from = 0;
  for (let place = 0; place < characters.length; place += 1) {
    const character = characters[place];
    if (character?.kind === 'space') spaces += 1;
    if (!isWritten(character)) continue;
    from = place;
    while (isWritten(characters[place + 1])) place += 1;
    const written = characters.slice(from, place + 1);
    pieces.push({
      from,
      to: place + 1,
      text: written.map((one) => one.written).join(''),
      isLone: written.every((one) => one.written === character?.written || MARK.test(one.written)),
      hasLetter: written.some(({ kind }) => kind === 'letter'),
      isSpaceless: written.some(isSpaceless),
      spaces,
    });
    spaces = 0;
  }
  return pieces;
}

/** The gaps before each piece, and one behind the last. */
function gapsOf(characters: readonly FoldedCharacter[], pieces: readonly Piece[]): readonly Gap[] {
  const gaps: Gap[] = [];
  for (const spelling of spellingsOf(pieces)) {
    const isOneLetterWord = spelling.map(({ text }) => WORD_OF_ONE_LETTER.test(text));
    const first = isOneLetterWord.indexOf(false);
    const last = isOneLetterWord.lastIndexOf(false);
    for (const [index, piece] of spelling.entries()) {
      const before = pieces[gaps.length - 1];
      const isAnywhere = index === 0 || piece.isSpaceless || (before?.isSpaceless ?? false);
      gaps.push({
        kind: kindOfGap(characters, before, piece),
        canBegin: isAnywhere || first === -1 || index <= first,
        canEnd: isAnywhere || index > last,
      });
    }
  }
  gaps.push({ kind: 'joins', canBegin: true, canEnd: true });
  return gaps;
}

/** The pieces in groups: spellings, of which a wider gap divides one from the next, and every other piece by itself. */
function spellingsOf(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const chains: Piece[][] = [];
  for (const piece of pieces) {
    const chain = chains.at(-1);
    if (chain?.at(-1)?.isLone && piece.isLone) chain.push(piece);
    else chains.push([piece]);
  }
  return chains.flatMap((chain) => {
    const narrowest = chain.slice(1).reduce((least, { spaces }) => Math.min(least, spaces), Infinity);
    const spellings: Piece[][] = [];
    for (const piece of chain) {
      const spelling = spellings.at(-1);
      if (spelling && piece.spaces === narrowest) spelling.push(piece);
      else spellings.push([piece]);
    }
    return spellings;
  });
}

function kindOfGap(
  characters: readonly FoldedCharacter[],
  left: Piece | undefined,
  right: Piece,
): Gap['kind'] {
  if (!left) return 'joins';
  const [sign, ...others] = characters.slice(left.to, right.from).map(({ written }) => written);
  if (sign !== undefined && others.length === 0) {
    const isWithinNumber =
      WITHIN_NUMBER.test(sign) &&
      characters[left.to - 1]?.kind === 'digit' &&
      characters[right.from]?.kind === 'digit';
    const isContraction = CONTRACTED.test(right.text) || (right.text === 't' && left.text.endsWith('n'));
    if (isWithinNumber || (APOSTROPHE.test(sign) && isContraction)) return 'parts';
  }
  // Punctuation is all that divides words where spaces do not, so that only a spelled word goes on behind it.
  const isBetweenWords = (left.isSpaceless && !left.isLone) || (right.isSpaceless && !right.isLone);
  return isBetweenWords ? 'spells' : 'joins';
}

/**
 * Which characters may be one more of the letter before them. A letter that is doubled once in a word may make another
 * word (pene and penne, god and good), so that it counts; what no spelling does is a disguise: a letter three times,
 * several letters doubled, the first one, one that is rarely doubled, or two that only look the same.
 */
function repeatsOf(characters: readonly FoldedCharacter[], pieces: readonly Piece[]): readonly boolean[] {
  const repeats = new Array<boolean>(characters.length).fill(true);
  for (const spelling of spellingsOf(pieces)) {
    const places = spelling.flatMap(({ from, to }) =>
      Array.from({ length: to - from }, (_, at) => from + at),
    );
    const runs: number[][] = [];
    for (const place of places) {
      const run = runs.at(-1);
      const [first = place] = run ?? [];
      if (run && characters[first]?.written === characters[place]?.written) run.push(place);
      else runs.push([place]);
    }
    const isStretched = runs.filter((run) => run.length > 1).length > 1;
    for (const [index, run] of runs.entries()) {
      const [first = 0, second] = run;
      const isDisguised = !isPlainLetter(characters[first]) || !isPlainLetter(characters[first - 1]);
      // What follows a sign in the place of a letter is the next letter: the hyphen of wish-it is no i.
      repeats[first] = isDisguised && !isMask(characters[first - 1]);
      if (second === undefined || run.length > 2 || isStretched) continue;
      repeats[second] = index === 0 || RARELY_DOUBLED.test(characters[first]?.written ?? '');
    }
  }
  return repeats;
}

/** Whether a digit or a sign is where it may be meant as a letter. */
function canStandFor(
  characters: readonly FoldedCharacter[],
  place: number,
  piece: Piece | undefined,
  isLone: boolean,
  leads: readonly boolean[],
): boolean {
  const character = characters[place];
  if (character?.kind === 'digit' && piece) {
    if (!isLone) return piece.hasLetter;
    return hasLetterNear(characters, piece.from - 1, -1) || hasLetterNear(characters, piece.to, 1);
  }
  if (character?.kind !== 'sign') return true;
  const { written } = character;
  if (NEEDS_BOTH.test(written)) return isWritten(characters[place - 1]) && isWritten(characters[place + 1]);
  if (!NEEDS_NEXT.test(written)) return true;
  if (leads[place + 1]) return true;
  const isApart = characters[place - 1]?.kind === 'space' && characters[place + 1]?.kind === 'space';
  return isApart && isWritten(characters[place + 2]);
}

/** For each place whether a letter is there, or what stands for one, at once or behind such punctuation as `!`. */
function leadsOf(characters: readonly FoldedCharacter[]): readonly boolean[] {
  const leads = new Array<boolean>(characters.length).fill(false);
  for (let place = characters.length - 1; place >= 0; place -= 1) {
    const character = characters[place];
    leads[place] = NEEDS_NEXT.test(character?.written ?? '')
      ? (leads[place + 1] ?? false)
      : isWritten(character) || (character?.standsFor.length ?? 0) > 0;
  }
  return leads;
}

/** Whether the next letter or digit in a direction is a letter: 5 h 1 t is a word, 4 5 5 is a number. */
function hasLetterNear(characters: readonly FoldedCharacter[], from: number, direction: 1 | -1): boolean {
  let place = from;
  while (characters[place] && !isWritten(characters[place])) place += direction;
  return characters[place]?.kind === 'letter';
}

/** A sign that touches no piece can be a letter of a spelled word where a piece beside it is lone. */
function standsAlone(
  characters: readonly FoldedCharacter[],
  place: number,
  left: Piece | undefined,
  right: Piece | undefined,
): boolean {
  if (characters[place]?.kind !== 'sign') return false;
  if (isWritten(characters[place - 1]) || isWritten(characters[place + 1])) return false;
  return (left?.isLone ?? true) || (right?.isLone ?? true);
}

/** What a character of a gap does to a word: a space leaves only a spelled one. */
function gapAt(character: FoldedCharacter, gap: Gap | undefined): Step['gap'] {
  if (gap === undefined || gap.kind === 'joins') return character.kind === 'space' ? 'spells' : 'joins';
  return gap.kind;
}

/** One sign or two in a row, with letters on both sides. */
function maskAt(characters: readonly FoldedCharacter[], place: number): Step['mask'] {
  if (!isMask(characters[place])) return null;
  const isSecond = isMask(characters[place - 1]);
  const hasSecond = isMask(characters[place + 1]);
  if (isSecond && hasSecond) return null;
  const left = characters[isSecond ? place - 2 : place - 1];
  const right = characters[hasSecond ? place + 2 : place + 1];
  if (!isWritten(left) || !isWritten(right)) return null;
  return isSecond ? 'second' : 'first';
}

/** Whether a word that has a character at its end can be a word beside another character. */
function isBoundary(own: FoldedCharacter | undefined, other: FoldedCharacter | undefined): boolean {
  if (own?.kind === 'letter' && other?.kind === 'digit') return true;
  if (isWritten(other)) return isSpaceless(own) || isSpaceless(other);
  // One flag is no part of a word that the next two letters of flags make up.
  return !(own?.kind === 'sign' && isFlagLetter(own) && isFlagLetter(other));
}

function isFlagLetter(character: FoldedCharacter | undefined): boolean {
  return /^\p{Regional_Indicator}$/u.test(character?.written ?? '');
}

function isPlainLetter(character: FoldedCharacter | undefined): boolean {
  return /^\p{L}$/u.test(character?.written ?? '') && (character?.looksLike.length ?? 0) === 1;
}

function isMask(character: FoldedCharacter | undefined): boolean {
  return character?.kind === 'sign' && (MASK.test(character.written) || isFlagLetter(character));
}

/** Whether a character is written as a letter or a digit. */
function isWritten(character: FoldedCharacter | undefined): boolean {
  return character?.kind === 'letter' || character?.kind === 'digit';
}

function isSpaceless(character: FoldedCharacter | undefined): boolean {
  return character?.kind === 'letter' && SPACELESS.test(character.written);
}
