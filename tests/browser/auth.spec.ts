/**
 * Login and sign-up: what the forms ask for, what they refuse and how they say it, and where they lead
 * afterwards.
 */
import type { Locator, Page } from '@playwright/test';
import { isTakenOver } from '../support/taken-over.ts';
import {
  expect,
  holdAnswers,
  holdScripts,
  logInByForm,
  loseAnswer,
  newName,
  openEarly,
  PASSWORD,
  storedToken,
  test,
  toast,
} from './fixtures.ts';
import { proceedWith } from './tipping.ts';

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
const SIGN_UP = '/auth?tab=sign-up';
const SIGN_UP_OF_GIVER = `${SIGN_UP}&next=%2Ftip%2Fdemo-alex-bartender`;
const PROVIDER_BOX = 'I am a service provider (will receive tips)';

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
  await page.goto(SIGN_UP);
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

function toastsOf(page: Page): Locator {
  return page.getByRole('region', { name: /^Notifications/ }).getByRole('listitem');
}

async function expectUnder(field: Locator, sentence: string) {
  await expect(field).toHaveAccessibleDescription(
    new RegExp(`(^|\\. )${sentence.replace(/[.()]/g, '\\$&')}$`),
  );
  await expect(field).toHaveAttribute('aria-invalid', 'true');
}

test('the page has two tabs', async ({ page }) => {
  const login = page.getByRole('tab', { name: 'Login' });
  const signUp = page.getByRole('tab', { name: 'Sign Up' });
  const fields = fieldsOf(page);

  await test.step('under "Welcome", Login first', async () => {
    await page.goto('/auth');
    await expect(page).toHaveTitle('Login or Sign Up · Tipwell');
    await expect(page.getByRole('heading', { name: 'Welcome' })).toBeVisible();
    await expect(page.getByRole('tab')).toHaveText(['Login', 'Sign Up']);
    await expect(login).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('button', { name: 'Login', exact: true })).toBeVisible();
    await expect(page.getByRole('textbox')).toHaveCount(2);
    const lineOf = (tab: Locator) => tab.evaluate((it) => getComputedStyle(it).borderBottomColor);
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await lineOf(login)).not.toBe(await lineOf(signUp));
    await page.emulateMedia({ forcedColors: 'none' });
  });

  await test.step('which tell browsers and password managers what each field is for', async () => {
    await expect(fields.email).toHaveAttribute('type', 'email');
    // The email is the name of the login: what a browser keeps at the sign-up, it fills in at the login.
    await expect(fields.email).toHaveAttribute('autocomplete', 'username');
    await expect(fields.password).toHaveAttribute('autocomplete', 'current-password');
    await signUp.click();
    await expect(page.getByRole('textbox')).toHaveCount(5);
    await expect(page.getByRole('button', { name: 'Create Account' })).toBeVisible();
    await expect(fields.email).toHaveAttribute('type', 'email');
    for (const [field, token] of [
      [fields.fullName, 'name'],
      [fields.username, 'nickname'],
      [fields.email, 'username'],
      [fields.phone, 'tel'],
      [fields.password, 'new-password'],
    ] as const) {
      await expect(field).toHaveAttribute('autocomplete', token);
    }
  });

  await test.step('which show and hide the password, without losing it', async () => {
    for (const tab of [login, signUp]) {
      await tab.click();
      const { password } = fields;
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

  await test.step('which keep what was typed while the other is looked at', async () => {
    await fields.username.fill('half-typed');
    await login.click();
    await expect(fields.username).toHaveCount(0);
    await signUp.click();
    await expect(fields.username).toHaveValue('half-typed');
  });

  await test.step('each at an address, which a reload keeps and which Back leaves at once', async () => {
    await page.getByRole('link', { name: 'Back to Home' }).click();
    await expect(page).toHaveURL('/');
    await page.getByRole('link', { name: 'Login', exact: true }).click();
    const open = page.getByRole('tab', { selected: true });
    await signUp.click();
    await expect(page).toHaveURL(SIGN_UP);
    await page.reload();
    await expect(open).toHaveText('Sign Up');
    await login.click();
    await expect(page).toHaveURL('/auth');
    await expect(open).toHaveText('Login');
    await page.goBack();
    await expect(page).toHaveURL('/');
  });
});

test('without JavaScript, leads to the other tab and home, and sends no form', async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL && { baseURL }) });
  const page = await context.newPage();
  await page.goto('/auth?next=/scan');
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(page).toHaveURL(`${SIGN_UP}&next=%2Fscan`);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await fillSignUp(page);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(page).toHaveURL(`${SIGN_UP}&next=%2Fscan`);
  expect(sent).toEqual([]);
  await page.getByRole('tab', { name: 'Login' }).click();
  await expect(page).toHaveURL('/auth?next=%2Fscan');
  await page.getByRole('link', { name: 'Back to Home' }).click();
  await expect(page).toHaveURL('/');
  await context.close();
});

test.describe('coming from a tip page', () => {
  test('somebody sees above the form which tip is waiting, also after a reload and after Back and Forward, whose tip it is while it has no amount, and without any tip that one comes next', async ({
    page,
    backstage,
  }) => {
    const code = await backstage.code(await backstage.provider(['bartender'], 'Marcus Reed'));
    const main = page.getByRole('main');
    await page.goto('/auth?next=/scan');
    await expect(page.getByText('Join the future of cashless tipping')).toBeVisible();
    await expect(page.getByText('your tip')).toHaveCount(0);
    await page.goto('/auth?next=/tip/demo-alex-bartender');
    await expect(main).toContainText('Your tip comes next');
    await expect(page.getByText('you go straight back to your tip.')).toBeVisible();

    // Codes may be typed in small letters.
    await page.goto(`/tip/${code.toLowerCase()}`);
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(main).toContainText('Your tip to Marcus Reed is waiting');
    await page.goBack();
    await proceedWith(page, '$20');
    for (const isReload of [false, true]) {
      if (isReload) await page.reload();
      const slip = page.getByText('is waiting').locator('xpath=ancestor::p');
      await expect(slip).toHaveText('$20.00 to Marcus Reed is waiting');
      await expect(page.getByText('you go straight to payment.')).toBeVisible();
      await expect(page.getByText('Simulated money: no real money moves.')).toBeVisible();
      const [above, form] = [await slip.boundingBox(), await page.getByLabel('Email').boundingBox()];
      expect(above?.y).toBeLessThan(form?.y ?? 0);
    }
    await page.getByRole('tab', { name: 'Login' }).click();
    await page.goBack();
    await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
    await page.goForward();
    await expect(main).toContainText('$20.00 to Marcus Reed is waiting');
    await page.getByRole('tab', { name: 'Login' }).click();
    await logInByForm(page, await backstage.customer());
    await expect(page.getByRole('button', { name: /^Pay \$21\.00/ })).toBeVisible();
  });

  test('somebody is asked last whether they are a provider, and anybody else first', async ({ page }) => {
    const box = page.getByRole('checkbox', { name: PROVIDER_BOX });
    const topOf = async (field: Locator) => (await field.boundingBox())?.y ?? 0;
    for (const [path, isLast] of [
      [SIGN_UP_OF_GIVER, true],
      [SIGN_UP, false],
    ] as const) {
      await page.goto(path);
      const { fullName } = fieldsOf(page);
      expect((await topOf(box)) > (await topOf(fullName)), path).toBe(isLast);
      await box.check();
      await page.getByRole('button', { name: 'Create Account' }).click();
      const services = page.getByRole('group', { name: 'Select all services you provide:' });
      await expect(isLast ? fullName : services.getByRole('checkbox').first(), path).toBeFocused();
    }
  });
});

test.describe('the username', () => {
  test('is proposed from the name as it is typed, until somebody types their own; services are asked of a provider', async ({
    page,
  }) => {
    const { fullName, username } = await openSignUp(page);
    await fullName.pressSequentially('Zoë O’Malley');
    await expect(username).toHaveValue('zoe.omalley');
    await username.press('End');
    await username.pressSequentially('1');
    await fullName.fill('Zoë Reed');
    await expect(username).toHaveValue('zoe.omalley1');
    await page.getByRole('tab', { name: 'Login' }).click();
    await page.getByRole('tab', { name: 'Sign Up' }).click();
    await fullName.fill('Zoë Reed-Hart');
    await expect(username).toHaveValue('zoe.omalley1');

    await username.fill('');
    await expect(username).toHaveValue('');
    await username.blur();
    await expect(username).toHaveValue('zoe.reed.hart');
    await fullName.fill('Zoë Hart');
    await expect(username).toHaveValue('zoe.hart');
    await fullName.fill('小林');
    await expect(username).toHaveValue('');

    await test.step('services are shown once chosen, and forgotten when the box is unchecked', async () => {
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
  });

  test('that was proposed and is taken gets other digits, three times at most, and nobody hears of it', async ({
    page,
    backstage,
    complaints,
  }) => {
    const word = newName('reed').replace('-', '');
    for (const digits of ['', '0042']) await backstage.customer({ username: `kim.${word}${digits}` });
    const fields = await openSignUp(page);
    const create = page.getByRole('button', { name: 'Create Account' });
    // Until the page is loaded anew, all digits that it draws are those that are taken.
    await page.evaluate(() => {
      Object.defineProperty(crypto, 'getRandomValues', { value: (numbers: Uint32Array) => numbers.fill(42) });
    });
    await fields.fullName.fill(`Kim ${word}`);
    await fields.email.fill(`${word}@example.com`);
    await fields.password.fill(PASSWORD);
    await create.click();
    await expectUnder(fields.username, 'This username is already taken.');
    await expect(fields.username).toHaveValue(`kim.${word}0042`);
    await expect(fields.username).toBeFocused();
    await expect(toastsOf(page)).toHaveCount(1);
    expect(complaints.splice(0)).toEqual(Array.from({ length: 4 }, () => expect.stringContaining('409')));

    await page.reload();
    await fields.fullName.fill(`Kim ${word}`);
    await fields.email.fill(`${word}@example.com`);
    await fields.password.fill(PASSWORD);
    const login = await holdAnswers(page, '**/trpc/auth.login*');
    await create.click();
    await expect(toast(page, 'Account created successfully! Please login.')).toBeVisible();
    await expect(toastsOf(page)).toHaveCount(1);
    await expect(fields.username).toHaveValue(new RegExp(`^kim[.]${word}[0-9]{4}$`));
    const username = await fields.username.inputValue();
    login.release();
    await expect(page).toHaveURL('/dashboard');
    const token = await storedToken(page);
    expect(await backstage.call('GET', '/auth/me', { token: token ?? '' })).toMatchObject({ username });
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  });
});

test.describe('the page', () => {
  test('refuses a login and a sign-up', async ({ page }) => {
    const fields = fieldsOf(page);
    const { email, password } = fields;
    const asked = await holdAnswers(page, '**/trpc/**');

    await test.step('a login with nothing in it, under each field, and focuses the first', async () => {
      await page.goto('/auth');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await expectUnder(email, 'Email is required.');
      await expectUnder(password, 'Password is required.');
      await expect(email).toBeFocused();
      await email.fill('sam@example.com');
      await expect(email).not.toHaveAttribute('aria-invalid', 'true');
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await expect(password).toBeFocused();
      await expect(email).toHaveValue('sam@example.com');
    });

    await test.step('a sign-up field by field, in words, and keeps what was typed', async () => {
      await openSignUp(page);
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
      await page.unroute('**/trpc/**');
    });

    await test.step('a sign-up with a password that is the username or the email', async () => {
      await fields.phone.fill('');
      const username = await fillSignUp(page);
      for (const text of [username.toUpperCase(), `${username}@example.com`]) {
        await password.fill(text);
        await page.getByRole('button', { name: 'Create Account' }).click();
        await expectUnder(password, 'Password must not be your email or your username.');
        await expect(password).toBeFocused();
      }
    });

    await test.step('a sign-up as a provider without a service, in a toast and under the services', async () => {
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
});

test.describe('what the server refuses', () => {
  test('is said under its field and in a toast: a taken email, a taken username, a common password; a sign-up whose answer was lost lets its owner in when it is sent again, as a customer where the box is unchecked, to the page that sent them', async ({
    page,
    backstage,
    complaints,
  }) => {
    const other = await backstage.customer();
    await page.goto('/auth?next=%2Fscan');
    await page.getByRole('tab', { name: 'Sign Up' }).click();
    const fields = fieldsOf(page);
    const username = await fillSignUp(page);
    await page.getByRole('checkbox', { name: PROVIDER_BOX }).check();
    await page.getByRole('checkbox', { name: 'DJ' }).check();
    await page.getByRole('checkbox', { name: PROVIDER_BOX }).uncheck();
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
        sentence: 'This password is too easy to guess. Use a few unrelated words, without names or years.',
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
      await expect(page).toHaveURL(`${SIGN_UP}&next=%2Fscan`);
      expect(complaints.splice(0)).toEqual([expect.stringContaining(status)]);
      await fields[name].fill(free);
    }

    await loseAnswer(page, 'auth.register');
    await create.click();
    await expect(page.getByRole('tabpanel').getByText('Registration failed.')).toBeVisible();
    await create.click();
    await expect(page).toHaveURL('/scan');
    expect(complaints.splice(0)).toHaveLength(2);
    const token = await storedToken(page);
    const me = await backstage.call('GET', '/auth/me', { token: token ?? '' });
    expect(me).toMatchObject({ is_service_provider: false, service_categories: [], phone: null });
  });

  test('is said alike for a wrong password and an unknown email, and so is a login without an answer, which can be sent again, and leads to the page that sent somebody here, with its own query', async ({
    page,
    backstage,
    complaints,
  }) => {
    const customer = await backstage.customer();
    const next = '/tip/demo-alex-barber?userId=sam&service=dj';
    const address = `/auth?${new URLSearchParams({ next })}`;
    await page.goto(address);
    const fields = fieldsOf(page);
    for (const [who, password] of [
      [customer.email, 'not the password'],
      ['nobody@example.com', PASSWORD],
    ] as const) {
      if (who !== customer.email) await page.reload();
      await fields.email.fill(who);
      await fields.password.fill(password);
      await page.getByRole('button', { name: 'Login', exact: true }).click();
      await expect(toast(page, 'Incorrect email or password.')).toBeVisible();
      await expect(page.getByRole('tabpanel').getByText('Incorrect email or password.')).toBeVisible();
      await expect(fields.email).toHaveValue(who);
      await expect(fields.password).toHaveValue(password);
      await expect(page).toHaveURL(address);
      expect(await storedToken(page)).toBeNull();
      expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
    }
    await page.route('**/trpc/auth.login*', (route) => route.abort());
    await logInByForm(page, customer);
    await expect(toast(page, 'Login failed. Please try again.')).toBeVisible();
    await expect(page.getByRole('tabpanel').getByText('Login failed. Please try again.')).toBeVisible();
    await expect(page).toHaveURL(address);
    await page.unroute('**/trpc/auth.login*');
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(page).toHaveURL(next);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')]);
  });
});

test('a sign-up without an answer says so, can be sent again, and leaves only the password to type when its login fails', async ({
  page,
  complaints,
}) => {
  await page.route('**/trpc/auth.register*', (route) => route.abort());
  await page.route('**/trpc/auth.login*', (route) => route.abort());
  await openSignUp(page);
  const username = await fillSignUp(page);
  await page.getByRole('button', { name: 'Create Account' }).click();
  await expect(toast(page, 'Registration failed. Please try again.')).toBeVisible();
  await expect(page.getByRole('tabpanel').getByText('Registration failed.')).toBeVisible();
  await expect(page.getByLabel('Username')).toHaveValue(username);
  await page.unroute('**/trpc/auth.register*');
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
  expect(complaints.splice(0)).toEqual([
    expect.stringContaining('ERR_FAILED'),
    expect.stringContaining('ERR_FAILED'),
  ]);
});

test.describe('getting in', () => {
  /** tests/client/paths.test.ts has all that a browser might take for another site. */
  const HOSTILE = '//evil.example';
  const authWith = (next: string) => `/auth?${new URLSearchParams({ next })}`;

  test('a login sends one request however often it is sent, also before the script has come, stores the token, says welcome, and never leads to another site', async ({
    page,
    backstage,
  }) => {
    const customer = await backstage.customer();
    await page.goto('/robots.txt');
    const release = await holdScripts(page);
    await openEarly(page, authWith(HOSTILE));
    const login = await holdAnswers(page, '**/trpc/auth.login*');
    const fields = fieldsOf(page);
    await fields.email.fill(customer.email);
    await fields.password.fill(PASSWORD);
    await fields.password.press('Enter');
    await page.getByRole('button', { name: 'Login', exact: true }).dblclick();
    expect(await page.evaluate(isTakenOver)).toBe(false);
    release();
    await expect.poll(login.asked).toBe(1);
    await page.getByRole('button', { name: 'Logging in...' }).dblclick({ force: true });
    await fields.password.press('Enter');
    login.release();
    await expect(page).toHaveURL('/dashboard');
    await expect(toast(page, `Welcome to Tipwell, ${customer.fullName}!`)).toBeVisible();
    await expect(page.getByText('No Transactions Yet')).toBeVisible();
    expect(login.asked()).toBe(1);
    const token = await storedToken(page);
    const me = await backstage.call('GET', '/auth/me', { token: token ?? '' });
    expect(me).toMatchObject({ username: customer.username });

    await test.step('nor does the page, for whoever is logged in already', async () => {
      await page.goto('/auth');
      await expect(page).toHaveURL('/dashboard');
      await page.goto(authWith('/dashboard?tab=profile'));
      await expect(page).toHaveURL('/dashboard?tab=profile');
      await page.goto(authWith(HOSTILE));
      await expect(page).toHaveURL('/dashboard');
      await expect(page.getByRole('heading', { level: 1, name: /^Welcome/ })).toBeVisible();
      await expect(page).toHaveTitle('Dashboard · Tipwell');
    });
  });

  test('a sign-up keeps all that is typed and ticked before the script has come, then shows the services, sends one request however often the button is pressed, and logs in by itself', async ({
    page,
    backstage,
  }) => {
    await page.goto('/robots.txt');
    const releaseScripts = await holdScripts(page);
    await openEarly(page, SIGN_UP);
    const fields = fieldsOf(page);
    const { phone, username: usernameField } = fields;
    const username = await fillSignUp(page);
    await usernameField.fill(username.toUpperCase());
    await phone.fill('+43 660 1234567');
    const box = page.getByRole('checkbox', { name: PROVIDER_BOX });
    await box.check();
    await expect(page.getByRole('group', { name: 'Select all services you provide:' })).toHaveCount(0);
    expect(await page.evaluate(isTakenOver)).toBe(false);
    releaseScripts();
    await page.getByRole('checkbox', { name: 'Live Event' }).check();
    await expect(box).toBeChecked();
    for (const [field, text] of [
      [fields.fullName, `Sam ${username}`],
      [usernameField, username.toUpperCase()],
      [fields.email, `${username}@example.com`],
      [phone, '+43 660 1234567'],
      [fields.password, PASSWORD],
    ] as const)
      await expect(field).toHaveValue(text);
    await page.getByRole('checkbox', { name: 'Nail Tech' }).check();
    const register = await holdAnswers(page, '**/trpc/auth.register*');
    const login = await holdAnswers(page, '**/trpc/auth.login*');
    await page.getByRole('button', { name: 'Create Account' }).dblclick();
    await page.getByRole('button', { name: 'Creating Account...' }).click({ force: true });
    await usernameField.press('Enter');
    register.release();
    const created = toast(page, 'Account created successfully! Please login.');
    await expect(created).toBeVisible();
    await expect(toastsOf(page)).toHaveCount(1);
    login.release();
    await expect(toast(page, `Welcome to Tipwell, Sam ${username}!`)).toBeVisible();
    // At once, because any toast goes away in the end.
    expect(await created.count()).toBe(0);
    expect(await toastsOf(page).count()).toBe(1);
    await expect(page).toHaveURL('/dashboard');
    expect(register.asked()).toBe(1);
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
});
