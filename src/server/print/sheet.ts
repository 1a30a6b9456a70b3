/**
 * Draws the sheets of the print kit as vector PDF: sheets of paper for an office printer, one piece with its bleed for
 * a print shop.
 */
import type { Ink, Paper, PrintFormat, PrintTarget } from '#shared/print.ts';
import { type Box, type Canvas, openCanvas, type Size } from './canvas.ts';
import { paletteFor } from './colours.ts';
import { drawLying, drawRound, drawUpright, type FaceWords, type Press, titleOf } from './faces.ts';

export interface Sheet extends FaceWords {
  readonly format: PrintFormat;
  readonly paper: Paper;
  readonly ink: Ink;
  readonly for: PrintTarget;
  readonly madeAtMs: number;
}

const PAPER_SIZES: Readonly<Record<Paper, Size>> = {
  a4: { width: 210, height: 297 },
  letter: { width: 215.9, height: 279.4 },
};
/** The unprinted margin of office printers, in millimetres. */
const PRINT_MARGIN = 10;

/** What print shops ask for, in millimetres: of ground beyond each edge, and of room for marks beyond that. */
const BLEED = 3;
const MARKS_ROOM = 7;

/** Where one piece is drawn, in millimetres. */
interface Place {
  readonly box: Box;
  /** Null on an office printer's sheet. */
  readonly bleed: Box | null;
}

interface Piece {
  /** Finished, in millimetres. */
  readonly size: (paper: Paper) => Size;
  readonly draw: (canvas: Canvas, place: Place, sheet: Sheet, press: Press) => Promise<void>;
  /** How pieces stand on an office printer's sheet; one in its middle where this is absent. */
  readonly grid?: { readonly columns: number; readonly rows: number; readonly gap: number };
  /** Whether crop marks stand around them; other pieces are cut along their lines. */
  readonly hasCropMarks?: true;
  /** A piece as large as its paper, which an office printer prints smaller. */
  readonly isWholePaper?: true;
  /** Where it is folded, in millimetres from its upper edge. */
  readonly folds?: readonly number[];
}

/** The heights of a table tent: a flap, two faces that meet at the ridge, and the base. */
const TENT = { flap: 20, face: 100, base: 50 };

const PIECES: Readonly<Record<PrintFormat, Piece>> = {
  poster: {
    size: (paper) => PAPER_SIZES[paper],
    isWholePaper: true,
    draw: (canvas, { box, bleed }, sheet, press) =>
      drawUpright(canvas, { ...box, code: 110, bleed }, sheet, press),
  },

  'table-tent': {
    size: () => ({ width: 160, height: TENT.flap + 2 * TENT.face + TENT.base }),
    folds: [TENT.flap, TENT.flap + TENT.face, TENT.flap + 2 * TENT.face],
    draw: drawTent,
  },

  'counter-card': {
    size: () => ({ width: 105, height: 148 }),
    hasCropMarks: true,
    draw: (canvas, { box, bleed }, sheet, press) =>
      drawUpright(canvas, { ...box, code: 58, bleed }, sheet, press),
  },

  'business-cards': {
    size: (paper) => (paper === 'a4' ? { width: 85, height: 55 } : { width: 88.9, height: 50.8 }),
    grid: { columns: 2, rows: 5, gap: 0 },
    hasCropMarks: true,
    draw: (canvas, { box, bleed }, sheet, press) =>
      drawLying(canvas, { ...box, code: 32, radius: 0.01, bleed }, sheet, press),
  },

  stickers: {
    size: () => ({ width: 63, height: 63 }),
    grid: { columns: 3, rows: 4, gap: 3 },
    draw(canvas, { box, bleed }, sheet, press) {
      const [middleX, middleY] = [box.x + box.width / 2, box.y + box.height / 2];
      const place = { middleX, middleY, radius: box.width / 2, code: 28, bleed: bleed && BLEED };
      return drawRound(canvas, place, sheet, press);
    },
  },

  badge: {
    // ISO/IEC 7810, ID-1: the size of bank cards, with corners of 3.18 mm.
    size: () => ({ width: 85.6, height: 53.98 }),
    hasCropMarks: true,
    draw: (canvas, { box, bleed }, sheet, press) =>
      drawLying(canvas, { ...box, code: 34, radius: 3.18, bleed }, sheet, press),
  },
};

/** The flap is glued under the base. */
async function drawTent(canvas: Canvas, { box, bleed }: Place, sheet: Sheet, press: Press): Promise<void> {
  const { x, y, width } = box;
  const back = { x, y: y + TENT.flap, width, height: TENT.face };
  const front = { ...back, y: back.y + TENT.face };
  const base = { ...back, y: front.y + TENT.face, height: TENT.base };
  const draw = (face: Box) => {
    // Nothing is cut above and below a face.
    const beside = bleed && { ...face, x: bleed.x, width: bleed.width };
    return drawLying(canvas, { ...face, code: 62, radius: 0.01, bleed: beside }, sheet, press);
  };
  await canvas.upsideDown(back, () => draw(back));
  await draw(front);
  const line = { line: press.palette.cut, lineWidth: 0.15 };
  if (!bleed) {
    canvas.box(box, line);
    for (const fold of [back.y, front.y, base.y])
      canvas.line(x, fold, x + width, fold, { ...line, isDashed: true });
  }
  const note = { face: 'text', colour: press.palette.note, maxSize: 3, maxLines: 1 } as const;
  const gluing = bleed
    ? 'Glue this flap under the base.'
    : 'Fold along the lines, and glue this flap under the base.';
  await canvas.write(gluing, {
    ...note,
    x,
    y,
    width,
    height: TENT.flap,
    align: 'centre',
    stand: 'middle',
  });
  await canvas.write('Base', { ...note, ...base, align: 'centre', stand: 'middle' });
}

/** @returns the same bytes for the same sheet. */
export async function drawSheet(sheet: Sheet): Promise<Uint8Array> {
  const press: Press = {
    palette: paletteFor(sheet.for, sheet.ink, sheet.own?.fill ?? null),
    hasPictures: sheet.ink === 'full',
  };
  const canvas = await (sheet.for === 'printer' ? drawForPrinter(sheet, press) : drawForOffice(sheet, press));
  return canvas.finish();
}

async function drawForOffice(sheet: Sheet, press: Press): Promise<Canvas> {
  const { size, draw, grid, hasCropMarks, isWholePaper } = PIECES[sheet.format];
  const paper = PAPER_SIZES[sheet.paper];
  const canvas = openCanvas(paper, titleOf(sheet), sheet.madeAtMs);
  const margin = isWholePaper ? PRINT_MARGIN : 0;
  const whole = size(sheet.paper);
  const piece = { width: whole.width - 2 * margin, height: whole.height - 2 * margin };
  const { columns, rows, gap } = grid ?? { columns: 1, rows: 1, gap: 0 };
  const cells = centred(paper, columns * (piece.width + gap), rows * (piece.height + gap));
  for (let index = 0; index < columns * rows; index += 1) {
    const x = cells.x + (index % columns) * (piece.width + gap) + gap / 2;
    const y = cells.y + Math.floor(index / columns) * (piece.height + gap) + gap / 2;
    await draw(canvas, { box: { ...piece, x, y }, bleed: null }, sheet, press);
  }
  const marks = { line: press.palette.cut, lineWidth: 0.15, distance: 1.5 };
  if (hasCropMarks)
    drawMarks(canvas, cells, edgesOf(columns, cells.width), edgesOf(rows, cells.height), marks);
  return canvas;
}

async function drawForPrinter(sheet: Sheet, press: Press): Promise<Canvas> {
  const { size, draw, folds = [] } = PIECES[sheet.format];
  const { width, height } = size(sheet.paper);
  const around = BLEED + MARKS_ROOM;
  const page = { width: width + 2 * around, height: height + 2 * around };
  const box = centred(page, width, height);
  const bleed = centred(page, width + 2 * BLEED, height + 2 * BLEED);
  const canvas = openCanvas(page, titleOf(sheet), sheet.madeAtMs, { trim: box, bleed });
  await draw(canvas, { box, bleed }, sheet, press);
  // Machines cut by the trim box; a guillotine is set by these. They stand beyond what may remain of the bleed.
  const marks = { line: press.palette.cut, lineWidth: 0.1, distance: BLEED + 0.5 };
  drawMarks(canvas, box, [0, width], [0, height], marks);
  drawMarks(canvas, box, [], folds, { ...marks, isDashed: true });
  return canvas;
}

function centred({ width: pageWidth, height: pageHeight }: Size, width: number, height: number): Box {
  return { x: (pageWidth - width) / 2, y: (pageHeight - height) / 2, width, height };
}

function edgesOf(count: number, length: number): number[] {
  return Array.from({ length: count + 1 }, (_, index) => (length / count) * index);
}

interface Marks {
  readonly line: Press['palette']['cut'];
  /** In millimetres, as is the distance from the box. */
  readonly lineWidth: number;
  readonly distance: number;
  readonly isDashed?: boolean;
}

/** @param across,down where marks stand, in millimetres from the left and the upper edge of the box. */
function drawMarks(
  canvas: Canvas,
  { x, y, width, height }: Box,
  across: readonly number[],
  down: readonly number[],
  { distance, ...line }: Marks,
): void {
  const length = 5;
  for (const edge of across) {
    const at = x + edge;
    canvas.line(at, y - distance, at, y - distance - length, line);
    canvas.line(at, y + height + distance, at, y + height + distance + length, line);
  }
  for (const edge of down) {
    const at = y + edge;
    canvas.line(x - distance, at, x - distance - length, at, line);
    canvas.line(x + width + distance, at, x + width + distance + length, at, line);
  }
}
