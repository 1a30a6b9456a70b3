/**
 * The landing page: what it promises, where its links lead, and the files that stand for the product
 * elsewhere.
 */
import type { Page } from '@playwright/test';
import { PNG } from 'pngjs';
import { expect, test } from './fixtures.ts';

function itemsBeside(page: Page, heading: string) {
  return page
    .getByRole('list')
    .filter({ has: page.getByRole('heading', { name: heading }) })
    .getByRole('listitem');
}

const WAYS_IN = [
  ['Get Started Now', '/auth?tab=sign-up', 'Sign Up'],
  ['Join Tipwell Today', '/auth?tab=sign-up', 'Sign Up'],
  ['Login', '/auth', 'Login'],
] as const;

test('the landing page', async ({ page }) => {
  await test.step('says what Tipwell is, how it works, what it costs and for whom it is', async () => {
    await page.goto('/');
    await expect(page).toHaveTitle('Tipwell - Join the future of cashless tipping');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      'Tipwell Join the future of cashless tipping',
    );

    await expect(page.getByRole('heading', { level: 2, name: 'How it works' })).toBeVisible();
    await expect(itemsBeside(page, 'Receive Tips Instantly').getByRole('heading')).toHaveText([
      'Sign Up & Create QR',
      'Display Your QR Code',
      'Receive Tips Instantly',
    ]);
    await expect(itemsBeside(page, 'Display Your QR Code').nth(1)).toContainText(
      'scans it with any camera app, lands on your tip page, picks an amount and pays with Apple Pay',
    );
    await expect(itemsBeside(page, 'Receive Tips Instantly').nth(2)).toContainText('notified and paid');

    const cards = itemsBeside(page, 'QR code tipping');
    await expect(cards).toHaveCount(6);
    for (const [index, [title, fact]] of (
      [
        ['QR code tipping', 'A code of your own for every service'],
        ['Wallet payment integration', 'Apple Pay'],
        ['Flexible amounts', '$10 to $10,000'],
        ['Multi-service support', 'One account'],
        ['Secure transactions', '5% + 3%'],
        [
          'Instant real-time notifications',
          'Givers see that their tip was sent, receivers see that it arrived',
        ],
      ] as const
    ).entries()) {
      await expect(cards.nth(index).getByRole('heading', { level: 3 })).toHaveText(title);
      await expect(cards.nth(index)).toContainText(fact);
    }

    const badges = page.getByRole('list').filter({ has: page.getByText('Esthetician', { exact: true }) });
    await expect(badges.getByRole('listitem')).toHaveText([
      'Bartender',
      'Barber',
      'Nail Tech',
      'Esthetician',
      'Server',
      'DJ',
      'Live Event',
    ]);
    await expect(page.getByText('Escort')).toHaveCount(0);
    await expect(page.getByRole('contentinfo')).toContainText('© 2024 Tipwell');
  });

  await test.step('scrolls by "Learn More" to "How it works", where reading goes on', async () => {
    const heading = page.getByRole('heading', { name: 'How it works' });
    await expect(heading).not.toBeInViewport();
    await page.getByRole('link', { name: 'Learn More' }).click();
    await expect(heading).toBeInViewport();
    await expect(heading).toBeFocused();
    await expect(page).toHaveURL('/#how-it-works');
    await page.goBack();
    await expect(page).toHaveURL('/');
  });

  await test.step('leads by its links to the sign-up or the login, and Back returns', async () => {
    for (const [name, address, tab] of WAYS_IN) {
      await page.getByRole('link', { name, exact: true }).click();
      await expect(page).toHaveURL(address);
      await expect(page.getByRole('heading', { level: 1, name: 'Login or Sign Up' })).toBeFocused();
      await expect(page.getByRole('tab', { selected: true })).toHaveText(tab);
      await page.goBack();
    }
    await expect(page.getByRole('link', { name: 'Get Started Now' })).toBeVisible();
  });

  await test.step('names icons and a manifest that are there and are what they say', async () => {
    await expect(page.locator('link[rel="manifest"]')).toHaveCount(1);
    const links = await page
      .locator('link[rel="icon"], link[rel="apple-touch-icon"], link[rel="manifest"]')
      .evaluateAll((found) =>
        found.flatMap((link) =>
          link instanceof HTMLLinkElement ? [{ rel: link.rel, href: link.href }] : [],
        ),
      );
    expect(links.map(({ rel }) => rel).toSorted()).toEqual(['apple-touch-icon', 'icon', 'manifest']);
    for (const { rel, href } of links) {
      if (rel === 'icon') {
        expect(href).toMatch(/^data:image\/svg\+xml,/);
        const picture = page.getByRole('img', { name: 'the icon' });
        await page.evaluate(
          (src) => document.body.append(Object.assign(new Image(), { src, alt: 'the icon' })),
          href,
        );
        await expect(picture).toHaveJSProperty('complete', true);
        expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
        continue;
      }
      const answer = await page.request.get(href);
      expect(answer.status(), href).toBe(200);
      if (rel === 'apple-touch-icon') expect(PNG.sync.read(await answer.body()).width).toBe(180);
      if (rel !== 'manifest') continue;
      const manifest = await answer.json();
      expect(manifest).toMatchObject({ name: 'Tipwell', start_url: '/dashboard', display: 'standalone' });
      for (const { src, sizes, type } of manifest.icons) {
        const icon = await page.request.get(src);
        expect(icon.headers()['content-type'], src).toContain(type);
        if (type !== 'image/png') continue;
        const { width, height } = PNG.sync.read(await icon.body());
        expect(`${width}x${height}`, src).toBe(sizes);
      }
    }
  });
});

test('leads by its links to the sign-up, the login and "How it works" without JavaScript too', async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) });
  const page = await context.newPage();
  for (const [name, address, tab] of WAYS_IN) {
    await page.goto('/');
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page).toHaveURL(address);
    await expect(page.getByRole('tab', { selected: true })).toHaveText(tab);
  }
  await page.goto('/');
  await page.getByRole('link', { name: 'Learn More' }).click();
  await expect(page.getByRole('heading', { name: 'How it works' })).toBeInViewport();
  await context.close();
});

test('takes whoever is logged in to the dashboard', async ({ page, backstage, logInAs }) => {
  const customer = await backstage.customer();
  await logInAs(customer);
  for (const address of ['/', '/#how-it-works']) {
    await page.goto(address);
    await expect(page).toHaveURL('/dashboard');
    const heading = page.getByRole('heading', { level: 1, name: `Welcome, ${customer.fullName}` });
    await expect(heading).toBeVisible();
  }
});
