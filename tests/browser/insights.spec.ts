/**
 * The Insights tab: what a provider took in, to the cent, by day, week and month, by hour of the week and by
 * service; for the eye, the keyboard and screen readers.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import type { ServiceCategory } from '#shared/categories.ts';
import { newTransactionId, type QrCodeId } from '#shared/ids.ts';
import { newTip } from '#tests/support/new-tip.ts';
import {
  type Backstage,
  test as base,
  expect,
  goWithin,
  holdAnswers,
  type Person,
  stat,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { storageAt } from './kept.ts';

const TAB = '/dashboard?tab=insights';

const earnings = (page: Page) => page.getByRole('region', { name: 'Earnings' });
const bars = (page: Page) => page.getByRole('listbox', { name: /^Earnings per/ }).getByRole('option');

interface PastTip {
  readonly amount: number;
  readonly at: string;
  readonly service?: ServiceCategory;
}

async function performer(backstage: Backstage) {
  const provider = await backstage.provider(['bartender', 'dj']);
  const codes = {
    bartender: await backstage.code(provider, 'bartender'),
    dj: await backstage.code(provider, 'dj'),
  };
  return { provider, codes, customer: await backstage.customer() };
}

/** Records tips of the past, which no caller of the API could give. */
async function recordPast(
  path: string,
  { codes, customer }: { readonly codes: Record<'bartender' | 'dj', string>; readonly customer: Person },
  tips: readonly PastTip[],
): Promise<void> {
  const storage = await storageAt(path);
  // Together, since those that come at once share a commit.
  const recorded = await Promise.all(
    tips.map(({ amount, at, service = 'bartender' }) => {
      const given = {
        id: newTransactionId(randomBytes),
        giverId: customer.id,
        qrCodeId: codes[service === 'dj' ? 'dj' : 'bartender'] as QrCodeId,
        amountCents: amount * 100,
        createdAtMs: Date.parse(at),
      };
      return storage.recordTip(newTip(given, { serviceCategory: service }));
    }),
  );
  expect(new Set(recorded.map(({ outcome }) => outcome))).toEqual(new Set(['recorded']));
}

/**
 * In New York: two tips on a Friday night, one on the Saturday after, one as a DJ a day later, and one three
 * weeks before these.
 */
const SPRING: readonly PastTip[] = [
  { amount: 100, at: '2026-05-02T01:30:00Z' },
  { amount: 25, at: '2026-05-02T03:59:59Z' },
  { amount: 10.01, at: '2026-05-02T04:00:00Z' },
  { amount: 60, at: '2026-05-03T20:00:00Z', service: 'dj' },
  { amount: 200, at: '2026-04-08T16:00:00Z' },
];
const SPRING_DAYS = `${TAB}&to=2026-05-10`;

const test = base.extend<{ readonly logInWithSpring: () => Promise<Person> }>({
  logInWithSpring: async ({ server, backstage, logInAs }, use) => {
    await use(async () => {
      const people = await performer(backstage);
      await recordPast(server.databasePath, people, SPRING);
      await logInAs(people.provider);
      return people.provider;
    });
  },
});

test.use({ timezoneId: 'America/New_York', locale: 'en-US' });

test('writes the services whole on a narrow phone, beside earnings of five figures, and lets somebody choose one that they have ended, whose tips are in the period', async ({
  page,
  server,
  backstage,
  logInAs,
}) => {
  const people = await performer(backstage);
  const large = Array.from({ length: 8 }, (): PastTip => ({ amount: 9_000, at: '2026-05-02T01:30:00Z' }));
  await recordPast(server.databasePath, people, [...SPRING, ...large]);
  const { token } = people.provider;
  await backstage.call('PATCH', '/auth/me', { token, body: { service_categories: ['bartender'] } });
  await logInAs(people.provider);
  await page.setViewportSize({ width: 320, height: 568 });
  await page.goto(SPRING_DAYS);
  const services = page.getByRole('table', { name: 'Earnings by service, the largest first' });
  const name = services.getByText('Bartender');
  await expect(name).toBeVisible();
  const lines = await name.evaluate((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell.firstChild ?? cell);
    return text.getClientRects().length;
  });
  expect(lines).toBe(1);
  const hiddenPx = await services.evaluate(
    (table) => table.scrollWidth - Number(table.parentElement?.clientWidth),
  );
  expect(hiddenPx).toBeLessThanOrEqual(0);
  // Whoever cannot see the bars hears the share.
  await expect(services.getByRole('columnheader')).toHaveCount(4);
  await expect(services.getByRole('row').nth(1).getByRole('cell').last()).toHaveText(/^\d+\s?%$/);

  const service = page.getByRole('combobox', { name: 'Service' });
  await service.selectOption('DJ');
  await expect(earnings(page)).toContainText('1 tip on 1 of 30 days');
  // Its own answer names no other service; those that are offered stay.
  await expect(service.getByRole('option')).toHaveText(['All services', 'Bartender', 'DJ']);
});

test('tells earnings to the cent, with fees, the best day and each day of the period in the time zone of the browser, and is for everybody; keeps bars, period and service in the address, through which Back leads, and says that nothing came only of the period that was asked for', async ({
  page,
  logInWithSpring,
}) => {
  await logInWithSpring();
  await page.goto(SPRING_DAYS);
  await expect(earnings(page)).toContainText('$189.16');
  await expect(earnings(page)).toContainText('$4.84 less than in the 30 days before (down 2%)');
  await expect(earnings(page)).toContainText('Before fees $195.01, less $5.85 in fees');
  await expect(earnings(page)).toContainText('4 tips on 3 of 30 days, Apr 11 – May 10, 2026.');
  const numbers = { Tips: '4', 'Average tip': '$47.29', 'Largest tip': '$97.00', 'Best day': '$121.25' };
  for (const [label, value] of Object.entries(numbers))
    await expect(stat(page, label).getByRole('definition').first(), label).toHaveText(value);
  const below = { 'Average tip': 'after fees', 'Largest tip': 'after fees', 'Best day': 'Fri, May 1, 2026' };
  for (const [label, words] of Object.entries(below))
    await expect(stat(page, label).getByRole('definition').last(), label).toHaveText(words);
  await expect(bars(page)).toHaveCount(30);
  await expect(page.getByRole('option', { name: 'Fri, May 1, 2026: $121.25, 2 tips' })).toHaveCount(1);
  await expect(page.getByRole('option', { name: 'Sat, May 2, 2026: $9.71, 1 tip' })).toHaveCount(1);
  await page.getByText('Show as table').click();
  const table = page.getByRole('table', { name: 'Earnings per day' });
  await expect(table.getByRole('row')).toHaveCount(31);
  await expect(table.getByRole('row', { name: /^Fri, May 1, 2026/ })).toContainText('$121.25');
  await expectForEverybody(page, 'earnings with their table');
  // Thirty days that are a month stand beside all of March.
  await goWithin(page, `${TAB}&to=2026-04-30`);
  await expect(earnings(page)).toContainText('No earnings in the 31 days before');

  await goWithin(page, SPRING_DAYS);
  await page.getByRole('radio', { name: 'Week' }).check();
  await expect(page).toHaveURL(`${TAB}&granularity=week&to=2026-05-10`);
  await expect(page.getByRole('option', { name: 'Apr 27 – May 3, 2026: $189.16, 4 tips' })).toHaveCount(1);
  await expect(bars(page)).toHaveCount(12);
  await page.getByRole('combobox', { name: 'Service' }).selectOption('DJ');
  await expect(page).toHaveURL(`${TAB}&granularity=week&to=2026-05-10&service_category=dj`);
  await expect(earnings(page)).toContainText('Before fees $60.00, less $1.80 in fees');
  await page.getByRole('button', { name: 'Earlier' }).click();
  await expect(page).toHaveURL(`${TAB}&granularity=week&to=2026-02-15&service_category=dj`);
  await expect(page.getByRole('heading', { name: 'No tips in this period' })).toBeVisible();
  await page.goBack();
  await expect(earnings(page)).toContainText('$58.20');
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(SPRING_DAYS);
  await expect(page.getByRole('radio', { name: 'Day' })).toBeChecked();
  await expect(bars(page)).toHaveCount(30);

  await goWithin(page, `${TAB}&to=2026-03-11`);
  const nothing = page.getByRole('heading', { name: 'No tips in this period' });
  await expect(nothing).toBeVisible();
  const answers = await holdAnswers(page, /transactions\.insights/);
  await page.getByRole('button', { name: 'Later' }).click();
  await expect.poll(answers.asked).toBe(1);
  await expect(nothing).toHaveCount(0);
  await expect(page.getByText('Loading insights...')).toBeVisible();
  answers.release();
  await expect(earnings(page)).toContainText('$194.00');
});

test('counts the hours after midnight to the night before, once its owner has said when the day ends, and leads to its statement and its file', async ({
  page,
  backstage,
  logInWithSpring,
}) => {
  const { token } = await logInWithSpring();
  await page.goto(SPRING_DAYS);
  await page.getByRole('link', { name: 'Days end at midnight' }).press('Enter');
  await expect(page.getByRole('button', { name: /^Services/ })).toBeFocused();
  const dayEnd = page.getByRole('combobox', { name: 'My day ends at' });
  await expect(dayEnd).toHaveValue('');
  // Arrow keys walk through all hours, faster than the first of them is saved.
  const answers = await holdAnswers(page, /auth\.updateProfile/);
  await dayEnd.selectOption('3 AM');
  await dayEnd.selectOption('5 AM');
  answers.release();
  await expect(page.getByText('Your day ends at 5 AM')).toBeVisible();
  await page.goBack();
  await expect(page.getByText('Days end at 5 AM')).toBeVisible();
  await expect(page.getByRole('option', { name: 'Fri, May 1, 2026: $130.96, 3 tips' })).toHaveCount(1);
  await expect(page.getByRole('option', { name: 'Sat, May 2, 2026: $0.00, 0 tips' })).toHaveCount(1);
  const friday = page.getByRole('row', { name: /^Friday/ }).filter({ visible: true });
  await expect(friday).toContainText('2 tips, $33.96');

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toBe('tipwell-daily-tips-2026-04-11-to-2026-05-10.csv');
  expect(await readFile(await file.path(), 'utf8')).toContain('2026-05-01,3,135.01,4.05,130.96,USD');

  await page.getByRole('link', { name: 'Statement' }).click();
  await expect(page).toHaveURL(
    '/statement?direction=received&from=2026-04-11&to=2026-05-10&day_start_hour=5',
  );
  const record = page.getByRole('table', { name: 'Daily tip record' });
  const first = record.getByRole('row', { name: /^Fri, May 1, 2026/ });
  await expect(first).toContainText('$130.96');
  // A bookmark stays the same statement when its owner chooses other days.
  await backstage.call('PATCH', '/auth/me', { token, body: { day_start_hour: null } });
  await page.reload();
  await expect(page.getByText('Days end at 5 AM.')).toBeVisible();
  await expect(first).toContainText('$130.96');
  const recording = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download Daily Record' }).click();
  expect(await readFile(await (await recording).path(), 'utf8')).toContain(
    '2026-05-01,3,135.01,4.05,130.96,USD',
  );
});

test('tells when tips come, and by which service, and of each bar and hour to a keyboard and a pointer; offers to try again when the numbers cannot be loaded, and labels what is shown as what it is: the former answer dimmed while the next is on its way, and no answer as none', async ({
  page,
  logInWithSpring,
  complaints,
}) => {
  await logInWithSpring();
  await page.route('**/trpc/**transactions.insights*', (route) => route.fulfill({ status: 500, body: '' }));
  await page.goto(SPRING_DAYS);
  await expect(page.getByRole('heading', { name: 'Failed to load insights' })).toBeVisible();
  await page.unroute('**/trpc/**transactions.insights*');
  await page.getByRole('button', { name: 'Retry' }).press('Enter');
  await expect(earnings(page)).toContainText('$189.16');
  await expect(page.getByRole('tabpanel')).toBeFocused();
  expect(complaints.splice(0).every((complaint) => complaint.includes('500'))).toBe(true);

  await page.setViewportSize({ width: 1280, height: 900 });
  await expect(page.getByText('Most tips: Friday, 9 PM to 10 PM · 1 tip, $97.00')).toBeVisible();
  const hours = page.getByRole('grid');
  await expect(hours.getByRole('row', { name: /^Friday/ })).toContainText(/1 tip, \$97.00.*1 tip, \$24.25/);

  await expect(earnings(page)).toContainText('Highest: Fri, May 1, 2026');
  await page.getByRole('link', { name: 'Days end at midnight' }).focus();
  await page.keyboard.press('Tab');
  await expect(bars(page).last()).toBeFocused();
  for (let day = 10; day > 3; day -= 1) await page.keyboard.press('ArrowLeft');
  await expect(
    page.getByRole('option', { name: 'Sun, May 3, 2026: $58.20, 1 tip', selected: true }),
  ).toBeFocused();
  await expect(earnings(page).getByText('Sun, May 3, 2026 $58.20 1 tip')).toBeVisible();
  await page.keyboard.press('Home');
  await expect(bars(page).first()).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByText('Show as table')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('gridcell', { name: '1 tip, $97.00' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByText('Saturday, 10 PM to 11 PM · 0 tips, $0.00')).toBeVisible();

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByText('Most tips: Friday, 9 PM to 12 AM · 2 tips, $121.25')).toBeVisible();
  await expect(hours.getByRole('columnheader')).toHaveCount(8);
  const services = page.getByRole('table', { name: 'Earnings by service, the largest first' });
  await expect(services.getByRole('row')).toHaveText([
    /Service\s*Tips\s*Earnings\s*Share/,
    /^Bartender3\$130.9669%$/,
    /^DJ1\$58.2031%$/,
  ]);

  await page.getByRole('option', { name: 'Sat, May 2, 2026: $9.71, 1 tip' }).hover();
  await expect(earnings(page).getByText('Sat, May 2, 2026 $9.71 1 tip')).toBeVisible();
  await page.getByRole('heading', { name: 'When tips come' }).hover();
  await expect(earnings(page).getByText('Highest: Fri, May 1, 2026')).toBeVisible();

  await expect(bars(page)).toHaveCount(30);
  const former = page.locator('[aria-busy="true"]').filter({ has: earnings(page) });
  const perDay = former.getByRole('listbox', { name: 'Earnings per day' });

  const weeks = await holdAnswers(page, /transactions\.insights/);
  await page.getByRole('radio', { name: 'Week' }).check();
  await expect.poll(weeks.asked).toBe(1);
  await expect(perDay.getByRole('option')).toHaveCount(30);
  await expect(former).toHaveCSS('opacity', '0.55');
  await expect(former.getByRole('radio')).toHaveCount(0);
  weeks.release();
  await expect(page.getByRole('listbox', { name: 'Earnings per week' }).getByRole('option')).toHaveCount(12);
  await expect(former).toHaveCount(0);

  await page.goBack();
  await expect(page.getByRole('listbox', { name: 'Earnings per day' })).toBeVisible();
  await page.route(/transactions\.insights/, (route) => route.fulfill({ status: 500, body: '' }));
  await page.getByRole('radio', { name: 'Month' }).check();
  await expect(page.getByRole('heading', { name: 'Failed to load insights' })).toBeVisible();
  await expect(earnings(page)).toHaveCount(0);
  await page.unroute(/transactions\.insights/);
  const months = await holdAnswers(page, /transactions\.insights/);
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect.poll(months.asked).toBe(1);
  await expect(perDay.getByRole('option')).toHaveCount(30);
  months.release();
  await expect(page.getByRole('listbox', { name: 'Earnings per month' }).getByRole('option')).toHaveCount(12);
  expect(complaints.splice(0).every((complaint) => complaint.includes('500'))).toBe(true);
});

test('leads whoever has no tips lately to the codes that bring some', async ({
  page,
  server,
  backstage,
  logInAs,
}) => {
  const people = await performer(backstage);
  await recordPast(server.databasePath, people, SPRING);
  await logInAs(people.provider);
  await page.goto(`${TAB}&granularity=month&to=2024-12-31`);
  await expect(page.getByRole('heading', { name: 'No tips in this period' })).toBeVisible();
  const codes = page.getByRole('link', { name: 'Open QR Codes' });
  // Nobody puts a code up for a time that is over.
  await expect(codes).toHaveCount(0);
  await goWithin(page, TAB);
  await expect(page.getByRole('tabpanel')).toContainText('Put your code where people pay.');
  await expectForEverybody(page, 'insights without tips lately');
  await codes.click();
  await expect(page.getByRole('article', { name: 'Bartender' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'QR Codes', selected: true })).toBeVisible();
});

test('counts a tip that arrives meanwhile, and says what was refunded', async ({
  page,
  backstage,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  await backstage.tip(customer, code, 10);
  await logInAs(provider);
  await page.goto(TAB);
  await expect(earnings(page)).toContainText('Before fees $10.00, less $0.30 in fees');
  await backstage.tip(customer, code, 20);
  await expect(earnings(page)).toContainText('Before fees $30.00, less $0.90 in fees');
  await expect(stat(page, 'Largest tip').getByRole('definition').first()).toHaveText('$19.40');
  await expect(page.getByText('Refunded or taken back')).toHaveCount(0);
  const wentBack = page.getByText(/^Refunded or taken back in this period: /);
  for (const [amount, sum] of [
    [20, '-$19.40'],
    [10, '-$29.10'],
  ] as const) {
    const tip = (await backstage.transactions(provider)).find((each) => each.amount === amount);
    await backstage.call('POST', `/transactions/${tip?.id}/refund`, { token: provider.token });
    await expect(wentBack).toContainText(sum);
    if (amount === 10) continue;
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByText('Show as table').click();
    await expect(page.getByRole('columnheader', { name: 'Went back' })).toBeVisible();
    await expect(page.getByRole('cell', { name: '-$19.40' })).toBeVisible();
  }
  await expect(page.getByRole('heading', { name: 'No tips in this period' })).toBeVisible();
});

test('is fetched when it is opened, and says that nothing came yet, and that there is nothing later', async ({
  page,
  backstage,
  logInAs,
}) => {
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  const charts = () => fetched.filter((url) => url.includes('/insights-'));
  await logInAs(await backstage.provider());
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { name: 'No QR Codes Yet' })).toBeVisible();
  expect(charts()).toEqual([]);
  await page.getByRole('tab', { name: 'Insights' }).click();
  await expect(page.getByRole('heading', { name: 'No tips in this period' })).toBeVisible();
  expect(charts()).not.toEqual([]);
  await expect(page.getByRole('combobox', { name: 'Service' })).toHaveCount(0);
  const later = page.getByRole('button', { name: 'Later' });
  await expect(later).toHaveAttribute('aria-disabled', 'true');
  await expect(later).toHaveAccessibleDescription('The latest period');
  await later.click({ force: true });
  await expect(page).toHaveURL(TAB);
});
