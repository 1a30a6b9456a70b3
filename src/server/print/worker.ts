/** The program of the thread that prints: it draws what it is sent, one print after the other, and answers each. */
import { parentPort } from 'node:worker_threads';
import { PRINT_FORMATS } from '#shared/print.ts';
import { drawCodePng, drawCodeSvg } from './bare-code.ts';
import type { Drawing, DrawingOrder } from './printer.ts';

async function draw({ file, size, ...sheet }: DrawingOrder): Promise<Uint8Array> {
  if (file === 'code.svg') return drawCodeSvg(sheet.address);
  if (file === 'code.png') return drawCodePng(sheet.address, size);
  const format = PRINT_FORMATS.find((one) => file === `${one}.pdf`);
  if (format === undefined) throw new Error(`there is no ${file}`);
  // The fonts and the library are loaded with the first sheet.
  const { drawSheet } = await import('./sheet.ts');
  return drawSheet({ format, ...sheet });
}

parentPort?.on('message', (order: DrawingOrder) => {
  const answer = (drawing: Drawing) => parentPort?.postMessage(drawing);
  draw(order).then(
    (bytes) => answer({ bytes }),
    (failure: unknown) => answer({ failure }),
  );
});
