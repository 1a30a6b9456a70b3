/**
 * The picture of a QR code; the only place that knows the libraries which draw it.
 *
 * The code's own renderer writes four channels and tries five filters a line: 30 to 70 ms of event loop a picture.
 * One channel without a filter, compressed on another thread, is the same picture for about two.
 */
import { PNG } from 'pngjs';
import { create } from 'qrcode';

/** Modules (the small squares) of quiet zone that ISO/IEC 18004 wants around a code. */
const QUIET_ZONE_MODULES = 4;
/** Large enough to print a palm's width; the picture is the next whole multiple of its modules, so edges stay sharp. */
const MIN_WIDTH_PX = 720;
const DARK = 0x00;
const LIGHT = 0xff;

/**
 * Draws an address as an SVG without a background and without a quiet zone, both of which the page around it has. At error correction L its
 * modules are as large as they can be: nothing scratches a screen.
 */
export function drawQrCodeSvg(address: string): string {
  const { modules } = create(address, { errorCorrectionLevel: 'L' });
  const { size } = modules;
  let path = '';
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      // Neighbours in a row are one rectangle, so that no seam shows.
      let run = 0;
      while (column + run < size && modules.get(row, column + run)) run++;
      if (run > 0) path += `M${column} ${row}h${run}v1h-${run}z`;
      column += run;
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#12241c" d="${path}"/></svg>`;
}

/**
 * Draws an address as a greyscale PNG with its quiet zone, at error correction M, so that a scratched print still
 * scans.
 */
export function drawQrCode(address: string): Promise<Uint8Array> {
  const { modules } = create(address, { errorCorrectionLevel: 'M' });
  const modulesAcross = modules.size + 2 * QUIET_ZONE_MODULES;
  const scale = Math.ceil(MIN_WIDTH_PX / modulesAcross);
  const width = modulesAcross * scale;

  const pixels = Buffer.alloc(width * width, LIGHT);
  for (let row = 0; row < modules.size; row++) {
    const top = (row + QUIET_ZONE_MODULES) * scale;
    for (let column = 0; column < modules.size; column++) {
      if (!modules.get(row, column)) continue;
      const left = (column + QUIET_ZONE_MODULES) * scale;
      pixels.fill(DARK, top * width + left, top * width + left + scale);
    }
    for (let line = 1; line < scale; line++) {
      pixels.copyWithin((top + line) * width, top * width, (top + 1) * width);
    }
  }

  const png = new PNG({
    width,
    height: width,
    colorType: 0,
    inputColorType: 0,
    bitDepth: 8,
    inputHasAlpha: false,
    filterType: 0,
    deflateLevel: 9,
    deflateStrategy: 0,
  });
  png.data = pixels;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    png
      .pack()
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', reject);
  });
}
