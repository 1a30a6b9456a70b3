/**
 * Serves the pages: landing page, login, tip pages and the dashboard's frame rendered, one empty page for every other
 * screen, and the files of the built client.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Hono } from 'hono';
import type { OwnBrand } from '#server/brand/own-brand.ts';
import { drawScreenCode } from '#server/qr-modules.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { MAX_ID_LENGTH } from '#shared/ids.ts';
import { LINK_PATHS } from '#shared/mail-paths.ts';
import { type Terms, terms } from '#shared/money.ts';
import { OPEN_DEMO, OPEN_DEMO_PICTURE } from '#shared/open-demo.ts';
import {
  CODE_FORM_PATH,
  GUEST_RECEIPT_PREFIX,
  PAGE_PATHS,
  PROVIDER_PREFIX,
  TIP_PREFIX,
  TRANSACTION_PREFIX,
} from '#shared/page-paths.ts';
import type { ProviderPage } from '#shared/qr-codes.ts';
import type { Address, Installation, Lookup, Renderer } from '#shared/rendered-page.ts';
import { readScannedText } from '#shared/scanned-text.ts';
import { refuseOtherMethods } from '../api/http/door.ts';
import type { InlineSources } from '../api/http/envelope.ts';
import { answer, type Prepared, prepare } from '../api/http/prepared-answer.ts';
import { ownFiles } from './branded.ts';
import { filesIn, isAsset, prepareEmptyPage } from './built-files.ts';
import { serveConsolePages } from './console-pages.ts';
import { createRenderedPages, type RenderedPages, UNLISTED } from './rendered-pages.ts';

const SCREENS = [...Object.values(PAGE_PATHS), ...Object.values(LINK_PATHS)];
/** The page is the same for every id: the client asks for the receipt, and the answer decides who may see it. */
const RECEIPTS = `${TRANSACTION_PREFIX}:id`;
/** Guests' receipts outlive the setting that takes their tips, and no cache keeps a copy of their page. */
const GUEST_RECEIPTS = `${GUEST_RECEIPT_PREFIX}:token`;
const TIP_PAGES = [`${TIP_PREFIX}:qrId`, `${TIP_PREFIX}:qrId/`];
const PROVIDERS = `/:provider{@[A-Za-z0-9._-]+}`;
const CODE_FORMS = [CODE_FORM_PATH, `${CODE_FORM_PATH}/`];
/** The service worker keeps this page for when there is no connection. */
const OFFLINE_PAGE = '/offline';
const WORKER = '/service-worker.js';
const WORKER_PAGES = '/dashboard-pages.js';

export interface Pages {
  readonly inlineSources: InlineSources;
  /**
   * @param asks `lookUp` never rejects; `findProvider` answers null for a provider who lists no code; networks, as
   *   `networkOf` names them, take turns at rendering.
   */
  serve(
    app: Hono,
    asks: {
      readonly lookUp: (c: Context, qrId: string) => Promise<Lookup>;
      readonly findProvider: (username: string) => Promise<ProviderPage | null>;
      readonly networkOf: (c: Context) => string;
      readonly isConsoleThere: (c: Context) => boolean;
    },
  ): void;
}

/** What is served under one version of the terms. */
interface PreparedPages {
  readonly version: Terms['version'];
  readonly rendered: RenderedPages;
  readonly emptyPage: Prepared;
  readonly consolePage: Prepared;
  readonly files: ReadonlyMap<string, Prepared>;
}

/**
 * @param folders of the build, and of the build before, if there is one.
 * @param publicUrl the base of absolute addresses, whatever a request says of its host.
 */
export function preparePages(
  folders: {
    readonly folder: string;
    readonly earlierFolder: string;
    readonly consoleFolder: string;
  },
  renderer: Renderer,
  publicUrl: string,
  settings: Omit<Installation, 'terms'>,
  own: OwnBrand,
): Pages {
  const make = (present: Terms): PreparedPages => {
    const installation = { ...settings, terms: present };
    const rendered = createRenderedPages(renderer, folders.folder, publicUrl, installation, own);
    return {
      version: present.version,
      rendered,
      emptyPage: {
        ...prepareEmptyPage(join(folders.folder, 'index.html'), installation, own),
        headers: UNLISTED,
      },
      consolePage: {
        ...prepareEmptyPage(join(folders.consoleFolder, 'operator.html'), installation, own),
        cacheControl: 'no-store',
        headers: UNLISTED,
      },
      files: readFiles(folders, { path: OFFLINE_PAGE, page: rendered.offline }, rendered, own),
    };
  };
  let made = make(terms());
  /** The pages of the present terms, which are made anew when these change. */
  const present = () => {
    if (made.version !== terms().version) made = make(terms());
    return made;
  };
  const consoleFiles = new Map(filesIn(folders.consoleFolder));
  const demoPicture = prepare({
    type: 'image/svg+xml',
    // Another PUBLIC_URL changes it.
    cacheControl: 'no-cache',
    plain: Buffer.from(drawScreenCode(publicUrl + TIP_PREFIX + OPEN_DEMO)),
  });

  return {
    inlineSources: made.rendered.inlineSources,
    serve: (app, asks) =>
      serveRoutes(app, asks, { present, articles: made.rendered.articles, consoleFiles, demoPicture }),
  };
}

function serveRoutes(
  app: Hono,
  { lookUp, findProvider, networkOf, isConsoleThere }: Parameters<Pages['serve']>[1],
  pages: {
    readonly present: () => PreparedPages;
    readonly articles: RenderedPages['articles'];
    readonly consoleFiles: ReadonlyMap<string, Prepared>;
    readonly demoPicture: Prepared;
  },
): void {
  const { present, articles, consoleFiles, demoPicture } = pages;
  /** The router takes `/%61uth` for `/auth`, and the client, which reads addresses as they are, does not. */
  const serveAt = (path: string, serve: (c: Context, asked: Address) => Response | Promise<Response>) => {
    const spelled = new RegExp(`^${path.replace(/:\w+(?:\{(.+)\})?/, (_, form = '[^/]+') => form)}$`);
    app.get(path, (c) => {
      const { pathname, search } = new URL(c.req.url);
      return spelled.test(pathname) ? serve(c, { pathname, search }) : answer(c, present().emptyPage, 404);
    });
  };
  serveConsolePages(app, () => present().consolePage, consoleFiles, isConsoleThere);
  app.get(PAGE_PATHS.home, (c) => answer(c, present().rendered.landing));
  serveAt(PAGE_PATHS.auth, async (c, asked) =>
    answer(c, await present().rendered.auth(asked, () => networkOf(c))),
  );
  serveAt(OPEN_DEMO_PICTURE, (c) => answer(c, demoPicture));
  // Articles name no amount, so that new terms leave them as they are.
  for (const { path, page } of articles) {
    serveAt(path, (c) => answer(c, page));
    serveAt(`${path}/`, (c) => c.redirect(path, 301));
    refuseOtherMethods(app, path);
  }
  serveAt(OFFLINE_PAGE, (c) => answer(c, present().rendered.offline));
  serveAt(PAGE_PATHS.dashboard, (c) => answer(c, present().rendered.dashboard));
  // The rendered ones were answered above.
  for (const screen of [...SCREENS, RECEIPTS]) serveAt(screen, (c) => answer(c, present().emptyPage));
  for (const screen of SCREENS.filter((path) => path !== PAGE_PATHS.home))
    serveAt(`${screen}/`, (c, { search }) => c.redirect(screen + search, 301));
  serveAt(`${RECEIPTS}/`, (c, { pathname, search }) => c.redirect(pathname.slice(0, -1) + search, 301));
  for (const path of [GUEST_RECEIPTS, `${GUEST_RECEIPTS}/`])
    serveAt(path, (c) => answer(c, { ...present().emptyPage, cacheControl: 'no-store' }));
  serveAt(PROVIDERS, async (c, { pathname }) => {
    const username = pathname.slice(PROVIDER_PREFIX.length);
    const page = await present().rendered.provider(
      () => findProvider(username),
      () => networkOf(c),
    );
    return page ? answer(c, page) : answer(c, present().emptyPage, 404);
  });
  for (const path of CODE_FORMS) {
    serveAt(path, (c, { search }) => {
      c.header('Cache-Control', 'no-store');
      return c.redirect(pathForTyped(new URLSearchParams(search).get('code') ?? ''), 303);
    });
  }
  for (const path of TIP_PAGES) {
    serveAt(path, async (c, asked) => {
      const { page, status } = await present().rendered.tip(
        asked,
        (qrId) => lookUp(c, qrId),
        () => networkOf(c),
      );
      return answer(c, page, status);
    });
  }
  for (const path of [
    ...SCREENS,
    RECEIPTS,
    GUEST_RECEIPTS,
    OFFLINE_PAGE,
    OPEN_DEMO_PICTURE,
    ...CODE_FORMS,
    ...TIP_PAGES,
    PROVIDERS,
  ])
    refuseOtherMethods(app, path);

  app.get('*', (c) => {
    const file = present().files.get(c.req.path);
    return file ? answer(c, file) : answer(c, present().emptyPage, 404);
  });
}

/** The path of the tip page of a typed code; a text without a code has that of an unknown one. */
function pathForTyped(text: string): string {
  const { code } = readScannedText(text);
  // Some proxies refuse addresses with control characters, even encoded ones.
  const typed = (code ?? text).replace(/\p{Cc}+/gu, ' ').trim();
  const segment = [...typed].slice(0, MAX_ID_LENGTH).join('');
  // Browsers drop a segment of one dot or two, also when it is encoded (WHATWG URL, section 4.1).
  return /^\.{0,2}$/.test(segment) ? PAGE_PATHS.home : TIP_PREFIX + encodeURIComponent(segment);
}

/**
 * The assets of the build before are served as well, for pages that were open during an upgrade.
 * @param offline the service worker has its tag, because browsers install a worker that differs from theirs.
 */
function readFiles(
  folders: { readonly folder: string; readonly earlierFolder: string },
  offline: { readonly path: string; readonly page: Prepared },
  { dashboard, dashboardFiles }: Pick<RenderedPages, 'dashboard' | 'dashboardFiles'>,
  own: OwnBrand,
): ReadonlyMap<string, Prepared> {
  const { folder, earlierFolder } = folders;
  const earlier = existsSync(earlierFolder) ? filesIn(earlierFolder).filter(([path]) => isAsset(path)) : [];
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const worker = read(WORKER)
    .replace('tag of the pages', encodeURIComponent(offline.page.etag + dashboard.etag))
    .replace('/* labels of the services */ {}', JSON.stringify(CATEGORY_LABELS));
  const workerPages = read(WORKER_PAGES)
    .replace('path of the page', offline.path)
    .replace('tag of the page', offline.page.etag)
    .replace('tag of the dashboard', dashboard.etag)
    .replace(
      '/* files of the dashboard */ []',
      JSON.stringify([...dashboardFiles, ...(own.logo ? [own.logo.mark.path] : [])]),
    );
  const type = 'text/javascript; charset=utf-8';
  return new Map([
    ...earlier,
    ...filesIn(folder),
    ...ownFiles(read, own),
    [WORKER, prepare({ type, cacheControl: 'no-cache', plain: Buffer.from(worker) })],
    [WORKER_PAGES, prepare({ type, cacheControl: 'no-cache', plain: Buffer.from(workerPages) })],
  ]);
}
