/** A giver on an installation with terms of its own, which change while they pay. */
import type { Terms } from '#shared/money.ts';
import { cents, SPECIFIED_TERMS } from '#shared/money.ts';
import type { RunningServer } from '../support/running-server.ts';
import { startServer } from '../support/running-server.ts';
import { test as baseTest, expect, stat, toast } from './fixtures.ts';
import { settled } from './for-everybody.ts';
import { keeping, storageAt } from './kept.ts';
import { picture } from './picture.ts';

const EUROS: Partial<Terms> = {
  currency: 'EUR',
  exponent: 2,
  giverFeeRate: 250,
  receiverFeeRate: 0,
  minTipCents: cents(100),
  maxTipCents: cents(50_000),
  quickAmountsCents: [100, 200, 350, 500].map(cents),
};

/** @returns their version, when the server has heard of them. */
async function setTerms({ databasePath, url }: RunningServer, changed: Partial<Terms>): Promise<number> {
  const storage = await storageAt(databasePath);
  const before = (await storage.listTerms()).at(-1) ?? SPECIFIED_TERMS;
  const nowMs = Date.now();
  const next = { ...before, ...changed, version: before.version + 1, fromMs: nowMs, createdAtMs: nowMs };
  expect(await storage.addTerms(next)).toBe('added');
  const present = () => fetch(`${url}/api/terms`).then((answer) => answer.json());
  await expect.poll(present).toMatchObject({ version: next.version });
  return next.version;
}

const test = baseTest.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  server: async ({}, use) => {
    const server = await startServer();
    await setTerms(server, EUROS);
    await use(server);
    // Where a tip was given, no other currency can be set.
    await server.stop('SIGKILL');
  },
});

const serverInEuros = keeping(
  (_file: string) => startServer(),
  (server) => server.stop('SIGKILL'),
);

const inEuros = baseTest.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  server: async ({}, use) => {
    const server = await serverInEuros('terms.spec');
    await setTerms(server, EUROS);
    await use(server);
  },
});

// In one worker, which starts the server of those in euros once.
test.describe.configure({ mode: 'default' });

inEuros(
  'an amount is kept when the fees change before it is paid, the new total is shown, and one tap pays it; one out of bounds by now is chosen again',
  async ({ page, backstage, server, logInAs, complaints }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await expect(page.getByText('€1 to €500')).toBeVisible();
    await picture(page, 'terms-01-amounts');
    await page.getByText('€3.50', { exact: true }).click();
    await expect(page.getByText('Service fee (2.5%)')).toBeVisible();
    await expect(page.getByText('Provider receives')).toHaveCount(0);
    await page.getByRole('button', { name: 'Proceed' }).click();
    const pay = page.getByRole('button', { name: /^Pay/ });
    await expect(pay).toHaveText(/^Pay €3\.59 /);

    const version = await setTerms(server, { giverFeeRate: 1_000, receiverFeeRate: 5_000 });
    await pay.click();
    await expect(
      toast(page, 'The fees have changed. Nothing was charged. The total is €3.85 now.'),
    ).toBeVisible();
    await expect(pay).toHaveText(/^Pay €3\.85 /);
    await picture(page, 'terms-02-changed');
    expect(await backstage.transactions(provider)).toEqual([]);
    await pay.click();
    await expect(toast(page, `Tip sent successfully! €3.50 sent to ${provider.fullName}`)).toBeVisible();
    expect(await backstage.transactions(provider)).toMatchObject([
      { amount: 3.5, giver_fee: 0.35, net_amount: 1.75, currency: 'EUR', terms_version: version },
    ]);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);

    await page.goto(`/tip/${code}`);
    await page.getByLabel('Or enter your own').fill('2,25');
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(pay).toBeVisible();
    await setTerms(server, { minTipCents: cents(250), quickAmountsCents: [cents(300)] });
    await pay.click();
    await expect(toast(page, 'Tip amount must be between €2.50 and €500')).toBeVisible();
    await expect(page.getByText('€2.50 to €500')).toBeVisible();
    await expect(page.getByLabel('Or enter your own')).toHaveValue(/2,25|€2\.25/);
    expect(await backstage.transactions(provider)).toHaveLength(1);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  },
);

test('amounts of a currency with long figures are read whole on narrow, common and wide screens; the landing page tells fees only where there are any', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  await test.step('the landing page has no figure of fees where there are none, and speaks of no cents in yen', async () => {
    const costs = page.getByRole('listitem').filter({ hasText: 'Secure transactions' }).locator('p').first();
    await page.goto('/');
    await expect(costs).toHaveText('2.5%');
    await expect(page.getByText('or type any other sum, to the cent.')).toBeVisible();
    await expect(page.getByText('every tip is kept, to the cent, in a ledger')).toBeVisible();
    await setTerms(server, { giverFeeRate: 0, currency: 'JPY', exponent: 0 });
    await page.goto('/');
    await expect(costs).toHaveText(/^There are no fees/);
    await expect(page.getByText('or type any other sum.')).toBeVisible();
    await expect(page.getByText('every tip is kept in a ledger')).toBeVisible();
  });

  await setTerms(server, {
    ...EUROS,
    currency: 'IDR',
    minTipCents: cents(1_000_000),
    maxTipCents: cents(1_000_000_000),
    quickAmountsCents: [20, 50, 75, 100, 150, 200, 1_000].map((thousands) => cents(thousands * 100_000)),
  });
  const { code, customer } = await backstage.bothSides();
  await logInAs(customer);
  const widths = [320, 390, 1280];
  const options = page.getByRole('group', { name: 'Choose an amount' }).locator('label');
  const isInside = () =>
    page.locator('[data-long=true]').evaluate((sum) => {
      const right = sum.closest('main')?.getBoundingClientRect().right ?? 0;
      return sum.getBoundingClientRect().right <= right && document.documentElement.scrollWidth <= innerWidth;
    });
  /** Looks at each width once the page has been laid out for it. */
  const atEach = async (look: (width: number) => Promise<void>) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 780 });
      await settled(page);
      await look(width);
    }
  };
  const expectInside = async (width: number) => expect(await isInside(), `${width} px`).toBe(true);

  await page.goto(`/tip/${code}`);
  await expect(options).toHaveCount(7);
  await atEach(async (width) => {
    const boxes = await options.evaluateAll((labels) =>
      labels.map((label) => {
        const figure = label.querySelector('span')?.getBoundingClientRect();
        const { left, right } = label.getBoundingClientRect();
        return { isInside: figure && figure.left >= left && figure.right <= right, right };
      }),
    );
    expect(
      boxes.filter((box) => !box.isInside),
      `${width} px`,
    ).toEqual([]);
    expect(Math.max(...boxes.map(({ right }) => right))).toBeLessThanOrEqual(width);
  });
  await page.getByLabel('Or enter your own').fill('9,500,000');
  await page.getByRole('button', { name: 'Proceed' }).click();
  await expect(page.getByText(/ Indonesian rupiahs$/)).toBeVisible();
  await atEach(expectInside);
  await page.getByRole('button', { name: /^Pay/ }).click();
  await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
  await atEach(expectInside);
});

test('sums in three decimals stay whole on a dashboard and apart in Insights on a phone, and the scale of earnings says what its lines stand for', async ({
  page,
  backstage,
  server,
  logInAs,
}) => {
  await setTerms(server, {
    currency: 'KWD',
    exponent: 3,
    minTipCents: cents(1),
    maxTipCents: cents(3_000_000),
    quickAmountsCents: [cents(250)],
  });
  const { provider, code, customer } = await backstage.bothSides();
  await logInAs(provider);
  const lines = page.locator('figure > div').first().locator('[aria-hidden]').first().locator('span');
  await backstage.tip(customer, code, 0.002);
  await page.goto('/dashboard?tab=insights');
  await expect(lines).toHaveText(['KWD 0', 'KWD 0.001', 'KWD 0.002']);
  await backstage.tip(customer, code, 0.248);
  await page.goto('/dashboard');
  const given = stat(page, 'Tips Given').getByRole('definition');
  await expect(given).toHaveText('KWD 0.000');
  const linesOf = (text: string) =>
    given.evaluate((sum, part) => {
      const range = document.createRange();
      const node = document.createTreeWalker(sum, NodeFilter.SHOW_TEXT).nextNode();
      const start = node?.textContent?.indexOf(part) ?? -1;
      if (!node || start < 0) return null;
      range.setStart(node, start);
      range.setEnd(node, start + part.length);
      return range.getClientRects().length;
    }, text);
  expect(await linesOf('0.000')).toBe(1);
  await page.goto('/dashboard?tab=insights');
  await expect(lines).toHaveText(['KWD 0', 'KWD 0.05', 'KWD 0.1', 'KWD 0.15', 'KWD 0.2', 'KWD 0.25']);

  await backstage.tip(customer, code, 2_999.999);
  await page.goto('/dashboard?tab=insights');
  await page.getByText('Show as table').click();
  const figures = stat(page, 'Largest tip').or(stat(page, 'Best day')).getByRole('definition');
  const row = page.getByRole('table', { name: 'Earnings per day' }).getByRole('row').nth(1);
  for (const texts of [figures.filter({ hasText: 'KWD' }), row.getByRole('cell')]) {
    const boxes = await texts.evaluateAll((elements) =>
      elements.map((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const { left, right, bottom } = range.getBoundingClientRect();
        return { left, right, bottom, end: element.getBoundingClientRect().right };
      }),
    );
    expect(boxes.length).toBe(2);
    for (const [index, { right, bottom, end }] of boxes.entries()) {
      expect.soft(right, 'within its place').toBeLessThanOrEqual(end + 0.5);
      const next = boxes[index + 1];
      if (next?.bottom === bottom) expect.soft(next.left - right, 'between two').toBeGreaterThanOrEqual(12);
    }
  }

  await page.setViewportSize({ width: 1280, height: 780 });
  await page.goto('/dashboard?tab=transactions');
  const sum = await page.getByText('+KWD 2,999.999', { exact: true }).boundingBox();
  const thank = await page.getByRole('button', { name: 'Thank' }).first().boundingBox();
  if (sum === null || thank === null) throw new Error('the tip is not shown');
  expect(sum.x + sum.width).toBeLessThan(thank.x);
});

inEuros(
  'a fee of 0 is no line and no column, unless an earlier one was not 0',
  async ({ page, backstage, server, logInAs }) => {
    const { provider, code, customer } = await backstage.bothSides();
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    const namesOf = (caption: string) =>
      page.locator('table', { has: page.locator('caption', { hasText: caption }) }).locator('thead th');
    const statement = async () => {
      await page.goto(`/statement?from=${day(-1)}&to=${day(1)}`);
      await expect(page.getByRole('article', { name: 'Statement' })).toBeVisible();
    };
    const expectColumns = async ({ areTold }: { readonly areTold: boolean }) => {
      const sums = ['Tips', 'Gross', ...(areTold ? ['Fees'] : []), 'Net'];
      await expect(namesOf('By month and service')).toHaveText(['Month', 'Service', ...sums]);
      await expect(namesOf('Daily tip record')).toHaveText(['Date', ...sums]);
      const ofTip = ['Date and time', 'Service', 'Tip', ...(areTold ? ['Fee'] : []), 'Net', 'Transaction'];
      await expect(namesOf('Every tip')).toHaveText(ofTip);
    };
    const expectInsights = async (columns: readonly string[]) => {
      await page.goto('/dashboard?tab=insights');
      await expect(namesOf('Earnings per day')).toHaveText(['Day', 'Tips', ...columns]);
    };
    await backstage.tip(customer, code, 2);
    await logInAs(provider);
    await statement();
    const totals = page.getByRole('article').locator('dl');
    await expect(totals).toHaveText('Tips1Gross€2.00Net€2.00');
    await expectColumns({ areTold: false });
    await expect(page.getByRole('article').getByText('€0.00')).toHaveCount(0);
    await expectInsights(['Earnings']);
    await expect(page.getByRole('table').getByText('€0.00')).toHaveCount(0);

    await setTerms(server, { giverFeeRate: 0, receiverFeeRate: 300 });
    await backstage.tip(customer, code, 100);
    await setTerms(server, { receiverFeeRate: 0 });
    await statement();
    await expect(totals).toHaveText('Tips2Gross€102.00Fees€3.00Net€99.00');
    await expectColumns({ areTold: true });
    await expectInsights(['Before fees', 'Fees', 'Earnings']);
  },
);
