/**
 * The success of a tip is a place: it survives a reload, another tab and steps through the history, and it
 * can be held up.
 */
import { enterCode, expect, holdAnswers, logInByForm, stopClock, test, toast } from './fixtures.ts';
import { payTip, proceedWith } from './tipping.ts';

test.describe('the steps in the history', () => {
  test('Back from the payment leads to the amount, still chosen, and Forward to the payment again', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await page.getByLabel('Or enter your own').fill('33.50');
    await page.getByRole('button', { name: 'Proceed' }).click();
    const pay = page.getByRole('button', { name: /^Pay \$35\.18/ });
    await expect(pay).toBeVisible();
    await page.goBack();
    await expect(page.getByLabel('Or enter your own')).toHaveValue('33.50');
    await page.goForward();
    await expect(pay).toBeVisible();
    await page.reload();
    await expect(pay).toBeVisible();
    await page.getByRole('button', { name: 'Change Amount' }).click();
    await expect(page.getByLabel('Or enter your own')).toHaveValue('33.50');
  });

  test('Forward to the payment goes on with the amount that was chosen since, and to none with what is no amount', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    const pay = page.getByRole('button', { name: /^Pay/ });
    await expect(pay).toBeVisible();
    await page.goBack();
    await page.getByText('$50', { exact: true }).click();
    await page.goForward();
    await expect(pay).toContainText('$52.50');
    await page.reload();
    await expect(pay).toContainText('$52.50');
    await page.goBack();
    await page.getByLabel('Or enter your own').fill('5');
    await page.goForward();
    await expect(page.getByLabel('Or enter your own')).toHaveValue('5');
    await expect(pay).toHaveCount(0);
  });

  test('Change Amount leaves no second entry of the amount behind', async ({ page, backstage, logInAs }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    await page.goto('/dashboard');
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    const changeAmount = page.getByRole('button', { name: 'Change Amount' });
    // Two taps go back once.
    await changeAmount.evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
    await proceedWith(page, '$50');
    const pay = page.getByRole('button', { name: /^Pay \$52\.50/ });
    await expect(pay).toBeVisible();
    // The entries below are still there after a reload.
    await page.reload();
    await expect(pay).toBeVisible();
    await changeAmount.click();
    await expect(page.getByRole('radio', { name: '$50', exact: true })).toBeChecked();
    await page.goBack();
    await expect(page).toHaveURL('/dashboard');
  });

  test('two taps pay once, and Back after the success leads to no amount and no payment, and says what was sent, and the success to the receipt', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    let sent = 0;
    await page.route('**/trpc/transactions.create*', async (route) => {
      // Calls of one moment travel in one request, which names each of them.
      sent += route.request().url().split('transactions.create').length - 1;
      await route.continue();
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
  });

  for (const way of ['chosen', 'typed'] as const)
    test(`Forward to a payment of a ${way} amount that was sent after its giver had left leads to no second one`, async ({
      page,
      backstage,
      logInAs,
    }) => {
      const { provider, code, customer } = await backstage.bothSides();
      await logInAs(customer);
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
      expect(await backstage.transactions(customer)).toHaveLength(1);
    });

  test('Back while a payment is under way changes nothing of its outcome', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/trpc/transactions.create*', async (route) => {
      await gate;
      await route.continue();
    });
    await page.goto(`/tip/${code}`);
    await payTip(page, '$20');
    await page.goBack();
    await expect(page.getByRole('button', { name: 'Processing payment...' })).toBeVisible();
    release();
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    await expect(page).toHaveURL(/\?paid=txn_/);
    await page.goForward();
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('button', { name: /^Pay/ })).toHaveCount(0);
    expect(await backstage.transactions(customer)).toHaveLength(1);
  });
});

test.describe('the receipt', () => {
  test('is there again after a reload, and never shows the amounts meanwhile', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const provider = await backstage.provider(['dj'], 'Marcus Reed');
    const code = await backstage.code(provider, 'dj');
    const customer = await backstage.customer();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await payTip(page, '$75');
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
    await page.addInitScript(() => {
      new MutationObserver(() => {
        if (document.body?.textContent?.includes('Choose an amount'))
          document.title = 'the amounts were shown';
      }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    const main = page.getByRole('main');
    for (const words of ['$75.00', 'Marcus Reed', '$3.75', '$78.75', id, 'no real money moves'])
      await expect(main.getByText(words).first()).toBeVisible();
    await expect(page).not.toHaveTitle('the amounts were shown');

    const receipt = await (await page.request.get(page.url())).text();
    expect(receipt).toContain('Loading your receipt...');
    expect(receipt).not.toContain('<legend');
  });

  test('asks somebody who is not logged in for a login, and leads back', async ({ page, backstage }) => {
    const { code, customer } = await backstage.bothSides();
    await backstage.tip(customer, code, 20);
    const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
    await page.goto(`/tip/${code}?paid=${id}`);
    await page.getByRole('link', { name: 'Login' }).click();
    await logInByForm(page, customer);
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    await expect(page).toHaveURL(`/tip/${code}?paid=${id}`);
  });

  test('is nobody else’s, and not another code’s', async ({ page, backstage, logInAs, complaints }) => {
    const { provider, code, customer } = await backstage.bothSides();
    const other = await backstage.bothSides();
    await backstage.tip(customer, code, 20);
    await backstage.tip(other.customer, other.code, 30);
    const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
    await logInAs(other.customer);
    const [own = { id: 'none' }] = await backstage.transactions(other.customer);
    for (const paid of [id, own.id, 'nonsense']) {
      await page.goto(`/tip/${code}?paid=${paid}`);
      await expect(page.getByText('There is no receipt of yours at this address')).toBeVisible();
      await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
      await expect(page).toHaveURL(`/tip/${code}`);
    }
    expect(provider.fullName).not.toBe(other.provider.fullName);
    complaints.length = 0;
  });

  test('of a code that was replaced is gone from the screen when another tab logs another account in', async ({
    page,
    context,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { provider, code, customer } = await backstage.bothSides();
    const next = await backstage.customer();
    await backstage.tip(customer, code, 20);
    const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
    await backstage.call('POST', `/qr-codes/${code}/replacement`, { token: provider.token });
    await logInAs(customer);
    await page.goto(`/tip/${code}?paid=${id}`);
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    const elsewhere = await context.newPage();
    await elsewhere.goto('/offline');
    await elsewhere.evaluate((token) => localStorage.setItem('tipwell_token', token), next.token);
    await expect(page.getByRole('heading', { name: 'This code was replaced' })).toBeVisible();
    complaints.length = 0;
  });

  test('says when it cannot be loaded, and tries again', async ({ page, backstage, logInAs, complaints }) => {
    const { code, customer } = await backstage.bothSides();
    await backstage.tip(customer, code, 20);
    const [{ id } = { id: 'none' }] = await backstage.transactions(customer);
    await logInAs(customer);
    await page.route('**/trpc/*transactions.get*', (route) => route.abort());
    await page.goto(`/tip/${code}?paid=${id}`);
    await expect(page.getByRole('alert')).toContainText('Your tip is not lost');
    await page.unroute('**/trpc/*transactions.get*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
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
