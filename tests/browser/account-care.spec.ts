/**
 * The care of one's own account, in the profile: a new password, and where one is logged in.
 */
import type { Page } from '@playwright/test';
import { holdWriteLock, lookInto } from '#tests/support/stored-data.ts';
import { runHere } from '../support/commands.ts';
import type { RunningServer } from '../support/running-server.ts';
import {
  expect,
  holdAnswers,
  logInByForm,
  loseAnswer,
  openEmptyList,
  openTabUnderToast,
  PASSWORD,
  storedToken,
  test,
  toast,
} from './fixtures.ts';
import { picture } from './picture.ts';

const NEW_PASSWORD = 'a better horse battery';
const UNCONFIRMED =
  'Logged out on this device. The server did not confirm it: when you log in next, look at your sessions in the profile.';

const operatorActs = (page: Page) =>
  page.getByRole('region', { name: 'What the operator did to your account' });
const sessions = (page: Page) => page.getByRole('region', { name: 'Where you are logged in' });

async function change(page: Page, current: string, next: string): Promise<void> {
  await page.getByLabel('Current password').fill(current);
  await page.getByLabel('New password').fill(next);
  await page.keyboard.press('Enter');
}

test.describe('a new password', () => {
  test('keeps all tabs of this browser live under a new token, logs the other devices out, and is the one that counts', async ({
    page,
    context,
    browser,
    server,
    backstage,
    logInAs,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await logInAs(provider);
    const body = { email: provider.email, password: PASSWORD };
    const { access_token: token } = await backstage.call('POST', '/auth/login', { body });
    const device = await browser.newContext({ baseURL: server.url });
    await logInAs({ ...provider, token }, device);
    const elsewhere = await device.newPage();
    await openEmptyList(elsewhere);
    const other = await context.newPage();
    await openEmptyList(other);

    await page.goto('/dashboard?tab=profile&open=security');
    await change(page, PASSWORD, NEW_PASSWORD);
    await expect(toast(page, 'Password changed. Your other devices are logged out.')).toBeVisible();
    await expect(page.getByLabel('Current password')).toHaveValue('');
    await expect(page.getByLabel('New password')).toHaveValue('');
    await expect(sessions(page).getByRole('listitem')).toHaveCount(1);
    await expect(operatorActs(page)).toHaveCount(0);
    // By itself: its event stream ends with its session.
    await expect(elsewhere).toHaveURL(/\/auth\?next=/);
    expect(await storedToken(elsewhere)).toBeNull();
    await device.close();
    expect(await storedToken(page)).not.toBe(provider.token);
    expect(await storedToken(other)).toBe(await storedToken(page));
    await expect(backstage.call('GET', '/auth/me', { token: provider.token })).rejects.toThrow('401');

    await backstage.tip(customer, code, 20);
    await expect(other.getByText('No Transactions Yet')).toHaveCount(0);
    await openTabUnderToast(page, 'Transactions');
    for (const tab of [page, other]) {
      await expect(tab.getByRole('tabpanel').getByText('+$19.40')).toBeVisible();
      await expect(tab).toHaveURL(/\/dashboard/);
    }
    await page.reload();
    await expect(page.getByRole('tabpanel').getByText('+$19.40')).toBeVisible();
    const logInWith = (password: string) =>
      backstage.call('POST', '/auth/login', { body: { email: provider.email, password } });
    await expect(logInWith(PASSWORD)).rejects.toThrow('401');
    await logInWith(NEW_PASSWORD);
  });

  test('is refused under its field, in the server’s words, and nothing typed is lost; one that had no answer may count, and says so', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const customer = await backstage.customer();
    await logInAs(customer);
    await page.goto('/dashboard?tab=profile&open=security');
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
    await expect(
      toast(page, 'This password is too easy to guess. Use a few unrelated words, without names or years.'),
    ).toBeVisible();
    expect(complaints.splice(0)).toHaveLength(3);

    await loseAnswer(page, 'auth.changePassword');
    await change(page, PASSWORD, NEW_PASSWORD);
    await expect(toast(page, /we don’t know whether your password was changed/)).toBeVisible();
    await expect(page).toHaveURL(/\/auth/);
    await page.getByLabel('Email').fill(customer.email);
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/dashboard/);
    expect(complaints.splice(0).length).toBeGreaterThan(0);
  });
});

test.describe('a password that the operator made', () => {
  const heading = (page: Page) => page.getByRole('heading', { name: 'Choose a password of your own' });

  async function reset(server: RunningServer, email: string): Promise<string> {
    const { stdout } = await runHere('account', { DATABASE_URL: server.databasePath }, [
      'reset-password',
      email,
      '--reason',
      'You asked for it by phone.',
    ]);
    return /: ([0-9A-Z-]{23})\n/.exec(stdout)?.[1] ?? '';
  }

  async function logIn(page: Page, email: string, password: string): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
  }

  test('is changed before anything else or left by logging out, and then the dashboard is there', async ({
    page,
    server,
    backstage,
  }) => {
    const customer = await backstage.customer();
    const password = await reset(server, customer.email);
    await page.goto('/auth');
    await logIn(page, customer.email, password);
    await expect(heading(page)).toBeVisible();
    for (const address of ['/scan', '/']) {
      await page.goto(address);
      await expect(heading(page)).toBeVisible();
      await expect(page.getByRole('tab')).toHaveCount(0);
    }
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect(toast(page, 'Logged out successfully')).toBeVisible();
    await expect(page).toHaveURL('/');
    expect(await storedToken(page)).toBeNull();
    await page.goto('/auth');
    await logIn(page, customer.email, password);
    await expect(heading(page)).toBeVisible();
    await page.goto('/dashboard?tab=profile&open=security');
    await change(page, password, NEW_PASSWORD);
    await expect(toast(page, 'Password changed. Your other devices are logged out.')).toBeVisible();
    await expect(page).toHaveURL('/dashboard?tab=profile&open=security');
    await expect(sessions(page).getByRole('listitem')).toHaveCount(1);
    await page.reload();
    await expect(sessions(page).getByRole('listitem')).toHaveCount(1);
    await expect(heading(page)).toHaveCount(0);
    await expect(operatorActs(page).getByRole('listitem')).toHaveText([
      /^Your password was replaced by a new one, and you were logged out everywhere\..+ · Reason: You asked for it by phone\.$/,
    ]);
    await operatorActs(page).scrollIntoViewIfNeeded();
    await picture(page, 'profile-operator-acts');
  });

  test('is changed on the way to a tip, which goes on where it was', async ({ page, server, backstage }) => {
    const { code, customer } = await backstage.bothSides();
    const password = await reset(server, customer.email);
    await page.goto(`/tip/${code}`);
    await page.getByRole('radio', { name: '$20', exact: true }).check();
    await page.getByRole('button', { name: 'Proceed to Payment' }).click();
    await expect(page).toHaveURL(/\/auth\?/);
    await page.getByRole('tab', { name: 'Login' }).click();
    await logIn(page, customer.email, password);
    await expect(heading(page)).toBeVisible();
    // The login was a moment ago.
    await change(page, '', NEW_PASSWORD);
    await expect(page).toHaveURL(`/tip/${code}`);
    await expect(page.getByRole('button', { name: 'Pay $21.00 with a mobile wallet' })).toBeVisible();
  });
});

test('a logout that the server cannot save is not called successful, and the token has ended all the same', async ({
  page,
  server,
  backstage,
  logInAs,
  complaints,
}) => {
  const customer = await backstage.customer();
  await logInAs(customer);
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { name: 'No Transactions Yet' })).toBeVisible();
  const release = holdWriteLock(server.databasePath);
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(toast(page, UNCONFIRMED)).toBeVisible();
  await expect(toast(page, 'Logged out successfully')).toHaveCount(0);
  await expect(page).toHaveURL('/');
  expect(await storedToken(page)).toBeNull();
  const whoAmI = () => backstage.call('GET', '/auth/me', { token: customer.token });
  await expect(whoAmI()).rejects.toThrow('401');
  release();
  await expect
    .poll(() =>
      lookInto(server.databasePath, (data) => data.dump()).then(({ sessions }) => JSON.stringify(sessions)),
    )
    .not.toContain(customer.id);
  await expect(whoAmI()).rejects.toThrow('401');
  complaints.splice(0);
});

test.describe('sessions', () => {
  test('are listed with this one marked, and can be ended one by one or all at once; that they cannot be loaded is said, and Retry brings them', async ({
    page,
    browser,
    backstage,
    logInAs,
    complaints,
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
    await page.route('**/trpc/*auth.sessions*', (route) => route.fulfill({ status: 502 }));
    await page.goto('/dashboard?tab=profile&open=security');
    await expect(page.getByText('Your sessions could not be loaded')).toBeVisible();
    await page.unroute('**/trpc/*auth.sessions*');
    await sessions(page).getByRole('button', { name: 'Retry' }).click();
    await expect(sessions(page).getByRole('heading', { name: 'Where you are logged in' })).toBeFocused();
    complaints.splice(0);
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
});

test('an API key whose making had no answer is in the list, where it can be ended', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  await logInAs(await backstage.customer());
  await page.goto('/dashboard?tab=profile&open=api');
  await page.getByRole('button', { name: 'New API Key' }).click();
  await page.getByLabel('Name').fill('Register');
  await page.getByLabel('See your tips').check();
  await loseAnswer(page, 'apiKeys.create');
  const answers = await holdAnswers(page, '**/trpc/apiKeys.create*');
  await page.getByRole('button', { name: 'Create Key' }).click();
  await expect.poll(answers.asked).toBe(1);
  await expect(page.getByLabel('Name')).not.toBeEditable();
  await expect(page.getByLabel('Works for')).toBeDisabled();
  await page.getByLabel('See your tips').press('Space');
  await expect(page.getByLabel('See your tips')).toBeChecked();
  answers.release();
  await expect(page.getByRole('dialog')).toContainText('we don’t know whether the key was made');
  await expect(page.getByLabel('Name')).toBeEditable();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'End Register' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End Key' }).click();
  await expect(page.getByText('You have no keys.')).toBeVisible();
  expect(complaints.splice(0)).toHaveLength(1);
});
