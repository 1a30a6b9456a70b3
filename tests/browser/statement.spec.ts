/**
 * The statement: what it says of a period, that it prints on either paper without loss, that its downloads
 * are the server's files, and that a failure of one is told.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { parse } from 'csv-parse/sync';
import { MAX_NAME_LENGTH } from '#shared/display-names.ts';
import { newTransactionId, readQrCodeId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { payoutAccountOf, payTip, settleCharge } from '#tests/support/payment-steps.ts';
import { saveSheet } from '../support/prints.ts';
import type { RunningServer } from '../support/running-server.ts';
import { requirePrintTools } from '../support/system-tools.ts';
import { type Backstage, expect, goWithin, holdAnswers, type Person, test } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { storageAt } from './kept.ts';

/** In December, so that there is a month before and none to come. */
const NOW = new Date('2025-12-10T18:00:00Z');
const TIPS_CSV = '**/api/transactions?*';
test.use({ locale: 'en-US', timezoneId: 'America/New_York' });

interface PastTip {
  readonly at: string;
  readonly amountCents: number;
  /** When the receiver refunded it. */
  readonly refundedAt?: string;
}

/** Puts tips of another time into the ledger of a running server. @returns their ids. */
async function giveTips(
  server: RunningServer,
  { giver, receiver, code }: { giver: Person; receiver: Person; code: string },
  tips: readonly PastTip[],
): Promise<string[]> {
  const storage = await storageAt(server.databasePath);
  const qrCodeId = readQrCodeId(code);
  if (qrCodeId === null) throw new Error(`${code} is no code`);
  // Together, since those that come at once share a commit.
  return Promise.all(
    tips.map(async ({ at, refundedAt, amountCents }) => {
      const id = newTransactionId(randomBytes);
      const given = { id, giverId: giver.id, qrCodeId, createdAtMs: Date.parse(at), amountCents };
      const { outcome } = await storage.recordTip(newTip(given));
      expect(outcome).toBe('recorded');
      const reversal = { transactionId: id, userId: receiver.id, idempotencyKey: null };
      if (refundedAt)
        await storage.reverseTip({ ...reversal, createdAtMs: Date.parse(refundedAt), giverFromMs: 0 });
      return id;
    }),
  );
}

async function createScene(backstage: Backstage, server: RunningServer, tips: readonly PastTip[] = TIPS) {
  const { provider, code, customer } = await backstage.bothSides();
  const ids = await giveTips(server, { giver: customer, receiver: provider, code }, tips);
  return { provider, customer, ids };
}

/** The night of the first is still October in New York. */
const TIPS: readonly PastTip[] = [
  { at: '2025-11-01T02:00:00Z', amountCents: 9_999 },
  { at: '2025-11-03T18:05:00Z', amountCents: 2_000 },
  { at: '2025-11-03T19:05:00Z', amountCents: 5_000, refundedAt: '2025-11-03T19:05:00Z' },
  { at: '2025-11-20T18:05:00Z', amountCents: 123_456 },
  { at: '2025-12-02T18:05:00Z', amountCents: 1_000 },
];

/**
 * From the next loading on. A page from which the clock of Playwright cannot be taken again would end with its
 * test, instead of serving the next one.
 */
async function stopTime(page: Page): Promise<void> {
  await page.addInitScript((nowMs) => {
    Date.now = () => nowMs;
    window.Date = new Proxy(Date, {
      construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [nowMs] : args, made),
    });
  }, NOW.getTime());
}

async function open(page: Page, path = '/statement'): Promise<void> {
  await stopTime(page);
  await page.goto(path);
  await expect(page.getByRole('article', { name: 'Statement' })).toBeVisible();
}

test('is loaded anew when the device has come to another time zone', async ({
  browser,
  server,
  backstage,
}) => {
  const { provider } = await createScene(backstage, server);
  // Only a page without a time zone of its own can come to another one.
  const context = await browser.newContext({ baseURL: server.url, timezoneId: '' });
  const page = await context.newPage();
  const device = await context.newCDPSession(page);
  const goTo = (timezoneId: string) => device.send('Emulation.setTimezoneOverride', { timezoneId });
  await goTo('America/New_York');
  await page.addInitScript((token) => localStorage.setItem('tipwell_token', token), provider.token);
  await page.clock.install({ time: NOW });
  await page.goto('/statement?from=2025-11-01&to=2025-11-30');
  const everyTip = page.getByRole('button', { name: /^Every Tip/ });
  await expect(everyTip).toHaveText('Every Tip (3)');
  await goTo('Asia/Tokyo');
  await everyTip.focus();
  await page.keyboard.press('Enter');
  // The night of the first is in November there.
  await expect(everyTip).toHaveText('Every Tip (4)');
  await expect(page.getByText('All times in Asia/Tokyo.')).toBeVisible();
  const times = page.getByRole('table', { name: 'Every tip' }).locator('time');
  await expect(times.first()).toHaveText(/^Nov 1, 2025, 11:00\sAM$/);
  // Its button was gone for a while: reading goes on where the statement stands.
  await expect(page.locator(':focus').getByRole('article', { name: 'Statement' })).toBeVisible();

  // Open over the end of a month, it leads to the month that is over.
  await page.clock.setSystemTime('2026-01-01T12:00:00Z');
  await page.clock.runFor(61_000);
  const lastMonth = page.getByRole('link', { name: 'Last Month' });
  await expect(lastMonth).toHaveAttribute('href', /from=2025-12-01&to=2025-12-31/);
  await context.close();
});

/** A folded table as well. */
const table = (page: Page, name: string) =>
  page.locator('table', { has: page.locator('caption', { hasText: name }) });
const rowsOf = (page: Page, name: string) => table(page, name).locator('tbody tr');

test('a provider sees what was received in the last month, tip by tip, by month and day by day, and downloads both files, one at a time, also of another period; a statement that cannot be loaded is asked for again, and the focus stays', async ({
  page,
  backstage,
  server,
  logInAs,
  complaints,
}) => {
  const { provider, ids } = await createScene(backstage, server);
  await logInAs(provider);
  await stopTime(page);
  await page.route('**/trpc/*transactions*', (route) => route.abort());
  await page.goto('/statement');
  await page.getByRole('button', { name: 'Retry' }).focus();
  await page.unroute('**/trpc/*transactions*');
  const statement = await holdAnswers(page, '**/trpc/*transactions*');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Loading the statement...')).toBeVisible();
  statement.release();
  await expect(page.getByRole('article', { name: 'Statement' })).toBeVisible();
  complaints.splice(0);
  await page.keyboard.press('Shift+Tab');
  await expect(page.getByRole('button', { name: 'Download Daily Record' })).toBeFocused();
  const sheet = page.getByRole('article', { name: 'Statement' });
  await expect(sheet).toContainText('Tips received, Nov 1 – 30, 2025');
  await expect(sheet).toContainText(`${provider.fullName} · @${provider.username}`);
  await expect(sheet).toContainText('All times in America/New_York. Made Dec 10, 2025');
  await expect(sheet).toContainText('Simulated money');
  await expect(sheet.locator('dl')).toHaveText('Tips3Refunds1Gross$1,254.56Fees$37.64Net$1,216.92');

  const tips = rowsOf(page, 'Every tip');
  await expect(tips).toHaveCount(3);
  await expect(tips.nth(0)).toBeHidden();
  const every = page.getByRole('button', { name: 'Every Tip (3)', expanded: false });
  await every.click();
  await expect(tips.nth(0)).toBeVisible();
  await expect(tips.nth(0)).toContainText(`$20.00$0.60$19.40${ids[1]}`);
  await expect(tips.nth(0)).toContainText('Nov 3, 2025');
  await expect(tips.nth(1)).toContainText('Refunded Nov 3, 2025');
  await expect(tips.nth(2)).toContainText(`$1,234.56$37.04$1,197.52${ids[3]}`);
  await expect(rowsOf(page, 'By month and service')).toHaveText([
    'November 2025Bartender31$1,254.56$37.64$1,216.92',
    'Total31$1,254.56$37.64$1,216.92',
  ]);
  await expect(rowsOf(page, 'Daily tip record')).toHaveText([
    'Mon, Nov 3, 202521$20.00$0.60$19.40',
    'Thu, Nov 20, 202510$1,234.56$37.04$1,197.52',
    'Total31$1,254.56$37.64$1,216.92',
  ]);
  await expect(rowsOf(page, 'Refunds in this period')).toContainText(['-$50.00-$1.50-$48.50']);
  await expect(page.getByText('“Tips given” and the last three columns of the daily record')).toBeVisible();
  await expect(table(page, 'Changed since this period')).toHaveCount(0);
  const download = async (name: string) => {
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name, exact: true }).click();
    const file = await downloading;
    const rows: Record<string, string>[] = parse(await readFile(await file.path()), {
      bom: true,
      columns: true,
    });
    return { name: file.suggestedFilename(), rows };
  };
  const csv = await download('Download CSV');
  expect(csv.name).toBe('tipwell-received-tips-2025-11-01-to-2025-11-30.csv');
  expect(csv.rows.map(({ Transaction }) => Transaction)).toEqual([ids[3], ids[2], ids[2], ids[1]]);
  expect(csv.rows[0]).toMatchObject({ Date: '2025-11-20', Time: '13:05:00', 'UTC offset': 'UTC-05:00' });
  const daily = await download('Download Daily Record');
  expect(daily.name).toBe('tipwell-daily-tips-2025-11-01-to-2025-11-30.csv');
  expect(daily.rows.map(({ Date: date, Net }) => [date, Net])).toEqual([
    ['2025-11-03', '19.40'],
    ['2025-11-20', '1197.52'],
  ]);

  const answers = await holdAnswers(page, TIPS_CSV);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const making = page.getByRole('button', { name: 'Making...' });
  const ofDays = page.getByRole('button', { name: 'Download Daily Record' });
  await expect(making).toBeDisabled();
  await expect(making).toBeFocused();
  await expect(ofDays).toBeDisabled();
  await page.getByRole('link', { name: 'This Month' }).click();
  await expect(page.getByText('Tips received, Dec 1 – 31, 2025')).toBeVisible();
  await expect(making).toBeDisabled();
  await expect(ofDays).toBeDisabled();
  await making.dispatchEvent('click');
  answers.release();
  expect((await downloading).suggestedFilename()).toBe('tipwell-received-tips-2025-11-01-to-2025-11-30.csv');
  await expect(page.getByRole('button', { name: 'Download CSV' })).toBeEnabled();
  await expect(ofDays).toBeEnabled();
  expect(answers.asked()).toBe(1);
});

test('a month that is over keeps its totals, and says what was refunded of its tips since, and which download failed, and why, until that file is asked for again', async ({
  page,
  backstage,
  server,
  logInAs,
  complaints,
}) => {
  const { provider } = await createScene(backstage, server, [
    { at: '2025-10-20T18:00:00Z', amountCents: 4_000, refundedAt: '2025-11-05T18:00:00Z' },
    { at: '2025-11-03T18:05:00Z', amountCents: 2_000 },
    { at: '2025-11-20T18:05:00Z', amountCents: 10_000, refundedAt: '2025-12-03T12:30:00Z' },
  ]);
  await logInAs(provider);
  await open(page);
  const sheet = page.getByRole('article', { name: 'Statement' });
  await expect(sheet.locator('dl')).toHaveText('Tips2Refunds1Gross$80.00Fees$2.40Net$77.60');
  await expect(rowsOf(page, 'Daily tip record')).toHaveText([
    'Mon, Nov 3, 202510$20.00$0.60$19.40',
    'Wed, Nov 5, 202501-$40.00-$1.20-$38.80',
    'Thu, Nov 20, 202510$100.00$3.00$97.00',
    'Total21$80.00$2.40$77.60',
  ]);
  await expect(rowsOf(page, 'Refunds in this period')).toContainText([
    /^Nov 5, 2025.*Refund, BartenderTip of Oct 20, 2025-\$40\.00-\$1\.20-\$38\.80/,
  ]);
  await expect(rowsOf(page, 'Changed since this period')).toContainText([
    /^Dec 3, 2025.*Refund, BartenderTip of Nov 20, 2025-\$100\.00-\$3\.00-\$97\.00/,
  ]);
  await expect(rowsOf(page, 'As these tips count today')).toHaveText([
    'Total of this statement (net)$77.60',
    'Refunds of earlier tips, added back$38.80',
    'These tips when the period ended$116.40',
    'Changed since-$97.00',
    'These tips today$19.40',
  ]);

  const csv = page.getByRole('button', { name: 'Download CSV' });
  const alert = page.getByRole('alert');
  const ofNovember =
    'CSV, Nov 1 – 30, 2025: The file could not be downloaded. Check your connection and try again.';
  await page.route(TIPS_CSV, (route) => route.abort());
  await csv.click();
  await expect(alert).toHaveText(ofNovember);
  await expectForEverybody(page, 'statement with refunds whose download failed');
  let downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download Daily Record' }).click();
  await downloading;
  await expect(csv).toBeEnabled();
  await expect(alert).toHaveText(ofNovember);
  await page.unroute(TIPS_CSV);
  downloading = page.waitForEvent('download');
  await csv.click();
  await downloading;
  await expect(alert).toHaveCount(0);

  let fail = () => {};
  const gate = new Promise<void>((resolve) => {
    fail = resolve;
  });
  await page.route(TIPS_CSV, async (route) => {
    await gate;
    await route.abort();
  });
  await csv.click();
  await page.getByRole('link', { name: 'This Month' }).click();
  await expect(page.getByText('Tips received, Dec 1 – 31, 2025')).toBeVisible();
  fail();
  await expect(alert).toHaveText(ofNovember);
  complaints.splice(0);
  await expect(sheet.locator('dl')).toHaveText('Tips0Refunds1Gross-$100.00Fees-$3.00Net-$97.00');
});

test('somebody who is not logged in is led to the login, and back to the same statement; a customer sees what was paid, and an address names the period', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  const { provider, customer } = await createScene(backstage, server);
  await page.goto('/statement?from=2025-10-01&to=2025-12-31');
  await expect(page).toHaveURL(/\/auth\?next=%2Fstatement%3Ffrom%3D2025-10-01%26to%3D2025-12-31$/);
  await logInAs(customer);
  await open(page, '/statement?from=2025-10-01&to=2025-12-31');
  await expect(page.getByRole('article').locator('dl')).toHaveText(
    'Tips5Refunds1Amount$1,364.55Fees$68.23Total paid$1,432.78',
  );
  await expect(rowsOf(page, 'Refunds in this period')).toContainText(['-$50.00-$2.50-$52.50']);
  await expect(rowsOf(page, 'As these tips count today')).toHaveText([
    'Total of this statement (paid)$1,432.78',
    'These tips today$1,432.78',
  ]);
  await expect(rowsOf(page, 'Every tip')).toHaveCount(5);
  await expect(rowsOf(page, 'Every tip').nth(0)).toContainText(`${provider.fullName}, Bartender`);
  await expect(table(page, 'Daily tip record')).toHaveCount(0);
  await expect(page.getByRole('navigation', { name: 'Direction' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Download Daily Record' })).toHaveCount(0);
});

test('the period and the direction are chosen with the keyboard, and Back leads to the statement before; the focus stays where a choice was made, and the days of the fields follow the period, which may be too long for a daily record, or for a statement', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  const { provider } = await createScene(backstage, server);
  await logInAs(provider);
  await open(page);
  const periods = page.getByRole('navigation', { name: 'Period' });
  await expect(periods.getByRole('link', { name: 'Last Month' })).toHaveAttribute('aria-current', 'true');
  await periods.getByRole('link', { name: 'This Month' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/statement?direction=received&from=2025-12-01&to=2025-12-31');
  await expect(rowsOf(page, 'Every tip')).toHaveCount(1);
  await page.getByRole('link', { name: 'Sent' }).press('Enter');
  await expect(page.getByText('No tips were sent in this period.')).toBeVisible();
  await page.goBack();
  await expect(rowsOf(page, 'Every tip')).toHaveCount(1);

  await page.getByLabel('From').fill('2025-11-04');
  await page.getByLabel('To').fill('2025-11-03');
  await page.keyboard.press('Enter');
  await expect(page.getByText('The last day must not be before the first.')).toBeVisible();
  await expect(page.getByLabel('From')).toHaveValue('2025-11-04');
  await page.getByLabel('From').fill('2025-11-03');
  await page.getByLabel('From').press('Enter');
  await expect(page).toHaveURL('/statement?direction=received&from=2025-11-03&to=2025-11-03');
  await expect(rowsOf(page, 'Every tip')).toHaveCount(2);

  await goWithin(page, '/statement?from=2025-11-01&to=2025-11-30&service_category=bartender');
  const from = page.getByLabel('From');
  await from.fill('2025-11-20');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(rowsOf(page, 'Every tip')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Show' })).toBeFocused();
  await from.fill('2025-11-03');
  await from.press('Enter');
  await expect(rowsOf(page, 'Every tip')).toHaveCount(3);
  await expect(from).toBeFocused();
  await page.goBack();
  await expect(rowsOf(page, 'Every tip')).toHaveCount(1);
  await expect(from).toHaveValue('2025-11-20');
  await from.fill('2025-12-20');
  await from.press('Enter');
  await expect(page.getByText('The last day must not be before the first.')).toBeVisible();
  await page.getByRole('link', { name: 'Last Month' }).click();
  await expect(from).toHaveValue('2025-11-01');
  await expect(page.getByText('The last day must not be before the first.')).toHaveCount(0);

  const services = page.getByRole('navigation', { name: 'Service' });
  await services.getByRole('link', { name: 'All services' }).press('Enter');
  await expect(page).toHaveURL('/statement?direction=received&from=2025-11-01&to=2025-11-30');
  await expect(rowsOf(page, 'Every tip')).toHaveCount(3);
  await expect(services.getByRole('link', { name: 'All services' })).toBeFocused();
  await services.getByRole('link', { name: 'Bartender' }).press('Enter');
  await expect(page).toHaveURL(/service_category=bartender/);

  await goWithin(page, '/statement?from=2024-01-01&to=2025-12-31');
  await expect(page.getByText('choose up to 400 days')).toBeVisible();
  await expect(rowsOf(page, 'By month and service')).toHaveCount(4);
  await goWithin(page, '/statement?from=1990-01-01&to=2025-12-31');
  await expect(page.getByRole('alert')).toContainText('The period may have up to ten years.');
  await expect(page.getByRole('button', { name: 'Retry' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Last Month' }).click();
  await expect(rowsOf(page, 'Every tip')).toHaveCount(3);
});

test('a statement that is opened again has what happened meanwhile', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  const both = { giver: customer, receiver: provider, code };
  await giveTips(server, both, [{ at: '2025-11-20T18:05:00Z', amountCents: 2_000 }]);
  await logInAs(provider);
  await open(page);
  await expect(page.getByRole('article').locator('dl')).toHaveText('Tips1Gross$20.00Fees$0.60Net$19.40');
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('button', { name: /^More about this tip/ }).click();
  await page.getByRole('menuitem', { name: 'View Receipt' }).click();
  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();
  await expect(page.getByText(/^Refunded on .* by you/)).toBeVisible();
  await giveTips(server, both, [{ at: '2025-11-21T18:05:00Z', amountCents: 1_000 }]);
  await page.goBack();
  await expect(page).toHaveURL(/\/dashboard/);
  await page.goBack();
  await expect(page.getByRole('article').locator('dl')).toHaveText('Tips2Gross$30.00Fees$0.90Net$29.10');
  await expect(rowsOf(page, 'Changed since this period')).toHaveCount(1);
  await expect(rowsOf(page, 'Every tip').nth(0)).toContainText('Refunded');
  await expect(rowsOf(page, 'Every tip')).toHaveCount(2);
});

test('lists the newest tips alone where there are too many, and sums all of them up', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  test.setTimeout(120_000);
  const start = Date.parse('2025-11-05T12:00:00Z');
  const many = Array.from({ length: 2_001 }, (_, index) => ({
    at: new Date(start + index * 60_000).toISOString(),
    amountCents: 1_000,
  }));
  const { provider, ids } = await createScene(backstage, server, many);
  await logInAs(provider);
  await open(page);
  await page.getByRole('button', { name: 'Every Tip (Newest 2,000)' }).click();
  await expect(page.getByText('Only the newest 2,000 tips are listed here.')).toBeVisible();
  await expect(rowsOf(page, 'Every tip')).toHaveCount(2_000);
  await expect(rowsOf(page, 'Every tip').last()).toContainText(ids.at(-1) ?? '');
  await expect(page.getByRole('article').locator('dl')).toContainText('Tips2,001Gross$20,010.00');
  await expect(rowsOf(page, 'By month and service').last()).toContainText('Total2,001$20,010.00');
  await goWithin(page, '/dashboard?tab=transactions&from=2025-11-01&to=2025-11-30');
  await expect(page.getByText('net in 2,001 tips')).toBeVisible();
});

test('prints black on white in both schemes, each page with its headers and whose it is, and no control', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  requirePrintTools();
  const start = Date.parse('2025-11-05T12:00:00Z');
  const many = Array.from({ length: 90 }, (_, index) => ({
    at: new Date(start + index * 3_600_000 * 5).toISOString(),
    amountCents: 1_000 + index,
    ...(index === 40 && { refundedAt: '2025-11-20T18:05:00Z' }),
  }));
  const { provider, ids } = await createScene(backstage, server, many);
  await logInAs(provider);
  await open(page);
  await expect(rowsOf(page, 'Every tip')).toHaveCount(90);
  const size = page.viewportSize() ?? { width: 390, height: 844 };
  // What a scheme could change is its colours, and what a paper could is where a page ends.
  for (const [colorScheme, format] of [
    ['light', 'Letter'],
    ['dark', 'A4'],
  ] as const) {
    await page.emulateMedia({ colorScheme, media: null });
    await page.setViewportSize(size);
    const sheet = saveSheet(await page.pdf({ format, printBackground: true }));
    const pages = (await sheet.pages()).map(({ words }) => words.map((word) => word.text).join(' '));
    const text = pages.join(' ');
    for (const id of ids) expect(text, format).toContain(id);
    expect(text).toContain('Daily tip record');
    expect(text).toMatch(/Refunded Nov \d+, 2025/);
    for (const control of ['Print', 'Download', 'Last Month', 'Show']) expect(text).not.toContain(control);
    expect(pages.length).toBeGreaterThan(2);
    for (const [index, printed] of pages.entries()) {
      expect(printed).toContain(`Page ${index + 1} of ${pages.length}`);
      expect(printed, `${format} ${index}`).toContain(`${provider.fullName} · @${provider.username}`);
      expect(printed, `${format} ${index}`).toMatch(/Tips received, Nov 1\s–\s30, 2025/);
      expect(printed, `${format} ${index}`).not.toMatch(/Transaction Page/);
      if (/txn_/.test(printed)) expect(printed, `${format} ${index}`).toMatch(/Date and time.*Transaction/);
    }
    await page.emulateMedia({ colorScheme, media: 'print' });
    const colours = await page.evaluate(() => {
      const { backgroundColor } = getComputedStyle(document.documentElement);
      const { color } = getComputedStyle(document.querySelector('article') ?? document.body);
      return { backgroundColor, color };
    });
    expect(colours).toEqual({ backgroundColor: 'rgb(255, 255, 255)', color: 'rgb(0, 0, 0)' });
    // A page of A4 without its margins.
    await page.setViewportSize({ width: 687, height: 1_000 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(687);
    // Else a full last page is followed by an empty one, which says nothing of whose it is.
    const below = await page.evaluate(() => {
      const { bottom } = document.querySelector('article')?.getBoundingClientRect() ?? new DOMRect();
      return document.documentElement.getBoundingClientRect().bottom - bottom;
    });
    expect(below).toBeLessThan(1);
  }
});

test('names of one long word fit a narrow phone with large text, a desktop and paper', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  const fullName = 'W'.repeat(MAX_NAME_LENGTH);
  const provider = await backstage.provider(['bartender'], fullName);
  const customer = await backstage.customer(fullName);
  const large = { at: '2025-11-20T19:05:00Z', amountCents: 1_000_000 };
  const sides = { giver: customer, receiver: provider, code: await backstage.code(provider) };
  await giveTips(server, sides, [...TIPS, large, large]);
  await logInAs(customer);
  await open(page);
  await expectForEverybody(page, 'statement with long names');
  await page.setViewportSize({ width: 320, height: 800 });
  const linesOfSums = page.getByRole('definition').evaluateAll((sums) =>
    sums.map((sum) => {
      const range = document.createRange();
      range.selectNodeContents(sum);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size;
    }),
  );
  expect(new Set(await linesOfSums), 'lines of a sum').toEqual(new Set([1]));
  for (const [media, width] of [
    ['screen', 1_280],
    ['print', 687],
  ] as const) {
    await page.emulateMedia({ media });
    await page.setViewportSize({ width, height: 1_000 });
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), media)
      .toBeLessThanOrEqual(width);
  }
});

test('names a dispute and what came back of it, also of an earlier month, on which day its tip counted, and which money was real', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  const { provider, code, customer } = await backstage.bothSides();
  const qrCodeId = readQrCodeId(code);
  if (qrCodeId === null) throw new Error(`${code} is no code`);
  const storage = await storageAt(server.databasePath);
  const openedAtMs = Date.parse('2025-10-05T18:00:00Z');
  const receiverId = provider.id;
  const [id, giverId] = [newTransactionId(randomBytes), customer.id];
  await storage.payments.savePayoutAccount(
    { ...payoutAccountOf(receiverId), paymentMode: 'live' },
    openedAtMs,
  );
  const amountCents = 2_000;
  const given = { id, giverId, qrCodeId, createdAtMs: openedAtMs - 1, amountCents };
  await payTip(storage, newTip(given, { paymentMode: 'live' }));
  for (const [state, at] of [
    ['open', openedAtMs],
    ['won', Date.parse('2025-11-12T18:00:00Z')],
  ] as const) {
    const paid = cents(2_100);
    const disputes = [{ id: 'dp_1', cents: paid, state, openedAtMs, answerByMs: null, givenBackCents: 0 }];
    const transfer = { cents: paid, reversedCents: state === 'open' ? paid : cents(0) };
    await settleCharge(storage, id, { disputes, transfer }, at);
  }
  await logInAs(provider);
  await open(page, '/statement?from=2025-11-01&to=2025-11-30');
  await expect(rowsOf(page, 'Refunds and disputes in this period')).toContainText('Dispute won, Bartender');
  await expect(page.locator('dl')).toContainText('Tips0Refunds and disputes1');
  await expect(page.locator('thead th').filter({ hasText: /^Refunds and disputes$/ })).toHaveCount(2);
  await expect(rowsOf(page, 'As these tips count today')).toHaveText([
    'Total of this statement (net)$19.40',
    'Refunds and disputes of earlier tips, left out-$19.40',
    'These tips today$0.00',
  ]);
  const sheet = page.getByRole('article', { name: 'Statement' });
  await expect(sheet).toContainText('Tip of Oct 5, 2025');
  // The keys of Stripe are gone from this server, and what was paid with them was real.
  await expect(sheet).not.toContainText('real money');
  const simulated = { at: '2025-11-20T18:05:00Z', amountCents: 2_000 };
  await giveTips(server, { giver: customer, receiver: provider, code }, [simulated]);
  await goWithin(page, '/statement?from=2025-11-01&to=2025-11-30&day_start_hour=15');
  await expect(sheet).toContainText('Not all of this money is real: the CSV tells how each tip was paid.');
  await expect(sheet).toContainText('Tip of Oct 4, 2025');
});
