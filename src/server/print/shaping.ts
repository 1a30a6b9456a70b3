/**
 * Turns letters into the glyphs of a typeface with HarfBuzz, as browsers do. It knows the rules of each script; fontkit,
 * which pdfkit asks otherwise, breaks off on many words of India's scripts and of Khmer, and misplaces the signs of others.
 */
import type { Font } from 'fontkit';
import * as harfbuzz from 'harfbuzzjs';

declare global {
  namespace PDFKit.Mixins {
    interface PDFFont {
      /** An open typeface, which pdfkit takes although its published types do not say so. */
      registerFont(name: string, typeface: Font): this;
    }
  }
}

/** Tells `layout` that a run is set from right to left: pdfkit hands nothing on but the text and its features. */
export const FROM_RIGHT = 'rtlm' as const;

interface Glyph {
  readonly id: number;
  readonly advanceWidth: number;
  /** The letters that somebody gets who copies this glyph. */
  readonly codePoints: readonly number[];
}

/** How far letters reach above and below their baseline, relative to the font size. */
export interface Reach {
  readonly above: number;
  readonly below: number;
}

/** One for all runs, because what is left to the garbage collector grows the memory of WebAssembly. */
const buffer = new harfbuzz.Buffer();

/** @returns the typeface, which from now on shapes its text with HarfBuzz, and how far its letters reach. */
export function shapedByHarfBuzz(typeface: Font, bytes: Uint8Array) {
  const font = new harfbuzz.Font(new harfbuzz.Face(new harfbuzz.Blob(bytes)));

  function layout(text: string, features: readonly string[] = []) {
    const isFromRight = features.includes(FROM_RIGHT);
    buffer.reset();
    // A sign that stands before its consonant keeps its own letter in copied text.
    buffer.setClusterLevel(harfbuzz.ClusterLevel.CHARACTERS);
    buffer.addText(text);
    buffer.setDirection(isFromRight ? harfbuzz.Direction.RTL : harfbuzz.Direction.LTR);
    buffer.guessSegmentProperties();
    harfbuzz.shape(font, buffer);
    const shaped = buffer.getGlyphInfosAndPositions();
    const letters = lettersOf(
      text,
      shaped.map(({ cluster }) => cluster),
      isFromRight,
    );
    const glyphs = shaped.map(
      ({ codepoint: id }, index): Glyph => ({
        id,
        advanceWidth: typeface.getGlyph(id).advanceWidth,
        codePoints: letters[index] ?? [],
      }),
    );
    const positions = shaped.map(({ xAdvance = 0, xOffset = 0, yOffset = 0 }) => ({
      xAdvance,
      yAdvance: 0,
      xOffset,
      yOffset,
    }));
    return {
      glyphs,
      positions,
      /** After pdfkit has scaled the positions, too. */
      get advanceWidth() {
        return positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0);
      },
    };
  }

  function reachOf(text: string, isFromRight: boolean): Reach {
    const { glyphs, positions } = layout(text, isFromRight ? [FROM_RIGHT] : []);
    const edges = glyphs.map(({ id }, index) => {
      const { yBearing = 0, height = 0 } = font.glyphExtents(id) ?? {};
      const top = (positions[index]?.yOffset ?? 0) + yBearing;
      return { top, bottom: top + height };
    });
    return {
      above: Math.max(0, ...edges.map(({ top }) => top)) / typeface.unitsPerEm,
      below: Math.max(0, ...edges.map(({ bottom }) => -bottom)) / typeface.unitsPerEm,
    };
  }

  return { typeface: Object.assign(typeface, { layout }), reachOf };
}

/** The code points of each glyph: of several glyphs for the same letters, the first in reading order has all of them. */
function lettersOf(text: string, clusters: readonly number[], isFromRight: boolean): (readonly number[])[] {
  const starts = [...new Set(clusters)].sort((one, other) => one - other);
  const told = new Set<number>();
  const inReadingOrder = isFromRight ? clusters.toReversed() : clusters;
  const letters = inReadingOrder.map((cluster) => {
    if (told.has(cluster)) return [];
    told.add(cluster);
    const end = starts[starts.indexOf(cluster) + 1] ?? text.length;
    return [...text.slice(cluster, end)].map((letter) => letter.codePointAt(0) ?? 0);
  });
  return isFromRight ? letters.reverse() : letters;
}
