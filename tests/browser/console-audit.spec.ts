/** The filter of the audit log: it stays for whoever looks somebody up and comes back, and takes no half of a date. */
import { expect, test } from './fixtures.ts';
import { storageAt } from './kept.ts';
import { openConsole } from './open-console.ts';

test('Back from a person leads to the rows that were chosen', async ({ page, server, backstage }) => {
  const { provider, customer } = await backstage.bothSides();
  const { email } = await openConsole(page, server, '/operator/audit');
  const { audit } = await storageAt(server.databasePath);
  const actor = { kind: 'operator', name: email, host: '192.0.2.1' } as const;
  const note = (action: 'sessions_ended' | 'logins_unlocked', subject: string) =>
    audit.note({ actor, action, subject, reason: 'Lost the phone', atMs: Date.now() });
  await note('sessions_ended', provider.id);
  await note('logins_unlocked', customer.id);
  await page.reload();
  const rows = page.getByRole('region', { name: 'What operators did' }).getByRole('listitem');
  await page.getByText('Filter', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Who' }).selectOption(email);
  await expect(rows).toHaveCount(2);
  await page.getByRole('combobox', { name: 'What' }).selectOption('Unlocked logins');
  await expect(rows).toHaveCount(1);

  await rows.getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'People' })).toBeVisible();
  await page.goBack();
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText(customer.id);
  await expect(page.getByRole('combobox', { name: 'What' })).toHaveValue('logins_unlocked');

  const from = page.getByLabel('From', { exact: true });
  await from.focus();
  await page.keyboard.type('11');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByText('Enter the whole date, or clear the field.')).toBeVisible();
  await expect(from).toBeFocused();
  await from.fill('2000-01-02');
  await page.getByLabel('To', { exact: true }).fill('2000-01-03');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByText('Nothing of this is in the log.')).toBeVisible();

  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Audit Log' }).click();
  await expect(rows.filter({ hasText: provider.id })).toHaveCount(1);
  await expect(from).toHaveValue('');
});
