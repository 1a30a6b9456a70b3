/** Opens pictures within bounds of what decoding them costs. `sharp` is loaded with the first one, and only here. */
import type { Sharp } from 'sharp';

/** Pixels of a picture; decoding one takes 12 MB at most. */
export const MAX_SENT_EDGE = 2_048;

/** Cameras and editors make a dozen. A decoder passes over the whole picture for each scan, even one of few bytes. */
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

/** Checks the signature of JPEG, PNG or WebP (https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern). */
export function isPicture(sent: Uint8Array): boolean {
  const beginning = Buffer.from(sent.subarray(0, 16)).toString('latin1');
  return (
    beginning.startsWith('\u00ff\u00d8\u00ff') ||
    beginning.startsWith('\u0089PNG\r\n\u001a\n') ||
    (beginning.startsWith('RIFF') && beginning.startsWith('WEBPVP', 8))
  );
}

/**
 * @param sent one for which `isPicture` holds.
 * @throws Error for a picture that is broken, larger than 2048 pixels in width or height, whatever its header says, or
 *   coded so that reading it takes seconds; for some of it only when it is drawn.
 */
export async function openPicture(sent: Uint8Array): Promise<Sharp> {
  const open = await loadDecoder();
  const picture = open(sent);
  const { format, width, height } = await picture.metadata();
  if (format === 'jpeg' && hasManyScans(sent)) throw new Error('the picture has too many scans');
  if (width > MAX_SENT_EDGE || height > MAX_SENT_EDGE) throw new Error('the picture is too large');
  return picture;
}

let loading: Promise<(sent: Uint8Array) => Sharp> | undefined;

/**
 * Decodes only the three formats, although libvips reads more; one thread for each photo.
 * @throws Error where libvips does not run or its files are gone, which is no fault of a picture.
 */
export function loadDecoder(): Promise<(sent: Uint8Array) => Sharp> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<(sent: Uint8Array) => Sharp> {
  const { default: sharp } = await import('sharp');
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
  });
  sharp.cache(false);
  sharp.concurrency(1);
  return (sent) => sharp(sent, { limitInputPixels: MAX_SENT_EDGE ** 2, failOn: 'warning', pages: 1 });
}
