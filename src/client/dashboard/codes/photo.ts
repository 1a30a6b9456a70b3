/** Photos of tip pages are drawn anew and sent. The file itself, which may tell where it was taken, is not sent. */
import { MAX_PHOTO_BYTES } from '#shared/qr-codes.ts';
import { authorization, unanswered } from '../../api-client/api.ts';
import { verifySession } from '../../calls.ts';

/** In pixels. */
const MAX_EDGE = 512;
/** In pixels, of an opened picture: larger ones are slow to move about. */
const MAX_OPENED_EDGE = 2_048;
const QUALITIES = [0.86, 0.75, 0.6, 0.45, 0.3];
export const MAX_ZOOM = 4;
const NO_ANSWER = unanswered('the photo was saved');
/** In milliseconds: longer than for other answers, because a photo takes its time on a slow line. */
const PATIENCE_MS = 60_000;

export interface Crop {
  readonly left: number;
  readonly top: number;
  readonly side: number;
}

export interface CroppedPicture {
  readonly picture: ImageBitmap;
  readonly crop: Crop;
}

/** Its message is a sentence for people. */
export class PictureError extends Error {}

/** The code takes no photo, because it was replaced or its service is no longer offered. */
export class CodeGoneError extends Error {}

/** Turns the picture the right way up, as its EXIF data say. @throws PictureError when the browser cannot open it. */
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

/** Moves the square to the right and down, by parts of its side. */
export function moved({ picture, crop }: CroppedPicture, right: number, down: number): CroppedPicture {
  return within(picture, {
    side: crop.side,
    left: crop.left + right * crop.side,
    top: crop.top + down * crop.side,
  });
}

export function zoomed({ picture, crop }: CroppedPicture, zoom: number): CroppedPicture {
  const side = Math.min(picture.width, picture.height) / Math.min(MAX_ZOOM, Math.max(1, zoom));
  const grown = (side - crop.side) / 2;
  return within(picture, { side, left: crop.left - grown, top: crop.top - grown });
}

function within(picture: ImageBitmap, { side, left, top }: Crop): CroppedPicture {
  const inside = (start: number, length: number) => Math.max(0, Math.min(start, length - side));
  return { picture, crop: { side, left: inside(left, picture.width), top: inside(top, picture.height) } };
}

/** Draws the square over all of a canvas, on white where it is transparent. */
export function drawCropped(canvas: HTMLCanvasElement, { picture, crop }: CroppedPicture): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, crop.left, crop.top, crop.side, crop.side, 0, 0, canvas.width, canvas.height);
}

/** A JPEG of the best quality within the server's limit of bytes. @throws PictureError when the browser makes none. */
async function toJpeg(cropped: CroppedPicture): Promise<Blob> {
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

/**
 * By REST, because tRPC takes no files.
 * @throws PictureError when the server refuses the photo or does not answer, CodeGoneError when its code has ended.
 */
export async function sendPhoto(qrId: string, cropped: CroppedPicture): Promise<string> {
  const answer = await putPhoto(qrId, await toJpeg(cropped));
  const body: Readonly<Record<string, unknown>> = Object(await answer.json().catch(() => null));
  const { photo_url: photoUrl, detail } = body;
  if (answer.ok && typeof photoUrl === 'string') return photoUrl;
  // Logs this page out when the session has ended.
  if (answer.status === 401) void verifySession();
  if (answer.status === 410) throw new CodeGoneError();
  throw new PictureError(typeof detail === 'string' ? detail : NO_ANSWER);
}

async function putPhoto(qrId: string, jpeg: Blob): Promise<Response> {
  try {
    return await fetch(`/api/qr-codes/${qrId}/photo`, {
      method: 'PUT',
      headers: { ...authorization(), 'Content-Type': jpeg.type },
      body: await jpeg.arrayBuffer(),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch (cause) {
    throw new PictureError(NO_ANSWER, { cause });
  }
}
