/** Sets type on a page of pdfkit. It hides typefaces, lines and runs. */
import { type Colour, inkOf } from './colours.ts';
import {
  type Face,
  fitText,
  type Lettered,
  letter,
  lineOf,
  type Place,
  type Run,
  runsOf,
} from './lettering.ts';
import { FROM_RIGHT } from './shaping.ts';

/** A place for a text, in millimetres. */
export interface Label extends Place {
  readonly x: number;
  readonly y: number;
  readonly face: Face;
  readonly colour: Colour;
  readonly align: 'left' | 'centre' | 'right';
  readonly stand: 'top' | 'middle' | 'bottom';
}

/**
 * @returns a function that writes a text as large as fits. It answers the left edge of the longest line, and the size
 *   of the letters, in millimetres.
 */
export function createTypesetter(document: PDFKit.PDFDocument) {
  const registered = new Set<string>();
  function takeFont({ font }: Run, size: number): void {
    if (!registered.has(font.name)) {
      document.registerFont(font.name, font.typeface);
      registered.add(font.name);
    }
    document.font(font.name).fontSize(size);
  }

  // Explicit, because pdfkit otherwise sets word after word, from left to right in any script.
  const featuresOf = ({ isFromRight }: Run) => (isFromRight ? [FROM_RIGHT] : []);

  const widthOfRun = (run: Run, size: number) => {
    takeFont(run, size);
    return document.widthOfString(run.text, { features: featuresOf(run) }) + run.font.stroke * size;
  };

  function measureWith(lettered: Lettered): (part: string) => number {
    const known = new Map<string, number>();
    return (part) => {
      const before = known.get(part);
      if (before !== undefined) return before;
      const width = runsOf(part, lettered).reduce((sum, run) => sum + widthOfRun(run, 100), 0) / 100;
      known.set(part, width);
      return width;
    };
  }

  return async (text: string, label: Label): Promise<{ readonly left: number; readonly size: number }> => {
    const lettered = await letter(text, label.face);
    let left = label.x + label.width;
    if (lettered.text.trim() === '') return { left, size: label.maxSize };
    const widthOf = measureWith(lettered);
    const { above, below } = lineOf(lettered);
    const leading = above + below;
    const { size, lines } = fitText(lettered.text, label, leading, widthOf);
    const height = size * leading * lines.length;
    const spare = label.height - height;
    let top = label.y + { top: 0, middle: spare / 2, bottom: spare }[label.stand];
    for (const line of lines) {
      const width = widthOf(line) * size;
      const room = label.width - width;
      let x = label.x + { left: 0, centre: room / 2, right: room }[label.align];
      left = Math.min(left, x);
      document.fillColor(inkOf(label.colour));
      for (const run of runsOf(line, lettered)) {
        const advance = widthOfRun(run, size);
        const stroke = run.font.stroke * size;
        document.lineWidth(stroke).strokeColor(inkOf(label.colour));
        document.text(run.text, x + stroke / 2, top + size * above, {
          lineBreak: false,
          baseline: 'alphabetic',
          features: featuresOf(run),
          ...(stroke > 0 && { fill: true, stroke: true }),
        });
        x += advance;
      }
      top += size * leading;
    }
    return { left, size };
  };
}
