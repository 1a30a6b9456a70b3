/**
 * The code on the landing page's card can be scanned, tapped and paid, and the drawn phone receives the tip.
 */
import type { Page } from '@playwright/test';
import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { expect, storeNothing, test } from './fixtures.ts';
import { changeScheme, settled, violations } from './for-everybody.ts';
import { payTip, proceedWith } from './tipping.ts';

const TRY = 'Try it: open the demo tip page';

test('the demo, to which the drawn codes lead, is paid without a login, recorded nowhere, and arrives on the drawn phone', async ({
  page,
  baseURL,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') asked.push(request.url());
  });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('/');
  await test.step('the drawn codes lead to it in both schemes, on phones and wide screens', async () => {
    const cards = page.getByRole('link', { name: TRY });
    await expect(cards).toHaveCount(2);
    // The scheme changes colours alone, and the width sizes alone.
    for (const [colorScheme, width] of [
      ['light', 390],
      ['dark', 1280],
    ] as const) {
      await changeScheme(page, colorScheme);
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      for (const card of await cards.all()) {
        await card.scrollIntoViewIfNeeded();
        await expect(card.locator('img')).toHaveJSProperty('complete', true);
        const { data, width: columns, height: rows } = PNG.sync.read(await card.screenshot());
        const read = jsqr(new Uint8ClampedArray(data), columns, rows);
        expect(read?.data, `${colorScheme}, ${width} px`).toBe(`${baseURL}/tip/demo-alex-bartender`);
      }
    }
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
    await page.setViewportSize({ width: 390, height: 844 });
    await settled(page);
  });
  await expect(page.getByText('Scan or tap: it is a demo')).toBeVisible();
  await page.getByRole('link', { name: TRY }).first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/tip/demo-alex-bartender');
  await payTip(page, '$50');
  await expect(page.getByRole('heading', { name: 'Demo tip sent!' })).toBeFocused();
  await expect(page.getByRole('link', { name: 'View Transactions' })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Demo tip sent!' })).toBeVisible();
  await page.getByRole('link', { name: 'See It Arrive' }).click();
  await expect(page).toHaveURL('/#bar');
  await expect(page.getByRole('status').filter({ hasText: '$50.00 tip · you keep $48.50' })).toHaveCount(1);
  const picture = page.getByRole('img', { name: '$50.00 tip · you keep $48.50' });
  await expect(picture).toBeInViewport();
  await expect(picture.getByText('$145.50')).toBeVisible();
  expect(asked).toEqual([]);
  await page.reload();
  await expect(page.getByRole('img', { name: '$25.00 tip · you keep $24.25' })).toBeVisible();
});

test('a tip of the demo arrives after Back too, and on a landing page that is open in another tab', async ({
  page,
  context,
}) => {
  await page.goto('/');
  const other = await context.newPage();
  await other.goto('/tip/demo-alex-bartender');
  await payTip(other, '$20');
  await expect(page.getByRole('img', { name: '$20.00 tip · you keep $19.40' })).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: '$20.00 tip · you keep $19.40' })).toHaveCount(1);

  await page.getByRole('link', { name: TRY }).first().click();
  await payTip(page, '$10');
  await expect(page.getByRole('heading', { name: 'Demo tip sent!' })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
  await expect(page.getByText('was sent')).toHaveCount(0);
  await page.goBack();
  await expect(page.getByRole('img', { name: '$10.00 tip · you keep $9.70' })).toBeVisible();

  await other.evaluate(storeNothing);
  await other.getByRole('link', { name: 'Send Another Tip' }).click();
  await payTip(other, '$20');
  await expect(other.getByRole('heading', { name: 'Demo tip sent!' })).toBeVisible();
  await other.close();
});

/**
 * Sends the drawn phone tips from another tab until one arrives: it listens a moment after the page is there.
 */
async function sendUntilShown(page: Page, amountCents: number, shown: string): Promise<void> {
  await expect(async () => {
    await page.evaluate(
      (cents) => new BroadcastChannel('demo-tips').postMessage({ amountCents: cents }),
      amountCents,
    );
    await expect(page.getByRole('img', { name: shown })).toBeVisible({ timeout: 1_000 });
  }).toPass();
}

test('what is no tip of the demo is shown by nothing, and a tip of any size has room, also with large text in a narrow window', async ({
  page,
}) => {
  await page.goto('/');
  await sendUntilShown(page, 1_500, '$15.00 tip · you keep $14.55');
  const total = page
    .getByRole('img', { name: 'you keep' })
    .locator('text')
    .filter({ hasText: /^\$[\d,.]+$/ });
  const before = Number((await total.textContent())?.slice(1));
  await page.evaluate(() => {
    const channel = new BroadcastChannel('demo-tips');
    const others = [
      null,
      'x',
      2000,
      [],
      {},
      { amountCents: '2000' },
      { amountCents: 1e9 },
      { amountCents: 999 },
    ];
    for (const message of [...others, { amountCents: 2000.5 }, { amountCents: 2000, name: '<b>' }])
      channel.postMessage(message);
    sessionStorage.setItem(
      'demo-tips',
      JSON.stringify([{ amountCents: -2000 }, { amountCents: 2000, x: 1 }, 7]),
    );
    channel.postMessage({ amountCents: 1000 });
  });
  await expect(page.getByRole('img', { name: '$10.00 tip · you keep $9.70' })).toBeVisible();
  await expect(total).toHaveText(`$${(before + 9.7).toFixed(2)}`);
  await page.reload();
  await expect(page.getByRole('img', { name: '$25.00 tip · you keep $24.25' })).toBeVisible();

  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 320, height: 700 });
  await sendUntilShown(page, 1_000_000, '$10,000.00 tip · you keep $9,700.00');
  expect(await violations(page, 'all')).toEqual([]);
  for (const size of ['100%', '200%']) {
    await page.evaluate((to) => {
      document.documentElement.style.fontSize = to;
    }, size);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  }
});

test('every other demo asks for a login', async ({ page }) => {
  for (const path of [
    '/tip/demo-sam-barber',
    '/tip/demo-alex-bartender?userId=sam&service=dj',
    '/tip/x?userId=alex&service=bartender',
  ]) {
    await page.goto(path);
    await proceedWith(page, '$20');
    await expect(page, path).toHaveURL(/\/auth\?tab=sign-up&next=/);
  }
});
