/** Films for the fake camera of Chromium, which shows a file in the format of YUV4MPEG2. */
import { PNG } from 'pngjs';
import { create } from 'qrcode';

const WIDTH = 640;
const HEIGHT = 480;
const FRAMES_PER_SECOND = 5;

export type Frame = Buffer;

/** A frame with a picture in its middle, on grey, as a camera sees it that is not perfect. */
export function frameOf(png: Buffer): Frame {
  const frame = noise(110, 30);
  const { data, width, height } = PNG.sync.read(png);
  const scale = (0.6 * HEIGHT) / height;
  const [shownWidth, shownHeight] = [Math.floor(width * scale), Math.floor(height * scale)];
  const [left, top] = [(WIDTH - shownWidth) >> 1, (HEIGHT - shownHeight) >> 1];
  for (let y = 0; y < shownHeight; y += 1) {
    for (let x = 0; x < shownWidth; x += 1) {
      const brightness = data[4 * (Math.floor(y / scale) * width + Math.floor(x / scale))] ?? 0;
      // A camera in a bar sees neither black nor white.
      const at = (top + y) * WIDTH + left + x;
      frame[at] = 40 + brightness * 0.6 + ((frame[at] ?? 0) - 110) * 0.8;
    }
  }
  return frame;
}

/** A frame without a code. @param spread how far its pixels are from `brightness`, at most. */
export function noise(brightness: number, spread: number): Frame {
  let state = 7;
  const draw = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return brightness + spread * (2 * (state / 2 ** 32) - 1);
  };
  return Buffer.from(Uint8Array.from({ length: WIDTH * HEIGHT }, draw));
}

/** A film of frames, each of which lasts some seconds; the camera begins again at its end. */
export function film(...parts: readonly (readonly [frame: Frame, seconds: number])[]): Buffer {
  const grey = Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
  const frames = parts.flatMap(([frame, seconds]) =>
    Array.from({ length: seconds * FRAMES_PER_SECOND }, () => [Buffer.from('FRAME\n'), frame, grey]).flat(),
  );
  const head = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F${FRAMES_PER_SECOND}:1 Ip A1:1 C420jpeg\n`;
  return Buffer.concat([Buffer.from(head), ...frames]);
}

/** The picture of a QR code that says `text`. @param margin in cells. */
export function pictureOf(text: string, margin = 4): Buffer {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const cell = 6;
  const side = (modules.size + 2 * margin) * cell;
  const png = new PNG({ width: side, height: side });
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const [row, column] = [Math.floor(y / cell) - margin, Math.floor(x / cell) - margin];
      const isInside = row >= 0 && column >= 0 && row < modules.size && column < modules.size;
      const isDark = isInside && modules.get(row, column) !== 0;
      png.data.fill(isDark ? 0 : 255, 4 * (y * side + x), 4 * (y * side + x) + 3);
      png.data[4 * (y * side + x) + 3] = 255;
    }
  }
  return PNG.sync.write(png);
}
