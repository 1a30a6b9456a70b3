/** The picture of a code that the landing page shows. */
import { encodeAddress } from '../qr-modules.ts';

/**
 * Draws an address as an SVG without a background and without a quiet zone, both of which the page around it has. At error correction L its
 * modules are as large as they can be: nothing scratches a screen.
 */
export function drawQrCodeSvg(address: string): string {
  const { runs, size } = encodeAddress(address, 'L');
  const path = runs.map(({ row, column, width }) => `M${column} ${row}h${width}v1h-${width}z`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#12241c" d="${path}"/></svg>`;
}
