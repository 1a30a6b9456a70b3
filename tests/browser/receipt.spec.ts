/**
 * The success of a tip is a place: it survives a reload, another tab and steps through the history, and it
 * can be held up.
 */
import { enterCode, expect, holdAnswers, logInByForm, stopClock, test, toast } from './fixtures.ts';
import { payTip, proceedWith } from './tipping.ts';

test.describe('the steps in the history', () => {
  test('Back from the payment leads to the amount, still chosen, and Forward to the payment of what was chosen since, if it is an amount; Change Amount leaves no second entry behind', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.goto('/dashboard');
    await page.goto(`/tip/${code}`);
    const custom = page.getByLabel('Or enter your own');
    const pay = page.getByRole('button', { name: /^Pay/ });
    const changeAmount = page.getByRole('button', { name: 'Change Amount' });

    await test.step('Change Amount', async () => {
      await proceedWith(page, '$20');
      // Two taps go back once.
      await changeAmount.evaluate((button: HTMLButtonElement) => {
        button.click();
        button.click();
      });
      await proceedWith(page, '$50');
      await expect(pay).toContainText('$52.50');
      // The entries below are still there after a reload.
      await page.reload();
      await expect(pay).toContainText('$52.50');
      await changeAmount.click();
      await expect(page.getByRole('radio', { name: '$50', exact: true })).toBeChecked();
      await page.goBack();
      await expect(page).toHaveURL('/dashboard');
      await page.goForward();
      await expect(page).toHaveURL(`/tip/${code}`);
    });

    await test.step('a typed amount', async () => {
      await custom.fill('33.50');
      await page.getByRole('button', { name: 'Proceed' }).click();
      await expect(pay).toContainText('$35.18');
      await page.goBack();
      await expect(custom).toHaveValue('33.50');
      await page.goForward();
      await expect(pay).toContainText('$35.18');
      await page.reload();
      await expect(pay).toContainText('$35.18');
      await changeAmount.click();
      await expect(custom).toHaveValue('33.50');
    });

    await test.step('Forward after another amount was chosen, or none', async () => {
      await proceedWith(page, '$20');
      await expect(pay).toBeVisible();
      await page.goBack();
      await page.getByText('$50', { exact: true }).click();
      await page.goForward();
      await expect(pay).toContainText('$52.50');
      await page.reload();
      await expect(pay).toContainText('$52.50');
      await page.goBack();
      await custom.fill('5');
      await page.goForward();
      await expect(custom).toHaveValue('5');
      await expect(pay).toHaveCount(0);
    });
  });

  test('two taps pay once, Back meanwhile changes nothing of that, Back after the success leads to no amount and no payment, and says what was sent, and the success to the receipt', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    let sent = 0;
    page.on('request', (request) => {
      // Calls of one moment travel in one request, which names each of them.
      sent += request.url().split('transactions.create').length - 1;
    });
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    const pay = page.getByRole('button', { name: /^Pay/ });
    await pay.dblclick();
    await expect(page).toHaveURL(/\?paid=txn_/);
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    expect(sent).toBe(1);
    await page.goBack();
    await expect(page).toHaveURL(`/tip/${code}`);
    await expect(page.getByText('Your tip of $20.00 was sent.')).toBeVisible();
    await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
    await expect(pay).toHaveCount(0);
    await page.getByRole('link', { name: 'Show the receipt' }).click();
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    await page.goBack();
    await page.goForward();
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    // All has been asked for that could bring an open payment back.
    await page.waitForLoadState('networkidle');
    await expect(pay).toHaveCount(0);
    expect(await backstage.transactions(customer)).toHaveLength(1);
    await page.getByRole('link', { name: 'Receipt', exact: true }).click();
    await expect(page).toHaveURL(/\/transactions\/txn_/);
    await expect(page.getByRole('button', { name: 'Take Back' })).toBeVisible();

    await test.step('Back while the payment is under way', async () => {
      await page.goBack();
      await page.getByRole('link', { name: 'Send Another Tip' }).click();
      const paying = await holdAnswers(page, '**/trpc/transactions.create*');
      await payTip(page, '$20');
      await page.goBack();
      await expect(page.getByRole('button', { name: 'Processing payment...' })).toBeVisible();
      paying.release();
      await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
      await expect(page).toHaveURL(/\?paid=txn_/);
      await page.goForward();
      await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
      await page.goBack();
      await expect(pay).toHaveCount(0);
      expect(await backstage.transactions(customer)).toHaveLength(2);
    });
  });

  test('Forward to a payment of a chosen or a typed amount that was sent after its giver had left leads to no second one', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    await logInAs(customer);
    for (const [count, way] of ['chosen', 'typed'].entries()) {
      const sending = await holdAnswers(page, '**/trpc/transactions.create*');
      await enterCode(page, code);
      await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
      if (way === 'chosen') await proceedWith(page, '$20');
      else {
        await page.getByLabel('Or enter your own').fill('20');
        await page.getByRole('button', { name: 'Proceed' }).click();
      }
      await page.getByRole('button', { name: /^Pay/ }).click();
      await expect.poll(sending.asked).toBe(1);
      await page.goBack();
      await page.goBack();
      await expect(page).toHaveURL('/scan');
      sending.release();
      await expect(toast(page, /^Tip sent successfully!/)).toBeVisible();
      await page.goForward();
      await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
      await page.goForward();
      await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
      await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
      await expect(page.getByRole('button', { name: /^Pay/ })).toHaveCount(0);
      expect(await backstage.transactions(customer)).toHaveLength(count + 1);
      await page.unroute('**/trpc/transactions.create*');
    }
  });
});

test.describe('the receipt', () => {
  test('asks for a login and leads back, never shows the amounts while it loads, says when it cannot be loaded, is nobody else’s and of no other code, and goes when its code was replaced and another account logs in', async ({
    page,
    context,
    backstage,
    complaints,
  }) => {
    const provider = await backstage.provider(['dj'], 'Marcus Reed');
    const code = await backstage.code(provider, 'dj');
    const customer = await backstage.customer();
    const other = await backstage.bothSides();
    await backstage.tip(customer, code, 75, 'dj');
    await backstage.tip(customer, other.code, 20);
    await backstage.tip(other.customer, other.code, 30);
    const [{ id: own } = { id: 'none' }, { id } = { id: 'none' }] = await backstage.transactions(customer);
    const [{ id: foreign } = { id: 'none' }] = await backstage.transactions(other.customer);
    const success = page.getByRole('heading', { name: 'Tip sent!' });

    await test.step('a login', async () => {
      await page.goto(`/tip/${code}?paid=${id}`);
      await page.getByRole('link', { name: 'Login' }).click();
      await logInByForm(page, customer);
      await expect(success).toBeVisible();
      await expect(page).toHaveURL(`/tip/${code}?paid=${id}`);
      expect(complaints).toEqual([]);
    });

    await test.step('loading', async () => {
      const watching = await page.addInitScript(() => {
        new MutationObserver(() => {
          if (document.body?.textContent?.includes('Choose an amount'))
            document.title = 'the amounts were shown';
        }).observe(document, { childList: true, subtree: true });
      });
      await page.route('**/trpc/*transactions.get*', (route) => route.abort());
      await page.reload();
      await expect(page.getByRole('alert')).toContainText('Your tip is not lost');
      await page.unroute('**/trpc/*transactions.get*');
      await page.getByRole('button', { name: 'Retry' }).click();
      await expect(success).toBeVisible();
      expect(complaints.splice(0).filter((complaint) => !complaint.includes('ERR_FAILED'))).toEqual([]);
      await page.reload();
      await expect(success).toBeVisible();
      const main = page.getByRole('main');
      for (const words of ['$75.00', 'Marcus Reed', '$3.75', '$78.75', id, 'no real money moves'])
        await expect(main.getByText(words).first()).toBeVisible();
      await expect(page).not.toHaveTitle('the amounts were shown');
      const receipt = await (await page.request.get(page.url())).text();
      expect(receipt).toContain('Loading your receipt...');
      expect(receipt).not.toContain('<legend');
      await watching.dispose();
      expect(complaints).toEqual([]);
    });

    await test.step('of somebody else, of another code, and of none', async () => {
      for (const paid of [foreign, own, 'nonsense']) {
        await page.goto(`/tip/${code}?paid=${paid}`);
        await expect(page.getByText('There is no receipt of yours at this address')).toBeVisible();
        await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
        await expect(page).toHaveURL(`/tip/${code}`);
      }
    });

    await test.step('a replaced code, and another account', async () => {
      await backstage.call('POST', `/qr-codes/${code}/replacement`, { token: provider.token });
      await page.goto(`/tip/${code}?paid=${id}`);
      await expect(success).toBeVisible();
      const elsewhere = await context.newPage();
      await elsewhere.goto('/offline');
      await elsewhere.evaluate((token) => localStorage.setItem('tipwell_token', token), other.customer.token);
      await expect(page.getByRole('heading', { name: 'This code was replaced' })).toBeVisible();
    });
    complaints.length = 0;
  });

  test('fills the screen with a check, the amount, the name and a clock that moves, and gets old', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const provider = await backstage.provider(['bartender'], 'Marcus Reed');
    const code = await backstage.code(provider);
    const customer = await backstage.customer();
    await logInAs(customer);
    // The clock of the device says little about the age of a tip, and about the time to take it back.
    await page.clock.install({ time: Date.now() + 5 * 3_600_000 });
    await page.goto(`/tip/${code}`);
    await payTip(page, '$20');
    await expect(page.getByRole('button', { name: 'Undo', exact: true })).toHaveText(
      /^Undo · (?:9:\d\d|10:00)/,
    );
    await holdAnswers(page, /transactions\.get/);
    await page.getByRole('button', { name: 'Show Full Screen' }).click();
    const screen = page.getByRole('dialog');
    await expect(screen).toHaveAccessibleName('$20.00');
    await expect(screen.getByText('to Marcus Reed')).toBeVisible();
    await expect(screen.getByText('no real money moves')).toBeVisible();
    expect(await screen.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
    await expect(screen).toHaveAttribute('data-fresh', 'true');
    await stopClock(page);
    const clock = screen.getByRole('timer');
    const before = await clock.textContent();
    await page.clock.runFor(1_000);
    await expect(clock).not.toHaveText(before ?? '');
    const fresh = await screen.evaluate((dialog) => getComputedStyle(dialog).backgroundColor);
    await page.clock.fastForward(16 * 60_000);
    await expect(screen.getByText(/, 17 minutes ago$/)).toBeVisible();
    expect(await screen.evaluate((dialog) => getComputedStyle(dialog).backgroundColor)).not.toBe(fresh);
    await page.keyboard.press('Escape');
    await expect(screen).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Show Full Screen' })).toBeFocused();
  });
});
