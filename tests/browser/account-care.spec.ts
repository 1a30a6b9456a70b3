/**
 * The care of one's own account, in the profile: a new password, and where one is logged in.
 */
import type { Page } from '@playwright/test';
import { expect, logInByForm, PASSWORD, storedToken, test, toast } from './fixtures.ts';

const NEW_PASSWORD = 'a better horse battery';

const sessions = (page: Page) => page.getByRole('region', { name: 'Where you are logged in' });

async function change(page: Page, current: string, next: string): Promise<void> {
  await page.getByLabel('Current password').fill(current);
  await page.getByLabel('New password').fill(next);
  await page.keyboard.press('Enter');
}

test.describe('a new password', () => {
  test('keeps this device logged in, logs the others out, and is the one that counts', async ({
    page,
    browser,
    backstage,
    logInAs,
  }) => {
    const customer = await backstage.customer();
    await logInAs(customer);
    const elsewhere = await (await browser.newContext()).newPage();
    await elsewhere.goto('/auth');
    await logInByForm(elsewhere, customer);
    await expect(elsewhere).toHaveURL('/dashboard');

    await page.goto('/dashboard?tab=profile');
    await change(page, PASSWORD, NEW_PASSWORD);
    await expect(toast(page, 'Password changed. Your other devices are logged out.')).toBeVisible();
    await expect(page.getByLabel('Current password')).toHaveValue('');
    await expect(page.getByLabel('New password')).toHaveValue('');
    await expect(sessions(page).getByRole('listitem')).toHaveCount(1);
    // By itself: its event stream ends with its session.
    await expect(elsewhere).toHaveURL(/\/auth$/);
    expect(await storedToken(elsewhere)).toBeNull();
    await elsewhere.context().close();

    await page.reload();
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect(page).toHaveURL('/');
    await page.goto('/auth');
    await page.getByLabel('Email').fill(customer.email);
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/dashboard');
  });

  test('is refused under its field, in the server’s words, and nothing typed is lost', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    await logInAs(await backstage.customer());
    await page.goto('/dashboard?tab=profile');
    await page.getByRole('button', { name: 'Change Password' }).click();
    await expect(page.getByLabel('Current password')).toHaveAccessibleDescription(
      'Current password is required.',
    );
    await expect(page.getByLabel('Current password')).toBeFocused();
    await change(page, 'not the password', NEW_PASSWORD);
    await expect(page.getByLabel('Current password')).toHaveAccessibleDescription(
      'The current password is not right.',
    );
    await expect(page.getByLabel('New password')).toHaveValue(NEW_PASSWORD);
    await change(page, PASSWORD, 'short');
    await expect(page.getByText('Password must have 8 to 256 characters.').first()).toBeVisible();
    await expect(page.getByLabel('New password')).toBeFocused();
    await change(page, PASSWORD, 'password123');
    await expect(toast(page, 'This password is too common. Please choose another one.')).toBeVisible();
    expect(complaints.splice(0)).toHaveLength(3);
  });
});

test.describe('sessions', () => {
  test('are listed with this one marked, and can be ended one by one or all at once', async ({
    page,
    browser,
    backstage,
    logInAs,
  }) => {
    const customer = await backstage.customer();
    const phone = await browser.newContext({
      userAgent:
        'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    });
    const onPhone = await phone.newPage();
    await onPhone.goto('/auth?next=/scan');
    await logInByForm(onPhone, customer);
    await expect(onPhone).toHaveURL('/scan');
    for (let count = 0; count < 2; count += 1)
      await backstage.call('POST', '/auth/login', { body: { email: customer.email, password: PASSWORD } });

    await logInAs(customer);
    await page.goto('/dashboard?tab=profile');
    const rows = sessions(page).getByRole('listitem');
    await expect(rows).toHaveCount(4);
    await expect(rows.filter({ hasText: 'This device' })).toHaveCount(1);
    await expect(rows.filter({ hasText: 'This device' }).getByRole('button')).toHaveCount(0);

    await sessions(page).getByRole('button', { name: 'Logout Chrome on Android' }).click();
    await expect(rows).toHaveCount(3);
    await expect(sessions(page).getByRole('heading')).toBeFocused();
    await onPhone.reload();
    await expect(onPhone).toHaveURL('/auth?next=%2Fscan');
    await phone.close();

    await sessions(page).getByRole('button', { name: 'Logout Everywhere Else' }).click();
    await expect(rows).toHaveCount(1);
    await expect(sessions(page).getByRole('button')).toHaveCount(0);
    await page.reload();
    await expect(rows).toHaveText([/This device/]);
  });

  test('that cannot be loaded say so, and Retry brings them', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    await logInAs(await backstage.customer());
    await page.route('**/trpc/*auth.sessions*', (route) => route.fulfill({ status: 502 }));
    await page.goto('/dashboard?tab=profile');
    await expect(page.getByText('Your sessions could not be loaded')).toBeVisible();
    await page.unroute('**/trpc/*auth.sessions*');
    await sessions(page).getByRole('button', { name: 'Retry' }).click();
    await expect(sessions(page).getByRole('listitem')).toHaveCount(1);
    complaints.splice(0);
  });
});
