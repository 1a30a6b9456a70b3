/** Reported messages in the operator's console, on a phone and on a desktop. */
import { openConsole } from '../support/operators.ts';
import { expect, test, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';

const LONG = `${'W'.repeat(60)} ${'verylongword'.repeat(6)}`;

test('an operator reads what was reported and settles it', async ({ page, server, backstage }) => {
  const { provider, code, customer } = await backstage.bothSides();
  const give = async (message: string, withName: boolean) => {
    const body = {
      receiver_qr_id: code,
      amount: 20,
      service_category: 'bartender',
      message,
      with_name: withName,
    };
    const { id } = await backstage.call('POST', '/transactions', { token: customer.token, body });
    await backstage.call('POST', `/transactions/${id}/report`, { token: provider.token });
    return id;
  };
  const first = await give('You are <b>ugly</b>', true);
  await give(LONG, false);

  await openConsole(page, server, '/operator/reports');
  const open = page.getByRole('region', { name: 'Open reports' });
  await expect(open.getByRole('listitem')).toHaveCount(2);
  const report = open.getByRole('listitem').first();
  await expect(report).toContainText('You are <b>ugly</b>');
  await expect(report).toContainText(`@${customer.username} as “${customer.fullName}”`);
  await expect(report.getByRole('button', { name: `Copy transaction id ${first}` })).toBeVisible();
  // Nothing else of the two people.
  await expect(page.getByText(customer.email)).toHaveCount(0);
  await expect(page.getByText(provider.fullName)).toHaveCount(0);
  await expect(report.getByRole('link', { name: `Suspend @${customer.username}` })).toHaveAttribute(
    'href',
    `/operator/people?person=${customer.id}`,
  );
  await expectForEverybody(page, 'open reports');
  await picture(page, 'console-reports');

  await report.getByRole('button', { name: 'Mark as Done' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settle this report?' });
  await dialog.getByRole('button', { name: 'Mark as Done' }).click();
  await expect(dialog.getByText('Say why.')).toBeVisible();
  await picture(page, 'console-reports-settling');
  await dialog.getByLabel('Reason').fill('Talked to both.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(toast(page, 'The report is settled.')).toBeVisible();
  await expect(open.getByRole('listitem')).toHaveCount(1);
  await expect(open.getByRole('heading')).toBeFocused();

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByText('Settled reports').click();
  const settled = page.getByRole('group').filter({ hasText: 'Settled reports' });
  await expect(settled.getByRole('listitem')).toHaveCount(1);
  await expect(settled).toContainText('You are <b>ugly</b>');
  await expect(settled.getByRole('button', { name: 'Mark as Done' })).toHaveCount(0);
  await expectForEverybody(page, 'settled reports');
});
