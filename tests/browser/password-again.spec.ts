/**
 * What asks for the password again, some time after the login: the question stands above it, and it goes on
 * as it was.
 */
import type { Page } from '@playwright/test';
import { test as base, expect, PASSWORD, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';

const question = (page: Page) => page.getByRole('dialog', { name: 'Enter your password to go on' });
const password = (page: Page) => question(page).getByLabel('Password', { exact: true });

/** A profile that is open a quarter of an hour after the login. */
const test = base.extend<{ readonly profile: Page }>({
  async profile({ page, backstage, logInAs }, use) {
    const customer = await backstage.customer();
    await logInAs(customer);
    await backstage.ageLogin(customer, 16);
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

test('a download of all data asks for the password, and is saved then', async ({
  profile: page,
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
    await base.step('when the session has ended meanwhile, that is what is said', async () => {
      await everywhere.click();
      await expect(question(page)).toBeVisible();
      await backstage.call('POST', '/auth/logout', { token: customer.token });
      await password(page).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await expect(toast(page, 'Your session has ended. Please login again.').first()).toBeVisible();
      await expect(question(page)).toHaveCount(0);
      await expect(page).toHaveURL(/^[^?]*\/auth/);
    });
    await expect(toast(page, 'Enter your password to go on.')).toHaveCount(0);
    expect(complaints.splice(0).length).toBeGreaterThan(0);
  },
);
