/** Each photo is encoded anew, so that nothing else of the file is kept, such as the place where it was taken. */
import { AppError } from '#shared/errors.ts';
import { isPicture, loadDecoder, openPicture } from '../picture-decoder.ts';

const KEPT_EDGE = 512;
/** A square of this size takes some 60 kB, and twice as much where every pixel is noise. */
const QUALITY = 82;

/**
 * @returns a JPEG of at most 512 x 512 pixels, without metadata.
 * @throws AppError `not_a_photo` for another signature than of JPEG, PNG or WebP; `photo_unreadable` for a picture that
 *   `openPicture` refuses, or that cannot be drawn.
 */
export async function redrawPhoto(sent: Uint8Array): Promise<Uint8Array> {
  if (!isPicture(sent)) throw new AppError('not_a_photo');
  await loadDecoder();
  try {
    const picture = await openPicture(sent);
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
