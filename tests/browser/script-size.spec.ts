/**
 * How much script a page loads before anybody does anything, in bytes as Brotli packs them: a phone at a bar
 * has to fetch it. `npm run bench:page` measures what comes of it.
 */
import type { Page } from '@playwright/test';
import { expect, test as simulated } from './fixtures.ts';
import { test as paid } from './stripe-fixtures.ts';

const MAX_TIP_PAGE_BYTES = 70_000;
const MAX_DASHBOARD_BYTES = 115_000;

/** Opens a page. @returns the size of each script that it has loaded when nothing more comes. */
async function scriptsOf(page: Page, path: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const told: Promise<unknown>[] = [];
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/assets/') || !pathname.endsWith('.js')) return;
    told.push(request.sizes().then(({ responseBodySize }) => sizes.set(pathname, responseBodySize)));
  });
  await page.goto(path);
  // The dashboard keeps a stream open, so that the network is never quite idle.
  let before: number;
  do {
    before = told.length;
    await page.waitForTimeout(2_000);
  } while (told.length > before);
  await Promise.all(told);
  return sizes;
}

function sumOf(sizes: ReadonlyMap<string, number>): number {
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

async function expectLittleToTip(page: Page, code: string): Promise<void> {
  const sizes = await scriptsOf(page, `/tip/${code}`);
  await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeVisible();
  expect(sizes.size).toBeGreaterThan(0);
  expect(sumOf(sizes), JSON.stringify([...sizes])).toBeLessThanOrEqual(MAX_TIP_PAGE_BYTES);
}

async function expectLittleOnDashboard(page: Page): Promise<readonly string[]> {
  const sizes = await scriptsOf(page, '/dashboard');
  await expect(page.getByRole('link', { name: 'Start Shift' })).toBeVisible();
  expect(sumOf(sizes), JSON.stringify([...sizes])).toBeLessThanOrEqual(MAX_DASHBOARD_BYTES);
  return [...sizes.keys()];
}

const isOfPayouts = (path: string) => path.includes('payouts');

simulated('the tip page loads little script', async ({ page, backstage }) => {
  const { code } = await backstage.bothSides();
  await expectLittleToTip(page, code);
});

simulated('the dashboard of a provider loads little script', async ({ page, backstage, logInAs }) => {
  const { provider } = await backstage.bothSides();
  await logInAs(provider);
  expect((await expectLittleOnDashboard(page)).filter(isOfPayouts)).toEqual([]);
});

paid('the tip page loads little script where tips are paid', async ({ page, payableSides }) => {
  const { code } = await payableSides();
  await expectLittleToTip(page, code);
});

paid(
  'the dashboard of a provider who is to be paid loads little script',
  async ({ page, backstage, logInAs }) => {
    const { provider } = await backstage.bothSides();
    await logInAs(provider);
    expect((await expectLittleOnDashboard(page)).filter(isOfPayouts)).not.toEqual([]);
  },
);
