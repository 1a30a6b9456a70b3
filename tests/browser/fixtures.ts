/**
 * What every browser test stands on: the production build on a database that no other worker has,
 * people who are signed in already, and a page that fails the test for any console error, any
 * Content-Security-Policy report and any request elsewhere.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  type BrowserContext,
  test as base,
  expect,
  type Locator,
  type Page,
  type Route,
} from '@playwright/test';
import { createPasswords } from '#server/auth/passwords.ts';
import { registration } from '#shared/accounts.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { newQrCodeId, newUserId, type QrCodeId, tipPageUrl, type UserId } from '#shared/ids.ts';
import {
  type Environment,
  type RunningServer,
  stopEverything,
  temporaryFolder,
} from '../support/running-server.ts';
import { isTakenOver } from '../support/taken-over.ts';
import { endKept, sharedServer, storageAt } from './kept.ts';
import { takePage } from './kept-page.ts';

export { expect };

export const PASSWORD = 'correct horse battery';

/** Where a whole browser meets the server under a name, without https. */
export const LAN_NAME = 'tips.lan.example';

/** Everybody has the same password, and hashing it takes longer than all else that makes a person. */
const hashOfEverybody = createPasswords().then(({ hash }) => hash(PASSWORD));

/** Longer than the days that a test lets pass. */
const SESSION_LIFETIME_MS = 30 * 86_400_000;

export interface Person {
  readonly id: UserId;
  readonly email: string;
  readonly username: string;
  readonly fullName: string;
  readonly token: string;
}

interface Choices {
  readonly username?: string;
  readonly email?: string;
  readonly fullName?: string;
  readonly phone?: string | null;
}

/** The picture of the first code that a server of the worker has drawn. */
let drawnPicture: Uint8Array | null = null;

/**
 * Shortcuts to a state that a test begins with: the REST door, and people and codes that are put straight into the
 * database.
 */
export class Backstage {
  readonly #server: Pick<RunningServer, 'url' | 'databasePath'>;
  readonly #drawsCodes: boolean;
  #count = 0;

  /**
   * @param drawsCodes whether the server draws each code. Otherwise
   * all show the picture of the worker's first code, which a camera must not read.
   */
  constructor(server: Pick<RunningServer, 'url' | 'databasePath'>, drawsCodes = false) {
    this.#server = server;
    this.#drawsCodes = drawsCodes;
  }

  async call(
    method: string,
    path: string,
    { token, body, key }: { token?: string; body?: unknown; key?: string } = {},
  ) {
    const response = await fetch(`${this.#server.url}/api${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = text === '' ? null : JSON.parse(text);
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return answer;
  }

  /** A provider of these services; names are new each time unless they are chosen. */
  provider(categories: ServiceCategory[] = ['bartender'], choices: string | Choices = {}): Promise<Person> {
    return this.#enter('provider', categories, choices);
  }

  customer(choices: string | Choices = {}): Promise<Person> {
    return this.#enter('customer', [], choices);
  }

  async code(provider: Person, category: ServiceCategory = 'bartender'): Promise<string> {
    const storage = await storageAt(this.#server.databasePath);
    const addressOf = (id: QrCodeId) => tipPageUrl(this.#server.url, id);
    if (this.#drawsCodes || drawnPicture === null) {
      const body = { service_category: category };
      const { id } = await this.call('POST', '/qr-codes', { token: provider.token, body });
      drawnPicture ??= await storage.findPicture(id, addressOf(id));
      return id;
    }
    const id = newQrCodeId(randomBytes);
    const code = { id, userId: provider.id, serviceCategory: category, createdAtMs: Date.now() };
    const picture = { address: addressOf(id), png: drawnPicture };
    expect(await storage.createQrCode(code, picture)).toBe('created');
    return id;
  }

  /** Whom a tip takes: a bartender with a code, and a customer. */
  async bothSides(): Promise<{ provider: Person; code: string; customer: Person }> {
    const provider = await this.provider();
    return { provider, code: await this.code(provider), customer: await this.customer() };
  }

  async tip(
    giver: Person,
    qrId: string,
    amount: number,
    category: ServiceCategory = 'bartender',
  ): Promise<void> {
    const body = { receiver_qr_id: qrId, amount, service_category: category };
    await this.call('POST', '/transactions', { token: giver.token, body });
  }

  /** Pretends that somebody typed their password so many minutes ago. */
  async ageLogin({ token }: Person, minutes: number): Promise<void> {
    const tokenHash = createHash('sha256').update(token).digest();
    const storage = await storageAt(this.#server.databasePath);
    expect(await storage.confirmSession(tokenHash, Date.now() - minutes * 60_000)).toBe(true);
  }

  /** All of somebody's transactions, newest first, as the API tells them. */
  transactions(
    person: Person,
  ): Promise<{ id: string; amount: number; net_amount: number; giver_id: string; status: string }[]> {
    return this.call('GET', '/transactions', { token: person.token });
  }

  /**
   * What registering and logging in leave behind, for somebody whom the server would register.
   * @param choices a text is the full name.
   */
  async #enter(
    role: 'provider' | 'customer',
    serviceCategories: ServiceCategory[],
    choices: string | Choices,
  ): Promise<Person> {
    this.#count += 1;
    const username = newName(`${role}-${this.#count}`);
    const { password: _, ...person } = registration.parse({
      username,
      email: `${username}@example.com`,
      fullName: `${role === 'provider' ? 'Pat' : 'Cam'} ${username}`,
      password: PASSWORD,
      isServiceProvider: role === 'provider',
      serviceCategories,
      ...(typeof choices === 'string' ? { fullName: choices } : choices),
    });
    const createdAtMs = Date.now();
    const account = {
      ...person,
      id: newUserId(randomBytes),
      passwordHash: await hashOfEverybody,
      createdAtMs,
    };
    const token = randomBytes(32).toString('base64url');
    const session = {
      userId: account.id,
      createdAtMs,
      expiresAtMs: createdAtMs + SESSION_LIFETIME_MS,
      device: '',
      tokenHash: createHash('sha256').update(token).digest(),
    };
    const storage = await storageAt(this.#server.databasePath);
    expect(await storage.createAccount(account)).toBe('created');
    expect(await storage.createSession(session, account.passwordHash, 1)).toBe('created');
    return { ...account, token };
  }
}

interface WorkerFixtures {
  readonly ending: undefined;
  /** The film that the camera of a whole browser shows. */
  readonly filmPath: string;
}

interface TestFixtures {
  /** What the operator has set. */
  readonly environment: Environment;
  /** In this environment, for all tests of the worker that have the same. */
  readonly server: RunningServer;
  /** Whether each code has a picture of its own, which tests that scan it need. */
  readonly drawsCodes: boolean;
  readonly backstage: Backstage;
  /** What the page complained about so far; empty it in a test that provokes a complaint. */
  readonly complaints: string[];
  /**
   * Whether the dashboard registers its worker, which fetches and keeps the whole dashboard. In the shell only where
   * a test is about that.
   */
  readonly hasServiceWorker: boolean;
  /** Puts somebody's token into the browser before the page loads. */
  readonly logInAs: (person: Person, context?: BrowserContext) => Promise<void>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  ending: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
    async ({}, use) => {
      await use(undefined);
      await endKept();
      await stopEverything();
    },
    { scope: 'worker', auto: true },
  ],
  filmPath: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
    async ({}, use) => use(join(temporaryFolder(), 'film.y4m')),
    { scope: 'worker' },
  ],
  // Of every whole browser, since tests with a browser of their own would have workers of their own.
  launchOptions: [
    async ({ launchOptions, filmPath }, use, { project }) => {
      const withCamera = [
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-video-capture=${filmPath}`,
        `--host-resolver-rules=MAP ${LAN_NAME} 127.0.0.1`,
      ];
      const args = [...(launchOptions.args ?? []), ...(project.name === 'shell' ? [] : withCamera)];
      await use({ ...launchOptions, args });
    },
    { scope: 'worker' },
  ],
  environment: [{ WEBHOOK_LOOPBACK: 'on' }, { option: true }],
  server: [async ({ environment }, use) => use(await sharedServer(environment)), { timeout: 120_000 }],
  drawsCodes: [false, { option: true }],
  backstage: async ({ server, drawsCodes }, use) => use(new Backstage(server, drawsCodes)),
  baseURL: async ({ server }, use) => use(server.url),
  // It needs the server, so that a page that is still open does not complain of a server that is stopped after it.
  complaints: async ({ server: _ }, use) => {
    const complaints: string[] = [];
    await use(complaints);
    expect(complaints).toEqual([]);
  },
  hasServiceWorker: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
    async ({}, use, { project }) => use(project.name !== 'shell'),
    { option: true },
  ],
  context: async (
    { browser, server, complaints, hasServiceWorker, locale, timezoneId, viewport },
    use,
    testInfo,
  ) => {
    const kind = JSON.stringify([server.url, hasServiceWorker, locale, timezoneId, viewport]);
    const kept = await takePage(browser, server.url, kind);
    if (kept.isNew) {
      const hearing = { push: (complaint: string) => kept.complain(complaint) };
      await watch(kept.page, hearing, server.url, hasServiceWorker);
      waitForScript(kept.page);
    }
    kept.begin((complaint) => complaints.push(complaint));
    await use(kept.context);
    // A whole browser, and a worker, have more that may outlast a test.
    const isLikeOthers = testInfo.project.name === 'shell' && !hasServiceWorker;
    const isKept = testInfo.status === testInfo.expectedStatus && isLikeOthers;
    await kept.end(isKept ? viewport : null);
  },
  page: async ({ context }, use) => {
    const [page] = context.pages();
    if (page === undefined) throw new Error('there is no page');
    await use(page);
  },
  logInAs: async ({ page }, use) => {
    await use(async (person, context = page.context()) => {
      await context.addInitScript((token) => {
        // An empty page stores nothing.
        if (window.origin === 'null') return;
        // Once: a logout in the page must last.
        if (sessionStorage.getItem('was-logged-in') === null) localStorage.setItem('tipwell_token', token);
        sessionStorage.setItem('was-logged-in', 'yes');
      }, person.token);
    });
  },
});

export const PUBLISHED_URL = 'http://tips.example.com';

/** Where codes lead to an address that everybody can open. */
export const published = test.extend({ environment: { PUBLIC_URL: PUBLISHED_URL } });

/**
 * Lets `goto` and `reload` wait until the script has taken the rendered page over. Tests of the time before use
 * `openEarly`.
 */
function waitForScript(page: Page): void {
  const { goto, reload } = page;
  const wait = () => page.waitForFunction(isTakenOver);
  page.goto = async (...args) => {
    const response = await goto.apply(page, args);
    await wait();
    return response;
  };
  page.reload = async (...args) => {
    const response = await reload.apply(page, args);
    await wait();
    return response;
  };
}

/** Stops a clock that was installed in the page, this much later. */
export async function stopClock(page: Page, laterMs = 60_000): Promise<void> {
  await page.clock.pauseAt(await page.evaluate((ms) => Date.now() + ms, laterMs));
}

/** Longer than a page waits for an answer. */
export const LONGEST_PATIENCE_MS = 20_000;

/** Installs a clock that also keeps the limits of calls, for which browsers have a clock of their own. */
export async function installClock(page: Page, aheadMs = 0): Promise<void> {
  await page.clock.install({ time: Date.now() + aheadMs });
  await page.addInitScript(() => {
    AbortSignal.timeout = (limitMs) => {
      const limit = new AbortController();
      setTimeout(() => limit.abort(new DOMException('The limit is over.', 'TimeoutError')), limitMs);
      return limit.signal;
    };
  });
}

/** Run in a page, it makes it one of a browser that stores nothing for its site, and refuses it a channel as well. */
export function storeNothing(): void {
  function refuse(): never {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  }
  for (const storage of ['localStorage', 'sessionStorage', 'caches'])
    Object.defineProperty(window, storage, { get: refuse });
  Object.defineProperty(navigator.locks, 'request', { value: async () => refuse() });
  Object.defineProperty(window, 'BroadcastChannel', { value: refuse });
}

/** Collects whatever a page should not do. */
export async function watch(
  page: Page,
  complaints: { push(complaint: string): unknown },
  origin: string,
  hasServiceWorker = base.info().project.name !== 'shell',
): Promise<void> {
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(?:data|blob):/.test(url)) complaints.push(`request to ${url}`);
  });
  await page.exposeFunction('reportViolation', (violation: string) => complaints.push(`CSP: ${violation}`));
  await page.addInitScript((registers) => {
    document.addEventListener('securitypolicyviolation', (event) => {
      Reflect.get(window, 'reportViolation')(`${event.violatedDirective} ${event.blockedURI}`);
    });
    // Playwright presses where an element was: one that scrolls on until the release is not pressed.
    const atOnce = new CSSStyleSheet();
    atOnce.replaceSync('html { scroll-behavior: auto !important }');
    document.adoptedStyleSheets.push(atOnce);
    if (!('serviceWorker' in navigator)) return;
    if (!registers) navigator.serviceWorker.register = () => new Promise(() => {});
    const { showNotification } = ServiceWorkerRegistration.prototype;
    ServiceWorkerRegistration.prototype.showNotification = function (...args) {
      return navigator.locks.request('showing', { mode: 'shared' }, () => showNotification.apply(this, args));
    };
  }, hasServiceWorker);
}

/** Asks when no tab is showing one: Chromium forgets a notification that is asked for while it is shown. */
export function notificationsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    navigator.locks.request('showing', async () => {
      const registration = await navigator.serviceWorker.getRegistration('/dashboard');
      return ((await registration?.getNotifications()) ?? []).map(({ body }) => body);
    }),
  );
}

export function stat(page: Page, label: string): Locator {
  return page.locator('dl > div').filter({ has: page.getByRole('term').getByText(label, { exact: true }) });
}

/** Opens what a provider does rarely with a code. */
export async function manageCode(page: Page, service = 'Bartender'): Promise<void> {
  await page.getByRole('article', { name: service }).getByRole('button', { name: 'Manage' }).click();
}

/** A toast that says exactly this. */
export function toast(page: Page, text: string | RegExp): Locator {
  return page.getByRole('region', { name: /^Notifications/ }).getByText(text, { exact: true });
}

export async function logInByForm(page: Page, { email }: Person): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  // The page arrives before its script, without which Enter sends nothing.
  await page.waitForFunction(isTakenOver);
  await page.keyboard.press('Enter');
}

/** The one switch of everything that tells of a tip on this device. */
export function tipSwitch(page: Page): Locator {
  return page.getByRole('switch', { name: 'Tell me about tips on this phone' });
}

export function storedToken(page: Page): Promise<string | null> {
  return page.evaluate(() => localStorage.getItem('tipwell_token'));
}

/** By the keyboard: a toast that stands over the tabs, and moves between press and release, would take the tap. */
export async function openTabUnderToast(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).press('Enter');
}

/** Keeps answers waiting until the returned function is called; `asked` tells how many were asked for. */
export async function holdAnswers(
  page: Page,
  url: string | RegExp,
): Promise<{ readonly asked: () => number; readonly release: () => void }> {
  let release = () => {};
  let asked = 0;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    asked += 1;
    await gate;
    await route.fallback();
  });
  return { asked: () => asked, release };
}

/** The server does what the procedure is asked next, and the page does not hear of it. */
export async function loseAnswer(page: Page, procedure: string): Promise<void> {
  const lose = async (route: Route) => {
    await route.fetch();
    await route.abort('connectionreset');
  };
  await page.route(`**/trpc/${procedure}*`, lose, { times: 1 });
}

/** Keeps the scripts of the next pages waiting until the returned function is called. */
export async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/*.js', async (route) => {
    await gate;
    await route.continue();
  });
  return release;
}

/** Loads a page and waits for its first paint only. */
export async function openEarly(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => window.location.assign(to), path);
  await page.waitForURL(`**${path}`, { waitUntil: 'commit' });
}

export function newName(role = 'somebody'): string {
  return `${role}-${Math.random().toString(36).slice(2, 10)}`;
}

/** Goes on within the page, as a link does. */
export function goWithin(page: Page, path: string): Promise<void> {
  return page.evaluate((to) => window.history.pushState(null, '', to), path);
}

/** Goes to a tip page without loading it from the server, which would render it. */
export async function enterCode(page: Page, code: string): Promise<void> {
  await page.goto('/scan');
  await page.getByLabel('QR code or link').fill(code);
  await page.keyboard.press('Enter');
}

/** The transactions of somebody who has none yet. @param origin where, if not at the server itself. */
export async function openEmptyList(page: Page, origin = ''): Promise<void> {
  await page.goto(`${origin}/dashboard?tab=transactions`);
  await expect(page.getByText('No Transactions Yet')).toBeVisible();
}

/** As if the tab had been put behind another, or taken out again. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    // The cache asks for this one, and would load its lists also when the tab is put away.
    const visibilityState = hidden ? 'hidden' : 'visible';
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: visibilityState });
    // It bubbles in browsers, and the cache listens at the window.
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, isHidden);
}
