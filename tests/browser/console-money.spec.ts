/** What an operator finds and does about money: a tip that is refunded, a code that is stopped, and the fees. */
import { readFile } from 'node:fs/promises';
import { consolePath } from '#shared/console/parts.ts';
import { readQrCodeId, showQrCodeId } from '#shared/ids.ts';
import { authoriseTip, payoutAccountOf, payTip } from '../support/payment-steps.ts';
import { createPeople } from '../support/people.ts';
import { expect, test, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { storageAt } from './kept.ts';
import { openConsole } from './open-console.ts';
import { picture } from './picture.ts';

test('an operator refunds a tip, stops its code and reads what the fees came to, where a day that is missing is said beside its field', async ({
  page,
  backstage,
  server,
  complaints,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await backstage.tip(customer, code, 20);
  await backstage.tip(customer, code, 30);
  const [other, tip] = await backstage.transactions(customer);
  const operator = await openConsole(page, server, consolePath('transactions'));

  const main = page.getByRole('main');
  await expect(main).toContainText('Payments are simulated');
  await page.getByRole('button', { name: 'Find' }).click();
  await expect(main).toContainText('Its id, the link of its receipt');
  const wanted = page.getByLabel('Tip', { exact: true });
  await wanted.fill('txn_0');
  await wanted.press('Enter');
  const none = main.getByText('There is no tip with this id or link.');
  await expect(none).toBeVisible();
  const [said, next] = await Promise.all(
    [none, main.getByRole('heading', { name: 'Waiting too long' })].map((part) => part.boundingBox()),
  );
  expect((next?.y ?? 0) - (said?.y ?? 0) - (said?.height ?? 0)).toBeGreaterThanOrEqual(8);
  await wanted.fill(String(other?.id));
  await wanted.press('Enter');
  await page.getByRole('button', { name: 'Refund Tip' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('The bar has closed');
  // Somebody else is faster.
  await backstage.call('POST', `/transactions/${other?.id}/refund`, { token: provider.token });
  await dialog.getByRole('button', { name: 'Refund Tip' }).click();
  await expect(dialog.getByLabel('Reason')).toHaveAccessibleDescription(/This tip was refunded already/);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(main).toContainText('by the provider');
  await expect(page.getByRole('button', { name: 'Refund Tip' })).toHaveCount(0);
  expect(complaints.splice(0)).toEqual([expect.stringContaining(' 409 ')]);
  await wanted.fill(`${server.url}/transactions/${tip?.id}`);
  await wanted.press('Enter');
  const found = main
    .getByRole('region')
    .or(main.locator('section'))
    .filter({ hasText: tip?.id ?? '' });
  await expect(found).toContainText(customer.email);
  await expect(found).toContainText(`@${provider.username}`);
  await expect(found).toContainText('$21.00, with a fee of $1.00');
  await expect(found).toContainText('$19.40, after a fee of $0.60');
  await expectForEverybody(page, 'a tip that was found');
  await picture(page, 'console-money-01-tip');

  await found.getByRole('button', { name: 'Refund Tip' }).click();
  await expect(dialog).toContainText('$21.00 goes back to');
  await dialog.getByRole('button', { name: 'Refund Tip' }).click();
  await expect(dialog).toContainText('Say why.');
  await expectForEverybody(page, 'a refund that is asked about');
  await picture(page, 'console-money-02-refund');
  await dialog.getByLabel('Reason').fill('The bar has closed');
  await dialog.getByRole('button', { name: 'Refund Tip' }).click();
  await expect(toast(page, 'The tip was refunded.')).toBeVisible();
  await expect(found).toContainText(`by ${operator.email}`);
  await expect(found).toContainText('The bar has closed');
  await expect(found.getByRole('button', { name: 'Refund Tip' })).toHaveCount(0);
  await expect(found.getByRole('heading', { name: '$20.00 tip' })).toBeFocused();
  const refunded = (await backstage.transactions(customer)).find(({ id }) => id === tip?.id);
  expect(refunded).toMatchObject({ status: 'refunded' });

  const id = readQrCodeId(code);
  if (id === null) throw new Error('the code has no id');
  const printed = showQrCodeId(id);
  await found.getByRole('link', { name: printed }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Codes' })).toBeVisible();
  await page.goBack();
  await expect(found.getByRole('heading', { name: '$20.00 tip' })).toBeVisible();
  await page.goForward();
  const stopped = main.locator('section').filter({ hasText: provider.email });
  await expect(stopped).toContainText('Active');
  await expectForEverybody(page, 'a code that was found');
  await stopped.getByRole('button', { name: 'Stop Code' }).click();
  await dialog.getByLabel('Reason').fill('The sign was stolen');
  await dialog.getByRole('button', { name: 'Stop Code' }).click();
  await expect(toast(page, 'The code was stopped.')).toBeVisible();
  await expect(stopped).toContainText('Retired');
  await expect(stopped.getByRole('button', { name: 'Stop Code' })).toHaveCount(0);
  await expect(stopped.getByRole('heading')).toBeFocused();
  await picture(page, 'console-money-03-code');
  await expect(async () =>
    expect((await fetch(`${server.url}/tip/${code}`)).status, 'the tip page').toBe(410),
  ).toPass();

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('link', { name: 'Audit Log' }).click();
  const act = page.getByRole('listitem').filter({ hasText: 'The sign was stolen' });
  await expect(act.getByRole('link', { name: printed })).toBeVisible();
  await page.getByRole('link', { name: 'Fee Income' }).click();
  const total = page.getByRole('row', { name: /^Total/ });
  // Other tests tip on the same server.
  await expect(total).toContainText('$');
  await expect(page.getByRole('rowheader', { name: /^[A-Z][a-z]+ 20\d\d$/ }).first()).toBeVisible();
  await expectForEverybody(page, 'fees by month');
  await page.setViewportSize({ width: 390, height: 844 });
  const [above, below] = await Promise.all(
    [page.getByLabel('By'), page.getByText('To', { exact: true })].map((part) => part.boundingBox()),
  );
  expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0), 'on a phone').toBeGreaterThanOrEqual(8);
  await page.setViewportSize({ width: 1280, height: 900 });
  await picture(page, 'console-money-04-fees');
  await page.getByLabel('By').selectOption('Day');
  await expect(page.getByRole('columnheader', { name: 'Day' })).toBeVisible();
  await page.getByLabel('Days in').selectOption('Europe/Vienna');
  const income = await total.getByRole('cell').first().innerText();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const rows = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n').slice(1);
  const sum = rows.reduce((cents, row) => cents + Math.round(Number(row.split(',').at(-5)) * 100), 0);
  expect(`$${(sum / 100).toFixed(2)}`).toBe(income.replaceAll(',', ''));
  await page.getByLabel('To').fill('2020-01-01');
  await expect(main).toContainText('The last day must not be before the first.');
  const [from, to] = [page.getByLabel('From'), page.getByLabel('To')];
  await from.fill('');
  await expect(from).toHaveAccessibleDescription('Enter the whole date.');
  await expect(to).not.toHaveAttribute('aria-invalid', 'true');
  await from.fill('2026-05-31');
  await to.fill('');
  await expect(to).toHaveAccessibleDescription('Enter the whole date.');
  await expect(from).not.toHaveAttribute('aria-invalid', 'true');

  // A day begins earlier in Vienna.
  await page.clock.setFixedTime('2030-06-30T22:30:00Z');
  await page.reload();
  await expect(page.getByLabel('To')).toHaveValue('2030-06-30');
  await page.getByLabel('Days in').selectOption('Europe/Vienna');
  await expect(page.getByLabel('To')).toHaveValue('2030-07-01');
});

test('fees are offered by the days of the time zone that the device is in now', async ({
  browser,
  server,
}) => {
  // Only a page without a time zone of its own can come to another one.
  const context = await browser.newContext({ baseURL: server.url, timezoneId: '' });
  const page = await context.newPage();
  const device = await context.newCDPSession(page);
  const goTo = (timezoneId: string) => device.send('Emulation.setTimezoneOverride', { timezoneId });
  await goTo('Europe/Vienna');
  await openConsole(page, server, consolePath('fees'));
  const zones = page.getByLabel('Days in');
  await zones.selectOption('Europe/Vienna');
  await goTo('Asia/Tokyo');
  await page.getByLabel('By').selectOption('Day');
  // What was chosen stays.
  await expect(zones).toHaveValue('Europe/Vienna');
  await expect(zones.getByRole('option')).toHaveText(['UTC', 'Asia/Tokyo', 'Europe/Vienna']);
  const asked = page.waitForRequest((request) => decodeURIComponent(request.url()).includes('Asia/Tokyo'));
  await zones.selectOption('Asia/Tokyo');
  await asked;
  await context.close();
});

test('a hold whose keys are gone is ended when it has lapsed, and nothing says that money moves', async ({
  page,
  server,
}) => {
  const storage = await storageAt(server.databasePath);
  const { tip, provider } = await createPeople(storage).setTheScene();
  await storage.payments.savePayoutAccount(payoutAccountOf(provider.id), 0);
  const [lapsed, recent, charged] = [tip(), tip({ createdAtMs: Date.now() }), tip()];
  for (const held of [lapsed, recent]) await authoriseTip(storage, held);
  await payTip(storage, charged);

  await openConsole(page, server, `/operator/transactions?find=${recent.id}`);
  const main = page.getByRole('main');
  await expect(main).toContainText('From');
  await expect(main).toContainText('it was to be charged on');
  await expect(main).toContainText(/Nobody charges it.* From .* you can end it here/);
  const refund = page.getByRole('button', { name: 'Refund Tip' });
  const end = page.getByRole('button', { name: 'End Tip' });
  await expect(refund.or(end)).toHaveCount(0);
  const wanted = page.getByLabel('Tip', { exact: true });
  await wanted.fill(charged.id);
  await wanted.press('Enter');
  await expect(main).toContainText('no longer has. Refund it at the payment service.');
  await expect(refund.or(end)).toHaveCount(0);

  await wanted.fill(lapsed.id);
  await wanted.press('Enter');
  await end.click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('never charged');
  await expect(dialog).toContainText('If you captured it at the payment service yourself, leave it');
  await expect(dialog).not.toContainText('is taken from');
  await picture(page, 'console-money-03-end');
  await dialog.getByLabel('Reason').fill('The keys are gone');
  await dialog.getByRole('button', { name: 'End Tip' }).click();
  await expect(toast(page, 'The tip has ended: it was never charged.')).toBeVisible();
  await expect(main).toContainText('Not charged, since');
});
