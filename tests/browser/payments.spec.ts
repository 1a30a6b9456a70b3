/**
 * The way of a giver who pays at Stripe, as its stand-in plays it: there, back, and whatever is heard of it
 * meanwhile.
 */
import { expect, holdAnswers, type Person, toast } from './fixtures.ts';
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
  tipsOf,
  waiting,
} from './stripe-fixtures.ts';
import { payTip, proceedWith } from './tipping.ts';

const FAILED = 'Payment failed. Please try again.';
const SENT = /^Tip sent successfully! \$20\.00 sent to /;

// In one worker, which starts their server once.
test.describe.configure({ mode: 'default' });

test('a tip paid at Stripe is given once, and Back leads to no pay button; who leaves Stripe keeps the amount, and pays anew, also after a bad card', async ({
  page,
  backstage,
  payableSides,
  logInAs,
  stripe,
  deliver,
}) => {
  const { code, customer } = await payableSides();
  await logInAs(customer);
  await page.goto(`/tip/${code}`);
  await expect(page.getByText('Test money: no real money moves.')).toBeVisible();
  await picture(page, '01-amounts');
  await proceedWith(page, '$20');
  await expect(page.getByText('Next you pay at Stripe with test money')).toBeVisible();
  await picture(page, '02-payment');
  await expectForEverybody(page, 'before Stripe');
  await page.getByRole('button', { name: 'Pay $21.00 at Stripe' }).click();
  await page.getByRole('link', { name: 'Pay', exact: true }).click();

  await expect(success(page)).toBeVisible();
  await expect(toast(page, SENT)).toHaveCount(1);
  const [id] = await tipsOf(backstage, customer);
  await page.waitForURL(`/tip/${code}?paid=${id}`);
  await expect(page.getByText('Test money: no real money moves.')).toBeVisible();
  await picture(page, '03-paid');
  await deliver();
  await page.reload();
  await expect(success(page)).toBeVisible();
  await expect(toast(page, SENT)).toHaveCount(0);

  await page.goBack();
  await expect(page.getByRole('heading', { name: 'This page has expired' })).toBeVisible();
  await page.goBack();
  await expect(success(page)).toBeVisible();
  await expect(payButton(page)).toHaveCount(0);
  await page.goBack();
  await expect(page.getByText('Your tip of $20.00 was sent.')).toBeVisible();
  await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
  await expect(toast(page, SENT)).toHaveCount(0);
  await page.goForward();
  await expect(success(page)).toBeVisible();
  expect(await tipsOf(backstage, customer)).toEqual([id]);
  expect(stripe.charges.size).toBeGreaterThanOrEqual(1);

  await test.step('who leaves without paying cannot pay there any more', async () => {
    const left = await goToStripe(page, code);
    await page.getByRole('link', { name: 'Back' }).click();
    await expect(quick(page, '$20')).toBeChecked();
    await expect(toast(page, FAILED)).toHaveCount(1);
    await page.waitForURL(`/tip/${code}`);
    expect(stripe.sessions.get(left)?.status).toBe('expired');
    await picture(page, '04-left');
    await page.reload();
    await expect(quick(page, '$20')).toBeChecked();
    await expect(toast(page, FAILED)).toHaveCount(0);

    await page.getByRole('button', { name: 'Proceed' }).click();
    await payButton(page).click();
    await atStripe(page);
    expect(sessionAt(page)).not.toBe(left);
    await page.getByRole('link', { name: 'Pay with a bad card' }).click();
    await page.getByRole('link', { name: 'Try Again' }).click();
    await page.getByRole('link', { name: 'Pay', exact: true }).click();
    await expect(success(page)).toBeVisible();
    expect(await tipsOf(backstage, customer)).toHaveLength(2);
  });

  await test.step('who has paid in another tab when they leave Stripe is told so', async () => {
    const session = await goToStripe(page, code);
    stripe.pay(session);
    await page.goto(stripe.sessions.get(session)?.cancelUrl ?? '');
    await expect(success(page)).toBeVisible();
    expect(await tipsOf(backstage, customer)).toHaveLength(3);
  });
});

test('a tip arrives though its giver closed the tab: the webhook event alone completes it, and a return after it gives no second one', async ({
  page,
  backstage,
  watchedSides,
  stripe,
  deliver,
}) => {
  const { dashboard, code, customer } = await watchedSides('/dashboard?tab=transactions');
  await expect(dashboard.getByText('No Transactions Yet')).toBeVisible();
  const session = await goToStripe(page, code);
  const giver = page.context();
  await page.close();
  stripe.pay(session);
  await expect(dashboard.getByText('No Transactions Yet')).toBeVisible();
  await deliver();
  await expect(dashboard.getByText('+$19.40').first()).toBeVisible();
  await picture(dashboard, '05-provider');
  const again = await giver.newPage();
  await again.goto(stripe.sessions.get(session)?.successUrl ?? '');
  await expect(success(again)).toBeVisible();
  await expect(toast(again, SENT)).toHaveCount(1);
  await deliver();
  await again.reload();
  await expect(success(again)).toBeVisible();
  expect(await tipsOf(backstage, customer)).toHaveLength(1);
});

test('Back from Stripe shows in every tab that the payment waits, leads there again, and gives it up', async ({
  page,
  backstage,
  payableSides,
  logInAs,
  stripe,
  complaints,
}) => {
  const { code, customer } = await payableSides();
  await logInAs(customer);
  const session = await goToStripe(page, code);
  await page.goBack();
  await expect(waiting(page)).toBeVisible();
  await expect(payButton(page)).toHaveCount(0);
  await picture(page, '06-waiting');
  await expectForEverybody(page, 'waiting');
  await page.reload();
  await expect(waiting(page)).toBeVisible();
  await page.getByRole('button', { name: 'Go On to Payment' }).click();
  await atStripe(page);
  expect(sessionAt(page)).toBe(session);
  await page.goBack();

  // The amount below leads to the payment that is open, and to no second one.
  await expect(waiting(page)).toBeVisible();
  await page.goBack();
  await proceedWith(page, '$30');
  await expect(waiting(page)).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect(waiting(other)).toBeVisible();

  const giveUp = page.getByRole('button', { name: 'Choose Another Amount' });
  await test.step('whoever gets no answer is told of the connection, and of no refusal', async () => {
    // A toast goes by itself, sooner than a slow machine looks for it.
    const toasted = await page.evaluateHandle(() => {
      const seen = { texts: '' };
      new MutationObserver(() => {
        seen.texts += document.getElementById('toasts')?.textContent ?? '';
      }).observe(document, { childList: true, subtree: true });
      return seen;
    });
    await page.route('**/trpc/*transactions.*', (route) => route.abort('connectionreset'));
    const failed = (call: string) =>
      page.waitForEvent('requestfailed', (request) => request.url().includes(call));
    const givenUp = failed('transactions.giveUp');
    await giveUp.click();
    await givenUp;
    // By the second look a toast is there.
    await failed('transactions.get');
    await failed('transactions.get');
    await expect(page.getByText('There is no connection. Nothing is lost')).toBeVisible();
    await page.unroute('**/trpc/*transactions.*');
    expect(await toasted.evaluate(({ texts }) => texts)).not.toContain('could not be given up');
  });

  await giveUp.click();
  await expect(quick(page, '$20')).toBeChecked();
  await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeFocused();
  await expect(toast(page, FAILED)).toHaveCount(0);
  await expect(quick(other, '$20')).toBeChecked();
  await expect(toast(other, FAILED)).toHaveCount(1);
  expect(stripe.sessions.get(session)?.status).toBe('expired');
  expect(await tipsOf(backstage, customer)).toEqual([]);
  complaints.length = 0;
});

test('a page that waits heeds who is logged in, and shows by itself that the time is over, or that the tip was paid', async ({
  page,
  context,
  backstage,
  payableSides,
  logInAs,
  stripe,
  deliver,
}) => {
  const { code, customer } = await payableSides();
  const next = await backstage.customer();
  await logInAs(customer);
  const answer = await holdAnswers(page, '**/trpc/transactions.create*');
  await page.goto(`/tip/${code}`);
  await payTip(page, '$20');
  await expect.poll(answer.asked).toBe(1);
  const elsewhere = await context.newPage();
  await elsewhere.goto('/offline');
  const logInElsewhere = async ({ token }: Person) => {
    const known = page.waitForResponse(/auth\.me/);
    await elsewhere.evaluate((stored) => localStorage.setItem('tipwell_token', stored), token);
    await known;
  };

  await test.step('nobody is led to Stripe to pay the tip of another account', async () => {
    await logInElsewhere(next);
    answer.release();
    await expect(toast(page, /^Another account is logged in now\./)).toBeVisible();
    await expect(quick(page, '$20')).toBeChecked();
    await expect(waiting(page)).toHaveCount(0);
    await logInElsewhere(customer);
    await expect(waiting(page)).toBeVisible();
  });

  await test.step('the time for paying is over', async () => {
    stripe.expire([...stripe.sessions.keys()].at(-1) ?? '');
    await deliver();
    await expect(quick(page, '$20')).toBeChecked();
    await expect(toast(page, FAILED)).toHaveCount(1);
    await expect(page).toHaveURL(new RegExp(`/tip/${code}$`));
  });

  const session = await goToStripe(page, code);
  await test.step('a tip page opened anew in the same tab goes on with the payment that waits', async () => {
    await page.goto(`/tip/${code}`);
    await expect(waiting(page)).toBeVisible();
  });

  await test.step('whose session ends in another tab is asked to log in, and goes on with a login there', async () => {
    await elsewhere.evaluate(() => localStorage.removeItem('tipwell_token'));
    await expect(
      page.getByRole('heading', { name: 'Login to see what became of your payment' }),
    ).toBeVisible();
    await logInElsewhere(customer);
    await expect(waiting(page)).toBeVisible();
  });

  await test.step('the tip was paid, though its webhook event was lost', async () => {
    stripe.pay(session);
    await expect(success(page)).toBeVisible();
    await expect(toast(page, SENT)).toHaveCount(1);
    await expect(page).toHaveURL(/\?paid=/);
    expect(await tipsOf(backstage, customer)).toHaveLength(1);
  });
});
