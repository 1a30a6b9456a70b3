/**
 * The operator's logo, and every icon drawn from it. It is decoded and encoded anew, so that nothing else of the file
 * reaches anybody.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Sharp } from 'sharp';
import { isPicture, MAX_SENT_EDGE, openPicture } from '../picture-decoder.ts';
import { readBrandFile } from './brand-folder.ts';
import { BrandRefused } from './brand-refused.ts';

const NAMES = ['logo.png', 'logo.webp', 'logo.jpg', 'logo.jpeg'];
const MAX_BYTES = 2_097_152;

/** The size of the mark beside the name, in pixels: three times as shown. */
const MARK = { height: 108, width: 432 };
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 };
/** The paper of `ui/tokens.css`. Home screens cut icons into shapes of their own, and show no transparency. */
const PAPER = '#f6f1e6';
/** The part of a maskable icon that every shape shows is a circle of 80 % (https://www.w3.org/TR/appmanifest/). */
const SAFE_PART = 0.56;
const PRINTED_EDGE = 256;

export interface BrandFile {
  readonly path: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface Logo {
  /** The mark beside the name; its path changes with its content. */
  readonly mark: BrandFile & { readonly widthToHeight: number };
  /** Icons under the paths of the product's own. */
  readonly icons: readonly BrandFile[];
  /** The icon of a page, as an address that needs no request. */
  readonly pageIcon: string;
  /** For mails: a square PNG of twice the size at which it is shown. */
  readonly small: Uint8Array;
  /** For prints: a square on white, in JPEG. */
  readonly printed: Uint8Array;
}

/** @returns null where the folder has no logo. @throws BrandRefused for several logos, or one that cannot be used. */
export async function readLogo(folder: string): Promise<Logo | null> {
  const found: { readonly file: string; readonly bytes: Uint8Array }[] = [];
  for (const name of NAMES) {
    const file = join(folder, name);
    const bytes = await readBrandFile(file, MAX_BYTES);
    if (bytes) found.push({ file, bytes });
  }
  const [logo, other] = found;
  if (!logo) return null;
  if (other) throw new BrandRefused(`BRAND_FOLDER has two logos, ${logo.file} and ${other.file}`);
  if (!isPicture(logo.bytes))
    throw new BrandRefused(`BRAND_FOLDER ${logo.file} is no PNG, JPEG or WebP picture`);
  try {
    return await draw(await openPicture(logo.bytes));
  } catch (cause) {
    throw new BrandRefused(
      `BRAND_FOLDER ${logo.file} cannot be read as a picture of at most ${MAX_SENT_EDGE} x ${MAX_SENT_EDGE} pixels`,
      { cause },
    );
  }
}

async function draw(sent: Sharp): Promise<Logo> {
  const { data, info } = await sent
    .autoOrient()
    .toColourspace('srgb')
    .ensureAlpha()
    .resize(MARK.width, 512, { fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer({ resolveWithObject: true });
  const logo = await openPicture(data);
  const square = (edge: number, part = 1) => {
    const inner = Math.round(edge * part);
    const [before, after] = [Math.floor((edge - inner) / 2), Math.ceil((edge - inner) / 2)];
    const margins = { top: before, left: before, bottom: after, right: after, background: CLEAR };
    return logo
      .clone()
      .resize(inner, inner, { fit: 'contain', background: CLEAR })
      .extend(margins)
      .png({ compressionLevel: 9 });
  };
  const onPaper = async (edge: number, part: number) =>
    (await openPicture(await square(edge, part).toBuffer())).flatten({ background: PAPER }).png().toBuffer();
  const png = (path: string, bytes: Uint8Array): BrandFile => ({ path, type: 'image/png', bytes });

  const mark = await logo
    .clone()
    .resize(MARK.width, MARK.height, { fit: 'inside' })
    .webp({ quality: 90 })
    .toBuffer();
  const large = await square(512).toBuffer();
  const { isOpaque } = await logo.clone().stats();
  return {
    mark: {
      path: `/assets/logo-${hash('sha256', mark).slice(0, 10)}.webp`,
      type: 'image/webp',
      bytes: mark,
      widthToHeight: Math.min(MARK.width / MARK.height, info.width / info.height),
    },
    icons: [
      png('/icon-512.png', large),
      png('/icon-192.png', await square(192).toBuffer()),
      png('/icon-maskable-512.png', await onPaper(512, SAFE_PART)),
      png('/apple-touch-icon.png', await onPaper(180, 0.8)),
      { path: '/icon.svg', type: 'image/svg+xml', bytes: Buffer.from(svgOf(await square(256).toBuffer())) },
      // Phones show the shape of a badge alone; a picture without one would be a white square.
      ...(isOpaque ? [] : [png('/badge-96.png', await shapeOf(await square(96).toBuffer()))]),
    ],
    small: await square(96).toBuffer(),
    pageIcon: addressOf(await square(48).toBuffer()),
    printed: await (await openPicture(await square(PRINTED_EDGE, 0.84).toBuffer()))
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 90 })
      .toBuffer(),
  };
}

async function shapeOf(picture: Uint8Array): Promise<Uint8Array> {
  const open = await openPicture(picture);
  return open.linear([0, 0, 0, 1], [255, 255, 255, 0]).png().toBuffer();
}

const addressOf = (png: Uint8Array) => `data:image/png;base64,${Buffer.from(png).toString('base64')}`;

const svgOf = (png: Uint8Array) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><image width="64" height="64" href="${addressOf(png)}"/></svg>`;
