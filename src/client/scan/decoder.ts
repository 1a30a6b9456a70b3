/** The worker that finds a QR code in pixels, so that the page stays responsive. */
import { decodeQR } from 'qr/decode.js';

/** In milliseconds for one picture; one look may exceed it. */
const TIME_LIMIT_MS = 60;

addEventListener('message', ({ data }: MessageEvent<ImageData>) => postMessage(textIn(data)));

function textIn(pixels: ImageData): string | null {
  try {
    return decodeQR(pixels, { timeLimit: TIME_LIMIT_MS });
  } catch {
    // The decoder throws for every picture without a code.
    return null;
  }
}
