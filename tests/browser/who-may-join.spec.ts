/** The link of an invitation, from opening it to the new account, where nobody signs up without one. */
import { runHere } from '../support/commands.ts';
import { expect, loseAnswer, test } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import { proceedWith } from './tipping.ts';

test.use({ environment: { REGISTRATION: 'invite', OPERATOR_CONTACT: 'help@example.com' } });

test('an invitation opens the form for whom it is, outlasts a look at the login, and is good once', async ({
  page,
  server,
  complaints,
}) => {
  // A tip leads to the login, because a sign-up would lead no further.
  await page.goto('/tip/demo-sam-bartender');
  await proceedWith(page, '$30');
  await expect(page.getByText('Log in, and you go straight to payment.')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Login' })).toHaveAttribute('aria-selected', 'true');

  await page.goto('/auth?tab=sign-up');
  await expect(page.getByText('You need an invitation to sign up here.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create Account' })).toHaveCount(0);
  await expectForEverybody(page, 'sign-up without an invitation');
  await picture(page, 'who-may-join-01-needed');

  const env = { DATABASE_URL: server.databasePath, PUBLIC_URL: server.url, REGISTRATION: 'invite' };
  const made = await runHere('invite', env, ['--for', 'sam@example.com']);
  const link = made.stdout.split('\n')[0] ?? '';
  // The page is here already, so that opening the link changes its address alone.
  await page.goto(link);
  await expect(page.getByText('This invitation is for sam@example.com.')).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveValue('sam@example.com');
  await expectForEverybody(page, 'sign-up with an invitation');
  await picture(page, 'who-may-join-02-invited');

  await page.getByRole('tab', { name: 'Login' }).click();
  await expect(page).toHaveURL(`${server.url}/auth`);
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(page).toHaveURL(link);
  await page.getByLabel('Full name').fill('Sam Doe');
  const email = page.getByLabel('Email');
  await email.fill('eve@example.com');
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  const create = page.getByRole('button', { name: 'Create Account' });
  await create.click();
  await expect(email).toBeFocused();
  await expect(page.locator('form').getByText('Your invitation is for another email.')).toBeVisible();
  await email.fill('sam@example.com');
  // The account is there, and the invitation is spent: what was typed opens the account.
  await loseAnswer(page, 'auth.register');
  await create.click();
  await expect(page.locator('form').getByText('Registration failed.')).toBeVisible();
  await create.click();
  await page.waitForURL('/dashboard');

  await page.evaluate(() => localStorage.clear());
  await page.goto('/');
  await page.goto(link);
  await page.getByLabel('Full name').fill('Sam Again');
  await email.fill('sam@example.com');
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await create.click();
  await expect(page.locator('form').getByText('This invitation no longer works')).toBeVisible();
  // A browser notes refused requests by itself.
  expect(complaints.splice(0)).toEqual([
    expect.stringContaining('403'),
    expect.stringContaining('ERR_CONNECTION_RESET'),
    expect.stringContaining('410'),
    expect.stringContaining('410'),
  ]);
});
