/** The files of a build, as they are answered. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import type { OwnBrand } from '#server/brand/own-brand.ts';
import type { Installation } from '#shared/rendered-page.ts';
import { type Prepared, prepare } from '../api/http/prepared-answer.ts';
import { withBrand, withBrandWords } from './branded.ts';
import { PAGE, packedAtOnce, withInstallation } from './rendered-pages.ts';

export function prepareEmptyPage(file: string, installation: Installation, own: OwnBrand): Prepared {
  const built = readFileSync(file, 'utf8');
  const html = withBrand(withInstallation(withBrandWords(built), installation), own);
  // The build has packed the page as it is.
  if (html === built) return prepareFile(file, PAGE);
  return packedAtOnce(prepare({ ...PAGE, plain: Buffer.from(html) }));
}

function prepareFile(file: string, kind: { readonly type: string; readonly cacheControl: string }): Prepared {
  const read = (path: string) => (existsSync(path) ? readFileSync(path) : null);
  const made = { br: read(`${file}.br`), gzip: read(`${file}.gz`) };
  return prepare({ ...kind, plain: readFileSync(file), packed: (encoding) => made[encoding] });
}

export function filesIn(folder: string): (readonly [string, Prepared])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile() || /\.(?:html|br|gz)$/.test(entry.name)) return [];
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    const type = getMimeType(entry.name) ?? 'application/octet-stream';
    const cacheControl = isAsset(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    return [[path, prepareFile(file, { type, cacheControl })] as const];
  });
}

/** The name of an asset changes with its content. */
export function isAsset(path: string): boolean {
  return /^\/(?:operator\/)?assets\//.test(path);
}
