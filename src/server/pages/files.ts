/**
 * The files of the built client, read once, each with what the build packed of it beside it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { type Prepared, prepare } from '../api/http/prepared-answer.ts';

const WORKER = '/service-worker.js';

/**
 * Every file but the pages, by the path of its address.
 * @param folders the folder of the client, and that of the build before, of which only the assets count: pages that were
 *   open during an upgrade go on asking for them.
 * @param offline the page that the service worker keeps, and its path. The worker changes with it, because browsers
 *   install a worker that differs from theirs. It also gets the labels of the services, which its notifications name.
 */
export function readFiles(
  folders: { readonly folder: string; readonly earlierFolder: string },
  offline: { readonly path: string; readonly page: Prepared },
): ReadonlyMap<string, Prepared> {
  const { folder, earlierFolder } = folders;
  const earlier = existsSync(earlierFolder) ? filesIn(earlierFolder).filter(([path]) => isAsset(path)) : [];
  const worker = readFileSync(join(folder, WORKER), 'utf8')
    .replace('path of the page', offline.path)
    .replace('tag of the page', offline.page.etag)
    .replace('/* labels of the services */ {}', JSON.stringify(CATEGORY_LABELS));
  const type = 'text/javascript; charset=utf-8';
  return new Map([
    ...earlier,
    ...filesIn(folder),
    [WORKER, prepare({ type, cacheControl: 'no-cache', plain: Buffer.from(worker) })],
  ]);
}

/** A file, with what the build packed of it. */
export function prepareFile(
  file: string,
  kind: { readonly type: string; readonly cacheControl: string },
): Prepared {
  const read = (path: string) => (existsSync(path) ? readFileSync(path) : null);
  const made = { br: read(`${file}.br`), gzip: read(`${file}.gz`) };
  return prepare({ ...kind, plain: readFileSync(file), packed: (encoding) => made[encoding] });
}

function filesIn(folder: string): (readonly [string, Prepared])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile() || /\.(?:html|br|gz)$/.test(entry.name)) return [];
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    const type = getMimeType(entry.name) ?? 'application/octet-stream';
    const cacheControl = isAsset(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    return [[path, prepareFile(file, { type, cacheControl })] as const];
  });
}

/** Whether the name of a file changes with its content. */
function isAsset(path: string): boolean {
  return path.startsWith('/assets/');
}
