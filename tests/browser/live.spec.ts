/**
 * Tips arrive by themselves: in another browser, in another tab, after a lost connection and a restart, each once.
 */
import { createCuttableLine } from '../support/cuttable-line.ts';
import { startServer } from '../support/running-server.ts';
import { Backstage, expect, stat, test, watch } from './fixtures.ts';
import { payTip } from './tipping.ts';

test('a tip given in one browser appears in another, with toast, sums and row', async ({
  page,
  browser,
  backstage,
  server,
  complaints,
  logInAs,
}) => {
  const provider = await backstage.provider();
  const code = await backstage.code(provider);
  const customer = await backstage.customer();
  await logInAs(provider);
  await page.goto('/dashboard?tab=transactions');
  await expect(page.getByText('No Transactions Yet')).toBeVisible();

  const elsewhere = await browser.newContext({ baseURL: server.url });
  const phone = await elsewhere.newPage();
  await watch(phone, complaints, server.url);
  await logInAs(customer, elsewhere);
  await phone.goto(`/tip/${code}`);
  await payTip(phone, '$25');
  await expect(phone.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();

  await expect(page.getByText('You received $24.25 (Bartender)')).toBeVisible();
  await expect(page.getByText('+$24.25')).toHaveCount(1);
  await expect(stat(page, 'Tips Received')).toContainText('$24.25');
  await expect(stat(page, 'Received Today')).toContainText('1');
  await elsewhere.close();
});

test('the giver’s other tab shows the tip at once, without a toast', async ({
  page,
  context,
  backstage,
  logInAs,
}) => {
  const code = await backstage.code(await backstage.provider());
  const customer = await backstage.customer();
  await logInAs(customer);
  await page.goto('/dashboard');
  await expect(page.getByText('No Transactions Yet')).toBeVisible();
  const tab = await context.newPage();
  await tab.goto(`/tip/${code}`);
  await payTip(tab, '$10');
  await expect(page.getByText('-$10.50')).toHaveCount(1);
  await expect(page.getByText(/You received/)).toHaveCount(0);
});

test('each of several tabs shows each tip once', async ({ page, context, backstage, logInAs }) => {
  const provider = await backstage.provider();
  const code = await backstage.code(provider);
  const customer = await backstage.customer();
  await logInAs(provider);
  await page.goto('/dashboard?tab=transactions');
  const second = await context.newPage();
  await second.goto('/dashboard?tab=transactions');
  for (const tab of [page, second]) await expect(tab.getByText('No Transactions Yet')).toBeVisible();
  for (let amount = 11; amount <= 20; amount += 1) await backstage.tip(customer, code, amount);
  for (const tab of [page, second]) {
    await expect(tab.getByRole('listitem').filter({ hasText: 'Received' })).toHaveCount(10);
    await expect(tab.getByText('+$10.67')).toHaveCount(1);
    await expect(stat(tab, 'Received Today')).toContainText('10');
  }
});

test('what happened while the connection was lost appears once it is back', async ({
  page,
  backstage,
  server,
  logInAs,
  complaints,
}) => {
  const line = await createCuttableLine(server.port);
  const provider = await backstage.provider();
  const code = await backstage.code(provider);
  const customer = await backstage.customer();
  await logInAs(provider);
  await page.goto(`${line.url}/dashboard?tab=transactions`);
  await expect(page.getByText('No Transactions Yet')).toBeVisible();
  await backstage.tip(customer, code, 10);
  await expect(page.getByText('+$9.70')).toHaveCount(1);
  await line.cut();
  await backstage.tip(customer, code, 20);
  await expect(page.getByText('Connection lost. Reconnecting...')).toBeVisible();
  await line.mend();
  await expect(page.getByText('You received $19.40 (Bartender)')).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('Connected again')).toBeVisible();
  await expect(page.getByText('+$19.40')).toHaveCount(1);
  await expect(page.getByText('+$9.70')).toHaveCount(1);
  await line.cut();
  complaints.length = 0;
});

test('the server may be restarted in between', async ({ page, logInAs, complaints }) => {
  const first = await startServer();
  const backstage = new Backstage(first.url);
  const provider = await backstage.provider();
  const code = await backstage.code(provider);
  const customer = await backstage.customer();
  await logInAs(provider);
  await page.goto(`${first.url}/dashboard?tab=transactions`);
  await backstage.tip(customer, code, 10);
  await expect(page.getByText('+$9.70')).toHaveCount(1);
  await first.stop();
  await startServer({ PORT: String(first.port), DATABASE_URL: first.databasePath, PUBLIC_URL: first.url });
  await backstage.tip(customer, code, 30);
  await expect(page.getByText('You received $29.10 (Bartender)')).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('+$29.10')).toHaveCount(1);
  complaints.length = 0;
});

test('unseen tips are counted in the title until somebody looks', async ({ page, backstage, logInAs }) => {
  const provider = await backstage.provider();
  const code = await backstage.code(provider);
  const customer = await backstage.customer();
  await logInAs(provider);
  await page.goto('/dashboard?tab=transactions');
  await expect(page.getByText('No Transactions Yet')).toBeVisible();
  const setHidden = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
  await setHidden(true);
  await backstage.tip(customer, code, 10);
  await backstage.tip(customer, code, 11);
  await expect(page).toHaveTitle('(2) Tipwell');
  await setHidden(false);
  await expect(page).toHaveTitle('Dashboard · Tipwell');
});

test('alerts are off until they are switched on, and stay as chosen', async ({
  page,
  backstage,
  logInAs,
}) => {
  await logInAs(await backstage.provider());
  await page.goto('/dashboard?tab=profile');
  const sound = page.getByRole('checkbox', { name: 'Play a sound' });
  await expect(sound).not.toBeChecked();
  await sound.check();
  await page.reload();
  await expect(sound).toBeChecked();
});

test('logging out elsewhere ends the stream and leads to the login', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const provider = await backstage.provider();
  await logInAs(provider);
  await page.goto('/dashboard?tab=transactions');
  await expect(page.getByText('No Transactions Yet')).toBeVisible();
  await backstage.call('POST', '/auth/logout', { token: provider.token });
  await expect(page).toHaveURL(/\/auth/, { timeout: 20_000 });
  complaints.length = 0;
});
