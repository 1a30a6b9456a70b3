/** Taking a tip back and refunding it from its receipt, once, and what the receipt says of it meanwhile. */
import { expect, holdAnswers, stopClock, test, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { fact, refund, tipped } from './receipts.ts';

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
