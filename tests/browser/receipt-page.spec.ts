/** The page of a transaction: a receipt for its two people, which prints on one sheet. */
import { expect, logInByForm, test, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { fact, heading, refund, tipped } from './receipt-scene.ts';

test.describe('the receipt', () => {
  test('leads its giver over a login back, tells whom, what, the fee on top, when with the time zone, and the id, and hands its address on', async ({
    page,
    backstage,
  }) => {
    const { customer, id } = await tipped(backstage);
    await page.goto(`/transactions/${id}`);
    await expect(page).toHaveURL(/\/auth\?next=/);
    await logInByForm(page, customer);
    await expect(page).toHaveURL(`/transactions/${id}`);
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

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy Link' }).click();
    await expect(toast(page, 'Link copied')).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
    // Where the clipboard refuses, the address is shown.
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
    });
    await page.getByRole('button', { name: 'Copy Link' }).press('Enter');
    await expect(page.getByLabel('Link', { exact: true })).toHaveValue(page.url());
  });

  test('says when it cannot be loaded, tells its receiver the fee that was deducted, and not who gave, prints on one sheet without what can be pressed, and is unknown to everybody else', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { provider, customer, id } = await tipped(backstage);
    await logInAs(provider);

    await test.step('that cannot be loaded', async () => {
      await page.route('**/trpc/*transactions.get*', (route) => route.abort());
      await page.goto(`/transactions/${id}`);
      await expect(page.getByRole('alert')).toContainText('Nothing is lost');
      await expectForEverybody(page, 'receipt that could not be loaded');
      await page.unroute('**/trpc/*transactions.get*');
      await page.getByRole('button', { name: 'Retry' }).click();
      complaints.length = 0;
    });

    await test.step('of its receiver', async () => {
      await expect(heading(page, 'Tip received')).toBeVisible();
      await expect(fact(page, 'Service fee, deducted')).toHaveText('-$0.60');
      await expect(fact(page, 'Net amount')).toHaveText('$19.40');
      await expect(page.getByRole('main')).not.toContainText(customer.fullName);
      await refund(backstage, provider, id);
      await page.reload();
      await expect(heading(page, 'Tip received')).toBeVisible();
      for (const format of ['A4', 'Letter']) {
        const pdf = (await page.pdf({ format })).toString('latin1');
        expect(pdf.match(/\/Type\s*\/Page\b/g), format).toHaveLength(1);
      }
      await page.emulateMedia({ media: 'print' });
      await expect(page.getByRole('button')).toHaveCount(0);
      await expect(page.getByText(id)).toBeVisible();
      await page.emulateMedia({ media: 'screen' });
      await page.getByRole('link', { name: 'Transactions' }).click();
      await expect(page).toHaveURL('/dashboard?tab=transactions');
    });

    await test.step('of nobody else', async () => {
      const { token } = await backstage.customer();
      await page.evaluate((stored) => localStorage.setItem('tipwell_token', stored), token);
      for (const unknown of [id, 'txn_nothing', '%F0', 'x'.repeat(300)]) {
        await page.goto(`/transactions/${unknown}`);
        await expect(heading(page, 'Transaction not found')).toBeVisible();
      }
      await expectForEverybody(page, 'unknown transaction');
      for (const complaint of complaints.splice(0)) expect(complaint).toContain('404');
    });
  });
});
