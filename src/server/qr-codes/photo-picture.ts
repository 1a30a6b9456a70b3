/**
 * Photos of tip pages: each upload is decoded and encoded anew, so that nothing else of the file is kept,
 * such as the place where it was taken, or a second file behind it. The only importer of `sharp`, which is
 * loaded with the first photo.
 */
import type { Sharp } from 'sharp';
import { AppError } from '#shared/errors.ts';

/** Pixels of an upload; decoding one takes 12 MB at most. */
const MAX_SENT_EDGE = 2_048;
const KEPT_EDGE = 512;
/** A square of this size takes some 60 kB, and twice as much where every pixel is noise. */
const QUALITY = 82;

/**
 * Cameras and editors make a dozen. A decoder passes over the whole picture for each scan, which may have
 * only a few bytes.
 */
const MAX_SCANS = 64;
/** The marker of a scan, which never occurs in coded data (ITU-T T.81, sections B.1.1.2 and B.1.1.3). */
const START_OF_SCAN = Buffer.from([0xff, 0xda]);

function hasManyScans(sent: Uint8Array): boolean {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength);
  let scans = 0;
  for (let at = bytes.indexOf(START_OF_SCAN); at !== -1; at = bytes.indexOf(START_OF_SCAN, at + 2))
    scans += 1;
  return scans > MAX_SCANS;
}

/**
 * Checks the signature of JPEG, PNG or WebP
 * (https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern).
 */
function isPicture(sent: Uint8Array): boolean {
  const beginning = Buffer.from(sent.subarray(0, 16)).toString('latin1');
  return (
    beginning.startsWith('\u00ff\u00d8\u00ff') ||
    beginning.startsWith('\u0089PNG\r\n\u001a\n') ||
    (beginning.startsWith('RIFF') && beginning.startsWith('WEBPVP', 8))
  );
}

/**
 * Decodes a photo and encodes it anew.
 * @returns a JPEG of at most 512 x 512 pixels, without metadata.
 * @throws AppError `not_a_photo` for another signature than of JPEG, PNG or WebP; `photo_unreadable` for a
 *   picture that is broken, larger than 2048 pixels in width or height, whatever its header says, or coded so
 *   that reading it takes seconds.
 */
export async function redrawPhoto(sent: Uint8Array): Promise<Uint8Array> {
  if (!isPicture(sent)) throw new AppError('not_a_photo');
  const open = await decoder();
  try {
    const picture = open(sent);
    const { format, width, height } = await picture.metadata();
    if (format === 'jpeg' && hasManyScans(sent)) throw new Error('the picture has too many scans');
    if (width > MAX_SENT_EDGE || height > MAX_SENT_EDGE) throw new Error('the picture is too large');
    return await picture
      .autoOrient()
      .resize(KEPT_EDGE, KEPT_EDGE, { fit: 'cover', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: QUALITY })
      .toBuffer();
  } catch (cause) {
    throw new AppError('photo_unreadable', { cause });
  }
}

let loading: Promise<(sent: Uint8Array) => Sharp> | undefined;

/** Decodes only the three formats, although libvips reads more; one thread for each photo. */
function decoder(): Promise<(sent: Uint8Array) => Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
    });
    sharp.cache(false);
    sharp.concurrency(1);
    return (sent) => sharp(sent, { limitInputPixels: MAX_SENT_EDGE ** 2, failOn: 'warning', pages: 1 });
  });
  return loading;
}
