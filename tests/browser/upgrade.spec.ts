/**
 * An upgrade, as a browser meets it that has the worker of the version before: it never gets a page of one
 * version with scripts of another, and the offline page of the new version takes the place of the one before.
 */
import {
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from '@playwright/test';
import { startServer, temporaryFolder } from '../support/running-server.ts';
import { isTakenOver } from '../support/taken-over.ts';
import { Backstage, expect, logInByForm, test } from './fixtures.ts';

const PROJECT = join(import.meta.dirname, '../..');
const OFFLINE_WORDS = 'Nothing is lost, and nothing is paid twice.';
const LATER_WORDS = 'Nothing is lost, says the next version.';
const ENDING = /(?=\.(?:js|css)$)/;

test.use({ hasServiceWorker: true });

/**
 * The next version: the same program, whose files all have other names, and whose offline page says something
 * else. It has nothing of the version before, so that a page of that one could not load its scripts.
 * @returns its folder.
 */
function buildNext(): string {
  const folder = temporaryFolder();
  for (const part of ['client', 'operator', 'render', 'server'])
    cpSync(join(PROJECT, 'dist', part), join(folder, 'dist', part), { recursive: true });
  cpSync(join(PROJECT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  const names = new Map(
    readdirSync(join(folder, 'dist/client/assets'))
      .filter((name) => ENDING.test(name))
      .map((name) => [name, name.replace(ENDING, '-next')]),
  );
  for (const part of ['client', 'render']) {
    const files = readdirSync(join(folder, 'dist', part), { recursive: true, encoding: 'utf8' });
    for (const path of files.map((file) => join(folder, 'dist', part, file))) {
      if (/\.(?:br|gz)$/.test(path)) rmSync(path);
      else if (statSync(path).isFile() && /\.(?:js|css|html)$/.test(path)) {
        let text = readFileSync(path, 'utf8').replaceAll(OFFLINE_WORDS, LATER_WORDS);
        for (const [before, after] of names) text = text.replaceAll(before, after);
        writeFileSync(path, text);
        const name = names.get(basename(path));
        if (name !== undefined) renameSync(path, join(path, '..', name));
      }
    }
  }
  return folder;
}

function scriptsIn(folder: string): ReadonlySet<string> {
  return new Set(readdirSync(join(folder, 'dist/client/assets')).filter((name) => name.endsWith('.js')));
}

/** Loads the page anew, as its user would; the offline page has no script to wait for. */
async function loadAnew(page: Page): Promise<void> {
  const isLoaded = page.waitForEvent('load');
  await page.evaluate(() => window.location.reload());
  await isLoaded;
}

test('after an upgrade the page and its scripts are those of the new version, online and offline', async ({
  browser,
  logInAs,
}) => {
  const before = await startServer();
  const context = await browser.newContext({ baseURL: before.url });
  const page = await context.newPage();
  const backstage = new Backstage(before);
  await logInAs(await backstage.provider(), context);
  const welcome = page.getByRole('heading', { name: /^Welcome/ });
  await page.goto('/dashboard');
  await expect(welcome).toBeVisible();
  const state = () =>
    page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/dashboard'))?.active?.state);
  await expect.poll(state).toBe('activated');
  const [kept] = await page.evaluate(() => window.caches.keys());
  await page.reload();
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  const { customer, code } = await backstage.bothSides();
  const ofVisitors = await browser.newContext({ baseURL: before.url });
  const tip = await ofVisitors.newPage();
  await tip.goto(`/tip/${code}`);
  const login = await ofVisitors.newPage();
  await login.goto('/auth');
  for (const opened of [tip, login]) await opened.waitForFunction(isTakenOver);
  await before.stop();
  await loadAnew(page);
  await expect(page.getByText(OFFLINE_WORDS)).toBeVisible();

  const folder = buildNext();
  const next = { PORT: String(before.port), DATABASE_URL: before.databasePath };
  const after = await startServer(next, [join(folder, 'dist/server/main.js')]);
  const loaded: string[] = [];
  const failed: string[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (response.status() >= 400) failed.push(pathname);
    if (pathname.startsWith('/assets/') && pathname.endsWith('.js')) loaded.push(basename(pathname));
  });
  await page.getByRole('link', { name: 'Retry' }).click();
  await expect(welcome).toBeVisible();
  await page.getByRole('tab', { name: 'Profile' }).click();
  await page.getByRole('button', { name: 'Notifications' }).click();
  await expect(page.getByRole('switch')).toBeVisible();
  const ofNext = scriptsIn(folder);
  expect(loaded.length).toBeGreaterThan(5);
  expect(loaded.filter((name) => !ofNext.has(name))).toEqual([]);
  expect(failed).toEqual([]);
  expect([...ofNext].filter((name) => scriptsIn(PROJECT).has(name))).toEqual([]);

  // Pages of the version before, whose other scripts are gone.
  const amount = tip.getByRole('radio', { name: '$20', exact: true });
  const proceed = tip.getByRole('button', { name: 'Proceed to Payment' });
  await amount.check();
  await proceed.click();
  const isLoadedAnew = tip.waitForEvent('load');
  await tip.getByRole('button', { name: 'Retry' }).click();
  await isLoadedAnew;
  await tip.waitForFunction(isTakenOver);
  await expect(amount).toBeChecked();
  await proceed.click();
  await expect(tip.getByRole('heading', { name: 'Login or Sign Up' })).toBeVisible();
  await logInByForm(login, customer);
  await login.getByRole('button', { name: 'Retry' }).click();
  await expect(login.getByRole('heading', { name: /^Welcome/ })).toBeVisible();
  await ofVisitors.close();

  // The worker of the new version comes in the background, and takes the offline page along.
  await expect.poll(() => page.evaluate(() => window.caches.keys())).not.toContain(kept);
  await after.stop();
  await loadAnew(page);
  await expect(page.getByText(LATER_WORDS)).toBeVisible();
  await context.close();
});

test('a tip page registers no worker, and asks for nothing of notifications or the app', async ({
  page,
  backstage,
}) => {
  const { code } = await backstage.bothSides();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`/tip/${code}`);
  await page.getByRole('radio', { name: '$20', exact: true }).click();
  // Whatever a page would register, it would do after it was loaded.
  await page.waitForTimeout(1_500);
  expect(asked).toContainEqual(expect.stringContaining('/assets/paying-'));
  expect(asked.filter((path) => /worker|manifest|notif|this-device|badge|\/trpc/.test(path))).toEqual([]);
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
});
