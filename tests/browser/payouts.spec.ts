/**
 * How a provider comes to be paid through Stripe, as its stand-in plays it; and that every page says so where
 * payments are a test.
 */
import type { Page } from '@playwright/test';
import type { StripeStandIn } from '../support/stripe/stand-in.ts';
import { test as base, expect, holdAnswers, openEarly, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import { test } from './stripe-fixtures.ts';

const card = (page: Page) => page.getByRole('region', { name: 'Get paid' });

function accountOf(stripe: StripeStandIn, { email }: { readonly email: string }) {
  const account = [...stripe.accounts.values()].find((one) => one.email === email);
  if (!account) throw new Error(`${email} has no account`);
  return account;
}

// In one worker, which starts their server once.
test.describe.configure({ mode: 'default' });

/** Until Stripe's page is there, past what it refuses and what it does not answer. */
async function chooseCountry(page: Page, stripe: StripeStandIn, complaints: string[]): Promise<void> {
  // The browser's language names a region; somebody elsewhere chooses, and nobody goes on without a country.
  const country = card(page).getByRole('combobox', { name: 'Country' });
  const goOn = card(page).getByRole('button', { name: 'Continue to Stripe' });
  await expect(country).toBeFocused();
  await expect(country).toHaveValue('US');
  await expect(country).toHaveAccessibleDescription(/can’t be changed later/);
  await country.selectOption('Choose your country');
  await goOn.click();
  await expect(card(page).getByRole('alert')).toHaveText('Choose your country.');
  // An account in a country with another currency would be transferred other sums than those of the ledger.
  await expect(country.getByRole('option')).toHaveText(['Choose your country', 'United States']);
  await country.selectOption('United States');
  await expectForEverybody(page, 'country');
  await picture(page, 'payouts-02-country');
  const message = 'Accounts in US cannot be opened by this platform.';
  stripe.fail(({ path, method }) =>
    method === 'POST' && path.endsWith('/accounts') ? { is: 'refused', status: 400, message } : null,
  );
  await goOn.click();
  await expect(card(page).getByRole('alert')).toHaveText(`Stripe says: ${message}`);
  expect(complaints.splice(0).every((complaint) => complaint.includes('422'))).toBe(true);
  stripe.fail(() => ({ is: 'status', status: 500 }));
  await goOn.click();
  await expect(
    toast(page, 'The payment service does not answer at the moment. Please try again.'),
  ).toBeVisible();
  expect(complaints.splice(0).every((complaint) => complaint.includes('503'))).toBe(true);
  stripe.fail(() => null);
  await goOn.press('Enter');
  await expect(page.getByRole('heading', { name: 'Tell us more' })).toBeVisible();
}

test('a provider is told what Stripe asks for and decides, without a reload, breaks off, goes on and is paid; what fails is said and tried again', async ({
  page,
  stripe,
  backstage,
  logInAs,
  server,
  deliver,
  complaints,
}) => {
  const provider = await backstage.provider();
  const code = await backstage.code(provider);
  await logInAs(provider);
  await test.step('a standing that could not be loaded can be asked for again', async () => {
    await page.route(/payments\.payoutStatus/, (route) => route.abort());
    await page.goto('/dashboard');
    const problem = page.getByRole('alert').filter({ hasText: 'Your payouts could not be loaded' });
    await expect(problem).toBeVisible();
    await page.unroute(/payments\.payoutStatus/);
    await problem.getByRole('button', { name: 'Retry' }).click();
    await expect(card(page)).toContainText('Until then nobody can tip you.');
    expect(complaints.splice(0).filter((complaint) => !complaint.includes('ERR_FAILED'))).toEqual([]);
  });
  await expectForEverybody(page, 'not begun');
  await picture(page, 'payouts-01-not-begun');
  await card(page).getByRole('button', { name: 'Set Up Payouts' }).click();

  await chooseCountry(page, stripe, complaints);

  const status = card(page).getByRole('status');
  const missing = card(page).getByRole('listitem');
  const account = accountOf(stripe, provider);
  await test.step('whoever breaks off is told what is missing, and what Stripe asks for by now', async () => {
    await page.getByRole('link', { name: 'Later' }).click();
    await page.waitForURL(`${server.url}/dashboard?payouts=back`);
    await expect(status).toHaveText(/Nobody can tip you right now\. .*Stripe still asks for:$/);
    await expect(missing).toHaveText(['a bank account', 'a photo of your ID']);
    await picture(page, 'payouts-03-missing');
    account.currentlyDue = [
      'business_profile.mcc',
      'business_profile.url',
      'tos_acceptance.date',
      'tos_acceptance.ip',
      'individual.dob.day',
      'individual.ssn_last_4',
      'something.of.tomorrow',
    ];
    await expect(missing).toHaveText([
      'what kind of work you do',
      'a web address for your work',
      'your agreement with Stripe',
      'your date of birth',
      'your tax number',
      'other details, which Stripe’s page names',
    ]);
    await expectForEverybody(page, 'more is missing');
    await picture(page, 'payouts-06-more-is-missing');
  });

  await test.step('whoever goes on is told what Stripe decides', async () => {
    await card(page).getByRole('button', { name: 'Continue at Stripe' }).click();
    await expect(page.getByRole('heading', { name: 'Tell us more' })).toBeVisible();
    account.currentlyDue = [];
    account.disabledReason = 'requirements_pending_verification';
    await page.getByRole('link', { name: 'Later' }).click();
    await page.waitForURL(`${server.url}/dashboard?payouts=back`);
    await expect(status).toHaveText(
      'Nobody can tip you right now. Stripe is checking your details. This can take some days.',
    );
    // Before the page asks again, and with it the server for the balance, somebody has tipped.
    const answers = await holdAnswers(page, /payments\.payoutStatus/);
    await expect.poll(answers.asked).toBe(1);
    stripe.enable(account.id);
    await deliver();
    expect((await backstage.call('GET', `/qr-codes/${code}`)).qr_code.is_payable).toBe(true);
    const { token } = await backstage.customer();
    const tip = { receiver_qr_id: code, amount: 20, service_category: 'bartender' };
    const { payment_url } = await backstage.call('POST', '/transactions', { token, body: tip });
    stripe.pay(new URL(payment_url).pathname.split('/').at(-1) ?? '');
    await deliver();
    stripe.capture([...stripe.charges.keys()].at(-1) ?? '');
    await deliver();
    stripe.emptyAccount(account.id);
    answers.release();
    await expect(status).toHaveText(/^You can be paid\./);
    await expect(missing).toHaveCount(0);
    await expect(card(page)).toContainText(/Next payout\$19\.40 on [A-Z][a-z]+, [A-Z][a-z]+ \d/);
  });
  await expectForEverybody(page, 'enabled');
  await picture(page, 'payouts-04-enabled');

  // Afterwards it is in nobody's way, and stays within reach.
  await page.getByRole('tab', { name: 'Profile' }).click();
  await expect(page.getByText(provider.email)).toBeVisible();
  await expect(card(page)).toHaveCount(1);
  await page.getByRole('tab', { name: 'QR Codes' }).click();
  await expect(page.getByRole('heading', { name: 'Bartender' })).toBeVisible();
  await expect(card(page)).toHaveCount(0);
  await page.getByRole('tab', { name: 'Profile' }).click();
  await picture(page, 'payouts-05-profile');
  await card(page).getByRole('button', { name: 'Payouts at Stripe' }).click();
  await page.waitForURL(`${stripe.url}/express/${account.id}`);
  await page.goBack();
  await expect(card(page).getByRole('button', { name: 'Payouts at Stripe' })).toBeEnabled();
});

test('a customer is asked nothing until they become a provider, who is told first of services that are not paid, and keeps an account', async ({
  page,
  backstage,
  stripe,
  deliver,
  logInAs,
}) => {
  const customer = await backstage.customer();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await logInAs(customer);
  await page.goto('/dashboard?tab=profile&open=services');
  await expect(page.getByRole('heading', { name: 'Start earning tips' })).toBeVisible();
  expect(asked.filter((url) => /payoutStatus|\/payouts-/.test(url))).toEqual([]);

  const setUp = card(page).getByRole('button', { name: 'Set Up Payouts' });
  await page.getByRole('checkbox', { name: 'Bartender' }).check();
  await page.getByRole('button', { name: 'Become a Service Provider' }).click();
  await expect(toast(page, 'You are a service provider now. Set up how you get paid.')).toBeVisible();
  await expect(setUp).toBeVisible();

  const { token } = customer;
  const offerOnly = (category: string) =>
    backstage.call('PATCH', '/auth/me', { token, body: { service_categories: [category] } });
  await offerOnly('escort');
  await page.goto('/dashboard?tab=profile&open=services');
  await expect(card(page)).toContainText(
    'Escort is not paid through Stripe here: no tips can be taken for it.',
  );
  await expect(card(page).getByRole('button')).toHaveCount(0);
  await picture(page, 'payouts-07-excluded');
  await page.getByText('Add a service').click();
  await page.getByRole('checkbox', { name: 'Bartender' }).check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(setUp).toBeVisible();
  await expect(card(page)).toContainText('Escort is not paid through Stripe here');

  await test.step('an account stays within reach when none of the services is paid through Stripe any more', async () => {
    await setUp.press('Enter');
    await card(page).getByRole('button', { name: 'Continue to Stripe' }).click();
    await expect(page.getByRole('heading', { name: 'Tell us more' })).toBeVisible();
    const { id } = accountOf(stripe, customer);
    stripe.enable(id);
    await deliver();
    await offerOnly('escort');
    await page.goto('/dashboard?tab=profile');
    await expect(card(page)).toContainText('Escort is not paid through Stripe here');
    await expect(card(page).getByRole('status')).toHaveText(/^You can be paid\./);
    await expect(card(page)).toContainText(/Paid out\s*Every Wednesday/);
    await expectForEverybody(page, 'no service left');
    await card(page).getByRole('button', { name: 'Payouts at Stripe' }).click();
    await page.waitForURL(`${stripe.url}/express/${id}`);

    stripe.restrictAccount(id);
    await deliver();
    await page.goto('/dashboard');
    await card(page).getByRole('button', { name: 'Continue at Stripe' }).click();
    await expect(page.getByRole('heading', { name: 'Tell us more' })).toBeVisible();
  });
});

test('every page says that no real money moves', async ({ page, backstage, logInAs, complaints }) => {
  const { provider, code } = await backstage.bothSides();

  const ribbon = page.getByRole('complementary', { name: 'Payments' });

  async function expectRibbon(path: string, open: (path: string) => Promise<unknown> = page.goto) {
    await open(path);
    await expect(page.getByRole('heading').first()).toBeVisible();
    await expect(ribbon).toHaveText('Test mode: no real money moves.');
    await expect(ribbon).toBeInViewport({ ratio: 1 });
    // It covers nothing: the screen begins below it.
    const { y = 0, height = 0 } = (await ribbon.boundingBox()) ?? {};
    expect((await page.locator('#root').boundingBox())?.y, path).toBeGreaterThanOrEqual(y + height);
    await page.emulateMedia({ media: 'print' });
    await expect(ribbon).toBeHidden();
    await page.emulateMedia({ media: null });
  }

  for (const path of ['/', '/auth', `/tip/${code}`, '/nowhere']) await expectRibbon(path);
  expect(complaints.splice(0).filter((complaint) => !complaint.includes('404'))).toEqual([]);
  // It has no script that would have to be waited for.
  await expectRibbon('/offline', (path) => openEarly(page, path));
  await expectForEverybody(page, '/offline');
  await logInAs(provider);
  for (const path of [`/dashboard?show=${code}`, '/statement', '/scan']) await expectRibbon(path);
});

base(
  'nothing is said, asked or loaded where payments are simulated',
  async ({ page, backstage, logInAs }) => {
    const { provider, code } = await backstage.bothSides();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    for (const path of ['/', '/auth', `/tip/${code}`]) {
      await page.goto(path);
      await expect(page.getByRole('heading').first()).toBeVisible();
      await expect(page.getByText('Test mode')).toHaveCount(0);
    }
    await logInAs(provider);
    await page.goto('/dashboard?payouts=back');
    for (const tab of ['QR Codes', 'Profile']) {
      await page.getByRole('tab', { name: tab }).click();
      await expect(page.getByRole('tabpanel').getByRole('heading').first()).toBeVisible();
      await expect(card(page)).toHaveCount(0);
      await expect(page.getByText('Test mode')).toHaveCount(0);
    }
    expect(asked.filter((url) => /payments\.|payouts-/.test(url))).toEqual([]);
  },
);
