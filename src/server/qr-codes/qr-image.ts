/**
 * The pictures of a QR code that pages and dashboards show.
 *
 * The code's own renderer writes four channels and tries five filters a line: 30 to 70 ms of event loop a picture.
 * One channel without a filter, compressed on another thread, is the same picture for about two.
 */
import { PNG } from 'pngjs';
import { encodeAddress, QUIET_ZONE_MODULES } from '../qr-modules.ts';

/** Large enough to print a palm's width; the picture is the next whole multiple of its modules, so edges stay sharp. */
const MIN_WIDTH_PX = 720;
const DARK = 0x00;
const LIGHT = 0xff;

/**
 * Draws an address as an SVG without a background and without a quiet zone, both of which the page around it has. At error correction L its
 * modules are as large as they can be: nothing scratches a screen.
 */
export function drawQrCodeSvg(address: string): string {
  const { runs, size } = encodeAddress(address, 'L');
  const path = runs.map(({ row, column, width }) => `M${column} ${row}h${width}v1h-${width}z`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#12241c" d="${path}"/></svg>`;
}

/**
 * Draws an address as a greyscale PNG with its quiet zone, at error correction M, so that a scratched print still
 * scans.
 */
export function drawQrCode(address: string): Promise<Uint8Array> {
  const { runs, size } = encodeAddress(address, 'M');
  const modulesAcross = size + 2 * QUIET_ZONE_MODULES;
  const scale = Math.ceil(MIN_WIDTH_PX / modulesAcross);
  const width = modulesAcross * scale;

  const pixels = Buffer.alloc(width * width, LIGHT);
  for (const run of runs) {
    const left = (run.column + QUIET_ZONE_MODULES) * scale;
    for (let line = 0; line < scale; line++) {
      const start = ((run.row + QUIET_ZONE_MODULES) * scale + line) * width + left;
      pixels.fill(DARK, start, start + run.width * scale);
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
