/**
 * Nothing moves on pages that arrive rendered once they are drawn, whatever the script does to them then. In a whole
 * browser, since Chromium's headless shell measures texts otherwise.
 */
import type { Page } from '@playwright/test';
import { isTakenOver } from '../support/taken-over.ts';
import { expect, holdScripts, openEarly, test } from './fixtures.ts';
import { proceedWith } from './tipping.ts';

/** Notes what moves on the next pages, as browsers see it (https://web.dev/articles/cls). */
async function watchShifts(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.addInitScript(() => {
    const shifts: { readonly atMs: number; readonly what: string }[] = [];
    // A busy browser may draw a page of which it has read a part only; what follows then moves what stands there, up
    // to the first frame of the whole page.
    const drawn = new Promise<number>((resolve) => {
      document.addEventListener('DOMContentLoaded', () => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())));
      });
    });
    const shiftsSinceDrawn = async () => {
      const drawnMs = await drawn;
      return shifts.filter(({ atMs }) => atMs >= drawnMs).map(({ what }) => what);
    };
    Object.assign(window, { shiftsSinceDrawn });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        for (const { node, previousRect, currentRect } of Reflect.get(entry, 'sources')) {
          const moved = node instanceof Element ? node.outerHTML.slice(0, 80) : node?.textContent;
          const what = `${moved} from ${JSON.stringify(previousRect)} to ${JSON.stringify(currentRect)}`;
          shifts.push({ atMs: entry.startTime, what });
        }
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return () => page.evaluate(() => Reflect.get(window, 'shiftsSinceDrawn')());
}

/** Waits until headings have their own typeface, the last thing that could move a page. */
async function expectDisplayFont(page: Page): Promise<void> {
  const isThere = () =>
    [...document.fonts].some(({ family, status }) => /Instrument Serif/.test(family) && status === 'loaded');
  await expect.poll(() => page.evaluate(isThere)).toBe(true);
  // Drawn once more with it.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
}

test('nothing moves on a tip page, which asks the server nothing more, on the landing page, and on the login, also where a tip is waiting', async ({
  page,
  backstage,
}) => {
  const shifts = await watchShifts(page);

  await test.step('a tip page', async () => {
    // A name that just fits into its line in one typeface may need another in the other.
    const code = await backstage.code(await backstage.provider(['bartender'], 'Pat Doe'));
    let asked: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/(?:api|trpc)/.test(pathname) || /\/api-/.test(pathname)) asked.push(pathname);
    });
    for (const path of [`/tip/${code}`, `/tip/${code.toLowerCase()}`, '/tip/demo-alex-bartender']) {
      asked = [];
      await page.goto(path);
      expect(asked, path).toEqual([]);
      await page.getByText('$10', { exact: true }).click();
      await expect(page.getByRole('definition').first()).toHaveText('$10.00');
      await expectDisplayFont(page);
      expect(await shifts(), path).toEqual([]);
      // With an amount comes what would send it, and nothing is sent.
      expect(
        asked.filter((asset) => !asset.startsWith('/assets/')),
        path,
      ).toEqual([]);
    }
  });

  await test.step('the landing page and the login', async () => {
    // As whoever comes for the first time, whose heading is drawn in another typeface until its own has come.
    const protocol = await page.context().newCDPSession(page);
    await protocol.send('Network.setCacheDisabled', { cacheDisabled: true });
    for (const path of ['/', '/auth', '/auth?tab=sign-up', '/auth?next=/tip/demo-alex-bartender']) {
      await page.goto(path);
      await expectDisplayFont(page);
      expect(await shifts(), path).toEqual([]);
    }
  });

  await test.step('the login of a tip that is waiting', async () => {
    const code = await backstage.code(await backstage.provider(['bartender'], 'Marcus Reed'));
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`/tip/${code}`);
      await proceedWith(page, '$20');
      await expect(page.getByText('is waiting')).toBeVisible();
      await page.reload();
      await expectDisplayFont(page);
      await expect(page.getByText('is waiting')).toBeVisible();
      expect(await shifts(), `at ${width} px`).toEqual([]);
    }
  });
});

test.describe('the dashboard', () => {
  // A worker would answer with the scripts that it keeps.
  test.use({ hasServiceWorker: false });

  test('shows the codes of the last visit before its script, full screen too, to their owner alone, and they stay where they are', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { provider, code } = await backstage.bothSides();
    const other = await backstage.provider(['dj']);
    await logInAs(provider);
    await page.goto('/dashboard');
    const heading = page.getByRole('heading', { name: 'Bartender' });
    await expect(page.getByRole('article', { name: 'Bartender' })).toContainText('no tips yet');
    let release = await holdScripts(page);
    await openEarly(page, '/dashboard');
    await expect(heading).toBeVisible();
    await expect(page.getByRole('heading', { name: `Welcome, ${provider.fullName}` })).toBeVisible();
    // A heading is as wide as its typeface makes it.
    const kept = [page.getByRole('link', { name: 'Start Shift' }), page.getByRole('tablist')];
    const places = await Promise.all(kept.map((part) => part.boundingBox()));
    expect(await page.evaluate(isTakenOver)).toBe(false);
    release();
    await expect(page.getByRole('article', { name: 'Bartender' })).toContainText('no tips yet');
    expect(await Promise.all(kept.map((part) => part.boundingBox()))).toEqual(places);

    release = await holdScripts(page);
    await openEarly(page, '/dashboard');
    await page.getByRole('link', { name: 'Start Shift' }).click({ noWaitAfter: true });
    await page.waitForURL(`**/dashboard?show=${code}`, { waitUntil: 'commit' });
    await expect(page.getByRole('img', { name: 'QR code' })).toBeInViewport({ ratio: 1 });
    await expect(page.getByText(`${code.slice(0, 5)}-${code.slice(5)}`)).toBeVisible();
    expect(await page.evaluate(isTakenOver)).toBe(false);
    release();
    await expect(page.getByRole('button', { name: 'Show Tonight' })).toBeVisible();

    await page.evaluate((token) => localStorage.setItem('tipwell_token', token), other.token);
    release = await holdScripts(page);
    await openEarly(page, '/dashboard');
    await expect(page.getByText('Loading Dashboard...')).toBeVisible();
    await expect(heading).toBeHidden();
    release();
    await expect(page.getByRole('button', { name: 'Create DJ QR' })).toBeVisible();
  });
});
