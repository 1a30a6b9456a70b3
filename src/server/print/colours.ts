/** The colours of faces: in RGB for office printers, which convert it themselves, and as inks for a press. */
import type { Ink, PrintTarget } from '#shared/print.ts';

/** `#` with six hexadecimal digits; or percents of cyan, magenta, yellow and black ink. */
export type Colour = string | readonly [cyan: number, magenta: number, yellow: number, black: number];

export const inkOf = (colour: Colour): string | [number, number, number, number] =>
  typeof colour === 'string' ? colour : [...colour];

export interface Palette {
  /** The piece, and the band along its edge, with the letters on each. */
  readonly ground: Colour;
  readonly text: Colour;
  readonly softText: Colour;
  readonly block: Colour;
  readonly onBlock: Colour;
  /** Null where a piece has none. */
  readonly ring: Colour | null;
  readonly line: Colour;
  /** Crop marks, folds, and notes for whoever cuts. */
  readonly cut: Colour;
  readonly note: Colour;
  readonly module: Colour;
  readonly quietZone: Colour;
}

const INK = '#12241c';
const WHITE = '#ffffff';

const OFFICE = {
  text: INK,
  softText: '#3d4b42',
  line: '#b9b09c',
  cut: '#8a8a8a',
  note: '#5f5f5f',
  module: '#000000',
  quietZone: WHITE,
} as const;

/** Black ink alone for letters and codes: several inks never meet exactly, and a tint breaks letters into dots. */
const BLACK: Colour = [0, 0, 0, 100];
const BARE: Colour = [0, 0, 0, 0];
const PRESS = {
  text: BLACK,
  softText: BLACK,
  line: BLACK,
  cut: BLACK,
  note: BLACK,
  module: BLACK,
  quietZone: BARE,
} as const;
/** The warm paper, and the green black with 225 % ink in all, which every paper takes. */
const PRESS_GROUND: Colour = [0, 2, 5, 0];
const PRESS_BLOCK: Colour = [60, 30, 55, 80];

export function paletteFor(target: PrintTarget, ink: Ink, ownFill: string | null): Palette {
  if (target === 'printer') {
    if (ink === 'saving') return { ...PRESS, ground: BARE, block: BARE, onBlock: BLACK, ring: null };
    if (ownFill === null)
      return { ...PRESS, ground: PRESS_GROUND, block: PRESS_BLOCK, onBlock: BARE, ring: PRESS_BLOCK };
    const fill = inksOf(ownFill);
    return { ...PRESS, ground: PRESS_GROUND, block: fill, onBlock: BLACK, ring: fill };
  }
  if (ink === 'saving') return { ...OFFICE, ground: WHITE, block: WHITE, onBlock: INK, ring: null };
  const ground = '#fffdf8';
  if (ownFill === null) return { ...OFFICE, ground, block: INK, onBlock: '#f6f1e6', ring: INK };
  return { ...OFFICE, ground, block: ownFill, onBlock: INK, ring: ownFill };
}

/** Prints the common part of the three inks as black, so that at most two of them are left. */
function inksOf(colour: string): Colour {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  if (red === undefined || green === undefined || blue === undefined) throw new Error(`no colour: ${colour}`);
  const light = Math.max(red, green, blue);
  if (light === 0) return BLACK;
  const percent = (part: number) => Math.round((1 - part) * 100);
  return [percent(red / light), percent(green / light), percent(blue / light), percent(light)];
}
