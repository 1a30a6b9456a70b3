/**
 * Draws the sheets of the print kit as vector PDF, in a thread of its own, because layout and fonts are slow.
 */
import type { Ink, Paper, PrintFormat } from '#shared/print.ts';
import { type Box, type Canvas, openCanvas } from './canvas.ts';
import { drawLying, drawRound, drawUpright, type FaceWords, titleOf } from './faces.ts';

export interface Sheet extends FaceWords {
  readonly format: PrintFormat;
  readonly paper: Paper;
  readonly ink: Ink;
  readonly madeAtMs: number;
}

const CUT = { line: '#8a8a8a', lineWidth: 0.15 };
const FOLD = { line: '#8a8a8a', lineWidth: 0.15, isDashed: true };
/** The unprinted margin of printers, in millimetres. */
const PRINT_MARGIN = 10;

type Draw = (canvas: Canvas, sheet: Sheet) => Promise<void>;

const FORMATS: Readonly<Record<PrintFormat, Draw>> = {
  async poster(canvas, sheet) {
    const width = canvas.pageWidth - 2 * PRINT_MARGIN;
    const height = canvas.pageHeight - 2 * PRINT_MARGIN;
    const box = { x: PRINT_MARGIN, y: PRINT_MARGIN, width, height };
    await drawUpright(canvas, { ...box, code: 110 }, sheet, sheet.ink);
  },

  /** A flap, two faces that meet at the ridge, and the base of the tent; the flap is glued under the base. */
  async 'table-tent'(canvas, sheet) {
    const [flap, face, base] = [20, 100, 50];
    const width = 160;
    const x = (canvas.pageWidth - width) / 2;
    const y = (canvas.pageHeight - flap - 2 * face - base) / 2;
    const back = { x, y: y + flap, width, height: face };
    const front = { ...back, y: y + flap + face };
    const draw = (box: Box) => drawLying(canvas, { ...box, code: 62, radius: 0.01 }, sheet, sheet.ink);
    await canvas.upsideDown(back, () => draw(back));
    await draw(front);
    canvas.box({ x, y, width, height: flap + 2 * face + base }, CUT);
    for (const fold of [back.y, front.y, front.y + face]) canvas.line(x, fold, x + width, fold, FOLD);
    const note = { x, width, face: 'text', colour: '#5f5f5f', maxSize: 3, maxLines: 1 } as const;
    await canvas.write('Fold along the lines, and glue this flap under the base.', {
      ...{ ...note, y, height: flap, align: 'centre', stand: 'middle' },
    });
    await canvas.write('Base', {
      ...{ ...note, y: front.y + face, height: base, align: 'centre', stand: 'middle' },
    });
  },

  async 'counter-card'(canvas, sheet) {
    const box = centred(canvas, 105, 148);
    await drawUpright(canvas, { ...box, code: 58 }, sheet, sheet.ink);
    drawCropMarks(canvas, box, 1, 1);
  },

  async 'business-cards'(canvas, sheet) {
    const [width, height] = sheet.paper === 'a4' ? [85, 55] : [88.9, 50.8];
    const grid = centred(canvas, 2 * width, 5 * height);
    for (const box of cellsOf(grid, 2, 5)) {
      await drawLying(canvas, { ...box, code: 32, radius: 0.01 }, sheet, sheet.ink);
    }
    drawCropMarks(canvas, grid, 2, 5);
  },

  async stickers(canvas, sheet) {
    const across = 63;
    const gap = 3;
    const [columns, rows] = [3, 4];
    const cell = across + gap;
    for (const { x, y } of cellsOf(centred(canvas, columns * cell, rows * cell), columns, rows)) {
      const place = { middleX: x + cell / 2, middleY: y + cell / 2, radius: across / 2, code: 28 };
      await drawRound(canvas, place, sheet, sheet.ink);
    }
  },

  async badge(canvas, sheet) {
    // ISO/IEC 7810, ID-1: the size of bank cards, with corners of 3.18 mm.
    const box = centred(canvas, 85.6, 53.98);
    await drawLying(canvas, { ...box, code: 34, radius: 3.18 }, sheet, sheet.ink);
    drawCropMarks(canvas, box, 1, 1);
  },
};

/** @returns the same bytes for the same sheet. */
export async function drawSheet(sheet: Sheet): Promise<Uint8Array> {
  const canvas = openCanvas(sheet.paper, titleOf(sheet), sheet.madeAtMs);
  await FORMATS[sheet.format](canvas, sheet);
  return canvas.finish();
}

function centred({ pageWidth, pageHeight }: Canvas, width: number, height: number): Box {
  return { x: (pageWidth - width) / 2, y: (pageHeight - height) / 2, width, height };
}

function cellsOf({ x, y, width, height }: Box, columns: number, rows: number): Box[] {
  const cell = { width: width / columns, height: height / rows };
  return Array.from({ length: columns * rows }, (_, index) => ({
    ...cell,
    x: x + (index % columns) * cell.width,
    y: y + Math.floor(index / columns) * cell.height,
  }));
}

function drawCropMarks(canvas: Canvas, { x, y, width, height }: Box, columns: number, rows: number): void {
  const [distance, length] = [1.5, 5];
  for (let column = 0; column <= columns; column += 1) {
    const at = x + (width / columns) * column;
    canvas.line(at, y - distance, at, y - distance - length, CUT);
    canvas.line(at, y + height + distance, at, y + height + distance + length, CUT);
  }
  for (let row = 0; row <= rows; row += 1) {
    const at = y + (height / rows) * row;
    canvas.line(x - distance, at, x - distance - length, at, CUT);
    canvas.line(x + width + distance, at, x + width + distance + length, at, CUT);
  }
}
