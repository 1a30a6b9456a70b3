/**
 * Pages that arrive rendered: what stands there before any script, what happens to a tap that comes too
 * early, and that the script takes over without asking or complaining; `layout-shifts.spec.ts` looks at what moves.
 */
import type { Locator, Request } from '@playwright/test';
import { PAGE_PATHS } from '#shared/page-paths.ts';
import { isTakenOver } from '../support/taken-over.ts';
import { expect, holdScripts, openEarly, PASSWORD, test, toast, watch } from './fixtures.ts';
import { isUncovered, proceedWith } from './tipping.ts';

const AMOUNTS = [10, 15, 20, 25, 30, 50, 75, 100, 150, 200];

async function expectShown(locator: Locator, text: RegExp): Promise<void> {
  await expect(locator).toHaveText(text);
  expect((await locator.boundingBox())?.height).toBeGreaterThan(10);
}

/** Pages of which the script draws everything. */
const DRAWN = ['/scan', '/statement', '/r/nobodys', '/operator'];

test.describe('without JavaScript', () => {
  test('a tip page shows who and how much, and what paying takes; the landing page and an unknown code read well too, the login sends no password anywhere, and every page says that it takes JavaScript', async ({
    browser,
    baseURL,
    backstage,
  }) => {
    const provider = await backstage.provider(['dj'], 'Pat O’Malley');
    const code = await backstage.code(provider, 'dj');
    // On a phone, less what its browser takes.
    const viewport = { width: 390, height: 664 };
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport,
      ...(baseURL && { baseURL }),
    });
    const page = await context.newPage();
    const note = page.locator('noscript p');

    await test.step('a tip page', async () => {
      await page.goto(`/tip/${code}`);
      await expect(page).toHaveTitle('Tip Pat O’Malley · Tipwell');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Pat O’Malley');
      await expect(page.getByText(`@${provider.username}`, { exact: true })).toBeVisible();
      await expect(page.getByText('DJ', { exact: true })).toBeVisible();
      for (const amount of AMOUNTS) await expect(page.getByText(`$${amount}`, { exact: true })).toBeVisible();
      await expectShown(note, /^Paying takes JavaScript\./);
      expect(await note.evaluate(isUncovered)).toBe(true);

      await proceedWith(page, '$25');
      await expect(page.getByRole('radio', { name: '$25', exact: true })).toBeChecked();
      await expect(page.getByRole('definition')).toHaveText(['$25.00', '$1.25', '$24.25', '$26.25']);
      expect(await note.evaluate(isUncovered)).toBe(true);
    });

    await test.step('the landing page and an unknown code', async () => {
      await page.goto('/');
      await expect(page.getByRole('heading', { level: 1 })).toContainText(
        'Join the future of cashless tipping',
      );
      await expect(page.getByRole('heading', { name: 'How it works' })).toBeVisible();
      await expectShown(note, /^Logging in and sending tips take JavaScript\./);
      await page.goto('/tip/ZZZZZZZZZZ');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('QR Code Not Found');
    });

    await test.step('the login', async () => {
      await page.goto('/auth');
      await expectShown(note, /^Logging in takes JavaScript\./);
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.url()));
      await page.getByLabel('Email').fill('pat@example.com');
      await page.getByLabel('Password', { exact: true }).fill('correct horse');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await expect(page).toHaveURL('/auth');
      expect(sent).toEqual([]);
    });

    await test.step('every page', async () => {
      for (const path of [...Object.values(PAGE_PATHS), ...DRAWN]) {
        await page.goto(path);
        await expectShown(note, /JavaScript\. /);
        await expect(page.getByText('Loading'), path).toBeHidden();
      }
    });
    await context.close();
  });
});

test('a page without its script says after a while that it has not loaded', async ({ page, complaints }) => {
  await page.goto('/');
  await page.route('**/assets/*.js', (route) => route.abort());
  for (const path of DRAWN) {
    await openEarly(page, path);
    const sentence = page.getByText('This page has not loaded.');
    await expect(sentence, path).toBeAttached();
    await expect(sentence, path).toBeHidden();
    await page.evaluate(() => {
      for (const animation of document.getAnimations()) animation.finish();
    });
    await expect(sentence, path).toBeVisible();
  }
  await page.unroute('**/assets/*.js');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Log In as an Operator' })).toBeVisible();
  complaints.length = 0;
});

test.describe('before the script has come', () => {
  test('Proceed is repeated, and leads on to the payment of this amount and demo', async ({
    page,
    backstage,
    logInAs,
  }) => {
    await logInAs(await backstage.customer());
    await page.goto('/scan');
    const release = await holdScripts(page);
    await openEarly(page, '/tip/x?userId=sam&service=dj');
    await proceedWith(page, '$75');
    await page.getByRole('button', { name: 'Proceed' }).click();
    expect(await page.evaluate(isTakenOver)).toBe(false);
    release();
    await expect(page.getByRole('button', { name: /^Pay \$78\.75/ })).toBeVisible();
    await expect(page).toHaveURL('/tip/x?userId=sam&service=dj');
    await page.goBack();
    await expect(page.getByRole('radio', { name: '$75', exact: true })).toBeChecked();
    await page.goBack();
    await expect(page).toHaveURL('/scan');
  });

  test('a tap counts once when React takes it while it hydrates', async ({ page }) => {
    await page.goto('/');
    const release = await holdScripts(page);
    await openEarly(page, '/auth');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.evaluate(() => {
      document.addEventListener('hydrating', () => {
        document.querySelector<HTMLElement>('[aria-label="Show password"]')?.click();
      });
    });
    release();
    await expect.poll(() => page.evaluate(isTakenOver)).toBe(true);
    await page.waitForLoadState('networkidle');
    await expect(page.getByRole('button', { name: 'Hide password' })).toBeVisible();
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text');
  });

  test('Proceed leads back with amount and demo when the script cannot be fetched, and tries again', async ({
    page,
    complaints,
  }) => {
    await page.goto('/');
    const refused: string[] = [];
    await page.route('**/assets/*.js', (route) => {
      refused.push(new URL(route.request().url()).pathname);
      return route.abort();
    });
    await openEarly(page, '/tip/x?userId=sam&service=dj');
    await proceedWith(page, '$75');
    await page.waitForURL(/amount=75/, { waitUntil: 'commit' });
    await expect(page.getByRole('heading', { level: 1, name: 'Sam' })).toBeVisible();
    await expect(page.getByRole('definition').nth(3)).toHaveText('$78.75');
    // A script that came to the second page would take the amount from its address.
    const isEntry = (path: string) => path.startsWith('/assets/tip-page');
    await expect.poll(() => refused.filter(isEntry).length).toBe(2);
    await page.unroute('**/assets/*.js');
    await page.reload();
    await page.getByRole('button', { name: 'Proceed' }).dblclick();
    await expect(page).toHaveURL(
      `/auth?tab=sign-up&next=${encodeURIComponent('/tip/x?userId=sam&service=dj')}`,
    );
    await expect(page.getByText('$75.00')).toBeVisible();
    complaints.length = 0;
  });
});

test.describe('when the script has come', () => {
  test('a code that exists is not overridden by what its address says, and one that does not is the demo of its address; what is drawn first is what was rendered', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const FORGED = '?userId=mallory&service=barber';
    const name = page.getByRole('heading', { level: 1 });
    const demo = page.getByText('This is a demo.');
    const provider = await backstage.provider();
    const code = await backstage.code(provider);

    await test.step('a demo, without asking again', async () => {
      const asked: string[] = [];
      const note = (request: Request) => {
        if (/^\/(?:api|trpc)/.test(new URL(request.url()).pathname)) asked.push(request.url());
      };
      page.on('request', note);
      await page.goto('/tip/ZZZZZZZZZZ?userId=sam&service=dj');
      await page.getByText('$10', { exact: true }).click();
      await expect(page.getByRole('definition').first()).toHaveText('$10.00');
      await expect(name).toHaveText('Sam');
      await expect(page).toHaveTitle('Demo tip page, DJ · Tipwell');
      expect(asked).toEqual([]);
      page.off('request', note);
    });

    const isAsRendered = () =>
      page.evaluate(async () => {
        const answer = await fetch(window.location.href);
        const rendered = new DOMParser().parseFromString(await answer.text(), 'text/html');
        // Comments mark borders for React, noscript is no content where scripts run, and Back leads somebody
        // who is logged in elsewhere.
        const plain = (html: string | undefined) =>
          html
            ?.replace(/<!--.*?-->/g, '')
            .replace(/<noscript>.*?<\/noscript>/gs, '')
            .replace('href="/dashboard"', 'href="/"');
        return (
          plain(document.getElementById('root')?.innerHTML) ===
          plain(rendered.getElementById('root')?.innerHTML)
        );
      });
    await logInAs(await backstage.customer());
    for (const path of ['/tip/demo-sam-barber', `/tip/${code}${FORGED}`]) {
      await page.goto(path);
      await expect.poll(isAsRendered, path).toBe(true);
    }

    await test.step('a rendered page of which nothing forged is sent on', async () => {
      await expect(page).toHaveTitle(`Tip ${provider.fullName} · Tipwell`);
      await page.getByText('$10', { exact: true }).click();
      await expect(page.getByRole('definition').first()).toHaveText('$10.00');
      await expect(name).toHaveText(provider.fullName);
      await expect(page.locator('input[type=hidden]')).toHaveCount(0);
      await expect(demo).toHaveCount(0);
    });

    expect(complaints).toEqual([]);
    await test.step('a page that the script draws itself', async () => {
      await page.goto('/scan');
      await expect(page.getByLabel('QR code or link')).toBeVisible();
      const goTo = (path: string) => page.evaluate((to) => window.history.pushState(null, '', to), path);
      await goTo(`/tip/${code}${FORGED}`);
      await expect(name).toHaveText(provider.fullName);
      await expect(demo).toHaveCount(0);
      await goTo(`/tip/anything${FORGED}`);
      await expect(name).toHaveText('Mallory');
      await expect(demo).toBeVisible();
    });
    complaints.length = 0;
  });

  test('a failed look-up can be tried again', async ({ page, backstage, complaints }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await page.goto(`/tip/${code}`);
    const html = await page.evaluate(async () => (await fetch('/tip/ZZZZZZZZZZ')).text());
    // The page as the server answers it while the storage is away.
    const failed = html.replace('{"kind":"unknown"}', '{"kind":"failed","detail":null}');
    expect(failed).not.toBe(html);
    await page.route(`**/tip/${code}`, (route) =>
      route.fulfill({
        status: 503,
        contentType: 'text/html',
        body: failed.replace(/(<div id="root">).*(<\/div>)/, '$1$2'),
      }),
    );
    await page.reload();
    await expect(page.getByRole('alert')).toContainText('Nothing is lost, and nothing is paid twice.');
    await expect(toast(page, 'QR code not found')).toBeVisible();
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
    complaints.length = 0;
  });
});

test('the tests notice a page that cannot be hydrated as it stands', async ({ page, browser, server }) => {
  const complaints: string[] = [];
  const other = await browser.newPage();
  await watch(other, complaints, server.url);
  await page.goto('/tip/demo-alex-bartender');
  const html = await page.evaluate(async () => (await fetch(window.location.href)).text());
  await other.route('**/tip/demo-alex-bartender', (route) =>
    route.fulfill({ contentType: 'text/html', body: html.replace('<bdi>Alex</bdi>', '<bdi>Mallory</bdi>') }),
  );
  await other.goto(`${server.url}/tip/demo-alex-bartender`);
  await expect.poll(() => complaints.join()).toContain('418');
  await other.close();
});
