/** Writes an operator's brand into pages that the build has made. Without one a page stays as it is, byte for byte. */
import type { Accent } from '#server/brand/accent.ts';
import type { Logo } from '#server/brand/logo.ts';
import type { OwnBrand } from '#server/brand/own-brand.ts';
import { brand, DEFAULT_SENTENCE } from '#shared/brand.ts';
import { SOFTWARE } from '#shared/software.ts';
import { type Prepared, prepare } from '../api/http/prepared-answer.ts';

const MANIFEST = '/manifest.webmanifest';
const MANIFEST_TYPE = 'application/manifest+json';

/** A name of 60 characters may have no space at which a line could end. */
const NAME_STYLE =
  '[class*="wordmark_"],h1,footer,[class*="join_"]{min-width:0;overflow-wrap:anywhere}' +
  '[class*="join_"]{white-space:normal}[class*="wordmark_"]{line-height:1.1}';

const MARK_REM = 2.25;

/** A code that fills the screen faces guests, to whom the links say nothing. */
const LINKS_STYLE =
  '.site{display:flex;flex-wrap:wrap;justify-content:center;gap:0 1.5rem;' +
  'padding:0 max(1rem,env(safe-area-inset-right)) max(1rem,env(safe-area-inset-bottom)) max(1rem,env(safe-area-inset-left))}' +
  '.site a{display:inline-flex;align-items:center;min-height:var(--target);color:var(--ink-soft);overflow-wrap:anywhere}' +
  'body:has([data-scheme=light])>.site{display:none}@media print{.site{display:none}}';

export const ARTICLE_STYLE =
  '[data-article]{max-width:42rem;line-height:1.6;overflow-wrap:anywhere}' +
  '[data-article] :is(h1,h2,h3){font-family:var(--font-body);font-weight:650;line-height:1.25}' +
  '[data-article] h1{font-size:1.875rem;margin:0 0 1.5rem}' +
  '[data-article] h2{font-size:1.25rem;margin:2rem 0 .5rem}[data-article] h3{font-size:1rem;margin:1.5rem 0 .5rem}' +
  '[data-article] :is(p,ul,ol,table,blockquote,pre){margin:0 0 1rem}' +
  '[data-article] :is(ul,ol){padding-inline-start:1.5rem;list-style:revert}' +
  '[data-article] :is(pre,table){overflow-x:auto;max-width:100%}' +
  '[data-article] :is(th,td){padding:.25rem 1rem .25rem 0;text-align:start}' +
  '[data-article] blockquote{padding-inline-start:1rem;border-inline-start:3px solid var(--line)}';

/** The data and styles that it adds need no request, and the Content-Security-Policy allows them by their hash. */
export function withBrand(html: string, { accent, logo, pages }: OwnBrand): string {
  const name = brand.name === SOFTWARE ? '' : `data-brand="${escaped(brand.name)}" `;
  const sentence = brand.tagline === DEFAULT_SENTENCE ? '' : `data-sentence="${escaped(brand.tagline)}" `;
  let told = html.replace('<html ', (tag) => tag + name + sentence);
  if (name !== '') told = withStyle(told, NAME_STYLE);
  if (accent) told = withStyle(told, rulesOf(accent));
  if (logo) {
    const icon = `<link rel="icon" href="${logo.pageIcon}">`;
    told = withStyle(told, markOf(logo)).replace(/<link rel="icon" href="data:[^"]*">/, () => icon);
  }
  if (pages.length === 0) return told;
  const links = pages.map(({ path, label }) => `<a href="${path}"><bdi>${escaped(label)}</bdi></a>`).join('');
  const navigation = `<nav class="site" aria-label="About this site">${links}</nav>`;
  return withStyle(told, LINKS_STYLE).replace('</body>', (end) => navigation + end);
}

/** The display typeface for a page without the script that fetches it; the first paint does not wait for it. */
export function withDisplayFace(html: string, emptyPage: string): string {
  const [, path] = / href="([^"]+\.woff2)"/.exec(emptyPage) ?? [];
  if (path === undefined) return html;
  return withStyle(html, `@font-face{font-family:"Instrument Serif";src:url(${path});font-display:swap}`);
}

export function withStyle(html: string, rules: string): string {
  return html.replace('</head>', (end) => `<style>${rules}</style>${end}`);
}

/** The page of screens that the client draws has its words from the build. */
export function withBrandWords(html: string): string {
  return html
    .replace(DEFAULT_SENTENCE, () => escaped(brand.tagline))
    .replaceAll(SOFTWARE, () => escaped(brand.name));
}

/** The mark stands before the name, wherever the client writes that; the name is what screen readers say. */
function markOf({ mark: { path, widthToHeight } }: Logo): string {
  const size = `width:${(widthToHeight * MARK_REM).toFixed(3)}rem;height:${MARK_REM}rem`;
  return (
    `[class*="wordmark_"]::before{content:"";display:inline-block;flex:none;${size};margin-inline-end:.5em;` +
    `background:url(${path}) center/contain no-repeat;vertical-align:middle}`
  );
}

/** Twice `:root`, so that the rules win wherever a style sheet stands. */
function rulesOf({ light, dark }: Accent): string {
  const property = (name: string, kind: keyof Accent['light']) =>
    `--brass${name}:light-dark(${light[kind]},${dark[kind]})`;
  const properties = [property('', 'letters'), property('-fill', 'fill'), property('-wash', 'wash')];
  return `:root:root,[data-scheme="light"]{${properties.join(';')}}`;
}

/** @param read reads a file of the build. */
export function ownFiles(
  read: (path: string) => string,
  { logo }: OwnBrand,
): (readonly [string, Prepared])[] {
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
  const drawn = (logo ? [logo.mark, ...logo.icons] : []).map(({ path, type, bytes }) => {
    const cacheControl = path === logo?.mark.path ? 'public, max-age=31536000, immutable' : 'no-cache';
    return [path, prepare({ type, cacheControl, plain: Buffer.from(bytes), packed: () => null })] as const;
  });
  return brand.name === SOFTWARE ? drawn : [...drawn, named()];
}

export function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign);
}
