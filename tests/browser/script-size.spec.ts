/**
 * How much script a page loads before anybody does anything, in bytes as Brotli packs them: a phone at a bar
 * has to fetch it. `npm run bench:page` measures what comes of it.
 */
import type { Locator, Page, Response } from '@playwright/test';
import { expect, type Person, test as simulated } from './fixtures.ts';
import { test as paid } from './stripe-fixtures.ts';

const MAX_TIP_PAGE_BYTES = 70_000;
const MAX_DASHBOARD_BYTES = 115_000;

/** Opens a page. @returns the size of each script that it has loaded when it shows `content` and nothing more comes. */
async function scriptsOf(page: Page, path: string, content: Locator): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const told: Promise<unknown>[] = [];
  const note = (response: Response) => {
    const { pathname } = new URL(response.url());
    if (!pathname.startsWith('/assets/') || !pathname.endsWith('.js')) return;
    told.push(packedSizeOf(response).then((size) => sizes.set(pathname, size)));
  };
  page.on('response', note);
  await page.goto(path);
  await expect(content).toBeVisible();
  // The dashboard keeps a stream open, so that the network is never quite idle.
  let before: number;
  do {
    before = told.length;
    await page.waitForTimeout(2_000);
  } while (told.length > before);
  page.off('response', note);
  await Promise.all(told);
  return sizes;
}

/** The size that the server tells, because nothing is transferred to a browser that has the file of another test. */
async function packedSizeOf(response: Response): Promise<number> {
  const { 'content-encoding': coding, 'content-length': length } = await response.allHeaders();
  expect(coding, response.url()).toBe('br');
  return Number(length);
}

function sumOf(sizes: ReadonlyMap<string, number>): number {
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

async function expectLittleToTip(page: Page, code: string): Promise<void> {
  const sizes = await scriptsOf(page, `/tip/${code}`, page.getByRole('radio', { name: '$20', exact: true }));
  expect(sizes.size).toBeGreaterThan(0);
  expect(sumOf(sizes), JSON.stringify([...sizes])).toBeLessThanOrEqual(MAX_TIP_PAGE_BYTES);
}

async function expectLittleOnDashboard(page: Page, content: Locator): Promise<readonly string[]> {
  const sizes = await scriptsOf(page, '/dashboard', content);
  expect(sumOf(sizes), JSON.stringify([...sizes])).toBeLessThanOrEqual(MAX_DASHBOARD_BYTES);
  return [...sizes.keys()];
}

/** On a page without a script, so that nothing of whoever was logged in before is kept. */
async function logIn(page: Page, { token }: Person): Promise<void> {
  await page.goto('/robots.txt');
  await page.evaluate((own) => {
    localStorage.clear();
    sessionStorage.clear();
    localStorage.setItem('tipwell_token', own);
  }, token);
}

const codeIn = (page: Page) => page.getByRole('link', { name: 'Start Shift' });
const isOfPayouts = (path: string) => path.includes('payouts');

simulated(
  'the tip page and the dashboards of a provider and a customer load little script',
  async ({ page, backstage }) => {
    const { provider, customer, code } = await backstage.bothSides();
    await backstage.tip(customer, code, 20);
    await expectLittleToTip(page, code);
    await logIn(page, provider);
    expect((await expectLittleOnDashboard(page, codeIn(page))).filter(isOfPayouts)).toEqual([]);
    await logIn(page, customer);
    await expectLittleOnDashboard(page, page.getByText('Status: completed'));
  },
);

paid(
  'the tip page and the dashboard of a provider who is to be paid load little script where tips are paid',
  async ({ page, payableSides, backstage }) => {
    const { code } = await payableSides();
    await expectLittleToTip(page, code);
    const { provider } = await backstage.bothSides();
    await logIn(page, provider);
    expect((await expectLittleOnDashboard(page, codeIn(page))).filter(isOfPayouts)).not.toEqual([]);
  },
);
