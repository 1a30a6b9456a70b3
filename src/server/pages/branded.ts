/**
 * Writes what an operator calls the installation, and its colour, into pages that the build has made. Without
 * such settings a page stays as it is, byte for byte.
 */
import type { Accent } from '#server/brand/accent.ts';
import { brand, DEFAULT_SENTENCE } from '#shared/brand.ts';
import { SOFTWARE } from '#shared/software.ts';
import { type Prepared, prepare } from '../api/http/prepared-answer.ts';

const MANIFEST = '/manifest.webmanifest';
const MANIFEST_TYPE = 'application/manifest+json';

/** What an operator has set for the pages. */
export interface OwnBrand {
  /** Null for the colour of the product. */
  readonly accent: Accent | null;
}

export const NO_BRAND: OwnBrand = { accent: null };

/**
 * Adds to the root element what its script has to know, and the rules of the colour to the styles of the page:
 * they need no request, and the Content-Security-Policy allows them by their hash.
 */
export function withBrand(html: string, { accent }: OwnBrand): string {
  const name = brand.name === SOFTWARE ? '' : `data-brand="${escaped(brand.name)}" `;
  const sentence = brand.tagline === DEFAULT_SENTENCE ? '' : `data-sentence="${escaped(brand.tagline)}" `;
  const told = html.replace('<html ', (tag) => tag + name + sentence);
  return accent ? told.replace('</head>', (end) => `<style>${rulesOf(accent)}</style>${end}`) : told;
}

/** The page of screens that the client draws has its words from the build. */
export function withBrandWords(html: string): string {
  return html
    .replace(DEFAULT_SENTENCE, () => escaped(brand.tagline))
    .replaceAll(SOFTWARE, () => escaped(brand.name));
}

/** Twice `:root`, so that the rules win wherever a style sheet stands. */
function rulesOf({ light, dark }: Accent): string {
  const property = (name: string, kind: keyof Accent['light']) =>
    `--brass${name}:light-dark(${light[kind]},${dark[kind]})`;
  const properties = [property('', 'letters'), property('-fill', 'fill'), property('-wash', 'wash')];
  return `:root:root,[data-scheme="light"]{${properties.join(';')}}`;
}

/** The files of the client that differ for this installation, by path. @param read reads one of the build. */
export function ownFiles(read: (path: string) => string, _: OwnBrand): (readonly [string, Prepared])[] {
  const manifest = (): object => ({
    ...JSON.parse(read(MANIFEST)),
    name: brand.name,
    short_name: brand.name,
  });
  const named = (): readonly [string, Prepared] => [
    MANIFEST,
    prepare({
      type: MANIFEST_TYPE,
      cacheControl: 'no-cache',
      plain: Buffer.from(JSON.stringify(manifest())),
    }),
  ];
  return brand.name === SOFTWARE ? [] : [named()];
}

export function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign);
}
