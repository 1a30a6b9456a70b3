/** Pictures as people send them, and as nobody honest would. */
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

interface PhotoOptions {
  readonly width?: number;
  readonly height?: number;
  readonly format?: 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff';
  readonly colour?: string;
}

export async function drawPhoto({
  width = 64,
  height = 64,
  format = 'jpeg',
  colour = '#3a7f5c',
}: PhotoOptions = {}): Promise<Uint8Array> {
  const blank = sharp({ create: { width, height, channels: 3, background: colour } });
  return Uint8Array.from(await blank.toFormat(format).toBuffer());
}

/** A word that stands in every kind of metadata of `drawTalkativePhoto`, and nowhere in its pixels. */
export const TALK = 'Secretville';

/**
 * A picture that tells where it was taken, in EXIF, XMP and a comment, and that is to be turned: its upper
 * half is red as it is stored, and its right half as it is shown.
 */
export async function drawTalkativePhoto(): Promise<Uint8Array> {
  const red = await drawPhoto({ width: 80, height: 40, format: 'png', colour: '#ff0000' });
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${TALK}"/></rdf:RDF></x:xmpmeta>`;
  const jpeg = await sharp({ create: { width: 80, height: 80, channels: 3, background: '#0000ff' } })
    .composite([{ input: Buffer.from(red), top: 0, left: 0 }])
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { Copyright: TALK, Make: TALK },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 12/1 30/1', GPSAreaInformation: TALK },
    })
    .withXmp(xmp)
    .withIccProfile('p3')
    .jpeg({ quality: 100 })
    .toBuffer();
  const comment = Buffer.from(TALK);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(comment.length + 2);
  return Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.from([0xff, 0xfe]),
    length,
    comment,
    // IPTC lies in a Photoshop block (APP13).
    segment(0xed, Buffer.from(`Photoshop 3.0\0 8BIM ${TALK}`)),
    jpeg.subarray(2),
  ]);
}

function segment(marker: number, content: Uint8Array): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** A picture whose header announces other dimensions than its data has. */
export async function announce(
  format: 'jpeg' | 'png' | 'webp',
  width: number,
  height: number,
): Promise<Uint8Array> {
  if (format === 'png') return pngOf(width, height, deflateSync(Buffer.alloc(4_096)));
  const picture = Buffer.from(await drawPhoto({ format }));
  if (format === 'jpeg') {
    const frame = picture.indexOf(Buffer.from([0xff, 0xc0]));
    picture.writeUInt16BE(height, frame + 5);
    picture.writeUInt16BE(width, frame + 7);
    return picture;
  }
  const canvas = Buffer.alloc(10);
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  return riff(chunkOfRiff('VP8X', canvas), picture.subarray(12));
}

/** Pixels that are all alike, packed to a thousandth of their size, up to so many bytes in all. */
export function drawBomb(edge: number, atMostBytes: number): Uint8Array {
  const row = 1 + 3 * edge;
  const packed = deflateSync(Buffer.alloc(row * Math.min(edge, Math.floor((atMostBytes * 900) / row))), {
    level: 9,
  });
  return pngOf(edge, edge, packed);
}

/** A PNG picture with a text of so many bytes in it, packed. */
export function drawTextBomb(textBytes: number): Uint8Array {
  const text = deflateSync(Buffer.alloc(textBytes, 'x'), { level: 9 });
  const pixels = deflateSync(Buffer.alloc(64 * (1 + 3 * 64)));
  return pngOf(64, 64, pixels, chunkOfPng('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), text])));
}

function pngOf(
  width: number,
  height: number,
  packed: Uint8Array,
  between: Uint8Array = Buffer.alloc(0),
): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of each of red, green and blue.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
    chunkOfPng('IHDR', header),
    between,
    chunkOfPng('IDAT', packed),
    chunkOfPng('IEND', Buffer.alloc(0)),
  ]);
}

function chunkOfPng(name: string, content: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}

function riff(...chunks: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

function chunkOfRiff(name: string, content: Uint8Array): Buffer {
  const head = Buffer.from(`${name}\0\0\0\0`);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/**
 * A progressive JPEG of 64 x 64 pixels in one colour, with so many scans after its first one, at most 882.
 * Each says that nothing is to be added to the picture.
 */
export function drawScans(count: number): Uint8Array {
  const edge = 64;
  const blocks = (edge / 8) ** 2;
  const frame = [8, 0, edge, 0, edge, 1, 1, 0x11, 0];
  /**
   * Codes of one bit: for no difference to the block before, and for a run of 64 to 127 blocks that end at
   * once.
   */
  const oneCode = (table: number, symbol: number) => [table, 1, ...Array(15).fill(0), symbol];
  const scan = (from: number, bits: number) => segment(0xda, Buffer.from([1, 1, 0, from, from, bits]));
  const scans = Array.from({ length: count }, (_, index) => {
    const [from, round] = [1 + (index % 63), Math.floor(index / 63)];
    const lowest = 13 - round;
    // A run of 64 blocks: the code, six bits that are zero, and a one that fills the byte.
    return Buffer.concat([
      scan(from, round === 0 ? lowest : ((lowest + 1) << 4) | lowest),
      Buffer.from([0b0000_0001]),
    ]);
  });
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, Buffer.from([0, ...Array(64).fill(1)])),
    segment(0xc2, Buffer.from(frame)),
    segment(0xc4, Buffer.from(oneCode(0x00, 0))),
    segment(0xc4, Buffer.from(oneCode(0x10, 0x60))),
    scan(0, 0),
    Buffer.alloc(blocks / 8),
    ...scans,
    Buffer.from([0xff, 0xd9]),
  ]);
}

export async function drawAnimation(): Promise<Uint8Array> {
  const frames = await Promise.all(
    ['#ff0000', '#0000ff'].map((colour) => drawPhoto({ format: 'png', colour })),
  );
  const animated = sharp(
    frames.map((frame) => Buffer.from(frame)),
    { join: { animated: true } },
  );
  return Uint8Array.from(await animated.webp({ loop: 0, delay: [100, 100] }).toBuffer());
}

/** A PNG picture that says of itself that it moves (APNG). */
export async function drawAnimatedPng(): Promise<Uint8Array> {
  const still = Buffer.from(await drawPhoto({ format: 'png' }));
  const control = Buffer.alloc(8);
  control.writeUInt32BE(2, 0);
  const afterHeader = 8 + 25;
  return Buffer.concat([
    still.subarray(0, afterHeader),
    chunkOfPng('acTL', control),
    still.subarray(afterHeader),
  ]);
}

export function inspectPhoto(picture: Uint8Array) {
  return sharp(picture).metadata();
}

export async function colourAt(picture: Uint8Array, left: number, top: number): Promise<number[]> {
  const pixel = await sharp(picture).extract({ left, top, width: 1, height: 1 }).raw().toBuffer();
  return [...pixel];
}
