/** The page that tests use one after another: the next one finds nothing of what the one before did. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

test.describe.configure({ mode: 'serial' });

let former: Page | null = null;

test('a test leaves something wherever it can', async ({ page, context }) => {
  await page.goto('/auth');
  await page.addInitScript(() => Object.assign(window, { isLeft: true }));
  await page.route('**/auth', (route) => route.fulfill({ body: 'left' }));
  page.on('request', () => {
    throw new Error('a listener is left');
  });
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 320, height: 500 });
  await page.evaluate(async () => {
    for (const store of [localStorage, sessionStorage]) store.setItem('left', 'yes');
    window.name = 'left';
    await cookieStore.set('left', 'yes');
    await caches.open('left');
    window.history.pushState(null, '', '/auth?left');
  });
  await context.newPage();
  former = page;
});

test('the next one has the same page, and finds nothing of it', async ({ page, context }) => {
  expect(page).toBe(former);
  expect(context.pages()).toEqual([page]);
  expect(page.viewportSize()).toEqual({ width: 390, height: 844 });
  await page.goto('/auth');
  await expect(page.getByLabel('Email')).toBeVisible();
  const found = await page.evaluate(async () => ({
    isLeft: Reflect.has(window, 'isLeft'),
    stored: localStorage.length + sessionStorage.length + (await caches.keys()).length,
    cookies: document.cookie,
    name: window.name,
    isDark: matchMedia('(prefers-color-scheme: dark)').matches,
    isStill: matchMedia('(prefers-reduced-motion: reduce)').matches,
  }));
  expect(found).toEqual({
    isLeft: false,
    stored: 0,
    cookies: '',
    name: '',
    isDark: false,
    isStill: false,
  });
});
