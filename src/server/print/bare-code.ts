/** The code alone, for designers of their own prints. */
import { PNG } from 'pngjs';
import { encodeAddress, pathOf, QUIET_ZONE_MODULES } from '../qr-modules.ts';

const DARK = 0x00;
const LIGHT = 0xff;

export function drawCodeSvg(address: string): Uint8Array {
  const { runs, size } = encodeAddress(address, 'M');
  const across = size + 2 * QUIET_ZONE_MODULES;
  const path = pathOf(runs, QUIET_ZONE_MODULES);
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${across} ${across}" shape-rendering="crispEdges">` +
      `<rect width="${across}" height="${across}" fill="#fff"/><path d="${path}"/></svg>\n`,
  );
}

/** Draws a PNG as wide as the next whole multiple of the modules above `minSize` pixels: no pixel is left over. */
export function drawCodePicture(address: string, minSize: number): Uint8Array {
  const across = encodeAddress(address, 'M').size + 2 * QUIET_ZONE_MODULES;
  return drawCodePng(address, Math.ceil(minSize / across) * across);
}

/** @param size pixels of the picture. Each module has the same whole number of them; the rest is quiet zone. */
export function drawCodePng(address: string, size: number): Uint8Array {
  const { runs, size: modules } = encodeAddress(address, 'M');
  const across = modules + 2 * QUIET_ZONE_MODULES;
  const scale = Math.floor(size / across);
  if (scale < 1) throw new Error(`${size} pixels are too few for ${across} modules`);
  const offset = Math.floor((size - modules * scale) / 2);
  const pixels = Buffer.alloc(size * size, LIGHT);
  for (const { row, column, width } of runs) {
    for (let line = 0; line < scale; line++) {
      const start = (offset + row * scale + line) * size + offset + column * scale;
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
