/**
 * The modules (small squares) of a QR code. This imports only the part of the library that encodes: its entry also
 * loads what writes PNG files and draws on terminals.
 */
import { create } from 'qrcode/lib/core/qrcode.js';

/** The quiet zone of ISO/IEC 18004, in modules. */
export const QUIET_ZONE_MODULES = 4;

/** Dark modules side by side in a row, drawn as one rectangle so that no seam shows between them. */
interface DarkRun {
  readonly row: number;
  readonly column: number;
  readonly width: number;
}

/**
 * @param level the share of the code that may be lost: a seventh at M, for print; half as much at L, for screens.
 * @returns the dark runs, row by row, and the code's width in modules without its quiet zone.
 */
export function encodeAddress(
  address: string,
  level: 'L' | 'M',
): { readonly runs: readonly DarkRun[]; readonly size: number } {
  const { modules } = create(address, { errorCorrectionLevel: level });
  const { size } = modules;
  const runs: DarkRun[] = [];
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let width = 0;
      while (column + width < size && modules.get(row, column + width)) width++;
      if (width > 0) runs.push({ row, column, width });
      column += width;
    }
  }
  return { runs, size };
}

/** The data of an SVG path in modules, with `margin` modules above and to the left. */
export function pathOf(runs: readonly DarkRun[], margin: number): string {
  return runs
    .map(({ row, column, width }) => `M${column + margin} ${row + margin}h${width}v1h-${width}z`)
    .join('');
}

/** The SVG of the landing page, which adds quiet zone and background. Level L gives the largest modules. */
export function drawScreenCode(address: string): string {
  const { runs, size } = encodeAddress(address, 'L');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#12241c" d="${pathOf(runs, 0)}"/></svg>`
  );
}
