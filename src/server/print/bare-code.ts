/** The code alone, for whoever lays out a print of their own. */
import { PNG } from 'pngjs';
import { create } from 'qrcode';

/** Modules (the small squares) of quiet zone that ISO/IEC 18004 wants around a code. */
const QUIET_ZONE_MODULES = 4;
const DARK = 0x00;
const LIGHT = 0xff;

/** A dark stretch of one row, in modules from the edge of the quiet zone. */
interface Run {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** The dark runs of a code at error correction M, so that a scratched print still scans. */
function darkRuns(address: string): { readonly runs: readonly Run[]; readonly across: number } {
  const { modules } = create(address, { errorCorrectionLevel: 'M' });
  const runs: Run[] = [];
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      if (!modules.get(row, column)) continue;
      const first = column;
      while (column < modules.size && modules.get(row, column)) column++;
      runs.push({
        left: first + QUIET_ZONE_MODULES,
        top: row + QUIET_ZONE_MODULES,
        width: column - first,
      });
    }
  }
  return { runs, across: modules.size + 2 * QUIET_ZONE_MODULES };
}

/** Draws an address as SVG, black on white, with a view box in modules. */
export function drawCodeSvg(address: string): Uint8Array {
  const { runs, across } = darkRuns(address);
  const path = runs.map(({ left, top, width }) => `M${left} ${top}h${width}v1h-${width}z`).join('');
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${across} ${across}" shape-rendering="crispEdges">` +
      `<rect width="${across}" height="${across}" fill="#fff"/><path d="${path}"/></svg>\n`,
  );
}

/**
 * Draws an address as a greyscale PNG.
 * @param size in pixels, of the whole picture. Every module is the same number of whole pixels; what is left over widens the quiet zone.
 */
export function drawCodePng(address: string, size: number): Uint8Array {
  const { runs, across } = darkRuns(address);
  const scale = Math.floor(size / across);
  if (scale < 1) throw new Error(`${size} pixels are too few for ${across} modules`);
  const offset = Math.floor((size - across * scale) / 2);
  const pixels = Buffer.alloc(size * size, LIGHT);
  for (const { left, top, width } of runs) {
    for (let line = 0; line < scale; line++) {
      const start = (offset + top * scale + line) * size + offset + left * scale;
      pixels.fill(DARK, start, start + width * scale);
    }
  }
  const png = new PNG({ width: size, height: size });
  png.data = pixels;
  return PNG.sync.write(png, {
    colorType: 0,
    inputColorType: 0,
    bitDepth: 8,
    inputHasAlpha: false,
    filterType: 0,
    deflateLevel: 9,
    deflateStrategy: 0,
  });
}
