/** Renders pages once for all addresses that mean the same, and keeps them while they are asked for. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnBrand } from '#server/brand/own-brand.ts';
import { createStepQueue } from '#server/queue/step-queue.ts';
import { isDemoCode } from '#shared/ids.ts';
import { readOperatorContact } from '#shared/later/operator-contact.ts';
import { PAGE_PATHS, qrIdFrom } from '#shared/page-paths.ts';
import { termsText } from '#shared/page-terms.ts';
import type { ProviderPage, QrCodeLookup } from '#shared/qr-codes.ts';
import type { Address, Installation, Lookup, RenderedPage, Renderer } from '#shared/rendered-page.ts';
import type { InlineSources } from '../api/http/envelope.ts';
import { type Prepared, pack, prepare } from '../api/http/prepared-answer.ts';
import { ARTICLE_STYLE, escaped, withBrand, withDisplayFace, withStyle } from './branded.ts';
import { withMaintenance } from './maintenance-notice.ts';

/** The numbers of pages that are kept; one has some 15 kB, and 10 kB packed. */
const MAX_KEPT = {
  /** Pages that are the same for everybody; there are a handful. */
  common: 20,
  codes: 500,
  providers: 100,
  /**
   * Tip pages of demos or with an amount, and logins that lead elsewhere. Anybody can make up any number, and evicts
   * none but these.
   */
  variants: 100,
} as const;
const RETRY_AFTER_SECONDS = 2;
/** A rendering takes some milliseconds of the event loop, and anybody can ask for any number. */
const RENDERINGS_PER_TURN = 1;
/** Every upgrade may change a page of the client. */
export const PAGE = { type: 'text/html; charset=utf-8', cacheControl: 'no-cache' } as const;
/** Search engines list no page that belongs to a person or to nobody (https://developers.google.com/search/docs). */
export const UNLISTED = { 'X-Robots-Tag': 'noindex' } as const;

interface TipPage {
  readonly page: Prepared;
  readonly status: RenderedPage['status'];
}

export interface RenderedPages {
  readonly inlineSources: InlineSources;
  readonly landing: Prepared;
  readonly dashboard: Prepared;
  readonly dashboardFiles: readonly string[];
  readonly offline: Prepared;
  readonly articles: readonly { readonly path: string; readonly page: Prepared }[];
  /** @param ownerOf the owner of the turn at rendering, which only a page that is not kept takes. */
  auth(asked: Address, ownerOf: () => string): Promise<Prepared>;
  /** @param find answers null for a provider who shows no codes, and may reject. */
  provider(find: () => Promise<ProviderPage | null>, ownerOf: () => string): Promise<Prepared | null>;
  /** A kept page is answered only while it shows what the look-up finds. @param lookUp never rejects. */
  tip(asked: Address, lookUp: (qrId: string) => Promise<Lookup>, ownerOf: () => string): Promise<TipPage>;
}

export function createRenderedPages(
  renderer: Renderer,
  folder: string,
  publicUrl: string,
  installation: Installation,
  own: OwnBrand,
): RenderedPages {
  const templates = readTemplates(folder, installation, own);
  const kept = {
    common: new RecentPages(MAX_KEPT.common),
    codes: new RecentPages(MAX_KEPT.codes),
    providers: new RecentPages(MAX_KEPT.providers),
    variants: new RecentPages(MAX_KEPT.variants),
  };
  const render = (address: Address, lookup: Lookup | null = null) =>
    renderer.render({ ...address, publicUrl, installation, lookup });

  const queue = createStepQueue(RENDERINGS_PER_TURN);

  function knownTip(key: string, status: Lookup['kind'] | null, found: QrCodeLookup | null): TipPage | null {
    const nobodys = kept.common.get(key);
    if (nobodys) return { page: nobodys, status: status === 'unknown' || status === null ? 404 : 410 };
    const page = kept.codes.get(key, found) ?? kept.variants.get(key, found);
    return page && { page, status: 200 };
  }

  const renderAuth = (address: Address) => unlisted(templates.fill('auth', render(address)));
  const home = { pathname: PAGE_PATHS.home, search: '' };
  const auth = { pathname: PAGE_PATHS.auth, search: '' };
  kept.common.keep(keyOf(auth), packedAtOnce(renderAuth(auth)));

  return {
    inlineSources: templates.inlineSources,
    landing: packedAtOnce(prepare({ ...PAGE, plain: Buffer.from(templates.fill('landing', render(home))) })),
    dashboard: packedAtOnce(unlisted(templates.fill('dashboard', renderer.renderDashboard()))),
    dashboardFiles: templates.filesOf('dashboard'),
    offline: unlisted(templates.fill('offline', renderer.renderOffline())),
    articles: own.pages.map(({ path, label, html }) => ({
      path,
      page: prepare({
        ...PAGE,
        plain: Buffer.from(templates.fill('article', renderer.renderArticle(label, html))),
      }),
    })),

    async auth(asked, ownerOf) {
      const address = renderer.reduce(asked, null);
      const key = keyOf(address);
      const pages = new URLSearchParams(address.search).has('next') ? kept.variants : kept.common;
      const known = pages.get(key);
      if (known) return known;
      await queue.step(ownerOf());
      return pages.get(key) ?? pages.keep(key, renderAuth(address));
    },

    async provider(find, ownerOf) {
      const page = await find();
      if (!page) return null;
      const key = `provider ${page.username}`;
      const known = kept.providers.get(key, page);
      if (known) return known;
      await queue.step(ownerOf());
      const html = templates.fill('provider', renderer.renderProvider(page, publicUrl));
      return kept.providers.keep(key, unlisted(html, 'fast'), page);
    },

    async tip(asked, lookUp, ownerOf) {
      const qrId = qrIdFrom(asked.pathname);
      // The rest of the address counts only when no such code exists.
      const lookup = isDemoCode(qrId) ? null : await lookUp(qrId);
      const status = lookup?.kind ?? null;
      const found = lookup?.kind === 'found' ? lookup.found : null;
      const address = renderer.reduce(asked, status);
      const key = keyOf(address, status);
      const known = knownTip(key, status, found);
      if (known) return known;
      await queue.step(ownerOf());
      const renderedMeanwhile = knownTip(key, status, found);
      if (renderedMeanwhile) return renderedMeanwhile;

      const rendered = render(address, lookup);
      const html = templates.fill('tip', rendered);
      switch (rendered.status) {
        case 404:
        case 410:
          return { page: kept.common.keep(key, unlisted(html)), status: rendered.status };
        case 503: {
          const headers = { ...UNLISTED, 'Retry-After': String(RETRY_AFTER_SECONDS) };
          return { page: { ...unlisted(html), cacheControl: 'no-store', headers }, status: 503 };
        }
        case 200: {
          const isOfCode = status === 'found' && address.search === '';
          const page = isOfCode
            ? kept.codes.keep(key, unlisted(html), found)
            : kept.variants.keep(key, unlisted(html, 'fast'), found);
          return { page, status: 200 };
        }
      }
    },
  };
}

type Shown = QrCodeLookup | ProviderPage;

/** A cache that evicts the page that was not asked for longest. */
class RecentPages {
  readonly #max: number;
  readonly #pages = new Map<string, { readonly page: Prepared; shown: Shown | null }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @param found the look-up that the page shows; null for a page without a code. */
  get(key: string, found: Shown | null = null): Prepared | null {
    const kept = this.#pages.get(key);
    if (!kept) return null;
    this.#pages.delete(key);
    if (!areEqual(kept.shown, found)) return null;
    // The next comparison is of one object with itself, for as long as the look-up is cached.
    kept.shown = found;
    this.#pages.set(key, kept);
    return kept.page;
  }

  keep(key: string, page: Prepared, shown: Shown | null = null): Prepared {
    this.#pages.set(key, { page, shown });
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > this.#max && oldest !== undefined) this.#pages.delete(oldest);
    return page;
  }
}

function areEqual(one: Shown | null, other: Shown | null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** The page of an unknown code has a key of its own, because it tells its script so. */
function keyOf({ pathname, search }: Address, lookup: Lookup['kind'] | null = null): string {
  return `${lookup} ${pathname}${search}`;
}

function unlisted(html: string, effort: 'quick' | 'fast' = 'quick'): Prepared {
  return prepare({ ...PAGE, plain: Buffer.from(html), headers: UNLISTED, effort });
}

/** Packs a page as small as possible, when nobody waits for it. */
export function packedAtOnce(page: Prepared): Prepared {
  const made = { br: pack(page.plain, 'br', 'best'), gzip: pack(page.plain, 'gzip', 'best') };
  return { ...page, packed: (encoding) => made[encoding] };
}

type TemplateName = 'landing' | 'auth' | 'tip' | 'dashboard' | 'offline' | 'provider' | 'article';

interface Templates {
  readonly inlineSources: InlineSources;
  fill(name: TemplateName, rendered: RenderedPage): string;
  filesOf(name: TemplateName): readonly string[];
}

function readTemplates(folder: string, installation: Installation, own: OwnBrand): Templates {
  const read = (name: string, shown = installation) =>
    withBrand(withInstallation(readFileSync(join(folder, `templates/${name}.html`), 'utf8'), shown), own);
  const emptyPage = readFileSync(join(folder, 'index.html'), 'utf8');
  const withoutScript = withDisplayFace(read('offline'), emptyPage);
  const templates = {
    landing: read('landing'),
    auth: read('auth'),
    tip: read('tip'),
    dashboard: read('dashboard'),
    // Browsers keep it beyond the end of a maintenance.
    offline: read('offline', { ...installation, maintenance: null }),
    provider: withoutScript,
    // Without pages of an operator its styles would only make the policy longer.
    article: own.pages.length === 0 ? '' : withStyle(withoutScript, ARTICLE_STYLE),
  };
  return {
    inlineSources: inlineSourcesOf(Object.values(templates)),
    filesOf: (name) => [
      ...new Set(
        [...templates[name].matchAll(/ data-(?:scripts|later)="([^"]*)"/g)].flatMap(([, paths = '']) =>
          paths.split(' '),
        ),
      ),
    ],
    fill: (name, rendered) =>
      templates[name]
        .split(/<!--(head|body|data)-->/)
        .map((part) => (part === 'head' || part === 'body' || part === 'data' ? rendered[part] : part))
        .join(''),
  };
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

/** Inline styles, so that a page without the ribbon has no byte of it. */
const STYLE =
  '.test-mode{padding:max(.25rem,env(safe-area-inset-top)) max(1rem,env(safe-area-inset-right)) .25rem max(1rem,env(safe-area-inset-left));' +
  'background:var(--ink);color:var(--paper);font-size:.875rem;font-weight:600;text-align:center}' +
  '@media print{.test-mode{display:none}}';
const RIBBON = '<aside class="test-mode" aria-label="Payments">Test mode: no real money moves.</aside>';

/** A code that fills the screen faces guests, to whom it says nothing. */
const FOOTER_STYLE =
  '.help{padding:1rem max(1rem,env(safe-area-inset-right)) max(1.5rem,env(safe-area-inset-bottom)) max(1rem,env(safe-area-inset-left));' +
  'color:var(--ink-soft);text-align:center;overflow-wrap:anywhere}' +
  'body:has([data-scheme=light])>.help{display:none}@media print{.help{display:none}}';

/** The additions stand outside of the client's root element, so that no page loads script for them. */
export function withInstallation(html: string, installation: Installation): string {
  const { paymentMode, takesGuestTips, operatorContact, sendsMail, registration, hasTerms, terms } =
    installation;
  const contact = readOperatorContact(operatorContact);
  const payments = paymentMode === 'simulated' ? '' : `data-payments="${paymentMode}" `;
  const guests = takesGuestTips ? 'data-guests="on" ' : '';
  const reached = contact ? `data-contact="${escaped(operatorContact)}" ` : '';
  const mail = sendsMail ? 'data-mail="on" ' : '';
  const joining = registration === 'open' ? '' : `data-registration="${registration}" `;
  const accepting = hasTerms ? 'data-terms="on" ' : '';
  const changed = termsText(terms);
  const costs = changed === null ? '' : `data-tip-terms="${escaped(changed)}" `;
  const settings = payments + guests + reached + mail + joining + accepting + costs;
  let told = html.replace('<html ', (tag) => tag + settings);
  if (paymentMode === 'test')
    told = told.replace('</head>', `<style>${STYLE}</style>$&`).replace('<body>', `$&${RIBBON}`);
  if (contact) {
    const link = `<a href="${escaped(contact.href)}">${escaped(contact.text)}</a>`;
    const footer = `<footer class="help">Need help? Contact ${link}</footer>`;
    told = told
      .replace('</head>', `<style>${FOOTER_STYLE}</style>$&`)
      .replace('</body>', (end) => footer + end);
  }
  return withMaintenance(told, installation.maintenance);
}
