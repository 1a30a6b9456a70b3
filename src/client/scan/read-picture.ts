/** Reads the codes of a picture that a person chose; the picture stays on the device. */
import { openCodeReader } from './code-reader.ts';

/** In pixels. The decoder misses a small code in a large photo at the first size and finds it at the second. */
const MAX_SIDES = [1_280, 2_560] as const;

/** @returns null for a file that the browser cannot draw. @throws ReaderNotLoaded */
export async function readPicture(file: Blob): Promise<readonly string[] | null> {
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return null;
  const reader = openCodeReader();
  try {
    for (const maxSide of MAX_SIDES) {
      const texts = await reader.read(picture, maxSide);
      if (texts.length > 0) return texts;
    }
    return [];
  } finally {
    picture.close();
    reader.close();
  }
}
