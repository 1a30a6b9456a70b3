/** Passkeys by Chromium's virtual authenticator, an authenticator app, and the way back for who lost both. */
import type { Page, Route } from '@playwright/test';
import { totpAt } from '#tests/support/totp.ts';
import { runHere } from '../support/commands.ts';
import {
  test as base,
  expect,
  holdAnswers,
  loseAnswer,
  openTabUnderToast,
  PASSWORD,
  type Person,
  storedToken,
  toast,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { namedServer, storageAt } from './kept.ts';
import { picture } from './picture.ts';

const test = base.extend<{ readonly owner: Person; readonly provider: Person }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  server: async ({}, use) => use(await namedServer({ PROVIDER_SECOND_FACTOR: 'required' })),
  owner: async ({ backstage }, use) => use(await backstage.customer()),
  provider: async ({ backstage }, use) => use(await backstage.provider()),
});

// In one worker, which starts their server once.
test.describe.configure({ mode: 'default' });

/** A phone that verifies its user by itself. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { lose: () => session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }) };
}

const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Leaving the page before the answer would keep the session. */
async function logOut(page: Page): Promise<void> {
  await press(page, 'Logout');
  await expect(page.getByRole('button', { name: 'Logout' })).toHaveCount(0);
}

/** From the landing page, to which a logout leads. */
async function openLogin(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Login', exact: true }).click();
  await expect(page).toHaveURL('/auth');
}

async function readCodes(page: Page): Promise<readonly string[]> {
  const list = dialog(page).getByRole('list', { name: 'Your recovery codes' });
  await expect(list.getByRole('listitem')).toHaveCount(10);
  return list.getByRole('listitem').allTextContents();
}

/** One sheet in black on white, in the dark scheme too, without what can be pressed and what stands behind. */
async function expectOnlyCodesOnPaper(
  page: Page,
  codes: readonly string[],
  { email }: Person,
): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const format of ['A4', 'Letter']) {
    const pdf = (await page.pdf({ format })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g), format).toHaveLength(1);
  }
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  const printed = (await page.locator('body').innerText()).split(/\s+/);
  for (const word of [...codes, email]) expect(printed).toContain(word);
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('heading')).toHaveText(['Save your recovery codes']);
  // A box around the dialog would be drawn behind it.
  expect(await dialog(page).evaluate((paper) => paper.parentElement?.getClientRects().length)).toBe(0);
  const colours = await dialog(page).evaluate((paper) => {
    const { color, backgroundColor } = getComputedStyle(paper);
    return [color, backgroundColor, getComputedStyle(document.documentElement).backgroundColor];
  });
  expect(colours).toEqual(['rgb(0, 0, 0)', 'rgba(0, 0, 0, 0)', 'rgba(0, 0, 0, 0)']);
  await page.emulateMedia({ colorScheme: null, media: null });
}

test('a passkey logs in, an app needs its code, and a recovery code brings back who lost both', async ({
  page,
  owner,
  logInAs,
  complaints,
}) => {
  const phone = await addAuthenticator(page);
  await logInAs(owner);
  await page.goto('/dashboard?tab=profile');
  await page.getByRole('button', { name: 'Security & Data' }).click();
  await press(page, 'Add a Passkey');
  await page.getByLabel('Name', { exact: true }).fill('My phone');
  const answers = await holdAnswers(page, /secondFactors\.addPasskey/);
  await press(page, 'Add Passkey');
  await expect.poll(answers.asked).toBe(1);
  await page.goBack();
  const early = page.getByRole('dialog', { name: 'Leave before the answer?' });
  await early.getByRole('button', { name: 'Wait' }).click();
  answers.release();
  await expect(dialog(page)).toContainText('Save your recovery codes');
  const codes = await readCodes(page);
  await picture(page, 'recovery-codes');
  await expectForEverybody(page, 'the recovery codes');
  const leaving = page.getByRole('dialog', { name: 'Leave without your codes?' });
  for (const leave of [
    () => page.goBack(),
    () => press(page, 'Close'),
    () => page.keyboard.press('Escape'),
  ]) {
    await leave();
    await expect(leaving).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(leaving).toHaveCount(0);
  }
  expect(await readCodes(page)).toEqual(codes);
  await expectOnlyCodesOnPaper(page, codes, owner);
  // The dialog fills a phone, and a toast would stand behind it. Pages by plain HTTP have no clipboard.
  await page.evaluate(() =>
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined }),
  );
  const told = dialog(page).getByRole('status');
  await press(page, 'Copy');
  await expect(told).toHaveText('The codes could not be copied. Download or print them.');
  await page.evaluate(() => Reflect.deleteProperty(navigator, 'clipboard'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await press(page, 'Copy');
  await expect(told).toHaveText('Recovery codes copied.');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(codes[0]);
  await press(page, 'I Saved Them');
  await expect(page.getByText('10 of 10 left')).toBeVisible();

  await press(page, 'Set Up an Authenticator App');
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  await picture(page, 'set-up-app');
  await expectForEverybody(page, 'setting up an authenticator app');
  const secret = ((await dialog(page).locator('code').textContent()) ?? '').replace(/\s/g, '');
  const code = page.getByLabel('Code that the app shows');
  await code.fill('12345');
  await press(page, 'Finish Setup');
  await expect(code).toHaveAccessibleDescription(/not right, or it was used before\.$/);
  await expect(code).toBeFocused();
  // Another tab may have begun it again, after which no code of this one is right.
  await press(page, 'Finish Setup');
  await expect(code).toHaveAccessibleDescription(/in another tab, go on there\.$/);
  await code.fill(totpAt(secret, Date.now()));
  await press(page, 'Finish Setup');
  await expect(page.getByText('Authenticator app', { exact: true })).toBeVisible();
  // The button that opened the dialog is gone.
  await expect(page.locator(':focus')).toContainText('10 of 10 left');
  await picture(page, 'second-factors');
  await press(page, 'New Recovery Codes');
  const renewed = await holdAnswers(page, /secondFactors\.renewRecoveryCodes/);
  await press(page, 'Make New Codes');
  await expect.poll(renewed.asked).toBe(1);
  await page.goBack();
  await early.getByRole('button', { name: 'Wait' }).click();
  renewed.release();
  await expect(dialog(page)).toContainText('Save your recovery codes');
  const [recoveryCode = ''] = await readCodes(page);
  await press(page, 'I Saved Them');
  await expect(page.getByText('10 of 10 left')).toBeVisible();
  await expectForEverybody(page, 'the second factors in the profile');

  await logOut(page);
  await openLogin(page);
  await press(page, 'Log In With a Passkey');
  await expect(page).toHaveURL(/\/dashboard/);

  // The phone is gone, and with it the app.
  await phone.lose();
  await openTabUnderToast(page, 'Profile');
  await logOut(page);
  await openLogin(page);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await press(page, 'Login');
  await expect(page.getByLabel('Code from your authenticator app')).toBeFocused();
  await picture(page, 'second-step');
  await expectForEverybody(page, 'the step after the password');
  await press(page, 'Back');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await press(page, 'Use a Recovery Code');
  await page.getByLabel('Recovery code').fill('0000-0000-0000-0000');
  await press(page, 'Login');
  await expect(page.getByLabel('Recovery code')).toHaveAccessibleDescription(/not right/);
  await page.getByLabel('Recovery code').fill(recoveryCode.toLowerCase());
  await press(page, 'Login');
  await expect(page).toHaveURL(/\/dashboard/);

  await page.goto('/dashboard?tab=profile&open=security');
  await expect(page.getByText('9 of 10 left')).toBeVisible();
  for (const [name, told, left] of [
    ['Remove My phone', 'Passkey removed', /^Authenticator app/],
    ['Remove the authenticator app', 'Authenticator app removed', ''],
  ] as const) {
    await press(page, name);
    await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
    await expect(toast(page, told)).toBeVisible();
    await expect(page.getByRole('button', { name })).toHaveCount(0);
    await expect(page.locator(':focus')).toHaveText(left);
  }
  await expect(page.getByText('of 10 left')).toHaveCount(0);
  // The refusals of the step and of the wrong codes.
  expect(complaints.splice(0)).toHaveLength(5);
});

test('a provider who has to have a second factor adds one before the dashboard, and again when an operator takes it away while the dashboard is open', async ({
  page,
  provider,
  server,
  complaints,
}) => {
  await addAuthenticator(page);
  await page.goto('/auth');
  await page.getByLabel('Email').fill(provider.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await press(page, 'Login');
  await expect(page.getByRole('heading', { name: 'Secure Your Account' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add a Passkey' })).toBeVisible();
  await picture(page, 'secure-your-account');
  await press(page, 'Add a Passkey');
  await page.getByLabel('Name', { exact: true }).fill('My phone');
  await press(page, 'Add Passkey');
  await readCodes(page);
  await press(page, 'I Saved Them');
  await expect(page).toHaveURL(/\/dashboard/);
  // What the dashboard asks first has its answer, which is otherwise a refusal that turns the page by itself.
  await expect(page.getByRole('heading', { name: 'No QR Codes Yet' })).toBeVisible();
  await expect(page.getByText('$0.00').first()).toBeVisible();

  const { factors } = await storageAt(server.databasePath);
  expect(await factors.removeAll({ kind: 'account', id: provider.id })).toBe(true);
  await openTabUnderToast(page, 'Insights');
  await expect(page.getByRole('button', { name: 'Add a Passkey' })).toBeVisible();
  await expect(page.getByRole('tab')).toHaveCount(0);
  // The refusals of what the dashboard asked for; another may be under way until the page is left.
  await page.goto('/');
  expect(complaints.splice(0).length).toBeGreaterThan(0);
});

test('a passkey for which the device took its time asks for the password, and who has it chooses a password after the operator made one, long after the login as well', async ({
  page,
  server,
  owner,
  backstage,
  logInAs,
  complaints,
}) => {
  await addAuthenticator(page);
  await logInAs(owner);
  await page.goto('/dashboard?tab=profile&open=security');
  const ageOnce = async (route: Route) => {
    await backstage.ageLogin(owner, 16);
    await route.continue();
  };
  await page.route('**/trpc/secondFactors.addPasskey**', ageOnce, { times: 1 });
  await press(page, 'Add a Passkey');
  await page.getByLabel('Name', { exact: true }).fill('My phone');
  await press(page, 'Add Passkey');
  await page
    .getByRole('dialog', { name: 'Enter your password to go on' })
    .getByLabel('Password', { exact: true })
    .fill(PASSWORD);
  await press(page, 'Go On');
  await readCodes(page);
  await press(page, 'I Saved Them');
  await expect(page.getByRole('button', { name: 'Remove My phone' })).toBeVisible();
  // The refusal that the question answers.
  expect(complaints.splice(0)).toHaveLength(1);
  await runHere('account', { DATABASE_URL: server.databasePath }, ['reset-password', owner.email]);

  await page.goto('/auth');
  await page.getByRole('tab', { name: 'Login' }).click();
  await press(page, 'Log In With a Passkey');
  await expect(page.getByRole('heading', { name: 'Choose a password of your own' })).toBeVisible();
  await backstage.ageLogin({ ...owner, token: (await storedToken(page)) ?? '' }, 16);
  await page.getByLabel('New password').fill('a better horse battery');
  await press(page, 'Change Password');
  await dialog(page).getByRole('button', { name: 'Use a Passkey' }).click();
  await expect(toast(page, 'Password changed. Your other devices are logged out.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Choose a password of your own' })).toHaveCount(0);
  // The session that the operator ended, and the refusal that asks for a confirmation.
  expect(complaints.splice(0).length).toBeGreaterThan(0);
});

test('what had no answer may have been done, and says so', async ({ page, owner, logInAs, complaints }) => {
  await addAuthenticator(page);
  await logInAs(owner);
  await page.goto('/dashboard?tab=profile&open=security');
  await loseAnswer(page, 'secondFactors.confirmTotp');
  await press(page, 'Set Up an Authenticator App');
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible();
  const secret = ((await dialog(page).locator('code').textContent()) ?? '').replace(/\s/g, '');
  await page.getByLabel('Code that the app shows').fill(totpAt(secret, Date.now()));
  await press(page, 'Finish Setup');
  await expect(dialog(page)).toContainText('we don’t know whether the app was set up');
  // Until the answer counts as lost, nothing closes the dialog.
  await expect(dialog(page).getByRole('button', { name: 'Finish Setup' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText('Authenticator app', { exact: true })).toBeVisible();

  await loseAnswer(page, 'secondFactors.addPasskey');
  await press(page, 'Add a Passkey');
  await page.getByLabel('Name', { exact: true }).fill('My phone');
  await press(page, 'Add Passkey');
  await expect(dialog(page)).toContainText('we don’t know whether the passkey was added');
  await expect(dialog(page).getByRole('button', { name: 'Add Passkey' })).toBeVisible();
  await press(page, 'Cancel');
  await expect(page.getByRole('button', { name: 'Remove My phone' })).toBeVisible();

  await loseAnswer(page, 'secondFactors.renewRecoveryCodes');
  await press(page, 'New Recovery Codes');
  await press(page, 'Make New Codes');
  await expect(dialog(page).getByRole('alert')).toContainText('Your old codes may no longer work');
  await press(page, 'Make New Codes');
  const [first = '', second = ''] = await readCodes(page);
  await press(page, 'I Saved Them');

  await logOut(page);
  await openLogin(page);
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await press(page, 'Login');
  await press(page, 'Use a Recovery Code');
  const field = page.getByLabel('Recovery code');
  await field.fill(first);
  await loseAnswer(page, 'auth.login');
  await press(page, 'Login');
  await expect(field).toHaveAccessibleDescription(/There was no answer\. .+ use another one/);
  await field.fill(second);
  await press(page, 'Login');
  await expect(page).toHaveURL(/\/dashboard/);
  // The lost answers, and the refusal that asks for a code.
  expect(complaints.splice(0)).toHaveLength(5);
});
