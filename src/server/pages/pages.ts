/**
 * What browsers get: the files of the built client, the landing page, the login and the tip pages rendered, and the one
 * empty page in which the client draws every other screen. All that can be is prepared at start or kept.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Context, Hono } from 'hono';
import { getMimeType } from 'hono/utils/mime';
import { PAGE_PATHS, TIP_PREFIX } from '#shared/page-paths.ts';
import type { Address, Lookup, RenderedPage, Renderer } from '#shared/rendered-page.ts';
import { refuseOtherMethods } from '../api/door.ts';
import { answer, type Prepared, pack, prepare } from './prepared-answer.ts';

/** The screens that the client fetches into an empty page. */
const EMPTY_SCREENS = [PAGE_PATHS.dashboard, PAGE_PATHS.scan];
/** Also as somebody types it who ends addresses with a slash. */
const TIP_PAGES = [`${TIP_PREFIX}:qrId`, `${TIP_PREFIX}:qrId/`] as const;
/** What the service worker keeps for when there is no connection. */
const OFFLINE_PAGE = '/offline';
const WORKER = '/service-worker.js';
/** Pages of some 15 kB, and 10 kB of what is packed of them. */
const MAX_KEPT = {
  /** As they are for everybody; there are a handful. */
  common: 20,
  /** Of codes that exist. */
  codes: 500,
  /** Of demos, and with an amount: anybody can make up any number of them, and pushes out others like them only. */
  variants: 100,
} as const;
const RETRY_AFTER_SECONDS = 2;
const HTML = 'text/html; charset=utf-8';
/** Pages that belong to a person or to nobody are in no search engine (https://developers.google.com/search/docs). */
const UNLISTED = { 'X-Robots-Tag': 'noindex' } as const;

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
export function preparePages(
  { folder, earlierFolder }: { readonly folder: string; readonly earlierFolder: string },
  renderer: Renderer,
  publicUrl: string,
): Pages {
  const files = new Map([...readAssets(earlierFolder), ...readFiles(folder)]);
  const emptyPage = {
    ...prepareFile(join(folder, 'index.html'), { type: HTML, cacheControl: 'no-cache' }),
    headers: UNLISTED,
  };
  const readTemplate = (name: string) => readFileSync(join(folder, `templates/${name}.html`), 'utf8');
  const templates = {
    landing: readTemplate('landing'),
    auth: readTemplate('auth'),
    tip: readTemplate('tip'),
    offline: readTemplate('offline'),
  };
  const kept = {
    common: new RecentPages(MAX_KEPT.common),
    codes: new RecentPages(MAX_KEPT.codes),
    variants: new RecentPages(MAX_KEPT.variants),
  };
  const landing = packedAtOnce(
    page(
      fill(
        templates.landing,
        renderer.render({ pathname: PAGE_PATHS.home, search: '', publicUrl, lookup: null }),
      ),
    ),
  );

  const offline = unlisted(page(fill(templates.offline, renderer.renderOffline())));
  files.set(WORKER, prepareWorker(join(folder, WORKER), offline));

  /** The login at a reduced address. */
  const renderAuth = (address: Address) =>
    unlisted(page(fill(templates.auth, renderer.render({ ...address, publicUrl, lookup: null }))));
  const auth: Address = { pathname: PAGE_PATHS.auth, search: '' };
  kept.common.keep(keyOf(auth), packedAtOnce(renderAuth(auth)));

  return {
    inlineSources: inlineSourcesOf(Object.values(templates)),

    serve(app, lookUp) {
      /**
       * A page at an address that is spelled as its path. The router takes `/%61uth` for `/auth`, and the client, which
       * reads addresses as they are, for no screen of its own.
       */
      const serveAt = (path: string, serve: (c: Context, asked: Address) => Response | Promise<Response>) => {
        const spelled = new RegExp(`^${path.replace(':qrId', '[^/]+')}$`);
        app.get(path, (c) => {
          const asked = addressOf(c);
          return spelled.test(asked.pathname) ? serve(c, asked) : answer(c, emptyPage, 404);
        });
      };
      app.get(PAGE_PATHS.home, (c) => answer(c, landing));
      serveAt(PAGE_PATHS.auth, (c, asked) => {
        const address = renderer.reduce(asked, null);
        return answer(
          c,
          kept.common.get(keyOf(address)) ?? kept.common.keep(keyOf(address), renderAuth(address)),
        );
      });
      serveAt(OFFLINE_PAGE, (c) => answer(c, offline));
      for (const screen of EMPTY_SCREENS) serveAt(screen, (c) => answer(c, emptyPage));
      // As somebody types them who ends addresses with a slash.
      for (const screen of [PAGE_PATHS.auth, ...EMPTY_SCREENS])
        serveAt(`${screen}/`, (c, { search }) => c.redirect(screen + search, 301));

      /** Codes and names never change: what was rendered for a code once is right for good. */
      const recallCode = (address: Address) => {
        const key = keyOf(renderer.reduce(address, 'found'), 'found');
        return kept.codes.get(key) ?? kept.variants.get(key);
      };
      const serveTipPage = async (c: Context, asked: Address) => {
        const code = renderer.codeIn(asked);
        const known = code === null ? null : recallCode(asked);
        if (known) return answer(c, known);

        const lookup = code === null ? null : await lookUp(c, code);
        const status = lookup?.status ?? null;
        const address = renderer.reduce(asked, status);
        const key = keyOf(address, status);
        const unknown = kept.common.get(key);
        if (unknown) return answer(c, unknown, 404);
        const variant = kept.variants.get(key);
        if (variant) return answer(c, variant);

        const rendered = renderer.render({ ...address, publicUrl, lookup });
        const html = fill(templates.tip, rendered);
        switch (rendered.status) {
          case 404:
            return answer(c, kept.common.keep(key, unlisted(page(html))), 404);
          case 503:
            c.header('Retry-After', String(RETRY_AFTER_SECONDS));
            return answer(c, { ...unlisted(page(html)), cacheControl: 'no-store' }, 503);
          case 200: {
            const isOfCode = status === 'found' && address.search === '';
            return answer(
              c,
              isOfCode
                ? kept.codes.keep(key, unlisted(page(html)))
                : kept.variants.keep(key, unlisted(page(html, 'fast'))),
            );
          }
        }
      };
      for (const path of TIP_PAGES) serveAt(path, serveTipPage);

      for (const path of [PAGE_PATHS.home, PAGE_PATHS.auth, OFFLINE_PAGE, ...EMPTY_SCREENS, ...TIP_PAGES])
        refuseOtherMethods(app, path);

      app.get('*', (c) => {
        const file = files.get(c.req.path);
        return file ? answer(c, file) : answer(c, emptyPage, 404);
      });
    },
  };
}

/** The pages that were asked for last. */
class RecentPages {
  readonly #max: number;
  readonly #pages = new Map<string, Prepared>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): Prepared | null {
    const page = this.#pages.get(key);
    if (!page) return null;
    this.#pages.delete(key);
    this.#pages.set(key, page);
    return page;
  }

  /** Keeps it in place of the one that was not asked for longest. */
  keep(key: string, page: Prepared): Prepared {
    this.#pages.set(key, page);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > this.#max && oldest !== undefined) this.#pages.delete(oldest);
    return page;
  }
}

/** What the page of a reduced address is kept under; the page of a code that is unknown says so to its script. */
function keyOf({ pathname, search }: Address, lookup: Lookup['status'] | null = null): string {
  return `${lookup} ${pathname}${search}`;
}

function addressOf(c: Context): Address {
  const { pathname, search } = new URL(c.req.url);
  return { pathname, search };
}

function page(html: string, effort: 'quick' | 'fast' = 'quick'): Prepared {
  return prepare({ type: HTML, cacheControl: 'no-cache', plain: Buffer.from(html), effort });
}

function unlisted(prepared: Prepared): Prepared {
  return { ...prepared, headers: UNLISTED };
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

/** The service worker, which changes with the page that it keeps: browsers install one that differs from theirs. */
function prepareWorker(file: string, { etag }: Prepared): Prepared {
  const source = readFileSync(file, 'utf8').replace("VERSION = 'of the page'", `VERSION = '${etag}'`);
  return prepare({
    type: 'text/javascript; charset=utf-8',
    cacheControl: 'no-cache',
    plain: Buffer.from(source),
  });
}

/** A file with what the build packed of it beside it. */
function prepareFile(file: string, kind: { readonly type: string; readonly cacheControl: string }): Prepared {
  const read = (path: string) => (existsSync(path) ? readFileSync(path) : null);
  const made = { br: read(`${file}.br`), gzip: read(`${file}.gz`) };
  return prepare({ ...kind, plain: readFileSync(file), packed: (encoding) => made[encoding] });
}
