/**
 * Pages that arrive rendered: what stands there before any script, what happens to a tap that comes too
 * early, and that the script takes over without asking or complaining; `layout-shifts.spec.ts` looks at what moves.
 */
import type { Browser, Locator } from '@playwright/test';
import { PAGE_PATHS } from '#shared/page-paths.ts';
import { isTakenOver } from '../support/taken-over.ts';
import { expect, holdScripts, logInByForm, openEarly, PASSWORD, test, toast, watch } from './fixtures.ts';
import { isUncovered, proceedWith } from './tipping.ts';

const AMOUNTS = [10, 15, 20, 25, 30, 50, 75, 100, 150, 200];

async function expectShown(locator: Locator, text: RegExp): Promise<void> {
  await expect(locator).toHaveText(text);
  expect((await locator.boundingBox())?.height).toBeGreaterThan(10);
}

test.describe('without JavaScript', () => {
  /** On a phone, less what its browser takes. */
  async function openWithoutScript(browser: Browser, baseURL: string | undefined) {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 664 },
      ...(baseURL && { baseURL }),
    });
    return context.newPage();
  }

  test('a tip page shows who and how much, and says what paying takes', async ({
    browser,
    baseURL,
    backstage,
  }) => {
    const provider = await backstage.provider(['dj'], 'Pat O’Malley');
    const code = await backstage.code(provider, 'dj');
    const page = await openWithoutScript(browser, baseURL);
    await page.goto(`/tip/${code}`);
    await expect(page).toHaveTitle('Tip Pat O’Malley · Tipwell');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Pat O’Malley');
    await expect(page.getByText(`@${provider.username}`, { exact: true })).toBeVisible();
    await expect(page.getByText('DJ', { exact: true })).toBeVisible();
    for (const amount of AMOUNTS) await expect(page.getByText(`$${amount}`, { exact: true })).toBeVisible();
    const note = page.locator('noscript p');
    await expectShown(note, /^Paying takes JavaScript\./);
    expect(await note.evaluate(isUncovered)).toBe(true);

    await proceedWith(page, '$25');
    await expect(page.getByRole('radio', { name: '$25', exact: true })).toBeChecked();
    await expect(page.getByRole('definition')).toHaveText(['$25.00', '$1.25', '$24.25', '$26.25']);
    expect(await note.evaluate(isUncovered)).toBe(true);
    await page.context().close();
  });

  test('the landing page and an unknown code read well too', async ({ browser, baseURL }) => {
    const page = await openWithoutScript(browser, baseURL);
    await page.goto('/');
    await expect(page.getByRole('heading', { level: 1 })).toContainText(
      'Join the future of cashless tipping',
    );
    await expect(page.getByRole('heading', { name: 'How it works' })).toBeVisible();
    await expectShown(page.locator('noscript p'), /^Logging in and sending tips take JavaScript\./);
    await page.goto('/tip/ZZZZZZZZZZ');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('QR Code Not Found');
    await page.context().close();
  });

  test('the login says what it takes, and sends no password anywhere', async ({ browser, baseURL }) => {
    const page = await openWithoutScript(browser, baseURL);
    await page.goto('/auth');
    await expectShown(page.locator('noscript p'), /^Logging in takes JavaScript\./);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await page.getByLabel('Email').fill('pat@example.com');
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(page).toHaveURL('/auth');
    expect(sent).toEqual([]);
    await page.context().close();
  });
});

/** Pages of which the script draws everything. */
const DRAWN = ['/scan', '/statement', '/r/nobodys', '/operator'];

test('every page says that it takes JavaScript, where there is none', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) });
  const page = await context.newPage();
  for (const path of [...Object.values(PAGE_PATHS), ...DRAWN]) {
    await page.goto(path);
    await expectShown(page.locator('noscript p'), /JavaScript\. /);
    await expect(page.getByText('Loading'), path).toBeHidden();
  }
  await context.close();
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
  test('a tapped amount is kept', async ({ page, backstage }) => {
    const code = await backstage.code(await backstage.provider());
    await page.goto('/');
    const release = await holdScripts(page);
    await openEarly(page, `/tip/${code}`);
    await page.getByText('$50', { exact: true }).click();
    await expect(page.getByRole('radio', { name: '$50', exact: true })).toBeChecked();
    await expect(page.getByRole('definition')).toHaveCount(0);
    expect(await page.evaluate(isTakenOver)).toBe(false);
    release();
    await expect(page.getByRole('definition')).toHaveText(['$50.00', '$2.50', '$48.50', '$52.50']);
    await expect(page.getByRole('radio', { name: '$50', exact: true })).toBeChecked();
  });

  test('a typed amount is kept, and the later of two counts', async ({ page, backstage }) => {
    const code = await backstage.code(await backstage.provider());
    await page.goto('/');
    const release = await holdScripts(page);
    await openEarly(page, `/tip/${code}`);
    await page.getByText('$50', { exact: true }).click();
    await page.getByLabel('Or enter your own').fill('12,34');
    expect(await page.evaluate(isTakenOver)).toBe(false);
    release();
    await expect(page.getByRole('definition').first()).toHaveText('$12.34');
    await expect(page.getByLabel('Or enter your own')).toHaveValue('12,34');
    await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
  });

  test('what is typed into the login is kept and sent', async ({ page, backstage }) => {
    const customer = await backstage.customer();
    await page.goto('/');
    const release = await holdScripts(page);
    await openEarly(page, '/auth');
    await page.getByLabel('Email').fill(customer.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    expect(await page.evaluate(isTakenOver)).toBe(false);
    release();
    await expect(page).toHaveURL('/dashboard');
  });

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
  test('what is drawn first is what was rendered', async ({ page, backstage, logInAs }) => {
    const code = await backstage.code(await backstage.provider());
    await logInAs(await backstage.customer());
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
    for (const path of [`/tip/${code}`, '/tip/demo-sam-barber']) {
      await page.goto(path);
      await expect.poll(isAsRendered, path).toBe(true);
    }
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

test.describe('a code that exists', () => {
  const FORGED = '?userId=mallory&service=barber';

  test('is not overridden by what its address says, and nothing of that is sent on', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await logInAs(await backstage.customer());
    await page.goto(`/tip/${code}${FORGED}`);
    await expect(page).toHaveTitle(`Tip ${provider.fullName} · Tipwell`);
    await page.getByText('$10', { exact: true }).click();
    await expect(page.getByRole('definition').first()).toHaveText('$10.00');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(provider.fullName);
    await expect(page.locator('input[type=hidden]')).toHaveCount(0);
    await expect(page.getByText('This is a demo.')).toHaveCount(0);
  });

  test('is not overridden where the script draws the page itself', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await logInAs(await backstage.customer());
    await page.goto('/scan');
    await expect(page.getByLabel('QR code or link')).toBeVisible();
    const goTo = (path: string) => page.evaluate((to) => window.history.pushState(null, '', to), path);
    await goTo(`/tip/${code}${FORGED}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(provider.fullName);
    await expect(page.getByText('This is a demo.')).toHaveCount(0);
    await goTo(`/tip/anything${FORGED}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mallory');
    await expect(page.getByText('This is a demo.')).toBeVisible();
    complaints.length = 0;
  });

  test('that is not there is the demo of its address, without asking again', async ({ page }) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/^\/(?:api|trpc)/.test(new URL(request.url()).pathname)) asked.push(request.url());
    });
    await page.goto('/tip/ZZZZZZZZZZ?userId=sam&service=dj');
    await page.getByText('$10', { exact: true }).click();
    await expect(page.getByRole('definition').first()).toHaveText('$10.00');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sam');
    await expect(page).toHaveTitle('Demo tip page, DJ · Tipwell');
    expect(asked).toEqual([]);
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

test('a rendered page leads to every other screen, and back', async ({ page, backstage }) => {
  const customer = await backstage.customer();
  const provider = await backstage.provider();
  const code = await backstage.code(provider);
  await page.goto(`/tip/${code}`);
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('link', { name: 'Get Started Now' }).click();
  await page.getByRole('tab', { name: 'Login' }).click();
  await logInByForm(page, customer);
  await expect(page).toHaveURL('/dashboard');
  await expect(page.getByRole('link', { name: 'Scan QR' })).toBeVisible();
  await page.getByRole('link', { name: 'Scan QR' }).click();
  await page.getByLabel('QR code or link').fill(code);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeFocused();
  await page.goBack();
  await expect(page).toHaveURL('/scan');
});
