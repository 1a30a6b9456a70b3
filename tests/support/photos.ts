/** Pictures as people send them, and as nobody honest would. */
import sharp from 'sharp';

interface PhotoOptions {
  readonly width?: number;
  readonly height?: number;
  readonly format?: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff';
  readonly colour?: string;
}

/** A picture of one colour. */
export async function drawPhoto({
  width = 64,
  height = 64,
  format = 'jpeg',
  colour = '#3a7f5c',
}: PhotoOptions = {}): Promise<Uint8Array> {
  const blank = sharp({ create: { width, height, channels: 3, background: colour } });
  return Uint8Array.from(await blank.toFormat(format).toBuffer());
}
