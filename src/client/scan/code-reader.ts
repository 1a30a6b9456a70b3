/** Finds the QR codes of a picture: by the browser where it can, else by a worker. */

/** The script of the worker could not be fetched. */
export class ReaderNotLoaded extends Error {}

export interface CodeReader {
  /** @param maxSide is in pixels. @returns the texts of the codes. @throws ReaderNotLoaded */
  read(picture: HTMLVideoElement | ImageBitmap, maxSide: number): Promise<readonly string[]>;
  close(): void;
}

/** https://wicg.github.io/shape-detection-api/#barcode-detection-api */
interface BarcodeDetector {
  detect(picture: ImageBitmapSource): Promise<readonly { readonly rawValue: string }[]>;
}

declare global {
  interface Window {
    readonly BarcodeDetector?: {
      new (options: { readonly formats: readonly string[] }): BarcodeDetector;
      getSupportedFormats(): Promise<readonly string[]>;
    };
  }
}

/** Opens a reader; the caller closes it. */
export function openCodeReader(): CodeReader {
  let worker: Worker | null = null;
  let detector = createDetector();

  return {
    async read(picture, maxSide) {
      const native = await detector;
      if (native) {
        const found = await native.detect(picture).catch(() => null);
        if (found) return found.map(({ rawValue }) => rawValue);
        // Some devices offer a detector whose service is not installed.
        detector = Promise.resolve(null);
      }
      worker ??= new Worker(new URL('./decoder.ts', import.meta.url), { type: 'module' });
      const text = await ask(worker, pixelsOf(picture, maxSide));
      return text === null ? [] : [text];
    },
    close: () => worker?.terminate(),
  };
}

async function createDetector(): Promise<BarcodeDetector | null> {
  const Detector = window.BarcodeDetector;
  const formats = (await Detector?.getSupportedFormats().catch(() => null)) ?? [];
  return Detector && formats.includes('qr_code') ? new Detector({ formats: ['qr_code'] }) : null;
}

function ask(worker: Worker, pixels: ImageData): Promise<string | null> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<string | null>) => resolve(data);
    worker.onerror = () => reject(new ReaderNotLoaded());
    worker.postMessage(pixels, [pixels.data.buffer]);
  });
}

/** Decoders need a quiet zone, which a cropped picture may lack: the pixels stand on white with a margin. */
function pixelsOf(picture: HTMLVideoElement | ImageBitmap, maxSide: number): ImageData {
  const [fullWidth, fullHeight] =
    picture instanceof HTMLVideoElement
      ? [picture.videoWidth, picture.videoHeight]
      : [picture.width, picture.height];
  const scale = Math.min(1, maxSide / Math.max(fullWidth, fullHeight, 1));
  const [width, height] = [Math.max(1, fullWidth * scale), Math.max(1, fullHeight * scale)];
  const margin = picture instanceof HTMLVideoElement ? 0 : Math.max(width, height) / 10;
  const canvas = document.createElement('canvas');
  canvas.width = width + 2 * margin;
  canvas.height = height + 2 * margin;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('the browser has no memory left for a picture');
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, margin, margin, width, height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
