/**
 * Who is logged in: verified at start, ended by the server's "no" and by nothing else, the same in every tab;
 * and what is shown meanwhile.
 */
import { expect, holdAnswers, logInByForm, storedToken, test, toast } from './fixtures.ts';

test.describe('a page that is loaded', () => {
  test('verifies a stored token, says what is loading until the answer comes, removes a token that the server refuses, and no other: without an answer it tries again on demand', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const customer = await backstage.customer();
    await logInAs(customer);
    for (const [path, loading] of [
      // The frame that arrived with the page stays.
      ['/dashboard', 'Loading Dashboard...'],
      ['/auth', 'Loading Tipwell...'],
    ] as const) {
      const me = await holdAnswers(page, '**/trpc/*auth.me*');
      await page.goto(path);
      await expect(page.getByRole('status')).toHaveText(loading);
      await expect(page.getByText(customer.fullName)).toHaveCount(0);
      await expect.poll(me.asked).toBe(1);
      me.release();
      await expect(page.getByRole('heading', { level: 1, name: /^(Welcome|Scan QR Code)/ })).toBeVisible();
      await page.unroute('**/trpc/*auth.me*');
    }
    expect(await storedToken(page)).toBe(customer.token);

    await page.route('**/trpc/*auth.me*', (route) => route.abort());
    await page.goto('/dashboard?tab=profile');
    await expect(page.getByRole('alert')).toContainText('Tipwell cannot be reached');
    await expect(page.getByRole('alert')).toContainText('You are still logged in on this device.');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
    expect(await storedToken(page)).toBe(customer.token);
    // Something between here and there may answer in its place, and not in our words.
    await page.route('**/trpc/*auth.me*', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    );
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
    expect(await storedToken(page)).toBe(customer.token);
    await page.unroute('**/trpc/*auth.me*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Welcome, ${customer.fullName}`);
    await expect(page).toHaveURL('/dashboard?tab=profile');
    expect(complaints.splice(0)).toEqual([
      expect.stringContaining('ERR_FAILED'),
      expect.stringContaining('ERR_FAILED'),
      expect.stringContaining('502'),
    ]);

    // The page itself would hear of the end.
    await page.goto('/robots.txt');
    await backstage.call('POST', '/auth/logout', { token: customer.token });
    await page.goto('/');
    await expect(page.getByRole('link', { name: 'Get Started Now' })).toBeVisible();
    // The page arrives rendered; the server is asked about the token afterwards.
    await expect.poll(() => storedToken(page)).toBeNull();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });
});

test('a screen that takes a login leads to it, and back to the same tab afterwards, also when the session ends while it is open', async ({
  page,
  backstage,
  complaints,
}) => {
  const provider = await backstage.provider();
  // Without the live stream, which would hear of the end by itself, the next call finds out.
  await page.route('**/trpc/transactions.onTip*', (route) => route.abort());
  // The last call of a visit without codes: one under way would find out too.
  const lastCall = page.waitForResponse(/qrCodes\.ended/);
  await page.goto('/dashboard?tab=qr-codes');
  await expect(page).toHaveURL('/auth?next=%2Fdashboard%3Ftab%3Dqr-codes');
  await logInByForm(page, provider);
  await expect(page).toHaveURL('/dashboard?tab=qr-codes');
  await expect(page.getByRole('heading', { name: 'No QR Codes Yet' })).toBeVisible();
  await lastCall;
  await backstage.call('POST', '/auth/logout', { token: (await storedToken(page)) ?? '' });
  await page.getByRole('button', { name: 'Create Bartender QR' }).click();
  await expect(page).toHaveURL('/auth?next=%2Fdashboard%3Ftab%3Dqr-codes');
  await expect(toast(page, 'Your session has ended. Please login again.')).toBeVisible();
  expect(await storedToken(page)).toBeNull();
  await page.unroute('**/trpc/transactions.onTip*');
  await logInByForm(page, provider);
  await expect(page).toHaveURL('/dashboard?tab=qr-codes');
  expect(complaints.splice(0)).toContainEqual(expect.stringContaining('401'));
});

test('of several tabs, one follows a login and a logout in another, and each shows the person who logged in last', async ({
  page,
  context,
  backstage,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await page.goto('/');
  const other = await context.newPage();
  await other.goto('/auth?next=/scan');
  await logInByForm(other, provider);
  await expect(other).toHaveURL('/scan');
  await expect(page).toHaveURL('/dashboard');
  const welcome = page.getByRole('heading', { level: 1 });
  await expect(welcome).toHaveText(`Welcome, ${provider.fullName}`);
  await expect(page.getByRole('article', { name: 'Bartender' })).toBeVisible();
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/');
  await expect(other).toHaveURL('/auth?next=%2Fscan');
  await expect(other.getByRole('heading', { level: 1, name: 'Login or Sign Up' })).toBeVisible();

  await backstage.tip(customer, code, 10);
  await logInByForm(other, provider);
  await page.getByRole('tab', { name: 'Transactions' }).click();
  await expect(page.getByText('+$9.70')).toBeVisible();
  await other.getByRole('link', { name: 'Back to Dashboard' }).click();
  await other.getByRole('button', { name: 'Logout' }).click();
  await other.getByRole('link', { name: 'Get Started Now' }).click();
  await other.getByRole('tab', { name: 'Login' }).click();
  await logInByForm(other, customer);
  await expect(welcome).toHaveText(`Welcome, ${customer.fullName}`);
  await expect(page.getByText('-$10.50')).toBeVisible();
  await expect(page.getByText('+$9.70')).toHaveCount(0);
});

test('a session that ends by a logout in another tab, or by the server’s "no", leaves nothing of the dashboard in memory', async ({
  page,
  context,
  backstage,
  logInAs,
  complaints,
}) => {
  const provider = await backstage.provider();
  const customer = await backstage.customer();
  const code = await backstage.code(provider);
  await backstage.tip(customer, code, 10);
  await logInAs(customer);
  await page.goto('/dashboard');

  async function expectNothingAfter(end: () => Promise<void>): Promise<void> {
    await expect(page.getByText('-$10.50')).toBeVisible();
    await page.getByRole('link', { name: 'Scan QR' }).click();
    const lastTip = page.waitForResponse((response) => response.url().includes('serviceCategory'));
    await page.getByLabel('QR code or link').fill(code);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
    // The server's "no" to this question would come before, beside or after Proceed.
    await (await lastTip).finished();
    await end();
    await expect.poll(() => storedToken(page)).toBeNull();
    complaints.length = 0;
    if (page.url().includes('/tip/')) await page.getByRole('link', { name: 'Back' }).click();
    else await page.getByRole('link', { name: 'Back to Home' }).click();
    await page.getByRole('link', { name: 'Get Started Now' }).click();
    await page.getByRole('tab', { name: 'Login' }).click();
    const answers = await holdAnswers(page, '**/trpc/*transactions.list*');
    await logInByForm(page, customer);
    await expect(page.getByText('Loading Dashboard...')).toBeVisible();
    await expect(page.getByText('-$10.50')).toHaveCount(0);
    answers.release();
    await expect(page.getByText('-$10.50')).toBeVisible();
    await page.unroute('**/trpc/*transactions.list*');
  }

  await test.step('a logout in another tab', () =>
    expectNothingAfter(async () => {
      const other = await context.newPage();
      await other.goto('/dashboard');
      await other.getByRole('button', { name: 'Logout' }).click();
      await expect(other).toHaveURL('/');
      await other.close();
    }));

  await test.step('the server’s "no"', () =>
    expectNothingAfter(async () => {
      await backstage.call('POST', '/auth/logout', { token: (await storedToken(page)) ?? '' });
      await page.getByText('$10', { exact: true }).click();
      await page.getByRole('button', { name: 'Proceed' }).click();
      await page.getByRole('button', { name: /^Pay/ }).click();
    }));
});

test('"Loading Dashboard..." is shown until the numbers are there, and nothing moves then; logging out works without a connection', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider } = await backstage.bothSides();
  await logInAs(provider);
  const lists = await holdAnswers(page, '**/trpc/*qrCodes.list*');
  await page.goto('/dashboard');
  await expect(page.getByText('Loading Dashboard...')).toBeVisible();
  const tab = page.getByRole('tab', { name: 'QR Codes' });
  const before = await tab.boundingBox();
  lists.release();
  await expect(page.getByRole('article', { name: 'Bartender' })).toBeVisible();
  await expect(page.getByText('Loading Dashboard...')).toHaveCount(0);
  expect(await tab.boundingBox()).toEqual(before);

  await page.route('**/trpc/auth.logout*', (route) => route.abort());
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(toast(page, /^Logged out on this device\. The server did not confirm it/)).toBeVisible();
  await expect(toast(page, 'Logged out successfully')).toHaveCount(0);
  await expect(page).toHaveURL('/');
  expect(await storedToken(page)).toBeNull();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
});

test('an address that is none says so, and leads home; a part of the client that cannot be fetched leaves a way out', async ({
  page,
  complaints,
}) => {
  await page.goto('/nowhere/at/all');
  await expect(page.getByRole('heading', { level: 1, name: 'There is nothing here' })).toBeVisible();
  await page.getByRole('link', { name: 'Go Home' }).click();
  await expect(page).toHaveURL('/');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('404')]);

  const begin = page.getByRole('link', { name: 'Get Started Now' });
  await expect(begin).toBeVisible();
  await page.route('**/assets/**', (route) => route.abort());
  await begin.click();
  await expect(page.getByRole('alert')).toContainText('This page could not be shown');
  await page.getByRole('link', { name: 'Tipwell', exact: true }).click();
  await begin.click();
  await expect(page.getByRole('alert')).toContainText('The same tip is never charged twice.');
  expect(complaints.splice(0)).toContainEqual(expect.stringContaining('ERR_FAILED'));
  await page.unroute('**/assets/**');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Login or Sign Up' })).toBeVisible();
});
