/** The part of the console about people, on a desk and on a phone. */
import { expect, test } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { openConsole } from './open-console.ts';
import { picture } from './picture.ts';

test.use({ environment: { OPERATOR_CONTACT: 'help@example.com' } });

const REASON = 'Tips for things that were never done';

test('somebody is found by a code, suspended and told why, let in again, and gets a link for a new password', async ({
  page,
  browser,
  backstage,
  server,
  logInAs,
}) => {
  const { provider, code } = await backstage.bothSides();
  const operators = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await openConsole(operators, server, `${server.url}/operator/people`);
  await operators.getByRole('searchbox', { name: 'Find somebody' }).fill('nobody@example.org');
  await operators.getByRole('button', { name: 'Find' }).click();
  await expect(operators.getByRole('status').filter({ hasText: 'Nobody was found.' })).toBeVisible();
  // No line of a list stands below it.
  await expect(operators.getByRole('region', { name: 'Found' }).locator('ul')).toBeHidden();
  await backstage.customer({ email: 'nobody@example.org' });
  await operators.getByRole('button', { name: 'Find' }).click();
  await expect(operators.getByRole('status').filter({ hasText: '1 person found.' })).toBeVisible();
  await operators.context().setOffline(true);
  await operators.getByRole('button', { name: 'Find' }).click();
  await expect(operators.getByRole('alert')).toContainText('Nobody could be looked for');
  await operators.context().setOffline(false);
  await operators.getByRole('button', { name: 'Retry' }).click();
  await expect(operators.getByRole('status').filter({ hasText: '1 person found.' })).toBeVisible();
  await operators.getByRole('searchbox', { name: 'Find somebody' }).fill(`${server.url}/tip/${code}`);
  await operators.getByRole('searchbox', { name: 'Find somebody' }).press('Enter');
  const row = operators.getByRole('link', { name: /Has this code/ });
  await expect(row).toContainText(provider.email);
  await expect(operators.getByRole('searchbox', { name: 'Find somebody' })).toBeFocused();
  await expectForEverybody(operators, 'people that were found');
  await picture(operators, 'console-people-01-found');
  await row.click();
  const person = operators.getByRole('article');
  await expect(person.getByRole('definition').filter({ hasText: provider.email })).toBeVisible();
  await expect(person.getByRole('term').filter({ hasText: 'Received, after fees' })).toBeVisible();
  await picture(operators, 'console-people-02-person');

  await logInAs(provider);
  await page.goto('/dashboard');
  const warning = page.getByRole('region', { name: 'Your account is suspended' });
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible();
  const dialog = operators.getByRole('dialog');
  const act = async (name: string, reason: string) => {
    await operators.getByRole('button', { name, exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason);
    await dialog.getByRole('button', { name, exact: true }).click();
    await expect(dialog).toHaveCount(0);
  };
  await act('Suspend', REASON);
  await expect(person).toContainText(`Suspended since`);
  await expect(person).toContainText(REASON);
  // The open page is told by its stream, which has ended.
  await expect(warning).toContainText(REASON);
  await expect(warning.getByRole('link', { name: 'help@example.com' })).toBeVisible();
  await expect(page.getByRole('article').first()).toContainText('Suspended');
  const stats = page.locator('dl > div', { hasText: 'Active QR Codes' });
  await expect(stats.getByRole('definition')).toHaveText('0');
  await expectForEverybody(page, 'dashboard of a suspended account');
  await picture(page, 'console-people-03-suspended');
  await operators.goto(`/operator/codes?find=${code}`);
  await expect(operators.getByText('Suspended', { exact: true })).toHaveCount(2);
  await expect(operators.getByText('Active', { exact: true })).toHaveCount(0);
  await expectForEverybody(operators, 'a code of a suspended account');
  await operators.goBack();
  await operators.setViewportSize({ width: 390, height: 844 });
  await expectForEverybody(operators, 'a person on a phone');
  await picture(operators, 'console-people-04-phone');

  await act('Lift Suspension', 'That was somebody else');
  await expect(person).not.toContainText('Suspended since');
  await page.reload();
  await expect(page.getByRole('heading', { name: /^Welcome/ })).toBeVisible();
  await expect(warning).toHaveCount(0);
  await page.goto('/healthz');
  await act('Log Out Everywhere', 'Lost the phone');
  await expect(person.getByRole('status').first()).toContainText('ended.');
  await act('Send Password Link', 'Lost the phone');
  const link = await person.getByRole('status').locator('code').textContent();
  // What is left of the session would be refused.
  await page.evaluate(() => localStorage.clear());
  await page.goto(String(link));
  await page.getByLabel('New password', { exact: true }).fill('a better horse battery');
  await page.getByRole('button', { name: 'Change Password' }).click();
  await expect(page).toHaveURL(/\/auth/);

  await act('Suspend', REASON);
  const credentials = { email: provider.email, password: 'a better horse battery' };
  const { access_token: token } = await backstage.call('POST', '/auth/login', { body: credentials });
  const closing = { current_password: credentials.password, confirmation: 'close' };
  await backstage.call('POST', '/auth/me/closing', { token, body: closing });
  await operators.reload();
  await expect(person).toContainText(/The owner has closed the account.+ the email can register again from/);
  await expectForEverybody(operators, 'a person who closes a suspended account');
  await act('Close Account', 'Asked for at the desk');
  await expect(person.getByRole('heading', { name: 'Closed account' })).toBeFocused();
  await operators.close();
});
