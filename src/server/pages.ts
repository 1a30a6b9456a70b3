/**
 * What browsers get: the files of the built client, the landing page, the login and the tip pages rendered, and the one
 * empty page in which the client draws every other screen. All that can be is prepared at start or kept.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Context, Hono } from 'hono';
import { getMimeType } from 'hono/utils/mime';
import { readQrCodeId } from '#shared/ids.ts';
import type { Lookup, RenderedPage, RenderPage } from '#shared/rendered-page.ts';
import { refuseOtherMethods } from './api/door.ts';
import { answer, type Prepared, pack, prepare } from './prepared-answer.ts';

/** The screens that the client fetches into an empty page. */
const EMPTY_SCREENS = ['/dashboard', '/scan'];
/** Also as somebody types it who ends addresses with a slash. */
const TIP_PAGES = ['/tip/:qrId', '/tip/:qrId/'] as const;
/** Pages of some 30 kB with what is packed of them. */
const MAX_KEPT_PAGES = 500;
const RETRY_AFTER_SECONDS = 2;
const HTML = 'text/html; charset=utf-8';

export interface InlineSources {
  readonly script: readonly string[];
  readonly style: readonly string[];
}

export interface Pages {
  /** What stands in pages instead of a file of its own, each by its hash, as a source for its directive. */
  readonly inlineSources: InlineSources;
  /** Adds the pages to the app. `lookUp` never rejects. */
  serve(app: Hono, lookUp: (c: Context, qrId: string) => Promise<Lookup>): void;
}

/**
 * Reads the built client and renders the landing page and the login.
 * @param folder where the client was built to.
 * @param earlierFolder where the client of the build before lies, if there is one. A page that was open during an upgrade
 *   goes on asking for its parts.
 * @param publicUrl what absolute addresses are built on, whatever a request says of its host.
 */
export async function preparePages(
  { folder, earlierFolder }: { readonly folder: string; readonly earlierFolder: string },
  renderPage: RenderPage,
  publicUrl: string,
): Promise<Pages> {
  const files = new Map([...readAssets(earlierFolder), ...readFiles(folder)]);
  const emptyPage = prepareFile(join(folder, 'index.html'), { type: HTML, cacheControl: 'no-cache' });
  const readTemplate = (name: string) => readFileSync(join(folder, `templates/${name}.html`), 'utf8');
  const templates = {
    landing: readTemplate('landing'),
    auth: readTemplate('auth'),
    tip: readTemplate('tip'),
  };
  /** A page on which nobody is tipped. */
  const render = async (template: string, pathname: string, search: string) => {
    const lookUp = async (): Promise<Lookup> => ({ status: 'unknown' });
    return page(fill(template, await renderPage({ pathname, search, publicUrl, lookUp })));
  };
  const landing = packedAtOnce(await render(templates.landing, '/', ''));
  const auth = packedAtOnce(await render(templates.auth, '/auth', ''));
  const kept = new Map<string, Prepared>();

  return {
    inlineSources: inlineSourcesOf(Object.values(templates)),

    serve(app, lookUp) {
      app.get('/', (c) => answer(c, landing));
      app.get('/auth', async (c) => {
        const { pathname, search } = new URL(c.req.url);
        // Where it leads to afterwards shows in what it says.
        return answer(c, search === '' ? auth : await render(templates.auth, pathname, search));
      });
      for (const screen of EMPTY_SCREENS) app.get(screen, (c) => answer(c, emptyPage));
      // As somebody types them who ends addresses with a slash.
      for (const screen of ['/auth', ...EMPTY_SCREENS])
        app.get(`${screen}/`, (c) => c.redirect(screen + new URL(c.req.url).search, 301));

      for (const path of TIP_PAGES) {
        app.get(path, async (c) => {
          const { pathname, search } = new URL(c.req.url);
          // Codes and names never change: what was rendered for a code once is right for good.
          const key = search === '' ? readQrCodeId(c.req.param('qrId')) : null;
          const known = key === null ? undefined : kept.get(key);
          if (key !== null && known) {
            kept.delete(key);
            kept.set(key, known);
            return answer(c, known);
          }
          const rendered = await renderPage({
            pathname,
            search,
            publicUrl,
            lookUp: (qrId) => lookUp(c, qrId),
          });
          const prepared = page(fill(templates.tip, rendered));
          if (rendered.status === 503) {
            c.header('Retry-After', String(RETRY_AFTER_SECONDS));
            return answer(c, { ...prepared, cacheControl: 'no-store' }, 503);
          }
          if (key !== null && rendered.status === 200) {
            kept.set(key, prepared);
            const [oldest] = kept.keys();
            if (kept.size > MAX_KEPT_PAGES && oldest !== undefined) kept.delete(oldest);
          }
          return answer(c, prepared, rendered.status);
        });
      }

      for (const path of ['/', '/auth', ...EMPTY_SCREENS, ...TIP_PAGES]) refuseOtherMethods(app, path);

      app.get('*', (c) => {
        const file = files.get(c.req.path);
        return file ? answer(c, file) : answer(c, emptyPage, 404);
      });
    },
  };
}

function page(html: string): Prepared {
  return prepare({ type: HTML, cacheControl: 'no-cache', plain: Buffer.from(html) });
}

/** For what is answered often, and made when nobody waits. */
function packedAtOnce(prepared: Prepared): Prepared {
  const { plain } = prepared;
  const made = { br: pack(plain, 'br', 'best'), gzip: pack(plain, 'gzip', 'best') };
  return { ...prepared, packed: (encoding) => made[encoding] };
}

function fill(template: string, rendered: RenderedPage): string {
  return template
    .split(/<!--(head|body|data)-->/)
    .map((part) => (part === 'head' || part === 'body' || part === 'data' ? rendered[part] : part))
    .join('');
}

function inlineSourcesOf(templates: readonly string[]): InlineSources {
  const hashesOf = (element: RegExp) => [
    ...new Set(
      templates
        .flatMap((template) => [...template.matchAll(element)])
        .map(([, content = '']) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`),
    ),
  ];
  return {
    script: hashesOf(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs),
    style: hashesOf(/<style>(.*?)<\/style>/gs),
  };
}

/** Every file of the client but the pages, by the path of its address. */
function readFiles(folder: string): ReadonlyMap<string, Prepared> {
  const files = new Map<string, Prepared>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || /\.(?:html|br|gz)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    const type = getMimeType(entry.name) ?? 'application/octet-stream';
    const cacheControl = isAsset(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    files.set(path, prepareFile(file, { type, cacheControl }));
  }
  return files;
}

/** Those files that have a name which changes with their content. */
function readAssets(folder: string): readonly (readonly [string, Prepared])[] {
  return existsSync(folder) ? [...readFiles(folder)].filter(([path]) => isAsset(path)) : [];
}

function isAsset(path: string): boolean {
  return path.startsWith('/assets/');
}

/** A file with what the build packed of it beside it. */
function prepareFile(file: string, kind: { readonly type: string; readonly cacheControl: string }): Prepared {
  const read = (path: string) => (existsSync(path) ? readFileSync(path) : null);
  const made = { br: read(`${file}.br`), gzip: read(`${file}.gz`) };
  return prepare({ ...kind, plain: readFileSync(file), packed: (encoding) => made[encoding] });
}
