/**
 * What stands in the way of a tip that is paid at Stripe, as its stand-in plays it; and what is said of money
 * that is real.
 */
import { startStripe } from '../support/stripe/stand-in.ts';
import { expect, logInByForm, loseAnswer, toast } from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import {
  atStripe,
  goToStripe,
  payButton,
  quick,
  sessionAt,
  success,
  test,
  waiting,
} from './stripe-fixtures.ts';
import { payTip, proceedWith } from './tipping.ts';

// In one worker, which starts their server once.
test.describe.configure({ mode: 'default' });

test('while Stripe is down, its answer is lost, or an owner cannot be paid nothing is charged; the same attempt goes on afterwards', async ({
  page,
  backstage,
  server,
  deliver,
  payableSides,
  logInAs,
  stripe,
  complaints,
}) => {
  await test.step('a code whose owner cannot be paid yet says so', async () => {
    const { provider, code } = await backstage.bothSides();
    expect(await (await fetch(`${server.url}/tip/${code}`)).text()).toContain(
      'Its owner’s dashboard says why.',
    );
    await page.goto(`/tip/${code}`);
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
    await expect(page.getByText('Its owner’s dashboard says why.')).toBeVisible();
    await expect(page.getByRole('group', { name: 'Choose an amount' })).toHaveCount(0);
    await picture(page, '09-unpayable');
    await expectForEverybody(page, 'unpayable');
  });

  const { code, customer, accountId } = await payableSides();
  await logInAs(customer);
  stripe.fail(() => ({ is: 'status', status: 503 }));
  await page.goto(`/tip/${code}`);
  await payTip(page, '$20');
  await expect(toast(page, /^The payment service does not answer/)).toBeVisible();
  await expect(quick(page, '$20')).toBeChecked();
  await picture(page, '07-stripe-down');
  expect(complaints.splice(0)).toEqual([expect.stringContaining('503')]);
  const sessions = stripe.sessions.size;
  stripe.fail(() => null);
  await loseAnswer(page, 'transactions.create');
  await page.getByRole('button', { name: 'Proceed' }).click();
  await payButton(page).click();
  await expect(page.getByRole('alert')).toContainText('it is never charged twice');
  complaints.length = 0;
  await page.getByRole('button', { name: 'Retry' }).click();
  await payButton(page).click();
  await atStripe(page);
  const session = sessionAt(page);
  expect(stripe.sessions.size).toBe(sessions + 1);

  // Back while it is down: what is not known is waited for, and cannot be given up.
  stripe.fail(() => ({ is: 'status', status: 503 }));
  stripe.pay(session);
  await page.goto(stripe.sessions.get(session)?.cancelUrl ?? '');
  await expect(waiting(page)).toBeVisible();
  await page.getByRole('button', { name: 'Choose Another Amount' }).click();
  await expect(toast(page, /^The payment service does not answer/)).toBeVisible();
  await expect(waiting(page)).toBeVisible();
  stripe.fail(() => null);
  await expect(success(page)).toBeVisible();
  expect(complaints.splice(0).filter((complaint) => !/503|request to/.test(complaint))).toEqual([]);

  await test.step('one whose owner cannot be paid any more takes nothing', async () => {
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    stripe.restrictAccount(accountId);
    await deliver();
    await payButton(page).click();
    await expect(toast(page, 'Tips cannot be taken here yet. Nothing was charged.')).toBeVisible();
    await expect(quick(page, '$20')).toBeChecked();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  });
});

test("nobody sees somebody else's payment, nor one that never was; whoever was logged out logs in and is told", async ({
  page,
  browser,
  backstage,
  payableSides,
  logInAs,
  stripe,
  server,
  complaints,
}) => {
  const { provider, code, customer } = await payableSides();
  await logInAs(customer);
  const session = await goToStripe(page, code);
  const { successUrl = '' } = stripe.sessions.get(session) ?? {};
  const context = await browser.newContext({ baseURL: server.url });
  const elsewhere = await context.newPage();
  await elsewhere.goto('/offline');
  for (const [{ token }, url] of [
    [await backstage.customer(), successUrl],
    [provider, successUrl],
    [customer, `${successUrl}x`],
  ] as const) {
    await elsewhere.evaluate((stored) => localStorage.setItem('tipwell_token', stored), token);
    await elsewhere.goto(url);
    await expect(toast(elsewhere, 'There is no payment of yours at this address')).toBeVisible();
    await expect(elsewhere.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
    await expect(elsewhere).toHaveURL(new RegExp(`/tip/${code}$`));
  }
  expect(stripe.sessions.get(session)?.status).toBe('open');

  stripe.pay(session);
  await elsewhere.evaluate(() => localStorage.clear());
  await elsewhere.goto(successUrl);
  await expect(
    elsewhere.getByRole('heading', { name: 'Login to see what became of your payment' }),
  ).toBeVisible();
  await picture(elsewhere, '08-login');
  await elsewhere.getByRole('link', { name: 'Login', exact: true }).click();
  await logInByForm(elsewhere, customer);
  await expect(success(elsewhere)).toBeVisible();
  await context.close();
  expect(complaints.splice(0).filter((complaint) => !complaint.startsWith('request to'))).toEqual([]);
});

test('the receipt says what became of a payment, which outlives its code, and is given up by who leaves it then, so that nobody pays it later', async ({
  page,
  backstage,
  payableSides,
  logInAs,
  stripe,
  server,
  complaints,
}) => {
  const { provider, code, customer } = await payableSides();
  const { token } = provider;
  await logInAs(customer);
  const replace = (former: string) => backstage.call('POST', `/qr-codes/${former}/replacement`, { token });
  const sent = page.getByRole('heading', { name: 'Tip sent', exact: true });
  const notSent = page.getByRole('heading', { name: 'Tip not sent' });
  const notPaidYet = page.getByRole('heading', { name: 'Tip not paid yet' });

  await test.step('that it waits, and that it was given up', async () => {
    const session = await goToStripe(page, code);
    const { successUrl = '', cancelUrl = '' } = stripe.sessions.get(session) ?? {};
    const receipt = `${server.url}/transactions/${new URL(successUrl).searchParams.get('payment')}`;
    await page.goto(receipt);
    await expect(notPaidYet).toBeVisible();
    await picture(page, '10-receipt-pending');
    await expectForEverybody(page, 'receipt of a payment that waits');
    await page.getByRole('link', { name: 'Finish paying' }).click();
    await atStripe(page);
    await page.goto(cancelUrl);
    await expect(quick(page, '$20')).toBeChecked();
    await page.goto(receipt);
    await expect(notSent).toBeVisible();
    await expect(page.getByText('nothing was charged')).toBeVisible();
    await picture(page, '11-receipt-expired');
    await expectForEverybody(page, 'receipt of a payment that was given up');
  });

  const left = await goToStripe(page, code);
  const newCode = await replace(code);
  await page.goto(stripe.sessions.get(left)?.cancelUrl ?? '');
  await expect(notSent).toBeVisible();
  expect(stripe.sessions.get(left)?.status).toBe('expired');

  const session = await goToStripe(page, newCode.id);
  await replace(newCode.id);
  const { successUrl = '' } = stripe.sessions.get(session) ?? {};
  await page.goto(successUrl);
  await expect(notPaidYet).toBeVisible();
  await page.getByRole('link', { name: 'Finish paying' }).click();
  await atStripe(page);
  expect(sessionAt(page)).toBe(session);
  await page.goto(successUrl);
  await expect(notPaidYet).toBeVisible();
  stripe.pay(session);
  await expect(sent).toBeVisible();
  await expect(page.getByText('Test money: no real money moves.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Take Back' })).toBeVisible();
  await picture(page, '12-receipt-paid');
  await page.goto(successUrl);
  await expect(success(page)).toBeVisible();
  expect(complaints.splice(0).filter((complaint) => !/410|request to/.test(complaint))).toEqual([]);
});

test('a tip that Stripe could not be asked to give back is said to be on its way, until Stripe has answered', async ({
  page,
  backstage,
  payableSides,
  logInAs,
  stripe,
  deliver,
  complaints,
}) => {
  const { provider, code, customer } = await payableSides();
  const dialog = page.getByRole('dialog');
  const body = { receiver_qr_id: code, amount: 20, service_category: 'bartender' };
  const { payment_url } = await backstage.call('POST', '/transactions', { token: customer.token, body });
  stripe.pay(new URL(payment_url).pathname.split('/').at(-1) ?? '');
  await deliver();
  stripe.capture([...stripe.charges.keys()].at(-1) ?? '');
  await deliver();
  const [tip] = await backstage.transactions(provider);
  await logInAs(provider);
  await page.goto(`/transactions/${tip?.id}`);
  const refund = page.getByRole('button', { name: 'Refund' });
  await refund.click();
  stripe.fail(() => ({ is: 'status', status: 503 }));
  await dialog.getByRole('button', { name: 'Refund' }).click();
  await expect(dialog.getByRole('alert')).toContainText('until the tip is refunded or it refuses.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  // Both people are told, also after a reload, until the payment service has answered.
  for (const { token } of [customer, provider]) {
    await page.evaluate((own) => localStorage.setItem('tipwell_token', own), token);
    await page.reload();
    await expect(page.getByText(/^A refund was asked for at /)).toBeVisible();
    await expect(page.getByText('Refund pending', { exact: true })).toBeVisible();
  }
  await page.getByRole('link', { name: 'Transactions' }).click();
  await expect(
    page.getByRole('listitem').getByText(/^Refund pending: A refund was asked for at /),
  ).toBeVisible();
  await page.getByRole('listitem').getByRole('button', { name: /^More/ }).click();
  await page.getByRole('menuitem', { name: 'Refund...' }).click();
  // Keeping the tip is no choice any more.
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.goBack();
  await refund.click();
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeVisible();
  const refused = { is: 'refused', status: 400, message: 'No', code: 'balance_insufficient' } as const;
  stripe.fail(({ path, method }) => (method === 'POST' && path === '/refunds' ? refused : null));
  await dialog.getByRole('button', { name: 'Refund' }).click();
  await expect(toast(page, /^The payment service has refused to give this tip back/)).toBeVisible();
  await expect(page.getByText('You can give this tip back.')).toBeVisible();
  await expect(page.getByText(/^A refund was asked for/)).toHaveCount(0);
  await refund.click();
  await expect(dialog.getByRole('button', { name: 'Keep It' })).toBeVisible();
  stripe.fail(() => null);

  await test.step('to a giver, whom nobody asks to keep it given', async () => {
    await page.evaluate((token) => localStorage.setItem('tipwell_token', token), customer.token);
    const session = await goToStripe(page, code);
    stripe.pay(session);
    await page.goto(stripe.sessions.get(session)?.successUrl ?? '');
    await expect(success(page)).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(dialog.getByRole('button', { name: 'Keep It' })).toBeVisible();
    stripe.fail(() => ({ is: 'status', status: 503 }));
    await dialog.getByRole('button', { name: 'Take Back' }).click();
    await expect(dialog.getByRole('alert')).toContainText('until the tip is taken back or it refuses.');
    await expect(dialog.getByRole('button', { name: 'Keep It' })).toHaveCount(0);
    await expectForEverybody(page, 'a tip that is being taken back');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toHaveCount(0);
  });
  complaints.splice(0);
});

test('nothing can be tapped until the page of Stripe is there, and Back or a page that the browser has kept shows that the payment waits', async ({
  page,
  payableSides,
  logInAs,
  stripe,
}) => {
  const { code, customer } = await payableSides();
  await logInAs(customer);
  await page.route(`${stripe.url}/**`, () => {});
  const asked = page.waitForRequest(`${stripe.url}/**`);
  await page.goto(`/tip/${code}`);
  await proceedWith(page, '$20');
  await payButton(page).click({ noWaitAfter: true });
  await asked;
  // The step is cut short, because the page is loaded anew.
  await page.goBack({ waitUntil: 'commit' }).catch(() => {});
  await expect(waiting(page)).toBeVisible();
  await page.unroute(`${stripe.url}/**`);
  await page.getByRole('button', { name: 'Go On to Payment' }).click();
  await atStripe(page);
  // Given up, so that the next tap asks for another.
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(quick(page, '$20')).toBeChecked();

  let stopWaiting = () => {};
  const isTappedEnough = new Promise<void>((resolve) => {
    stopWaiting = resolve;
  });
  await page.route(`${stripe.url}/**`, async (route) => {
    await isTappedEnough;
    await route.abort('aborted');
  });
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  const seen = new Set<string>();
  let taps = 0;
  await page.exposeFunction('tapped', (buttons: string) => {
    seen.add(buttons);
    if (sent.some((url) => url.startsWith(stripe.url))) taps += 1;
    if (taps > 3) stopWaiting();
  });
  await page.getByRole('button', { name: 'Proceed' }).click();
  await expect(payButton(page)).toBeVisible();
  // It runs in the page, because Playwright waits for the navigation.
  await page.evaluate(() => {
    const timer = setInterval(() => {
      const buttons = [...document.querySelectorAll<HTMLElement>('section[aria-busy=true] button')];
      if (buttons.length === 0) return;
      for (const button of buttons) button.click();
      const texts = buttons.map((button) => `${button.textContent} ${button.getAttribute('aria-disabled')}`);
      Reflect.get(window, 'tapped')(texts.join());
    }, 100);
    window.addEventListener('pageshow', () => clearInterval(timer));
  });
  await payButton(page).click({ noWaitAfter: true });
  await isTappedEnough;
  expect([...seen]).toEqual(['Add a Message true,Change Amount true,Processing payment... true']);
  expect(sent.filter((url) => url.includes('transactions.create'))).toHaveLength(1);
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await expect(waiting(page)).toBeVisible();
});

const live = test.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from the pattern
  stripe: async ({}, use) => {
    const stripe = await startStripe({ secretKey: 'sk_live_standin' });
    await use(stripe);
    await stripe.stop();
  },
});

live(
  'where money moves nothing says that it does not, and the way to Stripe is told',
  async ({ page, payableSides, logInAs }) => {
    const { code, customer } = await payableSides();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    const notes = page.getByText(/money moves|simulated|test/i);
    await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
    await expect(notes).toHaveCount(0);
    await proceedWith(page, '$20');
    await expect(page.getByText('Next you pay at Stripe, by card or mobile wallet')).toBeVisible();
    await expect(notes).toHaveCount(0);
    await picture(page, '13-payment-live');
    await payButton(page).click();
    await page.getByRole('link', { name: 'Pay', exact: true }).click();
    await expect(success(page)).toBeVisible();
    await expect(notes).toHaveCount(0);
    await page.getByRole('link', { name: 'Receipt', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Tip sent' })).toBeVisible();
    await expect(notes).toHaveCount(0);

    await page.goto('/tip/demo-alex-bartender');
    await proceedWith(page, '$20');
    await expect(page.getByText('This is a simulated payment; no money moves.')).toBeVisible();
  },
);
