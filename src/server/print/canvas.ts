/** The canvas of a sheet: shapes, text that stays in its box, and the code. Lengths are in millimetres. */
import PDFDocument from 'pdfkit';
import { encodeAddress, QUIET_ZONE_MODULES } from '../qr-modules.ts';
import { type Colour, inkOf } from './colours.ts';
import { createTypesetter } from './typesetting.ts';

const POINTS_PER_MM = 72 / 25.4;

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

/** What a print shop prints and then cuts: ISO 32000-1, 14.11.2. */
export interface CutPage {
  readonly trim: Box;
  /** How far it is printed beyond its edges, because no cut is exact. */
  readonly bleed: Box;
}

interface Shape {
  readonly fill?: Colour;
  readonly line?: Colour;
  readonly lineWidth?: number;
  readonly radius?: number;
  readonly isDashed?: boolean;
}

export type Canvas = ReturnType<typeof openCanvas>;

/** pdfkit recognises a repeated picture by its address, not by its bytes. */
const addressOf = (jpeg: Uint8Array) => `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}`;

/**
 * @param title must name only people whom the sheet shows.
 * @param cut absent for paper that somebody cuts themselves.
 */
export function openCanvas(page: Size, title: string, madeAtMs: number, cut?: CutPage) {
  const { width: pageWidth, height: pageHeight } = page;
  const document = new PDFDocument({
    size: [pageWidth * POINTS_PER_MM, pageHeight * POINTS_PER_MM],
    margin: 0,
    info: { Title: title, CreationDate: new Date(madeAtMs) },
  });
  const chunks: Buffer[] = [];
  const ended = new Promise<Uint8Array>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
  if (cut) {
    // Measured from the lower left corner.
    const points = ({ x, y, width, height }: Box) =>
      [x, pageHeight - y - height, x + width, pageHeight - y].map((edge) => edge * POINTS_PER_MM);
    Object.assign(document.page.dictionary.data, { TrimBox: points(cut.trim), BleedBox: points(cut.bleed) });
  }
  document.scale(POINTS_PER_MM);

  return {
    pageWidth,
    pageHeight,

    write: createTypesetter(document),

    /** Draws a square picture with the corners of the product. The document holds repeated ones once. */
    picture(jpeg: Uint8Array, x: number, y: number, edge: number): void {
      document.save();
      document.roundedRect(x, y, edge, edge, edge * 0.14).clip();
      document.image(addressOf(jpeg), x, y, { width: edge, height: edge });
      document.restore();
    },

    /** Draws the middle of a photo so that it fills a circle. The document holds repeated photos once. */
    photo(jpeg: Uint8Array, middleX: number, middleY: number, radius: number): void {
      document.save();
      document.circle(middleX, middleY, radius).clip();
      // A photo that came by the API may be no square.
      document.image(addressOf(jpeg), middleX - radius, middleY - radius, {
        cover: [2 * radius, 2 * radius],
        align: 'center',
        valign: 'center',
      });
      document.restore();
    },

    box(box: Box, shape: Shape): void {
      outline(box, shape.radius);
      paint(shape);
    },

    circle(x: number, y: number, radius: number, shape: Shape): void {
      document.circle(x, y, radius);
      paint(shape);
    },

    line(fromX: number, fromY: number, toX: number, toY: number, shape: Shape): void {
      document.moveTo(fromX, fromY).lineTo(toX, toY);
      paint(shape);
    },

    async within(box: Box & { readonly radius: number }, draw: () => Promise<void>): Promise<void> {
      document.save();
      outline(box, box.radius);
      document.clip();
      await draw();
      document.restore();
    },

    async upsideDown({ x, y, width, height }: Box, draw: () => Promise<void>): Promise<void> {
      document.save();
      document.rotate(180, { origin: [x + width / 2, y + height / 2] });
      await draw();
      document.restore();
    },

    /** @param size the code's width without its quiet zone. */
    code(
      address: string,
      { middleX, middleY, size }: { middleX: number; middleY: number; size: number },
      { module: dark, quietZone }: { readonly module: Colour; readonly quietZone: Colour },
    ): void {
      const { runs, size: modules } = encodeAddress(address, 'M');
      const module = size / modules;
      const whole = size + 2 * QUIET_ZONE_MODULES * module;
      document.roundedRect(middleX - whole / 2, middleY - whole / 2, whole, whole, module);
      document.fill(inkOf(quietZone));
      const left = middleX - size / 2;
      const top = middleY - size / 2;
      for (const { row, column, width } of runs)
        document.rect(left + column * module, top + row * module, width * module, module);
      document.fill(inkOf(dark));
    },

    finish(): Promise<Uint8Array> {
      document.end();
      return ended;
    },
  };

  function outline({ x, y, width, height }: Box, radius = 0): void {
    if (radius > 0) document.roundedRect(x, y, width, height, radius);
    else document.rect(x, y, width, height);
  }

  function paint({ fill, line, lineWidth = 0.2, isDashed = false }: Shape): void {
    if (isDashed) document.dash(1.5, { space: 1.5 });
    else document.undash();
    document.lineWidth(lineWidth);
    if (fill && line) document.fillAndStroke(inkOf(fill), inkOf(line));
    else if (fill) document.fill(inkOf(fill));
    else if (line) document.stroke(inkOf(line));
  }
}

/** The width of a code with its quiet zone, relative to the code, at most: the smallest codes have 25 modules. */
export const WITH_QUIET_ZONE = (25 + 2 * QUIET_ZONE_MODULES) / 25;
