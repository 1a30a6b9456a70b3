/**
 * The tip page: choosing, paying and the receipt, as somebody at a bar meets them. Nobody ever pays twice.
 */
import type { Locator } from '@playwright/test';
import {
  enterCode,
  expect,
  holdAnswers,
  installClock,
  LONGEST_PATIENCE_MS,
  logInByForm,
  loseAnswer,
  PASSWORD,
  type Person,
  stopClock,
  storedToken,
  test,
  toast,
} from './fixtures.ts';
import { expectForEverybody } from './for-everybody.ts';
import { picture } from './picture.ts';
import { isUncovered, payOffline, payTip, proceedWith } from './tipping.ts';

/** One word that takes several lines on a phone. */
const LONG_NAME = 'Wolfeschlegelsteinhausenbergerdorffwelche';

/** Longer than whoever is logged in is left on the page of an unknown code. */
const A_MOMENT_MS = 10_000;

test.describe('choosing an amount', () => {
  test('shows who is tipped, ten amounts in order and none chosen, the total beside the button on low phones from the first tap, and asks for a login before it says anything of the amount', async ({
    page,
    backstage,
  }) => {
    // The username takes a line of its own, as a long one does.
    const provider = await backstage.provider(['live_event'], 'Pat Doe');
    const code = await backstage.code(provider, 'live_event');
    await page.setViewportSize({ width: 375, height: 553 });
    await page.goto(`/tip/${code}`);
    await expect(page.getByRole('heading', { level: 1, name: 'Pat Doe' })).toBeVisible();
    await expect(page.getByText(`@${provider.username}`)).toBeVisible();
    await expect(page.getByText('Live Event', { exact: true })).toBeVisible();
    const amounts = page.getByRole('group', { name: 'Choose an amount' }).getByRole('radio');
    await expect(amounts).toHaveCount(10);
    for (const [index, amount] of [10, 15, 20, 25, 30, 50, 75, 100, 150, 200].entries()) {
      await expect(amounts.nth(index)).toHaveAccessibleName(`$${amount}`);
      await expect(amounts.nth(index)).not.toBeChecked();
    }
    const tile = page.locator('label').filter({ hasText: '$200' });
    const button = page.getByRole('button', { name: 'Proceed' });
    for (const [width, height] of [
      [375, 553],
      [360, 560],
    ] as const) {
      await page.setViewportSize({ width, height });
      if (width === 360) await page.reload();
      await tile.click();
      await expect(page.getByText('$210.00')).toBeInViewport({ ratio: 1 });
      await expect(button).toBeInViewport({ ratio: 1 });
      const total = await page.getByText('$210.00').boundingBox();
      expect((total?.x ?? 0) + (total?.width ?? 0), `${width} x ${height}`).toBeLessThanOrEqual(
        (await button.boundingBox())?.x ?? 0,
      );
      expect((await tile.boundingBox())?.height, 'what is tapped').toBeGreaterThanOrEqual(44);
    }
    // The system may choose the colours: then the chosen amount has others of them than the rest.
    const colours = () =>
      page
        .locator('label', { has: page.getByRole('radio') })
        .evaluateAll((tiles) => new Set(tiles.map((one) => getComputedStyle(one).backgroundColor)).size);
    await page.emulateMedia({ forcedColors: 'active' });
    await expect.poll(colours).toBe(2);
    await page.getByLabel('Or enter your own').fill('20');
    await expect.poll(colours).toBe(1);
    await expect(page).toHaveTitle('Tip Pat Doe · Tipwell');
    await button.click();
    await expect(page.getByText('Please login to send tips', { exact: true })).toBeVisible();
    await expect(page).toHaveURL(/\/auth/);
  });

  test('explains on Proceed what is missing, keeps what was typed, writes sums from $500 up in words, and keeps Pay in view on phones', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const code = await backstage.code(await backstage.provider());
    await logInAs(await backstage.customer());
    await page.goto(`/tip/${code}`);
    const proceed = page.getByRole('button', { name: 'Proceed' });
    const custom = page.getByLabel('Or enter your own');
    await proceed.click();
    const toasts = page.locator('[data-sonner-toast]');
    await expect(toasts.getByText('Please select a tip amount')).toBeVisible();
    await expect(custom).toBeFocused();
    await expect(custom).toHaveAccessibleDescription(/Please select a tip amount/);
    // It would go by itself, but not while a pointer rests on it.
    await toasts.hover();
    await page.keyboard.type('5');
    await expect(toasts).toHaveCount(0, { timeout: 2_000 });
    for (const text of ['9.99', '10000.01']) {
      await custom.fill(text);
      await expect(custom).toHaveAccessibleDescription(/Tip amount must be between \$10 and \$10,000/);
      await expect(custom).toHaveValue(text);
    }
    for (const text of ['ten', '-20']) {
      await custom.fill(text);
      await expect(custom).toHaveAccessibleDescription(/Write the amount like 12\.50/);
    }
    await custom.fill('10.005');
    await expect(custom).toHaveAccessibleDescription(/Amounts have at most two decimals/);
    await custom.fill('10');
    await expect(custom).not.toHaveAttribute('aria-invalid', 'true');

    await test.step('sums from $500 up are written large and in words', async () => {
      await custom.fill('499.99');
      await proceed.click();
      await expect(page.getByRole('button', { name: /^Pay/ })).toBeVisible();
      await expect(page.getByText(/dollars/)).toHaveCount(0);
      await page.getByRole('button', { name: 'Change Amount' }).click();
      await custom.fill('9876.54');
      await proceed.click();
      await expect(page.getByText('nine thousand eight hundred seventy-six dollars')).toBeVisible();
    });

    await test.step('Pay stays in view, with a large sum, a message and its keyboard', async () => {
      const pay = page.getByRole('button', { name: /^Pay/ });
      const field = page.getByRole('textbox', { name: 'Message' });
      const top = async (what: Locator) => (await what.boundingBox())?.y ?? Number.NaN;
      await page.setViewportSize({ width: 320, height: 568 });
      await expect(pay).toBeInViewport({ ratio: 1 });
      await expect(page.getByRole('definition')).toHaveCount(0);
      await page.getByRole('button', { name: 'Add a Message' }).click();
      await expect(field).toBeFocused();
      await page.setViewportSize({ width: 390, height: 420 });
      await expect(pay).toBeInViewport({ ratio: 1 });
      await expect(page.getByText('Total $10,370.37')).toBeInViewport({ ratio: 1 });
      // A keyboard that leaves the window as it is covers its lower part.
      await page.setViewportSize({ width: 390, height: 844 });
      await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
      const before = await top(pay);
      await page.evaluate(() => {
        Object.defineProperty(window.visualViewport, 'height', { get: () => window.innerHeight - 336 });
        window.visualViewport?.dispatchEvent(new Event('resize'));
      });
      await expect.poll(() => top(pay)).toBe(before - 336);
      await page.getByText('Total $10,370.37').click();
      await expect(page.getByRole('definition')).toHaveText(['$9,876.54', '$493.83', '$9,580.24']);
      await expect(pay).toBeInViewport({ ratio: 1 });
    });
  });
});

test('below a long name the field that takes the focus is shown above the bar, and a large sum in its box, and in words above the bar, on low phones and in text of twice the size', async ({
  page,
  backstage,
  logInAs,
}) => {
  await logInAs(await backstage.customer());
  const code = await backstage.code(await backstage.provider(['bartender'], LONG_NAME));
  const custom = page.getByLabel('Or enter your own');
  await page.setViewportSize({ width: 320, height: 568 });
  await page.goto(`/tip/${code}`);
  await page.getByRole('button', { name: 'Proceed' }).click();
  await expect(custom).toBeFocused();
  await expect.poll(() => custom.evaluate(isUncovered)).toBe(true);
  await custom.fill('10000');
  for (const [width, height, fontSize] of [
    [320, 568, '100%'],
    [390, 844, '200%'],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = size;
    }, fontSize);
    await page.getByRole('button', { name: 'Proceed' }).press('Enter');
    const words = page.getByText('ten thousand dollars');
    await expect.poll(() => words.evaluate(isUncovered), `words of ${fontSize}`).toBe(true);
    const ends = await page
      .getByText('$10,000.00')
      .first()
      .evaluate((figures) => {
        const text = document.createRange();
        text.selectNodeContents(figures);
        return [text, figures.closest('p')].map((part) => part?.getBoundingClientRect().right ?? Number.NaN);
      });
    expect(ends[0], `figures of ${fontSize}`).toBeLessThanOrEqual(Number(ends[1]));
    await page.getByRole('button', { name: 'Change Amount' }).press('Enter');
    await expect(custom).toHaveValue('10000');
  }
});

test.describe('paying', () => {
  test('pays, tells it once, and leaves one transaction on both sides', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const provider = await backstage.provider(['barber'], 'Barb Er');
    const code = await backstage.code(provider, 'barber');
    const customer = await backstage.customer();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$25');
    await expect(page.getByText('simulated payment')).toBeVisible();
    await expect(page.getByRole('definition')).toHaveCount(0);
    await page.getByText('Total $26.25').click();
    await expect(page.getByRole('definition')).toHaveText(['$25.00', '$1.25', '$24.25']);
    await page.getByRole('button', { name: /^Pay \$26\.25/ }).click();
    await expect(page.getByText('Tip sent successfully! $25.00 sent to Barb Er')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeFocused();
    await expect(page.getByRole('button', { name: /^Pay/ })).toHaveCount(0);
    const [given, ...others] = await backstage.transactions(customer);
    expect(others).toEqual([]);
    expect(given).toMatchObject({ amount: 25, net_amount: 24.25 });
    await expect(page.getByText(given?.id ?? 'none')).toBeVisible();
    expect(await backstage.transactions(provider)).toHaveLength(1);

    await page.getByRole('link', { name: 'Send Another Tip' }).click();
    await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
    await expect(page.getByLabel('Or enter your own')).toHaveValue('');

    // The toast of the first tip has gone, and the one of the next hides nothing of the success.
    await page.setViewportSize({ width: 320, height: 640 });
    await payTip(page, '$20');
    // Without one that is on its way out.
    const toasts = page.locator('[data-sonner-toast]:not([data-removed=true])');
    await expect(toasts.getByText('$20.00 sent to Barb Er')).toBeVisible();
    await expect(toasts).toHaveCount(1);
    const check = page
      .locator('section', { has: page.getByRole('heading', { name: 'Tip sent!' }) })
      .locator('svg');
    const roomBetween = async () => {
      // It slides in from above.
      await expect(toasts).toHaveAttribute('data-mounted', 'true');
      await toasts.evaluate((toast) => Promise.all(toast.getAnimations().map(({ finished }) => finished)));
      const [above, below] = [await toasts.boundingBox(), await check.first().boundingBox()];
      return (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0);
    };
    expect(await roomBetween()).toBeGreaterThan(0);
    // Two taps take it back, and Back leads to no success of it.
    const undo = page.getByRole('button', { name: 'Undo', exact: true });
    await expect(undo).toHaveText(/^Undo · (?:9:\d\d|10:00)/);
    await expect(undo).toBeInViewport({ ratio: 1 });
    await undo.click();
    // Its words stand below its heading, where the success is centred.
    await expect(page.getByRole('dialog').getByText(/^You get \$21\.00/)).toHaveCSS('text-align', 'start');
    await page.getByRole('dialog').getByRole('button', { name: 'Take Back' }).click();
    await expect(page.getByText(/^Refunded on .* by you: \$21\.00 went back to you/)).toBeVisible();
    await expect(toasts).toHaveText('$20.00 tip taken back. You get $21.00 back.');
    await page.goBack();
    await expect(page.getByLabel('Or enter your own')).toHaveValue('');
    const statuses = (await backstage.transactions(customer)).map(({ status }) => status);
    expect(statuses.sort()).toEqual(['completed', 'refunded']);

    // Nor does it with text of twice the size and as far apart as people may set it (WCAG 1.4.12).
    await page.evaluate(() => {
      const spacing = new CSSStyleSheet();
      spacing.replaceSync(
        '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important; line-height: 1.5 !important }',
      );
      document.adoptedStyleSheets = [spacing];
      document.documentElement.style.fontSize = '200%';
    });
    await payTip(page, '$30');
    await expect(toasts.getByText('$30.00 sent to Barb Er')).toBeVisible();
    expect(await roomBetween()).toBeGreaterThan(0);
  });

  test('shows the amount at once when it is loaded anew over a slow connection, what is chosen meanwhile counts, and the success keeps its buttons under the finger when Undo comes after them', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const { code, customer } = await backstage.bothSides();
    await logInAs(customer);
    const late = await holdAnswers(page, /\/undo-[\w-]{7}\.js$/);
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    const pay = page.getByRole('button', { name: /^Pay/ });
    await expect(pay).toBeVisible();
    const paying = await holdAnswers(page, '**/assets/paying-*.js');
    await page.reload();
    await expect.poll(paying.asked).toBeGreaterThan(0);
    await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
    await page.getByText('$30', { exact: true }).click();
    paying.release();
    await expect(pay).toHaveText(/^Pay \$31\.50/);

    await pay.click();
    await expect.poll(late.asked).toBeGreaterThan(0);
    const [shown, receipt] = [
      page.getByRole('button', { name: 'Show Full Screen' }),
      page.getByRole('link', { name: 'Receipt' }),
    ];
    await expect(receipt).toBeVisible();
    const places = async () => [(await shown.boundingBox())?.y, (await receipt.boundingBox())?.y];
    const before = await places();
    const undo = page.getByRole('button', { name: 'Undo' });
    await expect(undo).toHaveCount(0);
    late.release();
    await expect(undo).toBeVisible();
    expect(await places()).toEqual(before);
  });

  test('gives the same again with two taps, and offers nothing that was taken back; says the server’s own words when it refuses, and keeps the amount', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { code, customer, provider } = await backstage.bothSides();
    const body = { receiver_qr_id: code, amount: 37.5, service_category: 'bartender' };
    const { id } = await backstage.call('POST', '/transactions', { token: customer.token, body });
    const thanks = { text: 'See you on Friday, and thank you for staying so late!' };
    await backstage.call('POST', `/transactions/${id}/thank-you`, { token: provider.token, body: thanks });
    await logInAs(customer);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`/tip/${code.toLowerCase()}`);
    const again = page.getByRole('button', { name: 'Tip $37.50 Again' });
    await expect(again).toContainText(thanks.text);
    await expectForEverybody(page, 'the offer to tip again');
    await picture(page, 'tip-again');
    await again.click();
    await page.getByRole('button', { name: /^Pay/ }).click();
    await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
    const listed = async (token: string) => backstage.call('GET', '/transactions', { token });
    expect((await listed(customer.token)).map(({ amount }: { amount: number }) => amount)).toEqual([
      37.5, 37.5,
    ]);
    for (const tip of await listed(provider.token))
      await backstage.call('POST', `/transactions/${tip.id}/refund`, { token: provider.token });
    expect(await listed(provider.token)).toContainEqual(expect.objectContaining({ id, status: 'refunded' }));
    const looked = page.waitForResponse((response) => response.url().includes('transactions.list'));
    await page.goto(`/tip/${code}`);
    await (await looked).finished();
    await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeVisible();
    await expect(again).toHaveCount(0);

    await page.evaluate((token) => localStorage.setItem('tipwell_token', token), provider.token);
    await page.reload();
    await payTip(page, '$30');
    await expect(page.getByText('You cannot tip your own QR code.')).toBeVisible();
    await expect(page.getByRole('radio', { name: '$30', exact: true })).toBeChecked();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('422')]);
  });
});

test('nobody pays twice, when the page is reloaded in flight or the answer is lost after the tip was recorded, nor an amount that the payment step has not shown, when the connection was lost, after which nothing covers the total or the amounts', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  const { code, customer } = await backstage.bothSides();
  await logInAs(customer);
  const amounts = async () => (await backstage.transactions(customer)).map(({ amount }) => amount);
  const success = page.getByRole('heading', { name: 'Tip sent!' });
  const another = page.getByRole('link', { name: 'Send Another Tip' });
  await page.goto(`/tip/${code}`);

  await test.step('the connection lost', async () => {
    await payOffline(page, '$20');
    await expect(page.getByText('$21.00')).toBeInViewport({ ratio: 1 });
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    // The button lies where it stands in the form, below the amounts.
    await page.getByText('$200', { exact: true }).scrollIntoViewIfNeeded();
    const tiles = await page.getByRole('group', { name: 'Choose an amount' }).boundingBox();
    const button = await page.getByRole('button', { name: 'Proceed' }).boundingBox();
    expect((tiles?.y ?? 0) + (tiles?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '';
    });
    await page.getByLabel('Or enter your own').fill('2000');
    await page.getByRole('button', { name: 'Retry' }).press('Enter');
    await expect(page.getByText(/^two thousand/)).toBeVisible();
    expect(await amounts()).toEqual([]);
    await page.getByRole('button', { name: /^Pay \$2,100\.00/ }).click();
    await expect(success).toBeVisible();
    expect(await amounts()).toEqual([2_000]);
  });

  await test.step('the answer lost after the tip was recorded', async () => {
    await another.press('Enter');
    await loseAnswer(page, 'transactions.create');
    await payTip(page, '$20');
    await expect(page.getByText('Payment failed. Please try again.')).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('never charged twice');
    await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
    expect(await amounts()).toEqual([20, 2_000]);
    // One button is the main one.
    const fill = (name: string) =>
      page.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).backgroundColor);
    await expect.poll(async () => (await fill('Proceed')) === (await fill('Retry'))).toBe(false);
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: /^Pay \$21\.00/ }).click();
    await expect(success).toBeVisible();
    expect(await amounts()).toEqual([20, 2_000]);
  });

  await test.step('the page reloaded in flight', async () => {
    await another.press('Enter');
    await page.route(
      '**/trpc/transactions.create*',
      async (route) => {
        await route.fetch();
        // No answer: the page is left waiting.
      },
      { times: 1 },
    );
    await payTip(page, '$30');
    await expect.poll(amounts).toEqual([30, 20, 2_000]);
    // While nobody knows whose session it is, the attempt in this tab says that it may have been charged.
    await page.route('**/trpc/*auth.me*', (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Proceed to Payment' }).click();
    await expect(page.getByRole('alert')).toContainText('it is never charged twice');
    await page.unroute('**/trpc/*auth.me*');
    await page.reload();
    await expect(page.getByText('you are never charged twice')).toBeVisible();
    await page.getByRole('button', { name: /^Pay \$31\.50/ }).click();
    await expect(success).toBeVisible();
    expect(await amounts()).toEqual([30, 20, 2_000]);
  });
  complaints.length = 0;
});

test('Back leads to the dashboard whoever is logged in, and everybody else home, and from a screen that cannot be fetched back to the tip', async ({
  page,
  backstage,
  logInAs,
  complaints,
}) => {
  await page.goto('/tip/demo-alex-bartender');
  await page.route('**/assets/routes-*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page.getByRole('alert')).toContainText('This page could not be shown');
  await expect(page.getByRole('heading', { name: 'This page could not be shown' })).toBeFocused();
  await expect(page).toHaveURL('/');
  await page.goBack();
  await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
  await page.unrouteAll();
  complaints.length = 0;
  const customer = await backstage.customer();
  await logInAs(customer);
  await page.goto('/tip/demo-alex-bartender');
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page).toHaveURL('/dashboard');
});

test.describe('a tip that one account has prepared is not paid by the next one', () => {
  const OTHER_ACCOUNT =
    'Another account is logged in now. Nothing was charged to it: proceed to pay with it.';

  test('that another tab logs in, which is offered no earlier tip of the first, nor told that the same amount is never charged twice; where nobody is logged in, the amounts are shown, and Proceed asks for a login', async ({
    page,
    context,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { code, customer } = await backstage.bothSides();
    const next = await backstage.customer();
    const elsewhere = await context.newPage();
    await elsewhere.goto('/offline');
    const logInElsewhere = ({ token }: Person) =>
      elsewhere.evaluate((stored) => localStorage.setItem('tipwell_token', stored), token);
    await backstage.tip(customer, code, 30);
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    const again = page.getByRole('button', { name: 'Tip $30 Again' });
    await expect(again).toBeVisible();
    await proceedWith(page, '$20');
    const pay = page.getByRole('button', { name: /^Pay \$21\.00/ });
    const success = page.getByRole('heading', { name: 'Tip sent!' });
    await expect(pay).toBeVisible();
    await logInElsewhere(next);
    await expect(toast(page, OTHER_ACCOUNT)).toBeVisible();
    await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
    await expect(pay).toHaveCount(0);
    await logInElsewhere(customer);
    await expect(again).toBeVisible();
    await logInElsewhere(next);
    await expect(again).toHaveCount(0);
    await page.getByRole('button', { name: 'Proceed' }).click();
    await pay.click();
    await expect(success).toBeVisible();
    expect(await backstage.transactions(customer)).toHaveLength(1);
    expect(await backstage.transactions(next)).toMatchObject([{ amount: 20 }]);

    const { code: second, customer: first } = await backstage.bothSides();
    await logInElsewhere(first);
    await page.goto(`/tip/${second}`);
    await loseAnswer(page, 'transactions.create');
    await payTip(page, '$20');
    await expect(page.getByRole('alert')).toContainText('it is never charged twice');
    complaints.length = 0;
    await logInElsewhere(next);
    await expect(page.getByRole('alert')).toHaveCount(0);
    // What the second one prepares meanwhile is not for the first.
    await proceedWith(page, '$30');
    await expect(page.getByRole('button', { name: /^Pay \$31\.50/ })).toBeVisible();
    await logInElsewhere(first);
    await expect(page.getByText('Your last payment was cut off.')).toBeVisible();
    await pay.click();
    await expect(success).toBeVisible();
    expect(await backstage.transactions(first)).toHaveLength(1);
    expect(await backstage.transactions(next)).toHaveLength(1);

    const { code: third } = await backstage.bothSides();
    await page.goto(`/tip/${third}`);
    await proceedWith(page, '$20');
    await expect(pay).toBeVisible();
    await elsewhere.evaluate(() => localStorage.removeItem('tipwell_token'));
    await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(page.getByText('is waiting')).toBeVisible();
  });

  test('that logs in in the same tab and comes back to the payment, or after the session has ended', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { code, customer } = await backstage.bothSides();
    const next = await backstage.customer();
    await logInAs(customer);
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$20');
    const pay = page.getByRole('button', { name: /^Pay/ });
    await expect(pay).toBeVisible();
    await page.evaluate((token) => localStorage.setItem('tipwell_token', token), next.token);
    await page.reload();
    await expect(toast(page, OTHER_ACCOUNT)).toBeVisible();
    await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
    await page.goForward();
    await expect(pay).toHaveCount(0);

    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(pay).toBeVisible();
    await backstage.call('POST', '/auth/logout', { token: next.token });
    await pay.click();
    await expect(page.getByText('is waiting')).toBeVisible();
    await logInByForm(page, customer);
    await expect(toast(page, OTHER_ACCOUNT)).toBeVisible();
    await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
    await expect(pay).toHaveCount(0);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  test('but by nobody while it is not known who is logged in, where what was sent is not called failed; nor is the next one told what the first was refused, or kept from a tip while that has no answer', async ({
    page,
    context,
    backstage,
    logInAs,
    complaints,
  }) => {
    const { code, customer, provider } = await backstage.bothSides();
    const next = await backstage.customer();
    const { code: second } = await backstage.bothSides();
    const elsewhere = await context.newPage();
    await elsewhere.goto('/offline');
    const logInElsewhere = ({ token }: { readonly token: string }) =>
      elsewhere.evaluate((stored) => localStorage.setItem('tipwell_token', stored), token);
    await logInAs(customer);
    await page.goto(`/tip/${code}`);

    await test.step('while it is not known who is logged in', async () => {
      await loseAnswer(page, 'transactions.create');
      await payTip(page, '$20');
      await page.getByRole('button', { name: 'Retry' }).click();
      const pay = page.getByRole('button', { name: /^Pay \$21\.00/ });
      await expect(pay).toBeVisible();
      await page.route('**/trpc/*auth.me*', (route) => route.abort());
      const body = { email: customer.email, password: PASSWORD };
      const { access_token: token } = await backstage.call('POST', '/auth/login', { body });
      await logInElsewhere({ token });
      await pay.click();
      await expect(page.getByRole('alert')).toContainText('it is never charged twice');
      await page.unroute('**/trpc/*auth.me*');
      complaints.length = 0;
    });

    await test.step('what the first was refused', async () => {
      await logInElsewhere(customer);
      const [{ id } = { id: 'none' }] = await backstage.transactions(provider);
      await page.goto(`/tip/${code}`);
      await page.getByRole('button', { name: /^Pay \$21\.00/ }).click();
      await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
      await page.getByRole('link', { name: 'Send Another Tip' }).click();
      await proceedWith(page, '$20');
      const pay = page.getByRole('button', { name: /^Pay/ });
      await expect(pay).toBeVisible();
      await backstage.call('POST', `/transactions/${id}/block`, { token: provider.token });
      await pay.click();
      const paused = page.getByRole('heading', { name: 'Not taking tips right now' });
      await expect(paused).toBeVisible();
      complaints.length = 0;
      await logInElsewhere(next);
      await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeVisible();
      await logInElsewhere(customer);
      await expect(paused).toBeVisible();
      await page.getByRole('button', { name: 'Retry' }).click();
      await expect(page.getByRole('button', { name: 'Retry' })).toBeVisible();
      await logInElsewhere(next);
      await payTip(page, '$20');
      await expect(page.getByRole('heading', { name: 'Tip sent!' })).toBeVisible();
      expect(await backstage.transactions(next)).toMatchObject([{ amount: 20 }]);
    });

    await test.step('who comes back while the first one has no answer', async () => {
      await logInElsewhere(customer);
      await page.goto(`/tip/${second}`);
      const first = await holdAnswers(page, '**/trpc/transactions.create*');
      await payTip(page, '$20');
      await expect.poll(first.asked).toBe(1);
      await page.getByRole('link', { name: 'Back' }).click();
      await expect(page).toHaveURL(/\/dashboard/);
      await logInElsewhere(next);
      await page.goBack();
      await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
      await proceedWith(page, '$30');
      const pay = page.getByRole('button', { name: /^Pay \$31\.50/ });
      await expect(pay).toBeVisible();
      first.release();
      // The call may have ended before it was answered, and whoever has logged in since is told nothing of it.
      await expect(pay).toBeVisible();
      await pay.click();
      await expect(toast(page, /^Tip sent successfully! \$30\.00/)).toBeVisible();
      expect(await backstage.transactions(next)).toMatchObject([{ amount: 30 }, { amount: 20 }]);
    });
    complaints.length = 0;
  });
});

test.describe('a login on the way to a tip', () => {
  test('opens Sign Up, leads straight to payment, is asked for when the session ended meanwhile, and leads back', async ({
    page,
    backstage,
    complaints,
  }) => {
    const { code, customer } = await backstage.bothSides();
    const paying = await holdAnswers(page, '**/assets/paying-*.js');
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$150');
    await expect(page.getByRole('button', { name: 'Proceed' })).toHaveAttribute('data-waiting');
    paying.release();
    await expect(page.getByText('Please login to send tips', { exact: true })).toBeVisible();
    // Not being logged in is no error.
    await expect(page.locator('[data-sonner-toast][data-type="error"]')).toHaveCount(0);
    await expect(page).toHaveURL(`/auth?tab=sign-up&next=%2Ftip%2F${code}`);
    await page.getByRole('tab', { name: 'Login' }).click();
    await logInByForm(page, customer);
    await expect(page).toHaveURL(`/tip/${code}`);
    const pay = page.getByRole('button', { name: /^Pay \$157\.50/ });
    await expect(pay).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('radio', { name: '$150', exact: true })).toBeChecked();

    await page.goForward();
    await expect(pay).toBeVisible();
    await backstage.call('POST', '/auth/logout', { token: (await storedToken(page)) ?? 'none' });
    await pay.click();
    await expect(page).toHaveURL(/\/auth\?next=/);
    expect(await storedToken(page)).toBeNull();
    await logInByForm(page, customer);
    await expect(pay).toBeVisible();
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  test('is not asked for where somebody has gone meanwhile, and leads to no amount of somebody who went home from it or gave it up for another', async ({
    page,
    context,
    backstage,
  }) => {
    const { code, customer } = await backstage.bothSides();
    const paying = await holdAnswers(page, '**/assets/paying-*.js');
    await page.goto(`/tip/${code}`);
    await proceedWith(page, '$150');
    await expect.poll(paying.asked).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Back' }).click();
    await expect(page).toHaveURL('/');
    const arrived = page.waitForResponse('**/assets/paying-*.js');
    paying.release();
    await (await arrived).finished();
    await page.getByRole('link', { name: 'Get Started Now' }).first().click();
    await expect(page.getByRole('heading', { name: 'Login or Sign Up' })).toBeVisible();
    await expect(page.getByText('Please login to send tips', { exact: true })).toHaveCount(0);
    await expect(page.getByText('is waiting')).toHaveCount(0);

    const { code: second } = await backstage.bothSides();
    const known = () => page.waitForResponse(/auth\.me/);
    await page.goto(`/tip/${second}`);
    await proceedWith(page, '$150');
    await expect(page).toHaveURL(/\/auth/);
    await page.goBack();
    await expect(page.getByRole('radio', { name: '$150', exact: true })).toBeChecked();
    await page.getByRole('radio', { name: '$20', exact: true }).check();
    const elsewhere = await context.newPage();
    await elsewhere.goto('/auth');
    const knownHere = known();
    await elsewhere.evaluate((token) => localStorage.setItem('tipwell_token', token), customer.token);
    await knownHere;
    await page.getByRole('button', { name: 'Proceed' }).click();
    const pay = page.getByRole('button', { name: /^Pay \$21\.00/ });
    await expect(pay).toBeVisible();
    await page.getByRole('button', { name: 'Change Amount' }).click();
    await expect(page.getByRole('radio', { name: '$20', exact: true })).toBeChecked();
    await elsewhere.close();

    const { code: third } = await backstage.bothSides();
    await page.evaluate(() => localStorage.clear());
    await page.goto(`/tip/${third}`);
    await proceedWith(page, '$150');
    await expect(page.getByText('is waiting')).toBeVisible();
    await page.getByRole('link', { name: 'Back to Home' }).click();
    await expect(page.getByRole('link', { name: 'Get Started Now' }).first()).toBeVisible();
    await page.evaluate((token) => localStorage.setItem('tipwell_token', token), customer.token);
    const knownThen = known();
    await page.goto(`/tip/${third}`);
    await knownThen;
    await page.getByRole('radio', { name: '$20', exact: true }).check();
    await page.getByRole('button', { name: 'Proceed' }).click();
    await expect(pay).toBeVisible();
  });
});

test.describe('demo codes', () => {
  test('pay after two seconds without any call, say that it is a demo, also after a reload, and cannot be held up', async ({
    page,
    backstage,
    logInAs,
  }) => {
    const customer = await backstage.customer();
    await logInAs(customer);
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/trpc/')) calls.push(request.url());
    });
    await page.clock.install();
    await page.goto('/tip/anything?userId=alex&service=dj');
    await expect(page.getByText('This is a demo.')).toBeVisible();
    await expect(page.getByText('@alex')).toBeVisible();
    await proceedWith(page, '$10');
    await expect(page.getByRole('button', { name: /^Pay/ })).toBeVisible();
    await stopClock(page);
    await page.getByRole('button', { name: /^Pay/ }).click();
    await expect(page.getByRole('button', { name: 'Processing payment...' })).toBeVisible();
    await page.clock.runFor(2_000);
    await page.clock.resume();
    await expect(page.getByText(/^Demo tip sent successfully! \$10\.00 sent to /)).toBeVisible();
    const sent = page.getByRole('heading', { name: 'Demo tip sent!' });
    await expect(sent).toBeVisible();
    await page.reload();
    await expect(sent).toBeVisible();
    await expect(page.getByRole('button', { name: 'Show Full Screen' })).toHaveCount(0);
    await page.getByRole('link', { name: 'Send Another Tip' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Alex' })).toBeVisible();
    await expect(page.getByRole('group', { name: 'Choose an amount' })).toBeVisible();
    expect(calls.filter((url) => !url.includes('auth.me'))).toEqual([]);
    expect(await backstage.transactions(customer)).toEqual([]);
  });
});

test.describe('codes that lead nowhere', () => {
  test('show the toast and Go Home, a logged-out visitor stays, and can type it again, as a code or with the link around it; they leave a logged-in visitor who acts first where they are, and take anybody else who is logged in to the dashboard after a moment', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await page.clock.install();
    await page.goto('/tip/ZZZZZZZZZZ');
    await expect(page.getByRole('heading', { name: 'QR Code Not Found' })).toBeVisible();
    await expect(
      page.locator('[data-sonner-toast]').getByText('QR code not found', { exact: true }),
    ).toBeVisible();
    await page.clock.runFor(A_MOMENT_MS);
    await expect(page).toHaveURL('/tip/ZZZZZZZZZZ');
    const field = page.getByLabel('QR code or link');
    await expect(field).toHaveValue('ZZZZZZZZZZ');
    await field.fill(`Tip me: https://elsewhere.example/tip/${code}, thanks!`);
    await page.getByRole('button', { name: 'Process QR Code' }).click();
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
    await expect(page).toHaveURL(`/tip/${code}`);
    await page.goBack();
    // The toast of the second look-up may come between press and release.
    await page.getByRole('link', { name: 'Go Home' }).press('Enter');
    await expect(page).toHaveURL('/');

    await logInAs(await backstage.customer());
    await page.goto('/tip/ZZZZZZZZZZ');
    await expect(page.getByText('You will be taken to your dashboard in a moment.')).toBeVisible();
    await page.getByText('Check the ten characters').click();
    await expect(page.getByText('You will be taken to your dashboard in a moment.')).toHaveCount(0);
    await page.clock.runFor(A_MOMENT_MS);
    await expect(page).toHaveURL('/tip/ZZZZZZZZZZ');
    await page.reload();
    await expect(page.getByText('You will be taken to your dashboard in a moment.')).toBeVisible();
    await page.getByLabel('QR code or link').fill('K7Q2M');
    await page.clock.runFor(A_MOMENT_MS);
    await expect(page).toHaveURL('/tip/ZZZZZZZZZZ');
    await expect(page.getByLabel('QR code or link')).toHaveValue('K7Q2M');
    await page.reload();
    await expect(page.getByText('You will be taken to your dashboard in a moment.')).toBeVisible();
    await page.clock.runFor(A_MOMENT_MS);
    await expect(page).toHaveURL(/\/dashboard/);
    complaints.length = 0;
  });

  test('offer Retry when the server cannot be reached, or answers nothing', async ({
    page,
    backstage,
    logInAs,
    complaints,
  }) => {
    const provider = await backstage.provider();
    const code = await backstage.code(provider);
    await logInAs(await backstage.customer());
    await installClock(page);
    const answer = await holdAnswers(page, '**/trpc/*qrCodes.lookup*');
    await enterCode(page, code);
    await expect.poll(answer.asked).toBe(1);
    await page.clock.fastForward(LONGEST_PATIENCE_MS);
    await expect(page.getByRole('alert')).toContainText('Nothing is lost, and nothing is paid twice.');
    await page.unroute('**/trpc/*qrCodes.lookup*');
    await page.route('**/trpc/*qrCodes.lookup*', (route) => route.abort());
    const lost = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Retry' }).click();
    // The former alert may still be there.
    await lost;
    await expect(page.getByRole('alert')).toContainText('Nothing is lost, and nothing is paid twice.');
    await page.unroute('**/trpc/*qrCodes.lookup*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('heading', { level: 1, name: provider.fullName })).toBeVisible();
    complaints.length = 0;
  });
});
