/**
 * Photos of tip pages: opened, cut to a square and drawn anew, so that nothing of the file itself is sent, such as the place where
 * it was taken.
 */
import { MAX_PHOTO_BYTES } from '#shared/qr-codes.ts';

/** In pixels. */
const MAX_EDGE = 512;
/** In pixels, of an opened picture: larger ones are slow to move about. */
const MAX_OPENED_EDGE = 2_048;
const QUALITIES = [0.86, 0.75, 0.6, 0.45, 0.3];
/** How many times a picture can be enlarged. */
export const MAX_ZOOM = 4;

/** A square of a picture, in its pixels. */
export interface Crop {
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

/** A picture with the square of it that is shown. */
export interface CroppedPicture {
  readonly picture: ImageBitmap;
  readonly crop: Crop;
}

/** Why a picture cannot be taken, in a sentence for people. */
export class PictureError extends Error {}

/**
 * Opens a picture the right way up, as its EXIF data say.
 * @throws PictureError for what this browser cannot open.
 */
export async function openPicture(file: File): Promise<CroppedPicture> {
  try {
    const opened = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const factor = MAX_OPENED_EDGE / Math.max(opened.width, opened.height);
    const picture =
      factor >= 1
        ? opened
        : await createImageBitmap(opened, {
            resizeWidth: Math.max(1, Math.round(opened.width * factor)),
            resizeHeight: Math.max(1, Math.round(opened.height * factor)),
            resizeQuality: 'high',
          });
    return { picture, crop: middleOf(picture) };
  } catch (cause) {
    const isHeic = /hei[cf]/i.test(file.type) || /\.hei[cf]$/i.test(file.name);
    throw new PictureError(
      isHeic
        ? 'This browser cannot open HEIC photos. Choose a JPEG or PNG, or take a new photo.'
        : 'This file cannot be opened as a picture. Choose a JPEG or PNG, or take a new photo.',
      { cause },
    );
  }
}

function middleOf({ width, height }: ImageBitmap): Crop {
  const side = Math.min(width, height);
  return { side, left: (width - side) / 2, top: (height - side) / 2 };
}

/** How many times the picture is enlarged, from 1 to `MAX_ZOOM`. */
export function zoomOf({ picture, crop }: CroppedPicture): number {
  return Math.min(picture.width, picture.height) / crop.side;
}

/**
 * Moves the square by parts of its side, within the picture.
 * @param right to where on the picture, as is `down`.
 */
export function moved({ picture, crop }: CroppedPicture, right: number, down: number): CroppedPicture {
  return within(picture, {
    side: crop.side,
    left: crop.left + right * crop.side,
    top: crop.top + down * crop.side,
  });
}

/** Enlarges to `zoom` times, around the middle of the square. */
export function zoomed({ picture, crop }: CroppedPicture, zoom: number): CroppedPicture {
  const side = Math.min(picture.width, picture.height) / Math.min(MAX_ZOOM, Math.max(1, zoom));
  const grown = (side - crop.side) / 2;
  return within(picture, { side, left: crop.left - grown, top: crop.top - grown });
}

function within(picture: ImageBitmap, { side, left, top }: Crop): CroppedPicture {
  const inside = (start: number, length: number) => Math.max(0, Math.min(start, length - side));
  return { picture, crop: { side, left: inside(left, picture.width), top: inside(top, picture.height) } };
}

/** Draws the square over all of a canvas; what is transparent becomes white. */
export function drawCropped(canvas: HTMLCanvasElement, { picture, crop }: CroppedPicture): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, crop.left, crop.top, crop.side, crop.side, 0, 0, canvas.width, canvas.height);
}

/**
 * The square as a JPEG, 512 pixels wide at most, and as good as fits into what the server takes.
 * @throws PictureError when the browser makes none.
 */
export async function toJpeg(cropped: CroppedPicture): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.min(MAX_EDGE, Math.round(cropped.crop.side)));
  canvas.height = canvas.width;
  drawCropped(canvas, cropped);
  for (const quality of QUALITIES) {
    const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
    if (jpeg !== null && jpeg.type === 'image/jpeg' && jpeg.size <= MAX_PHOTO_BYTES) return jpeg;
  }
  throw new PictureError('The photo could not be prepared. Please choose another one.');
}
