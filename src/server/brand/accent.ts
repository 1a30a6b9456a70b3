/**
 * The operator's colour in both schemes. Letters of this colour, and letters on it, have the contrast of WCAG 2.2 AA:
 * the lightness moves as little as that needs, and hue and chroma stay.
 */

/** Colours as they stand in a style sheet: # with six hexadecimal digits. */
interface Shades {
  readonly letters: string;
  /** A ground, for dark letters in both schemes. */
  readonly fill: string;
  /** A pale ground, for letters of every kind. */
  readonly wash: string;
}

export interface Accent {
  readonly light: Shades;
  readonly dark: Shades;
  /** Sentences about what was changed of the operator's colour; empty when it is taken as it is. */
  readonly mended: readonly string[];
}

/** WCAG 2.2, success criterion 1.4.3. */
export const MIN_CONTRAST = 4.5;
/** The letters on a fill, in both schemes. */
export const ON_FILL = '#12241c';

/** The grounds of `ui/tokens.css` on which letters of the accent stand. White is that of a code for cameras. */
export const GROUNDS = {
  light: ['#ffffff', '#fffdf8', '#f6f1e6', '#ece5d5'],
  dark: ['#15221b', '#0d1712', '#0a120e'],
} as const;
const WASHES = {
  light: { lightness: 0.94, maxChroma: 0.04 },
  dark: { lightness: 0.25, maxChroma: 0.03 },
} as const;
const STEPS = 500;

export function accentOf(colour: string): Accent {
  const { lightness: _, ...hue } = toPolar(colour);
  const fill = nearest(colour, (shade) => contrast(shade, ON_FILL) >= MIN_CONTRAST);
  const shadesOn = (scheme: keyof typeof GROUNDS): Shades => {
    const { lightness, maxChroma } = WASHES[scheme];
    const wash = fromPolar({ ...hue, lightness, chroma: Math.min(hue.chroma, maxChroma) });
    const grounds = [...GROUNDS[scheme], wash];
    const isLegible = (shade: string) => grounds.every((ground) => contrast(shade, ground) >= MIN_CONTRAST);
    return { letters: nearest(colour, isLegible), fill, wash };
  };
  const [light, dark] = [shadesOn('light'), shadesOn('dark')];
  const sentence = (shade: string, use: string) =>
    shade === colour ? [] : [`${shade} ${use}, because ${colour} has too little contrast there`];
  return {
    light,
    dark,
    mended: [
      ...sentence(light.letters, 'for letters in the light scheme'),
      ...sentence(dark.letters, 'for letters in the dark scheme'),
      ...sentence(fill, 'behind dark letters'),
    ],
  };
}

/** The ratio of WCAG 2.2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function nearest(colour: string, passes: (shade: string) => boolean): string {
  if (passes(colour)) return colour;
  const { lightness, ...hue } = toPolar(colour);
  for (let step = 1; step <= STEPS; step += 1) {
    for (const at of [lightness - step / STEPS, lightness + step / STEPS]) {
      if (at < 0 || at > 1) continue;
      const shade = fromPolar({ ...hue, lightness: at });
      if (passes(shade)) return shade;
    }
  }
  throw new Error(`no shade of ${colour} passes`);
}

function channelsOf(colour: string): readonly [red: number, green: number, blue: number] {
  const linear = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [linear(1), linear(3), linear(5)];
}

function luminanceOf(colour: string): number {
  const [red, green, blue] = channelsOf(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** OKLCH, whose lightness is what eyes take for it (https://www.w3.org/TR/css-color-4/#ok-lab). */
interface Polar {
  readonly lightness: number;
  readonly chroma: number;
  /** In radians. */
  readonly angle: number;
}

function toPolar(colour: string): Polar {
  const [red, green, blue] = channelsOf(colour);
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short;
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short;
  return {
    lightness: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    chroma: Math.hypot(a, b),
    angle: Math.atan2(b, a),
  };
}

/** A colour that no screen shows gives up chroma until one does. */
function fromPolar({ lightness, chroma, angle }: Polar): string {
  for (let share = 1; ; share -= 0.02) {
    const channels = linearOf({ lightness, chroma: chroma * Math.max(0, share), angle });
    if (share <= 0 || channels.every((value) => value >= -0.0005 && value <= 1.0005))
      return `#${channels.map(spelled).join('')}`;
  }
}

function linearOf({ lightness, chroma, angle }: Polar): readonly number[] {
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}

function spelled(linear: number): string {
  const value = Math.min(1, Math.max(0, linear));
  const encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
  return Math.round(encoded * 255)
    .toString(16)
    .padStart(2, '0');
}
