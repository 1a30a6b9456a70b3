/** The thread's program: it draws one order after the other, and answers each. */
import { parentPort } from 'node:worker_threads';
import { PRINT_FORMATS } from '#shared/print.ts';
import { drawCodePicture, drawCodePng, drawCodeSvg } from './bare-code.ts';
import type { DrawingOrder, Drawn } from './drawing.ts';

async function draw(order: DrawingOrder): Promise<Uint8Array> {
  if (order.file === 'code.svg') return drawCodeSvg(order.address);
  if (order.file === 'picture.png') return drawCodePicture(order.address, order.minSize);
  if (order.file === 'code.png') return drawCodePng(order.address, order.size);
  const { file, ...sheet } = order;
  const format = PRINT_FORMATS.find((one) => file === `${one}.pdf`);
  if (format === undefined) throw new Error(`there is no ${file}`);
  // The fonts and the library are loaded with the first sheet.
  const { drawSheet } = await import('./sheet.ts');
  return drawSheet({ format, ...sheet });
}

parentPort?.on('message', (order: DrawingOrder) => {
  const answer = (drawn: Drawn) => parentPort?.postMessage(drawn);
  draw(order).then(
    (bytes) => answer({ bytes }),
    (failure: unknown) => answer({ failure }),
  );
});
