/**
 * What every browser test stands on: the production build on a database of its own, people made through the API, and
 * a page that fails the test for any console error, any Content-Security-Policy report and any request elsewhere.
 */
import { type BrowserContext, test as base, expect, type Locator, type Page } from '@playwright/test';
import type { ServiceCategory } from '#shared/categories.ts';
import { type RunningServer, startServer, stopEverything } from '../support/running-server.ts';

export { expect };

export const PASSWORD = 'correct horse battery';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly fullName: string;
  readonly token: string;
}

/** The REST door, as a shortcut to a state that a test begins with. */
export class Backstage {
  readonly #url: string;
  #count = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async call(
    method: string,
    path: string,
    { token, body, key }: { token?: string; body?: unknown; key?: string } = {},
  ) {
    const response = await fetch(`${this.#url}/api${path}`, {
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

  /** A provider of these services; names are new each time. */
  provider(categories: ServiceCategory[] = ['bartender'], fullName?: string): Promise<Person> {
    return this.#register(
      'provider',
      { is_service_provider: true, service_categories: categories },
      fullName,
    );
  }

  customer(fullName?: string): Promise<Person> {
    return this.#register('customer', { is_service_provider: false, service_categories: [] }, fullName);
  }

  /** The id of a new code. */
  async code(provider: Person, category: ServiceCategory = 'bartender'): Promise<string> {
    const code = await this.call('POST', '/qr-codes', {
      token: provider.token,
      body: { service_category: category },
    });
    return code.id;
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

  /** All of somebody's transactions, newest first, as the API tells them. */
  transactions(
    person: Person,
  ): Promise<{ id: string; amount: number; net_amount: number; giver_id: string }[]> {
    return this.call('GET', '/transactions', { token: person.token });
  }

  async #register(role: string, kind: object, fullName?: string): Promise<Person> {
    this.#count += 1;
    const username = `${role}-${this.#count}-${Math.random().toString(36).slice(2, 8)}`;
    const email = `${username}@example.com`;
    const full_name = fullName ?? `${role === 'provider' ? 'Pat' : 'Cam'} ${username}`;
    const { id } = await this.call('POST', '/auth/register', {
      body: { email, username, full_name, password: PASSWORD, phone: null, ...kind },
    });
    const { access_token } = await this.call('POST', '/auth/login', { body: { email, password: PASSWORD } });
    return { id, email, username, fullName: full_name, token: access_token };
  }
}

interface WorkerFixtures {
  readonly server: RunningServer;
  readonly backstage: Backstage;
}

interface TestFixtures {
  /** What the page complained about so far; empty it in a test that provokes a complaint. */
  readonly complaints: string[];
  /** Puts somebody's token into the browser before the page loads. */
  readonly logInAs: (person: Person, context?: BrowserContext) => Promise<void>;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
    async ({}, use) => {
      await use(await startServer());
      await stopEverything();
    },
    { scope: 'worker' },
  ],
  backstage: [async ({ server }, use) => use(new Backstage(server.url)), { scope: 'worker' }],
  baseURL: async ({ server }, use) => use(server.url),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  complaints: async ({}, use) => {
    const complaints: string[] = [];
    await use(complaints);
    expect(complaints).toEqual([]);
  },
  page: async ({ page, complaints, server }, use) => {
    await watch(page, complaints, server.url);
    waitForScript(page);
    await use(page);
  },
  logInAs: async ({ page }, use) => {
    await use(async (person, context = page.context()) => {
      await context.addInitScript((token) => {
        // Once: a logout in the page must last.
        if (sessionStorage.getItem('was-logged-in') === null) localStorage.setItem('tipwell_token', token);
        sessionStorage.setItem('was-logged-in', 'yes');
      }, person.token);
    });
  },
});

/**
 * A rendered page is there before its script is. These tests are about what the script does; rendered.spec.ts is about
 * the time before it.
 */
function waitForScript(page: Page): void {
  const { goto, reload } = page;
  const wait = () =>
    page.waitForFunction(() => {
      const root = document.getElementById('root');
      return root === null || Object.keys(root).some((key) => key.startsWith('__reactContainer'));
    });
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

/** Collects whatever a page should not do. */
export async function watch(page: Page, complaints: string[], origin: string): Promise<void> {
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
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      Reflect.get(window, 'reportViolation')(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
}

/** One of the four numbers on the dashboard. */
export function stat(page: Page, label: string): Locator {
  return page.locator('dl > div').filter({ has: page.getByRole('term').getByText(label, { exact: true }) });
}

/** A toast that says exactly this. */
export function toast(page: Page, text: string | RegExp): Locator {
  return page.getByRole('region', { name: /^Notifications/ }).getByText(text, { exact: true });
}

/** Fills in the login form and sends it. */
export async function logInByForm(page: Page, { email }: Person): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  // The page arrives before its script, without which Enter sends nothing.
  await expect(page.getByRole('button', { name: 'Login', exact: true })).toBeEnabled();
  await page.keyboard.press('Enter');
}

/** The token that this browser keeps. */
export function storedToken(page: Page): Promise<string | null> {
  return page.evaluate(() => localStorage.getItem('tipwell_token'));
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
    await route.continue();
  });
  return { asked: () => asked, release };
}

/** A name that nobody has yet. */
export function newName(role = 'somebody'): string {
  return `${role}-${Math.random().toString(36).slice(2, 10)}`;
}

/** Goes to a tip page without loading it from the server, which would render it. */
export async function enterCode(page: Page, code: string): Promise<void> {
  await page.goto('/scan');
  await page.getByLabel('QR code or link').fill(code);
  await page.keyboard.press('Enter');
}
