/**
 * The page of a worker, which its tests use one after another: what a new one starts, a process that compiles the
 * script anew, costs half of what a short test does. It stays at the site between them, since a document of another
 * site gets another process. Everything is undone that a test may do to it; a page on which a test did what cannot
 * be undone is closed.
 */
import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test';

/** What outlasts a test, and cannot be taken back. */
const LASTING = {
  page: ['close', 'exposeBinding', 'exposeFunction', 'pause', 'setExtraHTTPHeaders'],
  context: [
    'close',
    'exposeBinding',
    'exposeFunction',
    'grantPermissions',
    'newCDPSession',
    'route',
    'setExtraHTTPHeaders',
    'setGeolocation',
    'setHTTPCredentials',
    'setOffline',
  ],
  clock: ['install', 'pauseAt', 'setFixedTime', 'setSystemTime'],
} as const;
/** A document without a script, at the site. */
const NEUTRAL = '/robots.txt';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** What the test before has left. */
let present: KeptPage | null = null;

/**
 * The page of the test before, or a new one where that was of another kind.
 * @param origin whose site the page stays at.
 * @param kind which pages may take each other's place.
 */
export async function takePage(browser: Browser, origin: string, kind: string): Promise<KeptPage> {
  const former = present;
  present = null;
  if (former?.kind === kind) return former;
  await former?.context.close();
  const context = await browser.newContext();
  const page = await context.newPage();
  return new KeptPage(page, origin, kind, await context.newCDPSession(page));
}

class KeptPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly kind: string;
  /** No test has had it yet. */
  isNew = true;
  complain: (complaint: string) => void = () => {};
  readonly #origin: string;
  readonly #protocol: CDPSession;
  readonly #openNeutral: () => Promise<unknown>;
  #isUnderTest = false;
  #isSpent = false;
  /** Takes back what the present test has added. */
  #undoing: (() => unknown)[] = [];

  constructor(page: Page, origin: string, kind: string, protocol: CDPSession) {
    this.page = page;
    this.context = page.context();
    this.kind = kind;
    this.#origin = origin;
    this.#protocol = protocol;
    const { goto } = page;
    this.#openNeutral = () => goto.call(page, NEUTRAL);
    this.#noteWhatLasts();
    this.#noteWhatIsAdded();
  }

  /**
   * Notes from now on what is to be undone; what was added before belongs to the page.
   * @param complain hears what the page should not do.
   */
  begin(complain: (complaint: string) => void): void {
    this.complain = complain;
    this.isNew = false;
    this.#isUnderTest = true;
  }

  /**
   * Leaves the page to the next test where it can be made as it was, and closes it otherwise.
   * @param viewport how large it was; null where no other test may have it.
   */
  async end(viewport: Size | null): Promise<void> {
    this.#isUnderTest = false;
    this.complain = () => {};
    const isLeft = viewport !== null && !this.#isSpent;
    if (!isLeft) return this.context.close();
    await this.#clean(viewport);
    present = this;
  }

  async #clean(viewport: Size): Promise<void> {
    const { page, context } = this;
    for (const other of context.pages()) if (other !== page) await other.close();
    for (const undo of this.#undoing.splice(0)) await undo();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.#openNeutral();
    await page.emulateMedia({
      media: null,
      colorScheme: 'light',
      reducedMotion: 'no-preference',
      forcedColors: 'none',
      contrast: 'no-preference',
    });
    if (JSON.stringify(page.viewportSize()) !== JSON.stringify(viewport))
      await page.setViewportSize(viewport);
    await page.mouse.move(0, 0);
    await this.#protocol.send('Storage.clearDataForOrigin', { origin: this.#origin, storageTypes: 'all' });
    await context.clearCookies();
    await page.evaluate(() => {
      sessionStorage.clear();
      window.name = '';
    });
    await this.#protocol.send('Page.resetNavigationHistory');
  }

  #noteWhatLasts(): void {
    const { page, context } = this;
    for (const [owner, names] of [
      [page, LASTING.page],
      [context, LASTING.context],
      [page.clock, LASTING.clock],
    ] as const) {
      for (const name of names) {
        const method: unknown = Reflect.get(owner, name);
        if (typeof method !== 'function') throw new TypeError(`there is no method ${name}`);
        Reflect.set(owner, name, (...args: unknown[]) => {
          this.#isSpent ||= this.#isUnderTest;
          return Reflect.apply(method, owner, args);
        });
      }
    }
    page.on('framenavigated', (frame) => {
      this.#isSpent ||= frame.url() !== 'about:blank' && new URL(frame.url()).origin !== this.#origin;
    });
  }

  #noteWhatIsAdded(): void {
    for (const part of [this.page, this.context]) {
      const addInitScript = part.addInitScript.bind(part);
      part.addInitScript = async (...args) => {
        const added = await addInitScript(...args);
        if (this.#isUnderTest) this.#undoing.push(() => added.dispose());
        return added;
      };
      const { off } = part;
      for (const name of ['on', 'once'] as const) {
        const add = part[name];
        Reflect.set(part, name, (...args: unknown[]) => {
          if (this.#isUnderTest) this.#undoing.push(() => Reflect.apply(off, part, args));
          return Reflect.apply(add, part, args);
        });
      }
    }
  }
}
