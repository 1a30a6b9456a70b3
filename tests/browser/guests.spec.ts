/**
 * Tips without an account, where the operator takes them: given at once, or paid at the stand-in for Stripe;
 * and their receipts.
 */
import { test as base, type Page, type Route } from '@playwright/test';
import { trpcErrorOf } from '#server/api/http/refusals.ts';
import { AppError } from '#shared/errors.ts';
import { startServer } from '../support/running-server.ts';
import { isTakenOver } from '../support/taken-over.ts';
import {
  Backstage,
  expect,
  holdAnswers,
  installClock,
  LONGEST_PATIENCE_MS,
  logInByForm,
  loseAnswer,
  test as offTest,
  type Person,
  storedToken,
  toast,
  watch,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import { test } from './received-tips.ts';
import {
  atStripe,
  goToStripe,
  payButton,
  quick,
  sessionAt,
  test as stripeTest,
  success,
  waiting,
} from './stripe-fixtures.ts';
import { payTip, proceedWith } from './tipping.ts';

const FAILED = 'Payment failed. Please try again.';
const NO_ACCOUNT = 'You pay without an account.';
/** What becomes of a payment whose answer does not come. */
type Outcome = 'paid' | 'lost' | 'lost before a login';
const TOKEN = /[0-9a-hjkmnp-tv-z]{52}/;

stripeTest.use({ settings: { GUEST_TIPS: 'on' } });

function tokenAt(page: Page): string {
  return TOKEN.exec(page.url())?.[0] ?? 'none';
}

/** What the page does on an answer, and what it asks then, comes before the time goes on. */
async function takeAnswers(page: Page): Promise<void> {
  await page.evaluate(() => fetch('/healthz').then((answer) => answer.text()));
}

/** Expects of a page that looks again after so long that it waits for a minute when it is told to. */
async function expectRest(page: Page, waitMs: number): Promise<void> {
  const refusal = new AppError('too_many_requests', { retryAfterSeconds: 60 });
  const [status, json] = [refusal.status, [{ error: trpcErrorOf(refusal, null, null) }]];
  let asked = 0;
  await page.route('**/trpc/*transactions.get*', async (route) => {
    asked += 1;
    await route.fulfill({ status, json });
  });
  const refused = page.waitForResponse('**/trpc/*transactions.get*');
  await page.clock.runFor(waitMs);
  await (await refused).finished();
  for (let seconds = 0; seconds < 55; seconds += 5) {
    await takeAnswers(page);
    await page.clock.runFor(5_000);
  }
  expect(asked).toBe(1);
  await page.clock.runFor(10_000);
  await expect.poll(() => asked).toBe(2);
  await page.unroute('**/trpc/*transactions.get*');
}

const found = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

test.describe('a guest', () => {
  test('gives a tip without a login, has the receipt by its link, and takes the tip back', async ({
    page,
    browser,
    backstage,
    server,
  }) => {
    const { provider, code } = await backstage.bothSides();
    await page.goto(`/tip/${code}`);
    await picture(page, 'guests-01-amounts');
    await proceedWith(page, '$20');
    await expect(page.getByText(NO_ACCOUNT)).toBeVisible();
    await picture(page, 'guests-02-payment');
    await expectForEverybody(page, 'payment of a guest');
    const { asked, release } = await holdAnswers(page, /transactions\.create/);
    const place = await payButton(page).boundingBox();
    await payButton(page).click();
    await expect.poll(asked).toBe(1);
    await expect(payButton(page)).toHaveText('Processing payment...');
    // The second tap of a double tap hits what the first one did.
    expect(Math.abs(((await payButton(page).boundingBox())?.y ?? 0) - (place?.y ?? 0))).toBeLessThan(5);
    await expect(page.getByRole('link', { name: 'Log in' })).toBeHidden();
    release();
    await expect(success(page)).toBeVisible();
    await page.waitForURL(new RegExp(`/tip/${code}\\?paid=${TOKEN.source}$`));
    const token = tokenAt(page);
    await expect(page.getByText(`txn_${token.slice(0, 26)}`)).toBeVisible();
    await expect(page.getByRole('link', { name: 'View Transactions' })).toHaveCount(0);
    await picture(page, 'guests-03-success');
    await expectForEverybody(page, 'success of a guest');
    await page.reload();
    await expect(success(page)).toBeVisible();
    await page.goBack();
    await expect(page.getByText('Your tip of $20.00 was sent.')).toBeVisible();
    await page.getByRole('link', { name: 'Show the receipt' }).click();
    await page.getByRole('link', { name: 'Receipt', exact: true }).click();
    await expect(page).toHaveURL(`/r/${token}`);
    await expect(found(page, 'Tip sent')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Transactions' })).toHaveCount(0);
    await picture(page, 'guests-04-receipt');
    const [tip, ...others] = await backstage.transactions(provider);
    expect(tip).toMatchObject({ id: `txn_${token.slice(0, 26)}`, giver_id: null });
    expect(others).toEqual([]);

    // Whoever has the link has the right of the giver, on any device.
    const context = await browser.newContext({ baseURL: server.url });
    const other = await context.newPage();
    await other.goto(`/r/${token}`);
    await other.getByRole('button', { name: 'Take Back', exact: true }).click();
    await other.getByRole('dialog').getByRole('button', { name: 'Take Back' }).click();
    await expect(other.getByText('Refunded on').first()).toBeVisible();
    await expect(other.getByText('by you')).toBeVisible();
    await picture(other, 'guests-05-refunded');
    await expect(other.getByRole('button', { name: 'Take Back', exact: true })).toHaveCount(0);
    await context.close();
    await page.reload();
    await expect(page.getByText('Refunded on').first()).toBeVisible();
  });

  test('does all of it by the keyboard', async ({ page, backstage }) => {
    const { provider, code } = await backstage.bothSides();
    await page.goto(`/tip/${code}`);
    await page.getByLabel('Or enter your own').focus();
    await page.keyboard.type('20');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: /^Tip / })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Add a Message' })).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Log in' })).toBeFocused();
    for (let tabs = 0; tabs < 3; tabs += 1) await page.keyboard.press('Tab');
    await expect(payButton(page)).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(success(page)).toBeFocused();
    const undo = page.getByRole('button', { name: 'Undo', exact: true });
    await undo.focus();
    // A screen reader would read out each element that takes the focus meanwhile.
    await page.evaluate(() => {
      document.addEventListener('focusin', () => document.body.setAttribute('data-focus-moved', ''));
    });
    const left = await undo.textContent();
    await expect(undo).not.toHaveText(left ?? '');
    await expect(undo).toBeFocused();
    await expect(page.locator('body[data-focus-moved]')).toHaveCount(0);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Take back your $20.00 tip?' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(undo).toBeFocused();
    await page.getByRole('link', { name: 'Receipt', exact: true }).focus();
    await page.keyboard.press('Enter');
    await expect(found(page, 'Tip sent')).toBeFocused();
    for (const name of ['Copy Link', 'Print', 'Take Back']) {
      await page.keyboard.press('Tab');
      await expect(page.getByRole('button', { name })).toBeFocused();
    }
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Take back your $20.00 tip?' })).toBeVisible();
    await page.getByRole('dialog').getByRole('button', { name: 'Take Back' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByText('Refunded on').first()).toBeVisible();
    expect(await backstage.transactions(provider)).toHaveLength(1);
  });

  test('fetches nothing of paying before an amount is chosen, stays who reloads while about to pay, says for how long there are too many tips from one address, pays once, though the answer was lost and the page loaded again, and is told of it when the site takes no tips without a login any more', async ({
    page,
    backstage,
    complaints,
  }) => {
    const { provider, code } = await backstage.bothSides();
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    await page.goto(`/tip/${code}`);
    await page.waitForLoadState('networkidle');
    expect(fetched.filter((path) => /paying|\/trpc/.test(path))).toEqual([]);
    await page.getByText('$20', { exact: true }).click();
    await expect.poll(() => fetched.some((path) => path.includes('paying'))).toBe(true);
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(payButton(page)).toBeVisible();
    await page.reload();
    await expect(payButton(page)).toBeVisible();
    await page.getByRole('button', { name: 'Change Amount' }).click();
    await expect(quick(page, '$20')).toBeChecked();

    // As the server answers where there are too many tips from one address.
    const refusal = new AppError('too_many_requests', { retryAfterSeconds: 600 });
    const refused = { status: refusal.status, json: [{ error: trpcErrorOf(refusal, null, null) }] };
    await page.route('**/trpc/transactions.create*', (route) => route.fulfill(refused), { times: 1 });
    await payTip(page, '$20');
    await expect(toast(page, 'Too many attempts. Please try again in 10 minutes.')).toBeVisible();
    await expect(quick(page, '$20')).toBeChecked();
    await picture(page, 'guests-07-too-many');

    await loseAnswer(page, 'transactions.create');
    await payTip(page, '$20');
    await expect(page.getByRole('alert')).toContainText('it is never charged twice');
    complaints.length = 0;
    await picture(page, 'guests-06-no-answer');

    // Another guest, in another tab, begins with nothing.
    const other = await page.context().newPage();
    await other.goto(`/tip/${code}`);
    await expect(other.getByRole('radio', { checked: true })).toHaveCount(0);
    await expect(payButton(other)).toHaveCount(0);

    await page.reload();
    await expect(page.getByText('Your last payment was cut off.')).toBeVisible();
    await expect(page.getByText(NO_ACCOUNT)).toHaveCount(0);
    await page.goto(`/tip/${code}`);
    await expect(page.getByText('Your last payment was cut off.')).toBeVisible();
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    expect(await backstage.transactions(provider)).toHaveLength(1);

    // The page as a server answers it that was started without guests.
    await page.route('**/tip/**', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('data-guests="on"', '');
      await route.fulfill({ response, body });
    });
    await page.reload();
    await expect(page.locator('html')).not.toHaveAttribute('data-guests', 'on');
    await expect(success(page)).toBeVisible();
  });

  test('is told of a tip without an answer that it was paid, or that it was not, also after a login, when the site takes none without a login any more', async ({
    browser,
  }) => {
    const before = await startServer({ GUEST_TIPS: 'on' });
    const backstage = new Backstage(before);
    // Of one browser, which keeps what is known of a payment for each tab.
    const context = await browser.newContext({ baseURL: before.url });
    const guests: { outcome: Outcome; page: Page; provider: Person; code: string; customer: Person }[] = [];
    for (const outcome of ['paid', 'lost', 'lost before a login'] as const) {
      const page = await context.newPage();
      const guest = { outcome, page, ...(await backstage.bothSides()) };
      guests.push(guest);
      await page.goto(`/tip/${guest.code}`);
      await page.waitForFunction(isTakenOver);
      if (outcome === 'paid') await loseAnswer(page, 'transactions.create');
      else await page.route('**/trpc/transactions.create*', (route) => route.abort(), { times: 1 });
      await payTip(page, '$20');
      await expect(page.getByRole('alert')).toContainText('it is never charged twice');
    }
    await before.stop();
    const { databasePath: DATABASE_URL, port } = before;
    const after = await startServer({ DATABASE_URL, PORT: String(port) });

    for (const { outcome, page, provider, code, customer } of guests) {
      await base.step(outcome, async () => {
        const isLoggedIn = outcome === 'lost before a login';
        await page.goto(isLoggedIn ? `/auth?next=/tip/${code}` : `/tip/${code}`);
        await page.waitForFunction(isTakenOver);
        if (isLoggedIn) await logInByForm(page, customer);
        else await proceedWith(page, '$20');
        await expect(page.getByText('Your last payment was cut off.')).toBeVisible();
        await payButton(page).click();
        if (outcome !== 'paid') {
          const said = 'Your last payment did not arrive: nothing was charged.';
          await expect(toast(page, isLoggedIn ? said : `${said} Please login to send tips`)).toBeVisible();
          // Not being logged in is no error.
          await expect(page.locator('[data-sonner-toast][data-type="error"]')).toHaveCount(0);
          if (!isLoggedIn) await logInByForm(page, customer);
          await expect(page).toHaveURL(new RegExp(`/tip/${code}$`));
          await expect(page.getByText('Your last payment was cut off.')).toHaveCount(0);
          await payButton(page).click();
        }
        await expect(success(page)).toBeVisible();
        expect(await backstage.transactions(provider)).toHaveLength(1);
        expect(await backstage.transactions(customer)).toHaveLength(outcome === 'paid' ? 0 : 1);
        // The next one is not logged in.
        await page.evaluate(() => localStorage.clear());
        await page.close();
      });
    }
    await context.close();
    await after.stop();
  });
});

test.describe('between guest and account', () => {
  test('whoever logs in elsewhere before they pay gives the tip under their account, whoever logs out there is told that they pay without one, and the login that is offered leads to the same payment, which is then the account’s', async ({
    page,
    backstage,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    await expect(page.getByText(NO_ACCOUNT)).toBeVisible();
    const other = await page.context().newPage();
    await other.goto('/auth');
    await logInByForm(other, customer);
    await expect(other).toHaveURL('/dashboard');
    await expect(page.getByText(NO_ACCOUNT)).toHaveCount(0);
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    expect(await backstage.transactions(customer)).toHaveLength(1);

    await page.getByRole('link', { name: 'Send Another Tip' }).click();
    await proceedWith(page, '$50');
    await expect(payButton(page)).toBeVisible();
    await expect(page.getByText(NO_ACCOUNT)).toHaveCount(0);
    await other.getByRole('button', { name: 'Logout' }).click();
    await expect(page.getByText(NO_ACCOUNT)).toBeVisible();
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    const [newest] = await backstage.transactions(provider);
    expect(newest).toMatchObject({ amount: 50, giver_id: null });
    await other.close();

    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$30');
    // Two taps lead there once.
    await page.getByRole('link', { name: 'Log in' }).dblclick();
    await expect(page.getByText('is waiting')).toBeVisible();
    await expect(page).toHaveURL(`/auth?next=%2Ftip%2F${code}`);
    await picture(page, 'guests-08-login');
    await logInByForm(page, customer);
    await expect(payButton(page)).toBeVisible();
    await expect(page.getByText(NO_ACCOUNT)).toHaveCount(0);
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    await expect(page).toHaveURL(/\?paid=txn_/);
    await expect(page.getByRole('link', { name: 'View Transactions' })).toBeVisible();
    const [last] = await backstage.transactions(customer);
    expect(last).toMatchObject({ amount: 30, giver_id: customer.id });
  });

  test('whoever logs in before the outcome of a tip is known goes on with it, and pays once; and what an account has sent is asked for after a login, and becomes no second tip of a guest', async ({
    page,
    backstage,
    complaints,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await page.goto(`/tip/${code}`);
    await loseAnswer(page, 'transactions.create');
    await payTip(page, '$20');
    await expect(page.getByRole('alert')).toContainText('it is never charged twice');
    complaints.length = 0;
    await page.goto(`/auth?next=/tip/${code}`);
    await logInByForm(page, customer);
    await expect(page.getByText('Your last payment was cut off.')).toBeVisible();
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    expect(await storedToken(page)).not.toBeNull();
    expect(await backstage.transactions(provider)).toMatchObject([{ giver_id: null }]);
    expect(await backstage.transactions(customer)).toEqual([]);

    await page.goto(`/tip/${code}`);
    await loseAnswer(page, 'transactions.create');
    await payTip(page, '$30');
    await expect(page.getByRole('alert')).toContainText('it is never charged twice');
    complaints.length = 0;
    const other = await page.context().newPage();
    await other.goto('/dashboard');
    await other.getByRole('button', { name: 'Logout' }).click();
    await expect(other).toHaveURL('/');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(toast(page, 'Please login to see what became of your last tip')).toBeVisible();
    await logInByForm(page, customer);
    await expect(page.getByText('Your last payment was cut off.')).toBeVisible();
    await payButton(page).click();
    await expect(success(page)).toBeVisible();
    const givers = (await backstage.transactions(provider)).map(({ giver_id }) => giver_id === null);
    expect(givers).toEqual([false, true]);
  });
});

test.describe('the receipt of a guest', () => {
  test('is as unknown as any other that is not there', async ({ page, backstage, logInAs, complaints }) => {
    const { code, customer } = await backstage.bothSides();
    await page.goto(`/tip/${code}`);
    await payTip(page, '$20');
    await expect(success(page)).toBeVisible();
    const token = tokenAt(page);
    const forged = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    for (const path of [`/r/${forged}`, `/r/${token}/more`, '/r/nothing', '/r/']) {
      await page.goto(path);
      await expect(found(page, 'Transaction not found'), path).toBeVisible();
      await expect(page.getByRole('main'), path).toContainText('Check that the whole link was copied');
    }
    await picture(page, 'guests-09-unknown');
    await page.goto(`/tip/${code}?paid=${forged}`);
    await expect(toast(page, 'There is no receipt of yours at this address')).toBeVisible();
    await logInAs(customer);
    await page.goto(`/r/${forged}`);
    await expect(found(page, 'Transaction not found')).toBeVisible();
    await expectForEverybody(page, 'unknown receipt');
    await page.goto(`/r/${token}`);
    await expect(found(page, 'Tip sent')).toBeVisible();
    expect(complaints.splice(0).filter((complaint) => !/40[14]/.test(complaint))).toEqual([]);
  });

  test('says when it cannot be loaded, and tries again; waits as long as it is told when it has asked too often, and so does the success; takes an answer that comes later than the next question, and shows by itself that its tip was refunded', async ({
    page,
    backstage,
    complaints,
  }) => {
    const { provider, code } = await backstage.bothSides();
    // A wrong clock takes nobody's time to take a tip back.
    await installClock(page, 5 * 3_600_000);
    await page.goto(`/tip/${code}`);
    await payTip(page, '$20');
    await expect(success(page)).toBeVisible();
    await expectRest(page, 5_000);
    const token = tokenAt(page);
    // The page of the success asks as well.
    await page.goto('/');
    const answer = await holdAnswers(page, '**/trpc/*transactions.get*');
    await page.goto(`/tip/${code}?paid=${token}`);
    await expect.poll(answer.asked).toBe(1);
    await page.clock.fastForward(LONGEST_PATIENCE_MS);
    await expect(found(page, 'Your receipt could not be loaded')).toBeVisible();
    expect(answer.asked()).toBe(1);
    await page.unroute('**/trpc/*transactions.get*');
    await page.route('**/trpc/**', (route) => route.abort());
    await page.goto(`/r/${token}`);
    await expect(found(page, 'The receipt could not be loaded')).toBeVisible();
    await picture(page, 'guests-10-receipt-failed');
    await page.unroute('**/trpc/**');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(found(page, 'Tip sent')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Take Back', exact: true })).toBeVisible();
    await expectRest(page, 5_000);

    // The second refusal asks for a rest as well.
    await takeAnswers(page);
    complaints.length = 0;
    const looked = page.waitForResponse('**/trpc/*transactions.get*');
    await page.clock.runFor(61_000);
    await (await looked).finished();
    await takeAnswers(page);
    const [{ id } = { id: 'none' }] = await backstage.transactions(provider);
    await backstage.call('POST', `/transactions/${id}/refund`, { token: provider.token });
    const asked: Route[] = [];
    await page.route('**/trpc/*transactions.get*', (route) => asked.push(route));
    await page.clock.runFor(5_000);
    await expect.poll(() => asked.length).toBe(1);
    await page.clock.runFor(5_000);
    await expect.poll(() => asked.length).toBe(2);
    await asked[0]?.continue();
    await expect(page.getByText('Refunded on').first()).toBeVisible();
    await expect(page.getByText('The tip was refunded.')).toBeAttached();
  });
});

offTest(
  'where guests are not taken, the login comes before the payment, as ever',
  async ({ page, backstage }) => {
    const { code } = await backstage.bothSides();
    const fetched: string[] = [];
    await page.goto(`/tip/${code}`);
    expect(await page.evaluate(() => document.documentElement.getAttributeNames())).toEqual(['lang']);
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    await proceedWith(page, '$20');
    await expect(toast(page, 'Please login to send tips')).toBeVisible();
    await expect(page).toHaveURL(/\/auth\?tab=sign-up&next=/);
    expect(fetched.filter((path) => path.startsWith('/trpc'))).toEqual([]);
  },
);

stripeTest.describe('a guest at Stripe', () => {
  // In one worker, which starts their server once.
  stripeTest.describe.configure({ mode: 'default' });

  stripeTest(
    'pays, and Back never leads to a pay button; who logs in while the payment waits is told what became of it, and pays once',
    async ({ page, backstage, payableSides, stripe }) => {
      const { provider, code, customer } = await payableSides();
      await page.goto(`/tip/${code}`);
      await proceedWith(page, '$20');
      await expect(page.getByText(NO_ACCOUNT)).toBeVisible();
      await picture(page, 'guests-11-before-stripe');
      await payButton(page).click();
      await page.getByRole('link', { name: 'Pay', exact: true }).click();
      await expect(success(page)).toBeVisible();
      await expect(toast(page, /^Tip sent successfully!/)).toHaveCount(1);
      await expect(page).toHaveURL(new RegExp(`/tip/${code}\\?paid=${TOKEN.source}$`));
      await picture(page, 'guests-12-paid');
      await page.reload();
      await expect(success(page)).toBeVisible();
      await expect(toast(page, /^Tip sent successfully!/)).toHaveCount(0);
      await page.goBack();
      await expect(found(page, 'This page has expired')).toBeVisible();
      await page.goBack();
      await expect(success(page)).toBeVisible();
      await expect(payButton(page)).toHaveCount(0);
      await page.getByRole('link', { name: 'Receipt', exact: true }).click();
      await expect(found(page, 'Tip sent')).toBeVisible();
      await expect(page.getByText('Test money: no real money moves.')).toBeVisible();
      expect(await backstage.transactions(provider)).toMatchObject([{ giver_id: null }]);

      const session = await goToStripe(page, code);
      await page.goto(`/auth?next=/tip/${code}`);
      await logInByForm(page, customer);
      await expect(waiting(page)).toBeVisible();
      stripe.pay(session);
      await expect(success(page)).toBeVisible();
      await page.goto(`/tip/${code}`);
      await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
      expect(await backstage.transactions(provider)).toMatchObject([{ giver_id: null }, { giver_id: null }]);
    },
  );

  stripeTest(
    'who goes Back waits, also over a reload and in a page opened anew, and as long as it is told when it has asked too often, gives it up or leaves, keeps the amount, and may pay anew, with another card after one that is declined',
    async ({ page, backstage, payableSides, stripe, complaints }) => {
      const { provider, code } = await payableSides();
      await installClock(page);
      const session = await goToStripe(page, code);
      await page.goBack();
      await expect(waiting(page)).toBeVisible();
      await picture(page, 'guests-14-waiting');
      await page.reload();
      await expect(waiting(page)).toBeVisible();
      await page.goto(`/tip/${code}`);
      await expect(waiting(page)).toBeVisible();
      await page.getByRole('button', { name: 'Go On to Payment' }).click();
      await atStripe(page);
      expect(sessionAt(page)).toBe(session);
      await page.goBack();
      await expect(waiting(page)).toBeVisible();
      await expectRest(page, 2_000);
      complaints.length = 0;
      await page.getByRole('button', { name: 'Choose Another Amount' }).click();
      await expect(quick(page, '$20')).toBeChecked();
      expect(stripe.sessions.get(session)?.status).toBe('expired');
      expect(await backstage.transactions(provider)).toEqual([]);

      await page.getByRole('button', { name: 'Proceed' }).click();
      await payButton(page).click();
      await atStripe(page);
      const left = sessionAt(page);
      expect(left).not.toBe(session);
      await page.getByRole('link', { name: 'Back' }).click();
      await expect(quick(page, '$20')).toBeChecked();
      await expect(toast(page, FAILED)).toHaveCount(1);
      await page.waitForURL(`/tip/${code}`);
      expect(stripe.sessions.get(left)?.status).toBe('expired');
      await picture(page, 'guests-13-left');
      await page.getByRole('button', { name: 'Proceed' }).click();
      await payButton(page).click();
      await atStripe(page);
      expect(sessionAt(page)).not.toBe(left);
      await page.getByRole('link', { name: 'Pay with a bad card' }).click();
      await page.getByRole('link', { name: 'Try Again' }).click();
      await page.getByRole('link', { name: 'Pay', exact: true }).click();
      await expect(success(page)).toBeVisible();
      expect(await backstage.transactions(provider)).toHaveLength(1);
    },
  );

  stripeTest(
    'who has closed the tab finds the tip by its link, completed by the webhook event alone, and so does another though its code was replaced meanwhile',
    async ({ page, browser, backstage, payableSides, stripe, deliver, server }) => {
      const { provider, code } = await payableSides();
      const session = await goToStripe(page, code);
      const { successUrl = '' } = stripe.sessions.get(session) ?? {};
      const token = TOKEN.exec(successUrl)?.[0];
      const context = await browser.newContext({ baseURL: server.url });
      const again = await context.newPage();
      await page.close();
      await again.goto(`/r/${token}`);
      await expect(found(again, 'Tip not paid yet')).toBeVisible();
      await picture(again, 'guests-15-receipt-pending');
      await again.getByRole('link', { name: 'Finish paying' }).click();
      await expect(again.getByRole('heading', { name: 'Pay $21.00' })).toBeVisible();
      await again.goto(`/r/${token}`);
      stripe.pay(session);
      await deliver();
      await expect(found(again, 'Tip sent')).toBeVisible();
      expect(await backstage.transactions(provider)).toHaveLength(1);
      await again.goto(successUrl);
      await expect(success(again)).toBeVisible();
      expect(await backstage.transactions(provider)).toHaveLength(1);

      const complaints: string[] = [];
      await watch(again, complaints, server.url);
      const other = await goToStripe(again, code);
      await backstage.call('POST', `/qr-codes/${code}/replacement`, { token: provider.token });
      const urlOfOther = stripe.sessions.get(other)?.successUrl ?? '';
      await again.goto(urlOfOther);
      await expect(found(again, 'Tip not paid yet')).toBeVisible();
      await expect(again).toHaveURL(new RegExp(`/r/${TOKEN.source}$`));
      stripe.pay(other);
      await expect(found(again, 'Tip sent')).toBeVisible();
      await again.goto(urlOfOther);
      await expect(success(again)).toBeVisible();
      expect(complaints.filter((complaint) => !/410|request to/.test(complaint))).toEqual([]);
      await context.close();
    },
  );
});
