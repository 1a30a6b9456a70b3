/**
 * The page of a transaction: a receipt for its two people, which prints on one sheet, and the way to take a tip back or to refund it,
 * once.
 */
import type { Page } from '@playwright/test';
import {
  type Backstage,
  expect,
  holdAnswers,
  logInByForm,
  type Person,
  stopClock,
  test,
  toast,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { payTip } from './tipping.ts';

/** A tip of $20.00 by Cam to Marcus Reed, a bartender. */
async function tipped(backstage: Backstage) {
  const provider = await backstage.provider(['bartender'], 'Marcus Reed');
  const code = await backstage.code(provider);
  const customer = await backstage.customer();
  await backstage.tip(customer, code, 20);
  const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
  return { provider, code, customer, id };
}

const fact = (page: Page, label: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByRole('term').getByText(label, { exact: true }) })
    .getByRole('definition');

const heading = (page: Page, name: string) => page.getByRole('heading', { name });

function refund(backstage: Backstage, person: Person, id: string) {
  return backstage.call('POST', `/transactions/${id}/refund`, { token: person.token });
}

test.describe('the receipt', () => {
  test('tells its giver whom, what, the fee on top, when with the time zone, and the id', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { customer, id } = await tipped(backstage);
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    await expect(heading(page, 'Tip sent')).toBeVisible();
    await expect(page.getByText('to Marcus Reed')).toBeVisible();
    await expect(fact(page, 'Service')).toHaveText('Bartender');
    await expect(fact(page, 'Tip')).toHaveText('$20.00');
    await expect(fact(page, 'Service fee, on top')).toHaveText('+$1.00');
    await expect(fact(page, 'Total paid')).toHaveText('$21.00');
    await expect(fact(page, 'Status')).toHaveText('Completed');
    await expect(fact(page, 'When')).toHaveText(/\d{4}.*(?:GMT\+[12]|CES?T)$/);
    await expect(fact(page, 'Transaction')).toHaveText(id);
    await expect(page.getByText('Simulated money: no real money moves.')).toBeVisible();
    await expectForEverybody(page, 'receipt of a giver');
  });

  test('tells its receiver the fee that was deducted, and not who gave', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { provider, customer, id } = await tipped(backstage);
    await logInAs(provider);
    await page.goto(`/transactions/${id}`);
    await expect(heading(page, 'Tip received')).toBeVisible();
    await expect(fact(page, 'Service fee, deducted')).toHaveText('-$0.60');
    await expect(fact(page, 'Net amount')).toHaveText('$19.40');
    await expect(page.getByRole('main')).not.toContainText(customer.fullName);
    await expectForEverybody(page, 'receipt of a receiver');
    await page.getByRole('link', { name: 'Transactions' }).click();
    await expect(page).toHaveURL('/dashboard?tab=transactions');
  });

  test('is for its two people only, and unknown to everybody else', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { id } = await tipped(backstage);
    await logInAs(await backstage.customer());
    for (const unknown of [id, 'txn_nothing', '%F0', 'x'.repeat(300)]) {
      await page.goto(`/transactions/${unknown}`);
      await expect(heading(page, 'Transaction not found')).toBeVisible();
    }
    await expectForEverybody(page, 'unknown transaction');
    for (const complaint of complaints.splice(0)) expect(complaint).toContain('404');
  });

  test('asks somebody who is not logged in for a login, and leads back', async ({ page, backstage }) => {
    const { customer, id } = await tipped(backstage);
    await page.goto(`/transactions/${id}`);
    await expect(page).toHaveURL(/\/auth\?next=/);
    await logInByForm(page, customer);
    await expect(page).toHaveURL(`/transactions/${id}`);
    await expect(heading(page, 'Tip sent')).toBeVisible();
  });

  test('says when it cannot be loaded, and tries again', async ({ page, backstage, logInAs, complaints }) => {
    const { customer, id } = await tipped(backstage);
    await logInAs(customer);
    await page.route('**/trpc/*transactions.get*', (route) => route.abort());
    await page.goto(`/transactions/${id}`);
    await expect(page.getByRole('alert')).toContainText('Nothing is lost');
    await expectForEverybody(page, 'receipt that could not be loaded');
    await page.unroute('**/trpc/*transactions.get*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(heading(page, 'Tip sent')).toBeVisible();
    complaints.length = 0;
  });

  test('hands its address on, and shows it where the clipboard refuses', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { customer, id } = await tipped(backstage);
    await logInAs(customer);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`/transactions/${id}`);
    await page.getByRole('button', { name: 'Copy Link' }).click();
    await expect(toast(page, 'Link copied')).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    });
    await page.getByRole('button', { name: 'Copy Link' }).click();
    await expect(page.getByLabel('Link', { exact: true })).toHaveValue(page.url());
  });

  test('prints on one sheet, without what can be pressed', async ({ page, backstage, logInAs }) => {
    const { provider, id } = await tipped(backstage);
    await refund(backstage, provider, id);
    await logInAs(provider);
    await page.goto(`/transactions/${id}`);
    await expect(heading(page, 'Tip received')).toBeVisible();
    for (const format of ['A4', 'Letter']) {
      const pdf = (await page.pdf({ format })).toString('latin1');
      expect(pdf.match(/\/Type\s*\/Page\b/g), format).toHaveLength(1);
    }
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByRole('button')).toHaveCount(0);
    await expect(page.getByText(id)).toBeVisible();
  });

  test('is linked by the success of a payment', async ({ page, backstage, logInAs }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await payTip(page, '$20');
    await page.getByRole('link', { name: 'Receipt and undo' }).click();
    await expect(page).toHaveURL(/\/transactions\/txn_/);
    await expect(page.getByRole('button', { name: 'Take Back' })).toBeVisible();
  });
});

test.describe('a giver', () => {
  test('takes a tip back after a question, and the receiver hears of it at once', async ({
    page,
    browser,
    backstage,
    logInAs,
    server,
  }) => {
    const { provider, customer, id } = await tipped(backstage);
    const other = await browser.newContext({ baseURL: server.url });
    await logInAs(provider, other);
    const dashboard = await other.newPage();
    await dashboard.goto('/dashboard?tab=transactions');
    const row = dashboard.getByRole('listitem').filter({ hasText: 'Status:' });
    await expect(row).toContainText('Status: completed');
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    await expect(page.getByText('You can take this tip back for another 10 minutes.')).toBeVisible();
    await page.getByRole('button', { name: 'Take Back' }).press('Enter');
    const question = page.getByRole('dialog', { name: 'Take back this tip?' });
    await expect(question).toContainText('The whole $21.00 goes back to you, with the service fee of $1.00.');
    await expect(question).toContainText('This cannot be undone.');
    await expectForEverybody(page, 'question about taking back');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Take Back' })).toBeFocused();
    await page.keyboard.press('Enter');
    const answers = await holdAnswers(page, /transactions\.refund/);
    await question.getByRole('button', { name: 'Take Back $21.00' }).click();
    await question.getByRole('button', { name: 'Taking Back...' }).dispatchEvent('click');
    answers.release();
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    await expect(page.getByText(/^Refunded on .* by you: \$21\.00 went back to you/)).toBeVisible();
    await expect(toast(page, '$21.00 went back to you')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Take Back' })).toHaveCount(0);
    expect(answers.asked()).toBe(1);
    await expectForEverybody(page, 'refunded receipt');

    await expect(toast(dashboard, 'A tip of $20.00 was taken back')).toBeVisible();
    await expect(row).toContainText('Status: refunded');
    await expect(row).toContainText('Refunded: +$19.40');
    await expect(dashboard.getByText('Received $0.00 net in 0 tips')).toBeVisible();
    await dashboard.reload();
    await expect(row).toContainText('Status: refunded');
    await expect(toast(dashboard, 'A tip of $20.00 was taken back')).toHaveCount(0);
    await other.close();
  });

  test('keeps the key of an attempt whose answer was lost, which is one refund then', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { customer, id } = await tipped(backstage);
    const keys: unknown[] = [];
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    page.on('request', (request) => {
      if (request.url().includes('transactions.refund')) keys.push(request.postDataJSON()[0].idempotencyKey);
    });
    await page.route(
      '**/trpc/transactions.refund*',
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Take Back' }).click();
    await page.getByRole('button', { name: 'Take Back $21.00' }).click();
    await expect(page.getByRole('alert')).toContainText('it is never refunded twice');
    await expectForEverybody(page, 'refund without an answer');
    await page.getByRole('button', { name: 'Take Back $21.00' }).click();
    await expect(fact(page, 'Status')).toHaveText('Refunded');
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
    complaints.length = 0;
  });

  test('is no longer offered it when the time is over', async ({ page, backstage, logInAs }) => {
    const { customer, id } = await tipped(backstage);
    await logInAs(customer);
    await page.clock.install();
    await page.goto(`/transactions/${id}`);
    await expect(page.getByRole('button', { name: 'Take Back' })).toBeVisible();
    await stopClock(page, 9.5 * 60_000);
    await page.clock.runFor(1_000);
    await expect(page.getByText(/for another \d+ seconds?\.$/)).toBeVisible();
    await page.clock.runFor(60_000);
    await expect(page.getByRole('button', { name: 'Take Back' })).toHaveCount(0);
    await expect(fact(page, 'Status')).toHaveText('Completed');
  });

  test('is told when the receiver was faster, and sees the receipt as it is', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { provider, customer, id } = await tipped(backstage);
    await logInAs(customer);
    await page.goto(`/transactions/${id}`);
    await page.getByRole('button', { name: 'Take Back' }).click();
    await refund(backstage, provider, id);
    await page.getByRole('button', { name: 'Take Back $21.00' }).click();
    await expect(toast(page, /^This tip was refunded already/)).toBeVisible();
    await expect(page.getByText(/^Refunded on .* by Marcus Reed: \$21\.00 went back to you/)).toBeVisible();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  });
});

test.describe('a receiver', () => {
  test('refunds a tip after a question, and the giver hears of it at once', async ({
    page,
    browser,
    backstage,
    logInAs,
    server,
  }) => {
    const { provider, customer, id } = await tipped(backstage);
    const other = await browser.newContext({ baseURL: server.url });
    await logInAs(customer, other);
    const dashboard = await other.newPage();
    await dashboard.goto('/dashboard');
    await expect(dashboard.getByText('Sent $20.00 (with fees $21.00) in 1 tip')).toBeVisible();
    await logInAs(provider);
    await page.goto(`/transactions/${id}`);
    await page.getByRole('button', { name: 'Refund' }).click();
    const question = page.getByRole('dialog', { name: 'Refund this tip?' });
    await expect(question).toContainText(
      '$19.40 leaves your takings, and the whole $21.00 goes back to the giver',
    );
    await expectForEverybody(page, 'question about a refund');
    await question.getByRole('button', { name: 'Refund $21.00' }).click();
    await expect(page.getByText(/^Refunded on .* by you: \$21\.00 went back to the giver/)).toBeVisible();
    await expect(toast(dashboard, 'A tip of $20.00 was refunded')).toBeVisible();
    await expect(dashboard.getByText('Sent $0.00 (with fees $0.00) in 0 tips')).toBeVisible();
    await other.close();
  });
});
