/**
 * The profile: names, email and phone are edited by the rules of registration, services are added and
 * retired, and a customer becomes a provider.
 */
import type { Page } from '@playwright/test';
import {
  expect,
  holdAnswers,
  installClock,
  LONGEST_PATIENCE_MS,
  loseAnswer,
  newName,
  openTabUnderToast,
  PASSWORD,
  test,
  toast,
} from './fixtures.ts';

const welcome = (page: Page) => page.getByRole('heading', { level: 1 });
const edit = (page: Page) => page.getByRole('button', { name: 'Edit Profile' });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const form = (page: Page) => page.locator('form').filter({ hasText: 'Edit profile' });
const services = (page: Page) => page.getByRole('region', { name: 'Services', exact: true });

test.describe('an edited profile', () => {
  test('shows everywhere at once and after a reload, takes the phone number off, sends nothing when nothing was changed, and logs in by its new email from then on', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const customer = await backstage.customer();
    const username = newName();
    await logInAs(customer);
    await page.goto('/dashboard?tab=profile');
    await edit(page).click();
    await expect(page.getByLabel('Full name')).toBeFocused();
    await page.getByLabel('Full name').fill('  Zoë   Newname ');
    await page.getByLabel('Username').fill(username);
    await expect(form(page)).toContainText(`@${customer.username} stays reserved for you.`);
    await page.getByLabel('Phone (optional)').fill('+43 1 234567');
    await expect(page.getByLabel('Your password')).toHaveCount(0);
    await page.keyboard.press('Enter');
    await expect(toast(page, 'Saved')).toBeVisible();
    await expect(edit(page)).toBeFocused();
    for (const isReloaded of [false, true]) {
      if (isReloaded) await page.reload();
      await expect(welcome(page)).toHaveText(/^Welcome, Zoë +Newname$/);
      await expect(page.getByText(`@${username} · Customer`)).toBeVisible();
      await expect(page.getByText('+43 1 234567')).toBeVisible();
    }

    await test.step('without a phone number', async () => {
      await edit(page).click();
      await page.getByLabel('Phone (optional)').fill('');
      const answers = await holdAnswers(page, /auth\.updateProfile/);
      await save(page).click();
      // A change that was sent cannot be withdrawn, and its answer would close a form that is opened again.
      await page.getByRole('button', { name: 'Cancel' }).dispatchEvent('click');
      await expect(page.getByRole('button', { name: 'Saving...' })).toBeFocused();
      answers.release();
      await expect(page.getByText('Not provided')).toBeVisible();
    });

    await test.step('unchanged', async () => {
      let calls = 0;
      page.on('request', (request) => {
        if (request.url().includes('auth.updateProfile')) calls += 1;
      });
      await edit(page).click();
      await save(page).click();
      await expect(edit(page)).toBeFocused();
      await edit(page).click();
      await page.getByLabel('Full name').fill('Somebody Else');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await expect(edit(page)).toBeFocused();
      await expect(page.getByText('Somebody Else')).toHaveCount(0);
      expect(calls).toBe(0);
    });

    await test.step('with a new email', async () => {
      const email = `${newName()}@example.com`;
      await edit(page).click();
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Your password').fill(PASSWORD);
      await save(page).click();
      await expect(page.getByText(email)).toBeVisible();
      await page.getByRole('button', { name: 'Logout', exact: true }).click();
      await expect(page).toHaveURL('/');
      await page.goto('/auth');
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL('/dashboard');
    });
  });

  test('asks before changes are lost, whichever way somebody leaves', async ({
    page,
    backstage,
    logInAs,
  }) => {
    await logInAs(await backstage.provider());
    await page.goto('/dashboard');
    await openTabUnderToast(page, 'Profile');
    await edit(page).click();
    // Nothing is asked where nothing was changed.
    await openTabUnderToast(page, 'QR Codes');
    await openTabUnderToast(page, 'Profile');
    await edit(page).click();
    const email = page.getByLabel('Email');
    const present = await email.inputValue();
    await email.fill('other@example.com');
    await page.getByLabel('Your password').fill(PASSWORD);
    await email.fill(present);
    await page.goBack();
    await expect(page).toHaveURL('/dashboard?tab=qr-codes');
    await openTabUnderToast(page, 'Profile');
    await edit(page).click();
    const name = page.getByLabel('Full name');
    await name.fill('Nelly Newname');
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    const keep = question.getByRole('button', { name: 'Keep Editing' });
    const security = page.getByRole('button', { name: 'Security & Data' });
    const ways = [
      [() => page.goBack(), () => page.keyboard.press('Escape')],
      [() => security.click(), () => keep.click()],
      [() => openTabUnderToast(page, 'Transactions'), () => keep.click()],
      [() => openTabUnderToast(page, 'Transactions'), () => page.goBack()],
    ] as const;
    for (const [leave, stay] of ways) {
      await leave();
      await expect(question).toBeVisible();
      await expect(page).toHaveURL('/dashboard?tab=profile');
      await stay();
      await expect(question).toHaveCount(0);
      await expect(name).toHaveValue('Nelly Newname');
    }
    await page.goBack();
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect(page).toHaveURL('/dashboard?tab=qr-codes');
    await openTabUnderToast(page, 'Profile');
    await edit(page).click();
    await expect(name).not.toHaveValue('Nelly Newname');
    await name.fill('Nelly Newname');
    await security.click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect(page).toHaveURL('/dashboard?tab=profile&open=security');
    await expect(security).toHaveAttribute('aria-expanded', 'true');
    await page.goBack();
    await expect(edit(page)).toBeVisible();
    await expect(page).toHaveURL('/dashboard?tab=profile');
  });

  test('asks before Forward, and leaves the history as it was, also when it is saved under the question; it stays where it was scrolled to after Back', async ({
    page,
    backstage,
    logInAs,
  }) => {
    await logInAs(await backstage.provider());
    await page.goto('/dashboard');
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    const name = page.getByLabel('Full name');
    await openTabUnderToast(page, 'Profile');
    await page.getByRole('button', { name: 'Security & Data' }).click();
    await page.goBack();
    await edit(page).click();
    await name.fill('Nelly Newname');
    await page.goForward();
    await expect(question).toBeVisible();
    await expect(page).toHaveURL('/dashboard?tab=profile');
    await page.keyboard.press('Escape');
    await expect(question).toHaveCount(0);
    await expect(name).toHaveValue('Nelly Newname');
    await page.goBack();
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect(page).toHaveURL('/dashboard');

    await openTabUnderToast(page, 'Profile');
    await page.getByRole('button', { name: 'Security & Data' }).click();
    await page.goBack();
    await edit(page).click();
    await name.fill('Nelly Newname');
    await page.goForward();
    await question.getByRole('button', { name: 'Discard' }).click();
    await expect(page).toHaveURL('/dashboard?tab=profile&open=security');
    await page.goBack();
    await expect(page).toHaveURL('/dashboard?tab=profile');
    await page.goBack();
    await expect(page).toHaveURL('/dashboard');

    await test.step('after Back it is scrolled as it was', async () => {
      await openTabUnderToast(page, 'Profile');
      await edit(page).click();
      await page.getByLabel(/^Phone/).fill('+43 1 234567');
      await page.evaluate(() => window.scrollTo({ top: 200, behavior: 'instant' }));
      await page.goBack();
      await question.getByRole('button', { name: 'Keep Editing' }).click();
      await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(200);
    });

    await test.step('saved under the question', async () => {
      const answers = await holdAnswers(page, /auth\.updateProfile/);
      await save(page).click();
      await openTabUnderToast(page, 'Transactions');
      await expect(question).toBeVisible();
      answers.release();
      await expect(edit(page)).toBeVisible();
      await expect(question).toHaveCount(0);
      await expect(page).toHaveURL('/dashboard?tab=profile');
      await page.goBack();
      await expect(page).toHaveURL('/dashboard');
    });
  });

  test('says under each field what is wrong with it, and keeps what was typed', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const other = await backstage.customer();
    await logInAs(await backstage.customer());
    await page.goto('/dashboard?tab=profile');
    await edit(page).click();
    await page.getByLabel('Full name').fill(' ');
    await page.getByLabel('Username').fill('no spaces');
    await page.getByLabel('Email').fill('nowhere');
    await page.getByLabel('Phone (optional)').fill('call me');
    await save(page).click();
    await expect(page.getByLabel('Full name')).toHaveAccessibleDescription('Full name is required.');
    await expect(page.getByLabel('Full name')).toBeFocused();
    await expect(page.getByLabel('Username')).toHaveAccessibleDescription(/Username may have letters/);
    await expect(page.getByLabel('Email')).toHaveAccessibleDescription('Please enter a valid email address.');
    await expect(page.getByLabel('Your password')).toHaveAccessibleDescription(
      /Current password is required\.$/,
    );
    await expect(page.getByLabel('Phone (optional)')).toHaveAccessibleDescription(
      'Please enter a valid phone number.',
    );

    await page.getByLabel('Full name').fill('Kim Kept');
    await page.getByLabel('Username').fill(other.username);
    await page.getByLabel('Email').fill('');
    await page.getByLabel('Email').fill(`${newName()}@example.com`);
    await page.getByLabel('Your password').fill('a wrong password');
    await page.getByLabel('Phone (optional)').fill('');
    await save(page).click();
    await expect(page.getByLabel('Your password')).toHaveAccessibleDescription(
      /The current password is not right\.$/,
    );
    await expect(page.getByLabel('Your password')).toBeFocused();
    await page.getByLabel('Your password').fill(PASSWORD);
    await save(page).click();
    await expect(page.getByLabel('Username')).toHaveAccessibleDescription(
      /This username is already taken\.$/,
    );
    await expect(page.getByLabel('Username')).toBeFocused();
    await page.getByLabel('Username').fill(newName());
    await page.getByLabel('Email').fill(other.email);
    await save(page).click();
    await expect(page.getByLabel('Email')).toHaveAccessibleDescription(
      'An account with this email already exists.',
    );
    await expect(page.getByLabel('Full name')).toHaveValue('Kim Kept');
    await page.route('**/trpc/auth.updateProfile*', (route) => route.abort(), { times: 1 });
    await page.getByLabel('Email').fill(`${newName()}@example.com`);
    await save(page).click();
    await expect(
      form(page).getByText('There was no answer, so we don’t know whether your profile was saved.'),
    ).toBeVisible();
    // The account itself says what a lost answer has done.
    await loseAnswer(page, 'auth.updateProfile');
    await save(page).click();
    await expect(welcome(page)).toHaveText('Welcome, Kim Kept');
    await expect(toast(page, 'Saved')).toBeVisible();
    await expect(form(page)).toHaveCount(0);
    expect(complaints.splice(0)).toHaveLength(5);
  });

  test('is shown in another tab when somebody comes back to it, where a lost answer changes nothing', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider();
    await logInAs(provider);
    await page.goto('/dashboard?tab=profile');
    await expect(welcome(page)).toHaveText(`Welcome, ${provider.fullName}`);
    await expect(edit(page)).toBeVisible();
    const body = { full_name: 'Kim Elsewhere' };
    await backstage.call('PATCH', '/auth/me', { token: provider.token, body });
    const comeBack = () => page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await page.route('**/trpc/*auth.me*', (route) => route.abort(), { times: 1 });
    const lost = page.waitForEvent('requestfailed');
    await comeBack();
    await lost;
    await expect(welcome(page)).toHaveText(`Welcome, ${provider.fullName}`);
    await expect(edit(page)).toBeVisible();
    await edit(page).click();
    await page.getByLabel('Phone (optional)').fill('+43 1 234567');
    await comeBack();
    await expect(welcome(page)).toHaveText('Welcome, Kim Elsewhere');
    // What was changed elsewhere is not changed back.
    await save(page).click();
    await expect(toast(page, 'Saved')).toBeVisible();
    const me = await backstage.call('GET', '/auth/me', { token: provider.token });
    expect(me).toMatchObject({ full_name: 'Kim Elsewhere', phone: '+43 1 234567' });
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
  });
});

test('a customer becomes a provider, and lands where the first code is created', async ({
  page,
  backstage,
  logInAs,
}) => {
  const customer = await backstage.customer();
  await logInAs(customer);
  await page.goto('/dashboard?tab=profile&open=services');
  const start = page.getByRole('region', { name: 'Start earning tips' });
  await expect(start).toContainText('There is no way back to a customer account.');
  await start.getByRole('button', { name: 'Become a Service Provider' }).click();
  await expect(start.getByRole('group')).toHaveAccessibleDescription(
    'Please select at least one service category.',
  );
  for (const service of ['Barber', 'DJ']) await start.getByLabel(service).check();
  // What another tab has become meanwhile stays.
  await backstage.call('PATCH', '/auth/me', {
    token: customer.token,
    body: { is_service_provider: true, service_categories: ['bartender'] },
  });
  await start.getByRole('button', { name: 'Become a Service Provider' }).click();
  await expect(page).toHaveURL('/dashboard?tab=qr-codes');
  await expect(page.getByRole('tab')).toHaveText(['QR Codes', 'Transactions', 'Insights', 'Profile']);
  await expect(page.getByRole('tab', { name: 'QR Codes' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Create Bartender QR' })).toBeVisible();
  await expect(page.getByText('· Service Provider')).toBeVisible();
  await page.getByRole('button', { name: 'Create Barber QR' }).click();
  await expect(page.getByRole('article', { name: 'Barber' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Create DJ QR' })).toBeVisible();
});

test('a save to which no answer comes ends, and says so', async ({ page, backstage, logInAs }) => {
  await installClock(page);
  await logInAs(await backstage.customer());
  await page.goto('/dashboard?tab=profile');
  await page.getByRole('button', { name: 'Edit Profile' }).click();
  await page.getByLabel('Full name').fill('Kim Kept');
  const answers = await holdAnswers(page, /auth\.(?:updateProfile|me)/);
  await save(page).click();
  await expect.poll(answers.asked).toBe(1);
  await expect(page.getByLabel('Phone (optional)')).not.toBeEditable();
  await page.clock.fastForward(LONGEST_PATIENCE_MS);
  // The question what the account is now has no answer, either.
  await expect.poll(answers.asked).toBe(2);
  await page.clock.fastForward(LONGEST_PATIENCE_MS);
  await expect(
    form(page).getByText('There was no answer, so we don’t know whether your profile was saved.'),
  ).toBeVisible();
  await expect(save(page)).toBeEnabled();
  await expect(page.getByLabel('Phone (optional)')).toBeEditable();
  answers.release();
});

test('the services of a provider are no longer offered after a question, together with their codes, and can be added at any time', async ({
  page,
  backstage,
  logInAs,
}) => {
  const provider = await backstage.provider(['dj', 'barber']);
  const code = await backstage.code(provider, 'dj');
  await backstage.code(provider, 'barber');
  const offerElsewhere = (...service_categories: string[]) =>
    backstage.call('PATCH', '/auth/me', { token: provider.token, body: { service_categories } });
  await logInAs(provider);
  await page.goto('/dashboard?tab=insights');
  await page.getByRole('tab', { name: 'Profile' }).click();
  const row = page.getByRole('button', { name: /^Services/ });
  const list = page.getByRole('list', { name: 'Your services' });
  const offered = list.getByRole('listitem');

  await test.step('no longer offered', async () => {
    await row.click();
    await expect(services(page)).toBeVisible();
    await row.dblclick();
    await expect(page).toHaveURL('/dashboard?tab=profile');
    await row.click();
    const stop = services(page).getByRole('button', { name: 'Stop offering DJ' });
    await stop.click();
    const question = page.getByRole('dialog', { name: 'Stop offering DJ?' });
    await expect(question).toContainText('Its QR code stops working for good');
    await page.keyboard.press('Escape');
    await expect(question).toHaveCount(0);
    await expect(stop).toBeFocused();
    await stop.click();
    const answers = await holdAnswers(page, /auth\.updateProfile/);
    await question.getByRole('button', { name: 'Stop Offering' }).click();
    await expect(question.getByRole('button', { name: 'One moment...' })).toBeFocused();
    await question.getByRole('button', { name: 'Cancel' }).dispatchEvent('click');
    await page.keyboard.press('Escape');
    await expect(question.getByRole('button', { name: 'Cancel' })).toHaveAttribute('aria-disabled', 'true');
    answers.release();
    await expect(toast(page, 'You no longer offer DJ')).toBeVisible();
    await expect(list).toBeFocused();
    await expect(services(page)).toContainText('You need at least one service.');
    await expect(services(page).getByRole('button', { name: /^Stop offering/ })).toHaveCount(0);
    await openTabUnderToast(page, 'QR Codes');
    await expect(page.getByRole('article')).toHaveCount(1);
    await page.getByText('Old codes').click();
    const old = page.locator('details').getByRole('listitem');
    await expect(old).toHaveText(`${code.slice(0, 5)}-${code.slice(5)} · DJRetired`);
    expect((await page.request.get(`/api/qr-codes/${code}`)).status()).toBe(410);
  });

  await test.step('added', async () => {
    await openTabUnderToast(page, 'Profile');
    await row.press('Enter');
    await expect(services(page)).toContainText('You need at least one service.');
    // What another device offers meanwhile stays, with its code.
    await offerElsewhere('barber', 'bartender');
    const elsewhere = await backstage.code(provider);
    await services(page).getByText('Add a service').click();
    await services(page).getByLabel('Nail Tech').check();
    await services(page).getByRole('button', { name: 'Add', exact: true }).click();
    await expect(toast(page, 'Service added')).toBeVisible();
    await expect(offered).toHaveText([/^Bartender/, /^Barber/, /^Nail Tech/]);
    await offerElsewhere('barber', 'bartender', 'nailtech', 'server');
    await services(page).getByRole('button', { name: 'Stop offering Barber' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Stop Offering' }).press('Enter');
    await expect(offered).toHaveText([/^Bartender/, /^Nail Tech/, /^Server/]);
    expect((await page.request.get(`/api/qr-codes/${elsewhere}`)).status()).toBe(200);
    await openTabUnderToast(page, 'QR Codes');
    await expect(page.getByRole('button', { name: 'Create Nail Tech QR' })).toBeVisible();
  });
});
