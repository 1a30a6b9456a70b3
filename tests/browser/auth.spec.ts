/**
 * Login and sign-up: what the forms ask for, what they refuse and how they say it, and where they lead afterwards.
 */
import type { Locator, Page } from '@playwright/test';
import { expect, holdAnswers, logInByForm, newName, PASSWORD, storedToken, test, toast } from './fixtures.ts';

const CATEGORIES = [
  'Bartender',
  'Barber',
  'Nail Tech',
  'Esthetician',
  'Server',
  'Escort',
  'DJ',
  'Live Event',
];
const PROVIDER_BOX = 'I am a service provider (will receive tips)';

/** The fields of the form that is open. */
function fieldsOf(page: Page) {
  return {
    fullName: page.getByLabel('Full name'),
    username: page.getByLabel('Username'),
    email: page.getByLabel('Email'),
    phone: page.getByLabel('Phone (optional)'),
    password: page.getByLabel('Password', { exact: true }),
  };
}

async function openSignUp(page: Page) {
  await page.goto('/auth');
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  return fieldsOf(page);
}

/** Fills in the sign-up form for somebody new; their username. */
async function fillSignUp(page: Page): Promise<string> {
  const username = newName();
  const { fullName, username: usernameField, email, password } = fieldsOf(page);
  await fullName.fill(`Sam ${username}`);
  await usernameField.fill(username);
  await email.fill(`${username}@example.com`);
  await password.fill(PASSWORD);
  return username;
}

/** A sentence under a field, announced as its description. */
async function expectUnder(field: Locator, sentence: string) {
  await expect(field).toHaveAccessibleDescription(
    new RegExp(`(^|\\. )${sentence.replace(/[.()]/g, '\\$&')}$`),
  );
  await expect(field).toHaveAttribute('aria-invalid', 'true');
}

test('shows two tabs under "Welcome", Login first, and a way back', async ({ page }) => {
  await page.goto('/auth');
  await expect(page).toHaveTitle('Login or Sign Up · Tipwell');
  await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible();
  await expect(page.getByRole('tab')).toHaveText(['Login', 'Sign Up']);
  await expect(page.getByRole('tab', { name: 'Login' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('button', { name: 'Login', exact: true })).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveCount(2);
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(page.getByRole('textbox')).toHaveCount(5);
  await expect(page.getByRole('button', { name: 'Create Account' })).toBeVisible();
  await page.getByRole('button', { name: 'Back to Home' }).click();
  await expect(page).toHaveURL('/');
});

test('tells browsers and password managers what each field is for', async ({ page }) => {
  await page.goto('/auth');
  const login = fieldsOf(page);
  await expect(login.email).toHaveAttribute('type', 'email');
  await expect(login.email).toHaveAttribute('autocomplete', 'email');
  await expect(login.password).toHaveAttribute('autocomplete', 'current-password');
  const signUp = await openSignUp(page);
  await expect(signUp.email).toHaveAttribute('type', 'email');
  for (const [field, token] of [
    [signUp.fullName, 'name'],
    [signUp.username, 'username'],
    [signUp.email, 'email'],
    [signUp.phone, 'tel'],
    [signUp.password, 'new-password'],
  ] as const) {
    await expect(field).toHaveAttribute('autocomplete', token);
  }
});

test('shows and hides the password on both tabs, without losing it', async ({ page }) => {
  await page.goto('/auth');
  for (const tab of ['Login', 'Sign Up']) {
    await page.getByRole('tab', { name: tab }).click();
    const { password } = fieldsOf(page);
    await password.fill('secret words');
    await expect(password).toHaveAttribute('type', 'password');
    await page.getByRole('button', { name: 'Show password' }).click();
    await expect(password).toHaveAttribute('type', 'text');
    await expect(password).toHaveValue('secret words');
    await page.getByRole('button', { name: 'Hide password' }).click();
    await expect(password).toHaveAttribute('type', 'password');
    await expect(password).toHaveValue('secret words');
  }
});

test('keeps what was typed while the other tab is looked at', async ({ page }) => {
  const { username } = await openSignUp(page);
  await username.fill('half-typed');
  await page.getByRole('tab', { name: 'Login' }).click();
  await expect(username).toHaveCount(0);
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(username).toHaveValue('half-typed');
});

test('asks a provider for services, shows the chosen ones, and forgets them when the box is unchecked', async ({
  page,
}) => {
  await openSignUp(page);
  const box = page.getByRole('checkbox', { name: PROVIDER_BOX });
  const services = page.getByRole('group', { name: 'Select all services you provide:' });
  const chosen = page.getByRole('list', { name: 'Selected services:' });
  await expect(box).not.toBeChecked();
  await expect(services).toHaveCount(0);
  await box.check();
  await expect(services.getByRole('checkbox')).toHaveCount(8);
  for (const [index, name] of CATEGORIES.entries())
    await expect(services.getByRole('checkbox').nth(index)).toHaveAccessibleName(name);
  await expect(page.getByText('Selected services:')).toHaveCount(0);
  await services.getByRole('checkbox', { name: 'DJ' }).check();
  await services.getByRole('checkbox', { name: 'Barber' }).check();
  await expect(page.getByText('Selected services:')).toBeVisible();
  await expect(chosen.getByRole('listitem')).toHaveText(['Barber', 'DJ']);
  await services.getByRole('checkbox', { name: 'Barber' }).uncheck();
  await expect(chosen.getByRole('listitem')).toHaveText(['DJ']);
  await box.uncheck();
  await expect(services).toHaveCount(0);
  await box.check();
  await expect(services.getByRole('checkbox', { checked: true })).toHaveCount(0);
  await expect(page.getByText('Selected services:')).toHaveCount(0);
});

test.describe('the page', () => {
  test('refuses a login with nothing in it, under each field, and focuses the first', async ({ page }) => {
    const asked = await holdAnswers(page, '**/trpc/**');
    await page.goto('/auth');
    const { email, password } = fieldsOf(page);
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expectUnder(email, 'Email is required.');
    await expectUnder(password, 'Password is required.');
    await expect(email).toBeFocused();
    await email.fill('sam@example.com');
    await expect(email).not.toHaveAttribute('aria-invalid', 'true');
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(password).toBeFocused();
    await expect(email).toHaveValue('sam@example.com');
    expect(asked.asked()).toBe(0);
  });

  test('refuses a sign-up field by field, in words, and keeps what was typed', async ({ page }) => {
    const asked = await holdAnswers(page, '**/trpc/**');
    const fields = await openSignUp(page);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expectUnder(fields.fullName, 'Full name is required.');
    await expectUnder(fields.username, 'Username is required.');
    await expectUnder(fields.email, 'Email is required.');
    await expectUnder(fields.password, 'Password is required.');
    await expect(fields.phone).not.toHaveAttribute('aria-invalid', 'true');
    await expect(fields.fullName).toBeFocused();
    for (const [name, text, sentence] of [
      ['fullName', 'Sam\u202e', 'Full name has characters that cannot be shown.'],
      [
        'username',
        'sam!',
        'Username may have letters, digits, dots, hyphens and underscores, and starts and ends with a letter or digit.',
      ],
      ['username', 'admin', 'This username is reserved.'],
      ['email', 'sam@', 'Please enter a valid email address.'],
      ['phone', 'call me maybe', 'Please enter a valid phone number.'],
      ['password', 'short', 'Password must have 8 to 256 characters.'],
    ] as const) {
      await fields[name].fill(text);
      await expectUnder(fields[name], sentence);
    }
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(fields.fullName).toBeFocused();
    await expect(fields.fullName).toHaveValue('Sam\u202e');
    await expect(fields.username).toHaveValue('admin');
    await expect(fields.phone).toHaveValue('call me maybe');
    await fields.fullName.fill('Sam');
    await expect(fields.fullName).not.toHaveAttribute('aria-invalid', 'true');
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(fields.username).toBeFocused();
    expect(asked.asked()).toBe(0);
  });

  test('refuses a password that is the username or the email', async ({ page }) => {
    const { password } = await openSignUp(page);
    const username = await fillSignUp(page);
    for (const text of [username.toUpperCase(), `${username}@example.com`]) {
      await password.fill(text);
      await page.getByRole('button', { name: 'Create Account' }).click();
      await expectUnder(password, 'Password must not be your email or your username.');
      await expect(password).toBeFocused();
    }
  });

  test('refuses a provider without a service, in a toast and under the services', async ({ page }) => {
    await openSignUp(page);
    const username = await fillSignUp(page);
    await page.getByRole('checkbox', { name: PROVIDER_BOX }).check();
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(toast(page, 'Please select at least one service category.')).toBeVisible();
    const services = page.getByRole('group', { name: 'Select all services you provide:' });
    await expect(services).toHaveAccessibleDescription('Please select at least one service category.');
    await expect(services.getByRole('checkbox').first()).toBeFocused();
    await expect(page.getByLabel('Username')).toHaveValue(username);
    await services.getByRole('checkbox', { name: 'Server' }).check();
    await expect(services).not.toHaveAccessibleDescription(/select/);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page).toHaveURL('/dashboard');
  });
});

test.describe('what the server refuses', () => {
  test('is said under its field and in a toast: a taken email, a taken username, a common password', async ({
    page,
    backstage,
    complaints,
  }) => {
    const other = await backstage.customer();
    const fields = await openSignUp(page);
    const username = await fillSignUp(page);
    const create = page.getByRole('button', { name: 'Create Account' });
    for (const { name, taken, free, sentence, status } of [
      {
        name: 'email',
        taken: other.email.toUpperCase(),
        free: `${username}@example.com`,
        sentence: 'An account with this email already exists.',
        status: '409',
      },
      {
        name: 'username',
        taken: other.username,
        free: username,
        sentence: 'This username is already taken.',
        status: '409',
      },
      {
        name: 'password',
        taken: 'Password123',
        free: PASSWORD,
        sentence: 'This password is too common. Please choose another one.',
        status: '422',
      },
    ] as const) {
      await fields[name].fill(taken);
      await create.click();
      await expectUnder(fields[name], sentence);
      await expect(fields[name]).toBeFocused();
      await expect(fields[name]).toHaveValue(taken);
      await expect(toast(page, sentence)).toBeVisible();
      await expect(fields.fullName).toHaveValue(`Sam ${username}`);
      await expect(page).toHaveURL('/auth');
      expect(complaints.splice(0)).toEqual([expect.stringContaining(status)]);
      await fields[name].fill(free);
    }
    await create.click();
    await expect(page).toHaveURL('/dashboard');
  });

  test('is said alike for a wrong password and an unknown email', async ({ page, backstage, complaints }) => {
    const { email } = await backstage.customer();
    await page.goto('/auth');
    const fields = fieldsOf(page);
    for (const [who, password] of [
      [email, 'not the password'],
      ['nobody@example.com', PASSWORD],
    ] as const) {
      await page.reload();
      await fields.email.fill(who);
      await fields.password.fill(password);
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await expect(toast(page, 'Incorrect email or password.')).toBeVisible();
      await expect(page.getByRole('tabpanel').getByText('Incorrect email or password.')).toBeVisible();
      await expect(fields.email).toHaveValue(who);
      await expect(fields.password).toHaveValue(password);
      await expect(page).toHaveURL('/auth');
      expect(await storedToken(page)).toBeNull();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
    }
  });
});

test.describe('a form without an answer', () => {
  test('says so after a login, and can be sent again', async ({ page, backstage, complaints }) => {
    const customer = await backstage.customer();
    await page.route('**/trpc/auth.login*', (route) => route.abort());
    await page.goto('/auth');
    await logInByForm(page, customer);
    await expect(toast(page, 'Login failed. Please try again.')).toBeVisible();
    await expect(page.getByRole('tabpanel').getByText('Login failed. Please try again.')).toBeVisible();
    await expect(page).toHaveURL('/auth');
    await page.unroute('**/trpc/auth.login*');
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(page).toHaveURL('/dashboard');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
  });

  test('says so after a registration, and can be sent again', async ({ page, complaints }) => {
    await page.route('**/trpc/auth.register*', (route) => route.abort());
    await openSignUp(page);
    const username = await fillSignUp(page);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(toast(page, 'Registration failed. Please try again.')).toBeVisible();
    await expect(page.getByRole('tabpanel').getByText('Registration failed.')).toBeVisible();
    await expect(page.getByLabel('Username')).toHaveValue(username);
    await page.unroute('**/trpc/auth.register*');
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page).toHaveURL('/dashboard');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
  });

  test('leaves only the password to type when the login after a registration failed', async ({
    page,
    complaints,
  }) => {
    await page.route('**/trpc/auth.login*', (route) => route.abort());
    await openSignUp(page);
    const username = await fillSignUp(page);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(toast(page, 'Account created successfully! Please login.')).toBeVisible();
    await expect(toast(page, 'Login failed. Please try again.')).toBeVisible();
    await expect(page.getByRole('tab', { name: 'Login' })).toHaveAttribute('aria-selected', 'true');
    const { email, password } = fieldsOf(page);
    await expect(email).toHaveValue(`${username}@example.com`);
    await expect(password).toBeFocused();
    await page.unroute('**/trpc/auth.login*');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL('/dashboard');
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
  });
});

test.describe('getting in', () => {
  test('a login stores the token and says welcome in the product’s name', async ({ page, backstage }) => {
    const customer = await backstage.customer();
    await page.goto('/auth');
    await logInByForm(page, customer);
    await expect(page).toHaveURL('/dashboard');
    await expect(toast(page, `Welcome to Tipwell, ${customer.fullName}!`)).toBeVisible();
    const token = await storedToken(page);
    const me = await backstage.call('GET', '/auth/me', { token: token ?? '' });
    expect(me).toMatchObject({ username: customer.username });
    await page.goto('/auth');
    await expect(page).toHaveURL('/dashboard');
  });

  test('a sign-up keeps every field and logs in by itself', async ({ page, backstage }) => {
    const { phone, username: usernameField } = await openSignUp(page);
    const username = await fillSignUp(page);
    await usernameField.fill(username.toUpperCase());
    await phone.fill('+43 660 1234567');
    await page.getByRole('checkbox', { name: PROVIDER_BOX }).check();
    await page.getByRole('checkbox', { name: 'Live Event' }).check();
    await page.getByRole('checkbox', { name: 'Nail Tech' }).check();
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(toast(page, 'Account created successfully! Please login.')).toBeVisible();
    await expect(toast(page, `Welcome to Tipwell, Sam ${username}!`)).toBeVisible();
    await expect(page).toHaveURL('/dashboard');
    const token = await storedToken(page);
    expect(await backstage.call('GET', '/auth/me', { token: token ?? '' })).toMatchObject({
      email: `${username}@example.com`,
      username,
      full_name: `Sam ${username}`,
      phone: '+43 660 1234567',
      is_service_provider: true,
      service_categories: ['nailtech', 'live_event'],
    });
  });

  test('whoever unchecks the box registers as a customer', async ({ page, backstage }) => {
    await openSignUp(page);
    await fillSignUp(page);
    await page.getByRole('checkbox', { name: PROVIDER_BOX }).check();
    await page.getByRole('checkbox', { name: 'DJ' }).check();
    await page.getByRole('checkbox', { name: PROVIDER_BOX }).uncheck();
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page).toHaveURL('/dashboard');
    const token = await storedToken(page);
    const me = await backstage.call('GET', '/auth/me', { token: token ?? '' });
    expect(me).toMatchObject({ is_service_provider: false, service_categories: [], phone: null });
  });

  test('one request goes out however often the button is pressed', async ({ page, backstage }) => {
    const customer = await backstage.customer();
    await page.goto('/auth');
    const login = await holdAnswers(page, '**/trpc/auth.login*');
    const fields = fieldsOf(page);
    await fields.email.fill(customer.email);
    await fields.password.fill(PASSWORD);
    await page.getByRole('button', { name: 'Login', exact: true }).dblclick();
    await page.getByRole('button', { name: 'Logging in...' }).click({ force: true });
    await fields.password.press('Enter');
    login.release();
    await expect(page).toHaveURL('/dashboard');
    expect(login.asked()).toBe(1);

    await page.evaluate(() => localStorage.clear());
    await openSignUp(page);
    await fillSignUp(page);
    const register = await holdAnswers(page, '**/trpc/auth.register*');
    await page.getByRole('button', { name: 'Create Account' }).dblclick();
    await page.getByRole('button', { name: 'Creating Account...' }).click({ force: true });
    await fields.username.press('Enter');
    register.release();
    await expect(page).toHaveURL('/dashboard');
    expect(register.asked()).toBe(1);
  });
});

test.describe('the way afterwards', () => {
  /** One of each kind; tests/client/paths.test.ts has all that a browser might take for another site. */
  const HOSTILE = ['//evil.example', '/\\evil.example', 'javascript:document.title=1'];

  test('leads to the page that sent somebody here, with its own query', async ({ page, backstage }) => {
    const customer = await backstage.customer();
    const next = '/tip/demo-alex-barber?userId=sam&service=dj';
    await page.goto(`/auth?${new URLSearchParams({ next })}`);
    await expect(page.getByText('Your amount is kept.')).toBeVisible();
    await logInByForm(page, customer);
    await expect(page).toHaveURL(next);
    await page.goto(`/auth?${new URLSearchParams({ next: '/dashboard?tab=profile' })}`);
    await expect(page).toHaveURL('/dashboard?tab=profile');
  });

  test('leads to the page that sent somebody here after a sign-up', async ({ page }) => {
    await page.goto(`/auth?${new URLSearchParams({ next: '/scan' })}`);
    await page.getByRole('tab', { name: 'Sign Up' }).click();
    await fillSignUp(page);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await expect(page).toHaveURL('/scan');
  });

  test('never leads to another site after a login', async ({ page, backstage }) => {
    const customer = await backstage.customer();
    await page.goto(`/auth?${new URLSearchParams({ next: HOSTILE[0] ?? '' })}`);
    await logInByForm(page, customer);
    await expect(page).toHaveURL('/dashboard');
    await expect(page.getByText('No Transactions Yet')).toBeVisible();
  });

  test('never leads to another site for whoever is logged in already', async ({
    page,
    backstage,
    logInAs,
  }) => {
    await logInAs(await backstage.customer());
    for (const next of HOSTILE) {
      await page.goto(`/auth?${new URLSearchParams({ next })}`);
      await expect(page, next).toHaveURL('/dashboard');
      await expect(page.getByRole('heading', { level: 1, name: /^Welcome/ })).toBeVisible();
      await expect(page).toHaveTitle('Dashboard · Tipwell');
    }
  });
});
