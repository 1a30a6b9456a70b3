/** A picture of a night's numbers, without names, drawn in the browser with the colours of the screen. */
import { saveFile } from '../../signed-in/save-file.ts';

const WIDTH_PX = 1_080;
const HEIGHT_PX = 1_350;
const MARGIN_PX = 96;

export interface PictureLine {
  readonly text: string;
  readonly sizePx: number;
  /** The element on the screen whose colour and typeface the line has. */
  readonly like: Element;
}

/** Shares or saves the picture. @returns false when the share sheet was closed. @throws Error when none is drawn. */
export async function handOutPicture(
  lines: readonly PictureLine[],
  card: Element,
  fileName: string,
): Promise<boolean> {
  const picture = await draw(lines, getComputedStyle(card).backgroundColor);
  const file = new File([picture], fileName, { type: 'image/png' });
  if ('canShare' in navigator && navigator.canShare({ files: [file] })) {
    try {
      await navigator.share({ files: [file] });
      return true;
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return false;
      // Where sharing is refused, the picture is saved.
    }
  }
  saveFile(new Uint8Array(await picture.arrayBuffer()), file.type, fileName);
  return true;
}

async function draw(lines: readonly PictureLine[], background: string): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH_PX;
  canvas.height = HEIGHT_PX;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  context.fillStyle = background;
  context.fillRect(0, 0, WIDTH_PX, HEIGHT_PX);
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const leading = 1.5;
  const height = lines.reduce((sum, { sizePx }) => sum + sizePx * leading, 0);
  let top = (HEIGHT_PX - height) / 2;
  for (const { text, sizePx, like } of lines) {
    const { color, fontFamily, fontWeight } = getComputedStyle(like);
    const fontOf = (px: number) => `${fontWeight} ${px}px ${fontFamily}`;
    await document.fonts.load(fontOf(sizePx)).catch(() => []);
    context.font = fontOf(sizePx);
    const room = (WIDTH_PX - 2 * MARGIN_PX) / context.measureText(text).width;
    context.font = fontOf(sizePx * Math.min(1, room));
    context.fillStyle = color;
    context.fillText(text, WIDTH_PX / 2, top + (sizePx * leading) / 2);
    top += sizePx * leading;
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png');
  });
}
