/**
 * What browsers get at which address: the landing page, the login and the tip pages rendered, the one empty page in which
 * the client draws every other screen, and the files of the built client.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Hono } from 'hono';
import { drawScreenCode } from '#server/qr-modules.ts';
import { MAX_ID_LENGTH } from '#shared/ids.ts';
import { OPEN_DEMO, OPEN_DEMO_PICTURE } from '#shared/open-demo.ts';
import {
  CODE_FORM_PATH,
  GUEST_RECEIPT_PREFIX,
  PAGE_PATHS,
  TIP_PREFIX,
  TRANSACTION_PREFIX,
} from '#shared/page-paths.ts';
import type { Address, Installation, Lookup, Renderer } from '#shared/rendered-page.ts';
import { readScannedText } from '#shared/scanned-text.ts';
import { refuseOtherMethods } from '../api/http/door.ts';
import type { InlineSources } from '../api/http/envelope.ts';
import { answer, type Prepared, prepare } from '../api/http/prepared-answer.ts';
import { prepareFile, readFiles } from './files.ts';
import { withInstallation } from './installation.ts';
import { createRenderedPages, PAGE, packedAtOnce, UNLISTED } from './rendered-pages.ts';

/** The screens that the client fetches into an empty page. */
const EMPTY_SCREENS = [PAGE_PATHS.dashboard, PAGE_PATHS.scan, PAGE_PATHS.statement];
/** The receipts of transactions. Who may see one is decided when the client asks for it: the page is the same for every id. */
const RECEIPTS = `${TRANSACTION_PREFIX}:id`;
/** The receipts of guests. They outlive the setting that takes tips of guests, and no copy of their page is kept anywhere. */
const GUEST_RECEIPTS = `${GUEST_RECEIPT_PREFIX}:token`;
/** Some people end addresses with a slash. */
const TIP_PAGES = [`${TIP_PREFIX}:qrId`, `${TIP_PREFIX}:qrId/`];
const CODE_FORMS = [CODE_FORM_PATH, `${CODE_FORM_PATH}/`];
/** What the service worker keeps for when there is no connection. */
const OFFLINE_PAGE = '/offline';

export interface Pages {
  /** What stands in pages instead of a file of its own. */
  readonly inlineSources: InlineSources;
  /**
   * Adds the pages to the app.
   * @param lookUp never rejects.
   * @param networkOf where a request comes from: networks take turns at rendering.
   */
  serve(
    app: Hono,
    lookUp: (c: Context, qrId: string) => Promise<Lookup>,
    networkOf: (c: Context) => string,
  ): void;
}

/**
 * Reads the built client, and renders the pages that are asked for most.
 * @param folders where the client was built to, and where the client of the build before lies, if there is one.
 * @param publicUrl what absolute addresses are built on, whatever a request says of its host.
 * @param installation what every page says of the operator's settings.
 */
export function preparePages(
  folders: { readonly folder: string; readonly earlierFolder: string },
  renderer: Renderer,
  publicUrl: string,
  installation: Installation,
): Pages {
  const emptyPage = {
    ...prepareEmptyPage(join(folders.folder, 'index.html'), installation),
    headers: UNLISTED,
  };
  const rendered = createRenderedPages(renderer, folders.folder, publicUrl, installation);
  const demoPicture = prepare({
    type: 'image/svg+xml',
    // It is another one under another PUBLIC_URL.
    cacheControl: 'no-cache',
    plain: Buffer.from(drawScreenCode(publicUrl + TIP_PREFIX + OPEN_DEMO)),
  });
  const files = readFiles(folders, { path: OFFLINE_PAGE, page: rendered.offline });

  return {
    inlineSources: rendered.inlineSources,

    serve(app, lookUp, networkOf) {
      /**
       * Serves a page at an address that is spelled as its path. The router takes `/%61uth` for `/auth`, and the client,
       * which reads addresses as they are, for no screen of its own.
       */
      const serveAt = (path: string, serve: (c: Context, asked: Address) => Response | Promise<Response>) => {
        const spelled = new RegExp(`^${path.replace(/:\w+/, '[^/]+')}$`);
        app.get(path, (c) => {
          const { pathname, search } = new URL(c.req.url);
          return spelled.test(pathname) ? serve(c, { pathname, search }) : answer(c, emptyPage, 404);
        });
      };
      app.get(PAGE_PATHS.home, (c) => answer(c, rendered.landing));
      serveAt(PAGE_PATHS.auth, async (c, asked) => answer(c, await rendered.auth(asked, () => networkOf(c))));
      serveAt(OPEN_DEMO_PICTURE, (c) => answer(c, demoPicture));
      serveAt(OFFLINE_PAGE, (c) => answer(c, rendered.offline));
      for (const screen of [...EMPTY_SCREENS, RECEIPTS]) serveAt(screen, (c) => answer(c, emptyPage));
      for (const screen of [PAGE_PATHS.auth, ...EMPTY_SCREENS])
        serveAt(`${screen}/`, (c, { search }) => c.redirect(screen + search, 301));
      serveAt(`${RECEIPTS}/`, (c, { pathname, search }) => c.redirect(pathname.slice(0, -1) + search, 301));
      const guestReceipt = { ...emptyPage, cacheControl: 'no-store' };
      for (const path of [GUEST_RECEIPTS, `${GUEST_RECEIPTS}/`])
        serveAt(path, (c) => answer(c, guestReceipt));
      for (const path of CODE_FORMS) {
        serveAt(path, (c, { search }) => {
          c.header('Cache-Control', 'no-store');
          return c.redirect(pathForTyped(new URLSearchParams(search).get('code') ?? ''), 303);
        });
      }
      for (const path of TIP_PAGES) {
        serveAt(path, async (c, asked) => {
          const { page, status } = await rendered.tip(
            asked,
            (qrId) => lookUp(c, qrId),
            () => networkOf(c),
          );
          return answer(c, page, status);
        });
      }
      for (const path of [
        ...Object.values(PAGE_PATHS),
        RECEIPTS,
        GUEST_RECEIPTS,
        OFFLINE_PAGE,
        OPEN_DEMO_PICTURE,
        ...CODE_FORMS,
        ...TIP_PAGES,
      ])
        refuseOtherMethods(app, path);

      app.get('*', (c) => {
        const file = files.get(c.req.path);
        return file ? answer(c, file) : answer(c, emptyPage, 404);
      });
    },
  };
}

/** The page in which the client draws the screens that do not arrive rendered. */
function prepareEmptyPage(file: string, installation: Installation): Prepared {
  const built = readFileSync(file, 'utf8');
  const html = withInstallation(built, installation);
  // The build has packed the page as it is.
  if (html === built) return prepareFile(file, PAGE);
  return packedAtOnce(prepare({ ...PAGE, plain: Buffer.from(html) }));
}

/** The path of the tip page that a typed text names, which is that of an unknown code when there is no code in it. */
function pathForTyped(text: string): string {
  const { code } = readScannedText(text);
  // Some proxies refuse an address with control characters in it, though they are encoded.
  const typed = (code ?? text).replace(/\p{Cc}+/gu, ' ').trim();
  const segment = [...typed].slice(0, MAX_ID_LENGTH).join('');
  // Browsers take a segment of one dot or two for no segment, encoded as well (WHATWG URL, section 4.1).
  return /^\.{0,2}$/.test(segment) ? PAGE_PATHS.home : TIP_PREFIX + encodeURIComponent(segment);
}
