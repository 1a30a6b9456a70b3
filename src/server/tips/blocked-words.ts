/**
 * The operator's list of words that no message to a receiver may have.
 *
 * A listed word is found in a text under these rules:
 * - Case, accents, width and ornament do not count, and look-alikes of other scripts, digits and signs are read as the
 *   letters that they stand for: what is compared is all that a character can be read as (`look-alikes.ts`). Digits
 *   alone are a number.
 * - It has to be the whole word: `ass` does not refuse `class`. A digit beside a letter ends a word too. In scripts
 *   without spaces (Chinese, Japanese, Thai and others; also Korean) a word is found anywhere.
 * - Signs inside a word are skipped (`sh.it`, `s_h*i-t`, emoji), but not a point within a number (4.5) nor the
 *   apostrophe of an English contraction (he'll). A space is skipped only where each part is one letter, or the same
 *   one several times (`s h i t`, `ss h ii t`): `her ape` and `wish it` are words of their own.
 * - A word that is spelled like that has to be all that is spelled: `c l a s s` passes. Only the words of one letter
 *   a, i, u, r and y may stand beside it (`u r a s h i t`), and a wider gap than between its letters divides.
 * - A letter may be stretched (`shiiit`). One that is doubled where the list has it once makes another word (`pene`
 *   does not refuse `penne`), except where no spelling doubles it (`readings.ts`).
 * - In a word of four letters or more a sign may take the place of a letter between others, and two signs that of two
 *   (`f*ck`, `s**t`).
 * - A `*` before or behind a listed word lets it begin or end within another one. Words of a phrase may have any
 *   separators between them, at least one.
 *
 * The matcher is an automaton whose states are the letters of the whole list, one bit for each: a character moves all
 * of them at once by a few operations on long integers. A check thus takes at most the length of the text times the
 * size of the list, whatever the text is. With the longest list that is taken (2,000 words of 60 letters) the slowest
 * message of 140 characters that was found took 8 ms and an ordinary one 1.5 ms, with a hundred words 0.5 ms and
 * 0.2 ms (Node.js 26 on one core of a small server).
 */
import { readSteps, type Step } from './readings.ts';

export interface BlockedWords {
  /** Whether a text has one of the words, in whatever disguise. */
  matches(text: string): boolean;
}

/** Thrown with a sentence that names the line which cannot be used. */
export class UnusableBlockedWords extends Error {
  override name = 'UnusableBlockedWords';
}

export const MAX_LINES = 2_000;
export const MAX_LINE_LENGTH = 60;

/** The gap between two words of a phrase is a state like a letter. */
const GAP = ' ';
/** Shorter words are too few letters to be recognised by those that are left. */
const MIN_MASKED_LENGTH = 4;

export const NO_BLOCKED_WORDS: BlockedWords = { matches: () => false };

/** A place in a listed word: the letters it may be seen as, or a gap. */
type Place = readonly string[];

interface ListedWord {
  readonly places: readonly Place[];
  readonly isOpenAtStart: boolean;
  readonly isOpenAtEnd: boolean;
}

/**
 * Reads a list: a word or phrase on each line, with `#` before a comment.
 * @throws UnusableBlockedWords when a line cannot be used.
 */
export function parseBlockedWords(text: string): BlockedWords {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const words: ListedWord[] = [];
  for (const [index, line] of lines.entries()) {
    const entry = line.trim();
    if (entry === '' || entry.startsWith('#')) continue;
    words.push(parseEntry(entry, `line ${index + 1}`));
    if (words.length > MAX_LINES)
      throw new UnusableBlockedWords(
        `line ${index + 1} is one more than the ${MAX_LINES} words that a list may have`,
      );
  }
  if (words.length === 0) return NO_BLOCKED_WORDS;
  const automaton = createAutomaton(words);
  return { matches: (message) => isFound(automaton, readSteps(message)) };
}

function parseEntry(entry: string, where: string): ListedWord {
  const word = entry.replace(/^\*+|\*+$/g, '').trim();
  if (word.includes('*'))
    throw new UnusableBlockedWords(
      `${where} has a * inside, where only the beginning and the end may have one`,
    );
  const places: Place[] = [];
  for (const { meant, gap } of readSteps(word)) {
    if (meant.length > 0) places.push(meant);
    else if (gap === 'spells' && places.length > 0 && !isGap(places.at(-1))) places.push([GAP]);
  }
  if (isGap(places.at(-1))) places.pop();
  // Some characters are several letters, so that these are counted as well.
  if (Math.max([...entry].length, places.length) > MAX_LINE_LENGTH)
    throw new UnusableBlockedWords(`${where} is longer than ${MAX_LINE_LENGTH} characters`);
  if (places.length === 0) throw new UnusableBlockedWords(`${where} has no letter and no digit`);
  return { places, isOpenAtStart: entry.startsWith('*'), isOpenAtEnd: entry.endsWith('*') };
}

function isGap(place: Place | undefined): boolean {
  return place?.[0] === GAP;
}

/** Sets of places in the list as the bits of integers; the first place of the first word is the lowest bit. */
interface Automaton {
  readonly byLetter: ReadonlyMap<string, bigint>;
  readonly firsts: bigint;
  readonly openFirsts: bigint;
  readonly lasts: bigint;
  readonly openLasts: bigint;
  /** All but the first place of each word, where nothing moves on from the word before it. */
  readonly inner: bigint;
  readonly gaps: bigint;
  readonly maskable: bigint;
}

function createAutomaton(words: readonly ListedWord[]): Automaton {
  const byLetter = new Map<string, number[]>();
  const firsts: number[] = [];
  const openFirsts: number[] = [];
  const lasts: number[] = [];
  const openLasts: number[] = [];
  const inner: number[] = [];
  const maskable: number[] = [];
  let size = 0;
  for (const { places, isOpenAtStart, isOpenAtEnd } of words) {
    firsts.push(size);
    if (isOpenAtStart) openFirsts.push(size);
    for (const [index, place] of places.entries()) {
      if (index > 0) inner.push(size);
      if (isMaskable(places, index)) maskable.push(size);
      for (const letter of place) {
        const known = byLetter.get(letter);
        if (known) known.push(size);
        else byLetter.set(letter, [size]);
      }
      size += 1;
    }
    lasts.push(size - 1);
    if (isOpenAtEnd) openLasts.push(size - 1);
  }
  const bits = (of: readonly number[]) => bitsAt(of, size);
  return {
    byLetter: new Map([...byLetter].map(([letter, of]) => [letter, bits(of)])),
    ...{ firsts: bits(firsts), openFirsts: bits(openFirsts), lasts: bits(lasts), openLasts: bits(openLasts) },
    ...{ inner: bits(inner), gaps: bits(byLetter.get(GAP) ?? []), maskable: bits(maskable) },
  };
}

/** Whether a place is between two letters of its word, and the word is long enough to be known by the others. */
function isMaskable(places: readonly Place[], index: number): boolean {
  const start = places.slice(0, index).findLastIndex(isGap) + 1;
  const gap = places.findIndex((place, at) => at >= index && isGap(place));
  const end = gap === -1 ? places.length : gap;
  return index > start && index < end - 1 && end - start >= MIN_MASKED_LENGTH;
}

function bitsAt(places: readonly number[], size: number): bigint {
  const digits = new Array<number>(Math.ceil(size / 4)).fill(0);
  for (const place of places) {
    const digit = digits.length - 1 - (place >> 2);
    digits[digit] = (digits[digit] ?? 0) | (1 << (place & 3));
  }
  return BigInt(`0x${digits.map((digit) => digit.toString(16)).join('')}`);
}

/**
 * The states are kept apart by what they have come through: nothing but the word (`within`: begun within another word,
 * which holds for open words only), signs that may be skipped (`joined`), signs in the place of letters (`masked`), or
 * the parts of a spelling (`spelled`).
 */
function isFound(automaton: Automaton, steps: readonly Step[]): boolean {
  const { byLetter, firsts, openFirsts, lasts, openLasts, inner, gaps, maskable } = automaton;
  let joined = 0n;
  let masked = 0n;
  let within = 0n;
  let spelled = 0n;
  for (const step of steps) {
    const last = { joined, masked, within, spelled };
    joined = masked = within = spelled = 0n;
    if (step.readings.length > 0) {
      let read = 0n;
      for (const letter of step.readings) read |= byLetter.get(letter) ?? 0n;
      const advance = (state: bigint, begun: bigint) => {
        const moved = (((state << 1n) & inner) | begun) & read;
        return step.mayRepeat ? moved | (state & read) : moved;
      };
      joined = advance(last.joined, step.begins ? firsts : 0n);
      masked = advance(last.masked, 0n);
      within = advance(last.within, step.begins ? 0n : openFirsts);
      if (step.isLone) spelled = advance(last.spelled, step.beginsSpelled ? firsts : openFirsts);
      if (((joined | masked | within) & (step.ends ? lasts : openLasts)) !== 0n) return true;
      if ((spelled & (step.endsSpelled ? lasts : openLasts)) !== 0n) return true;
    }
    if (step.gap === null) continue;
    if (step.mask !== null) {
      const open = last.joined | last.within | (step.mask === 'second' ? last.masked : 0n);
      masked |= (open << 1n) & maskable;
    }
    if (step.gap === 'joins') {
      joined |= last.joined;
      masked |= last.masked;
    }
    if (step.gap !== 'parts') spelled |= last.spelled;
    const all = last.joined | last.masked | last.within | last.spelled;
    const between = ((all << 1n) | all) & gaps;
    joined |= between;
    spelled |= between;
  }
  return false;
}
