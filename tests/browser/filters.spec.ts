/**
 * The filters of the Transactions tab: in the address, with the sum of what they leave, on every page of the
 * list and live.
 */
import type { Page } from '@playwright/test';
import { type Backstage, expect, goWithin, holdAnswers, test } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { recordTips } from './recorded-tips.ts';

const rows = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Status:' });
const chip = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Filter' }).getByRole('button', { name, exact: true });

/** A bartender and DJ who received $20.00 and $50.00, and gave $10.50 to a barber. */
async function history(backstage: Backstage) {
  const provider = await backstage.provider(['bartender', 'dj']);
  const customer = await backstage.customer();
  const dj = await backstage.code(provider, 'dj');
  await backstage.tip(customer, await backstage.code(provider), 20);
  await backstage.tip(customer, dj, 50, 'dj');
  const barber = await backstage.code(await backstage.provider(['barber']), 'barber');
  await backstage.tip(provider, barber, 10.5, 'barber');
  return { provider, customer, dj };
}

test('the filters stand in the address, so that Back and a shared link work, beside the sum of what is shown', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider } = await history(backstage);
  await logInAs(provider);
  await page.goto('/dashboard?tab=transactions');
  await expect(rows(page)).toHaveCount(3);
  await expect(page.getByText('Received $67.90 net in 2 tips')).toBeVisible();
  await expect(page.getByText('Refunded or taken back')).toHaveCount(0);
  await expect(page.getByText('Sent $10.50 (with fees $11.03) in 1 tip')).toBeVisible();
  await page.getByRole('radio', { name: 'Received' }).check();
  await expect(rows(page)).toHaveCount(2);
  await expect(page.getByText('Sent $10.50')).toHaveCount(0);
  await chip(page, 'DJ').click();
  await expect(rows(page)).toHaveCount(1);
  await chip(page, 'This Month').click();
  await expect(page).toHaveURL(
    '/dashboard?tab=transactions&direction=received&service_category=dj&period=this-month',
  );
  await expect(page.getByText('Received $48.50 net in 1 tip')).toBeVisible();
  await expectForEverybody(page, 'filtered list');
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByText(/^Received · DJ · /)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Statement' })).toHaveAttribute(
    'href',
    /^\/statement\?direction=received&service_category=dj&from=\d{4}-\d\d-01&to=\d{4}-\d\d-\d\d$/,
  );
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL('/dashboard?tab=transactions&direction=received');
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/dashboard?tab=transactions');
  await expect(rows(page)).toHaveCount(3);
  for (const { id, amount } of await backstage.transactions(provider)) {
    if (amount !== 20) continue;
    await backstage.call('POST', `/transactions/${id}/refund`, { token: provider.token });
  }
  await expect(page.getByText('Refunded or taken back: -$19.40')).toBeVisible();
  await chip(page, 'This Month').click();
  await expect(page.getByText('Refunded or taken back in this period: -$19.40')).toBeVisible();
});

test('a range takes two dates, explains one whose last day comes first instead of asking, and leads from nothing found to the panel; a part of a date can be typed again, one that is emptied counts no more, and a range stays open without its last date, outlives other choices and a reload, and ends with the filters, whose link leads a keyboard to the panel', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider } = await history(backstage);
  await logInAs(provider);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(decodeURIComponent(request.url())));
  await page.goto('/dashboard?tab=transactions&from=2026-05-31&to=2026-05-01');
  await expect(page.getByRole('heading', { name: 'These dates are the wrong way round' })).toBeVisible();
  expect(asked.filter((url) => url.includes('2026-05'))).toEqual([expect.stringContaining('/dashboard')]);
  await expect(page.getByLabel('To')).toHaveAccessibleDescription(
    'The last day must not be before the first.',
  );
  await expectForEverybody(page, 'range that is the wrong way round');
  await page.getByLabel('To').fill('2026-06-30');
  await expect(page).toHaveURL('/dashboard?tab=transactions&from=2026-05-31&to=2026-06-30');
  await expect(page.getByRole('heading', { name: 'No Tips Found' })).toBeVisible();
  await expect(page.getByText('Received $0.00 net in 0 tips')).toBeVisible();
  await expectForEverybody(page, 'filters that leave nothing');
  await page.getByLabel('To').fill('2099-06-30');
  await expect(rows(page)).toHaveCount(3);
  await goWithin(page, '/dashboard?tab=transactions&period=last-month');
  await page.getByRole('link', { name: 'Clear Filters', exact: true }).press('Enter');
  await expect(rows(page)).toHaveCount(3);
  await expect(page.getByRole('tabpanel')).toBeFocused();

  await goWithin(page, '/dashboard?tab=transactions&from=2020-05-10&to=2099-05-10');
  await page.getByLabel('From').focus();
  await page.keyboard.press('Backspace');
  await page.keyboard.type('06');
  await expect(page).toHaveURL('/dashboard?tab=transactions&from=2020-06-10&to=2099-05-10');
  await page.getByLabel('From').blur();
  await page.getByLabel('From').focus();
  for (const _ of ['month', 'day', 'year']) {
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Tab');
  }
  await page.getByLabel('To', { exact: true }).focus();
  await expect(page).toHaveURL('/dashboard?tab=transactions&to=2099-05-10');
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel('To', { exact: true }).fill('');
  await expect(page).toHaveURL('/dashboard?tab=transactions');
  await expect(chip(page, 'Pick Dates')).toHaveAttribute('aria-pressed', 'true');
  await page.getByLabel('To', { exact: true }).fill('2020-05-10');
  await expect(page).toHaveURL('/dashboard?tab=transactions&to=2020-05-10');

  await page.getByRole('link', { name: 'Clear filters', exact: true }).press('Enter');
  await expect(rows(page)).toHaveCount(3);
  await page.getByRole('radio', { name: 'Received' }).check();
  await chip(page, 'Today').click();
  await chip(page, 'Pick Dates').click();
  await page.getByLabel('From').fill('2020-05-10');
  await expect(page).toHaveURL(/&from=2020-05-10&/);
  await page.getByRole('radio', { name: 'Sent' }).check();
  await page.getByRole('link', { name: 'Clear filters' }).press('Enter');
  await expect(page).toHaveURL('/dashboard?tab=transactions');
  await expect(rows(page)).toHaveCount(3);
  await expect(page.getByRole('tabpanel')).toBeFocused();
  await expect(chip(page, 'Pick Dates')).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByLabel('From')).toHaveCount(0);

  await chip(page, 'Pick Dates').click();
  await page.getByRole('radio', { name: 'Received' }).check();
  await expect(page).toHaveURL('/dashboard?tab=transactions&direction=received');
  await expect(page.getByLabel('From')).toHaveValue('');
  await page.reload();
  await expect(chip(page, 'Pick Dates')).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await expect(page.getByLabel('From')).toHaveCount(0);
});

test('what belongs to the former filter is dimmed while the next answer is on its way, and gives way to an error; the chips are one row above the results, of own services, and the keyboard reaches them; a live tip comes into a filtered list only where the filter means it', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const { provider, customer, dj } = await history(backstage);
  await logInAs(provider);
  await page.goto('/dashboard?tab=transactions&period=last-month');
  const nothing = page.getByRole('heading', { name: 'No Tips Found' });
  await expect(nothing).toBeVisible();
  const first = await holdAnswers(page, /transactions\.list/);
  await chip(page, 'This Month').click();
  await expect.poll(first.asked).toBe(1);
  await expect(nothing).toHaveCount(0);
  first.release();
  await expect(rows(page)).toHaveCount(3);

  const former = page.locator('[aria-busy="true"]').filter({ has: rows(page) });
  const second = await holdAnswers(page, /transactions\.list/);
  await page.getByRole('radio', { name: 'Received' }).check();
  await expect(former.getByRole('listitem')).toHaveCount(3);
  await expect(former).toHaveCSS('opacity', '0.55');
  second.release();
  await expect(rows(page)).toHaveCount(2);
  await expect(former).toHaveCount(0);

  await page.route(/transactions\.list/, (route) => route.fulfill({ status: 500, body: '' }));
  await chip(page, 'DJ').click();
  await expect(page.getByRole('heading', { name: 'Failed to load dashboard data' })).toBeVisible();
  await expect(rows(page)).toHaveCount(0);
  await page.unroute(/transactions\.list/);
  await page.getByRole('tabpanel').getByRole('button', { name: 'Retry' }).last().press('Enter');
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByRole('tabpanel')).toBeFocused();
  expect(complaints.splice(0).every((complaint) => complaint.includes('500'))).toBe(true);

  await goWithin(page, '/dashboard?tab=transactions');
  await expect(page.getByRole('region', { name: 'Filter' }).getByRole('button')).toHaveText([
    'Bartender',
    'Barber',
    'DJ',
    'Today',
    'This Week',
    'This Month',
    'Last Month',
    'Pick Dates',
  ]);
  const tops = await page
    .getByRole('region', { name: 'Filter' })
    .getByRole('group')
    .evaluateAll((groups) => groups.map((group) => group.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
  await page.getByRole('radio', { name: 'All' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Sent' })).toBeFocused();
  await expect(rows(page)).toHaveCount(1);
  await page.keyboard.press('Tab');
  await expect(chip(page, 'Bartender')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expect(chip(page, 'Barber')).toHaveAttribute('aria-pressed', 'true');
  await expect(page).toHaveURL('/dashboard?tab=transactions&direction=sent&service_category=barber');
  await page.keyboard.press('Space');
  await expect(page).toHaveURL('/dashboard?tab=transactions&direction=sent');
  await expect(rows(page)).toHaveCount(1);
  await backstage.tip(customer, dj, 100, 'dj');
  await expect(page.getByText('$100.00 tip · you keep $97.00 (DJ)')).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await goWithin(page, '/dashboard?tab=transactions&service_category=dj&period=today');
  await expect(rows(page)).toHaveCount(2);
  await backstage.tip(customer, dj, 30, 'dj');
  await expect(rows(page)).toHaveCount(3);
  await expect(page.getByText('Received $174.60 net in 3 tips')).toBeVisible();
});

test('the sums are said in a place that is there before them, no wider than a narrow phone, and customers who never received choose no direction', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { customer } = await history(backstage);
  await logInAs(customer);
  const answers = await holdAnswers(page, /transactions\.sums/);
  await page.goto('/dashboard');
  await expect(rows(page)).toHaveCount(2);
  await expect.poll(answers.asked).toBe(1);
  await expectForEverybody(page, 'sum that is being counted');
  const sums = page.getByRole('region', { name: 'Filter' }).getByRole('status');
  await expect(sums).toHaveText('');
  const place = await sums.elementHandle();
  answers.release();
  await expect(sums).toHaveText('Sent $70.00 (with fees $73.50) in 2 tips');
  await expect(chip(page, 'DJ')).toBeVisible();
  await expect(page.getByRole('radio')).toHaveCount(0);
  await chip(page, 'Pick Dates').click();
  await page.getByLabel('From').fill('2026-05-31');
  await page.getByLabel('To', { exact: true }).fill('2026-05-01');
  await expect(sums).toHaveText('');
  await page.getByLabel('From').fill('2026-05-01');
  await expect(sums).toHaveText('Sent $0.00 (with fees $0.00) in 0 tips');
  expect(await place?.evaluate((element) => element.isConnected)).toBe(true);
});

test('Load More goes on within the filter, and all that was loaded comes again in few calls', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  const provider = await backstage.provider(['bartender', 'dj']);
  const customer = await backstage.customer();
  const codes = { bartender: await backstage.code(provider), dj: await backstage.code(provider, 'dj') };
  const toDj = { giver: customer, code: codes.dj, category: 'dj' } as const;
  await recordTips(
    server,
    toDj,
    Array.from({ length: 76 }, (_, count) => 10 + count),
  );
  await recordTips(server, { giver: customer, code: codes.bartender }, Array<number>(8).fill(10));
  await logInAs(provider);
  await page.goto('/dashboard?tab=transactions&direction=received&service_category=dj');
  await expect(rows(page)).toHaveCount(25);
  for (const count of [50, 76]) {
    await page.getByRole('button', { name: 'Load More' }).click();
    await expect(rows(page)).toHaveCount(count);
  }
  await expect(rows(page).filter({ hasText: 'Bartender' })).toHaveCount(0);
  await expect(page.getByText(/net in 76 tips/)).toBeVisible();

  let asked = 0;
  page.on('request', (request) => {
    asked += new URL(request.url()).pathname.split('transactions.list').length - 1;
  });
  await backstage.tip(customer, codes.dj, 100, 'dj');
  await expect(rows(page)).toHaveCount(77);
  await expect(page.getByText(/net in 77 tips/)).toBeVisible();
  expect(asked).toBe(3);
});
