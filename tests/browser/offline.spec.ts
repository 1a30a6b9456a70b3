/**
 * The dashboard without a connection: a page of the product instead of the browser's, and nothing else kept
 * or answered by the service worker.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Page } from '@playwright/test';
import { expect, openTabUnderToast, PASSWORD, test, toast } from './fixtures.ts';

const HEADING = 'Tipwell cannot be reached';

test.use({ hasServiceWorker: true });

/** Waits for the service worker, which takes over from the next loading on. */
async function waitForWorker(page: Page): Promise<void> {
  const state = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/dashboard'))?.active?.state);
  await expect.poll(state).toBe('activated');
}

/** Loads the page anew, as its user would; the offline page has no script to wait for. */
async function loadAnew(page: Page): Promise<void> {
  const isLoaded = page.waitForEvent('load');
  await page.evaluate(() => window.location.reload());
  await isLoaded;
}

function keptAnswers(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const caches = await Promise.all((await window.caches.keys()).map((name) => window.caches.open(name)));
    const requests = await Promise.all(caches.map((cache) => cache.keys()));
    return requests.flat().map(({ url }) => new URL(url).pathname);
  });
}

test('only the dashboard has a service worker, which says that there is no connection, and a tap brings it back', async ({
  page,
  context,
  backstage,
  logInAs,
  complaints,
}) => {
  const scopes = () =>
    page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => new URL(scope).pathname),
    );
  for (const path of ['/', '/auth', '/tip/demo-alex-bartender']) {
    await page.goto(path);
    expect(await scopes(), path).toEqual([]);
  }
  await logInAs(await backstage.provider());
  await page.goto('/dashboard');
  await waitForWorker(page);
  expect(await scopes()).toEqual(['/dashboard']);
  for (const path of ['/tip/demo-alex-bartender', '/scan']) {
    await page.goto(path);
    expect(await page.evaluate(() => navigator.serviceWorker.controller), path).toBeNull();
  }
  await page.goto('/dashboard?tab=profile');
  const dashboard = page.getByRole('heading', { name: /^Welcome/ });
  await expect(dashboard).toBeVisible();
  await expect(page.getByRole('button', { name: 'Edit Profile' })).toBeVisible();
  expect(complaints).toEqual([]);

  await context.setOffline(true);
  await loadAnew(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(HEADING);
  await expect(page).toHaveTitle('No connection · Tipwell');
  await expect(page).toHaveURL('/dashboard?tab=profile');
  const tryAgain = page.getByRole('link', { name: 'Retry' });
  await tryAgain.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(HEADING);

  await context.setOffline(false);
  await tryAgain.click();
  await expect(dashboard).toBeVisible();
  await expect(page).toHaveURL('/dashboard?tab=profile');
  expect(await keptAnswers(page)).toEqual(['/offline']);
  // The browser tells of what could not be fetched, with another reason where the worker was asked, as for the scripts
  // that a page fetches beforehand; nothing of the page did anything wrong.
  expect(
    complaints.splice(0).filter((text) => !/net::ERR_(INTERNET_DISCONNECTED|FAILED)/.test(text)),
  ).toEqual([]);
});

test('a provider’s codes are shown without a connection, also full screen, and end with the session; what was kept in part, because the browser ended meanwhile, is kept by the next page', async ({
  page,
  context,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  await page.goto('/dashboard');
  await expect.poll(() => keptAnswers(page)).toContain('/dashboard');
  await page.evaluate(async () => {
    const name = (await window.caches.keys()).find((each) => each.startsWith('dashboard-')) ?? '';
    await window.caches.delete(name);
    await window.caches.open(name);
  });
  expect(await keptAnswers(page)).toEqual(['/offline']);
  await page.reload();
  await expect.poll(() => keptAnswers(page)).toContain('/dashboard');

  await context.setOffline(true);
  await page.reload();
  const start = page.getByRole('article', { name: 'Bartender' }).getByRole('link', { name: 'Start Shift' });
  await expect(start).toBeVisible();
  await page.getByText('Not everything could be loaded.').getByRole('button').press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByText('Not everything could be loaded.')).toBeVisible();
  await start.click();
  const shown = page.getByRole('img', { name: /QR code/ });
  const lost = page.getByText('No connection. Tips still count, and show here once you’re back.');
  await expect(shown).toBeVisible();
  await expect(lost).toBeVisible();
  await page.reload();
  await expect(shown).toBeInViewport({ ratio: 1 });
  await expect(lost).toBeVisible();

  await context.setOffline(false);
  await expect(page.getByText('Back online')).toBeVisible();
  await backstage.tip(customer, code, 25);
  await expect(page.getByText('$25.00').first()).toBeVisible();
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page.getByRole('article')).toContainText('$24.25 tonight · 1 tip');
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/');
  await expect.poll(() => keptAnswers(page)).not.toContain('/dashboard');
  expect(await page.evaluate((text) => JSON.stringify(localStorage).includes(text), code)).toBe(false);
  complaints.length = 0;
});

test('the codes stay kept when the password is changed, and are kept anew when they change after it', async ({
  page,
  context,
  backstage,
  logInAs,
  complaints,
}) => {
  await logInAs((await backstage.bothSides()).provider);
  await page.goto('/dashboard');
  await expect.poll(() => keptAnswers(page)).toContain('/dashboard');
  await page.goto('/dashboard?tab=profile&open=security');
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByLabel('New password', { exact: true }).fill('a better horse battery');
  await page.getByRole('button', { name: 'Change Password' }).click();
  await expect(toast(page, 'Password changed. Your other devices are logged out.')).toBeVisible();
  const code = page.getByRole('article', { name: 'Bartender' });
  const openWithoutConnection = async () => {
    await context.setOffline(true);
    await page.goto('/dashboard');
    await expect(page.getByText('Not everything could be loaded.')).toBeVisible();
  };
  await openWithoutConnection();
  await expect(code.getByText('Active', { exact: true })).toBeVisible();

  await context.setOffline(false);
  await page.goto('/dashboard?tab=profile&open=security');
  await page.getByLabel('Current password').fill('a better horse battery');
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Change Password' }).click();
  await expect(toast(page, 'Password changed. Your other devices are logged out.')).toBeVisible();
  await openTabUnderToast(page, 'QR Codes');
  await code.getByRole('button', { name: 'Manage' }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(code.getByText('Paused', { exact: true })).toBeVisible();
  await openWithoutConnection();
  await expect(code.getByText('Paused', { exact: true })).toBeVisible();
  complaints.length = 0;
});

test('another tab keeps the codes, too, after the password was changed in the first one', async ({
  page,
  context,
  backstage,
  logInAs,
  complaints,
}) => {
  await logInAs((await backstage.bothSides()).provider);
  await page.goto('/dashboard?tab=profile&open=security');
  const other = await context.newPage();
  await other.goto('/dashboard');
  const code = other.getByRole('article', { name: 'Bartender' });
  await expect(code.getByText('Active', { exact: true })).toBeVisible();
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByLabel('New password', { exact: true }).fill('a better horse battery');
  await page.getByRole('button', { name: 'Change Password' }).click();
  await expect(toast(page, 'Password changed. Your other devices are logged out.')).toBeVisible();
  // Only the other tab is there to keep what changes.
  await page.close();
  // The tab draws its screen anew once it has verified its session, and what was opened before is closed.
  const pause = other.getByRole('button', { name: 'Pause' });
  await expect(async () => {
    if (!(await pause.isVisible())) await code.getByRole('button', { name: 'Manage' }).click();
    await pause.click({ timeout: 2_000 });
  }).toPass();
  await expect(code.getByText('Paused', { exact: true })).toBeVisible();
  await context.setOffline(true);
  await other.reload();
  await expect(other.getByText('Not everything could be loaded.')).toBeVisible();
  await expect(code.getByText('Paused', { exact: true })).toBeVisible();
  complaints.length = 0;
});

/**
 * Stands before the server and may answer in its place: what a service worker asks for does not pass through
 * Playwright.
 * @param change what becomes of the server's answer.
 */
async function startFront(
  serverUrl: string,
  change: (path: string, text: string) => { readonly status: number; readonly text: string },
): Promise<{ readonly url: string; readonly close: () => void }> {
  const pass = async (request: IncomingMessage, answer: ServerResponse) => {
    const path = request.url ?? '/';
    const { authorization } = request.headers;
    const gone = new AbortController();
    answer.on('close', () => gone.abort());
    const { status, headers, body } = await fetch(serverUrl + path, {
      signal: gone.signal,
      ...(authorization !== undefined && { headers: { authorization } }),
    });
    const type = headers.get('Content-Type') ?? 'text/plain';
    if (/^text\/(?:html|javascript)/.test(type)) {
      const changed = change(path, await new Response(body).text());
      answer.writeHead(changed.status, { 'Content-Type': type }).end(changed.text);
      return;
    }
    answer.writeHead(status, { 'Content-Type': type });
    if (body) for await (const chunk of body) answer.write(chunk);
    answer.end();
  };
  const front = createServer((request, answer) => {
    // Either side may leave in the middle of a stream.
    pass(request, answer).catch(() => answer.destroy());
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  if (address === null || typeof address === 'string') throw new Error('the front has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => {
      front.closeAllConnections();
      front.close();
    },
  };
}

test('the server answers while there is a connection, and the offline page of a newer version is kept instead of the earlier one', async ({
  browser,
  server,
  backstage,
  logInAs,
}) => {
  let isAway = false;
  let version: string | null = null;
  const front = await startFront(server.url, (path, text) => {
    if (isAway && path === '/dashboard') return { status: 503, text: 'not now' };
    if (version === null || !/^\/(?:service-worker|dashboard-pages)\.js/.test(path))
      return { status: 200, text };
    const changed = text.replace(/(VERSION = '|dashboard-pages\.js\?)[^']+'/, `$1${version}'`);
    return { status: 200, text: changed };
  });
  const context = await browser.newContext({ baseURL: front.url });
  const page = await context.newPage();
  const provider = await backstage.provider();
  await logInAs(provider, context);
  await page.goto('/dashboard');
  await waitForWorker(page);
  const answeredByWorker: string[] = [];
  page.on('response', (response) => {
    if (response.fromServiceWorker()) answeredByWorker.push(new URL(response.url()).pathname);
  });
  await page.reload();
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible();
  isAway = true;
  await page.reload();
  await expect(page.getByText('not now')).toBeVisible();
  isAway = false;
  // As after an upgrade: another page has another tag, and the worker names it.
  version = 'next';
  await page.goto('/dashboard');
  await expect.poll(() => page.evaluate(() => window.caches.keys())).toEqual(['offline-page-next']);
  expect(await keptAnswers(page)).toEqual(['/offline']);
  const others = answeredByWorker.filter((path) => !path.startsWith('/assets/'));
  expect(new Set(others)).toEqual(new Set(['/dashboard']));
  await backstage.code(provider);
  await page.reload();
  await expect.poll(() => keptAnswers(page)).toContain('/dashboard');
  // A proxy answers at once for a server that is away.
  isAway = true;
  await page.reload();
  await expect(page.getByRole('link', { name: 'Start Shift' })).toBeVisible();
  await context.close();
  front.close();
});
