/** What a giver sees of a tip page that its owner has made their own, and of a code that takes no tips. */
import type { Page } from '@playwright/test';
import sharp from 'sharp';
import { type Backstage, enterCode, expect, holdAnswers, openEarly, type Person, test } from './fixtures.ts';
import { violations } from './for-everybody.ts';
import { payTip, proceedWith } from './tipping.ts';

async function setPhoto(page: Page, code: string, owner: Person): Promise<void> {
  const data = await sharp({ create: { width: 600, height: 600, channels: 3, background: '#40605a' } })
    .jpeg()
    .toBuffer();
  const headers = { Authorization: `Bearer ${owner.token}`, 'Content-Type': 'image/jpeg' };
  const answer = await page.request.put(`/api/qr-codes/${code}/photo`, { data, headers });
  expect(answer.status()).toBe(200);
}

async function expectForEverybody(page: Page): Promise<void> {
  expect(await violations(page, 'all')).toEqual([]);
  const before = page.viewportSize() ?? { width: 390, height: 844 };
  await page.setViewportSize({ width: 320, height: 700 });
  for (const size of ['200%', '100%']) {
    await page.evaluate((to) => {
      document.documentElement.style.fontSize = to;
    }, size);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  }
  await page.setViewportSize(before);
}

test('a page of its own shows name, greeting and photo, and no username, and a photo that cannot be loaded leaves no hole', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  const body = {
    display_name: 'DJ Night',
    greeting: '<b>Thanks</b> \u0645\u0631\u062d\u0628\u0627, and see you soon!',
  };
  await backstage.call('PATCH', `/qr-codes/${code}`, { token: provider.token, body });
  await logInAs(customer);

  await test.step('a photo that cannot be loaded', async () => {
    await page.goto(`/tip/${code}`);
    const heading = page.getByRole('heading', { level: 1 });
    const without = await heading.boundingBox();
    await setPhoto(page, code, provider);
    await page.route('**/photos/*', (route) => route.abort());
    await page.goto(`/tip/${code}`);
    await expect(page.locator('img')).toBeHidden();
    expect(await heading.boundingBox()).toEqual(without);
    await page.unroute('**/photos/*');
    complaints.length = 0;
  });

  await page.goto(`/tip/${code}`);
  const who = page.getByRole('region', { name: 'Who receives your tip' });
  await expect(who.getByRole('heading', { name: 'DJ Night' })).toBeVisible();
  await expect(who.getByText(body.greeting)).toBeVisible();
  await expect(who.locator('img')).toHaveJSProperty('naturalWidth', 512);
  await expect(who.getByText('@')).toHaveCount(0);
  await expectForEverybody(page);
  await payTip(page, '$20');
  await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText('@');
  await page.getByRole('button', { name: 'Show Full Screen' }).click();
  await expect(page.getByRole('dialog')).not.toContainText('@');
});

test('a code that is paused before somebody pays keeps the amount and charges nothing; it says who it is, takes nothing, and goes on once it is resumed', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  const setStatus = (status: string) =>
    backstage.call('PATCH', `/qr-codes/${code}`, { token: provider.token, body: { status } });
  const paused = page.getByRole('heading', { name: 'Not taking tips right now' });
  const retry = page.getByRole('button', { name: 'Retry' });
  await logInAs(customer);
  // In the address of a dashboard this holds toasts back; here it says nothing.
  await page.goto(`/tip/${code}?show=${code}`);

  await test.step('before somebody pays', async () => {
    await proceedWith(page, '$30');
    await setStatus('paused');
    const screen = await holdAnswers(page, '**/assets/late-*.js');
    await page.getByRole('button', { name: /^Pay/ }).click();
    await expect(
      page.getByText('This QR code is not taking tips right now. Nothing was charged.'),
    ).toBeVisible();
    await expect.poll(screen.asked).toBe(1);
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
    await expect(page.getByText('Loading')).toHaveCount(0);
    screen.release();
    await expect(paused).toBeVisible();
    expect(await backstage.transactions(customer)).toEqual([]);
    await setStatus('active');
    await retry.click();
    await expect(page.getByRole('radio', { name: '$30', exact: true })).toBeChecked();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
    await page.unroute('**/assets/late-*.js');
  });

  await setStatus('paused');
  for (const enter of [() => page.goto(`/tip/${code}`), () => page.reload()]) {
    await enter();
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
    await expect(paused).toBeVisible();
    await expect(page.getByRole('group', { name: 'Choose an amount' })).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Proceed' })).toHaveCount(0);
  }
  await expectForEverybody(page);
  // Where its part cannot be fetched, what was rendered stays.
  await page.route('**/assets/late-*.js', (route) => route.abort());
  const failed = page.waitForEvent('requestfailed');
  await openEarly(page, `/tip/${code}?`);
  await failed;
  await page.waitForLoadState();
  const loaded = page.waitForEvent('load');
  await retry.click();
  await loaded;
  await expect(paused).toBeVisible();
  await page.unroute('**/assets/late-*.js');
  await page.reload();
  complaints.length = 0;
  const answered = page.waitForResponse(/qrCodes\.lookup/);
  await retry.click();
  await (await answered).finished();
  await expect(paused).toBeVisible();
  await setStatus('active');
  await retry.click();
  await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
});

const TITLES = {
  replaced: 'This code was replaced',
  retired: 'This code is no longer in use',
} as const;

async function endCode(
  backstage: Backstage,
  { token }: Person,
  code: string,
  status: keyof typeof TITLES,
): Promise<void> {
  if (status === 'replaced') await backstage.call('POST', `/qr-codes/${code}/replacement`, { token });
  else await backstage.call('PATCH', '/auth/me', { token, body: { service_categories: ['dj'] } });
}

for (const status of ['replaced', 'retired'] as const) {
  test(`a code that is ${status} while somebody pays shows what became of it, and that nothing was charged; from then on it says so and leads to no other code, and its receipts stay`, async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await backstage.tip(customer, code, 20);
    const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$30');
    const pay = page.getByRole('button', { name: /^Pay/ });
    await expect(pay).toBeVisible();
    await endCode(backstage, provider, code, status);
    await pay.click();
    await expect(page.getByRole('heading', { level: 1, name: TITLES[status] })).toBeVisible();
    await expect(page.getByText(/Nothing was charged\.$/)).toBeVisible();
    expect(await backstage.transactions(customer)).toHaveLength(1);
    expect(complaints.splice(0).every((text) => text.includes('410'))).toBe(true);

    await page.evaluate(() => localStorage.removeItem('tipwell_token'));
    await page.goto(`/tip/${code}?userId=sam&service=dj`);
    await expect(page.getByRole('heading', { level: 1, name: TITLES[status] })).toBeVisible();
    await expect(page.getByText('Nothing was charged')).toHaveCount(0);
    const ways = page.getByRole('main').getByRole('link');
    await expect(ways).toHaveText(['Go Home']);
    await expect(ways).toHaveAttribute('href', '/');
    await expect(page.getByText(provider.fullName)).toHaveCount(0);
    await expectForEverybody(page);

    await page.goto(`/tip/${code}?paid=${id}`);
    await expect(page.getByRole('heading', { name: 'Login to see your receipt' })).toBeVisible();
    await page.evaluate((token) => localStorage.setItem('tipwell_token', token), customer.token);
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    await expect(page.getByRole('main')).toContainText(provider.fullName);
    await expect(page.getByRole('link', { name: 'Send Another Tip' })).toHaveCount(0);
    await page.goto(`/tip/${code}?paid=nonsense`);
    await expect(page.getByRole('heading', { level: 1, name: TITLES[status] })).toBeVisible();
    await enterCode(page, code);
    await expect(page.getByRole('heading', { level: 1, name: TITLES[status] })).toBeVisible();
    expect(complaints.splice(0).every((text) => /4(?:04|10)/.test(text))).toBe(true);
  });
}
