/**
 * What asks for the password again, some time after the login: the question stands above it, and it goes on
 * as it was.
 */
import type { Page } from '@playwright/test';
import { test as base, expect, holdAnswers, PASSWORD, type Person, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';

const question = (page: Page) => page.getByRole('dialog', { name: 'Enter your password to go on' });
const password = (page: Page) => question(page).getByLabel('Password', { exact: true });

/** A profile that is open a quarter of an hour after the login. */
const test = base.extend<{ readonly owner: Person; readonly profile: Page }>({
  owner: async ({ backstage }, use) => use(await backstage.customer()),
  async profile({ page, backstage, logInAs, owner }, use) {
    await logInAs(owner);
    await backstage.ageLogin(owner, 16);
    await page.goto('/dashboard?tab=profile');
    await use(page);
  },
});

test('a change of the profile asks for the password, keeps what was typed, and goes on', async ({
  profile: page,
  complaints,
}) => {
  await page.getByRole('button', { name: 'Edit Profile' }).click();
  const phone = page.getByLabel('Phone (optional)');
  await phone.fill('+43 660 1234567');
  await page.getByRole('button', { name: 'Save', exact: true }).click();

  await expect(question(page)).toBeVisible();
  await picture(page, 'password-again');
  await expectForEverybody(page, 'the question for the password');
  await page.keyboard.press('Escape');
  await expect(question(page)).toHaveCount(0);
  await expect(phone).toHaveValue('+43 660 1234567');
  await expect(toast(page, 'Enter your password to go on.')).toBeVisible();

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await password(page).fill('not the password');
  await page.keyboard.press('Enter');
  await expect(password(page)).toHaveAccessibleDescription('The current password is not right.');
  await expect(password(page)).toBeFocused();
  await password(page).fill(PASSWORD);
  await question(page).getByRole('button', { name: 'Go On' }).click();
  await expect(question(page)).toHaveCount(0);
  await expect(toast(page, 'Saved')).toBeVisible();
  await expect(page.getByText('+43 660 1234567')).toBeVisible();

  // From then on nothing asks for a while.
  await page.getByRole('button', { name: 'Edit Profile' }).click();
  await phone.fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Not provided')).toBeVisible();
  await expect(question(page)).toHaveCount(0);
  expect(complaints.splice(0)).toHaveLength(3);
});

test('a download of all data and a new API key ask for the password, and are made then; Escape asks before it discards a key that is not made yet, however often it is pressed', async ({
  profile: page,
  owner,
  backstage,
  complaints,
}) => {
  await page.getByRole('button', { name: 'Security & Data' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download My Data' }).first().click();
  await password(page).fill(PASSWORD);
  await page.keyboard.press('Enter');
  expect((await saved).suggestedFilename()).toMatch(/\.zip$/);
  await expect(question(page)).toHaveCount(0);
  expect(complaints.splice(0)).toHaveLength(1);

  await backstage.ageLogin(owner, 16);
  await page.getByRole('button', { name: 'API Keys and Webhooks' }).click();
  await expect(page.getByText('You have no keys.')).toBeVisible();
  await page.getByRole('button', { name: 'New API Key' }).click();
  const create = page.getByRole('button', { name: 'Create Key' });
  await create.click();
  await expect(page.getByLabel('Name')).toHaveAccessibleDescription(/Give the key a name\.$/);
  await expect(page.getByLabel('Name')).toBeFocused();
  await page.getByLabel('Name').fill('Register');
  await create.click();
  const scopes = page.getByRole('group', { name: 'What can it do?' });
  await expect(scopes).toHaveAccessibleDescription('Choose what the key can do.');
  // Whoever has no codes is not asked about them.
  await expect(scopes.getByRole('checkbox')).toHaveCount(3);
  await page.getByLabel('See your tips').check();
  await page.getByText('Only from some addresses').click();
  await page.getByLabel('IP addresses').fill('127.0.0.1 nonsense');
  await expectForEverybody(page, 'a new key');
  await picture(page, 'api-key-new');
  await create.click();
  await password(page).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('IP addresses')).toHaveAccessibleDescription(
    /must be written as 192\.0\.2\.1/,
  );
  await page.getByLabel('IP addresses').fill('127.0.0.1, 2001:db8::/32');
  const discarding = page.getByRole('dialog', { name: 'Discard your changes?' });
  await page.goBack();
  await discarding.getByRole('button', { name: 'Keep Editing' }).click();
  await expect(page.getByLabel('IP addresses')).toHaveValue('127.0.0.1, 2001:db8::/32');
  // It lies over what it is about, though browsers let nobody refuse it again and again.
  for (const count of [1, 0, 1, 0, 1]) {
    await page.keyboard.press('Escape');
    await expect(discarding).toHaveCount(count);
  }
  await discarding.getByRole('button', { name: 'Keep Editing' }).click();
  await expect(discarding).toHaveCount(0);
  await expect(page.getByLabel('IP addresses')).toHaveValue('127.0.0.1, 2001:db8::/32');
  // The answer alone has the key: nobody leaves before it.
  const answers = await holdAnswers(page, /apiKeys\.create/);
  await create.click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Close' }).click();
  answers.release();
  const made = page.getByRole('dialog', { name: 'Copy your key now' });
  await expect(made.getByRole('heading')).toBeFocused();
  const text = await made.locator('code').innerText();
  await expectForEverybody(page, 'the key that was made');
  const leaving = page.getByRole('dialog', { name: 'Leave without your key?' });
  for (const leave of [
    () => page.keyboard.press('Escape'),
    () => page.goBack(),
    () => made.getByRole('button', { name: 'Done' }).click(),
  ]) {
    await leave();
    await expect(leaving).toBeVisible();
    await picture(page, 'api-key-leaving');
    await leaving.getByRole('button', { name: 'Show Key' }).click();
    await expect(leaving).toHaveCount(0);
    await expect(made.locator('code')).toHaveText(text);
  }
  await picture(page, 'api-key-made');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await made.getByRole('button', { name: 'Copy Key' }).click();
  // The dialog would lie over a toast of the page.
  await expect(made.getByText('Key copied', { exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
  await made.getByRole('button', { name: 'Done' }).click();
  const key = page.getByRole('list', { name: 'Your API keys' }).getByRole('listitem');
  await expect(key).toContainText('Only from 127.0.0.1, 2001:db8::/32');
  await expect(key).toContainText('Never used');
  expect(await backstage.call('GET', '/transactions', { token: text })).toEqual([]);
  await expectForEverybody(page, 'keys');
  await picture(page, 'api-keys');

  await page.getByRole('button', { name: 'End Register' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End Key' }).click();
  await expect(toast(page, 'Key ended')).toBeVisible();
  await expect(page.getByText('You have no keys.')).toBeVisible();
  await expect(page.locator(':focus')).toHaveText('You have no keys.');
  await expect(backstage.call('GET', '/transactions', { token: text })).rejects.toThrow('invalid_api_key');
  expect(complaints.splice(0)).toHaveLength(2);
});

base(
  'the question leaves nothing behind when nobody answers it',
  async ({ page, backstage, logInAs, complaints }) => {
    const customer = await backstage.customer();
    await logInAs(customer);
    const other = { email: customer.email, password: PASSWORD };
    await backstage.call('POST', '/auth/login', { body: other });
    await backstage.ageLogin(customer, 16);
    await page.goto('/dashboard');
    await page.getByRole('tab', { name: 'Profile' }).click();
    await page.getByRole('button', { name: 'Security & Data' }).click();
    const everywhere = page.getByRole('button', { name: 'Logout Everywhere Else' });

    await base.step('given up, it gives the focus back to the button', async () => {
      await everywhere.click();
      await expect(question(page)).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(everywhere).toBeFocused();
    });
    await base.step('with the page before, it is gone', async () => {
      await everywhere.click();
      await expect(question(page)).toBeVisible();
      await page.goBack();
      await expect(question(page)).toHaveCount(0);
      await page.goto('/dashboard?tab=profile&open=security');
    });
    await base.step('after a logout in another tab, it is gone', async () => {
      await everywhere.click();
      await expect(question(page)).toBeVisible();
      const other = await page.context().newPage();
      await other.goto('/');
      await other.evaluate(() => localStorage.removeItem('tipwell_token'));
      await expect(page).toHaveURL(/^[^?]*\/auth/);
      await expect(question(page)).toHaveCount(0);
      await other.evaluate((token) => localStorage.setItem('tipwell_token', token), customer.token);
      await expect(page.getByRole('button', { name: 'Logout Everywhere Else' })).toBeVisible();
      await other.close();
    });
    await base.step('when the session has ended meanwhile, that is what is said', async () => {
      await everywhere.click();
      await expect(question(page)).toBeVisible();
      // Typed before, because the page's own stream may hear of the end before the question is answered.
      await password(page).fill(PASSWORD);
      await backstage.call('POST', '/auth/logout', { token: customer.token });
      await page.keyboard.press('Enter');
      await expect(toast(page, 'Your session has ended. Please login again.').first()).toBeVisible();
      await expect(question(page)).toHaveCount(0);
      await expect(page).toHaveURL(/^[^?]*\/auth/);
    });
    await expect(toast(page, 'Enter your password to go on.')).toHaveCount(0);
    expect(complaints.splice(0).length).toBeGreaterThan(0);
  },
);
